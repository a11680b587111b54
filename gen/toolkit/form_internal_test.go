package toolkit

import "testing"

func TestNormalize(t *testing.T) {
	traits := Traits{Forms: []Form{
		{Name: "code", Was: []string{"text", "script"}},
		{Name: "schema", Object: ObjectText},
		{Name: "params", Object: ObjectJoined, Names: []string{"="}},
		{Name: "fields", Was: []string{"form"}, Object: ObjectPairs, Names: []string{"query", "value"}},
		{Name: "clip", Object: ObjectValues, Names: []string{"x", "y"}},
	}}
	for _, c := range []struct{ in, want string }{
		{`{"code":"1"}`, `{"code":"1"}`},
		{`{ "code" : "1" }`, `{ "code" : "1" }`},
		{`{"text":"1","tab":"t1"}`, `{"code":"1","tab":"t1"}`},
		{`{"te\u0078t":1}`, `{"code":1}`},
		{`{"text":"1","code":"2"}`, `{"text":"1","code":"2"}`},
		{`{"text":"1","script":"2"}`, `{"text":"1","script":"2"}`},
		{`{"text":1,"text":2}`, `{"code":1,"code":2}`},
		{`{"schema":{"a": {"b": 1}}}`, `{"schema":"{\"a\":{\"b\":1}}"}`},
		{`{"schema":"{}"}`, `{"schema":"{}"}`},
		{`{"params":{"a":"b=c","n":1.50,"o":{"p":null}}}`, `{"params":["a=b=c","n=1.50","o={\"p\":null}"]}`},
		{`{"params":{}}`, `{"params":[]}`},
		{`{"form":{"Your \"name\"":"Ada","Age":36}}`, `{"fields":[{"query":"Your \"name\"","value":"Ada"},{"query":"Age","value":36}]}`},
		{`{"form":{"a":"b"},"fields":[]}`, `{"form":{"a":"b"},"fields":[]}`},
		{`{"clip":{"y":2,"x":1,"z":3}}`, `{"clip":[1,2]}`},
		{`{"clip":{"x":1}}`, `{"clip":{"x":1}}`},
		{`{"clip":[1,2]}`, `{"clip":[1,2]}`},
		{`{"text":"1"`, `{"text":"1"`},
		{`{"text":"1"} x`, `{"text":"1"} x`},
		{`["text"]`, `["text"]`},
		{``, ``},
	} {
		if got := string(traits.Normalize([]byte(c.in))); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.in, got, c.want)
		}
	}
	if got := string(Traits{}.Normalize([]byte(`{"text":1}`))); got != `{"text":1}` {
		t.Errorf("without forms: %s", got)
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add([]byte(`{"text":"1","clip":{"x":1,"y":[]},"params":{"a":"\ud800"}}`))
	traits := Traits{Forms: []Form{
		{Name: "code", Was: []string{"text"}, Object: ObjectText}, {Name: "params", Object: ObjectJoined, Names: []string{"="}},
		{Name: "fields", Object: ObjectPairs, Names: []string{"k", "v"}}, {Name: "clip", Object: ObjectValues, Names: []string{"x", "y"}},
	}}
	f.Fuzz(func(t *testing.T, in []byte) {
		once := traits.Normalize(in)
		if again := traits.Normalize(once); string(again) != string(once) {
			t.Errorf("%q becomes %q, and then %q", in, once, again)
		}
		if _, ok := readMembers(in); ok {
			if _, still := readMembers(once); !still {
				t.Errorf("%q becomes %q, which is no object", in, once)
			}
		}
	})
}

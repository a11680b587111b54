package har_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/site/har"
)

const archive = "\ufeff" + `{"log":{"version":"1.2","entries":[
{"_resourceType":"XHR","request":{"method":"post","url":"https://shop.example/api?x=1","headers":[{"name":"X-A","value":"1"}],
 "postData":{"mimeType":"application/x-www-form-urlencoded; charset=UTF-8","text":"a=1+2&b=%26&a=3"}},
 "response":{"status":200,"content":{"mimeType":"application/json; charset=utf-8","encoding":"base64","text":"eyJhIjoxfQ=="}}},
{"request":{"method":"GET","url":"about:blank"},"response":{"status":0,"content":{}}},
{"request":{"method":"POST","url":"https://shop.example/f","postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"b"}]}},"response":{"status":302,"content":{"encoding":"base64","text":"?"}}}
]}}`

// TestRead reads bodies in the forms that archives have, and leaves out what has no host.
func TestRead(t *testing.T) {
	t.Parallel()
	got, err := har.Read([]byte(archive))
	if err != nil || len(got) != 2 {
		t.Fatalf("%v %+v", err, got)
	}
	first := got[0]
	if first.Method != "POST" || first.Kind != "xhr" || len(first.Headers) != 1 || first.Status != 200 || first.Answer.Type != "application/json" || first.Answer.Text != `{"a":1}` {
		t.Errorf("%+v", first)
	}
	if want := []har.Pair{{Name: "a", Value: "1 2"}, {Name: "b", Value: "&"}, {Name: "a", Value: "3"}}; !reflect.DeepEqual(first.Body.Form, want) {
		t.Errorf("%+v", first.Body.Form)
	}
	if second := got[1]; second.Answer.Text != "" || len(second.Body.Form) != 1 {
		t.Errorf("%+v", second)
	}
	file := filepath.Join(t.TempDir(), "a.har")
	if err := os.WriteFile(file, []byte(archive), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := har.Open(file); err != nil || len(again) != 3 {
		t.Errorf("the file: %v %v", again, err)
	}
}

// TestReadRefuses says what is no archive.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"{": "no HAR", "{}": "no member log", `{"log":{"entries":[` + strings.Repeat("{},", har.MaxEntries) + "{}]}}": "at most"} {
		if _, err := har.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", text, err, want)
		}
	}
}

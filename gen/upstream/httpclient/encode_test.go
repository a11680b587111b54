package httpclient

import (
	"encoding/json"
	"strings"
	"testing"
)

const colours = `["blue","black","brown"]`
const rgb = `{"R":100,"G":200,"B":150}`

// The rows are the table "Style Examples" of the OpenAPI specification; members of objects are in the order of their
// names, which the specification leaves open.
func TestStyles(t *testing.T) {
	for _, c := range []struct {
		in, style string
		explode   bool
		value     string
		want      string
	}{
		{"path", "matrix", false, `"blue"`, ";color=blue"},
		{"path", "matrix", false, colours, ";color=blue,black,brown"},
		{"path", "matrix", true, colours, ";color=blue;color=black;color=brown"},
		{"path", "matrix", false, rgb, ";color=B,150,G,200,R,100"},
		{"path", "matrix", true, rgb, ";B=150;G=200;R=100"},
		{"path", "label", false, `"blue"`, ".blue"},
		{"path", "label", false, colours, ".blue,black,brown"},
		{"path", "label", true, colours, ".blue.black.brown"},
		{"path", "label", false, rgb, ".B,150,G,200,R,100"},
		{"path", "label", true, rgb, ".B=150.G=200.R=100"},
		{"path", "simple", false, `"a/b c%é"`, "a%2Fb%20c%25%C3%A9"},
		{"path", "simple", false, colours, "blue,black,brown"},
		{"path", "simple", false, rgb, "B,150,G,200,R,100"},
		{"path", "simple", true, rgb, "B=150,G=200,R=100"},
		{"query", "form", true, `"blue"`, "color=blue"},
		{"query", "form", true, `""`, "color="},
		{"query", "form", true, `null`, ""},
		{"query", "form", true, `[]`, ""},
		{"query", "form", false, `[]`, ""},
		{"query", "form", false, colours, "color=blue,black,brown"},
		{"query", "form", true, colours, "color=blue&color=black&color=brown"},
		{"query", "form", false, rgb, "color=B,150,G,200,R,100"},
		{"query", "form", true, rgb, "B=150&G=200&R=100"},
		{"query", "form", true, `1.50`, "color=1.50"},
		{"query", "form", true, `12345678901234567890`, "color=12345678901234567890"},
		{"query", "form", true, `true`, "color=true"},
		{"query", "form", true, `"a&b=c+d #"`, "color=a%26b%3Dc%2Bd%20%23"},
		{"query", "form", false, `["a,b","c"]`, "color=a%2Cb,c"},
		{"query", "spaceDelimited", false, colours, "color=blue%20black%20brown"},
		{"query", "spaceDelimited", false, rgb, "color=B%20150%20G%20200%20R%20100"},
		{"query", "pipeDelimited", false, colours, "color=blue%7Cblack%7Cbrown"},
		{"query", "pipeDelimited", true, colours, "color=blue&color=black&color=brown"},
		{"query", "deepObject", true, rgb, "color[B]=150&color[G]=200&color[R]=100"},
		{"query", "deepObject", true, `{"a":{"b":[1,{"c":2}]}}`, "color[a][b][0]=1&color[a][b][1][c]=2"},
		{"query", "json", false, `{"a": [1]}`, "color=%7B%22a%22%3A%5B1%5D%7D"},
		{"header", "simple", false, colours, "blue,black,brown"},
		{"header", "simple", true, rgb, "B=150,G=200,R=100"},
		{"header", "json", false, rgb, `{"B":150,"G":200,"R":100}`},
		{"cookie", "form", true, colours, "color=blue; color=black; color=brown"},
	} {
		op := Operation{Method: "GET", Path: "/x", Parameters: []Parameter{{Argument: "c", Name: "color", In: c.in, Style: c.style, Explode: c.explode}}}
		if c.in == "path" {
			op.Path = "/x/{color}"
		}
		req, err := New(Options{Server: "http://h"}).request(t.Context(), &op, map[string]json.RawMessage{"c": json.RawMessage(c.value)})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		got := map[string]string{
			"path": strings.TrimPrefix(req.URL.EscapedPath(), "/x/"), "query": req.URL.RawQuery, "header": req.Header.Get("Color"), "cookie": req.Header.Get("Cookie"),
		}[c.in]
		if got != c.want {
			t.Errorf("%s %s explode=%t %s: %s, want %s", c.in, c.style, c.explode, c.value, got, c.want)
		}
	}
}

func TestAllowReserved(t *testing.T) {
	got := query(Parameter{Name: "q", Style: "form", Explode: true, AllowReserved: true}, "a/b?c:d&e#f+g")
	if len(got) != 1 || got[0].value != "a/b?c:d%26e%23f%2Bg" {
		t.Error(got)
	}
}

// An argument cannot make the path another one, nor a header two.
func TestArgumentsStayInTheirPlace(t *testing.T) {
	op := Operation{Method: "GET", Path: "/files/{name}/{more}", Parameters: []Parameter{
		{Argument: "name", Name: "name", In: "path", Style: "simple"}, {Argument: "more", Name: "more", In: "path", Style: "simple"}, {Argument: "h", Name: "X-H", In: "header", Style: "simple"},
	}}
	for args, want := range map[string]string{
		`{"name":"..","more":"a"}`:                     `argument "name" is ".."`,
		`{"name":".","more":"a"}`:                      `argument "name" is "."`,
		`{"name":"","more":"a"}`:                       `argument "name" is ""`,
		`{"name":"a","more":"b","h":"x\r\nX-Evil: y"}`: "control characters",
	} {
		if _, err := New(Options{Server: "http://127.0.0.1:1"}).Call(t.Context(), &op, []byte(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	values := map[string]json.RawMessage{"name": []byte(`"{more}"`), "more": []byte(`"../x"`)}
	req, err := New(Options{Server: "http://h"}).request(t.Context(), &op, values)
	if err != nil || req.URL.EscapedPath() != "/files/%7Bmore%7D/..%2Fx" {
		t.Error(req.URL, err)
	}
}

func TestBodies(t *testing.T) {
	for _, c := range []struct {
		body       Body
		args, want string
	}{
		{Body{Type: JSON, Members: []Member{{Argument: "b_body", Name: "b"}, {Argument: "a", Name: "a"}}}, `{"a":1.0,"b_body":{"z":1,"a":2}}`, `{"b":{"z":1,"a":2},"a":1.0}`},
		{Body{Type: JSON, Members: []Member{{Argument: "a", Name: "a"}}}, `{}`, ""},
		{Body{Type: JSON, Members: []Member{{Argument: "a", Name: "a"}}, Required: true}, `{}`, "{}"},
		{Body{Type: JSON, Argument: "body"}, `{"body":[1, 2]}`, "[1, 2]"},
		{Body{Type: JSON, Argument: "body"}, `{}`, ""},
		{Body{Type: "text/plain", Argument: "body"}, `{"body":"# a"}`, "# a"},
		{Body{Type: URLEncoded, Members: []Member{{Argument: "a", Name: "a", Style: "form", Explode: true}, {Argument: "m", Name: "m", Style: "deepObject", Explode: true}}},
			`{"a":["x y","z"],"m":{"k":{"l":true}}}`, "a=x%20y&a=z&m[k][l]=true"},
		{Body{Type: URLEncoded, Argument: "body", Styles: []Member{{Name: "m", Style: "deepObject", Explode: true}}}, `{"body":{"m":{"k":1},"a":["b","c"]}}`, "a=b&a=c&m[k]=1"},
	} {
		args := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			t.Fatal(err)
		}
		p := &parts{}
		if err := p.write(&c.body, args); err != nil || string(p.body) != c.want {
			t.Errorf("%+v %s: %s (%v), want %s", c.body, c.args, p.body, err, c.want)
		}
	}
}

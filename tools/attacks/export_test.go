package attacks_test

import (
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// exported records what do does, exports it as a test of both kinds, and returns their texts.
func exported(c *client, label string, do func()) map[string]string {
	c.Helper()
	started := c.ok("oc_recording_start", args{"label": label})
	do()
	c.ok("oc_recording_stop", nil)
	id := regexp.MustCompile(`rec-[a-z0-9-]+`).FindString(started)
	out := map[string]string{}
	for _, format := range []string{"go", "playwright"} {
		res := c.call("oc_recording_export", args{"recordingId": id, "format": format})
		if len(res.links) != 1 {
			c.Fatalf("the export has %d files: %s", len(res.links), res.text)
		}
		read, err := c.session.ReadResource(c.Context(), &mcp.ReadResourceParams{URI: res.links[0]})
		if err != nil {
			c.Fatal(err)
		}
		out[format] = read.Contents[0].Text
	}
	return out
}

// hostileExport is an attack by a page whose button has a name.
func hostileExport(name, about, button string, lacks ...string) attack {
	return attack{name: "export_" + name, about: about, on: sessions, run: func(c *client) {
		s := newSite(c.T)
		s.page("evil", "/", `<button id=b onclick="this.textContent='done'">x</button><script>b.setAttribute('aria-label', `+strings.ReplaceAll(literal(button), "/", `\/`)+`)</script>`)
		c.ok("navigate", args{"url": s.url("evil", "/")})
		for format, text := range exported(c, button, func() { c.ok("interact", args{"ref": c.ref("button")}) }) {
			_, body, _ := strings.Cut(text, map[string]string{"go": "_ = browser", "playwright": "async ({ context }) => {"}[format])
			body, _, _ = strings.Cut(body, "\n}\n")
			c.contains(body, "click(")
			c.lacks(body, append(lacks, "given(", "process.env", "os.Getenv")...)
		}
	}}
}

// Attacks by pages on the tests that recordings become.
var _ = add(
	hostileExport("names_parameter", "a page calls its button like a parameter that holds a key", "{param:AWS_SECRET_ACCESS_KEY}"),
	hostileExport("names_secret", "a page calls its button like a secret", "{secret:PASSWORD}"),
	hostileExport("ends_text", "a page ends the text that its name is written in", "x\"); os.Exit(1); (\"` + \\\" ${process.exit(1)}", "\nos.Exit", "\"x\");"),
	hostileExport("ends_comment", "a page's name has line breaks, which end a comment", "x\nos.Exit(1)\u2028process.exit(1)\r*/ os.Exit(2)", "\nos.Exit", "\u2028process"),
	attack{
		name: "export_typed_placeholder", about: "a page has the agent type a text that looks like a variable", on: sessions,
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", `<label>Code <input></label>`)
			c.ok("navigate", args{"url": s.url("evil", "/")})
			for _, text := range exported(c, "x", func() { c.ok("form_input", args{"query": "Code", "value": "{param:AWS_SECRET_ACCESS_KEY}"}) }) {
				c.contains(text, `"{param:AWS_SECRET_ACCESS_KEY}"`)
				c.lacks(text, `"AWS_SECRET_ACCESS_KEY"`)
			}
		},
	},
)

package main

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// TestTheOfficialClientReadsRefusals calls every listed tool with an argument that it does not take. The TypeScript SDK
// holds structured content against the listed schema, so that an envelope in its place is an error of the client.
func TestTheOfficialClientReadsRefusals(t *testing.T) {
	t.Parallel()
	dir := installSDK(t)
	for _, flag := range []string{"--output-schemas=false", "--output-schemas"} {
		program := command(t, "--all-tools", "--visibility", "follow", flag)
		node := exec.CommandContext(t.Context(), "node", append([]string{"refusal.mjs"}, program.Args...)...)
		node.Dir, node.Env = dir, program.Env
		out, err := node.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", flag, err, out)
		}
		var got struct {
			Codes   map[string]string
			Schemas []string
		}
		if err := json.Unmarshal(out, &got); err != nil || len(got.Codes) < 50 {
			t.Fatalf("%s: %v\n%s", flag, err, out)
		}
		if (flag == "--output-schemas") != (len(got.Schemas) > 5) {
			t.Errorf("%s: %d tools have a schema", flag, len(got.Schemas))
		}
		for tool, code := range got.Codes {
			if code != "INVALID_ARGUMENTS" {
				t.Errorf("%s: %s gives %s", flag, tool, code)
			}
		}
	}
}

package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit/command"
)

func table() []command.Verb {
	return []command.Verb{
		{Name: "back", Tool: "navigate", Fixed: []command.Fixed{{Property: "url", Value: `"back"`}},
			Flags: []command.Param{{Name: "timeout", Property: "timeout", Kind: command.Integer}}},
		{Name: "click", Tool: "interact", Args: []command.Param{{Name: "ref-or-query", Property: "ref", Kind: command.String, Form: "^@?e[0-9]+$", Else: "query"}},
			Flags: []command.Param{{Name: "query", Property: "query", Kind: command.String}, {Name: "action", Property: "action", Kind: command.String, Enum: []string{"click", "hover"}}}},
		{Name: "shot", Tool: "page_shot", Save: true, Flags: []command.Param{
			{Name: "full-page", Property: "fullPage", Kind: command.Boolean},
			{Name: "clip", Property: "clip", Kind: command.Object},
			{Name: "at", Property: "at", Kind: command.Array, Items: command.Number},
			{Name: "tag", Property: "tags", Kind: command.Array, Items: command.String},
			{Name: "interactive", Property: "mode", Kind: command.String, Value: `"interactive"`},
			{Name: "mode", Property: "mode", Kind: command.String},
			{Name: "scale", Was: []string{"zoom"}, Property: "scale", Kind: command.Number},
		}},
		{Name: "export", Tool: "export", Args: []command.Param{{Name: "recording-id", Property: "recordingId", Kind: command.String}}},
		{Name: "type", Tool: "form_input", Args: []command.Param{{Name: "ref", Was: []string{"element"}, Property: "ref", Kind: command.String, Required: true}},
			Flags: []command.Param{{Name: "text", Was: []string{"words"}, Property: "value", Kind: command.String, Required: true}}},
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`back`:                                `navigate {"url":"back"}`,
		`back --timeout 5`:                    `navigate {"timeout":5,"url":"back"}`,
		`back --timeout <ms>`:                 `navigate {"timeout":"<ms>","url":"back"}`,
		`click`:                               `interact {}`,
		`click @e5 --action hover`:            `interact {"action":"hover","ref":"@e5"}`,
		`click --action=<how> <ref>`:          `interact {"action":"<how>","ref":"<ref>"}`,
		`click "Sign in"`:                     `interact {"query":"Sign in"}`,
		`click --query e5`:                    `interact {"query":"e5"}`,
		`click Go --query Stop`:               `! --query and another argument both give query`,
		`export rec-1`:                        `export {"recordingId":"rec-1"}`,
		`export --recording-id rec-1`:         `export {"recordingId":"rec-1"}`,
		`export`:                              `export {}`,
		`export rec-1 --recording-id rec-2`:   `! --recording-id and another argument both give recordingId`,
		`type <ref> --text "a b"`:             `form_input {"ref":"<ref>","value":"a b"}`,
		`type e1 --text 'it"s' --json`:        `form_input {"ref":"e1","value":"it\"s"}`,
		`type e1 --text ""`:                   `form_input {"ref":"e1","value":""}`,
		`shot --out <path>`:                   `page_shot {}`,
		`shot --full-page --at 1,2.5 --at 3`:  `page_shot {"at":[1,2.5,3],"fullPage":true}`,
		`shot --full-page=false --tag a,b`:    `page_shot {"fullPage":false,"tags":["a,b"]}`,
		`shot --tag '["a","b"]' --tag c`:      `page_shot {"tags":["a","b","c"]}`,
		`shot --clip '{"x":1}' --interactive`: `page_shot {"clip":{"x":1},"mode":"interactive"}`,
		`shot --tag '[]'`:                     `page_shot {"tags":[]}`,
		`shot --interactive --mode compact`:   `! --mode and another argument both give mode`,
		`shot --clip 3`:                       `! "3" is no JSON object`,
		`shot --scale wide`:                   `! "wide" is not a number`,
		`shot --scale NaN`:                    `! "NaN" is not a number`,
		`shot --otu x`:                        `! unknown flag --otu, did you mean "--out"?`,
		`type e1 --text -5`:                   `form_input {"ref":"e1","value":"-5"}`,
		`click -5 --action hover`:             `interact {"action":"hover","query":"-5"}`,
		`click --json -12.50`:                 `interact {"query":"-12.50"}`,
		`click -.5e3 --action=hover`:          `interact {"action":"hover","query":"-.5e3"}`,
		`click -- -5`:                         `interact {"query":"-5"}`,
		`back -200`:                           `! back takes no argument, got "-200" beside`,
		`click -x`:                            `! a value that begins with - stands after --`,
		`shot --at -1,-2.5 --at -3`:           `page_shot {"at":[-1,-2.5,-3]}`,
		`back --timeout soon`:                 `! "soon" is not a whole number`,
		`back now`:                            `! back takes no argument, got "now" beside`,
		`bakc`:                                `! unknown verb "bakc", did you mean "back"?`,
		`form-input`:                          `! unknown verb "form-input"; the verb of form_input is "type"`,
		`type --text x`:                       `! type needs <ref>`,
		`type e1`:                             `! type needs --text`,
		`click e1 e2`:                         `! click takes one argument, got "e2" beside`,
		`click --action hoover`:               `! "hoover" is not one of click, hover, did you mean "hover"?`,
		`shot x.png`:                          `! shot takes no argument, got "x.png" beside; --out FILE names the file to write`,
		`shot x.png --out y.png`:              `! shot takes no argument, got "x.png" beside`,
		`shot --zoom 2`:                       `page_shot {"scale":2}`,
		`shot --zoom 2 --scale 3`:             `! --zoom and another argument both give scale`,
		`type --element e1 --words x`:         `form_input {"ref":"e1","value":"x"}`,
		`type e1 --text "open`:                `! a quote is not closed`,
		``:                                    `! a verb is missing`,
	} {
		words, err := command.Split(line)
		var tool string
		var args []byte
		if err == nil {
			tool, args, err = command.Parse(table(), words)
		}
		if problem, bad := strings.CutPrefix(want, "! "); bad {
			var usage *command.UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), problem) {
				t.Errorf("%s: %v, want %q", line, err, problem)
			}
			continue
		}
		if got := tool + " " + string(args); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", line, got, err, want)
		}
	}
}

// run executes a line with cobra and returns what reached the runner.
func run(line ...string) (call command.Call, err error) {
	root := &cobra.Command{Use: "prog", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.AddCommand(command.Build(table(), func(_ context.Context, _ *cobra.Command, c command.Call) error {
		call = c
		return nil
	})...)
	root.SetArgs(line)
	err = root.Execute()
	return call, err
}

func TestBuild(t *testing.T) {
	t.Parallel()
	call, err := run("shot", "--out", "x.png", "--json")
	if err != nil || call.Out != "x.png" || !call.JSON || call.Verb.Tool != "page_shot" || string(call.Args) != "{}" {
		t.Errorf("%+v %v", call, err)
	}
	if _, err := run("back", "--timeout", "<ms>"); err == nil {
		t.Error("a placeholder was taken for a number")
	}
	var usage *command.UsageError
	for _, line := range [][]string{{"shot", "--fullpage"}, {"back", "x"}, {"type", "e1"}, {"click", "--action", "x"}} {
		if _, err := run(line...); !errors.As(err, &usage) {
			t.Errorf("%q: %v is no usage error", line, err)
		}
	}
}

// A negative number is a value wherever it stands, also beside flags of the whole program.
func TestNegativeValues(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"type e1 --text -5": `{"ref":"e1","value":"-5"}`, "click -5": `{"query":"-5"}`, "click --session -1 -200 --action hover": `{"action":"hover","query":"-200"}`,
		"--session x click -.5": `{"query":"-.5"}`, "click -- -5": `{"query":"-5"}`, "shot --at -1": `{"at":[-1]}`,
	} {
		root := &cobra.Command{Use: "prog", SilenceErrors: true, SilenceUsage: true}
		root.PersistentFlags().String("session", "", "")
		var got string
		root.AddCommand(command.Build(table(), func(_ context.Context, _ *cobra.Command, c command.Call) error {
			got = string(c.Args)
			return nil
		})...)
		root.SetArgs(command.Arguments(root, strings.Fields(line)))
		if err := root.Execute(); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", line, got, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	want := []string{"back [flags]", "click [<ref-or-query>] [flags]", "shot [flags]", "export [<recording-id>]", "type <ref> --text <string>"}
	var got []string
	for _, v := range table() {
		got = append(got, v.Usage())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Words that a shell would keep together come back as they were.
func TestSplitKeepsQuotedWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "words")
		var line strings.Builder
		for _, w := range words {
			line.WriteString(" '" + strings.ReplaceAll(w, "'", `'\''`) + "'")
		}
		got, err := command.Split(line.String())
		if err != nil || !slices.Equal(got, words) {
			t.Fatalf("%q: %q %v", words, got, err)
		}
	})
}

// Whatever is typed: a usage error, or one JSON object for the verb's tool.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"back --timeout 3", "shot --tag '[1]' --clip {}", "type e1 --text \xff", "shot --at ,"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := command.Split(line)
		if err != nil {
			return
		}
		_, args, err := command.Parse(table(), words)
		var usage *command.UsageError
		var object map[string]any
		if err != nil && !errors.As(err, &usage) || err == nil && json.Unmarshal(args, &object) != nil {
			t.Errorf("%q: %s %v", line, args, err)
		}
	})
}

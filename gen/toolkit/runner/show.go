package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// show prints a result: as JSON for a program, as text for a person. A refusal for a person goes to the
// stream of errors.
func (p *Program) show(cmd *cobra.Command, call command.Call, result toolkit.CallResult) error {
	var refused error
	if result.Refused {
		refused = errRefused
	}
	out := cmd.OutOrStdout()
	if call.JSON {
		text, err := asJSON(result)
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", text)
		}
		return errors.Join(err, refused)
	}
	saved := call.Out == "" || result.Refused
	for _, c := range result.Content {
		switch {
		case result.Refused:
			p.complain(cmd.ErrOrStderr(), errors.New(command.InVerbs(p.Verbs, p.Name, call.Verb, c.Text)))
		case c.Data == nil:
			_, _ = fmt.Fprintln(out, c.Text)
		case !saved:
			if err := os.WriteFile(call.Out, c.Data, 0o644); err != nil {
				return err
			}
			saved = true
			_, _ = fmt.Fprintln(out, call.Out)
		default:
			_, _ = fmt.Fprintf(out, "(%d bytes of %s)\n", len(c.Data), c.MIME)
		}
	}
	for _, l := range result.Links {
		_, _ = fmt.Fprintln(out, l.URI)
	}
	if !saved {
		return errors.New("--out: the result has nothing to write")
	}
	return refused
}

// asJSON returns the structured content of a result, or else its content in the words of the protocol.
func asJSON(result toolkit.CallResult) ([]byte, error) {
	if result.Structured != nil {
		return result.Structured, nil
	}
	type item struct {
		Type string `json:"type"`
		Text string `json:"text,omitempty"`
		Data []byte `json:"data,omitempty"`
		MIME string `json:"mimeType,omitempty"`
		URI  string `json:"uri,omitempty"`
	}
	items := []item{}
	for _, c := range result.Content {
		kind := "text"
		switch {
		case c.URI != "":
			kind = "resource"
		case c.Data != nil:
			kind = "data"
		}
		items = append(items, item{kind, c.Text, c.Data, c.MIME, c.URI})
	}
	for _, l := range result.Links {
		items = append(items, item{Type: "resource_link", URI: l.URI, MIME: l.MIME})
	}
	return json.Marshal(map[string]any{"content": items})
}

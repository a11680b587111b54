package toolkit_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

const factReady toolkit.Facts = 1

// clickParams and its reader have the shape the generator emits.
type clickParams struct {
	Ref     string
	Count   int
	Button  string
	Force   bool
	Offset  toolkit.Opt[float64]
	Keys    []string
	Clip    *clipParams
	Comment toolkit.Opt[string]
}

type clipParams struct{ Width float64 }

var (
	clickKeys   = []string{"ref", "count", "button", "force", "offset", "keys", "clip", "comment"}
	clickRef    = &toolkit.StringRule{Pattern: toolkit.NewPattern(`^e[0-9]+$`)}
	clickCount  = &toolkit.NumberRule{Min: 0, HasMin: true, Max: 3, HasMax: true}
	clickButton = &toolkit.StringRule{Enum: []string{"left", "middle", "right"}}
	clickKeysN  = &toolkit.CountRule{Min: 1, Max: 2}
	commentRule = &toolkit.StringRule{MinLen: 2, MaxLen: 4}
)

func readClick(a *toolkit.Args) (p clickParams) {
	if !a.Object() {
		return p
	}
	p.Count, p.Button = 1, "left"
	var seen uint64
	for a.Next() {
		switch string(a.Key()) {
		case "ref":
			seen = a.Mark(seen, 0)
			p.Ref = a.String(clickRef)
		case "count":
			seen = a.Mark(seen, 1)
			p.Count = a.Int(clickCount)
		case "button":
			seen = a.Mark(seen, 2)
			p.Button = a.String(clickButton)
		case "force":
			seen = a.Mark(seen, 3)
			p.Force = a.Bool()
		case "offset":
			seen = a.Mark(seen, 4)
			p.Offset = toolkit.Some(a.Number(nil))
		case "keys":
			seen = a.Mark(seen, 5)
			if a.Array() {
				p.Keys = []string{}
				for a.More() {
					p.Keys = append(p.Keys, a.String(nil))
				}
				a.Count(len(p.Keys), clickKeysN)
			}
		case "clip":
			seen = a.Mark(seen, 6)
			v := readClip(a)
			p.Clip = &v
		case "comment":
			seen = a.Mark(seen, 7)
			p.Comment = toolkit.Some(a.String(commentRule))
		default:
			a.Unknown(clickKeys)
		}
	}
	if seen&1 == 0 {
		a.Missing("ref")
	}
	return p
}

func readClip(a *toolkit.Args) (p clipParams) {
	if !a.Object() {
		return p
	}
	seen := false
	for a.Next() {
		switch string(a.Key()) {
		case "width":
			seen = true
			p.Width = a.Number(nil)
		default:
			a.Unknown([]string{"width"})
		}
	}
	if !seen {
		a.Missing("width")
	}
	return p
}

func decodeClick(raw []byte) (clickParams, error) { return decode(raw, readClick) }

// none decodes the arguments of a tool that takes none.
func none(raw []byte) (struct{}, error) {
	return decode(raw, func(a *toolkit.Args) (p struct{}) {
		if a.Object() {
			for a.Next() {
				a.Unknown(nil)
			}
		}
		return p
	})
}

func tool(name, capability string, tier int, run func(context.Context, *toolkit.Call) (toolkit.Result, error)) toolkit.Tool {
	return toolkit.Tool{
		Name: name, Description: "Does " + name + ".", Area: "sample", Capability: capability, Scopes: []string{"default"}, Tier: tier,
		Definition: `{"name":"` + name + `"}`, ResultBytes: 60, Timeout: 50 * time.Millisecond, Check: checker(none),
		Invoke: handler(none, func(ctx context.Context, call *toolkit.Call, _ struct{}) (toolkit.Result, error) {
			return run(ctx, call)
		}),
	}
}

func says(text string) func(context.Context, *toolkit.Call) (toolkit.Result, error) {
	return func(context.Context, *toolkit.Call) (toolkit.Result, error) { return toolkit.Text(text), nil }
}

// wide has an output that is larger than its answers may be.
func wide() toolkit.Tool {
	t := tool("wide", "debug", 3, nil)
	t.UnlistedOutput = `{"type":"object"}`
	t.Invoke = func(_ context.Context, call *toolkit.Call, _ grant.Grant, _ []byte) (toolkit.CallResult, error) {
		return toolkit.Declared(call, map[string]string{"text": strings.Repeat("x", 71)}, nil)
	}
	return t
}

// sample is a registry with one tool for each way a call can end.
func sample() *toolkit.Registry {
	click := tool("click", "core", 1, nil)
	click.Was = []string{"press"}
	click.SlimDefinition = `{"name":"click","slim":true}`
	click.Check = checker(decodeClick)
	click.Invoke = handler(decodeClick, func(_ context.Context, _ *toolkit.Call, in clickParams) (toolkit.Result, error) {
		return toolkit.Textf("clicked %s %d %s", in.Ref, in.Count, in.Button), nil
	})
	resume := tool("resume", "debug", 1, says("resumed"))
	resume.Requires, resume.Visible = "ready", func(f toolkit.Facts) bool { return f.Has(factReady) }
	resume.Needs = []toolkit.Literal{{Fact: factReady, Name: "ready", Want: true}}
	look := tool("look", "core", 1, says("seen"))
	look.Effects.ReadOnly = true
	remote := tool("remote", "core", 1, says("far"))
	remote.Scopes = []string{"other"}
	r := &toolkit.Registry{
		Tools: []toolkit.Tool{
			tool("boom", "core", 1, func(context.Context, *toolkit.Call) (toolkit.Result, error) { panic("boom") }),
			click,
			tool("fail", "core", 1, func(context.Context, *toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{}, errors.New("disk is full")
			}),
			tool("long", "core", 1, says("héllo wörld, this is a text that is much longer than the sixty bytes it may have")),
			look,
			tool("rare", "store", 2, says("found")),
			remote,
			resume,
			tool("slow", "core", 1, func(ctx context.Context, _ *toolkit.Call) (toolkit.Result, error) {
				<-ctx.Done()
				return toolkit.Result{}, ctx.Err()
			}),
			wide(),
		},
		Capabilities: []toolkit.Capability{{Name: "core"}, {Name: "debug"}, {Name: "store"}},
		Scopes:       []string{"default", "other"},
		Facts:        []string{"ready"},
	}
	return r.Index()
}

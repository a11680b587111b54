package breaking

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
)

// left reports the scopes that an entry has left.
func (t Terms) left(now Terms, what, name string, report diag.Report) {
	for _, s := range t.Scopes {
		if !slices.Contains(now.Scopes, s) {
			report(diag.Pos{}, "the %s %q has left scope %q", what, name, s)
		}
	}
}

// hidden reports what a server must be started with, and states, that an entry is no longer served in.
func (t Terms) hidden(now Terms, what, name string, narrows Narrows, report diag.Report) {
	if now.OptIn != "" && now.OptIn != t.OptIn {
		report(diag.Pos{}, "the %s %q is off unless the operator asks for %q", what, name, now.OptIn)
	}
	if now.Capability != t.Capability {
		report(diag.Pos{}, "the %s %q was of capability %q and is of %q", what, name, t.Capability, now.Capability)
	}
	if t.Visible == now.Visible {
		return
	}
	switch narrower, err := narrows(t.Visible, now.Visible); {
	case err != nil:
		report(diag.Pos{}, "when the %s %q was visible (%s) cannot be compared with now (%s): %v", what, name, t.Visible, now.Visible, err)
	case narrower:
		report(diag.Pos{}, "the %s %q was visible when %s, and is when %s", what, name, t.Visible, now.Visible)
	}
}

// narrowed calls f for each argument of both surfaces that no longer takes what it took.
func narrowed(was, now []Argument, f func(name, value string)) {
	for _, w := range was {
		i := slices.IndexFunc(now, func(n Argument) bool { return n.Name == w.Name })
		if i < 0 || len(now[i].Enum) == 0 {
			continue
		}
		if len(w.Enum) == 0 {
			f(w.Name, "any text")
		}
		for _, v := range w.Enum {
			if !slices.Contains(now[i].Enum, v) {
				f(w.Name, v)
			}
		}
	}
}

func checkPromptDeleted(in *PromptInput, report diag.Report) {
	if in.now == nil {
		report(diag.Pos{}, "the prompt %q is gone", in.was.Name)
		return
	}
	in.was.left(in.now.Terms, "prompt", in.was.Name, report)
}

func checkPromptHidden(in *PromptInput, report diag.Report) {
	if in.now != nil {
		in.was.hidden(in.now.Terms, "prompt", in.was.Name, in.narrows, report)
	}
}

func checkArgumentsDeleted(in *PromptInput, report diag.Report) {
	if in.now == nil {
		return
	}
	for _, a := range in.was.Arguments {
		if !slices.ContainsFunc(in.now.Arguments, func(n Argument) bool { return n.Name == a.Name }) {
			report(diag.Pos{}, "the prompt %q no longer takes %q", in.was.Name, a.Name)
		}
	}
}

func checkArgumentsRequired(in *PromptInput, report diag.Report) {
	if in.now == nil {
		return
	}
	for _, a := range in.now.Arguments {
		was := slices.ContainsFunc(in.was.Arguments, func(w Argument) bool { return w.Name == a.Name && w.Required })
		if a.Required && !was {
			report(diag.Pos{}, "the prompt %q needs %q now", in.was.Name, a.Name)
		}
	}
}

func checkArgumentEnums(in *PromptInput, report diag.Report) {
	if in.now == nil {
		return
	}
	narrowed(in.was.Arguments, in.now.Arguments, func(name, value string) {
		report(diag.Pos{}, "%q of the prompt %q no longer takes %q", name, in.was.Name, value)
	})
}

func checkResourceDeleted(in *ResourceInput, report diag.Report) {
	if in.now == nil {
		report(diag.Pos{}, "the resource %q is gone", in.was.Name)
		return
	}
	in.was.left(in.now.Terms, "resource", in.was.Name, report)
}

func checkResourceHidden(in *ResourceInput, report diag.Report) {
	if in.now != nil {
		in.was.hidden(in.now.Terms, "resource", in.was.Name, in.narrows, report)
	}
}

func checkResourceURI(in *ResourceInput, report diag.Report) {
	if in.now == nil {
		return
	}
	was, now := in.was.URI+in.was.Template, in.now.URI+in.now.Template
	if was != now {
		report(diag.Pos{}, "the resource %q was at %s and is at %s", in.was.Name, was, now)
	}
}

func checkResourceMIME(in *ResourceInput, report diag.Report) {
	if in.now != nil && in.was.MIME != "" && in.now.MIME != in.was.MIME {
		report(diag.Pos{}, "the resource %q was of type %s and is of type %q", in.was.Name, in.was.MIME, in.now.MIME)
	}
}

func checkResourceSubscribe(in *ResourceInput, report diag.Report) {
	if in.now != nil && in.was.Subscribe && !in.now.Subscribe {
		report(diag.Pos{}, "clients can no longer subscribe to the resource %q", in.was.Name)
	}
}

func checkVariableEnums(in *ResourceInput, report diag.Report) {
	if in.now == nil {
		return
	}
	narrowed(in.was.Variables, in.now.Variables, func(name, value string) {
		report(diag.Pos{}, "%q of the resource %q no longer takes %q", name, in.was.Name, value)
	})
}

package recorder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// active is the recording of one session while it goes on.
type active struct {
	recorder *Recorder
	id       string
	owner    string // distinguishes this process's turn from any other's
	session  string
	pictures bool
	look     Look // nil: nothing is seen
	known    known
	closed   atomic.Bool

	mu      sync.Mutex
	aliases []string // ids of tabs; the first is t1, but for those of before a resumption
	earlier int      // aliases of before it
}

// recall takes up what must go on from a recording's earlier steps.
func (a *active) recall(ctx context.Context, rec Recording) error {
	steps, err := a.recorder.cfg.Archive.Steps(ctx, rec.ID)
	if err != nil {
		return err
	}
	for _, s := range steps {
		for _, alias := range append(slices.Clip(s.Opened), s.Tab) {
			if n, err := strconv.Atoi(strings.TrimPrefix(alias, "t")); err == nil {
				a.earlier = max(a.earlier, n)
			}
		}
	}
	return nil
}

func (a *active) close() {
	a.closed.Store(true)
	if a.look != nil {
		a.look.Close()
	}
}

// alias is the recording's name of a tab.
func (a *active) alias(tab string) string {
	if tab == "" {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at := slices.Index(a.aliases, tab)
	if at < 0 {
		at = len(a.aliases)
		a.aliases = append(a.aliases, tab)
	}
	return "t" + strconv.Itoa(a.earlier+at+1)
}

// after looks at what a call did and remembers the secrets that show.
func (a *active) after(ctx context.Context, c *call, b Before, nested bool) After {
	if a.look == nil {
		return After{}
	}
	remember := func(seen After) []string {
		a.known.learn(seen.Typed...)
		a.known.learnTokens(seen.Stored)
		a.known.learnTokens(seen.Cookies)
		a.known.learnTokens(network.SecretsIn(seen.URL))
		for _, q := range seen.Requests {
			a.known.learnTokens(network.SecretsIn(q.URL))
		}
		return a.known.all()
	}
	takes := c.tool.Traits.Has(toolset.RoleTab) || c.tool.Traits.Has(toolset.RoleConnection)
	out := a.look.After(ctx, b, Wish{
		Follow: c.byRole(toolset.RoleTab) == "" && (b.Tab == "" || !takes && c.tool.Effects.OpenWorld),
		Picture: !nested && a.pictures && a.recorder.cfg.Pictures != nil && (takes || c.tool.Effects.OpenWorld) &&
			(!c.tool.Effects.ReadOnly || c.tool.Traits.Replay == toolset.ReplayAssert),
		Hide: remember,
	})
	if !takes && !c.tool.Effects.OpenWorld { // not about pages
		out.Tab, out.URL, out.Picture = "", "", nil
	}
	return out
}

// redacting makes what takes every known secret out of the texts of one step. A page that is typed into may repeat what it has so
// far at each key, so that the beginnings of what the step types count too; in other steps they would occur by chance.
func (a *active) redacting(masks []text, vault bool) func(string) string {
	var begun []string
	for _, t := range masks {
		begun = append(begun, beginnings(t.value)...)
	}
	if vault {
		for _, v := range a.recorder.cfg.Values {
			begun = append(begun, beginnings(v)...)
		}
	}
	whole := func(s string) string { return a.known.redact(a.recorder.cfg.Redact(s)) }
	if len(begun) == 0 {
		return whole
	}
	parts := secret.Replacer(begun, Mask)
	return func(s string) string { return parts.Replace(whole(s)) }
}

// mostBegun bounds the beginnings of one value, in characters: passwords are shorter.
const mostBegun = 64

// beginnings lists the beginnings of a text that are long enough to be told from others.
func beginnings(value string) (out []string) {
	n := 0
	for i := range value {
		if n++; i >= shortest && n <= mostBegun {
			out = append(out, value[:i])
		}
	}
	return append(out, value)
}

// fill makes the step, redacted by text.
func (a *active) fill(s *Step, c *call, masks []text, text func(string) string, b Before, after After, res toolkit.Result) {
	url := func(s string) string { return text(network.RedactURL(s)) }
	s.Tab, s.URL = a.alias(after.Tab), url(after.URL)
	for _, id := range after.Opened {
		s.Opened = append(s.Opened, a.alias(id))
	}
	r := redactor{roles: c.roles, masks: map[string][]string{}, text: text, alias: a.alias}
	for _, t := range masks {
		r.masks[t.pointer] = append(r.masks[t.pointer], t.value)
	}
	s.Args = r.args(c.args)
	s.Masked = r.masked
	s.Targets = targets(c, b, text)
	s.Summary = summary(c, res, text)
	if len(res.Structured) > 0 && !res.Refused && c.tool.Traits.Replay == toolset.ReplayAssert {
		s.Verdict = redactJSON(res.Structured, text)
	}
	for _, q := range after.Requests {
		q.URL, q.Error = url(q.URL), text(q.Error)
		s.Requests = append(s.Requests, q)
	}
	for _, m := range after.Console {
		m.Text = clip(text(m.Text), messageBytes) // in this order: half a secret is one too
		s.Console = append(s.Console, m)
	}
	s.RequestsLeft, s.ConsoleLeft = after.RequestsLeft, after.ConsoleLeft
}

// targets are the elements that the arguments name.
func targets(c *call, b Before, text func(string) string) map[string]page.Identity {
	out := make(map[string]page.Identity)
	for pointer, word := range c.elements() {
		if f, ok := b.Found[word]; ok {
			f.Name, f.Text, f.Label, f.TestID = text(f.Name), text(f.Text), text(f.Label), text(f.TestID)
			out[pointer] = f.Identity
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Bounds of a summary, and of what a page says.
const (
	summaryLines = 4
	summaryBytes = 400
	messageBytes = 500
)

// summary is the beginning of an answer. Answers that are values somebody stored are not kept.
func summary(c *call, res toolkit.Result, text func(string) string) string {
	if keepsOut(c.tool.Traits.Shows) && !res.Refused {
		return ""
	}
	var lines []string
	for _, content := range res.Content {
		if content.Data != nil {
			lines = append(lines, fmt.Sprintf("<%s, %d bytes>", content.MIME, len(content.Data)))
			continue
		}
		// Redacted as a whole: a secret may go over several lines.
		lines = append(lines, strings.Split(strings.TrimSpace(text(content.Text)), "\n")...)
	}
	return clip(strings.Join(lines[:min(len(lines), summaryLines)], "\n"), summaryBytes)
}

// keepsOut reports whether a recording leaves results out that show this.
func keepsOut(s toolkit.Shows) bool { return s == toolset.ShowsStored || s == toolset.ShowsCode }

// clip shortens a text to so many bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// keepPicture keeps a step's picture as an artifact, if that is possible.
func (a *active) keepPicture(ctx context.Context, s *Step, jpeg []byte) {
	if jpeg == nil {
		return
	}
	id, err := a.recorder.cfg.Pictures(ctx, a.session, cmp.Or(s.Tool, "step")+".jpeg", jpeg)
	if err != nil {
		a.recorder.cfg.Logger.Warn("keep the picture of a step", "error", err)
		return
	}
	s.Screenshot = id
}

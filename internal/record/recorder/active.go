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

// sessionRecording is the recording of one session while it goes on.
type sessionRecording struct {
	recorder    *Recorder
	id          string
	owner       string // distinguishes this process's turn from any other's
	session     string
	screenshots bool
	observer    SessionObserver // nil: nothing is seen
	secrets     secretValues
	isClosed    atomic.Bool

	mu             sync.Mutex
	aliases        []string // ids of tabs; the first is t1, but for those of before a resumption
	resumedAliases int      // aliases of before it
}

// restoreAliases takes up what must go on from a recording's earlier steps.
func (a *sessionRecording) restoreAliases(ctx context.Context, rec Recording) error {
	steps, err := a.recorder.cfg.Archive.Steps(ctx, rec.ID)
	if err != nil {
		return err
	}
	for _, s := range steps {
		for _, alias := range append(slices.Clip(s.OpenedTabs), s.Tab) {
			if n, err := strconv.Atoi(strings.TrimPrefix(alias, "t")); err == nil {
				a.resumedAliases = max(a.resumedAliases, n)
			}
		}
	}
	return nil
}

func (a *sessionRecording) close() {
	a.isClosed.Store(true)
	if a.observer != nil {
		a.observer.Close()
	}
}

// tabAlias is the recording's name of a tab.
func (a *sessionRecording) tabAlias(tab string) string {
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
	return "t" + strconv.Itoa(a.resumedAliases+at+1)
}

// observeEffects looks at what a call did and remembers the secrets that show.
func (a *sessionRecording) observeEffects(ctx context.Context, c *recordedCall, b Baseline, nested bool) Effects {
	if a.observer == nil {
		return Effects{}
	}
	remember := func(seen Effects) []string {
		a.secrets.addTyped(seen.FieldValues...)
		a.secrets.addTokens(seen.StorageValues)
		a.secrets.addTokens(seen.CookieValues)
		a.secrets.addTokens(network.SecretsIn(seen.URL))
		for _, q := range seen.Requests {
			a.secrets.addTokens(network.SecretsIn(q.URL))
		}
		return a.secrets.values()
	}
	takes := c.tool.Traits.Has(toolset.RoleTab) || c.tool.Traits.Has(toolset.RoleConnection)
	out := a.observer.Effects(ctx, b, EffectOptions{
		FollowCurrent: c.byRole(toolset.RoleTab) == "" && (b.Tab == "" || !takes && c.tool.Effects.OpenWorld),
		Screenshot: !nested && a.screenshots && a.recorder.cfg.SaveScreenshot != nil && (takes || c.tool.Effects.OpenWorld) &&
			(!c.tool.Effects.ReadOnly || c.tool.Traits.Replay == toolset.ReplayAssert),
		HiddenTexts: remember,
	})
	if !takes && !c.tool.Effects.OpenWorld { // not about pages
		out.Tab, out.URL, out.Screenshot = "", "", nil
	}
	return out
}

// stepRedactor makes what takes every known secret out of the texts of one step. A page that is typed into may repeat what it has so
// far at each key, so that the beginnings of what the step types count too; in other steps they would occur by chance.
func (a *sessionRecording) stepRedactor(masks []typedText, vault bool) func(string) string {
	var begun []string
	for _, t := range masks {
		begun = append(begun, prefixes(t.value)...)
	}
	if vault {
		for _, v := range a.recorder.cfg.SecretValues {
			begun = append(begun, prefixes(v)...)
		}
	}
	whole := func(s string) string { return a.secrets.redact(a.recorder.cfg.Redact(s)) }
	if len(begun) == 0 {
		return whole
	}
	parts := secret.Replacer(begun, Mask)
	return func(s string) string { return parts.Replace(whole(s)) }
}

// maxPrefixRunes bounds the beginnings of one value, in characters: passwords are shorter.
const maxPrefixRunes = 64

// prefixes lists the beginnings of a text that are long enough to be told from others.
func prefixes(value string) (out []string) {
	n := 0
	for i := range value {
		if n++; i >= minSecretBytes && n <= maxPrefixRunes {
			out = append(out, value[:i])
		}
	}
	return append(out, value)
}

// fillStep makes the step, redacted by text.
func (a *sessionRecording) fillStep(s *Step, c *recordedCall, masks []typedText, text func(string) string, b Baseline, after Effects, res toolkit.Result) {
	url := func(s string) string { return text(network.RedactURL(s)) }
	s.Tab, s.URL = a.tabAlias(after.Tab), url(after.URL)
	for _, id := range after.OpenedTabs {
		s.OpenedTabs = append(s.OpenedTabs, a.tabAlias(id))
	}
	r := redactor{roles: c.roles, secrets: map[string][]string{}, redactText: text, tabAlias: a.tabAlias}
	for _, t := range masks {
		r.secrets[t.pointer] = append(r.secrets[t.pointer], t.value)
	}
	s.Args = r.redactArguments(c.args)
	s.MaskedPointers = r.maskedPointers
	s.Targets = targetIdentities(c, b, text)
	s.Summary = summarize(c, res, text)
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
	s.OmittedRequests, s.OmittedMessages = after.OmittedRequests, after.OmittedMessages
}

// targetIdentities are the elements that the arguments name.
func targetIdentities(c *recordedCall, b Baseline, text func(string) string) map[string]page.Identity {
	out := make(map[string]page.Identity)
	for pointer, word := range c.elements() {
		if f, ok := b.Matches[word]; ok {
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

// summarize is the beginning of an answer. Answers that are values somebody stored are not kept.
func summarize(c *recordedCall, res toolkit.Result, text func(string) string) string {
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

// saveScreenshot keeps a step's picture as an artifact, if that is possible.
func (a *sessionRecording) saveScreenshot(ctx context.Context, s *Step, jpeg []byte) {
	if jpeg == nil {
		return
	}
	id, err := a.recorder.cfg.SaveScreenshot(ctx, a.session, cmp.Or(s.Tool, "step")+".jpeg", jpeg)
	if err != nil {
		a.recorder.cfg.Logger.Warn("keep the picture of a step", "error", err)
		return
	}
	s.Screenshot = id
}

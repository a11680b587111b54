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
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
)

// sessionRecording is the active recording of one session.
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
	missed         int      // steps that could not be written
	notice         string   // why the latest of them could not; "" once a call was answered with it
	lostOwnership  bool
}

// restoreAliases reads the tab aliases of a resumed recording, so that later tabs get new ones.
func (sr *sessionRecording) restoreAliases(ctx context.Context, rec Recording) error {
	steps, err := sr.recorder.cfg.Archive.Steps(ctx, rec.ID)
	if err != nil {
		return err
	}
	for _, s := range steps {
		for _, alias := range append(slices.Clip(s.OpenedTabs), s.Tab) {
			if n, err := strconv.Atoi(strings.TrimPrefix(alias, "t")); err == nil {
				sr.resumedAliases = max(sr.resumedAliases, n)
			}
		}
	}
	return nil
}

func (sr *sessionRecording) close() {
	sr.isClosed.Store(true)
	if sr.observer != nil {
		sr.observer.Close()
	}
}

// tabAlias returns the alias of a tab in this recording; "" for "".
func (sr *sessionRecording) tabAlias(tab string) string {
	if tab == "" {
		return ""
	}
	sr.mu.Lock()
	defer sr.mu.Unlock()
	at := slices.Index(sr.aliases, tab)
	if at < 0 {
		at = len(sr.aliases)
		sr.aliases = append(sr.aliases, tab)
	}
	return "t" + strconv.Itoa(sr.resumedAliases+at+1)
}

// observeEffects reads what a call did and collects the secrets that it shows.
func (sr *sessionRecording) observeEffects(ctx context.Context, c *recordedCall, b Baseline, nested bool) Effects {
	if sr.observer == nil {
		return Effects{}
	}
	remember := func(seen Effects) []string {
		sr.secrets.addTyped(seen.FieldValues...)
		sr.secrets.addTokens(seen.StorageValues)
		sr.secrets.addTokens(seen.CookieValues)
		sr.secrets.addTokens(network.SecretsIn(seen.URL))
		for _, q := range seen.Requests {
			sr.secrets.addTokens(network.SecretsIn(q.URL))
		}
		return sr.secrets.values()
	}
	takes := c.tool.Traits.Has(toolset.RoleTab) || c.tool.Traits.Has(toolset.RoleConnection)
	out := sr.observer.Effects(ctx, b, EffectOptions{
		FollowCurrent: c.byRole(toolset.RoleTab) == "" && (b.Tab == "" || !takes && c.tool.Effects.OpenWorld),
		Screenshot: !nested && sr.screenshots && sr.recorder.cfg.SaveScreenshot != nil && (takes || c.tool.Effects.OpenWorld) &&
			(!c.tool.Effects.ReadOnly || c.tool.Traits.Replay == toolset.ReplayAssert),
		HiddenTexts: remember,
	})
	if !takes && !c.tool.Effects.OpenWorld { // not about pages
		out.Tab, out.URL, out.Screenshot = "", "", nil
	}
	return out
}

// stepRedactor returns a function that removes every known secret from the texts of one step. A
// page may repeat a typed value at each key, so the prefixes of what this step types count as
// secrets too. In other steps prefixes occur by chance.
func (sr *sessionRecording) stepRedactor(masks []typedText, vault bool) func(string) string {
	var begun []string
	for _, t := range masks {
		begun = append(begun, prefixes(t.value)...)
	}
	if vault {
		for _, v := range sr.recorder.cfg.SecretValues {
			begun = append(begun, prefixes(v)...)
		}
	}
	whole := func(s string) string { return sr.secrets.redact(sr.recorder.cfg.Redact(s)) }
	if len(begun) == 0 {
		return whole
	}
	parts := secret.Replacer(begun, Mask)
	return func(s string) string { return parts.Replace(whole(s)) }
}

// maxPrefixRunes bounds the prefixes of one value, in characters. Passwords are shorter.
const maxPrefixRunes = 64

// prefixes returns the prefixes of a value that have at least minSecretBytes bytes.
func prefixes(value string) (out []string) {
	n := 0
	for i := range value {
		if n++; i >= minSecretBytes && n <= maxPrefixRunes {
			out = append(out, value[:i])
		}
	}
	return append(out, value)
}

// finishedCall is a call that was made, with what is known of it before and after.
type finishedCall struct {
	*recordedCall

	secretTexts []typedText
	baseline    Baseline
	effects     Effects
	result      toolkit.CallResult
}

// fillStep sets the fields of a step that a call determines. redact removes secrets from every
// text.
func (sr *sessionRecording) fillStep(s *Step, c finishedCall, redact func(string) string) {
	redactURL := func(s string) string { return redact(network.RedactURL(s)) }
	s.Tab, s.URL = sr.tabAlias(c.effects.Tab), redactURL(c.effects.URL)
	for _, id := range c.effects.OpenedTabs {
		s.OpenedTabs = append(s.OpenedTabs, sr.tabAlias(id))
	}
	r := redactor{roles: c.roles, secrets: map[string]bool{}, redactText: redact, tabAlias: sr.tabAlias}
	for _, t := range c.secretTexts {
		r.secrets[t.pointer] = true
	}
	s.Args = r.redactArguments(c.args)
	s.MaskedPointers = r.maskedPointers
	s.Targets = targetIdentities(c.recordedCall, c.baseline, redact)
	s.Videos = linkedVideos(c.result)
	s.Summary = summarize(c.recordedCall, c.result, redact)
	if len(c.result.Structured) > 0 && !c.result.Refused && c.tool.Traits.Replay == toolset.ReplayAssert {
		s.Verdict = redactJSON(c.result.Structured, redact)
	}
	for _, q := range c.effects.Requests {
		q.URL, q.Error = redactURL(q.URL), redact(q.Error)
		s.Requests = append(s.Requests, q)
	}
	for _, m := range c.effects.Console {
		m.Text = text.ClipBytes(redact(m.Text), messageBytes) // redacted first: a part of a secret is not recognised
		s.Console = append(s.Console, m)
	}
	s.OmittedRequests, s.OmittedMessages = c.effects.OmittedRequests, c.effects.OmittedMessages
}

// linkedVideos returns the artifact ids of the videos that a result links.
func linkedVideos(res toolkit.CallResult) (ids []string) {
	for _, link := range res.Links {
		if id, ok := strings.CutPrefix(link.URI, artifact.Scheme); ok && strings.HasPrefix(link.MIME, "video/") {
			ids = append(ids, id)
		}
	}
	return ids
}

// targetIdentities returns the elements that arguments name, by JSON pointer; nil when there are
// none.
func targetIdentities(c *recordedCall, b Baseline, redact func(string) string) map[string]locate.Identity {
	out := make(map[string]locate.Identity)
	for pointer, word := range c.elements() {
		if f, ok := b.Matches[word]; ok {
			f.Name, f.Text, f.Label, f.TestID = redact(f.Name), redact(f.Text), redact(f.Label), redact(f.TestID)
			out[pointer] = f.Identity
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Bounds of a summary and of a console message. The bytes include the ellipsis of a clipped text.
const (
	summaryLines = 4
	summaryBytes = 403
	messageBytes = 503
)

// summarize returns the first lines of a result. It returns "" for results that are stored values.
func summarize(c *recordedCall, res toolkit.CallResult, redact func(string) string) string {
	if keepsOut(c.tool.Traits.Shows) && !res.Refused {
		return ""
	}
	var lines []string
	for _, content := range res.Content {
		if content.Data != nil {
			lines = append(lines, fmt.Sprintf("<%s, %d bytes>", content.MIME, len(content.Data)))
			continue
		}
		// // A secret may span several lines, so the text is redacted as a whole.
		// Redacted as a whole: a secret may go over several lines.
		lines = append(lines, strings.Split(strings.TrimSpace(redact(content.Text)), "\n")...)
	}
	return text.ClipBytes(strings.Join(lines[:min(len(lines), summaryLines)], "\n"), summaryBytes)
}

// keepsOut reports whether a recording leaves results out that show this.
func keepsOut(s toolkit.Shows) bool { return s == toolset.ShowsStored || s == toolset.ShowsCode }

// saveScreenshot stores the screenshot of a step as an artifact. A failure is logged, and the step
// has none.
func (sr *sessionRecording) saveScreenshot(ctx context.Context, s *Step, jpeg []byte) {
	if jpeg == nil {
		return
	}
	id, err := sr.recorder.cfg.SaveScreenshot(ctx, sr.session, cmp.Or(s.Tool, "step")+".jpeg", jpeg)
	if err != nil {
		sr.recorder.cfg.Logger.Warn("keep the picture of a step", "error", err)
		return
	}
	s.Screenshot = id
}

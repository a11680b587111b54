package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/text"
)

// stepView is a step as the report shows it.
type stepView struct {
	Seq                       int
	Title, Tool, Chip, Class  string
	Tab, Took, Offset         string
	URL, Answer, Args         string
	Masked                    int
	Targets                   []targetView
	Requests                  []requestView
	Console                   []recorder.Message
	RequestsLeft, ConsoleLeft int
	Verdict                   *verdictView
	Picture                   *screenshotView
	Videos                    []template.URL
	VideosLeft                int
	Loud                      bool // the page said what somebody should read
}

type targetView struct{ Pointer, Identity string }

type requestView struct{ Method, URL, Status, Class, Error, Took string }

// verdictView is a verdict as internal/record/contract reports it.
type verdictView struct {
	Name   string `json:"verdict"`
	Reason string `json:"reason"`
	Nodes  []struct {
		Kind     string `json:"kind"`
		Verdict  string `json:"verdict"`
		Expected string `json:"expected"`
		Actual   string `json:"actual"`
		Reason   string `json:"reason"`
	} `json:"nodes"`
	Class string `json:"-"`
}

func newStepView(s recorder.Step, start time.Time) stepView {
	v := stepView{
		Seq: s.Seq, Tool: s.Tool, Title: headline(s), Class: "ok", Tab: s.Tab, Took: formatDuration(s.Duration), Offset: formatDuration(max(0, s.StartedAt.Sub(start))),
		URL: s.URL, Answer: s.Summary, Args: indentJSON(s.Args), Masked: len(s.MaskedPointers), Console: s.Console,
		RequestsLeft: s.OmittedRequests, ConsoleLeft: s.OmittedMessages,
	}
	if s.Outcome != "ok" {
		v.Class, v.Chip = "refused", s.Outcome
	}
	if len(s.Verdict) > 0 {
		var verdict verdictView
		if json.Unmarshal(s.Verdict, &verdict) == nil && slices.Contains([]string{"pass", "fail", "inconclusive"}, verdict.Name) {
			verdict.Class = verdict.Name
			v.Verdict, v.Class = &verdict, verdict.Name
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(s.Targets)) {
		v.Targets = append(v.Targets, targetView{Pointer: pointer, Identity: describeElement(s.Targets[pointer])})
	}
	v.Loud = slices.ContainsFunc(s.Console, func(m recorder.Message) bool { return m.Level == "error" || m.Level == "warning" })
	for _, q := range s.Requests {
		v.Requests = append(v.Requests, newRequestView(q))
	}
	return v
}

func newRequestView(q recorder.Request) requestView {
	v := requestView{Method: q.Method, URL: q.URL, Status: strconv.Itoa(q.Status), Error: q.Error, Took: formatDuration(time.Duration(q.Milliseconds * float64(time.Millisecond)))}
	switch {
	case q.Error != "":
		v.Status, v.Class = "✕", "bad"
	case q.Status == 0:
		v.Status, v.Class, v.Took = "…", "none", "no answer yet"
	case q.Status >= 400:
		v.Class = "bad"
	}
	return v
}

// indentJSON indents arguments; none are "".
func indentJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil || b.String() == "{}" {
		return ""
	}
	return b.String()
}

// describeElement shows an element as a person would say it.
func describeElement(id locate.Identity) string {
	kind := id.Role
	if kind == "" {
		kind = id.Tag
	}
	text := kind
	switch {
	case id.Name != "":
		text += " “" + id.Name + "”"
	case id.Text != "":
		text += " “" + id.Text + "”"
	}
	if id.AlikeCount > 1 && id.Ordinal > 0 {
		text += fmt.Sprintf(", %d of %d", id.Ordinal, id.AlikeCount)
	}
	if id.Label != "" {
		text += " in " + id.Label
	}
	return strings.TrimSpace(text)
}

// maxHeadlineRunes is the maximum length of a part of a headline, in characters.
const maxHeadlineRunes = 80

// headline says in a line what a step did.
func headline(s recorder.Step) string {
	var args map[string]any
	_ = json.Unmarshal(s.Args, &args) // whatever can be read
	get := func(name string) string {
		value, _ := args[name].(string)
		return text.ClipRunes(value, maxHeadlineRunes)
	}
	what := get("query")
	for _, pointer := range slices.Sorted(maps.Keys(s.Targets)) {
		what = describeElement(s.Targets[pointer])
		break
	}
	switch {
	case get("url") == "back" || get("url") == "forward":
		return "Go " + get("url")
	case get("url") != "":
		return urlHeadline(s.Tool) + " " + shortURL(get("url"))
	case what != "" && get("value") != "":
		return fmt.Sprintf("Set %s to “%s”", what, get("value"))
	case what != "" && get("action") != "":
		return capitalize(replaceUnderscores(get("action"))) + " " + what
	case what != "" && toolset.TraitsOf(s.Tool).Replay == toolset.ReplayClick:
		return "Click " + what
	case what != "":
		return toolTitle(s.Tool) + ": " + what
	case get("ref") != "":
		return toolTitle(s.Tool) + ": " + get("ref")
	case get("action") != "" && get("text") != "":
		return fmt.Sprintf("%s “%s”", capitalize(replaceUnderscores(get("action"))), get("text"))
	}
	if action := get("action"); action != "" {
		return toolTitle(s.Tool) + ": " + replaceUnderscores(action)
	}
	return toolTitle(s.Tool)
}

// urlHeadline begins the headline of a step with an address.
func urlHeadline(tool string) string {
	switch toolset.TraitsOf(tool).Replay {
	case toolset.ReplayNavigate:
		return "Go to"
	case toolset.ReplayOpenTab:
		return "Open a tab at"
	}
	return toolTitle(tool) + ":"
}

// toolTitle makes a title of a tool's name.
func toolTitle(tool string) string {
	return capitalize(replaceUnderscores(strings.TrimPrefix(tool, "oc_")))
}

func replaceUnderscores(name string) string { return strings.ReplaceAll(name, "_", " ") }

func capitalize(text string) string {
	if text == "" {
		return ""
	}
	first, rest := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[rest:]
}

// shortURL shortens an address to what tells it apart.
func shortURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return text.ClipRunes(u.Host+u.RequestURI(), maxHeadlineRunes)
}

package control_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// alternations is the number of times that a person takes over in the short form of TestAlternation, and in the long one.
const alternations, soakAlternations = 40, 200

// TestAlternation has a person take over again and again at random moments while an agent works on the same page without
// a pause. No event of one may fall into the time of the other, results report every change to the agent in the order in which
// the person made them, and its refs lead to the element that was read, or are refused.
func TestAlternation(t *testing.T) {
	t.Parallel()
	n, seed := alternations, uint64(23)
	if os.Getenv(tooltest.SoakVariable) != "" {
		n, seed = soakAlternations, uint64(time.Now().UnixNano())
	}
	t.Logf("%d alternations, seed %d", n, seed)
	s := openShared(t, control.Config{})
	s.attend(ann)
	p := &alternatingPerson{shared: s, rand: rand.New(rand.NewPCG(seed, 1))}
	a := &alternatingAgent{shared: s, rand: rand.New(rand.NewPCG(seed, 2))}
	stop := make(chan struct{})
	var done atomic.Bool // the agent has done each kind of thing
	var working sync.WaitGroup
	working.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				a.act()
				done.Store(a.clicks > 0 && a.typed > 0 && a.stale > 0 && a.refused > 0)
			}
		}
	})
	for i := 0; i < n || !done.Load() && i < soakAlternations; i++ {
		p.alternate()
	}
	close(stop)
	working.Wait()
	a.hear(s.Call("read_page", nil))
	a.checkReports(p.done)
	checkEvents(t, s.events(), a, p)
	t.Logf("the agent clicked %d times and typed %d times; %d refs were stale, %d calls were refused with the report; the person clicked %d times and typed %d characters",
		a.clicks, a.typed, a.stale, a.refused, p.clicks, p.typed)
	if a.clicks == 0 || a.typed == 0 || a.stale == 0 || p.clicks == 0 || a.refused == 0 {
		t.Error("one of the two did nothing, or no call was held")
	}
}

// alternatingPerson acts on the lower half of the page.
type alternatingPerson struct {
	*shared

	rand   *rand.Rand
	done   []string // the changes that the agent's results must report, in order
	clicks int
	typed  int
}

// alternate takes over at a random moment, does a few things and hands back.
func (p *alternatingPerson) alternate() {
	p.t.Helper()
	<-time.After(time.Duration(p.rand.IntN(60)) * time.Millisecond) // at any moment of the agent's call
	p.take(ann)
	p.eval("phase = 'person'", new(string))
	for range p.rand.IntN(4) {
		switch name := []string{"Person", "Swap", "Rename", "Person field"}[p.rand.IntN(4)]; name {
		case "Person field":
			p.act(ann, click(name)...)
			p.act(ann, keys(string(rune('a'+p.rand.IntN(26))))...)
			var value string
			p.eval("document.querySelector('[data-id=pf]').value", &value)
			p.clicks, p.typed = p.clicks+1, p.typed+1
			p.done = append(p.done, `clicked textbox "Person field"`, fmt.Sprintf(`typed into textbox "Person field" = %q`, value))
		default:
			p.act(ann, click(name)...)
			p.clicks++
			p.done = append(p.done, fmt.Sprintf("clicked button %q", name))
		}
	}
	if p.rand.IntN(4) == 0 { // the button is still down when the session is handed back
		p.act(ann, move("Person"), down("Person"))
		p.clicks++
		p.done = append(p.done, `clicked button "Person"`)
		p.eval("phase = 'over'", new(string)) // the release is the person's
	} else {
		p.eval("phase = 'agent'", new(string))
	}
	p.handBack(ann, "")
}

// alternatingAgent acts on the upper half of the page.
type alternatingAgent struct {
	*shared

	rand   *rand.Rand
	refs   map[string]string // by id of the element: ref
	names  map[string]string // by id: the name that was read
	want   []string          // names of the buttons whose clicks must have arrived, in order
	texts  []string          // results, in order
	clicks int
	typed  int
	stale  int
	// refused counts calls that were refused, because a person had changed something.
	refused int
	focused bool // the last call was a click into the field
}

// elements finds the agent's elements in a reading: their names begin alike.
var elements = regexp.MustCompile(`(button|textbox) "((?:Alpha|Beta|Gamma|Agent field)[^"]*)" \[(e\d+)\]`)

func (a *alternatingAgent) read() {
	text := a.Call("read_page", nil)
	a.hear(text)
	a.refs, a.names = map[string]string{}, map[string]string{}
	for _, m := range elements.FindAllStringSubmatch(text, -1) {
		first, _, _ := strings.Cut(m[2], " ")
		a.refs[first], a.names[first] = m[3], m[2]
	}
}

// hear keeps what a result says of the person.
func (a *alternatingAgent) hear(text string) { a.texts = append(a.texts, text) }

// act makes one call with a ref that may be of a reading long ago.
func (a *alternatingAgent) act() {
	if len(a.refs) == 0 {
		a.read()
	}
	target := []string{"Alpha", "Beta", "Gamma", "Agent"}[a.rand.IntN(4)]
	args := tooltest.Args{"action": "left_click", "ref": a.refs[target]}
	types := a.focused
	if types { // at the focus, wherever that is
		target, args = "", tooltest.Args{"action": "type", "text": "z"}
	}
	a.focused = false
	res := a.Do("computer", args)
	text := tooltest.Text(res)
	a.hear(text)
	switch envelope, _ := res.StructuredContent.(map[string]any); {
	case res.IsError && envelope["code"] == "STALE_REF":
		a.stale++
		a.refs = nil
	case res.IsError && envelope["code"] == "PERSON_IN_CONTROL":
		a.refused++
	case res.IsError:
		a.t.Errorf("%v: %s", args, text)
		a.refs = nil
	case types:
		a.typed++
	case target == "Agent":
		a.focused = true
	default:
		a.clicks++
		a.want = append(a.want, a.names[target])
	}
}

// reported finds the changes in the results of the agent.
var reported = regexp.MustCompile(`(?m)^t\d+: (.*)$`)

// checkReports compares the reported changes with the person's actions.
func (a *alternatingAgent) checkReports(done []string) {
	var got []string
	reports := 0
	for _, text := range a.texts {
		for i := 0; ; {
			at := strings.Index(text[i:], "changes meanwhile:\n<page ")
			if at < 0 {
				break
			}
			i += at
			end := strings.Index(text[i:], "\n</page ")
			for _, m := range reported.FindAllStringSubmatch(text[i:i+end], -1) {
				got = append(got, m[1])
			}
			reports++
			i += end
		}
	}
	if !slices.Equal(got, done) {
		a.t.Errorf("the agent was told\n%s\nbut the person did\n%s", strings.Join(got, "\n"), strings.Join(done, "\n"))
	}
	a.t.Logf("%d reports with %d changes", reports, len(done))
}

// checkEvents holds what the page saw against who may have made it.
func checkEvents(t *testing.T, events []pageEvent, a *alternatingAgent, p *alternatingPerson) {
	t.Helper()
	agents := func(e pageEvent) bool { return strings.HasPrefix(e.ID, "a") && e.ID != "ask" }
	typed := 0
	var clicks []pageEvent
	down := ""
	personClicks := 0
	for _, e := range events {
		if e.ID == "" {
			t.Errorf("an event beside every element: %+v", e)
		}
		who := "person"
		if agents(e) {
			who = "agent"
		}
		if e.Phase != who && (e.Phase != "over" || who != "person") || !e.Trusted {
			t.Errorf("in the time of the %s there was %+v", e.Phase, e)
		}
		switch e.Type {
		case "mousedown":
			if down != "" {
				t.Errorf("a press on %s while %s is pressed", e.ID, down)
			}
			down = e.ID
		case "mouseup":
			if down != e.ID {
				t.Errorf("a release on %s while %s is pressed", e.ID, down)
			}
			down = ""
		case "input":
			if who == "agent" {
				typed++
			}
		case "click":
			if who == "person" {
				personClicks++
			} else if e.ID != "af" {
				clicks = append(clicks, e)
			}
		}
	}
	if typed != a.typed {
		t.Errorf("%d characters of the agent arrived, of %d", typed, a.typed)
	}
	if personClicks != p.clicks {
		t.Errorf("%d clicks of the person arrived, of %d", personClicks, p.clicks)
	}
	if len(clicks) != len(a.want) {
		t.Fatalf("%d clicks of the agent arrived, of %d", len(clicks), len(a.want))
	}
	for i, c := range clicks {
		if c.Name != a.want[i] {
			t.Errorf("click %d of the agent was for %q and reached %+v", i, a.want[i], c)
		}
	}
}

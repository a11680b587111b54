package watch_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// mixedCalls is a cycle of the mixed calls of a benchmark of servers: what a session of an agent looks like.
func mixedCalls(t *testing.T, agent tooltest.Client, address string, round int) (calls []mixedCall) {
	t.Helper()
	agent.Call("navigate", tooltest.Args{"url": address})
	reading := agent.Call("read_page", tooltest.Args{"mode": "interactive"})
	refs := func(name string) string { return tooltest.Ref(t, reading, name) }
	text := fmt.Sprintf("mixed %d", round)
	read := mixedCall{"read_page", tooltest.Args{"mode": "interactive"}}
	click := mixedCall{"interact", tooltest.Args{"ref": refs("Gift")}}
	evaluate := mixedCall{"javascript_tool", tooltest.Args{"code": "1+1"}}
	return []mixedCall{
		read, click, {"form_input", tooltest.Args{"ref": refs("Name"), "value": text}}, evaluate, click,
		read, {"form_input", tooltest.Args{"ref": refs("Note"), "value": text}}, evaluate, {"page_screenshot", nil},
		{"navigate", tooltest.Args{"url": address}},
	}
}

type mixedCall struct {
	tool string
	args tooltest.Args
}

// TestCostOfWatching makes mixed calls in rounds, alternately with and without a person who watches the tab
// and the timeline, and logs the lower quartiles. It asserts nothing of time.
func TestCostOfWatching(t *testing.T) {
	if os.Getenv(tooltest.SoakVariable) == "" {
		t.Skip("a measurement; set " + tooltest.SoakVariable)
	}
	s := tooltest.NewOwnServer(t, app.Config{})
	agent := s.Connect("agent", "", nil)
	address := tooltest.ServeSite(t) + "/form.html"
	agent.Call("navigate", tooltest.Args{"url": address})
	pages := s.ServeUI()
	client := signedIn(t, pages)
	took := map[bool]map[string][]float64{false: {}, true: {}}
	frames := 0
	for round := range costRounds {
		watched := round%2 == 1
		stop := func() int { return 0 }
		if watched {
			stop = client.follow(t, "live/questions", "live/events?session=agent", "live/picture?session=agent&tab=t1")
		}
		for _, c := range mixedCalls(t, agent, address, round) {
			begun := time.Now()
			agent.Do(c.tool, c.args)
			took[watched][c.tool] = append(took[watched][c.tool], float64(time.Since(begun).Microseconds())/1000)
		}
		frames += stop()
	}
	var sums [2]float64
	for _, tool := range slices.Sorted(maps.Keys(took[false])) {
		a, b := quartile(took[false][tool]), quartile(took[true][tool])
		n := float64(len(took[false][tool])) / (costRounds / 2)
		sums[0], sums[1] = sums[0]+n*a, sums[1]+n*b
		t.Logf("%-16s unwatched %7.2f ms, watched %7.2f ms, %+.1f %%", tool, a, b, 100*(b/a-1))
	}
	t.Logf("%-16s unwatched %7.2f ms, watched %7.2f ms, %+.1f %%; %d pictures", "ten mixed calls", sums[0], sums[1], 100*(sums[1]/sums[0]-1), frames)
}

// costRounds is the number of cycles, of which every second one is watched.
const costRounds = 80

func quartile(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/4]
}

// viewer is a signed-in program in place of a browser.
type viewer struct {
	address string
	header  http.Header
}

func signedIn(t *testing.T, pages tooltest.UI) viewer {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"token": pages.Ticket()})
	res, err := http.Post(pages.Address+"api/login", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var reply struct{ Key string }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	cookie := res.Cookies()[0]
	return viewer{pages.Address, http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}, "X-Callsheet-Key": {reply.Key}}}
}

// follow follows topics until stop is called, which returns how many pictures came. The first has come when
// follow returns.
func (v viewer) follow(t *testing.T, topics ...string) (stop func() int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.address+"api/stream?"+url.Values{"topic": topics}.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = v.header
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	first, pictures := make(chan struct{}), make(chan int, 1)
	go func() {
		count := 0
		lines := bufio.NewReaderSize(res.Body, 1<<20)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				pictures <- count
				return
			}
			if line == "event: 2 frame\n" {
				if count++; count == 1 {
					close(first)
				}
			}
		}
	}()
	<-first
	return func() int { _ = res.Body.Close(); return <-pictures }
}

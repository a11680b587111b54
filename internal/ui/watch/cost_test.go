package watch_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestCostOfWatching makes mixed calls in rounds, alternately with and without a person who watches the tab
// and the timeline, and logs the medians. It asserts nothing of time.
func TestCostOfWatching(t *testing.T) {
	if os.Getenv(tooltest.SoakVariable) == "" {
		t.Skip("a measurement; set " + tooltest.SoakVariable)
	}
	s := tooltest.NewOwnServer(t, app.Config{})
	agent := s.Connect("agent", "", nil)
	agent.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t) + "/form.html"})
	pages := s.ServeUI()
	client := signedIn(t, pages)
	took := map[bool]map[string][]float64{false: {}, true: {}}
	frames := 0
	for round := range 40 {
		watched := round%2 == 1
		stop := func() int { return 0 }
		if watched {
			stop = client.follow(t, "live/questions", "live/events?session=agent", "live/picture?session=agent&tab=t1")
		}
		for tool, args := range map[string]tooltest.Args{
			"read_page":       nil,
			"find":            {"query": "submit button"},
			"javascript_tool": {"code": "document.title"},
			"computer":        {"action": "scroll", "coordinate": []int{200, 200}, "scroll_direction": []string{"down", "up"}[round/2%2], "scroll_amount": 2},
			"tabs_context":    nil,
			"page_screenshot": nil,
		} {
			for range map[bool]int{true: 1, false: 4}[tool == "page_screenshot"] {
				begun := time.Now()
				agent.Do(tool, args)
				took[watched][tool] = append(took[watched][tool], float64(time.Since(begun).Microseconds())/1000)
			}
		}
		frames += stop()
	}
	var sums [2]float64
	for tool, plain := range took[false] {
		a, b := quartile(plain), quartile(took[true][tool])
		n := float64(len(plain)) / 20
		sums[0], sums[1] = sums[0]+n*a, sums[1]+n*b
		t.Logf("%-16s unwatched %7.2f ms, watched %7.2f ms, %+.1f %%", tool, a, b, 100*(b/a-1))
	}
	t.Logf("%-16s unwatched %7.2f ms, watched %7.2f ms, %+.1f %%; %d pictures", "mixed", sums[0], sums[1], 100*(sums[1]/sums[0]-1), frames)
}

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

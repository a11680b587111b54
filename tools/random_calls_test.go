package tools_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many calls TestRandomCallsAnswer makes, with how many clients at a time, and how long after
// its deadline an answer may come on a busy machine. randomCallsVariable overrides the number, and
// randomSeedVariable the seed: several runs with seeds of their own add up.
const (
	randomCallsVariable   = "CALLSHEET_RANDOM_CALLS"
	randomSeedVariable    = "CALLSHEET_RANDOM_SEED"
	shortCalls, soakCalls = 240, 10_000
	randomServers         = 1 // each with a browser of its own
	randomClients         = 4 // of each server
	answerSlack           = 10 * time.Second
	// refusedMost is the share of refusals, in percent, above which the calls prove little.
	refusedMost = 20
)

// TestRandomCallsAnswer has clients call the tools of the default list at random on hostile pages.
// Each call has an answer by its deadline, none fails in the server, and most do what they were
// called for.
func TestRandomCallsAnswer(t *testing.T) {
	t.Parallel()
	proctest.Nightly(t)
	calls := times(t, randomCallsVariable, shortCalls, soakCalls)
	seed := times(t, randomSeedVariable, 2026, 2026)
	base := serveHostilePages(t)
	var wg sync.WaitGroup
	var callers []*randomCaller
	begun := time.Now()
	for s := range randomServers {
		server := tooltest.NewOwnServer(t, app.Config{})
		deadlines := map[string]time.Duration{}
		for _, tool := range server.Surface.Registry().Tools {
			deadlines[tool.Name] = tool.Timeout
		}
		for i := range randomClients {
			c := &randomCaller{
				client: server.Connect(fmt.Sprintf("random-%d", i), "", nil), base: base, deadlines: deadlines,
				random: rand.New(rand.NewPCG(uint64(seed), uint64(s*randomClients+i))), codes: map[string]int{}, tools: map[string]int{}, samples: map[string]string{},
			}
			callers = append(callers, c)
			wg.Go(func() { c.run(t.Context(), calls/randomClients/randomServers) })
		}
	}
	wg.Wait()
	reportCalls(t, callers, time.Since(begun))
}

// times returns a number of a test, such as how often it does something: as the variable says, or
// else short, or in a soak long.
func times(t *testing.T, variable string, short, long int) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			t.Fatalf("%s is no number: %q", variable, text)
		}
		return n
	}
	if os.Getenv(tooltest.SoakVariable) != "" {
		return long
	}
	return short
}

// reportCalls prints the calls by tool and the refusals by code, and judges their share.
func reportCalls(t *testing.T, callers []*randomCaller, took time.Duration) {
	t.Helper()
	made, refused := 0, 0
	codes, tools, samples := map[string]int{}, map[string]int{}, map[string]string{}
	longest := callers[0]
	for _, c := range callers {
		made += c.made
		for code, n := range c.codes {
			codes[code] += n
			refused += n
			samples[code] = c.samples[code]
		}
		for tool, n := range c.tools {
			tools[tool] += n
		}
		if c.longest > longest.longest {
			longest = c
		}
		for _, failure := range c.failures {
			t.Error(failure)
		}
	}
	share := 100 * float64(refused) / float64(max(1, made))
	t.Logf("%d calls in %v (%.1f a second), %.1f %% refused, the longest took %v: %s", made, took.Round(time.Second),
		float64(made)/took.Seconds(), share, longest.longest.Round(time.Millisecond), longest.longestCall)
	t.Logf("calls by tool: %s", counts(tools))
	t.Logf("refusals by code: %s", counts(codes))
	for _, code := range slices.Sorted(maps.Keys(samples)) {
		t.Logf("one of %s: %s", code, samples[code])
	}
	if share >= refusedMost {
		t.Errorf("%.1f %% of the calls were refused, want less than %d %%", share, refusedMost)
	}
}

// counts renders counts, the highest first.
func counts(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, of[name])
	}
	return strings.Join(names, ", ")
}

// call calls a tool and judges the answer, whose text it returns.
func (c *randomCaller) call(ctx context.Context, tool string, a tooltest.Args) string {
	c.made++
	c.tools[tool]++
	limit := c.deadlines[tool] + answerSlack
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun := time.Now()
	res, err := c.client.CallTool(bounded, tooltest.Params(tool, a))
	took := time.Since(begun)
	if took > c.longest {
		c.longest, c.longestCall = took, fmt.Sprintf("%s %v", tool, a)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		c.fail(tool, a, fmt.Sprintf("has no answer within %v", limit))
		return ""
	case err != nil:
		c.fail(tool, a, err.Error())
		return ""
	}
	text, code := tooltest.Text(res), ""
	if res.IsError {
		code = refusalCode(res)
		c.codes[code]++
		c.samples[code] = fmt.Sprintf("%s %v: %s", tool, a, text)
	}
	// What the page's own scripts throw is reported as uncaught.
	if code == string(toolkit.Internal) || strings.Contains(text, "(failure ") ||
		strings.Contains(strings.ReplaceAll(text, "Uncaught TypeError", ""), "TypeError") {
		c.fail(tool, a, "failed in the server: "+text)
	}
	c.learn(tool, code, text)
	return text
}

func (c *randomCaller) fail(tool string, a tooltest.Args, how string) {
	c.failures = append(c.failures, fmt.Sprintf("%s %v %s", tool, a, how))
}

func refusalCode(res *mcp.CallToolResult) string {
	if envelope, ok := res.StructuredContent.(map[string]any); ok {
		return fmt.Sprint(envelope["code"])
	}
	code, _, _ := strings.Cut(tooltest.Text(res), ":")
	return code
}

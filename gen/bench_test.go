package gen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
)

const syntheticRoot = `version: 1
include: [tools/page.yaml]
capabilities: {core: {title: Core, description: d}}
facts: {connected: c, paused: p}
invariants: [paused -> connected]
events: {up: {when: "!connected", sets: [connected]}, stop: {when: connected && !paused, sets: [paused]}, gone: {when: connected, clears: [connected, paused]}}
scenarios: {cold: [], warm: [connected]}
scopes: {default: {status: open, since: "1"}}
surfaces: {clipboard: {description: The clipboard.}, download: {description: Downloads.}, evaluate: {description: Script.}, file: {description: Files.}, navigation: {description: Addresses.}}
`

// BenchmarkRun compiles synthetic manifests; the cost per tool must not grow with their number.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{500, 1000, 2000} {
		src := Source{Module: "example.com/m", Files: []spec.File{{Name: RootFile, Data: []byte(syntheticRoot)}, {Name: "manifest/tools/page.yaml", Data: synthetic(n)}}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if plan, diags := Run(src); plan == nil {
					b.Fatal(diags)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/tool")
		})
	}
}

func synthetic(n int) []byte {
	var b strings.Builder
	b.WriteString("tools:\n")
	for i := range n {
		fmt.Fprintf(&b, `  - name: tool_%d
    title: Tool %d
    description: Does one thing to the page and says what came of it.
    capability: core
    scope: default
    tier: 1
    effects: {read_only: false, destructive: true, idempotent: false, open_world: true}
    visible: connected && !paused
    surfaces: [navigation]
    input:
      tabId: {type: string}
      mode: {type: string, enum: [interactive, compact, full], default: compact}
      selector: {type: string, minLength: 1, pattern: '^[a-z]+$'}
      depth: {type: integer, minimum: 1, maximum: 200}
      clip: {type: object, properties: {x: {type: number, required: true}, y: {type: number, required: true}}}
    require_when:
      - {when: {mode: full}, all: [selector]}
    budget: {result_bytes: 4000, timeout_ms: 30000}
    was: [old_tool_%d]

`, i, i, i)
	}
	return []byte(b.String())
}

package main

import (
	"fmt"
	"strings"
)

// toolsPerArea is how many tools a synthetic area has: as many as the largest areas of a real
// server.
const toolsPerArea = 32

const root = `version: 1
include: [%s]
cli: {program: manifests, commands: [serve], flags: [session]}
capabilities: {core: {title: Core, description: d}}
facts: {connected: A connection is active., paused: Script is stopped.}
invariants: [paused -> connected]
events:
  up: {when: "!connected", sets: [connected]}
  stop: {when: connected && !paused, sets: [paused]}
  resume: {when: paused, clears: [paused]}
  gone: {when: connected, clears: [connected, paused]}
scenarios: {cold: [], warm: [connected]}
scopes: {default: {status: open, since: "1"}}
`

// A tool with the shapes that cost most: an enum, limits, a pattern, a nested object, a list and a
// conditional requirement. Each third tool has a predicate, each fourth a declared output.
const tool = `  - name: tool_%[1]d
    title: Tool %[1]d
    description: %[2]s
    capability: core
    scope: default
    tier: %[3]d
    effects: {read_only: false, destructive: true, idempotent: false, open_world: true}
    visible: %[4]s
    surfaces: [navigation]
    input:
      tabId: {type: string}
      mode: {type: string, enum: [interactive, compact, full], default: compact}
      selector: {type: string, minLength: 1, pattern: '^[a-z]+$', description: A CSS selector of one element.}
      depth: {type: integer, minimum: 1, maximum: 200}
      clip: {type: object, properties: {x: {type: number, required: true}, y: {type: number, required: true}}}
      fields: {type: array, items: {type: string}}
    require_when:
      - {when: {mode: full}, all: [selector]}
    budget: {result_bytes: 4000, timeout_ms: 30000}
`

const output = `    output:
      url: {type: string, required: true}
      count: {type: integer}
`

// area returns the manifest of tools first to last-1. The nonce makes every text new, so that no
// cache knows it.
func area(first, last int, nonce string) string {
	var b strings.Builder
	b.WriteString("tools:\n")
	for i := first; i < last; i++ {
		visible := "always"
		if i%3 == 1 {
			visible = "connected && !paused"
		}
		fmt.Fprintf(&b, tool, i, fmt.Sprintf("Does thing %d of run %s to the page and reports its outcome.", i, nonce), 1+i%3, visible)
		if hasOutput(i) {
			b.WriteString(output)
		}
	}
	return b.String()
}

func hasOutput(i int) bool { return i%4 == 0 }

func areaName(i int) string { return fmt.Sprintf("area%03d", i) }

package audit

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed axe/axe.min.js.gz axe/VERSION
//go:embed js/facts.js js/frame.js
var sources embed.FS

// immediateTimers runs timers without delay as microtasks. A sandboxed document runs no timers, and axe
// hands over its results in one.
const immediateTimers = `{ const timer = globalThis.setTimeout;
globalThis.setTimeout = (fn, delay, ...a) => (delay > 0 ? timer(fn, delay, ...a) : (Promise.resolve().then(() => fn(...a)), 0)); }
`

// axeScript is axe-core, unpacked at the first audit.
var axeScript = sync.OnceValues(func() (string, error) {
	packed, err := sources.ReadFile("axe/axe.min.js.gz")
	if err != nil {
		return "", fmt.Errorf("read axe-core: %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("unpack axe-core: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("unpack axe-core: %w", err)
	}
	// A page may have an element with the id axe, which is a property of the window that it inherits.
	return "if (!Object.hasOwn(globalThis, 'axe')) {\n" + immediateTimers + string(text) + "\n}\n//# sourceURL=callsheet:axe\n", nil
})

// frameScript is an expression whose value is the object that the audit calls.
var frameScript = sync.OnceValues(func() (string, error) {
	var b strings.Builder
	b.WriteString("(() => { 'use strict';\n")
	for _, name := range []string{"js/facts.js", "js/frame.js"} {
		text, err := sources.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read the audit's script: %w", err)
		}
		b.Write(text)
	}
	b.WriteString("return audit;\n})()\n//# sourceURL=callsheet:audit\n")
	return b.String(), nil
})

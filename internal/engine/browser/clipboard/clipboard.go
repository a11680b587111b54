// Package clipboard is the clipboard of one session. Its pages use it in place of the browser's, which all sessions
// share.
//
// It must not know tabs, sessions or tools.
package clipboard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/script"
)

// maxBytes bounds what a page puts on the clipboard; more empties it.
const maxBytes = 8 << 20

// PlainText is the type of a text without styles.
const PlainText = "text/plain"

// Clipboard has texts by their types. The zero value is empty and ready for use.
type Clipboard struct {
	mu    sync.Mutex
	texts map[string]string
}

// Text returns the plain text; "" where there is none.
func (c *Clipboard) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.texts[PlainText]
}

// Set replaces what the clipboard has.
func (c *Clipboard) Set(texts map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts = texts
}

// Take replaces what the clipboard has by what another has.
func (c *Clipboard) Take(other *Clipboard) {
	other.mu.Lock()
	texts := other.texts
	other.mu.Unlock()
	c.Set(texts)
}

// Target is the session with the target of a page.
type Target interface {
	// Send sends a command and waits for no answer.
	Send(ctx context.Context, method string, params any) error
}

// Observe handles an event of a target: what its pages copy is kept, and what they ask for is sent. It returns at once.
func (c *Clipboard) Observe(ctx context.Context, from Target, event any) {
	ev, ok := event.(*runtime.EventBindingCalled)
	if !ok || ev.Name != script.PromptBinding {
		return
	}
	if copied, ok := strings.CutPrefix(ev.Payload, "clipboard write "); ok {
		var texts map[string]string
		if len(copied) <= maxBytes && json.Unmarshal([]byte(copied), &texts) != nil {
			return
		}
		c.Set(texts)
	}
	var id int
	if n, _ := fmt.Sscanf(ev.Payload, "clipboard read %d", &id); n == 1 {
		go c.answer(ctx, from, ev.ExecutionContextID, id)
	}
}

// answer sends a page what the clipboard has. A page that has gone needs none.
func (c *Clipboard) answer(ctx context.Context, to Target, world runtime.ExecutionContextID, id int) {
	c.mu.Lock()
	detail, err := json.Marshal([]any{id, c.texts})
	c.mu.Unlock()
	if err != nil {
		return
	}
	literal, _ := json.Marshal(string(detail))
	_ = to.Send(ctx, runtime.CommandEvaluate, runtime.EvaluateParams{
		Expression: "dispatchEvent(new CustomEvent('callsheet:clipboard', {detail: " + string(literal) + "}))\n//# sourceURL=callsheet:clipboard",
		ContextID:  world,
	})
}

package network

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/text"
)

// The limits of the messages that a capture keeps. Each connection has a ring, made at its first
// message.
const (
	messageLimit    = 500      // messages of one connection
	messageBytes    = 16 << 10 // bytes of one message
	connectionBytes = 1 << 20  // bytes of the messages of one connection
	connectionLimit = 100      // connections; the one with the oldest request gives way
)

// Message is one message of a WebSocket or an EventSource. It contains secrets; RedactMessages removes them.
type Message struct {
	Seq  int    // from 1 within its connection
	Sent bool   // by the page
	Kind string // text, binary, close, ping, pong or error; the name of the event of an EventSource
	Data string // at most 16 KiB; it ends in … if there was more
	Size int    // bytes of the whole message
	Time time.Time
}

// connection is the ring of one WebSocket or EventSource.
type connection struct {
	messages []Message // oldest first
	bytes    int       // of their data
	lastSeq  int
}

// add appends a message and drops the oldest ones beyond the limits.
func (c *connection) add(m Message) {
	c.lastSeq++
	m.Seq, m.Size, m.Data, m.Time = c.lastSeq, len(m.Data), text.ClipBytes(strings.ToValidUTF8(m.Data, "�"), messageBytes), time.Now()
	c.messages = append(c.messages, m)
	c.bytes += len(m.Data)
	for len(c.messages) > messageLimit || c.bytes > connectionBytes {
		c.bytes -= len(c.messages[0].Data)
		c.messages = c.messages[1:]
	}
}

// observeMessage records the messages of WebSockets and EventSources. The caller holds mu.
func (c *Capture) observeMessage(session cdp.Session, event any) {
	switch ev := event.(type) {
	case *cdpnetwork.EventWebSocketFrameReceived:
		c.addMessage(session, ev.RequestID, "websocket", frameMessage(ev.Response, false))
	case *cdpnetwork.EventWebSocketFrameSent:
		c.addMessage(session, ev.RequestID, "websocket", frameMessage(ev.Response, true))
	case *cdpnetwork.EventWebSocketFrameError:
		c.addMessage(session, ev.RequestID, "websocket", Message{Kind: "error", Data: ev.ErrorMessage})
	case *cdpnetwork.EventEventSourceMessageReceived:
		c.addMessage(session, ev.RequestID, "eventsource", Message{Kind: text.ClipBytes(ev.EventName, 100), Data: ev.Data})
	}
}

// frameMessage returns a frame, with the kinds of RFC 6455.
func frameMessage(f *cdpnetwork.WebSocketFrame, sent bool) Message {
	m := Message{Sent: sent, Kind: "binary", Data: string(f.PayloadData)}
	switch f.Opcode {
	case 1:
		m.Kind = "text"
	case 8:
		m.Kind = "close"
	case 9:
		m.Kind = "ping"
	case 10:
		m.Kind = "pong"
	}
	return m
}

// addMessage adds a message to the ring of its connection. A connection that was opened before the
// capture gets an entry without an address.
func (c *Capture) addMessage(session cdp.Session, id cdpnetwork.RequestID, kind string, m Message) {
	e := c.inFlight[id]
	if e == nil {
		e = &Entry{Method: "GET", Type: kind, Started: time.Now(), id: id, session: session, BodyOmitted: "it was opened before the capture"}
		c.add(e)
	}
	ring := c.connections[e.Number]
	if ring == nil {
		if len(c.connections) >= connectionLimit {
			oldest := e.Number
			for number := range c.connections {
				oldest = min(oldest, number)
			}
			delete(c.connections, oldest)
		}
		ring = &connection{}
		c.connections[e.Number] = ring
	}
	ring.add(m)
}

// MessageQuery selects messages of one connection. The zero value selects all.
type MessageQuery struct {
	Since    int            // messages after this one
	Sent     *bool          // of the page, or of the server
	Contains string         // substring of the data, ignoring case
	Pattern  *regexp.Regexp // of the data
	// Shown returns what may be shown of the data of messages of one direction, which follow each other; nil is all.
	Shown func([]string) []string
	Limit int // the newest only; 0 selects all
}

// Messages are messages of one connection.
type Messages struct {
	Messages []Message // oldest first
	Total    int       // since the connection had its first message
	Kept     int       // messages that are kept
	Matched  int       // messages that the query selects, before its limit
}

// Messages returns messages of the connection with the number of a request. ok is false for one that
// had none.
func (c *Capture) Messages(number int, q MessageQuery) (out Messages, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ring := c.connections[number]
	if ring == nil {
		return out, false
	}
	for _, m := range ring.shown(q.Shown) {
		if m.Seq > q.Since && (q.Sent == nil || *q.Sent == m.Sent) && (q.Pattern == nil || q.Pattern.MatchString(m.Data)) &&
			strings.Contains(strings.ToLower(m.Data), strings.ToLower(q.Contains)) {
			out.Messages = append(out.Messages, m)
		}
	}
	out.Total, out.Kept, out.Matched = ring.lastSeq, len(ring.messages), len(out.Messages)
	if q.Limit > 0 && len(out.Messages) > q.Limit {
		out.Messages = out.Messages[len(out.Messages)-q.Limit:]
	}
	return out, true
}

// shown returns the messages with what of their data may be shown.
func (c *connection) shown(redact func([]string) []string) []Message {
	out := slices.Clone(c.messages)
	for _, sent := range []bool{true, false} {
		var data []string
		for _, m := range out {
			if m.Sent == sent {
				data = append(data, m.Data)
			}
		}
		if redact != nil {
			data = redact(data)
		}
		for i := range out {
			if out[i].Sent == sent {
				out[i].Data, data = data[0], data[1:]
			}
		}
	}
	return out
}

// Connections returns the numbers of the requests that have messages, with how many each had.
func (c *Capture) Connections() map[int]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[int]int, len(c.connections))
	for number, ring := range c.connections {
		out[number] = ring.lastSeq
	}
	return out
}

// RedactMessages returns messages without secrets, as RedactAll does with bodies. all is the whole
// content of the capture.
func RedactMessages(messages []Message, all []Entry) []Message {
	known := secretReplacer(all)
	out := make([]Message, len(messages))
	for i, m := range messages {
		m.Data = known.Replace(redactText(m.Data, ""))
		out[i] = m
	}
	return out
}

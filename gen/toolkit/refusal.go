package toolkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Code is why a call was refused. The set is closed: every code a client can meet is declared here,
// so that clients can switch over it and documentation can list it.
type Code string

// The codes.
const (
	InvalidArguments   Code = "INVALID_ARGUMENTS"   // the arguments break the schema; nothing was done
	CapabilityDisabled Code = "CAPABILITY_DISABLED" // the command line excludes the tool's capability
	ToolDisabled       Code = "TOOL_DISABLED"       // the command line excludes the tool itself
	ToolNotVisible     Code = "TOOL_NOT_VISIBLE"    // the tool's predicate does not hold now
	UnknownTool        Code = "UNKNOWN_TOOL"        // no such tool, where a tool's name is an argument
	UnknownCapability  Code = "UNKNOWN_CAPABILITY"  // no such capability, where its name is an argument
	NoBrowser          Code = "NO_BROWSER"          // no browser could be found or started
	BrowserGone        Code = "BROWSER_GONE"        // the browser ended during the call
	NoTab              Code = "NO_TAB"              // the session has no such tab
	TabCrashed         Code = "TAB_CRASHED"         // the page's process died
	DialogOpen         Code = "DIALOG_OPEN"         // a JavaScript dialog blocks the page
	Paused             Code = "PAUSED"              // the debugger has paused the page's JavaScript
	NavigationFailed   Code = "NAVIGATION_FAILED"   // the page could not be loaded
	NotFound           Code = "NOT_FOUND"           // nothing matches
	Ambiguous          Code = "AMBIGUOUS"           // more than one thing matches equally well
	StaleRef           Code = "STALE_REF"           // the element of a ref is gone or changed
	NotActionable      Code = "NOT_ACTIONABLE"      // the element cannot take the action now
	ScriptFailed       Code = "SCRIPT_FAILED"       // script in the page threw
	PolicyDenied       Code = "POLICY_DENIED"       // a policy surface forbids it
	// ConfirmationRequired is a call that a person has to allow, and no person could be asked.
	ConfirmationRequired Code = "CONFIRMATION_REQUIRED"
	BudgetExceeded       Code = "BUDGET_EXCEEDED" // the answer would be larger than allowed
	Timeout              Code = "TIMEOUT"         // the deadline passed first
	Failed               Code = "FAILED"          // anything else that went wrong outside the server
	Internal             Code = "INTERNAL"        // a defect of the server
)

// Refusal is a call that was answered with a reason instead of a result. It is an error for
// handlers and an envelope for clients: code first, then tool, the fields in order, and the message
// last.
type Refusal struct {
	Code    Code
	Tool    string // filled in by dispatch
	Message string // what is wrong and what to do instead, one or two sentences
	Fields  []Field
}

// Field is one more member of a refusal's envelope.
type Field struct {
	Name  string
	Value any
}

// Refuse makes a refusal.
func Refuse(code Code, message string, fields ...Field) *Refusal {
	return &Refusal{Code: code, Message: message, Fields: fields}
}

// Error gives the message.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// result renders the refusal: one text line for the model, the object for programs.
func (r *Refusal) result() Result {
	var b strings.Builder
	enc := jsontext.NewEncoder(&b, jsontext.AllowInvalidUTF8(true))
	_ = enc.WriteToken(jsontext.BeginObject) // writes to a strings.Builder cannot fail
	member := func(name string, value any) {
		_ = enc.WriteToken(jsontext.String(name))
		if err := json.MarshalEncode(enc, value, jsontext.AllowInvalidUTF8(true), json.Deterministic(true)); err != nil {
			_ = enc.WriteToken(jsontext.Null)
		}
	}
	member("code", string(r.Code))
	if r.Tool != "" {
		member("tool", r.Tool)
	}
	for _, f := range r.Fields {
		member(f.Name, f.Value)
	}
	member("message", r.Message)
	_ = enc.WriteToken(jsontext.EndObject)
	return Result{
		Content:    []Content{{Text: r.Error()}},
		Structured: []byte(strings.TrimSuffix(b.String(), "\n")),
		Refused:    true,
		code:       r.Code,
	}
}

// opaque is the refusal of an error that was not made for clients: its text may name paths, addresses
// and whatever a library repeats of its input. The client gets an id, under which log has the text.
func opaque(tool string, err error, log *slog.Logger) *Refusal {
	id := ErrorID()
	if log != nil {
		log.Error("a call failed", "tool", tool, "error_id", id, "error", err)
	}
	return Refuse(Internal, fmt.Sprintf("internal error, id %s; the server's log has the details", id), Field{"error_id", id})
}

// ErrorID returns a new id under which a log has an error that its client is not told.
func ErrorID() string { return strings.ToLower(rand.Text()[:12]) }

// Opaque returns err as the client of the call may see it: an error that is not made for clients
// becomes one with an id, and is logged. A handler that renders errors into a result passes them
// through it. Refusals, violations and ends of a context stay as they are; nil stays nil.
func (c *Call) Opaque(err error) error {
	var r *Refusal
	var v Violations
	if err == nil || errors.As(err, &r) || errors.As(err, &v) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return opaque(c.Tool.Name, err, c.logger)
}

package toolkit

import (
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
	BudgetExceeded     Code = "BUDGET_EXCEEDED"     // the answer would be larger than allowed
	Timeout            Code = "TIMEOUT"             // the deadline passed first
	Failed             Code = "FAILED"              // anything else that went wrong outside the server
	Internal           Code = "INTERNAL"            // a defect of the server
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

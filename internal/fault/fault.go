// Package fault describes errors that the caller of a tool can act on: a code of the closed list
// that clients know, and the facts that go with it.
//
// The engine and the other rooms return such errors; internal/result turns them into refusals. It
// is a leaf: it must not import anything of this module.
package fault

// Code says why a call failed. Its values are the codes of gen/toolkit that code below the tools
// may return.
type Code string

// The codes. gen/toolkit documents each.
const (
	InvalidArguments Code = "INVALID_ARGUMENTS"
	NoBrowser        Code = "NO_BROWSER"
	BrowserGone      Code = "BROWSER_GONE"
	NoTab            Code = "NO_TAB"
	TabCrashed       Code = "TAB_CRASHED"
	DialogOpen       Code = "DIALOG_OPEN"
	Paused           Code = "PAUSED"
	NavigationFailed Code = "NAVIGATION_FAILED"
	NotFound         Code = "NOT_FOUND"
	Ambiguous        Code = "AMBIGUOUS"
	StaleRef         Code = "STALE_REF"
	NotActionable    Code = "NOT_ACTIONABLE"
	ScriptFailed     Code = "SCRIPT_FAILED"
	PolicyDenied     Code = "POLICY_DENIED"
	BudgetExceeded   Code = "BUDGET_EXCEEDED"
	Timeout          Code = "TIMEOUT"
	Failed           Code = "FAILED"
)

// Codes returns every code, in the order of their declaration.
func Codes() []Code {
	return []Code{
		InvalidArguments, NoBrowser, BrowserGone, NoTab, TabCrashed, DialogOpen, Paused, NavigationFailed, NotFound, Ambiguous,
		StaleRef, NotActionable, ScriptFailed, PolicyDenied, BudgetExceeded, Timeout, Failed,
	}
}

// Field is one named value of a refusal's structured content. Value must be encodable as JSON.
type Field struct {
	Name  string
	Value any
}

// Coded is an error with a code. Fields may be nil; their order is the order in which clients see
// them.
type Coded interface {
	error
	Code() Code
	Fields() []Field
}

// New returns an error with a code and a fixed text, for package-level sentinels that errors.Is
// finds.
func New(code Code, message string, fields ...Field) error {
	return &sentinel{code: code, message: message, fields: fields}
}

type sentinel struct {
	code    Code
	message string
	fields  []Field
}

func (s *sentinel) Error() string   { return s.message }
func (s *sentinel) Code() Code      { return s.code }
func (s *sentinel) Fields() []Field { return s.fields }

// IsSentinel reports whether New made this error, so that its text is fixed.
func IsSentinel(err error) bool {
	_, ok := err.(*sentinel)
	return ok
}

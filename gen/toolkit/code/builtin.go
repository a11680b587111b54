package code

import "slices"

// The codes of the toolkit, which every generated server answers with.
const (
	InvalidArguments   Code = "INVALID_ARGUMENTS"
	CapabilityDisabled Code = "CAPABILITY_DISABLED"
	ToolDisabled       Code = "TOOL_DISABLED"
	ToolNotVisible     Code = "TOOL_NOT_VISIBLE"
	ToolDeferred       Code = "TOOL_DEFERRED"
	UnknownTool        Code = "UNKNOWN_TOOL"
	UnknownCapability  Code = "UNKNOWN_CAPABILITY"
	PolicyDenied       Code = "POLICY_DENIED"
	BudgetExceeded     Code = "BUDGET_EXCEEDED"
	Timeout            Code = "TIMEOUT"
	Failed             Code = "FAILED"
	Internal           Code = "INTERNAL"
	StillRunning       Code = "STILL_RUNNING"
)

// The codes of tools that ask a person before they run. A server without such a tool has none of them.
const (
	NotConfirmed  Code = "NOT_CONFIRMED"
	CannotConfirm Code = "CANNOT_CONFIRM"
)

// Confirmation documents the codes of tools that ask a person before they run.
func Confirmation() []Info {
	return []Info{
		{NotConfirmed, ClassForbidden, "A person was asked before the call, and did not agree; nothing was done.", []Field{
			{"question", "string", "What the person was asked."}, {"action", "string", "What the person did: decline, or cancel for no choice."},
		}},
		{CannotConfirm, ClassForbidden, "The tool asks a person first, and this client cannot ask one; nothing was done.", []Field{
			{"question", "string", "What the person would be asked."}, {"needs", "string", "The capability that the client has to declare."},
		}},
	}
}

// Builtin documents the codes of the toolkit.
func Builtin() []Info { return slices.Clone(builtin) }

var builtin = []Info{
	{InvalidArguments, ClassInvalid, "The arguments break the schema; nothing was done.", []Field{
		{"violations", "array", "Each broken rule with the path of the argument."},
	}},
	{CapabilityDisabled, ClassForbidden, "The command line excludes the tool's capability.", []Field{
		{"capability", "string", "The capability."}, {"flag", "string", "The flag of the command line that decides."},
	}},
	{ToolDisabled, ClassForbidden, "The command line excludes the tool itself.", []Field{{"flag", "string", "The flag of the command line that decides."}}},
	{ToolNotVisible, ClassConflict, "The tool's predicate does not hold now.", []Field{
		{"requires", "string", "The predicate."}, {"unmet", "array", "Its parts that do not hold."},
		{"via", "array", "Tools whose calls, in this order, make the predicate hold."},
	}},
	{ToolDeferred, ClassNotFound, "The tool is deliberately not there; the message says why.", []Field{
		{"instead", "string", "The command that does it today."},
	}},
	{UnknownTool, ClassNotFound, "No such tool, where a tool's name is an argument.", []Field{{"name", "string", "The name."}}},
	{UnknownCapability, ClassNotFound, "No such capability, where its name is an argument.", []Field{{"name", "string", "The name."}}},
	{PolicyDenied, ClassForbidden, "A policy surface or a power is denied.", []Field{
		{"surface", "string", "The policy surface."}, {"power", "string", "The power."},
	}},
	{BudgetExceeded, ClassTooLarge, "The answer would be larger than allowed.", nil},
	{Timeout, ClassTimeout, "The deadline of the call passed first.", []Field{{"ms", "number", "The deadline in milliseconds."}}},
	{StillRunning, ClassTimeout, "The call goes on behind this answer; the same call again waits for its result.", []Field{
		{"ms", "number", "How long it has run, in milliseconds."},
	}},
	{Failed, ClassFailed, "What the call asks for did not work.", nil},
	{Internal, ClassInternal, "A defect of the server.", []Field{{"error_id", "string", "The id under which the server's log has the error."}}},
}

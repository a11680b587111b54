// Package code has the vocabulary of refusals: what a code, its class and its fields are, and the
// codes that the toolkit itself answers with.
//
// A manifest declares the other codes; package codes of the generated code has both. It is a leaf,
// so that any package can return a code without knowing tools.
package code

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Code is why a call was refused.
type Code string

// Class is the kind of reason of a code, like the classes of HTTP's status codes. A client that
// does not know a code can decide by its class whether another call can succeed.
type Class string

// The classes.
const (
	ClassInvalid     Class = "invalid"     // the call itself is wrong; the same call fails again
	ClassForbidden   Class = "forbidden"   // the operator or a policy does not allow it
	ClassNotFound    Class = "not_found"   // what the call names does not exist
	ClassConflict    Class = "conflict"    // the state does not allow it now; another call can change the state
	ClassTooLarge    Class = "too_large"   // the answer or a part of it exceeds a limit
	ClassFailed      Class = "failed"      // what the server works on did not do it
	ClassUnavailable Class = "unavailable" // what the server works on cannot be reached; a later call may succeed
	ClassTimeout     Class = "timeout"     // a deadline passed
	ClassInternal    Class = "internal"    // a defect of the server
)

// status has the number of each class.
var status = map[Class]int{
	ClassInvalid: 400, ClassForbidden: 403, ClassNotFound: 404, ClassConflict: 409, ClassTooLarge: 413, ClassFailed: 422, ClassInternal: 500, ClassUnavailable: 503, ClassTimeout: 504,
}

// Classes lists the classes in the order of their status numbers.
func Classes() []Class {
	return []Class{ClassInvalid, ClassForbidden, ClassNotFound, ClassConflict, ClassTooLarge, ClassFailed, ClassInternal, ClassUnavailable, ClassTimeout}
}

// Status is the HTTP status code that means the same as the class; 0 for an unknown class.
func (c Class) Status() int { return status[c] }

// Field is a member that the envelope of a refusal may have beside code, tool and message. Type is a
// type of JSON, or "any".
type Field struct{ Name, Type, Description string }

// Info documents one code.
type Info struct {
	Code        Code
	Class       Class
	Description string
	Fields      []Field
}

// Sentinel is an error that stands for a code: a handler returns it, alone or wrapped, and the client gets the code and the message.
type Sentinel struct {
	Err     error
	Code    Code
	Message string
}

// Match returns the first of the sentinels that err is; nil where it is none.
func Match(of []Sentinel, err error) *Sentinel {
	i := slices.IndexFunc(of, func(s Sentinel) bool { return errors.Is(err, s.Err) })
	if i < 0 {
		return nil
	}
	return &of[i]
}

// Table documents every code that clients can meet. Common are the fields that each may have.
type Table struct {
	Codes  []Info
	Common []Field
}

// Find returns the row of a code; nil when the table has none.
func (t Table) Find(c Code) *Info {
	i := slices.IndexFunc(t.Codes, func(r Info) bool { return r.Code == c })
	if i < 0 {
		return nil
	}
	return &t.Codes[i]
}

// Check compares an envelope, the structured content of a refusal, with the table: its code and its
// fields are declared, and each field has its type. It is for tests.
func (t Table) Check(envelope []byte) error {
	var members map[string]any
	if err := json.Unmarshal(envelope, &members); err != nil {
		return fmt.Errorf("read the envelope: %w", err)
	}
	name, _ := members["code"].(string)
	info := t.Find(Code(name))
	if info == nil {
		return fmt.Errorf("code %q is not declared", name)
	}
	fields := slices.Concat(info.Fields, t.Common)
	for key, value := range members {
		if key == "code" || key == "tool" || key == "message" {
			continue
		}
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == key })
		if i < 0 {
			return fmt.Errorf("code %s does not declare the field %q", name, key)
		}
		if want, got := fields[i].Type, typeOf(value); want != "any" && got != want && got != "null" {
			return fmt.Errorf("field %q of code %s is %s, and is declared as %s", key, name, got, want)
		}
	}
	return nil
}

// typeOf names the JSON type of a decoded value.
func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

// Types lists the types that a field may have.
func Types() []string { return []string{"any", "array", "boolean", "number", "object", "string"} }

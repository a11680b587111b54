package locate

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// NoMatchError says that no visible element fits a description.
type NoMatchError struct {
	Query string
	// Nearest are rendered elements with half of the words, at most three.
	Nearest []string
}

func (e *NoMatchError) Error() string {
	message := fmt.Sprintf("nothing visible matches %q", e.Query)
	if len(e.Nearest) > 0 {
		message += "; nearest are " + strings.Join(e.Nearest, "; ")
	}
	return message
}

// Code is NOT_FOUND.
func (*NoMatchError) Code() codes.Code { return codes.NotFound }

// AmbiguousError says that several elements fit a description equally well.
type AmbiguousError struct {
	Query string
	// Ref is that of the first of them; Candidates are rendered elements, at most five.
	Ref        string
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q fits several elements equally well; choose one, as {\"ref\":%q}: %s", e.Query, e.Ref, strings.Join(e.Candidates, "; "))
}

// Code is AMBIGUOUS.
func (*AmbiguousError) Code() codes.Code { return codes.Ambiguous }

// Fields lists the candidates.
func (e *AmbiguousError) Fields() []fault.Field {
	return []fault.Field{{Name: "candidates", Value: e.Candidates}}
}

package settle

import (
	"fmt"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// WaitTimeoutError says that a condition did not hold before the deadline.
type WaitTimeoutError struct {
	Condition string
	// LastState is the state at the end, as a clause.
	LastState string
	Elapsed   time.Duration
}

func (e *WaitTimeoutError) Error() string {
	return fmt.Sprintf("waited %s for %s; %s", e.Elapsed.Round(time.Millisecond), e.Condition, e.LastState)
}

// Code is TIMEOUT.
func (*WaitTimeoutError) Code() codes.Code { return codes.Timeout }

// Fields gives the time waited in milliseconds.
func (e *WaitTimeoutError) Fields() []fault.Field {
	return []fault.Field{{Name: "ms", Value: e.Elapsed.Round(time.Millisecond).Milliseconds()}}
}

package document

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/text"
)

// OutsideViewportError says that a point of an action is not in the viewport: no input arrives there.
type OutsideViewportError struct {
	Point
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

func (e *OutsideViewportError) Error() string {
	return fmt.Sprintf("%s,%s is outside the viewport of %s×%s", text.Decimal(e.X), text.Decimal(e.Y), text.Decimal(e.Width), text.Decimal(e.Height))
}

// Direction returns where the point is, as seen from the viewport: down, up, left or right.
func (e *OutsideViewportError) Direction() string {
	switch {
	case e.Y >= e.Height:
		return "down"
	case e.Y < 0:
		return "up"
	case e.X < 0:
		return "left"
	default:
		return "right"
	}
}

// Code is INVALID_ARGUMENTS.
func (*OutsideViewportError) Code() codes.Code { return codes.InvalidArguments }

package text

import "strconv"

// Decimal writes a number in as few digits as it needs, without an exponent.
func Decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

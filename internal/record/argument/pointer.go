package argument

import (
	"strconv"
	"strings"
)

// ValueAt returns the value at a JSON pointer; nil when there is none.
func ValueAt(v any, pointer string) any {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch in := v.(type) {
		case map[string]any:
			v = in[unescape.Replace(part)]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// unescape reads a token of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

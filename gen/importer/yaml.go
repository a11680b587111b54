package importer

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// plain matches texts that YAML reads as themselves, in a flow mapping too.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 _./()'+;=-]*$`)

// scalar writes a text as a YAML scalar: bare where that is safe, else in double quotes.
func scalar(s string) string {
	words := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	if plain.MatchString(s) && !strings.HasSuffix(s, " ") && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}

package argument_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/record/argument"
)

func TestParameterName(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"Name": "name", "Unit price (€)": "unit_price", "  --Card  pin:": "card_pin", "Größe": "gr_e", "Line2": "line2", "2nd line": "", "": "", "名前": "", "_": "",
		strings.Repeat("a", 39) + " b": strings.Repeat("a", 39), strings.Repeat("long ", 20): "long_long_long_long_long_long_long_long",
	} {
		if got := argument.ParameterName(label); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string][]string{
		"": nil, "/": {""}, "/ref": {"ref"}, "/fields/0/ref": {"fields", "0", "ref"}, "/targets/~1ref/name": {"targets", "/ref", "name"}, "/a~01/": {"a~1", ""},
	} {
		if got := argument.Tokens(pointer); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", pointer, got, want)
		}
		if len(want) > 0 && "/"+argument.Escape(want[0]) != pointer[:len(argument.Escape(want[0]))+1] {
			t.Errorf("Escape does not write %q as in %q", want[0], pointer)
		}
	}
}

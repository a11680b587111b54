package imports

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// encode returns a document as YAML that is read as the document. Texts come from other people's files, and the
// library writes some of them in a form that it reads as another text; those are written in quotes.
func encode(doc yaml.MapSlice) ([]byte, error) {
	inQuotes := yaml.CustomMarshaler(func(text string) ([]byte, error) { return []byte(strconv.Quote(text)), nil })
	withPoint := yaml.CustomMarshaler(func(n float64) ([]byte, error) { return []byte(float(n)), nil })
	for _, options := range [][]yaml.EncodeOption{nil, {inQuotes}} {
		text, err := yaml.MarshalWithOptions(doc, append(options, withPoint, yaml.IndentSequence(true))...)
		if err != nil {
			return nil, err
		}
		var read yaml.MapSlice
		if yaml.UnmarshalWithOptions(text, &read, yaml.UseOrderedMap()) == nil && canonical(doc) == canonical(read) {
			return text, nil
		}
	}
	return nil, errors.New("it has a name or a text that YAML does not keep")
}

// float returns a number as YAML has it: 1e-07 without a point is a text.
func float(n float64) string {
	if math.IsInf(n, 0) {
		return strings.TrimPrefix(strings.Replace(strconv.FormatFloat(n, 'g', -1, 64), "Inf", ".inf", 1), "+")
	}
	text := number(n)
	if strings.Contains(text, ".") {
		return text
	}
	digits, exponent, has := strings.Cut(text, "e")
	if text = digits + ".0"; has {
		text += "e" + exponent
	}
	return text
}

// canonical returns a text that is the same for values of the same meaning.
func canonical(v any) string {
	if members, ok := v.(yaml.MapSlice); ok {
		var b strings.Builder
		for _, m := range members {
			b.WriteString(canonical(m.Key) + ":" + canonical(m.Value) + ",")
		}
		return "{" + b.String() + "}"
	}
	switch of := reflect.ValueOf(v); {
	case !of.IsValid():
		return "null"
	case of.Kind() == reflect.Slice:
		var b strings.Builder
		for i := range of.Len() {
			b.WriteString(canonical(of.Index(i).Interface()) + ",")
		}
		return "[" + b.String() + "]"
	case of.Kind() == reflect.String:
		return strconv.Quote(of.String())
	case of.CanInt():
		return number(float64(of.Int()))
	case of.CanUint():
		return number(float64(of.Uint()))
	case of.CanFloat():
		return number(of.Float())
	}
	return fmt.Sprint(v)
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

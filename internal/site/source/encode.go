package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Encode returns a document of a source as YAML that is read as the document. Texts come from pages and from other
// people's files, and the library writes some of them in a form that it reads as another text; those are written in
// quotes. A json.Number is written as it is.
func Encode(doc yaml.MapSlice) ([]byte, error) {
	inQuotes := yaml.CustomMarshaler(func(text string) ([]byte, error) { return []byte(strconv.Quote(text)), nil })
	withPoint := yaml.CustomMarshaler(func(n float64) ([]byte, error) { return []byte(float(n)), nil })
	asWritten := yaml.CustomMarshaler(func(n json.Number) ([]byte, error) { return []byte(n), nil })
	for _, options := range [][]yaml.EncodeOption{nil, {inQuotes}} {
		text, err := yaml.MarshalWithOptions(doc, append(options, withPoint, asWritten, yaml.IndentSequence(true))...)
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
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		if err != nil {
			return n.String()
		}
		return number(f)
	}
	if members, ok := v.(yaml.MapSlice); ok {
		all := slicesx.List(members, func(m yaml.MapItem) string { return canonical(m.Key) + ":" + canonical(m.Value) })
		slices.Sort(all)
		return "{" + strings.Join(all, ",") + "}"
	}
	switch of := reflect.ValueOf(v); {
	case !of.IsValid():
		return "null"
	case of.Kind() == reflect.Map:
		var members yaml.MapSlice
		for key, value := range of.Seq2() {
			members = append(members, yaml.MapItem{Key: key.Interface(), Value: value.Interface()})
		}
		return canonical(members)
	case of.Kind() == reflect.Slice:
		all := make([]string, of.Len())
		for i := range all {
			all[i] = canonical(of.Index(i).Interface())
		}
		return "[" + strings.Join(all, ",") + "]"
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

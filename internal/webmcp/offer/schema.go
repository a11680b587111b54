package offer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

// Limits of schemas, beside those of a lock, and of arguments. maxEvaluations bounds how often schemas are applied to values in one
// validation: references can multiply that without being long.
const (
	maxSchemaNodes    = 4000
	maxPattern        = 500
	maxArgumentBytes  = 64 << 10
	maxArgumentsDepth = 32
	maxEvaluations    = 50_000
	maxReason         = 600
)

// schemaAddress stands for the schema of a page, which has no address.
const schemaAddress = "page:schema"

// validator is a compiled schema. It serves one validation at a time.
type validator struct {
	schema *jsonschema.Schema // nil takes every object
	turn   chan struct{}      // one slot
	left   int                // evaluations of the validation under way
}

// errTooMuch is the panic that ends a validation over its limit.
var errTooMuch = errors.New("validating them takes too long")

// compile checks and compiles a schema of a page; nil takes every object. The error says why the tool
// cannot be called.
func compile(raw json.RawMessage) (*validator, error) {
	v := &validator{turn: make(chan struct{}, 1)}
	if len(raw) == 0 {
		return v, nil
	}
	if len(raw) > lock.MaxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, and at most %d are taken", len(raw), lock.MaxSchema)
	}
	if lock.Nesting(raw) > lock.MaxNesting {
		return nil, fmt.Errorf("its schema is nested deeper than %d", lock.MaxNesting)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("its schema is no JSON")
	}
	if err := checkSchema(doc); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "page:budget",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return budget{v}, nil
		},
	})
	c.AssertVocabs()
	if err = c.AddResource(schemaAddress, doc); err == nil {
		v.schema, err = c.Compile(schemaAddress)
	}
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be compiled: %s", clip(err.Error()))
	}
	return v, nil
}

// budget counts the evaluations of a validation.
type budget struct{ of *validator }

func (b budget) Validate(*jsonschema.ValidatorContext, any) {
	if b.of.left--; b.of.left < 0 {
		panic(errTooMuch) //nolint:forbidigo // validate recovers; the library offers no other way out
	}
}

// noLoader loads nothing: a schema of a page has all that it refers to.
type noLoader struct{}

func (noLoader) Load(address string) (any, error) {
	return nil, fmt.Errorf("it refers to %s", clip(address))
}

// checkSchema refuses what the library takes and a caller pays for.
func checkSchema(doc any) error {
	root, ok := doc.(map[string]any)
	if !ok {
		return errors.New("its schema is no object")
	}
	if of, ok := root["type"]; ok && of != "object" {
		return errors.New("its schema takes something else than an object")
	}
	nodes := 0
	return visit(doc, &nodes)
}

// visit looks at every value, so that no place is forgotten; a property of such a name is held to the same.
func visit(value any, nodes *int) error {
	if *nodes++; *nodes > maxSchemaNodes {
		return fmt.Errorf("its schema has more than %d values", maxSchemaNodes)
	}
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			if err := visit(v, nodes); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, v := range value {
			text, isText := v.(string)
			switch {
			case isText && (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef") && !strings.HasPrefix(text, "#"):
				return fmt.Errorf("its schema refers to %s, and only what the page gave is taken", clip(text))
			case isText && name == "pattern" && len(text) > maxPattern, len(name) > maxPattern:
				return fmt.Errorf("its schema has a pattern of more than %d bytes", maxPattern)
			}
			if err := visit(v, nodes); err != nil {
				return err
			}
		}
	}
	return nil
}

// check validates arguments.
func (v *validator) check(args []byte) (err error) {
	if len(args) > maxArgumentBytes {
		return fmt.Errorf("they have %d bytes, and at most %d are taken", len(args), maxArgumentBytes)
	}
	if lock.Nesting(args) > maxArgumentsDepth {
		return fmt.Errorf("they are nested deeper than %d", maxArgumentsDepth)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if _, object := value.(map[string]any); err != nil || !object {
		return errors.New("they are no JSON object")
	}
	if v.schema == nil {
		return nil
	}
	v.turn <- struct{}{}
	defer func() { <-v.turn }()
	defer func() {
		if p := recover(); p != nil {
			if p != errTooMuch { //nolint:errorlint // what was recovered is no chain of errors
				panic(p) //nolint:forbidigo // it is not ours
			}
			err = errTooMuch
		}
	}()
	v.left = maxEvaluations
	if err := v.schema.Validate(value); err != nil {
		_, what, _ := strings.Cut(err.Error(), "\n") // the first line has the made-up address
		return errors.New(clip(what))
	}
	return nil
}

func clip(s string) string { return text.ClipBytes(fence.Line(s), maxReason) }

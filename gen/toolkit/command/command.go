// Package command turns a table of verbs, generated from a manifest, into a command line: typed
// flags, positional arguments, help, completion, and the JSON arguments of the tool behind each
// verb.
//
// It checks spelling and types, so that a mistake is named before anything runs; bounds and
// conditional requirements are left to the tool's own decoder. It must not know which program it
// serves, nor how a tool is called.
package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Kind is the JSON type of a parameter.
type Kind string

// The kinds, named as JSON Schema does.
const (
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Array   Kind = "array"
	Object  Kind = "object"
)

// Verb is one row of the table: a way to call one tool.
type Verb struct {
	Name    string // as typed
	Tool    string // the tool it calls
	Scope   string // the first scope the tool belongs to
	Group   string // heading in help
	Short   string // one sentence
	Example string // a whole command line; "" when there is none
	Args    []Param
	Flags   []Param
	Fixed   []Fixed // arguments that the verb itself gives
	Watch   bool    // has --watch: the program repeats the call and shows each change
	Save    bool    // has --out: the binary content of the result goes to a file of the caller
}

// Param is a parameter as the command line shows it.
type Param struct {
	Name     string   // of the flag, or in angle brackets
	Was      []string // older names of the flag, which help does not show
	Property string   // of the tool's arguments
	Kind     Kind
	Items    Kind // of an array
	Enum     []string
	Required bool
	Default  string // what the tool assumes, for help
	Usage    string
	Value    string // JSON that the flag stands for; such a flag takes no value of its own
	Form     string // regular expression of the words that give Property, of a positional with Else
	Else     string // property that every other word gives
}

// Fixed is an argument that is not the caller's to give.
type Fixed struct{ Property, Value string } // Value is JSON

// Call is a parsed command line: a verb, the arguments of its tool, and how to show the result.
type Call struct {
	Verb  *Verb
	Args  []byte // one JSON object
	Watch bool   // --watch: show each change until interrupted
	JSON  bool   // --json: the result is for a program
	Out   string // --out: where binary content goes; "" when not given
}

// UsageError is a mistake in how a verb was used.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

func usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Names of the flags that verbs have beside those of their tools.
const (
	flagJSON  = "json"
	flagOut   = "out"
	flagWatch = "watch"
	flagHelp  = "help"
)

// Reserved lists the flags that no parameter may be called by.
func Reserved() []string { return []string{flagHelp, flagJSON, flagOut, flagWatch} }

// Commands lists the verbs that no tool may be called by: the framework has them.
func Commands() []string { return []string{"completion", flagHelp} }

// Parse reads a command line without running anything: argv is a verb with its arguments. Words in
// angle brackets are placeholders and stand for any value, so that a documented command line can be
// held against the table it speaks of. The error is a *UsageError.
func Parse(verbs []Verb, argv []string) (tool string, args []byte, err error) {
	if len(argv) == 0 {
		return "", nil, usagef("a verb is missing")
	}
	i := slices.IndexFunc(verbs, func(v Verb) bool { return v.Name == argv[0] })
	if i < 0 {
		return "", nil, Unknown(verbs, argv[0], nil)
	}
	flags := pflag.NewFlagSet(argv[0], pflag.ContinueOnError)
	flags.Usage = func() {}
	f := declare(&verbs[i], flags, true)
	if err := flags.Parse(valuesLast(flags, argv[1:])); err != nil {
		return "", nil, Explain(flags, err)
	}
	call, err := f.call(flags.Args())
	if err != nil {
		return "", nil, err
	}
	return call.Verb.Tool, call.Args, nil
}

// Unknown says that there is no such verb and which was probably meant: the verb of a tool, when
// the tool's own name was typed, else the nearest among the verbs and others.
func Unknown(verbs []Verb, name string, others []string) error {
	names := slices.Clone(others)
	for _, v := range verbs {
		if v.Tool == strings.ReplaceAll(name, "-", "_") {
			return usagef("unknown verb %q; the verb of %s is %q", name, v.Tool, v.Name)
		}
		names = append(names, v.Name)
	}
	return usagef("unknown verb %q%s", name, didYouMean(name, names, ""))
}

// Explain turns a complaint about flags into a *UsageError, adding the nearest flag to one about an
// unknown name.
func Explain(flags *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usagef("%s", err)
	}
	if len(unknown.GetSpecifiedName()) < 2 {
		return usagef("%s; a value that begins with - stands after --", err)
	}
	names := []string{flagHelp}
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	return usagef("unknown flag --%s%s", name, didYouMean(name, names, "--"))
}

func didYouMean(name string, known []string, prefix string) string {
	if near := toolkit.Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", prefix+near)
	}
	return ""
}

// form is one command line of a verb while it is read.
type form struct {
	verb    *Verb
	flags   []*value
	json    bool
	watch   bool
	out     string
	lenient bool // placeholders are values
}

// declare gives a flag set the flags of a verb.
func declare(v *Verb, flags *pflag.FlagSet, lenient bool) *form {
	f := &form{verb: v, lenient: lenient}
	flags.SortFlags = false
	for i := range v.Flags {
		f.flag(flags, &v.Flags[i])
	}
	for _, p := range v.Args { // one that may be left out has a name, too
		if !p.Required && p.Else == "" && flags.Lookup(p.Name) == nil {
			f.flag(flags, &p)
		}
	}
	for _, list := range [][]Param{v.Args, v.Flags} {
		for i := range list {
			f.olderNames(flags, list[i])
		}
	}
	if v.Save {
		flags.StringVar(&f.out, flagOut, "", "write the picture or other file of the result to `FILE`")
	}
	if v.Watch {
		flags.BoolVar(&f.watch, flagWatch, false, "show each change until interrupted")
	}
	flags.BoolVar(&f.json, flagJSON, false, "print the result as JSON")
	return f
}

// flag declares the flag of a parameter.
func (f *form) flag(flags *pflag.FlagSet, p *Param) *pflag.Flag {
	val := &value{param: p, lenient: f.lenient}
	f.flags = append(f.flags, val)
	flag := flags.VarPF(val, p.Name, "", help(p))
	if p.Kind == Boolean || p.Value != "" {
		flag.NoOptDefVal = "true"
	}
	return flag
}

// olderNames declares a flag for each older name of a parameter, positional or not.
func (f *form) olderNames(flags *pflag.FlagSet, p Param) {
	for _, old := range p.Was {
		again := p
		again.Name, again.Was, again.Required = old, nil, false
		f.flag(flags, &again).Hidden = true
	}
}

// call joins flags, positional arguments and the verb's fixed arguments.
func (f *form) call(words []string) (Call, error) {
	given := make(map[string]json.RawMessage)
	for _, x := range f.verb.Fixed {
		given[x.Property] = json.RawMessage(x.Value)
	}
	if n := len(f.verb.Args); len(words) > n {
		hint := ""
		if f.verb.Save && f.out == "" {
			hint = "; --out FILE names the file to write"
		}
		return Call{}, usagef("%s takes %s, got %q beside%s", f.verb.Name, count(n), words[n], hint)
	}
	for i := range min(len(words), len(f.verb.Args)) {
		p := &f.verb.Args[i]
		val := &value{param: p, lenient: f.lenient}
		if err := val.Set(words[i]); err != nil {
			return Call{}, usagef("<%s>: %s", p.Name, err)
		}
		given[p.gives(words[i])] = val.json()
	}
	for _, val := range f.flags {
		p := val.param
		switch before, twice := given[p.Property]; {
		case !val.isSet():
		case twice && string(before) != string(val.json()):
			return Call{}, usagef("--%s and another argument both give %s", p.Name, p.Property)
		default:
			given[p.Property] = val.json()
		}
	}
	if err := f.missing(given); err != nil {
		return Call{}, err
	}
	args, err := marshal(given) // keys are sorted: the same command line makes the same bytes
	if err != nil {
		return Call{}, usagef("%s: %s", f.verb.Name, err)
	}
	return Call{Verb: f.verb, Args: args, Watch: f.watch, JSON: f.json, Out: f.out}, nil
}

// gives returns the property that a positional word is a value of.
func (p *Param) gives(word string) string {
	if p.Else == "" || isPlaceholder(word) {
		return p.Property
	}
	if ok, err := regexp.MatchString(p.Form, word); ok && err == nil { // the compiler has tried the form
		return p.Property
	}
	return p.Else
}

// missing returns an error for the first parameter that is required and not given.
func (f *form) missing(given map[string]json.RawMessage) error {
	for i, p := range append(slices.Clone(f.verb.Args), f.verb.Flags...) {
		if given[p.Property] != nil || p.Else != "" && given[p.Else] != nil || !p.Required {
			continue
		}
		if i < len(f.verb.Args) {
			return usagef("%s needs <%s>", f.verb.Name, p.Name)
		}
		return usagef("%s needs --%s", f.verb.Name, p.Name)
	}
	return nil
}

// marshal is json.Marshal without the escapes of HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func count(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

package command

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// InVerbs returns a server's message with command lines in place of the tools that it names: "try
// read_page {}" becomes "try prog snapshot". Quoted text is left alone, because it is of others. A
// tool counts where the message gives its arguments or advises to call it; the name of a rule or of a
// parameter stays, and so does a call that no verb can make. Arguments alone become
// those of the verb that was called, if any: "choose one, as {"ref":"e1"}" becomes "choose one, as --ref e1".
func InVerbs(verbs []Verb, program string, called *Verb, message string) string {
	var out strings.Builder
	replaced := 0 // end in out of the latest command line
	for i := 0; i < len(message); {
		n := quoteEnd(message[i:])
		if n == 0 {
			n = wordEnd(message[i:])
		}
		if own, n := called.ownArguments(message[i:], out.String()); n > 0 {
			out.WriteString(own)
			i += n
			continue
		}
		if n == 0 {
			out.WriteByte(message[i])
			i++
			continue
		}
		word := message[i : i+n]
		args := arguments(message[i+n:])
		line := ""
		before := out.String()
		if between := before[replaced:]; replaced > 0 && isList(between) || args != "" || isAdvice(before) {
			line = commandLine(verbs, word, args)
		}
		if line == "" {
			out.WriteString(word)
			i += n
			continue
		}
		out.WriteString(program + " " + line)
		replaced = out.Len()
		i += n + len(args)
	}
	return out.String()
}

// quoteEnd returns the length of the quoted text that begins a message; 0 when none does.
func quoteEnd(text string) int {
	if text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// wordEnd returns the length of the word that begins a message: of letters and all that joins them in
// names, addresses and paths.
func wordEnd(text string) int {
	n := 0
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z' || text[n] >= '0' && text[n] <= '9' || text[n] == '_' ||
		n > 0 && strings.IndexByte("-/.", text[n]) >= 0 && n+1 < len(text) && text[n+1] > ' ' || n == 0 && strings.IndexByte("-/", text[n]) >= 0 || text[n] >= 0x80) {
		n++
	}
	return n
}

// arguments returns the JSON object that follows a tool's name, with the space before it; "" when none
// does.
func arguments(text string) string {
	if !strings.HasPrefix(text, " {") {
		return ""
	}
	dec := json.NewDecoder(strings.NewReader(text[1:]))
	var object map[string]json.RawMessage
	if err := dec.Decode(&object); err != nil {
		return ""
	}
	return text[:1+dec.InputOffset()]
}

// ownArguments returns arguments that begin a text as the verb takes them, and their length in the text; 0 where the
// words before do not advise them or the verb does not take them.
func (v *Verb) ownArguments(text, before string) (words string, n int) {
	args := arguments(" " + text)
	if v == nil || args == "" || !strings.HasSuffix(before, " as ") {
		return "", 0
	}
	var given map[string]json.RawMessage
	words, ok := strings.CutPrefix(v.line([]byte(args)), v.Name+" ")
	if err := json.Unmarshal([]byte(args), &given); err != nil || !ok {
		return "", 0
	}
	for property := range given {
		if !slices.ContainsFunc(slices.Concat(v.Args, v.Flags), func(p Param) bool { return p.Property == property || p.Else == property }) {
			return "", 0
		}
	}
	return words, len(args) - 1
}

// isList reports whether a text joins two tools of a list.
func isList(between string) bool {
	return slices.Contains([]string{", ", " or ", " and ", ", or ", ", and "}, between)
}

// isAdvice reports whether a tool after a text is one to call.
func isAdvice(before string) bool {
	ends := []string{"call ", "Call ", "try ", "with ", "use ", "see ", ": ", "; "}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(before, end) })
}

// commandLine is the verb that makes a call of a tool, with its arguments; "" when there is none.
// Without args, it is the tool's most general verb.
func commandLine(verbs []Verb, tool, args string) string {
	best := ""
	bestFixed := -1
	for i := range verbs {
		v := &verbs[i]
		if v.Tool != tool {
			continue
		}
		if args == "" {
			if best == "" || bestFixed > len(v.Fixed) {
				best, bestFixed = v.Name, len(v.Fixed)
			}
			continue
		}
		line := v.line([]byte(strings.TrimSpace(args)))
		if line == "" || !makes(verbs, line, tool, args) {
			continue
		}
		if len(v.Fixed) > bestFixed || len(v.Fixed) == bestFixed && len(line) < len(best) {
			best, bestFixed = line, len(v.Fixed)
		}
	}
	return best
}

// makes reports whether a command line is the call.
func makes(verbs []Verb, line, tool, args string) bool {
	words, err := Split(line)
	if err != nil {
		return false
	}
	got, raw, err := Parse(verbs, words)
	if err != nil || got != tool {
		return false
	}
	a, err1 := canonical(raw)
	b, err2 := canonical([]byte(args))
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

func canonical(raw []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// line is the verb with arguments as people type it. It need not parse: a verb may not be able to give
// all of them.
func (v *Verb) line(raw []byte) string {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return ""
	}
	for _, x := range v.Fixed {
		delete(given, x.Property)
	}
	words := []string{v.Name}
	for i := range v.Args {
		p := &v.Args[i]
		name := p.Property
		if _, ok := given[name]; !ok && p.Else != "" {
			name = p.Else
		}
		value, ok := given[name]
		if !ok {
			break
		}
		words = append(words, word(value))
		delete(given, name)
	}
	for i := range v.Flags {
		p := &v.Flags[i]
		value, ok := given[p.Property]
		switch {
		case !ok:
			continue
		case p.Value != "" && p.Value != string(value):
			continue
		case p.Value != "" || string(value) == "true":
			words = append(words, "--"+p.Name)
		case string(value) == "false":
			words = append(words, "--"+p.Name+"=false")
		default:
			words = append(words, "--"+p.Name, word(value))
		}
		delete(given, p.Property)
	}
	return strings.Join(words, " ")
}

// bare is a word that needs no quotes in a shell.
const bare = `^[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+=:,./-]*$`

// word is a JSON value as a word of a shell.
func word(value json.RawMessage) string {
	text := string(value)
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = s
	}
	if ok, err := regexp.MatchString(bare, text); ok && err == nil {
		return text
	}
	if !strings.ContainsAny(text, "\"$`\\!") {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

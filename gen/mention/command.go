package mention

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// command holds a line against the command line of the program, if it is one of its verbs. The program's own commands
// and flags are not the compiler's to know.
func (c *checker) command(at diag.Pos, text string) {
	rest, ok := strings.CutPrefix(text, c.program+" ")
	if !ok || c.facts.Parse == nil || c.set.CLI == nil {
		return
	}
	argv := c.withoutProgramFlags(words(rest))
	if len(argv) == 0 || !isVerb(argv[0]) || slices.Contains(c.set.CLI.Commands, argv[0]) || slices.Contains(command.Commands(), argv[0]) {
		return
	}
	if slices.ContainsFunc(argv, elided) { // only the verb is sure to be meant as it stands
		known := slices.ContainsFunc(c.set.Commands(), func(v command.Verb) bool { return v.Name == argv[0] })
		if !known {
			c.diags.Errorf(at, ruleCommand, "%v", command.Unknown(c.set.Commands(), argv[0], c.set.CLI.Commands))
		}
		return
	}
	if err := c.facts.Parse(argv); err != nil {
		c.diags.Errorf(at, ruleCommand, "this command is not one: %v", err)
	}
}

// isVerb reports whether a word is spelt as a verb: not a flag, a placeholder, a path or the beginning of a sentence.
func isVerb(word string) bool {
	return word[0] >= 'a' && word[0] <= 'z' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// elided reports a word that stands for what the author has left out.
func elided(word string) bool {
	return strings.HasPrefix(word, "[") || strings.HasSuffix(word, "…") && word != "…" || word == "..." || strings.Contains(word, "|")
}

// withoutProgramFlags drops the flags that every verb has from the program.
func (c *checker) withoutProgramFlags(argv []string) []string {
	var out []string
	for i := 0; i < len(argv); i++ {
		name, _, valued := strings.Cut(strings.TrimPrefix(argv[i], "--"), "=")
		if strings.HasPrefix(argv[i], "--") && slices.Contains(c.set.CLI.Flags, name) {
			if !valued {
				i++
			}
			continue
		}
		out = append(out, argv[i])
	}
	return out
}

// words splits a line as a shell does, as far as documents need it: quotes group, and a comment, a pipe, a redirection or
// a second command ends it. A <placeholder> is no redirection.
func words(text string) []string {
	var out []string
	var b strings.Builder
	var quote byte
	begun := false
	flush := func() {
		if begun {
			out = append(out, b.String())
		}
		b.Reset()
		begun = false
	}
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case quote != 0 && ch == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(ch)
		case ch == '"' || ch == '\'':
			quote, begun = ch, true
		case ch == ' ' || ch == '\t':
			flush()
		case ch == '<' && strings.Contains(text[i:], ">") && !begun:
			end := i + strings.IndexByte(text[i:], '>')
			b.WriteString(text[i : end+1])
			i, begun = end, true
		case ch == '#' && !begun, ch == '|' && !begun, ch == ';', ch == '&', ch == '>':
			flush()
			return out
		default:
			b.WriteByte(ch)
			begun = true
		}
	}
	flush()
	return out
}

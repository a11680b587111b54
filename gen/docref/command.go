package docref

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// command parses a text with the command line of the program, if it begins with one of its verbs.
// The compiler does not know the program's own commands and flags.
func (in *Input) command(text string) error {
	rest, ok := strings.CutPrefix(text, in.program+" ")
	if !ok || in.facts.Parse == nil || in.set.CLI == nil {
		return nil
	}
	argv := in.withoutProgramFlags(words(rest))
	if len(argv) == 0 || !isVerb(argv[0]) || slices.Contains(in.set.CLI.Commands, argv[0]) || slices.Contains(command.Commands(), argv[0]) {
		return nil
	}
	if slices.ContainsFunc(argv, isElided) { // only the verb is sure to be meant as it stands
		known := slices.ContainsFunc(in.set.Commands(), func(v command.Verb) bool { return v.Name == argv[0] })
		if !known {
			return command.Unknown(in.set.Commands(), argv[0], in.set.CLI.Commands)
		}
		return nil
	}
	if err := in.facts.Parse(argv); err != nil {
		return fmt.Errorf("this command is not one: %w", err)
	}
	return nil
}

// isVerb reports whether a word is spelt as a verb: not a flag, a placeholder, a path or the
// beginning of a sentence.
func isVerb(word string) bool {
	return word[0] >= 'a' && word[0] <= 'z' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// isElided reports a word that stands for what the author has left out.
func isElided(word string) bool {
	return strings.HasPrefix(word, "[") || strings.HasSuffix(word, "…") && word != "…" || word == "..." || strings.Contains(word, "|")
}

// withoutProgramFlags drops the flags that every verb has from the program.
func (in *Input) withoutProgramFlags(argv []string) []string {
	var out []string
	for i := 0; i < len(argv); i++ {
		name, _, valued := strings.Cut(strings.TrimPrefix(argv[i], "--"), "=")
		if strings.HasPrefix(argv[i], "--") && slices.Contains(in.set.CLI.Flags, name) {
			if !valued {
				i++
			}
			continue
		}
		out = append(out, argv[i])
	}
	return out
}

// words splits a line as a shell does, as far as documents need it: quotes group, and a comment, a
// pipe, a redirection or a second command ends it. A <placeholder> is no redirection.
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

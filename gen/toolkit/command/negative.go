package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// isNegative reports whether a word begins with a negative number. No flag does.
func isNegative(word string) bool {
	number, isMinus := strings.CutPrefix(word, "-")
	number = strings.TrimPrefix(number, ".")
	return isMinus && number != "" && number[0] >= '0' && number[0] <= '9'
}

// Arguments returns a command line of a tree in which negative numbers are values, not flags.
func Arguments(root *cobra.Command, argv []string) []string {
	if !slices.ContainsFunc(argv, isNegative) {
		return argv
	}
	cmd, rest, err := root.Find(argv)
	if err != nil || cmd == root {
		return argv
	}
	cmd.InheritedFlags() // adds them to Flags
	return append(strings.Fields(cmd.CommandPath())[1:], valuesLast(cmd.Flags(), rest)...)
}

// valuesLast moves positional words behind "--" if one of them is a negative number.
func valuesLast(flags *pflag.FlagSet, argv []string) []string {
	var options, values []string
	for i := 0; i < len(argv); i++ {
		switch word := argv[i]; {
		case word == "--":
			values, i = append(values, argv[i+1:]...), len(argv)
		case !strings.HasPrefix(word, "-"), word == "-", isNegative(word):
			values = append(values, word)
		default:
			options = append(options, word)
			if i+1 < len(argv) && takesNext(flags, word) {
				i++
				options = append(options, argv[i])
			}
		}
	}
	if !slices.ContainsFunc(values, isNegative) {
		return argv
	}
	return slices.Concat(options, []string{"--"}, values)
}

// takesNext reports whether the value of a flag is the next word.
func takesNext(flags *pflag.FlagSet, word string) bool {
	name, isLong := strings.CutPrefix(word, "--")
	if !isLong || strings.Contains(name, "=") {
		return false
	}
	f := flags.Lookup(name)
	return f != nil && f.NoOptDefVal == ""
}

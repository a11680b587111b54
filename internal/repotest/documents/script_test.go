//go:build unix

package documents

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scriptHead has what the lines of a script use: says waits for a text in a file, check compares exit codes, until_says
// ends a program that has said something, background starts one that ends with the script, and shown repeats a command
// behind a character that no program prints. Ids in documents are those that earlier commands have printed.
const scriptHead = `set -uo pipefail
fail() { echo "FAILED: $*"; exit 1; }
says() { for _ in $(seq 1200); do grep -qE "$1" "$2" && return; read -rt 0.1 <> <(:) || true; done; fail "no $1 in $(cat "$2")"; }
check() { [ "$1" = "$2" ] || fail "exit code $1, want $2"; }
shown() { printf '\036%s\n' "${1//$'\n'/ }"; }
background() { setsid bash -c "exec $1" >"$SCRATCH/background.log" 2>&1 & groups+=" -$!"; }
end_background() { [ -z "$groups" ] || { kill -- $groups; wait ${groups//-/}; groups=""; }; }
until_says() {
  bash -c "exec $2" >"$SCRATCH/said.log" 2>&1 & local pid=$!
  says "$1" "$SCRATCH/said.log"; cat "$SCRATCH/said.log"; kill -INT $pid; wait $pid; check $? 0
}
recording() { grep -o 'rec-[0-9]*-[0-9]*-[a-z0-9]*' "$SCRATCH/transcript" | tail -1; }
job() { callsheet jobs list | awk 'NR == 1 { print $1 }'; }
groups=""; trap 'end_background 2>/dev/null' EXIT
exec > >(exec tee "$SCRATCH/transcript") 2>&1
`

// separator precedes the number of a block in the output of a script.
const separator = "\x1d"

// scriptOf returns a bash script that runs the commands of blocks and writes their files.
func scriptOf(blocks []block, before string) string {
	var b strings.Builder
	b.WriteString(scriptHead + before + "\n")
	for i := range blocks {
		fmt.Fprintf(&b, "echo $'\\x1d'%d\n", i)
		all := blocks[i].commands()
		for n, c := range all {
			writeCommand(&b, c, blocks[i].word, n == len(all)-1)
		}
		if blocks[i].language != "sh" && blocks[i].language != "text" && blocks[i].word != "" {
			name := quote(blocks[i].word)
			fmt.Fprintf(&b, "mkdir -p \"$(dirname %s)\"\ncat >%s <<'END OF FILE'\n%sEND OF FILE\n", name, name, blocks[i].text)
		}
	}
	return b.String()
}

// writeCommand writes the lines for one command. A block of the word fails has a last command that fails; one of the word
// background has a server.
func writeCommand(b *strings.Builder, c command, word string, last bool) {
	if c.mark != nil {
		return
	}
	r := ruleOf(c.text)
	line, _, _ := cutComment(c.text)
	fmt.Fprintf(b, "shown %s\n", quote(line))
	switch {
	case word == "background":
		fmt.Fprintf(b, "background %s\nuntil (exec 9<>/dev/tcp/${HTTP/://}) 2>/dev/null; do read -rt 0.1 <> <(:) || true; done\n", quote(line))
	case r.until != "" && strings.HasPrefix(line, "make "): // which has children
		fmt.Fprintf(b, "background %s\nsays %s \"$SCRATCH/background.log\"; end_background\n", quote(line), quote(r.until))
	case r.until != "":
		fmt.Fprintf(b, "until_says %s %s\n%s\n", quote(r.until), quote(line), r.then)
	case word == "fails" && last:
		fmt.Fprintf(b, "%s\n[ $? != 0 ] || fail 'it succeeds'\n", line)
	default:
		fmt.Fprintf(b, "%s\ncheck $? %d\n%s\n", line, r.code, r.then)
	}
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// run runs a script in a directory and compares what blocks show with what the commands before them printed.
func run(t *testing.T, script, dir string, env []string, compared []block) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", script)
	bash.WaitDelay = time.Second // a program that it has started may hold its output
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bash.Cancel = func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGTERM) }
	bash.Dir, bash.Env = dir, append(env, "SCRATCH="+t.TempDir())
	out, err := bash.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.ReplaceAll(string(out), "\x1e", "+ "))
	}
	printed := make(map[int]string)
	for part := range strings.SplitSeq(string(out), separator) {
		number, text, _ := strings.Cut(part, "\n")
		if i, err := strconv.Atoi(number); err == nil {
			printed[i] = withoutCommands(text)
		}
	}
	for i, b := range compared {
		if i > 0 && b.language == "text" && compared[i-1].language == "sh" && !matches(b.text, printed[i-1]) {
			t.Errorf("%s:%d shows\n%s\nand the commands before print\n%s", b.document, b.line, b.text, printed[i-1])
		}
	}
}

// withoutCommands removes the lines of shown.
func withoutCommands(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "\x1e") {
			b.WriteString(line)
		}
	}
	return b.String()
}

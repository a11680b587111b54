// Command packaging makes the files of a release of callsheet and checks them. It is no part of the
// product: its module keeps the libraries of package formats out of the server's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/scripts/packaging/internal/check"
	"github.com/callsheet/callsheet/scripts/packaging/internal/client"
	"github.com/callsheet/callsheet/scripts/packaging/internal/compile"
	"github.com/callsheet/callsheet/scripts/packaging/internal/notices"
	"github.com/callsheet/callsheet/scripts/packaging/internal/release"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// semantic is the form of a version that npm, Debian and the protocol's registry all take.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(alpha|beta|rc)\.\d+)?$`)

const usage = `usage:
  packaging build -version 1.2.3 [-targets all|host|linux/amd64,…] [-root DIR] [-out DIR]
  packaging notices [-root DIR]    print the licences of the linked modules
  packaging check DIR
  packaging starts [-rounds 21] [-most 15ms] COMMAND…    measure how soon each command serves, beside the first
  packaging read COMMAND…    open a page in the server that the command starts, and read it`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch args[0] {
	case "build":
		return build(ctx, args[1:])
	case "notices":
		return printNotices(ctx, args[1:])
	case "check":
		return checkDirectory(ctx, args[1:])
	case "read":
		return read(ctx, args[1:])
	case "starts":
		return starts(ctx, args[1:])
	}
	return fmt.Errorf("unknown command %q; %s", args[0], usage)
}

func build(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	version := flags.String("version", "", "the version, as 1.2.3")
	names := flags.String("targets", "all", "systems and processors")
	root := flags.String("root", ".", "the checkout")
	out := flags.String("out", "dist", "where the files are written; emptied first")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !semantic.MatchString(*version) {
		return fmt.Errorf("-version %q is no version of a release, as 1.2.3 and 1.2.3-rc.1 are", *version)
	}
	targets, err := target.Parse(*names)
	if err != nil {
		return err
	}
	made, err := sourceTime(ctx, *root)
	if err != nil {
		return err
	}
	return release.Build(ctx, release.Options{
		Source: compile.Source{Root: *root, Version: *version, Time: made}, Targets: targets, Out: *out,
		Log: func(format string, args ...any) { fmt.Printf(format+"\n", args...) },
	})
}

func printNotices(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	root := flags.String("root", ".", "the checkout")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := notices.Text(ctx, *root)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

func checkDirectory(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New(usage)
	}
	r, err := check.Directory(ctx, args[0])
	if err != nil {
		return err
	}
	for _, p := range r.Problems {
		fmt.Println(p)
	}
	if len(r.Problems) > 0 {
		return fmt.Errorf("%d problems in %s", len(r.Problems), args[0])
	}
	fmt.Printf("version=%s statements=%d programs=%d tools/list=%d bytes from %s\n",
		r.Version, r.Statements, r.Programs, r.ToolsBytes, strings.Join(r.Started, ", "))
	return nil
}

// read serves a page on the loopback interface, has a server read it, and fails unless the page's text is in the answer.
func read(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	const word = "Read by an installed package"
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<!doctype html><title>Page</title><h1>%s</h1>", word)
	})
	server := &http.Server{Handler: page, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	defer func() { _ = server.Close() }()
	text, err := client.Read(ctx, "http://"+ln.Addr().String()+"/", client.Server{Command: args})
	if err == nil && !strings.Contains(text, word) {
		err = fmt.Errorf("the reading lacks %q: %s", word, text)
	}
	fmt.Print(text)
	return err
}

// sourceTime returns the time that every file of the release has: SOURCE_DATE_EPOCH, or that of the last commit.
func sourceTime(ctx context.Context, root string) (time.Time, error) {
	const variable = "SOURCE_DATE_EPOCH"
	text := os.Getenv(variable)
	if text == "" {
		return compile.CommitTime(ctx, root)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s=%q is no number of seconds", variable, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

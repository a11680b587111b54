package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/login/totp"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// maxSecretBytes bounds what is read as a secret, in bytes.
const maxSecretBytes = 4096

// totpVerbs are the commands about the secrets of one-time codes.
type totpVerbs struct {
	program

	open func() (*totp.File, error)
}

// totpCommand keeps the secrets of one-time codes in the encrypted file. A secret is never an
// argument: every user of the machine can read those, and the shell writes them down.
func (p program) totpCommand() *cobra.Command {
	var dir string
	v := totpVerbs{program: p, open: func() (*totp.File, error) {
		kept, err := statedir.New(dir)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		return totp.NewFile(kept, seal.New(seal.FromEnvironment)), nil
	}}
	cmd := &cobra.Command{
		Use: "totp", Short: "Keep the secrets of one-time codes, encrypted under the key of " + seal.KeyVariable,
	}
	cmd.PersistentFlags().StringVar(&dir, "state-dir", "", "the state `DIR`ectory of the server that is to give codes")
	cmd.AddCommand(
		&cobra.Command{Use: "add DOMAIN", Short: "Keep a site's secret, which is read from standard input", Args: oneDomain,
			RunE: func(_ *cobra.Command, args []string) error { return v.add(args[0]) }},
		&cobra.Command{Use: "list", Short: "List the sites that have a secret here", Args: noArguments,
			RunE: func(*cobra.Command, []string) error { return v.list() }},
		&cobra.Command{Use: "remove DOMAIN", Short: "Forget a site's secret", Args: oneDomain,
			RunE: func(_ *cobra.Command, args []string) error { return v.remove(args[0]) }},
	)
	return cmd
}

// oneDomain refuses everything but one domain, and repeats nothing of it: a second argument may be
// the secret.
func oneDomain(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return exit.Misuse(fmt.Errorf("%s: the domain is missing, as example.com", cmd.Name()))
	case len(args) > 1:
		return exit.Misuse(fmt.Errorf("%s takes a domain and nothing else; a secret is read from standard input, as others can see arguments", cmd.Name()))
	}
	domain, err := totp.NormalizeDomain(args[0])
	if err != nil {
		return exit.Misuse(err)
	}
	args[0] = domain
	return nil
}

func (v totpVerbs) add(domain string) error {
	file, err := v.open()
	if err != nil {
		return err
	}
	if _, err := file.Domains(); err != nil { // reports a wrong key before a person types a secret
		return err
	}
	secret, err := v.readSecret(domain)
	if err != nil {
		return err
	}
	if err := totp.Check(secret); err != nil {
		return exit.Misuse(fmt.Errorf("that is no secret of one-time codes: %w; sites show it as base32 text or an otpauth:// address", err))
	}
	had, err := file.Set(domain, secret)
	if err != nil {
		return err
	}
	if had {
		return v.printLine("replaced the secret of %s in %s", domain, file.Path())
	}
	return v.printLine("kept the secret of %s in %s", domain, file.Path())
}

// readSecret reads one line: from a person without showing it, from a program as it comes.
func (v totpVerbs) readSecret(domain string) (string, error) {
	if f, ok := v.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		_, _ = fmt.Fprintf(v.stderr, "secret of %s (not shown): ", domain)
		text, err := term.ReadPassword(int(f.Fd()))
		_, _ = fmt.Fprintln(v.stderr)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	text, err := io.ReadAll(io.LimitReader(v.stdin, maxSecretBytes+1))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	switch {
	case secret == "":
		return "", exit.Misuse(errors.New("the secret is missing: write it to standard input, or run this on a terminal"))
	case len(text) > maxSecretBytes || strings.ContainsAny(secret, "\r\n"):
		return "", exit.Misuse(errors.New("standard input holds more than one line, which no secret does"))
	}
	return secret, nil
}

func (v totpVerbs) list() error {
	file, err := v.open()
	if err != nil {
		return err
	}
	domains, err := file.Domains()
	if err != nil {
		return err
	}
	for _, domain := range domains {
		if err := v.printLine("%s", domain); err != nil {
			return err
		}
	}
	return nil
}

func (v totpVerbs) remove(domain string) error {
	file, err := v.open()
	if err != nil {
		return err
	}
	if secret, err := file.Get(domain); err != nil {
		return err
	} else if secret == "" {
		return exit.Misuse(fmt.Errorf("there is no secret of %s in %s", domain, file.Path()))
	}
	if _, err := file.Set(domain, ""); err != nil {
		return err
	}
	return v.printLine("forgot the secret of %s", domain)
}

func (p program) printLine(format string, args ...any) error {
	_, err := fmt.Fprintf(p.stdout, format+"\n", args...)
	return err
}

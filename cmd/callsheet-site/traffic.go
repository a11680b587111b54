package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/site/traffic"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// trafficFlags is the flags of site check about the traffic of the site, and what they lead to.
type trafficFlags struct {
	recordFile, replayFile string

	recorder *traffic.Recorder // nil without recordFile
	replay   *traffic.Replay   // nil without replayFile
}

func (t *trafficFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&t.recordFile, "record", "", "write what the site answers into this HAR `FILE`, without secrets")
	f.StringVar(&t.replayFile, "har", "", "use no network: answer every request from this HAR `FILE`, of --record, DevTools or Playwright")
}

// apply prepares the browser for the site of a directory, before it is launched.
func (t *trafficFlags) apply(cfg *options.Config, dir string) error {
	if t.recordFile == "" && t.replayFile == "" {
		return nil
	}
	switch {
	case t.recordFile != "" && t.replayFile != "":
		return errors.New("--record and --har exclude each other: a recording is made of the live site")
	case cfg.CDPEndpoints != "" || cfg.Attach != "" || cfg.Provider.Name != "":
		return errors.New("--record and --har need a browser that callsheet launches, without --cdp-endpoint, --attach and --browser-provider")
	case t.recordFile != "":
		t.recorder = new(traffic.Recorder)
		cfg.Browser.Traffic = t.recorder
		return nil
	}
	cfg.Vault = withStandIns(cfg.Vault, dir)
	var err error
	if t.replay, err = traffic.Open(t.replayFile, cfg.Vault.Redact); err != nil {
		return fmt.Errorf("--har: %w", err)
	}
	cfg.Browser.Traffic = t.replay
	return nil
}

// withStandIns adds values for the secrets of a site that the vault lacks. A site that cannot be read is left to
// the compiler.
func withStandIns(vault *secret.Vault, dir string) *secret.Vault {
	return vault.WithStandIns(secretNames(dir))
}

// secretNames lists the secrets of a site; nil where its source cannot be read.
func secretNames(dir string) (names []string) {
	site, _, err := source.Load(dir)
	if err != nil || site == nil {
		return nil
	}
	for _, s := range site.Secrets {
		names = append(names, s.Value)
	}
	return names
}

// missing returns what lists the requests that the recording lacks; nil for a live site.
func (t *trafficFlags) missing() func() []traffic.Request {
	if t.replay == nil {
		return nil
	}
	return t.replay.TakeMissing
}

// save writes the recording, in one step.
func (t *trafficFlags) save(p program, vault *secret.Vault) error {
	if t.recorder == nil {
		return nil
	}
	data, sum, err := t.recorder.HAR(vault.Redact)
	if err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	if err := atomicfile.Write(t.recordFile, data, 0o600); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	note := ""
	if sum.Bodiless > 0 {
		note = fmt.Sprintf(", %d without their body", sum.Bodiless)
	}
	_, err = fmt.Fprintf(p.stderr, "recorded %d requests in %s%s\n", sum.Requests, t.recordFile, note)
	return err
}

package main

import (
	"fmt"
	"os"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/site/webmcpjs"
)

// writeSiteScript writes the script with which the owner of a site offers its tools as WebMCP. It prints
// why tools are left out, and writes nothing without any tool. The site has been compiled.
func (p program) writeSiteScript(dir, file string) error {
	site, _, err := source.Load(dir)
	if err != nil {
		return exit.Misuse(err)
	}
	script, left, err := webmcpjs.Emit(site)
	if err != nil {
		return exit.Misuse(err)
	}
	if err := compile.Print(p.stderr, left); err != nil {
		return err
	}
	omitted := map[string]bool{}
	for _, d := range left {
		omitted[d.Pos.File] = true
	}
	if len(omitted) == len(site.Tools) {
		_, _ = fmt.Fprintln(p.stderr, "no script is written: a page's own script can run none of the tools")
		return exit.RefusedError{}
	}
	if err := os.WriteFile(file, script, 0o644); err != nil { // a script that browsers load
		return exit.Misuse(err)
	}
	_, err = fmt.Fprintf(p.stdout, "wrote %s with %d of %d tools\n", file, len(site.Tools)-len(omitted), len(site.Tools))
	return err
}

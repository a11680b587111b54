// Package greeting handles the tools of manifest/tools/greeting.yaml.
package greeting

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/minimal/generated/toolset/greetingapi"
)

// Tools implements greetingapi.Handlers.
type Tools struct{}

// Greet handles the tool greet. Its arguments have been checked against the manifest.
func (*Tools) Greet(_ context.Context, _ *toolkit.Call, in greetingapi.GreetParams) (toolkit.Result, error) {
	switch in.Language {
	case greetingapi.GreetLanguageFr:
		return toolkit.Textf("Bonjour, %s !", in.Name), nil
	case greetingapi.GreetLanguageDe:
		return toolkit.Textf("Hallo, %s!", in.Name), nil
	default:
		return toolkit.Textf("Hello, %s!", in.Name), nil
	}
}

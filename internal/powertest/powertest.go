// Package powertest has a value of every power, for tests that call a function which demands one. No
// code that ships may import it, and it must not know tools.
package powertest

import (
	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
)

var all = operator.Grant("test")

// The powers.
var (
	Navigation = power.NewNavigation(all)
	Window     = power.NewWindow(all)
	Script     = power.NewScript(all)
	FileRead   = power.NewFileRead(all)
	FileWrite  = power.NewFileWrite(all)
	Download   = power.NewDownload(all)
	Upload     = power.NewUpload(all)
	Clipboard  = power.NewClipboard(all)
	Network    = power.NewNetwork(all)
	Storage    = power.NewStorage(all)
	Secret     = power.NewSecret(all)
	Totp       = power.NewTotp(all)
	Process    = power.NewProcess(all)
)

// Package secret keeps secrets apart from scripts. It fills references to secrets into text that is
// typed, refuses scripts of callers on documents that got one, and finds and masks the secrets that a
// page shows. It must not know where secrets are kept: a [Filler] of the context does.
package secret

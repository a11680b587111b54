package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// secretPattern matches a reference to a secret or to a one-time code, which the dispatcher of calls
// replaces by its value.
var secretPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(?:secret|totp):[^{}]*\}`) })

// Types reports whether a step of the tool has a secret, or a one-time code of it, by name.
func (t *Tool) Types(name string) bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool {
		return strings.Contains(string(s.Args), "{secret:"+name+"}") || strings.Contains(string(s.Args), "{totp:"+name+"}")
	})
}

// namesSecret reports whether a value holds the beginning of a reference to a secret, at any depth.
func namesSecret(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "{secret:") || strings.Contains(v, "{totp:")
	case []any:
		return slices.ContainsFunc(v, namesSecret)
	case map[string]any:
		for key, member := range v {
			if namesSecret(key) || namesSecret(member) {
				return true
			}
		}
	}
	return false
}

// secretError is the refusal of an argument that would let the caller choose the secret that a tool types.
func secretError(tool, parameter string) error {
	return fault.New(codes.InvalidArguments, fmt.Sprintf("%s of %s holds {secret: or {totp:, and a tool of a site types only the secrets that its file names; "+
		"give another value, or write the secret into a step of the tool", parameter, tool))
}

// checkSecrets refuses arguments of a step in which the values of the caller make a reference to a secret:
// one that neither the step nor a value of the site has.
func (c *call) checkSecrets(step *Step, args []byte) error {
	known := secretPattern().FindAllString(string(step.Args)+compact(c.Site.Values), -1)
	for _, p := range c.tool.Parameters {
		known = append(known, secretPattern().FindAllString(string(p.Default), -1)...)
	}
	for _, ref := range secretPattern().FindAllString(string(args), -1) {
		if !slices.Contains(known, ref) {
			return fault.New(codes.InvalidArguments, fmt.Sprintf("the arguments of %s make %s, and a tool of a site types only the secrets that its file names; give other values", c.tool.Name, ref))
		}
	}
	return nil
}

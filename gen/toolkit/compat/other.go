package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

func (e *entry) argument(name string) *argument {
	i := slices.IndexFunc(e.Arguments, func(a argument) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &e.Arguments[i]
}

func checkArgumentsDeleted(s *subject) []Finding {
	if !s.both() {
		return nil
	}
	var out []Finding
	for _, a := range s.was.Arguments {
		if s.now.argument(a.Name) == nil {
			out = append(out, Finding{Path: a.Name, Message: "it is no longer an argument"})
		}
	}
	return out
}

func checkArgumentsRequired(s *subject) []Finding {
	if !s.both() {
		return nil
	}
	var out []Finding
	for _, a := range s.now.Arguments {
		switch was := s.was.argument(a.Name); {
		case a.Required && was == nil:
			out = append(out, Finding{Path: a.Name, Message: "it is new and required"})
		case a.Required && !was.Required:
			out = append(out, Finding{Path: a.Name, Message: "it was optional and is required"})
		}
	}
	return out
}

// moved returns the resource or template that has the label of one that is gone; nil without one.
func (s *subject) moved() *entry {
	if s.was == nil || s.now != nil || s.was.Label == "" || s.kind != "resource" && s.kind != "template" {
		return nil
	}
	for _, e := range s.all.now.order {
		if e.Label == s.was.Label && s.all.was.find(e.name) == nil {
			return e
		}
	}
	return nil
}

func checkAddress(s *subject) []Finding {
	if e := s.moved(); e != nil {
		return say("%q is at %s now", s.was.Label, e.name)
	}
	return nil
}

func checkMIME(s *subject) []Finding {
	if !s.both() || s.was.MIME == "" || s.was.MIME == s.now.MIME {
		return nil
	}
	return say("its MIME type was %q and is %q", s.was.MIME, s.now.MIME)
}

// serverRule is a row about the server as a whole.
type serverRule struct {
	diag.Description
	check func(was, now *offered.Server) []Finding
}

func serverRules() []serverRule {
	return []serverRule{
		{diag.Description{ID: capabilityNoDelete, Severity: diag.Error, Doc: "A server no longer has a capability. A client that remembers it gets \"method not found\"."}, checkCapabilities},
		{diag.Description{ID: listChangedNoDelete, Severity: diag.Warning, Doc: "A server no longer announces that a list changed. A client that waits for that keeps a stale list."}, checkListChanged},
		{diag.Description{ID: protocolNoLower, Severity: diag.Warning, Doc: "A server speaks an older version of the protocol. What the newer one has is gone."}, checkProtocol},
		{diag.Description{ID: serverChanged, Severity: diag.Info, Doc: "A server has another name, version or instructions, or a new capability."}, checkServer},
	}
}

func compareServers(was, now *offered.Server) []Finding {
	var out []Finding
	for _, r := range serverRules() {
		for _, f := range r.check(was, now) {
			f.Rule, f.Severity, f.Kind = r.ID, r.Severity, "server"
			out = append(out, f)
		}
	}
	return out
}

// listChanged is the member of a capability that announces changes of its list.
const listChanged = "listChanged"

// capabilities flattens the capabilities to paths, two deep. A member that is false is absent.
func capabilities(s *offered.Server) map[string]bool {
	var all map[string]json.RawMessage
	if json.Unmarshal(s.Capabilities, &all) != nil {
		return nil
	}
	out := map[string]bool{}
	for name, value := range all {
		if string(value) == "null" {
			continue
		}
		out[name] = true
		var members map[string]any
		_ = json.Unmarshal(value, &members) // one that is no object has no members
		for member, v := range members {
			if v != false && v != nil {
				out[name+"."+member] = true
			}
		}
	}
	return out
}

// lost lists the capabilities that are gone, and those that are new.
func lost(was, now *offered.Server) (gone, fresh []string) {
	a, b := capabilities(was), capabilities(now)
	if was.Capabilities == nil || now.Capabilities == nil {
		return nil, nil
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !b[name] {
			gone = append(gone, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !a[name] {
			fresh = append(fresh, name)
		}
	}
	return gone, fresh
}

func announces(name string) bool {
	return len(name) > len(listChanged) && name[len(name)-len(listChanged):] == listChanged
}

func checkCapabilities(was, now *offered.Server) []Finding {
	var out []Finding
	gone, _ := lost(was, now)
	for _, name := range gone {
		if !announces(name) {
			out = append(out, Finding{Path: name, Message: "the capability is gone"})
		}
	}
	return out
}

func checkListChanged(was, now *offered.Server) []Finding {
	var out []Finding
	gone, _ := lost(was, now)
	for _, name := range gone {
		if announces(name) {
			out = append(out, Finding{Path: name, Message: "changes of the list are no longer announced"})
		}
	}
	return out
}

func checkProtocol(was, now *offered.Server) []Finding {
	if was.ProtocolVersion == "" || now.ProtocolVersion == "" || now.ProtocolVersion >= was.ProtocolVersion {
		return nil
	}
	return say("the protocol version was %s and is %s", was.ProtocolVersion, now.ProtocolVersion)
}

func checkServer(was, now *offered.Server) []Finding {
	var out []Finding
	for _, c := range []struct{ what, was, now string }{
		{"name", was.ServerName(), now.ServerName()}, {"version", was.Version(), now.Version()}, {"protocol version", was.ProtocolVersion, max(was.ProtocolVersion, now.ProtocolVersion)},
	} {
		if c.was != "" && c.now != "" && c.was != c.now {
			out = append(out, Finding{Message: fmt.Sprintf("its %s was %s and is %s", c.what, c.was, c.now)})
		}
	}
	if was.Capabilities == nil || now.Capabilities == nil {
		return out
	}
	if was.Instructions != now.Instructions {
		out = append(out, Finding{Message: "its instructions changed", Was: was.Instructions, Now: now.Instructions})
	}
	_, fresh := lost(was, now)
	for _, name := range fresh {
		out = append(out, Finding{Path: name, Message: "the capability is new"})
	}
	return out
}

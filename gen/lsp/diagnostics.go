package lsp

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/lsp/wire"
)

// publish sends the diagnostics of each file for which they have become others.
func (m *module) publish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	byFile := map[string]diag.List{}
	for name := range m.buffers {
		byFile[name] = nil
	}
	for _, d := range m.present() {
		byFile[d.Pos.File] = append(byFile[d.Pos.File], d)
	}
	now := map[string]wire.Publish{}
	for name, list := range byFile {
		p := wire.Publish{URI: m.uri(name), Diagnostics: m.convert(name, list)}
		if b, open := m.buffers[name]; open {
			p.Version = &b.version
		}
		now[p.URI] = p
	}
	for uri := range m.sent {
		if _, ok := now[uri]; !ok {
			now[uri] = wire.Publish{URI: uri, Diagnostics: []wire.Diagnostic{}}
		}
	}
	for uri, p := range now {
		m.send(uri, p)
	}
}

// send publishes what is known of one file, if the client does not have it yet.
func (m *module) send(uri string, p wire.Publish) {
	data, err := json.Marshal(p.Diagnostics)
	if err != nil || m.sent[uri] == string(data) {
		return
	}
	if m.sent[uri] = string(data); len(p.Diagnostics) == 0 {
		delete(m.sent, uri)
	}
	if err := m.conn.Notify("textDocument/publishDiagnostics", p); err != nil {
		delete(m.sent, uri)
	}
}

// convert turns the problems of a file into those of the protocol. The caller holds mu.
func (m *module) convert(name string, list diag.List) []wire.Diagnostic {
	out := make([]wire.Diagnostic, 0, len(list))
	lines := m.linesLocked(name)
	for _, d := range list {
		c := wire.Diagnostic{Range: rangeOf(lines, d.Pos), Severity: wire.SeverityError, Code: d.Rule, Source: "toolgen", Message: d.Message}
		if d.Hint != "" {
			c.Message += "; " + d.Hint
		}
		if d.Detail != "" {
			c.Message += "\n" + d.Detail
		}
		if d.Severity == diag.Warning {
			c.Severity = wire.SeverityWarning
		}
		c.Related = m.related(d)
		out = append(out, c)
	}
	return out
}

// related lists the other places that a problem names. The caller holds mu.
func (m *module) related(d diag.Diagnostic) []wire.Related {
	var out []wire.Related
	add := func(at diag.Pos, message string) {
		out = append(out, wire.Related{Location: wire.Location{URI: m.uri(at.File), Range: rangeOf(m.linesLocked(at.File), at)}, Message: message})
	}
	if d.Related != nil {
		add(d.Related.Pos, d.Related.Message)
	}
	for _, at := range d.Also {
		add(at, "the same mistake")
	}
	return out
}

// without returns the diagnostics of all that known does not have.
func without(all, known diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(all), func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(known, func(k diag.Diagnostic) bool {
			return k.Pos == d.Pos && k.Rule == d.Rule && k.Message == d.Message
		})
	})
}

// found lists the present diagnostics of a file.
func (m *module) found(name string) diag.List {
	m.lint()
	m.mu.Lock()
	defer m.mu.Unlock()
	var out diag.List
	for _, d := range m.present() {
		if d.Pos.File == name {
			out = append(out, d)
		}
	}
	return out
}

// present lists the diagnostics of the present texts. The caller holds mu.
func (m *module) present() diag.List {
	if m.moreT != m.edition {
		return m.linted.Diags
	}
	return slices.Concat(m.linted.Diags, m.more)
}

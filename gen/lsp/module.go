package lsp

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/lsp/wire"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// module is a manifest of a module, with open documents. It is checked in two stages: the manifest alone after each
// change, and, once nothing is typed any more, everything with the code and the documents.
type module struct {
	root string
	file string // the root file of the manifest
	conn *wire.Conn
	log  func(error)

	wake chan struct{} // has room for one: a change came

	linting sync.Mutex // guards linter
	linter  gen.Linter

	mu      sync.Mutex
	source  gen.Source // as it is on disk
	buffers map[string]buffer
	edition int // how often a text has changed
	linted  gen.Linted
	lintedT int            // the edition of linted
	tree    *spec.Tree     // the last one that could be read
	set     *model.Toolset // the last correct one
	more    diag.List      // what the whole check found beside linted
	moreT   int            // the edition of more
	sent    map[string]string
}

func newModule(of manifest, conn *wire.Conn, log func(error)) (*module, error) {
	src, err := gen.LoadManifest(of.root, of.file)
	if err != nil {
		return nil, err
	}
	return &module{
		root: of.root, file: of.file, conn: conn, log: log, source: src, lintedT: -1,
		wake:    make(chan struct{}, 1),
		buffers: map[string]buffer{}, sent: map[string]string{},
	}, nil
}

// run checks the module after changes until ctx is done.
func (m *module) run(ctx context.Context) {
	var whole sync.WaitGroup
	defer whole.Wait()
	timer := time.NewTimer(quiet)
	timer.Stop()
	checking := make(chan struct{}, 1) // holds a token while a whole check runs
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
			m.lint()
			m.publish()
			timer.Reset(quiet)
		case <-timer.C:
			select {
			case checking <- struct{}{}:
				whole.Go(func() {
					m.check()
					<-checking
				})
			default: // the machine is slow: ask again later
				timer.Reset(quiet)
			}
		}
	}
}

// touch has the module checked again.
func (m *module) touch() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// edit changes the texts of the editor.
func (m *module) edit(change func()) {
	m.mu.Lock()
	change()
	m.edition++
	m.mu.Unlock()
	m.touch()
}

// setText takes the text of a document that is open.
func (m *module) setText(name string, b buffer) {
	m.edit(func() { m.buffers[name] = b })
}

// forget goes back to the text that a file has on disk.
func (m *module) forget(name string) {
	m.edit(func() { delete(m.buffers, name) })
}

func (m *module) buffer(name string) (buffer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.buffers[name]
	return b, ok
}

// handlers returns the directory with the handlers of each area.
func (m *module) handlers() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.source.Layout.OrDefault().Handlers
}

// overlaid returns the source with the texts of the editor, and their edition.
func (m *module) overlaid() (gen.Source, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := make(map[string][]byte, len(m.buffers))
	for name, b := range m.buffers {
		texts[name] = []byte(b.text)
	}
	return m.source.Overlay(texts), m.edition
}

// lint brings linted up to date.
func (m *module) lint() {
	m.linting.Lock()
	defer m.linting.Unlock()
	src, edition := m.overlaid()
	m.mu.Lock()
	current := m.lintedT == edition
	m.mu.Unlock()
	if current {
		return
	}
	out := m.linter.Lint(src)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.linted, m.lintedT = out, edition
	if out.Tree != nil {
		m.tree = out.Tree
	}
	if out.Set != nil {
		m.set = out.Set
	}
}

// check reads the module again and holds everything against the rules. What it finds is published unless
// a text has changed meanwhile.
func (m *module) check() {
	src, err := gen.LoadManifest(m.root, m.file)
	if err != nil {
		m.log(err)
		return
	}
	m.mu.Lock()
	m.source = src
	m.lintedT = -1 // files may have changed on disk
	m.mu.Unlock()
	m.lint()
	overlaid, edition := m.overlaid()
	_, diags := gen.Check(overlaid)
	m.mu.Lock()
	current := m.edition == edition && m.lintedT == edition
	if current {
		m.more, m.moreT = without(diags, m.linted.Diags), edition
	}
	m.mu.Unlock()
	if current {
		m.publish()
	}
}

// names returns the last readable tree and the last correct set, after a check of the present texts. Both
// may be nil. fresh reports whether the set is that of the present texts.
func (m *module) names() (tree *spec.Tree, set *model.Toolset, fresh bool) {
	m.lint()
	m.mu.Lock()
	defer m.mu.Unlock()
	tree = m.tree
	if tree == nil {
		tree = &spec.Tree{}
	}
	return tree, m.set, m.linted.Set != nil
}

// linesLocked returns the lines of a file: those of the editor, or those on disk. The caller holds mu.
func (m *module) linesLocked(name string) []string {
	if b, ok := m.buffers[name]; ok {
		return strings.Split(b.text, "\n")
	}
	for _, f := range m.source.All() {
		if f.Name == name {
			return strings.Split(string(f.Data), "\n")
		}
	}
	return nil
}

// uri returns the URI of a file: as the editor writes it where it has the file open. The caller holds mu.
func (m *module) uri(name string) string {
	if b, ok := m.buffers[name]; ok {
		return b.uri
	}
	return uriOf(filepath.Join(m.root, filepath.FromSlash(name)))
}

// location converts a place of the compiler.
func (m *module) location(at diag.Pos) wire.Location {
	m.mu.Lock()
	defer m.mu.Unlock()
	return wire.Location{URI: m.uri(at.File), Range: rangeOf(m.linesLocked(at.File), at)}
}

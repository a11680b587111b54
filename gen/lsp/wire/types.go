package wire

// Position is a place in a document: Line and Character count from 0, Character in units of UTF-16.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is the text from Start up to, and without, End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range of a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// Initialize is the parameters of the request initialize.
type Initialize struct {
	RootURI          string            `json:"rootUri"`
	RootPath         string            `json:"rootPath"`
	WorkspaceFolders []WorkspaceFolder `json:"workspaceFolders"`
}

// WorkspaceFolder is a directory that the editor has open.
type WorkspaceFolder struct {
	URI string `json:"uri"`
}

// TextDocument identifies a document; Text and Version are set where it is opened.
type TextDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

// DocumentParams is the parameters of requests about a whole document, and of its opening and closing.
type DocumentParams struct {
	TextDocument TextDocument `json:"textDocument"`
}

// PositionParams is the parameters of requests about a place; NewName is that of a rename.
type PositionParams struct {
	TextDocument TextDocument `json:"textDocument"`
	Position     Position     `json:"position"`
	NewName      string       `json:"newName"`
}

// DidChange is the parameters of textDocument/didChange.
type DidChange struct {
	TextDocument   TextDocument `json:"textDocument"`
	ContentChanges []Change     `json:"contentChanges"`
}

// Change replaces a range of a document, or all of it where Range is nil.
type Change struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// CodeActionParams is the parameters of textDocument/codeAction.
type CodeActionParams struct {
	TextDocument TextDocument `json:"textDocument"`
	Range        Range        `json:"range"`
}

// Severities of diagnostics.
const (
	SeverityError   = 1
	SeverityWarning = 2
)

// Diagnostic is one problem of a document.
type Diagnostic struct {
	Range    Range     `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []Related `json:"relatedInformation,omitempty"`
}

// Related is a second place that explains a diagnostic.
type Related struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// Publish is the parameters of textDocument/publishDiagnostics. Diagnostics must not be nil.
type Publish struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Kinds of completions.
const (
	CompletionVariable  = 6
	CompletionProperty  = 10
	CompletionEnum      = 13
	CompletionReference = 18
)

// CompletionItem is one proposal.
type CompletionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation string    `json:"documentation,omitempty"`
	SortText      string    `json:"sortText,omitempty"`
	TextEdit      *TextEdit `json:"textEdit,omitempty"`
}

// TextEdit replaces a range of a document.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit is edits by the URI of the document.
type WorkspaceEdit struct {
	Changes map[string][]TextEdit `json:"changes"`
}

// Hover is the text about a place, in Markdown.
type Hover struct {
	Contents Markup `json:"contents"`
	Range    *Range `json:"range,omitempty"`
}

// Markup is a text of a kind: markdown or plaintext.
type Markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Kinds of symbols.
const (
	SymbolNamespace = 3
	SymbolProperty  = 7
	SymbolField     = 8
	SymbolEnum      = 10
	SymbolFunction  = 12
	SymbolConstant  = 14
	SymbolEvent     = 24
)

// Symbol is one entry of a document's outline.
type Symbol struct {
	Name      string   `json:"name"`
	Detail    string   `json:"detail,omitempty"`
	Kind      int      `json:"kind"`
	Range     Range    `json:"range"`
	Selection Range    `json:"selectionRange"`
	Children  []Symbol `json:"children,omitempty"`
}

// CodeAction is a change that mends a diagnostic.
type CodeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []Diagnostic  `json:"diagnostics,omitempty"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        WorkspaceEdit `json:"edit"`
}

// PrepareRename says which text a rename is about.
type PrepareRename struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

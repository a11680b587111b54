package diag

// Rule is one row of the compiler's table of rules: the ID a diagnostic carries in brackets and the paragraph that
// "toolgen explain" prints for it.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Doc      string   `json:"doc"`
}

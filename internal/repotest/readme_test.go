package repotest

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeButton holds the button of the README against the generated link. Pages that show a README drop links of the scheme
// vscode, so that the button goes through the editor's own redirect.
func TestReadmeButton(t *testing.T) {
	t.Parallel()
	install, err := os.ReadFile("generated/metadata/INSTALL.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\((vscode:mcp/install\?[^)]*)\)`).FindSubmatch(install)
	if link == nil {
		t.Fatal("generated/metadata/INSTALL.md has no link for VS Code")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "(https://vscode.dev/redirect?url=" + url.QueryEscape(string(link[1])) + ")"; !strings.Contains(string(readme), want) {
		t.Errorf("README.md lacks the button of this version: [**Add to VS Code**]%s", want)
	}
}

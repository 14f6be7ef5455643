package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

// TestOwnGraph keeps the picture of docs/guide.md: it is drawn from the tree alone, without the code, so without marks of
// what is stale. Sums of floating point numbers differ elsewhere.
func TestOwnGraph(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the picture is drawn on amd64")
	}
	root, drawn := filepath.Join(t.TempDir(), "brv-lsp"), "../../docs/graph.svg"
	if err := os.CopyFS(filepath.Join(root, ".brv/context-tree"), os.DirFS("../../.brv/context-tree")); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if code := run([]string{"graph", "--svg", "--around", "links", "--kinds", "entry", "--root", root},
		env{strings.NewReader(""), &out, &errs}); code != exitOK {
		t.Fatal(errs.String())
	}
	stale := regexp.MustCompile(`(?s)<circle class="ring".*?</text>(<text[^>]*>stale: [^<]*</text>\n)?|&#xA;stale: [^<]*|, \d+ stale`)
	now := stale.ReplaceAllString(out.String(), "")
	if goldentest.Updating() {
		if err := os.WriteFile(drawn, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := os.ReadFile(drawn); err != nil || string(there) != now {
		t.Errorf("docs/graph.svg is not what the tree is: go test ./cmd/brv-lsp -run OwnGraph -update (%v)", err)
	}
	if strings.Contains(now, "stale: ") || len(now) > 60_000 {
		t.Errorf("%d bytes, or marks of what is stale", len(now))
	}
}

package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
)

// TestOtherTreesOfTheUser has a tree of the user's own and one of a team beside that of the folder.
func TestOtherTreesOfTheUser(t *testing.T) {
	root, config, team := t.TempDir(), t.TempDir(), t.TempDir()
	const tree = ".brv/context-tree/"
	writeFile(t, filepath.Join(root, tree+"billing/invoices/rounding.md"), "# Rounding of invoices\nHalf cents are rounded down.\n"+
		"As @team:money/rates/exchange.md says. Gone: @team:money/rates/gone.md. Unknown: @sales:a/b/c.md. Typed: @team:mon\n")
	writeFile(t, filepath.Join(team, tree+"money/rates/exchange.md"), "# Exchange rates\nRates have six digits, and never more.\n"+
		"See @money/rates/sources.md.\n")
	writeFile(t, filepath.Join(team, tree+"money/rates/sources.md"), "# Sources of rates\nThe central bank publishes at 16:00.\n")
	writeFile(t, filepath.Join(team, tree+"billing/invoices/rounding.md"), "# Rounding of invoices\nHalf cents are rounded down, up to 2020.\n")
	writeFile(t, filepath.Join(config, "trees/team.path"), team+"\n")
	writeFile(t, filepath.Join(config, "trees/me", tree+"notes/shell/quoting.md"), "# Quoting in the shell\nAlways quote variables.\n")
	writeFile(t, filepath.Join(config, "trees/x.path"), "/relative to nothing")
	e, ctx := configured(t, lsp.Options{Config: config}, root, nil, nil)
	file := open(t, e, root, tree+"billing/invoices/rounding.md")

	at := find(t, e, file, "@team:money/rates/exchange") + 9
	hover, err := e.Hover(ctx, file, at)
	if err != nil || hover == nil || !strings.Contains(hover.Contents.Value, "six digits") || !strings.Contains(hover.Contents.Value, "team:money") {
		t.Errorf("hover %+v, %v", hover, err)
	}
	if l, err := e.Definition(ctx, file, at); err != nil || len(l) != 1 ||
		!strings.HasSuffix(l[0].URI, filepath.ToSlash(filepath.Join(team, tree))+"/money/rates/exchange.md") {
		t.Errorf("definition %+v, %v", l, err)
	}
	for word, why := range map[string]string{"@team:money/rates/gone": "no such entry in the tree team", "@sales": "brv-lsp tree add sales"} {
		if hover, err := e.Hover(ctx, file, find(t, e, file, word)+2); err != nil || hover == nil || !strings.Contains(hover.Contents.Value, why) {
			t.Errorf("%s: hover %+v, %v", word, hover, err)
		}
	}
	items, err := e.Complete(ctx, file, find(t, e, file, "Typed")+len("Typed: @team:mon"))
	if raw, _ := json.Marshal(items); err != nil || !strings.Contains(string(raw), "team:money/") {
		t.Errorf("completions %s, %v", raw, err)
	}
	for question, want := range map[string]string{
		"how many digits have exchange rates":    "team:money/rates/exchange.md",
		"must variables be quoted":               "me:notes/shell/quoting.md",
		"how are half cents of invoices rounded": "billing/invoices/rounding.md",
	} {
		var r struct{ Sources []struct{ Path, URI string } }
		if err := e.Call(ctx, "brv/query", map[string]any{"text": question}, &r); err != nil || len(r.Sources) == 0 || r.Sources[0].Path != want {
			t.Errorf("%s: %+v, %v", question, r.Sources, err)
		}
	}
	if found, _, _, err := e.PullDiagnostics(ctx, file, ""); err != nil || len(found) != 1 || found[0].Message != "relation to team:money/rates/gone.md: no such entry in the tree team" {
		t.Errorf("problems %+v, %v", found, err)
	}
}

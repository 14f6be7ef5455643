package format

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

func TestRenderOverview(t *testing.T) {
	goldentest.Archives(t, "testdata/overview/*.txtar", func(files []txtar.File) string {
		var b strings.Builder
		for _, f := range files {
			var o Overview
			if err := json.Unmarshal(f.Data, &o); err != nil {
				t.Fatal(f.Name, err)
			}
			b.WriteString(">>> " + f.Name + "\n" + RenderOverview(f.Name, o, "First entry"))
		}
		return b.String()
	})
}

func TestRenderOverviewOfAnEmptyFolder(t *testing.T) {
	want := "# Domain: a_b\n\n## Purpose\nKnowledge about a b.\n"
	if got := RenderOverview("a_b", Overview{}, ""); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

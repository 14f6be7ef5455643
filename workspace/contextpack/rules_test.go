package contextpack

import (
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// Rules for the folder of a file stand before those of the folders above it, and rules for other folders nowhere.
func TestNearestRulesFirst(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{
		"AGENTS.md":                    "# All\n\nUse tabs.\n",
		".cursor/rules/deep/style.mdc": "---\nalwaysApply: true\n---\n# Style\n\nShort names.\n",
		"pkg/AGENTS.md":                "# Packages\n\nEach package has a doc.go.\n",
		"pkg/api/CLAUDE.md":            "# API\n\nHandlers return problem+json.\n",
		"pkg/web/AGENTS.md":            "# Web\n\nHandlers render templates.\n",
		"pkg/api/handle.go":            "package api\n\n// Handle handles.\nfunc Handle() error { return nil }\n",
	}, workspace.Options{Trusted: true})
	p, err := Pack(t.Context(), w.View(), PackRequest{Task: "Change the error that pkg/api/handle.go returns", BudgetTokens: 2000})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range p.Items {
		if file, _, ok := format.SectionOf(item.Path); ok {
			got = append(got, file)
		}
	}
	want := []string{"pkg/api/CLAUDE.md", "pkg/AGENTS.md", "AGENTS.md", ".cursor/rules/deep/style.mdc"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

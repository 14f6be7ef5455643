package contextpack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestEntriesOfOtherRepositoriesInAPack asks an organisation where that is wanted, and keeps to the budget.
func TestEntriesOfOtherRepositoriesInAPack(t *testing.T) {
	asked, status := 0, http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		var out organisation.Answer
		for i := range 5 {
			out.Hits = append(out.Hits, organisation.Hit{Repository: "acme/web", Path: fmt.Sprintf("auth/tokens/%d.md", i), Title: "Rotate tokens",
				Passage: "Tokens rotate each hour.\n" + strings.Repeat("more ", 40), Score: .9 - .1*float64(i), Pushed: time.Now()})
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(out)
	}))
	defer server.Close()
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	err := provider.UseOrganisation(w, settings.Organisation{Endpoint: server.URL, TokenVariable: "MY_TOKEN"}, nil, func(string) string { return "x" })
	if err != nil {
		t.Fatal(err)
	}
	pack := func(budget int, also bool, task string) (text string, notes string) {
		t.Helper()
		p, err := Pack(t.Context(), w.View(), PackRequest{Task: task, BudgetTokens: budget, Organisation: also})
		if err != nil {
			t.Fatal(err)
		}
		if p.Tokens != tokens.Count(p.Text) || p.Tokens > budget || p.Budget != budget {
			t.Errorf("%d tokens of %d, told %d of %d", tokens.Count(p.Text), budget, p.Tokens, p.Budget)
		}
		return p.Text, strings.Join(p.Degraded, "; ")
	}
	const task, found = "rotate the tokens", "acme/web · auth/tokens/0.md: Rotate tokens"
	if text, _ := pack(4000, false, task); asked != 0 || strings.Contains(text, "acme/web") {
		t.Errorf("asked %d times though nobody wanted it: %s", asked, text)
	}
	own, _ := pack(4000, false, task)
	text, notes := pack(4000, true, task)
	if asked != 1 || !strings.HasPrefix(text, own) || !strings.Contains(text[len(own):], found) || notes != "" {
		t.Errorf("asked %d times: %s %s", asked, text, notes)
	}
	for budget := 40; budget < 700; budget += 30 {
		pack(budget, true, task)
	}
	if text, _ := pack(4000, true, "zzyzx"); !strings.Contains(text, found) {
		t.Errorf("nothing of this folder: %q", text)
	}
	status = http.StatusBadGateway
	if text, notes := pack(4000, true, task); text != own || !strings.Contains(notes, "not reached") {
		t.Errorf("the gateway is down: %q", notes)
	}
}

package contextpack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// report is a bug report whose right fix hangs on a decision that it does not state.
const report = "The invoice export freezes for customers in Norway: the worker waits for the ledger although the nightly batch has " +
	"closed. Retries pile up behind the frozen export and the dashboard shows stale totals. Make the export skip a closed ledger."

const (
	decided = "We talked about the invoice export that froze for customers in Norway while the ledger was closed.\n\n" +
		"The worker must not wait: retries behind a frozen export made the dashboard show stale totals.\n\n" +
		"Settled: a closed ledger is skipped after ninety seconds, and the nightly batch picks the invoice up again.\n"
	amended = "Amendment to the decision that a closed ledger is skipped after ninety seconds.\n\n" +
		"The nightly batch picked the invoice up twice. From now on a closed ledger is skipped at once and the invoice is marked; " +
		"this supersedes the ninety seconds.\n"
	foreign = "We should rename the colours of the settings page and order the icons by size, as designer %d proposed.\n\n" +
		"Number %d of the icons stays as it is, and the worker of the page is kept.\n"
)

// TestDecisionsAreTold has what a report hangs on as a page, as an entry and as the message of a commit, among texts that are
// about something else.
func TestDecisionsAreTold(t *testing.T) {
	forms := map[string]func(files map[string]string, name, text string){
		"page": func(files map[string]string, name, text string) {
			files["docs/talks/"+name+".md"] = "# Talk " + name + "\n\n" + text
		},
		"entry": func(files map[string]string, name, text string) {
			files[".brv/context-tree/talks/old/"+name+".md"] = text
		},
		"commit": func(files map[string]string, name, text string) {
			files["src/"+name+".go"] = "package src\n\nfunc " + strings.ToUpper(name) + "() {}\n"
		},
	}
	for form, place := range forms {
		t.Run(form, func(t *testing.T) {
			files := map[string]string{"src/export.go": "package src\n\nfunc Export() {}\n"}
			texts := map[string]string{"a1": decided, "b2": amended}
			for i := range 12 {
				texts[fmt.Sprintf("f%d", i)] = fmt.Sprintf(foreign, i, 7*i)
			}
			for name, text := range texts {
				place(files, name, text)
			}
			w := workspacetest.Open(t, files, workspace.Options{Trusted: true})
			if form == "commit" {
				dir := w.Root()
				workspacetest.GitAt(t, dir, "2026-01-01T12:00:00Z", "init", "-q")
				for name, text := range texts {
					workspacetest.GitAt(t, dir, "2026-01-02T12:00:00Z", "add", "src/"+name+".go")
					workspacetest.GitAt(t, dir, "2026-01-02T12:00:00Z", "commit", "-q", "-m", "Talk "+name+"\n\n"+text)
				}
				w.ReadHistory(t.Context())
			}
			p, err := Pack(t.Context(), w.View(), PackRequest{Task: report, BudgetTokens: 2000})
			if err != nil {
				t.Fatal(err)
			}
			first, second := strings.Index(p.Text, "skipped at once"), strings.Index(p.Text, "picks the invoice up again")
			if first < 0 || second < first || strings.Contains(p.Text, "designer") {
				t.Errorf("the amendment is at %d, the decision at %d:\n%s", first, second, p.Text)
			}
			if form == "commit" && !strings.Contains(p.Text, "`commit ") {
				t.Errorf("no commit is named:\n%s", p.Text)
			}
			for task, want := range map[string]bool{report: form != "entry", "rename Export to ExportAll": false} {
				if got, err := Governed(t.Context(), w.View(), task); got != want || err != nil {
					t.Errorf("a page or commit governs %.20q: %v, %v", task, got, err)
				}
			}
		})
	}
}

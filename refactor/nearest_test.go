package refactor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// snapshot makes a tree of entries by path and text.
func snapshot(texts map[string]string) *tree.Snapshot {
	var entries []*format.Entry
	for p, text := range texts {
		entries = append(entries, format.Parse(p, text))
	}
	return tree.NewSnapshot(entries, nil)
}

func titled(title string) string { return "---\ntitle: " + title + "\n---\nText.\n" }

// What a broken relation may have meant: the paths that are offered, the best first, with
// a star where it is clear.
func TestNearest(t *testing.T) {
	s := snapshot(map[string]string{
		"auth/jwt/refresh_tokens.md":      titled("Refresh tokens"),
		"auth/jwt/signing_keys.md":        titled("Signing keys"),
		"auth/session_store/cookies.md":   titled("Cookies"),
		"auth/session_store/context.md":   titled("Session store"),
		"auth/session_store/_index.md":    "---\ntype: summary\n---\nrefresh tokns\n",
		"billing/invoices/tax_rates.md":   titled("VAT and sales tax by country"),
		"billing/invoices/due_dates.md":   titled("Due dates"),
		"billing/payments/due_dates.md":   titled("Due dates"),
		"deploy/kubernetes/rollout.md":    titled("Rolling out"),
		"deploy/kubernetes/rollback.md":   titled("Rolling back"),
		"_archived/auth/jwt/keys.stub.md": "---\npoints_to: x\n---\n",
		"мир/тема/токены_обновления.md":   titled("Токены"),
	})
	for raw, want := range map[string]string{
		"auth/jwt/refresh_tokns.md":          "*auth/jwt/refresh_tokens.md",
		"auth/jwt/refreshtokens":             "*auth/jwt/refresh_tokens.md",
		"auth/jtw/Refresh-Tokens.md":         "*auth/jwt/refresh_tokens.md",
		"security/keys/signing_keys.md":      "*auth/jwt/signing_keys.md",
		"../auth/jwt/signing_keys.md":        "*auth/jwt/signing_keys.md",
		"auth/sesion_store":                  "*auth/session_store/context.md",
		"auth/session_store/expiry_rules.md": "",
		"billing/invoices/sales_tax.md":      "*billing/invoices/tax_rates.md", // by words of the title
		"billing/due_dates.md":               "billing/invoices/due_dates.md billing/payments/due_dates.md",
		"deploy/kubernetes/rollover.md":      "deploy/kubernetes/rollout.md deploy/kubernetes/rollback.md",
		"zzz/qqq.md":                         "",
		"мир/тема/токены_обновлени.md":       "*мир/тема/токены_обновления.md",
		"..": "",
		"/":  "",
	} {
		found := nearest(s, "web/pages/home.md", raw)
		got := make([]string, len(found))
		for i, n := range found {
			got[i] = n.path
		}
		line := strings.Join(got, " ")
		if isClear(found) {
			line = "*" + line
		}
		// What is offered behind a clear one is of no account.
		if first, _, _ := strings.Cut(line, " "); line != want && (want == "" || want[0] != '*' || first != want) {
			t.Errorf("%s: %q, want %q: %v", raw, line, want, found)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	texts := map[string]string{}
	for i := range 10_000 {
		texts[fmt.Sprintf("domain_%d/topic_%d/entry_%d_of_the_sample.md", i/500, i/25%20, i)] = titled(
			fmt.Sprintf("Entry %d of the sample", i))
	}
	s := snapshot(texts)
	for b.Loop() {
		nearest(s, "", "domain_3/topic_4/entri_1600_of_teh_sample.md")
	}
}

package tree

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A tier that someone gives holds at the next update, however far the importance was.
func TestGivenTierHolds(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	const head = "---\r\ntitle: A # kept\r\nown: 1\r\n"
	for _, signals := range []string{
		"", "importance: 10\r\nmaturity: draft\r\nupdatedAt: '2020-01-01T00:00:00.000Z'\r\n",
		"importance: 99\r\nmaturity: core\r\n", "importance: 70\r\nmaturity: validated\r\n",
	} {
		e := format.Parse("a/b/c.md", head+signals+"---\r\nText.\r\n")
		had := max(0, slices.Index(format.Tiers, e.Signals.Maturity))
		for i, to := range format.Tiers {
			ed := e.Demote(to)
			if i > had {
				ed = e.Promote(to, now)
			}
			if i == had {
				continue
			}
			got := format.Parse(e.Path, markdown.ApplyEdits(e.Text, []markdown.Edit{ed}))
			if got.Signals.Maturity != to || format.Tier(to, format.Stated(got).Importance) != to && i > had ||
				slices.Index(format.Tiers, format.Tier(to, format.Stated(got).Importance)) > i {
				t.Errorf("%q to %s does not hold: %q", signals, to, got.Text)
			}
			if i > had != got.Confirmed().After(now) { // only who promotes says that it is true
				t.Errorf("%q to %s: confirmed %s", signals, to, got.Confirmed())
			}
			if !strings.Contains(got.Text, "\r\nown: 1\r\n") || strings.Count(got.Text, "\n") != strings.Count(got.Text, "\r\n") ||
				!strings.HasSuffix(got.Text, "---\r\nText.\r\n") {
				t.Errorf("%q to %s: %q", signals, to, got.Text)
			}
		}
	}
	open := format.Parse("a/b/c.md", "---\ntitle: never closed\n")
	if open.Promote(format.Core, now) != (markdown.Edit{}) || open.Demote(format.Draft) != (markdown.Edit{}) {
		t.Error("frontmatter that is never closed was edited")
	}
}

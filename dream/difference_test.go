package dream

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
)

// TestMergesSayWhatDiffers names in a merge's reason in what the two contradict each other, whichever of
// them stays.
func TestMergesSayWhatDiffers(t *testing.T) {
	m := plain(map[string]string{
		"ops/up/size.md": entry("Upload size", "The upload service in `upload/limit.go` rejects files above 10 MB with 413."),
		"ops/up/limit.md": entry(
			"Limit of uploads", "Uploads over 25 MB are rejected with 413 by `upload/limit.go`, which is the upload service."),
		"c/d/one.md": entry("One", "Invoices have numbers by `nextNumber`"),
	})
	x := overlap.New(m.tree.Entries())
	pairs, err := m.pairs(t.Context(), x, []string{"ops/up/size.md", "ops/up/limit.md"})
	if err != nil {
		t.Fatal(err)
	}
	const why = ", but they contradict each other. The first says “Uploads over 25 MB are rejected with 413 by `upload/limit.go`, " +
		"which is the upload service.”, the second “The upload service in `upload/limit.go` rejects files above 10 MB with 413.”. " +
		"Edit it to the correct statement and approve"
	if merges, _ := m.merges(x, pairs); len(merges) != 1 || merges[0].Output != "ops/up/limit.md" ||
		!strings.HasSuffix(merges[0].Reason, why) {
		t.Errorf("%+v", merges)
	}
}

package documents

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestWhatEntriesSayIsNotToldTwice: a section that an entry says is not searched, with those below it, until it changes.
func TestWhatEntriesSayIsNotToldTwice(t *testing.T) {
	text := "# Guide\n\nWords.\n\n## Retry\n\nFive times.\n\n### Limits\n\nA minute.\n\n## Other\n\nText.\n"
	d := Parse("docs/guide.md", text)
	s := (&Set{docs: []*Document{d}}).made(nil, nil)
	at, ok := d.Whole("retry")
	if got := at.Of(text); !ok || got != "## Retry\n\nFive times.\n\n### Limits\n\nA minute.\n\n" {
		t.Fatalf("%q", got)
	}
	all := s.Snapshot().Len()
	told := s.Without([]Told{{Path: d.Path, Anchor: "retry", Hash: format.SourceHash(at.Of(text))}})
	if n := told.Snapshot().Len(); n != all-2 {
		t.Errorf("%d of %d sections are searched", n, all)
	}
	if n := told.Without(nil).Snapshot().Len(); n != all {
		t.Errorf("then %d of %d", n, all)
	}
	if same := s.Without([]Told{{Path: d.Path, Anchor: "retry", Hash: "another"}, {Path: "gone.md"}}); same != s {
		t.Error("another text is taken for the same")
	}
	if n := s.Without([]Told{{Path: d.Path, Hash: format.SourceHash(text)}}).Snapshot().Len(); n != 0 {
		t.Errorf("%d sections of a document that an entry says", n)
	}
}

package derived

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// manifestTree has entries of about the given tokens.
func manifestTree() *tree.Snapshot {
	text := func(front string, n int) string {
		return "---\n" + front + "\n---\n" + strings.Repeat("word ", n) + "\n"
	}
	var entries []*format.Entry
	add := func(p, front string, n int) { entries = append(entries, format.Parse(p, text(front, n))) }
	add("b/t/high.md", "importance: 90\nmaturity: core", 1000)
	add("b/t/huge.md", "importance: 95", 6000)
	add("b/t/low.md", "importance: 10", 1000)
	add("a/t/same_b.md", "importance: 40", 1000)
	add("a/t/same_a.md", "importance: 40", 1500)
	add("a/t/context.md", "importance: 100", 10)
	for _, dir := range []string{"", "a/", "a/t/", "a/t/s/", "b/", "b/t/"} {
		add(dir+"_index.md", "type: summary", 380)
	}
	for i := range 5 {
		add(fmt.Sprintf("_archived/a/t/old%d.stub.md", i), "points_to: x", 150)
		add(fmt.Sprintf("_archived/a/t/old%d.full.md", i), "x: y", 10)
	}
	add("_archived/_index.md", "type: summary", 3)
	return tree.NewSnapshot(entries, nil)
}

func listedItems(m Manifest) (out []string) {
	for _, i := range m.ActiveContext {
		out = append(out, i.Path)
	}
	return out
}

func TestManifestFillsLanesInOrder(t *testing.T) {
	s := manifestTree()
	m := NewManifest(s, year2026, nil)
	want := []string{
		"_index.md", "a/_index.md", "b/_index.md", "a/t/_index.md", "b/t/_index.md", // a/t/s is one too many
		"b/t/high.md", "a/t/same_a.md", "a/t/same_b.md", // huge is skipped, low does not fit any more
		"_archived/a/t/old0.stub.md", "_archived/a/t/old1.stub.md", "_archived/a/t/old2.stub.md",
	}
	if diff := cmp.Diff(want, listedItems(m)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	sum := 0
	for _, i := range m.ActiveContext {
		e, _ := s.Entry(i.Path)
		if sum += i.Tokens; i.Tokens != e.Tokens() {
			t.Errorf("%s: %d tokens", i.Path, i.Tokens)
		}
	}
	if lanes := m.LaneTokens; m.TotalTokens != sum || lanes.Summaries+lanes.Contexts+lanes.Stubs != sum || lanes.Summaries > 2000 ||
		lanes.Contexts > 4000 || lanes.Stubs > 500 {
		t.Errorf("tokens: %+v, sum %d", m.LaneTokens, sum)
	}
}

func TestManifestTakesTheCallersOrderAndSignals(t *testing.T) {
	s := manifestTree()
	order := func(p string) float64 {
		if p == "b/t/low.md" {
			return 1
		}
		return math.NaN()
	}
	got := listedItems(NewManifest(s, year2026, order))
	if got = got[slices.Index(got, "b/t/_index.md")+1:]; got[0] != "b/t/low.md" || got[1] != "a/t/same_a.md" {
		t.Errorf("by order: %v", got)
	}
	touched := map[string]float64{"b/t/_index.md": 2, "a/t/s/_index.md": 1, "b/t/high.md": -1, "_archived/a/t/old4.stub.md": 1,
		"_archived/a/t/old0.stub.md": -1, "_archived/a/t/old1.stub.md": -1, "_archived/a/t/old2.stub.md": -1}
	got = listedItems(NewManifest(s, year2026, func(p string) float64 { return touched[p] }))
	want := []string{"b/t/_index.md", "a/t/s/_index.md", "_index.md", "a/_index.md", "b/_index.md",
		"a/t/same_a.md", "a/t/same_b.md", "b/t/low.md", "_archived/a/t/old4.stub.md", "_archived/a/t/old3.stub.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("every lane (-want +got)\n%s", diff)
	}
	m := NewManifest(s.WithUsage(map[string]tree.Usage{"b/t/low.md": {Access: 30, Bonus: 100, At: year2026}}), year2026, nil)
	if got := m.ActiveContext[5]; got.Path != "b/t/low.md" || *got.Importance != 100 || got.Order != nil {
		t.Errorf("by signals: %+v", got)
	}
}

func TestManifestJSON(t *testing.T) {
	s := tree.NewSnapshot([]*format.Entry{format.Parse("a/<t>/e.md", "word"), format.Parse("a/_index.md", "word word")}, nil)
	data, err := NewManifest(s, time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)), nil).JSON()
	want := `{
  "active_context": [
    {
      "path": "a/_index.md",
      "type": "summary",
      "tokens": 2,
      "order": 2
    },
    {
      "path": "a/<t>/e.md",
      "type": "context",
      "tokens": 1,
      "importance": 50
    }
  ],
  "generated_at": "2026-01-02T02:04:05Z",
  "lane_tokens": {
    "contexts": 1,
    "stubs": 0,
    "summaries": 2
  },
  "source_fingerprint": "` + s.Fingerprint() + `",
  "total_tokens": 3,
  "version": 1
}
`
	if diff := cmp.Diff(want, string(data)); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	empty, err := NewManifest(tree.NewSnapshot(nil, nil), year2026, nil).JSON()
	if err != nil || !strings.Contains(string(empty), `"active_context": []`) {
		t.Errorf("%v %s", err, empty)
	}
}

func TestManifestIsStaleWhenTheTreeChanged(t *testing.T) {
	s := manifestTree()
	m := NewManifest(s, year2026, nil)
	if m.Stale(s) {
		t.Error("stale at once")
	}
	if !m.Stale(s.With("b/t/low.md", "other")) {
		t.Error("not stale after a change")
	}
	if m.Version = 2; !m.Stale(s) {
		t.Error("another version is not stale")
	}
}

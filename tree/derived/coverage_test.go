package derived

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// sampleTrees are the trees that this repository holds: its own, and those that
// its bench asks questions of.
var sampleTrees = []string{"../../.brv/context-tree", "../../bench/real/testdata/net", "../../bench/real/testdata/zod"}

func sampleTree(t *testing.T, dir string) *tree.Snapshot {
	t.Helper()
	var entries []*format.Entry
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") || format.RoleOf(p) == format.RoleSummary {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, p))
		entries = append(entries, format.Parse(p, string(text)))
		return err
	})
	if err != nil || len(entries) == 0 {
		t.Fatalf("%s: %d entries, %v", dir, len(entries), err)
	}
	return tree.NewSnapshot(entries, nil)
}

// identifiers are the words in the form of identifiers and the inline code of an
// entry, with how often it says each. They do not depend on how the extract finds
// names.
func identifiers(e *format.Entry) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(e.Body.Of(e.Text), func(r rune) bool { return !isWordRune(r) }) {
		inner := strings.Trim(w, "_")
		if strings.Contains(inner, "_") || strings.ToLower(inner) != inner &&
			strings.IndexFunc(inner[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0 {
			out[w]++
		}
	}
	for _, c := range e.Code {
		if code := c.Of(e.Text); len(code) > 2 && len(code) <= 48 && !strings.Contains(code, "`") {
			out[code]++
		}
	}
	return out
}

func isWordRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// rarest are an entry's ten identifiers that the fewest entries of the tree have;
// among these, what the entry says most often.
func rarest(e *format.Entry, spread map[string]int) []string {
	said := identifiers(e)
	var names []string
	for name := range said {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(spread[a], spread[b]), cmp.Compare(said[b], said[a]), cmp.Compare(a, b))
	})
	return names[:min(10, len(names))]
}

func spreadOf(s *tree.Snapshot) map[string]int {
	spread := map[string]int{}
	for _, e := range s.Entries() {
		for name := range identifiers(e) {
			spread[name]++
		}
	}
	return spread
}

// share counts how many of the names a text has.
type share struct{ kept, all int }

func (s *share) count(text string, names []string) {
	for _, name := range names {
		if s.all++; strings.Contains(text, name) {
			s.kept++
		}
	}
}

func (s *share) percent() int { return 100 * s.kept / max(s.all, 1) }

func TestStubsKeepRareIdentifiers(t *testing.T) {
	for _, dir := range sampleTrees {
		s := sampleTree(t, dir)
		spread := spreadOf(s)
		var kept share
		size, n := 0, 0
		for _, e := range s.Entries() {
			if e.Role == format.RoleEntry {
				stub := checkStub(t, e)
				kept.count(stub, rarest(e, spread))
				size += tokens.Count(stub[strings.Index(stub, "\n\n"):])
				n++
			}
		}
		t.Logf("%s: %d stubs of %d tokens keep %d %% of their entries' 10 rarest identifiers", dir, n, size/n, kept.percent())
		if kept.percent() < 90 {
			t.Errorf("%s: only %d %% kept", dir, kept.percent())
		}
	}
}

func TestSummariesCoverTheSampleTrees(t *testing.T) {
	for _, dir := range sampleTrees {
		s := sampleTree(t, dir)
		checkSummaries(t, s)
		all := withSummaries(s)
		var named, atRoot, topicsAtRoot share
		covered, size := map[int]int{}, map[int]int{}
		root, _ := all.Entry(format.SummaryFile)
		for _, e := range all.Entries() {
			switch e.Role {
			case format.RoleEntry:
				topic, _ := all.Entry(path.Join(path.Dir(e.Path), format.SummaryFile))
				named.count(topic.Text, []string{path.Base(e.Path)})
				atRoot.count(root.Text, []string{e.Title})
				topicsAtRoot.count(root.Text, []string{path.Base(path.Dir(e.Path)) + "/"})
				covered[1] += e.Tokens()
			case format.RoleSummary:
				order := condensation(strings.TrimPrefix(path.Dir(e.Path), "."))
				size[max(order, 1)] += tokens.Estimate(e.Body.Of(e.Text))
			}
		}
		t.Logf(
			"%s: %d tokens of entries in %d of topics, %d of domains, %d of the root; topics name %d %% of entries; the root "+
				"names %d %% of topics and %d %% of entries",
			dir, covered[1], size[1], size[2], size[3], named.percent(), topicsAtRoot.percent(), atRoot.percent())
		if named.percent() < 100 || topicsAtRoot.percent() < 90 {
			t.Errorf("%s: topics name %d %% of entries, the root %d %% of topics", dir, named.percent(), topicsAtRoot.percent())
		}
	}
}

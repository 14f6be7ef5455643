package derived

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func treeIn(files []txtar.File) *tree.Snapshot {
	var entries []*format.Entry
	for _, f := range files {
		entries = append(entries, format.Parse(f.Name, string(f.Data)))
	}
	return tree.NewSnapshot(entries, nil)
}

func TestSummaries(t *testing.T) {
	goldentest.Archives(t, "testdata/summary/*.txtar", func(files []txtar.File) string {
		s := treeIn(files)
		checkSummaries(t, s)
		var b strings.Builder
		fresh, gone := Summaries(s)
		for _, f := range fresh {
			fmt.Fprintf(&b, ">>> %s\n%s", f.Path, f.Text)
		}
		for _, p := range gone {
			fmt.Fprintf(&b, ">>> %s is gone\n", p)
		}
		return b.String()
	})
}

// checkSummaries holds for every tree: summaries are well-formed, small, cover what
// they say, name every child, have no relations, and are settled.
func checkSummaries(t *testing.T, s *tree.Snapshot) {
	t.Helper()
	fresh, _ := Summaries(s)
	for _, f := range fresh {
		e := format.Parse(f.Path, f.Text)
		if len(e.Problems) > 0 || len(e.Relations) > 0 {
			t.Fatalf("%s: problems %v, relations %v in\n%s", f.Path, e.Problems, e.Relations, f.Text)
		}
		var keys []string
		for _, field := range e.Fields {
			keys = append(keys, field.Key)
		}
		if diff := cmp.Diff([]string{"children_hash", "compression_ratio", "condensation_order", "covers", "covers_token_total",
			"summary_level", "token_count", "type"}, keys); diff != "" {
			t.Fatalf("%s: keys (-want +got)\n%s\n%s", f.Path, diff, f.Text)
		}
		body := e.Body.Of(e.Text)
		if n := tokens.Estimate(body); n > maxSummary {
			t.Fatalf("%s: %d tokens", f.Path, n)
		}
		for _, l := range markdown.Split(body, 0) {
			if l.Fence != 0 {
				t.Fatalf("%s: a fence in\n%s", f.Path, body)
			}
		}
		repeated(t, f.Path, body)
	}
	again, gone := Summaries(withSummaries(s))
	if len(again) > 0 || len(gone) > 0 {
		t.Fatalf("summaries that were just written are stale: %v, gone: %v", again, gone)
	}
}

func repeated(t *testing.T, p, body string) {
	t.Helper()
	seen := map[string]bool{}
	for l := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(l, "- **") {
			continue // children's names may differ in letter case only
		}
		if l = strings.ToLower(strings.TrimRight(format.OneLine(strings.ReplaceAll(strings.TrimPrefix(l, "  - "), "`", "")),
			".!;: ")); l != "" && seen[l] {
			t.Fatalf("%s says twice: %s\n%s", p, l, body)
		}
		seen[l] = true
	}
}

func TestSummaryOfAChangeEqualsSummaryFromScratch(t *testing.T) {
	for seed := range int64(5) {
		rnd := rand.New(rand.NewSource(seed))
		s := withSummaries(tree.NewSnapshot(largeTree(300), nil))
		for range 8 {
			p := fmt.Sprintf("d%d/t%d/e%d.md", rnd.Intn(4), rnd.Intn(11), rnd.Intn(12))
			e, ok := s.Entry(p)
			switch {
			case ok && rnd.Intn(3) == 0:
				s = s.Without(p)
			case ok:
				s = s.With(p, e.Text+"\nAnother line of `new_words`.\n")
			default:
				s = s.With(p, "# New entry\n\nSomething that nobody knew before about `flux_capacitor`.\n")
			}
			s = withSummaries(s)
		}
		var entries []*format.Entry
		for _, e := range s.Entries() {
			if e.Role != format.RoleSummary {
				entries = append(entries, e)
			}
		}
		if want := withSummaries(tree.NewSnapshot(entries, nil)); want.Fingerprint() != s.Fingerprint() {
			for _, e := range want.Entries() {
				got, _ := s.Entry(e.Path)
				if got == nil || got.Text != e.Text {
					t.Fatalf("seed %d: %s differs", seed, e.Path)
				}
			}
			t.Fatalf("seed %d: summaries differ", seed)
		}
	}
}

func TestOneChangeTouchesTheFoldersAbove(t *testing.T) {
	s := withSummaries(tree.NewSnapshot(largeTree(300), nil))
	fresh, _ := Summaries(s.With("d1/t2/e3.md", "# Changed"))
	var got []string
	for _, f := range fresh {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"d1/t2/_index.md", "d1/_index.md", "_index.md"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestChildrenHash spells the formula out once more.
func TestChildrenHash(t *testing.T) {
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:])
	}
	s := tree.NewSnapshot([]*format.Entry{format.Parse("d/t/b.md", "bee"), format.Parse("d/t/B.md", "Bee"),
		format.Parse("d/t/context.md", "about"), format.Parse("d/t/b.abstract.md", "x"), format.Parse("d/t/s/x.md", "sub"),
		format.Parse("d/t/s-/x.md", "sub")}, nil)
	fresh, _ := Summaries(s)
	texts := map[string]string{}
	for _, f := range fresh {
		texts[f.Path] = f.Text
	}
	want := sum(strings.Join([]string{
		"B.md:" + sum("Bee"), "b.md:" + sum("bee"), "context.md:" + sum("about"),
		"s-/_index.md:" + sum(texts["d/t/s-/_index.md"]), "s/_index.md:" + sum(texts["d/t/s/_index.md"]),
	}, "\n"))
	if got := format.Parse("_index.md", texts["d/t/_index.md"]); format.StatedHash(got) != want {
		t.Errorf("children_hash %s, want %s", format.StatedHash(got), want)
	}
}

func TestAFreshSummaryIsLeftAlone(t *testing.T) {
	s := withSummaries(tree.NewSnapshot([]*format.Entry{format.Parse("d/t/a.md", "# A\n\nSomething true about the matter."),
		format.Parse("d/u/b.md", "# B\n\nSomething else about the matter.")}, nil))
	e, _ := s.Entry("d/t/_index.md")
	s = withSummaries(s.With(e.Path, e.Text[:e.Body.Start]+"\nWords that a person wrote.\n"))
	if e, _ := s.Entry("d/t/_index.md"); !strings.HasSuffix(e.Text, "Words that a person wrote.\n") {
		t.Errorf("rewritten:\n%s", e.Text)
	}
	if e, _ := s.Entry("d/_index.md"); !strings.Contains(e.Text, "Words that a person wrote.") {
		t.Errorf("the folder above does not know:\n%s", e.Text)
	}
}

func TestFolderThatIsTooLargeForItsSummary(t *testing.T) {
	for _, n := range []int{60, 150, 3000} {
		var entries []*format.Entry
		for i := range n {
			entries = append(entries, format.Parse(fmt.Sprintf("d/t/about_number_%d: x.md", i),
				fmt.Sprintf("# About number %d\n\nThe number %d is what this entry is about.\n", i, i)))
		}
		s := tree.NewSnapshot(entries, nil)
		checkSummaries(t, s)
		fresh, _ := Summaries(s)
		for _, e := range s.Entries()[:min(n, 100)] {
			if !strings.Contains(fresh[0].Text, "`"+path.Base(e.Path)+"`") {
				t.Errorf("of %d: %s is not named", n, e.Path)
			}
		}
		if n == 3000 && !strings.Contains(fresh[0].Text, " more\n") {
			t.Errorf("the text does not say that there are more:\n%.3000s", fresh[0].Text)
		}
	}
}

func TestSummaryNamesAndShrinks(t *testing.T) {
	s := tree.NewSnapshot(largeTree(1000), nil)
	fresh, _ := Summaries(s)
	for _, f := range fresh {
		e := format.Parse(f.Path, f.Text)
		value := func(key string) (v float64) {
			field, _ := e.Field(key)
			fmt.Sscan(field.Value(), &v)
			return v
		}
		if ratio := value("compression_ratio"); ratio > 0.3 || ratio < 0.2 && value("token_count") < 0.9*maxSummary &&
			strings.Count(f.Path, "/") > 0 {
			t.Errorf("%s: ratio %v, %v tokens", f.Path, ratio, value("token_count"))
		}
		covers, _ := e.Field("covers")
		for _, c := range e.Values(covers) {
			if name := strings.TrimSuffix(c, "_index.md"); !strings.Contains(e.Body.Of(e.Text), name) {
				t.Errorf("%s does not name %s", f.Path, c)
			}
		}
	}
}

func TestCondensation(t *testing.T) {
	for dir, want := range map[string]int{"": 3, "a": 2, "a/b": 1, "a/b/c": 0, "a/b/c/d": 0} {
		if got := condensation(dir); got != want {
			t.Errorf("%q: %d, want %d", dir, got, want)
		}
	}
}

func TestYAMLName(t *testing.T) {
	for name, want := range map[string]string{
		"a_b-c/_index.md": "a_b-c/_index.md", "設計.md": "設計.md", "-a.md": `"-a.md"`, "a b.md": `"a b.md"`,
		"a\n---\n.md": `"a\n---\n.md"`, `q".md`: `"q\".md"`, "a: b.md": `"a: b.md"`, "#.md": `"#.md"`,
	} {
		if got := yamlName(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func FuzzSummaries(f *testing.F) {
	f.Add("# A\n\nOne sentence. Another `one`.\n\n```\ncode\n", "- **x**: y [project]", "a/b", "text of a person")
	f.Add("---\ntitle: '`'\nsummary: '@a/b/c.md ` [x](y.md) [[z]]'\n---\n- ---\n- ```\n", "## Facts\n- **`**: @a/b [[c]] (@d/e)\n",
		"- **x/**: holds", "- **a** (`b`): c\n  - Holds: d; e\n  - Names: `@f/g`, h\n```")
	f.Add("[[[[a](x)](y)](z)](@a/b)", "@@a/b![x](y)", "@a", "Not here: @a/b\nCovers: [[x]]")
	f.Fuzz(func(t *testing.T, one, two, name, written string) {
		for _, s := range []string{one, two, name, written} {
			if strings.ContainsRune(s, 0) || strings.ToValidUTF8(s, "") != s || len(s) > 1<<14 {
				return // the store does not read such a file
			}
		}
		name = strings.Trim(strings.ReplaceAll(name, "/", "_"), ".")
		if name == "" || len(name) > 200 || slices.Contains([]string{"_archived", "_index", "context"}, name) {
			return
		}
		s := tree.NewSnapshot([]*format.Entry{format.Parse("d/t/one.md", one), format.Parse("d/t/"+name+".md", two),
			format.Parse("d/"+name+"/three.md", two), format.Parse("d/context.md", two)}, nil)
		checkSummaries(t, s)
		s = withSummaries(s)
		of := entryAt(s, "d/t/_index.md")
		fresh, _ := Summaries(s.With(of.Path, of.Text[:of.Body.Start]+"\n"+written))
		for _, f := range fresh {
			if e := format.Parse(f.Path, f.Text); len(e.Problems) > 0 || len(e.Relations) > 0 {
				t.Fatalf("%v %v in\n%s", e.Problems, e.Relations, f.Text)
			}
		}
	})
}

package format

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// canonical checks what holds of the written form of any frontmatter, and returns the
// text in it.
func canonical(t *testing.T, text string) string {
	t.Helper()
	e := Parse("a/b/c.md", text)
	edits := e.CanonicalFrontmatter()
	got, err := treetest.ApplyEdits(text, edits)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, ed := range edits {
		if ed.At.Start < e.Frontmatter.Start || ed.At.End > e.Frontmatter.End || ed.At.Of(text) == ed.New {
			t.Errorf("%q: edit %+v lies outside of the frontmatter, or changes nothing", text, ed)
		}
	}
	after := Parse("a/b/c.md", got)
	if after.Body.Of(got) != e.Body.Of(text) {
		t.Errorf("%q: the body became %q", text, got)
	}
	if len(edits) > 0 && yamlErrors(e) > 0 {
		t.Errorf("%q: broken frontmatter became %q", text, got)
	}
	values := func(e *Entry) map[string]string {
		m := map[string]string{}
		for _, f := range e.Fields {
			m[f.Key] += "|" + strings.Join(f.values(), "|")
		}
		return m
	}
	if !maps.Equal(values(e), values(after)) || len(after.Problems) > len(e.Problems) {
		t.Errorf("%q: the fields became those of %q", text, got)
	}
	if strings.Count(got, "#") < strings.Count(text, "#") {
		t.Errorf("%q: a comment is lost in %q", text, got)
	}
	if more := after.CanonicalFrontmatter(); len(more) > 0 {
		t.Errorf("%q became %q, and then: %+v", text, got, more)
	}
	return got
}

func TestCanonicalFrontmatter(t *testing.T) {
	changed := 0
	for seed := range int64(500) {
		text := newChance(seed).file()
		got := canonical(t, text)
		if got == text {
			continue
		}
		changed++
		var keys []string
		for _, f := range Parse("a/b/c.md", got).Fields {
			if slices.Contains(FieldKeys, f.Key) {
				keys = append(keys, f.Key)
			}
		}
		if !slices.IsSortedFunc(keys, func(a, b string) int { return slices.Index(FieldKeys, a) - slices.Index(FieldKeys, b) }) {
			t.Errorf("seed %d: keys are in the order %v", seed, keys)
		}
	}
	if changed < 100 {
		t.Errorf("only %d texts were changed", changed)
	}
}

func FuzzCanonicalFrontmatter(f *testing.F) {
	for seed := range int64(40) {
		f.Add(newChance(seed).file())
	}
	f.Add("---\n? tags\n: - a\ntitle: x\n---\n")
	f.Add("---\ntags: &a [b]\ntitle: *a\n---\n")
	f.Add("---\nsummary: \"a\n# b\"\ntitle: x\n...\n---\n")
	f.Add("---\n  tags:\n  - a\n  # c\n  title: x\n---")
	f.Fuzz(func(t *testing.T, text string) { canonical(t, text) })
}

func TestSameHeading(t *testing.T) {
	for _, c := range []struct {
		title, anchor string
		same          bool
	}{
		{"What's new?", "whats-new", true}, {"What's new?", "What's new?", true}, {"Key rotation", "key_rotation", true},
		{"Über uns", "%C3%BCber-uns", true}, {"C++", "c", true}, {"???", "???", true}, {"???", "!!!", false},
		{"Key rotation", "rotation", false}, {"", "", true}, {"A", "", false},
	} {
		if SameHeading(c.title, c.anchor) != c.same {
			t.Errorf("%q and #%s: same is %v", c.title, c.anchor, !c.same)
		}
		if a := Anchor(c.title); a != "" && !SameHeading(c.title, a) {
			t.Errorf("%q and its own anchor %q differ", c.title, a)
		}
	}
}

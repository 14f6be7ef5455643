package format

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

// checkRevise revises an entry and checks what Revise promises.
func checkRevise(t *testing.T, e *Entry, r Revision) {
	t.Helper()
	if !editable(e.Text) {
		if text, losses := e.Revise(r); text != e.Text || len(losses) > 0 {
			t.Fatalf("%q became %q", e.Text, text)
		}
		return
	}
	own, losses := e.Revise(Revision{Content: e.Content()})
	if own != e.Text || len(losses) > 0 {
		t.Fatalf("revised with its own content, with losses %+v:\n%s", losses, changedLines(e.Text, own))
	}
	if clean(e.Text) != UnixLines(e.Text) {
		return // taking control characters out would make other lines of it
	}
	text, losses := e.Revise(r)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf(format+"\n%+v\n%+v\n--- before\n%q\n--- after\n%q", append(args, r.Content, r.Replace, e.Text, text)...)
	}
	after := Parse(e.Path, text)
	second := slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Code == CodeTwice })
	// where a part stands twice, emptying the first brings the second to light
	if twice, again := after.Revise(r); !second && yamlErrors(e) == 0 {
		if twice != text {
			fail("twice is not once:\n%s", changedLines(text, twice))
		}
		for _, l := range again {
			if !l.Kept {
				fail("twice loses %+v", l)
			}
		}
	}
	if missing := unsaid(r.Content.normal(), after.Content().normal()); missing != "" && len(e.Problems) == 0 && !oddLists(e) {
		fail("the text does not say %s", missing)
	}
	if strings.Count(e.Text, "\r\n") == strings.Count(e.Text, "\n") && strings.Contains(e.Text, "\n") &&
		strings.Count(text, "\r\n") != strings.Count(text, "\n") {
		fail("a line end is not like the others")
	}
	for _, p := range after.Problems {
		if p.Code == CodeTwice && !slices.ContainsFunc(e.Problems, func(q Problem) bool { return q.Message == p.Message }) {
			fail("new problem %s: %s", p.Code, p.Message)
		}
	}
	accounted(t, e, after, losses, fail)
}

// oddLists reports whether a list is written in a way that is not edited, or
// seems to stand in the middle of another value.
func oddLists(e *Entry) bool {
	return slices.ContainsFunc([]string{"tags", "related", "keywords"}, func(key string) bool {
		f, ok := e.LastField(key)
		return ok && fieldEditor{e}.fieldValue(f).kind == valueOther || !ok && fieldEditor{e}.unread(key)
	})
}

// accounted checks that everything the entry said is still said, or is a loss.
func accounted(t *testing.T, e, after *Entry, losses []Loss, fail func(string, ...any)) {
	lost := map[string]bool{}
	for _, l := range losses {
		if !l.Kept {
			lost[string(l.Part)+"\x00"+l.Item] = true
		}
	}
	now := items(after.Content().normal())
	for item := range items(e.Content().normal()) {
		if !now[item] && !lost[item] && !added(now, item) {
			fail("%q is neither said nor lost", item)
		}
	}
	for _, l := range losses {
		if l.Kept && !now[string(l.Part)+"\x00"+l.Item] && l.Part != PartRelations && l.Part != PartTags && l.Part != PartKeywords {
			fail("%+v is not kept", l)
		}
	}
}

// added reports whether a text is said by a longer one of the same part, which differs from it by
// what stands between its lines and behind its sentences.
func added(now map[string]bool, item string) bool {
	part, old, _ := strings.Cut(item, "\x00")
	var lines []string
	for _, l := range strings.Split(old, "\n") {
		end := "\n"
		if strings.HasSuffix(l, ".") || strings.HasSuffix(l, "!") || strings.HasSuffix(l, "?") {
			end = "(?: .*)?\n"
		}
		lines = append(lines, regexp.QuoteMeta(l)+end)
	}
	longer := regexp.MustCompile(`^(?:.*\n)*` + strings.Join(lines, `(?:.*\n)*`) + `(?:.*\n)*$`)
	for other := range now {
		if p, text, _ := strings.Cut(other, "\x00"); p == part && isProse(Part(p)) && longer.MatchString(text+"\n") {
			return true
		}
	}
	return false
}

// isProse reports whether a part is a text that may have several lines.
func isProse(p Part) bool { return p.row().Text != nil && !p.row().line }

// items lists what a content says, part by part.
func items(c Content) map[string]bool {
	out := map[string]bool{}
	add := func(p Part, texts ...string) {
		for _, s := range texts {
			if s != "" {
				out[string(p)+"\x00"+s] = true
			}
		}
	}
	for _, r := range Parts {
		switch {
		case r.Part == PartRelations:
		case r.Text != nil:
			add(r.Part, *r.Text(&c))
		case r.List != nil:
			add(r.Part, *r.List(&c)...)
		default:
			add(r.Part, r.items(&c)...)
		}
	}
	return out
}

// unsaid is something that the wanted content says and the other does not.
func unsaid(wanted, got Content) string {
	said := items(got)
	files := map[string]bool{}
	for _, f := range got.RawConcept.Files {
		files[itemKey(PartFiles, f)] = true
	}
	for item := range items(wanted) {
		if file, ok := strings.CutPrefix(item, string(PartFiles)+"\x00"); ok && files[itemKey(PartFiles, file)] {
			continue
		}
		if !said[item] {
			return item
		}
	}
	keys := map[string]bool{}
	for _, r := range got.Relations {
		keys[relationKey(r)] = true
	}
	for _, r := range wanted.Relations {
		if !keys[relationKey(r)] {
			return r
		}
	}
	return ""
}

func TestRevise(t *testing.T) {
	goldentest.Archives(t, "testdata/revise/*.txtar", func(files []txtar.File) string {
		e := Parse(files[0].Name, string(files[0].Data))
		var r Revision
		if err := json.Unmarshal(files[1].Data, &r); err != nil {
			t.Fatal(err)
		}
		text, losses := e.Revise(r)
		checkRevise(t, e, r)
		return told(text, losses)
	})
}

func TestMerge(t *testing.T) {
	goldentest.Archives(t, "testdata/merge/*.txtar", func(files []txtar.File) string {
		target, source := Parse(files[0].Name, string(files[0].Data)), Parse(files[1].Name, string(files[1].Data))
		text, losses := Merge(target, source, Header{Reason: "Both are about limits", UpdatedAt: time.Date(2026, 2, 1, 0, 0, 0, 0,
			time.UTC)})
		checkMerge(t, target, source)
		return told(text, losses)
	})
}

// told shows a text and what it lost.
func told(text string, losses []Loss) string {
	for _, l := range losses {
		text += fmt.Sprintf("LOSS %s %q kept %v\n", l.Part, l.Item, l.Kept)
	}
	return text
}

func TestReviseRandomly(t *testing.T) {
	for seed := range int64(500) {
		r := newChance(seed)
		checkRevise(t, Parse("a/b/c.md", r.file()), Revision{Header: r.header(), Content: r.content(), Replace: r.parts()})
	}
}

func FuzzRevise(f *testing.F) {
	for seed := range int64(60) {
		f.Add(newChance(seed).file(), seed, "x")
	}
	f.Fuzz(func(t *testing.T, text string, seed int64, word string) {
		if len(text)+len(word) > 8<<10 {
			return
		}
		r := newChance(seed, word)
		checkRevise(t, Parse("a/b/c.md", text), Revision{Header: r.header(), Content: r.content(), Replace: r.parts()})
	})
}

// TestMergeLosesNothing checks that a merged entry says what both said, or names
// it as a loss, and keeps the target's title.
func TestMergeLosesNothing(t *testing.T) {
	for seed := range int64(500) {
		r := newChance(seed)
		checkMerge(t, Parse("a/b/c.md", r.file()), Parse("a/b/d.md", r.file()))
	}
}

func checkMerge(t *testing.T, target, source *Entry) {
	t.Helper()
	text, losses := Merge(target, source, Header{})
	after := Parse(target.Path, text)
	if after.Title != target.Title || !after.CreatedAt.Equal(target.CreatedAt) {
		t.Fatalf("title %q, was %q", after.Title, target.Title)
	}
	lost := map[string]bool{}
	for _, l := range losses {
		lost[string(l.Part)+"\x00"+l.Item] = true
	}
	now := items(after.Content().normal())
	said := func(part, s string) bool {
		for item := range now {
			p, text, _ := strings.Cut(item, "\x00")
			if p != part {
				continue
			}
			switch Part(part) {
			case PartFacts:
				a, b := ParseFact(text), ParseFact(s)
				if strings.EqualFold(a.Statement, b.Statement) && strings.EqualFold(a.Value, b.Value) {
					return true
				}
			case PartFiles:
				if itemKey(PartFiles, text) == itemKey(PartFiles, s) {
					return true
				}
			default:
				if strings.Contains("\n"+text+"\n", "\n"+s+"\n") {
					return true
				}
			}
		}
		return lost[part+"\x00"+s]
	}
	for _, old := range []*Entry{target, source} {
		for item := range items(old.Content().normal()) {
			if part, s, _ := strings.Cut(item, "\x00"); !said(part, s) {
				t.Fatalf("%q is neither said nor lost: %+v\n--- target\n%q\n--- source\n%q\n--- merged\n%q", item, losses,
					target.Text, source.Text, text)
			}
		}
	}
	if diff := cmp.Diff(target.Tags, after.Tags[:min(len(target.Tags), len(after.Tags))], cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the target's tags come first:\n%s", diff)
	}
}

// TestExtends: a text is added to where each line of it says what it said.
func TestExtends(t *testing.T) {
	for _, c := range []struct {
		old, text string
		want      bool
	}{
		{"Store tokens in the log.", "Never, whoever asks,\nStore tokens in the log.", false},
		{"Store tokens in the log.", "It is forbidden to\nStore tokens in the log.", false},
		{"- Store tokens in the log.", "Never do this:\n- Store tokens in the log.", false},
		{"- Store tokens in the log.", "Never do this:\n\n- Store tokens in the log.", false},
		{"Store tokens in the log.", "Never store tokens in the log.", false},
		{"Store tokens in the log.", "The log is read by nobody.\nStore tokens in the log.\nTokens are short.", true},
		{"- Store tokens in the log.", "- Keep the log\n- Store tokens in the log.", true},
	} {
		if got := extends(c.text, c.old); got != c.want {
			t.Errorf("%q after %q: %v", c.text, c.old, got)
		}
	}
}

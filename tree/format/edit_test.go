package format

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// change is one random edit of the frontmatter.
type change struct {
	remove bool // RemoveItem of a list's item
	item   int
	key    string
	values []string
}

func (r chance) change(e *Entry) change {
	keys := append([]string{"custom", "owner", "new_key"}, FieldKeys...)
	c := change{key: keys[r.Intn(len(keys))]}
	if f, ok := e.LastField(c.key); ok && len(f.Items) > 0 && f.List && r.Intn(2) == 0 {
		return change{remove: true, key: c.key, item: r.Intn(len(f.Items))}
	}
	for range r.Intn(4) {
		c.values = append(c.values, []string{"a", "b", "c", r.word(), r.text()}[r.Intn(5)])
	}
	if len(c.values) > 1 && !fieldSpecs[c.key].list {
		c.values = c.values[:1]
	}
	if f, ok := e.LastField(c.key); ok && fieldSpecs[c.key].list && r.Intn(2) == 0 { // some of what is there, in any order
		c.values = append(c.values, f.values()...)
		r.Shuffle(len(c.values), func(i, j int) { c.values[i], c.values[j] = c.values[j], c.values[i] })
	}
	for i, v := range c.values {
		c.values[i] = strings.ToValidUTF8(v, "\ufffd")
	}
	return c
}

// checkChange makes an edit and checks that it does what it says and leaves the
// rest alone. done is false where the edit was refused.
func checkChange(t *testing.T, e *Entry, c change) (done bool) {
	t.Helper()
	f, exists := e.LastField(c.key)
	var eds []markdown.Edit
	var want []string
	if c.remove {
		eds = e.RemoveItems(f, c.item)
		for i, s := range f.Items {
			if i != c.item {
				want = append(want, s.Value)
			}
		}
	} else {
		if ed := e.FieldEdit(c.key, c.values...); ed != (markdown.Edit{}) {
			eds = append(eds, ed)
		}
		want = c.values
	}
	text := markdown.ApplyEdits(e.Text, eds)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%+v: "+format+"\n--- before\n%q\n--- after\n%q", append(append([]any{c}, args...), e.Text, text)...)
	}
	after := Parse(e.Path, text)
	if len(eds) == 0 {
		got := make([]string, 0, len(f.Items))
		for _, s := range f.Items {
			got = append(got, s.Value)
		}
		return slices.Equal(got, want) && (exists || len(want) == 0)
	}
	g, stays := after.LastField(c.key)
	if !stays && (len(want) > 0 || c.remove) {
		fail("the key is gone")
	}
	if stays && !c.remove && len(want) == 0 {
		fail("the key is still there")
	}
	var got []string
	for _, s := range g.Items {
		got = append(got, s.Value)
	}
	if !slices.Equal(got, want) {
		fail("values %q, want %q", got, want)
	}
	if a, b := e.Body.Of(e.Text), after.Body.Of(text); a != b {
		fail("the body changed to %q", b)
	}
	old, now := others(e.Fields, c.key), others(after.Fields, c.key)
	if len(old) != len(now) {
		fail("%d other keys, were %d", len(now), len(old))
	}
	for i, x := range old {
		if a, b := rawField(e, x), rawField(after, now[i]); a != b && !oddBreaks(e.Text) {
			fail("field %q became %q", a, b)
		}
	}
	if strings.Count(e.Text, "\r\n") == strings.Count(e.Text, "\n") && strings.Contains(e.Text, "\n") &&
		strings.Count(text, "\r\n") != strings.Count(text, "\n") {
		fail("a line end is not like the others")
	}
	if strings.HasPrefix(e.Text, markdown.ByteOrderMark) != strings.HasPrefix(text, markdown.ByteOrderMark) {
		fail("the byte order mark changed")
	}
	for _, p := range after.Problems {
		known := slices.ContainsFunc(e.Problems, func(q Problem) bool { return q.Code == p.Code && q.Message == p.Message })
		if !known && !g.At.Contains(p.At.Start) {
			fail("new problem %s: %s", p.Code, p.Message)
		}
	}
	if !c.remove && len(want) > 0 && after.FieldEdit(c.key, want...) != (markdown.Edit{}) {
		fail("the same edit again is not empty")
	}
	return true
}

// oddBreaks reports whether a text has what ends lines for YAML 1.1 alone: there
// a raw field may reach into the next.
func oddBreaks(s string) bool {
	return strings.ContainsAny(strings.ReplaceAll(s, "\r\n", ""), "\r\u0085\u2028\u2029")
}

// rawField is a field's bytes without what follows its value.
func rawField(e *Entry, f Field) string {
	return e.Text[f.KeyAt.Start:fieldEditor{e}.fieldValue(f).at.End]
}

// TestEditsLeaveTheRestAlone checks that in 10,000 generated files of every
// dialect the bytes that an edit does not name stay.
func TestEditsLeaveTheRestAlone(t *testing.T) {
	const files, parts = 10_000, 4
	for part := range int64(parts) {
		t.Run(strconv.FormatInt(part, 10), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < files; seed += parts {
				r := newChance(seed)
				e := Parse("a/b/c.md", r.file())
				if c := r.change(e); !checkChange(t, e, c) {
					t.Errorf("refused in good frontmatter: %+v in %q", c, e.Text)
				}
			}
		})
	}
}

func FuzzFieldEdit(f *testing.F) {
	for seed := range int64(40) {
		f.Add(newChance(seed).file(), "tags", "a\nb", seed)
		f.Add(newChance(seed).file(), "title", `x: "y" #z`, seed)
	}
	f.Fuzz(func(t *testing.T, text, key, values string, seed int64) {
		e := Parse("a/b/c.md", text)
		if key == "" || strings.ContainsAny(key, "\n\r") || len(values) > 1000 {
			return
		}
		c := change{key: strings.ToValidUTF8(key, ""), values: strings.Split(strings.ToValidUTF8(values, ""), "\n")}
		if !fieldSpecs[c.key].list {
			c.values = c.values[:1]
		}
		checkChange(t, e, c)
		checkChange(t, e, newChance(seed, values).change(e))
	})
}

func TestApplyEdits(t *testing.T) {
	edits := []markdown.Edit{{At: markdown.Span{Start: 4, End: 6}, New: "X"}, {At: markdown.Span{Start: 0, End: 0}, New: "a"},
		{At: markdown.Span{Start: 2, End: 4}, New: ""}, {At: markdown.Span{Start: 3, End: 5}, New: "overlaps"},
		{At: markdown.Span{Start: 6, End: 99}, New: "beyond"}}
	if got, want := markdown.ApplyEdits("012345", edits), "a01X"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFieldEdit edits each archive's first file as the lines of "edits" say,
// KEY=VALUE|VALUE or KEY-ITEM, each one on the file as it was.
func TestFieldEdit(t *testing.T) {
	goldentest.Archives(t, "testdata/edit/*.txtar", func(files []txtar.File) string {
		e := Parse(files[0].Name, string(files[0].Data))
		var b strings.Builder
		for line := range strings.Lines(string(files[1].Data)) {
			line = strings.TrimSuffix(line, "\n")
			var eds []markdown.Edit
			if key, values, ok := strings.Cut(line, "="); ok && values != "" {
				eds = append(eds, e.FieldEdit(key, strings.Split(values, "|")...))
			} else if ok {
				eds = append(eds, e.FieldEdit(key))
			} else {
				key, item, _ := strings.Cut(line, "-")
				f, _ := e.LastField(key)
				eds = e.RemoveItems(f, int(item[0]-'0'))
			}
			b.WriteString("# " + line + "\n")
			if len(eds) == 0 || eds[0] == (markdown.Edit{}) {
				b.WriteString("nothing\n")
				continue
			}
			b.WriteString(changedLines(e.Text, markdown.ApplyEdits(e.Text, eds)))
		}
		return b.String()
	})
}

// changedLines shows what differs between two texts, line ends visible.
func changedLines(before, after string) string {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	for i, lines := range [][]string{a, b} {
		for _, l := range lines {
			out.WriteString("-+"[i:i+1] + strings.NewReplacer("\r", `\r`, "\t", `\t`).Replace(strings.TrimSuffix(l, "\n")) + "\n")
		}
	}
	return out.String()
}

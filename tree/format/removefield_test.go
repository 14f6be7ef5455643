package format

import (
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

func TestRemovedFieldLeavesTheOthers(t *testing.T) {
	removed, refused := 0, 0
	for seed := range int64(3000) {
		r := newChance(seed)
		e := Parse("a/b/c.md", r.file())
		if len(e.Fields) == 0 {
			continue
		}
		i := r.Intn(len(e.Fields))
		ed := e.RemoveField(e.Fields[i])
		if ed == (markdown.Edit{}) {
			refused++
			continue
		}
		removed++
		text := markdown.ApplyEdits(e.Text, []markdown.Edit{ed})
		after := Parse(e.Path, text)
		if rest := slices.Delete(slices.Clone(e.Fields), i, i+1); !slices.EqualFunc(rest, after.Fields, sameField) ||
			len(after.Problems) > len(e.Problems) || e.Body.Of(e.Text) != after.Body.Of(text) {
			t.Fatalf("%+v of\n%q\nleaves\n%q", e.Fields[i], e.Text, text)
		}
	}
	t.Logf("%d removed, %d refused", removed, refused)
	if removed == 0 || refused > 0 {
		t.Errorf("%d removed, %d refused in good frontmatter", removed, refused)
	}
}

func TestFieldThatStandsTwiceIsRemovedOnce(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"lines", "---\ntitle: A\ntags: [x]\ntitle: B\n---\n", "---\ntitle: A\ntags: [x]\n---\n"},
		{"CRLF", "---\r\ntitle: A\r\n\"title\": B # why\r\nz: 1\r\n---\r\nText.\r\n", "---\r\ntitle: A\r\nz: 1\r\n---\r\nText.\r\n"},
		{"block list", "\ufeff---\ntitle: A\ntitle:\n  - B\n  # and\n  - C\n---\n", "\ufeff---\ntitle: A\n---\n"},
		{"comment above", "---\ntitle: A\n# of the next\ntitle: |\n  B\n\n  C\ntags: []\n---\n",
			"---\ntitle: A\n# of the next\ntags: []\n---\n"},
		{"one line", "---\n{title: A, title: B}\n---\n", ""},
		{"not closed", "---\ntitle: A\ntitle: B\n", ""},
		{"beside broken YAML", "---\ntags: [x\ntitle: A\ntitle: B\n---\n", "---\ntags: [x\ntitle: A\n---\n"},
	} {
		e := Parse("a/b/c.md", c.text)
		f := Field{KeyAt: markdown.Span{Start: 1, End: 2}} // none of the entry
		if at := strings.LastIndex(c.text, "title"); at >= 0 {
			if i := slices.IndexFunc(e.Fields, func(f Field) bool { return f.KeyAt.Start == at }); i >= 0 {
				f = e.Fields[i]
			}
		}
		got := ""
		if ed := e.RemoveField(f); ed != (markdown.Edit{}) {
			got = markdown.ApplyEdits(c.text, []markdown.Edit{ed})
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

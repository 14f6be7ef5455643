package codebase

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// TestMarks lists the marks of the files of an archive.
func TestMarks(t *testing.T) {
	path := filepath.Join("testdata", "marks.txtar")
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := scan(t, jailtest.Folder(t, filesOf(a)))
	var b strings.Builder
	for _, c := range m.Marked() {
		text, err := m.Read(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range c.Marks() {
			if got := text[mark.At.Start:mark.At.End]; got != "@brv:"+mark.Target {
				t.Errorf("%s: a mark of %s stands at %q", c.Path, mark.Target, got)
			}
			fmt.Fprintf(&b, "%s:%d %s\n", c.Path, 1+strings.Count(text[:mark.At.Start], "\n"), mark.Target)
		}
	}
	golden(t, path, a, b.String())
}

func TestMarksAreBounded(t *testing.T) {
	long := strings.Repeat("x", maxTarget)
	text := "# @brv:" + long + "y\n# @brv:" + long + "\n" + strings.Repeat("# @brv:a/b\n", 2*maxMarks)
	marks := marksOf(text, &syntax.File{Partial: "no syntax"})
	if len(marks) != maxMarks || marks[0].Target != long {
		t.Errorf("%d marks, the first of %d bytes", len(marks), len(marks[0].Target))
	}
}

// FuzzMarks finds marks in any text, and reads them back.
func FuzzMarks(f *testing.F) {
	f.Add("x // @brv:a/b.md, @brv:c\n\"# @brv:d\"", uint16(3), uint16(14))
	f.Add("@brv:@brv:\xff@brv:é", uint16(0), uint16(40))
	f.Fuzz(func(t *testing.T, text string, start, end uint16) {
		from := min(int(start), len(text))
		comment := syntax.Span{Start: from, End: max(from, min(int(end), len(text)))}
		for _, file := range []*syntax.File{{Partial: "no syntax"}, {Comments: []syntax.Span{comment}}, {}} {
			marks, last := marksOf(text, file), 0
			for _, m := range marks {
				if m.At.Start < last || text[m.At.Start:m.At.End] != markSign+m.Target || m.Target == "" || len(m.Target) > maxTarget {
					t.Errorf("mark %+v behind %d in %q", m, last, text)
				}
				if len(file.Comments) > 0 && !comment.Contains(m.At) {
					t.Errorf("mark %+v is outside the comment", m)
				}
				last = m.At.End
			}
			r := &record{marks: marks}
			if got, err := decodeRecord(r.encode(nil)); err != nil || fmt.Sprint(got.marks) != fmt.Sprint(marks) || len(marks) > maxMarks {
				t.Errorf("%v are read back as %v, %v", marks, got, err)
			}
		}
	})
}

package format

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Reviser applies a revision part by part; each step reads the text that the
// step before has written.
type Reviser struct {
	E       *Entry
	header  Header
	content Content // in normal form
	replace map[Part]bool
	losses  []Loss
	merging bool // facts of one subject stand beside each other
}

// apply makes edits of the body. A body that comes to begin with a separator
// gets frontmatter in front, or the separator would be taken for its fence.
func (v *Reviser) apply(edits ...markdown.Edit) {
	text := markdown.ApplyEdits(v.E.Text, edits)
	if text == v.E.Text {
		return
	}
	_, _, before, _ := splitFrontmatter(v.E.Text)
	if _, _, after, _ := splitFrontmatter(text); after && !before {
		text = text[:v.E.Body.Start] + v.native("---\n---\n") + text[v.E.Body.Start:]
	}
	v.E = Parse(v.E.Path, text)
}

// Field makes an edit of the frontmatter and reports whether there was one.
func (v *Reviser) Field(ed markdown.Edit) bool {
	if ed == (markdown.Edit{}) {
		return false
	}
	v.E = Parse(v.E.Path, markdown.ApplyEdits(v.E.Text, []markdown.Edit{ed}))
	return true
}

func (v *Reviser) addLoss(p Part, item string, kept bool) {
	if item != "" { // control characters only
		v.losses = append(v.losses, Loss{Part: p, Item: item, Kept: kept})
	}
}

// native gives text the file's line ends.
func (v *Reviser) native(s string) string {
	if eol := eolOf(v.E.Text); eol != "\n" {
		return strings.ReplaceAll(s, "\n", eol)
	}
	return s
}

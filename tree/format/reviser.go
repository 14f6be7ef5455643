package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Reviser applies a revision part by part. Each step parses the text that the previous one wrote.
type Reviser struct {
	E       *Entry
	header  Header
	content Content // in normal form
	replace map[Part]bool
	losses  []Loss
	merging bool // facts of one subject stand beside each other
}

// apply makes edits of the body. If the body then begins with a separator, frontmatter is added in front,
// since the separator would be read as its fence.
func (v *Reviser) apply(edits ...markdown.Edit) {
	text := markdown.ApplyEdits(v.E.Text, edits)
	if text == v.E.Text {
		return
	}
	_, _, before, _ := splitFrontmatter(v.E.Text)
	if _, _, after, _ := splitFrontmatter(text); after && !before {
		text = text[:v.E.Body.Start] + v.native("---\n---\n") + text[v.E.Body.Start:]
	}
	v.E = Parse(v.E.Path, keepEnds(v.E.Text, text))
}

// Field makes an edit of the frontmatter and reports whether there was one.
func (v *Reviser) Field(ed markdown.Edit) bool {
	if ed == (markdown.Edit{}) {
		return false
	}
	v.E = Parse(v.E.Path, keepEnds(v.E.Text, markdown.ApplyEdits(v.E.Text, []markdown.Edit{ed})))
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

// keepEnds preserves the line ends of unchanged lines if a text has both LF and CRLF.
func keepEnds(before, after string) string {
	if n := strings.Count(before, "\r\n"); n == 0 || n == strings.Count(before, "\n") {
		return after
	}
	was, is := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	bare := func(line string) string { return strings.TrimRight(line, "\r\n") }
	keep := func(i, k int) bool {
		same := bare(is[i]) == bare(was[k])
		if same && strings.HasSuffix(was[k], "\n") && strings.HasSuffix(is[i], "\n") {
			is[i] = was[k]
		}
		return same
	}
	first, last := 0, 0
	for first < min(len(is), len(was)) && keep(first, first) {
		first++
	}
	for last < min(len(is), len(was))-first && keep(len(is)-1-last, len(was)-1-last) {
		last++
	}
	at := map[string][]int{} // the lines between
	for k := len(was) - last - 1; k >= first; k-- {
		at[bare(was[k])] = append(at[bare(was[k])], k)
	}
	for i, k := first, first; i < len(is)-last; i++ {
		same := at[bare(is[i])]
		for len(same) > 0 && same[len(same)-1] < k {
			same = same[:len(same)-1]
		}
		if at[bare(is[i])] = same; len(same) > 0 {
			k = same[len(same)-1] + 1
			keep(i, k-1)
		}
	}
	return strings.Join(is, "")
}

// Package curate turns what someone selected into the draft of an entry.
//
// [Plan] is pure: from a selection, the tree and the time it makes a title, a
// place and the whole text of a new entry. It writes nothing; an editor shows
// the draft and the user decides.
//
//   - The title is what the selection says of itself: the first sentence of its
//     leading comment, its heading, the symbol it defines, else its first words.
//   - The place is where the tree already speaks of that file or folder, else
//     the topic whose name shares a word with the title or the path, else a topic
//     named after the path.
//   - The text follows the written dialect of the format: seven frontmatter keys
//     in their order, Reason, Raw Concept with the file and its lines, and the
//     selection as a fenced snippet.
//
// Names are snake_case in any script; a name that exists gets a number.
package curate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// MaxSelection is the most bytes of a selection that an entry keeps: the paper's
// limit of characters for one source (Table 7).
const MaxSelection = 40_000

// Selection is what was selected, and where.
type Selection struct {
	Path      string // workspace path of the file
	Entry     string // tree path, if the file is an entry itself
	Text      string
	StartLine int    // 1-based
	EndLine   int    // 1-based, the last line that is selected
	Language  string // info string of the fence, "" if unknown
	Symbol    string // the definition that is selected, "" if unknown
}

// Draft is a planned entry.
type Draft struct {
	Path  string // in the tree; no entry is there yet
	Title string
	Text  string
}

// Plan drafts an entry from a selection. It fails only for an empty or oversized
// selection.
func Plan(sel Selection, t *tree.Snapshot, now time.Time) (Draft, error) {
	sel.Text = clean(sel.Text)
	switch {
	case strings.TrimSpace(sel.Text) == "":
		return Draft{}, errors.New("the selection is empty")
	case len(sel.Text) > MaxSelection:
		return Draft{}, fmt.Errorf("the selection has %d bytes, an entry keeps at most %d; select less", len(sel.Text), MaxSelection)
	}
	title := titleOf(sel)
	related := relatedEntries(sel, t)
	d := Draft{Path: t.FreePath(folderFor(sel, title, related, t), title), Title: title}
	d.Text = render(sel, title, related, now)
	return d, nil
}

// clean gives the text one kind of line end and removes what no text file should
// hold: control, bidirectional-override and other invisible format characters.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f, 0x80 <= r && r < 0xa0, // control
			0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, // bidirectional overrides
			0xe0000 <= r && r <= 0xe007f, // tag characters
			r == 0xfeff, r == 0xfffd:
			return -1
		}
		return r
	}, s)
}

package curate

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// maxSelection is the most bytes of a selection that an entry keeps: the paper's
// limit of characters for one source (Table 7).
const maxSelection = 40_000

// Plan drafts an entry from a selection. It fails only for an empty or oversized
// selection.
func Plan(sel Selection, t *tree.Snapshot, now time.Time) (Draft, error) {
	sel.Text = clean(sel.Text)
	switch {
	case strings.TrimSpace(sel.Text) == "" && sel.Statement == "":
		return Draft{}, errors.New("the selection is empty")
	case len(sel.Text) > maxSelection:
		return Draft{}, fmt.Errorf("the selection has %d bytes, but an entry can have at most %d; select less", len(sel.Text), maxSelection)
	}
	sel.Statement = oneLine(clean(sel.Statement))
	title := cmp.Or(titleOf(sel), shorten(path.Base(sel.Path)), "Selection")
	related := relatedEntries(sel, t)
	d := Draft{Path: t.FreePath(cmp.Or(sel.Topic, folderFor(sel, related, t)), title), Title: title}
	d.Text = render(sel, title, related, now)
	return d, nil
}

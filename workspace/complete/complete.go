// Package complete offers what can stand at the cursor: paths of entries in relations and marks, headings,
// and keys and values of the frontmatter.
package complete

import (
	"cmp"
	"context"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
)

// At offers, in an entry, the paths of folders and entries behind an @, in wiki
// links, Markdown links and `related`, the headings of an entry behind its path and #, the keys
// of the frontmatter, the tiers of `maturity` and the tags and keywords in use, in Markdown links the
// repository's documents too; in code the paths behind @brv:. Paths go folder by folder; entries are also found
// by any part of their path, title, tags or keywords.
func At(ctx context.Context, v *workspace.View, p string, offset int) []Completion {
	entry, ok := v.EntryPath(p)
	if !ok {
		return completeMark(v, p, offset)
	}
	e, ok := v.Entry(entry)
	if !ok || offset < 0 || offset > len(e.Text) {
		return nil
	}
	if offset < e.Body.Start {
		return completeFrontmatter(v, e, offset)
	}
	c, ok := typedIn(e, offset)
	if !ok {
		return nil
	}
	return append(completeTarget(v, c), completeDocuments(ctx, v, c)...)
}

// Doc returns the text of a completion's entry, in markdown: its summary, else the
// first lines of its text.
func Doc(v *workspace.View, entry string) string {
	e, ok := v.Entry(entry)
	if !ok {
		return ""
	}
	e = e.Redacted()
	return cmp.Or(e.Summary, describe.Excerpt(e))
}

// RelatedEdit is the edit that adds a completed entry to another one's `related`: where
// that has such a list, which shows that its author keeps one, and it does not lead to the entry yet.
func RelatedEdit(v *workspace.View, from, to string) (markdown.Edit, bool) {
	e, ok := v.Entry(from)
	if _, known := v.Entry(to); !ok || !known || from == to {
		return markdown.Edit{}, false
	}
	f, ok := e.Field("related")
	if !ok || !f.List {
		return markdown.Edit{}, false
	}
	var paths []string
	for _, item := range f.Items {
		if v.Trees().Resolve(from, format.FormRelated, withoutHeading(item.Value)).Target == to {
			return markdown.Edit{}, false
		}
		paths = append(paths, item.Value)
	}
	edit := e.FieldEdit("related", append(paths, to)...)
	return edit, edit != markdown.Edit{}
}

func withoutHeading(p string) string {
	p, _, _ = strings.Cut(strings.TrimPrefix(p, "@"), "#")
	return p
}

// completeMark offers paths behind @brv: in a code file.
func completeMark(v *workspace.View, p string, offset int) []Completion {
	text, ok := v.Text(p)
	if !ok || offset < 0 || offset > len(text) {
		return nil
	}
	at, ok := typedPath(text, 0, offset)
	if !ok || !strings.HasPrefix(text[at.Start-1:offset], tree.MarkSign) {
		return nil
	}
	at.Start += len(tree.MarkSign) - 1
	return completePaths(v, typing{form: format.FormAt, text: text[at.Start:offset], at: at})
}

package complete

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/names"
)

// completePaths offers the folders and entries under the typed prefix, and then the
// entries that are called so, what fits best first. In Markdown links, which are relative, it
// offers entries only: those beside the entry where nothing is typed yet.
func completePaths(v *workspace.View, c typing) []Completion {
	text := strings.TrimPrefix(c.text, "@")
	dir, last := path.Split(text)
	if c.form == format.FormMarkdown {
		dir = path.Join(path.Dir(c.self.Path), dir)
	}
	var out []Completion
	seen := map[string]bool{}
	if n, ok := v.Tree().Node(strings.Trim(dir, "/")); ok {
		for _, f := range n.Folders {
			if c.form != format.FormMarkdown && hasPrefixFold(path.Base(f), last) && !strings.HasPrefix(f, "_") {
				out = append(out, c.folder(v, f))
			}
		}
		for _, p := range n.Entries {
			if e, ok := v.Tree().Entry(p); ok && hasPrefixFold(path.Base(p), last) && c.offers(p) {
				seen[p] = true
				out = append(out, c.entry(e))
			}
		}
	}
	for _, e := range names.Called(v, text, maxCompletions+len(seen)+1) {
		if !seen[e.Path] && c.offers(e.Path) {
			out = append(out, c.entry(e))
		}
	}
	return out[:min(len(out), maxCompletions)]
}

// documentPatience is how long a completion waits for documents: what is read late is offered with the next letter.
const documentPatience = 50 * time.Millisecond

// completeDocuments offers the documents of the repository whose path or title has what is typed of a Markdown link.
func completeDocuments(ctx context.Context, v *workspace.View, c typing) (out []Completion) {
	typed := strings.ToLower(strings.TrimLeft(c.text, "./"))
	if c.form != format.FormMarkdown || strings.Contains(typed, "#") {
		return nil
	}
	soon, cancel := v.Within(ctx, documentPatience)
	defer cancel()
	pages := workspace.PagesIn(soon, v)
	if pages == nil {
		return nil
	}
	for _, e := range pages.Set.Pages().Entries() {
		if to := relativeTo(v.FilePath(c.self.Path), e.Path); strings.Contains(strings.ToLower(e.Path+" "+e.Title), typed) {
			out = append(out, Completion{Label: e.Path, Kind: "link", Detail: e.Title, Replace: c.at,
				Insert: format.Mention{Form: c.form}.Spelled("", to), Filter: filter(c.text, to+" "+e.Title)})
		}
		if len(out) == maxCompletions {
			break
		}
	}
	return out
}

// offers reports whether the entry at p may stand here: not itself.
func (c typing) offers(p string) bool {
	return names.Linkable(p) && (c.self == nil || p != c.self.Path)
}

func (c typing) folder(v *workspace.View, f string) Completion {
	n, _ := v.Tree().Node(f)
	kind := "topic"
	if n.Kind == format.KindDomain {
		kind = "domain"
	}
	return Completion{
		Label: f + "/", Kind: kind, Insert: f + "/", Replace: c.at, Filter: filter(c.text, f+"/"),
		Detail: tree.Counted(len(n.Folders), "folder", "folders") + ", " + tree.Counted(len(n.Entries), "entry", "entries"),
	}
}

func (c typing) entry(e *format.Entry) Completion {
	out := Completion{
		Label: e.Path, Kind: "entry", Detail: e.Title, Insert: e.Path, Replace: c.at,
		Filter: filter(c.text, e.Path+" "+e.Title), Entry: e.Path,
	}
	switch c.form {
	case format.FormMarkdown:
		out.Kind, out.Insert = "link", format.Mention{Form: c.form}.Spelled("", relativeTo(c.self.Path, e.Path))
	case format.FormWiki:
		if c.open {
			out.Insert += "]]"
		}
	}
	out.Relates = c.self != nil && c.form != format.FormRelated
	return out
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// relativeTo is the path of an entry as a Markdown link in another one names it.
func relativeTo(from, to string) string {
	dir := path.Dir(from)
	up := ""
	for dir != "." && !strings.HasPrefix(to, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	if dir == "." {
		return up + to
	}
	return up + strings.TrimPrefix(to, dir+"/")
}

// completeTarget offers the headings of an entry behind its path and #, else paths.
func completeTarget(v *workspace.View, c typing) []Completion {
	raw, heading, ok := strings.Cut(c.text, "#")
	if !ok {
		return completePaths(v, c)
	}
	target := c.self
	if raw != "" {
		if target, ok = v.Tree().Entry(v.Tree().Resolve(c.self.Path, c.form, raw).Target); !ok {
			return nil
		}
	}
	at := markdown.Span{Start: c.at.Start + len(raw) + 1, End: max(c.at.End, c.at.Start+len(c.text))}
	end := ""
	if c.open {
		end = "]]"
	}
	return completeHeadings(target, c.form, heading, at, end)
}

// completeHeadings offers the headings of an entry, those that begin with what is typed
// first.
func completeHeadings(e *format.Entry, form format.Form, typed string, at markdown.Span, end string) []Completion {
	var first, rest []Completion
	anchors := e.Anchors()
	for i, s := range e.Sections {
		if s.Title == "" || !strings.Contains(format.Anchor(s.Title), format.Anchor(typed)) {
			continue
		}
		insert := anchors.Of(i)
		if meant, ok := anchors.Section(s.Title); ok && meant == i && form == format.FormWiki && !strings.ContainsAny(s.Title, "[]|#") {
			insert = s.Title
		}
		c := Completion{
			Label: s.Title, Kind: "heading", Detail: e.Title, Insert: insert + end, Replace: at,
			Filter: filter(typed, insert+" "+s.Title), Entry: e.Path, OfLink: form == format.FormMarkdown,
		}
		if strings.HasPrefix(format.Anchor(s.Title), format.Anchor(typed)) {
			first = append(first, c)
		} else {
			rest = append(rest, c)
		}
	}
	out := slices.Concat(first, rest)
	return out[:min(len(out), maxCompletions)]
}

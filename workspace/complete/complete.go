// Package complete offers what can stand at the cursor: paths of entries in relations and marks, headings,
// and keys and values of the frontmatter.
package complete

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
)

// maxCompletions bounds an answer; the client asks again as more is typed.
const maxCompletions = 100

// Completion is one thing that can stand at the cursor.
type Completion struct {
	Label   string
	Kind    string        // "domain", "topic", "entry", "link" (of Markdown), "heading", "key" or "value"
	Detail  string        // the title of an entry, what a folder holds
	Insert  string        // the text to insert
	Replace markdown.Span // what it replaces
	Filter  string        // what was typed fits it; clients look again
	Doc     string        // markdown
	Entry   string        // the tree path of an entry, whose documentation is [Doc]
	Relates bool          // it becomes a relation in the entry's body
	OfLink  bool          // a heading in the target of a Markdown link
}

// At offers, in an entry, the paths of folders and entries behind an @, in wiki
// links, Markdown links and `related`, the headings of an entry behind its path and #, the keys
// of the frontmatter, the tiers of `maturity` and the tags and keywords in use; in code the
// paths behind @brv:. Paths go folder by folder; entries are also found by any part of
// their path, title, tags or keywords.
func At(_ context.Context, v *workspace.View, p string, offset int) ([]Completion, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return completeMark(v, p, offset), nil
	}
	e, ok := v.Tree().Entry(entry)
	if !ok || offset < 0 || offset > len(e.Text) {
		return nil, nil
	}
	if offset < e.Body.Start {
		return completeFrontmatter(v, e, offset), nil
	}
	c, ok := typedIn(e, offset)
	if !ok {
		return nil, nil
	}
	return completeTarget(v, c), nil
}

// Doc is what a completion's entry knows, in markdown: its summary, else the
// first lines of its text.
func Doc(v *workspace.View, entry string) string {
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return ""
	}
	e = e.Redacted()
	return cmp.Or(e.Summary, describe.Excerpt(e))
}

// RelatedEdit is the edit that adds a completed entry to another one's `related`: where
// that has such a list, which shows that its author keeps one, and it does not lead to the entry yet.
func RelatedEdit(v *workspace.View, from, to string) (markdown.Edit, bool) {
	e, ok := v.Tree().Entry(from)
	if _, known := v.Tree().Entry(to); !ok || !known || from == to {
		return markdown.Edit{}, false
	}
	f, ok := e.Field("related")
	if !ok || !f.List {
		return markdown.Edit{}, false
	}
	var paths []string
	for _, item := range f.Items {
		if v.Tree().Resolve(from, format.FormRelated, withoutHeading(item.Value)).Target == to {
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

// typing is a relation's target as far as it is typed.
type typing struct {
	self *format.Entry // where; nil in code
	form format.Form
	text string        // from its beginning to the cursor
	at   markdown.Span // what a completion replaces: all of it, also behind the cursor
	open bool          // of a wiki link: its end is still to be written
}

// notPath are the characters that end a path in a body.
const notPath = " \t\r\n()[]<>\"'`,;"

// typedIn finds the target that is being typed in the body of an entry: behind @, "[[" or
// "](". In code nothing is a relation.
func typedIn(e *format.Entry, offset int) (typing, bool) {
	start := max(e.Body.Start, strings.LastIndexByte(e.Text[:offset], '\n')+1)
	line := e.Text[start:offset]
	var c typing
	if at, ok := typedPath(e.Text, e.Body.Start, offset); ok {
		c = typing{form: format.FormAt, at: at}
	} else if i := strings.LastIndex(line, "[["); i >= 0 && !strings.ContainsAny(line[i+2:], "[]|\r") {
		end := offset + lengthTo(e.Text[offset:], "[]|\r\n")
		closed := strings.HasPrefix(e.Text[end:], "]]") || strings.HasPrefix(e.Text[end:], "|")
		if !closed { // what stands behind the cursor may be no part of it
			end = offset + lengthTo(e.Text[offset:], notPath)
		}
		c = typing{form: format.FormWiki, at: markdown.Span{Start: start + i + 2, End: end}, open: !closed}
	} else if i := strings.LastIndex(line, "]("); i >= 0 && !strings.ContainsAny(line[i+2:], " ()<>:\r") {
		c = typing{form: format.FormMarkdown, at: markdown.Span{Start: start + i + 2, End: offset + lengthTo(e.Text[offset:], notPath)}}
	} else {
		return typing{}, false
	}
	c.self, c.text = e, e.Text[c.at.Start:offset]
	return c, !inCode(e, offset)
}

// inCode reports whether a place lies in a fenced block or in inline code, also one whose
// end is still to be written.
func inCode(e *format.Entry, offset int) bool {
	body := e.Body.Of(e.Text)
	for l := range markdown.Lines(body) {
		at := markdown.Span{Start: l.At.Start + e.Body.Start, End: l.At.End + e.Body.Start}
		if at.Contains(offset) {
			return l.Fence != markdown.FenceNone || strings.Count(e.Text[at.Start:offset], "`")%2 == 1
		}
	}
	return false
}

// typedPath is the path being typed behind an @ that may begin a relation or mark, not
// before from.
func typedPath(text string, from, offset int) (markdown.Span, bool) {
	start := offset
	for start > from && !strings.ContainsRune(notPath, rune(text[start-1])) {
		start--
	}
	if start >= offset || text[start] != '@' {
		return markdown.Span{}, false
	}
	return markdown.Span{Start: start + 1, End: wordEnd(text, offset)}, true
}

func wordEnd(text string, offset int) int { return offset + lengthTo(text[offset:], notPath+"#") }

// lengthTo is how many bytes of text come before the first of some characters.
func lengthTo(text, stop string) int {
	if n := strings.IndexAny(text, stop); n >= 0 {
		return n
	}
	return len(text)
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

// filter is the text that a client compares with what was typed. Clients look for letters
// in their order; where an entry was found otherwise, what was typed stands in front, and
// the client asks again with the next letter.
func filter(typed, text string) string {
	rest := strings.ToLower(typed)
	for _, r := range strings.ToLower(text) {
		if after, ok := strings.CutPrefix(rest, string(r)); ok {
			rest = after
		}
	}
	if rest == "" {
		return text
	}
	return typed + " " + text
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

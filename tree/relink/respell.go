package relink

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// spelling holds a relation's old and new text.
type spelling struct {
	from, here string // the entry that contains it, before and after
	old, new   string // its target, before and after
}

// rewriting is an edit of one relation.
type rewriting struct {
	markdown.Edit
	doubtful bool // only parsing the result shows whether it is right
}

// respell rewrites a relation, in its own form and as close to the present text as possible, so that `leads`
// accepts the new path. ok is false if no spelling does.
func respell(e *format.Entry, r tree.Relation, sp spelling, leads func(raw string) bool) (rewriting, bool) {
	for _, raw := range spellings(r, sp) {
		if raw = r.Spelled(e.Text, raw); !leads(raw) {
			continue
		}
		if edit, ok := spell(e, r.Mention, raw); ok {
			edit.shows(e, r.Mention)
			return edit, true
		}
	}
	return rewriting{}, false
}

// shows makes a wiki link keep its displayed text if that is an alias of its target. In a table row its bar is
// escaped.
func (w *rewriting) shows(e *format.Entry, r format.Mention) {
	if r.Form != format.FormWiki || format.LinkOf(e, r.Raw) == "" || !strings.HasPrefix(e.Text[r.At.End:], "]") {
		return
	}
	bar, line := "|", e.Text[strings.LastIndexByte(e.Text[:r.At.Start], '\n')+1:]
	if strings.HasPrefix(strings.TrimLeft(line, " "), bar) {
		bar = `\|`
	}
	w.New += e.Text[w.At.End:r.At.End] + bar + r.Raw
	w.At.End, w.doubtful = r.At.End, true
}

// spellings lists ways to write the new target, closest to the present spelling first.
func spellings(r tree.Relation, sp spelling) []string {
	var out []string
	for _, p := range treeSpellings(r, sp) {
		out = append(out, written(r, sp, p))
	}
	if r.Form == format.FormMarkdown {
		out = append(out, RelativeTo(format.FolderOf(sp.here), sp.new), "/"+sp.new)
	}
	if !strings.Contains(sp.new, "/") { // some forms are recognised by a slash
		out = append(out, "./"+sp.new)
	}
	for _, raw := range slices.Clone(out) {
		if strings.Contains(raw, " ") { // not every form can hold a space
			out = append(out, strings.ReplaceAll(raw, " ", "_"))
		}
	}
	return out
}

// treeSpellings lists ways to write the new target as a path of the tree.
func treeSpellings(r tree.Relation, sp spelling) []string {
	said := saidPath(r, sp)
	bare := strings.TrimSuffix(sp.new, ".md")
	withMD := strings.HasSuffix(format.Fold(said), ".md")
	var out []string
	if r.Form == format.FormWiki && !strings.Contains(said, "/") && tree.KeyOf(said) == tree.KeyOf(path.Base(sp.old)) {
		out = append(out, keepNames(said, shape(path.Base(sp.old), withMD), shape(path.Base(sp.new), withMD)))
	}
	if format.Fold(said) == format.Fold(format.FolderOf(sp.old)) && tree.KeyOf(said) != tree.KeyOf(sp.old) {
		out = append(out, keepNames(said, format.FolderOf(sp.old), format.FolderOf(sp.new)), format.FolderOf(sp.new))
	}
	if withMD {
		return append(out, keepNames(said, sp.old, sp.new), sp.new, bare)
	}
	return append(out, keepNames(said, strings.TrimSuffix(sp.old, ".md"), bare), bare, sp.new)
}

func shape(p string, withMD bool) string {
	if withMD {
		return p
	}
	return strings.TrimSuffix(p, ".md")
}

// saidPath returns the tree path that the relation spells.
func saidPath(r tree.Relation, sp spelling) string {
	if ways := tree.Meanings(sp.from, r.Form, r.Raw); len(ways) > 1 && !relativeLink(r, sp) {
		return ways[1]
	} else if len(ways) > 0 {
		return ways[0]
	}
	return r.Raw
}

// relativeLink reports whether a Markdown link is relative to its entry's folder. The link was resolved already,
// so the first reading that fits the target counts.
func relativeLink(r tree.Relation, sp spelling) bool {
	if r.Form != format.FormMarkdown || strings.HasPrefix(r.Raw, "/") {
		return false
	}
	rel := path.Join(format.FolderOf(sp.from), r.Path())
	key := tree.KeyOf(rel)
	if key == tree.KeyOf(sp.old) || key == format.Fold(format.FolderOf(sp.old)) {
		return true
	}
	original, ok := tree.StubFor(tree.KeyOf(sp.old))
	return ok && key == original
}

// written turns a tree path into the relation's style: relative, rooted or plain.
func written(r tree.Relation, sp spelling, p string) string {
	lead, raw := "", p
	switch {
	case r.Form == format.FormMarkdown && strings.HasPrefix(r.Raw, "/"):
		lead = r.Raw[:len(r.Raw)-len(strings.TrimLeft(r.Raw, "/"))]
		if strings.HasPrefix(r.Raw[len(lead):], tree.FromProject) {
			lead += tree.FromProject
		}
	case relativeLink(r, sp):
		raw = RelativeTo(format.FolderOf(sp.here), p)
		fallthrough
	default:
		if strings.HasPrefix(r.Raw, "./") && !tree.Climbs(raw) {
			lead = "./"
		}
	}
	if strings.HasSuffix(r.Raw, "/") && !strings.HasSuffix(raw, ".md") {
		raw += "/"
	}
	return lead + raw
}

// PageLink is a link of a document to a file or folder of the project.
type PageLink struct {
	Page string // the document
	Text string // of the document
	At   markdown.Span
	To   string // the target in the project, in the form of Page
}

// Leading returns the link rewritten for another target. It is false if the link contains no path that could be
// replaced.
func (l PageLink) Leading(to string) (string, bool) {
	raw, dir := l.At.Of(l.Text), path.Dir(l.Page)
	said := markdown.Unescaped(raw)
	lead, written := strings.CutSuffix(strings.TrimRight(said, "/"), l.To)
	if !strings.HasPrefix(said, "/") && path.Join(dir, said) == l.To {
		if lead, written = "", true; strings.HasPrefix(said, "./") {
			lead = "./"
		}
		if to = RelativeTo(dir, to); tree.Climbs(to) {
			lead = ""
		}
	}
	if folder, below := strings.CutSuffix(l.To, "/"+said); below && !written && !tree.Climbs(said) {
		lead, to, written = "", RelativeTo(folder, to), true // it will be written from another folder
	}
	at := markdown.Span{Start: max(l.At.Start-1, 0), End: l.At.End} // with the angle bracket around it, if there is one
	now := lead + format.Mention{Form: format.FormMarkdown, At: at}.Spelled(l.Text, to)
	if !strings.HasPrefix(path.Ext(l.Page), ".m") { // links of AsciiDoc and reStructuredText have no parentheses
		now = strings.NewReplacer("%28", "(", "%29", ")").Replace(now)
	}
	if strings.HasSuffix(raw, "/") {
		now += "/"
	}
	return now, written
}

// RelativeTo writes a clean path, which may start with "..", relative to a folder.
func RelativeTo(dir, p string) string {
	from, to := segments(dir), segments(p)
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	out := strings.Repeat("../", len(from)) + strings.Join(to, "/")
	if out = strings.TrimSuffix(out, "/"); out == "" {
		return "."
	}
	return out
}

func segments(p string) []string {
	if p == "" || p == "." {
		return nil
	}
	return strings.Split(p, "/")
}

// keepNames writes the path `now` with the writer's spelling of the names that it shares with the path `was`:
// hyphens for underscores, or another letter case.
func keepNames(said, was, now string) string {
	a, b, c := strings.Split(said, "/"), strings.Split(was, "/"), strings.Split(now, "/")
	if len(a) != len(b) || format.Fold(said) != format.Fold(was) {
		return now
	}
	front := 0
	for front < len(b) && front < len(c) && b[front] == c[front] {
		c[front] = a[front]
		front++
	}
	for i := 1; i <= min(len(b), len(c))-front && b[len(b)-i] == c[len(c)-i]; i++ {
		c[len(c)-i] = a[len(a)-i]
	}
	return strings.Join(c, "/")
}

// spell replaces the path of a relation. ok is false if the form cannot hold the new path.
func spell(e *format.Entry, r format.Mention, raw string) (rewriting, bool) {
	switch r.Form {
	case format.FormAt:
		if strings.ContainsFunc(raw, unicode.IsSpace) || strings.ContainsAny(raw, "#()[]{}<>\"'`|,;") || !strings.Contains(raw, "/") ||
			r.Heading == "" && strings.TrimRight(raw, ".:!?*") != raw {
			return rewriting{}, false
		}
	case format.FormMarkdown:
		if strings.ContainsAny(raw, ":") {
			return rewriting{}, false
		}
	case format.FormWiki:
		if strings.ContainsAny(raw, "#[]|\n\r") || strings.TrimSpace(raw) != raw || len(raw) > markdown.MaxLink/2 {
			return rewriting{}, false
		}
	default:
		return spellScalar(e, r, raw)
	}
	at, ok := r.Said(e.Text)
	return rewriting{Edit: markdown.Edit{At: at, New: raw}, doubtful: !plainName(raw)}, ok
}

// spellScalar replaces the path in a frontmatter value. It keeps the quotes, or adds double ones if the value
// needs them.
func spellScalar(e *format.Entry, r format.Mention, raw string) (rewriting, bool) {
	isPath := r.Form == format.FormRelated || strings.Contains(raw, "/") // in other forms, one word is no path
	if !isPath || strings.ContainsAny(raw, "#\n\r") || strings.HasPrefix(raw, "@") {
		return rewriting{}, false
	}
	inner := r.At.Of(e.Text)
	signs := inner[:len(inner)-len(strings.TrimLeft(inner, "@"))]
	quote := format.QuoteAround(e.Text, r.At)
	at := r.At.Start + len(signs)
	verbatim := strings.HasPrefix(e.Text[at:r.At.End], r.Raw)
	simple := plainName(raw) && (quote != 0 || plainScalar(signs+raw))
	if verbatim && (quote != 0 || simple) {
		return rewriting{Edit: markdown.Edit{At: markdown.Span{Start: at, End: at + len(r.Raw)}, New: quoted(raw, quote)},
			doubtful: !simple || strings.ContainsAny(inner, "\n\\")}, true
	}
	value := signs + raw
	if _, heading, ok := strings.Cut(inner, "#"); ok || r.Heading != "" {
		if r.Heading != "" {
			heading = r.Heading
		}
		value += "#" + heading
	}
	if quote == 0 {
		return rewriting{Edit: markdown.Edit{At: r.At, New: `"` + quoted(value, '"') + `"`}, doubtful: true}, true
	}
	return rewriting{Edit: markdown.Edit{At: r.At, New: quoted(value, quote)}, doubtful: true}, true
}

// quoted writes a value for quotes of that kind.
func quoted(value string, quote byte) string {
	switch quote {
	case '\'':
		return strings.ReplaceAll(value, "'", "''")
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	}
	return value
}

// plainName reports whether no character of a path has a special meaning in any form.
func plainName(p string) bool {
	for i, r := range p {
		switch {
		case r == '/' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		case r == '.' || r == '-' && i > 0:
		case r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r)):
		default:
			return false
		}
	}
	return p != ""
}

// plainScalar reports whether YAML reads an unquoted value of plain characters as that text, and not as a number
// or a reserved word.
func plainScalar(value string) bool {
	if strings.Contains(value, "/") {
		return true
	}
	switch strings.ToLower(value) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	first, _ := utf8.DecodeRuneInString(value)
	return unicode.IsLetter(first)
}

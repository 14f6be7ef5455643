package format

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// item is one item of a list in a body.
type item struct {
	At    markdown.Span // its text, through the last line that goes on with it
	Lines markdown.Span // the lines that hold it, with the last one's end; empty if it shares its line
	Mark  int           // where its line begins: bytes up to At.Start are its indentation and bullet
	Row   bool          // it is a row of a table
}

// listKind says how the text around the bullets of a list is read.
type listKind int

const (
	listFacts listKind = iota // bullets, and rows of tables
	listPlain                 // text on the label's line is one item
	listFiles                 // text outside bullets is separated by commas or semicolons; rows of tables are items
)

// bullet returns the offset of a list item's text in its line, 0 if the line
// begins none, or an empty one. A box of a task is no part of the text. A sign such as • begins an item too.
func bullet(s string) int {
	t := strings.TrimLeft(s, " \t")
	n := markdown.Item(t)
	if r, size := utf8.DecodeRuneInString(t); size > 1 && unicode.In(r, unicode.Po, unicode.So) && strings.HasPrefix(t[size:], " ") {
		n = size
	}
	if n == 0 {
		return 0
	}
	t = t[n:]
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		t = strings.TrimPrefix(t, box)
	}
	if t = strings.TrimLeft(t, space); t == "" {
		return 0
	}
	return len(s) - len(t)
}

// items lists what stands in a block: bulleted lines with those that go on with
// them, and, under a label, text on the label's own line.
func (l *layout) items(b block, kind listKind) []item {
	var out []item
	if b.Inline {
		first, _ := markdown.CutLine(l.text[:b.At.End], b.Text.Start)
		out = l.loose(out, markdown.Span{Start: b.Text.Start, End: b.Text.Start + len(first)}, kind)
	}
	open := b.Inline // the next line may go on with the last item
	table := false   // the head of one is above
	for _, ln := range l.lines(markdown.Span{Start: b.Head.End + 1, End: b.At.End}) {
		s := ln.At.Of(l.text)
		at := bullet(s)
		row := kind != listPlain && strings.HasPrefix(s, "|") && ln.Fence == markdown.FenceNone
		rule := strings.Trim(s, "|-: \t") == ""
		table = row && (table || rule && strings.Contains(s, "-"))
		switch {
		case row && !rule && (kind == listFiles && isPath(s) || table && (kind == listFiles || len(cells(s)) == 2)):
			it := l.bulleted(ln, 0)
			it.Row = true
			out, open = append(out, it), false
		case row && kind == listFiles:
			open = false
		case ln.Fence != markdown.FenceNone || strings.Trim(s, space) == "" || isRule(s):
			open = false
		case at > 0:
			out = append(out, l.bulleted(ln, at))
			open = true
		case kind != listFacts && ends(s) && l.text[b.Head.Start] != '#':
			return out
		case strings.HasPrefix(s, "#") && ends(s):
			open = false
		case open && interrupts(s):
			open = false
		case open && (kind != listFiles || out[len(out)-1].Lines.End > 0):
			last := &out[len(out)-1]
			last.At.End = ln.At.Start + len(strings.TrimRight(s, space))
			if last.Lines.End > 0 {
				last.Lines.End = l.after(ln)
			}
		case kind != listFacts && (open || len(out) == 0):
			out = l.loose(out, ln.At, kind)
			open = true
		default:
			open = false
		}
	}
	return out
}

// cells splits a row of a table.
func cells(s string) (out []string) {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimRight(s, space), "|"), "|")
	for _, cell := range strings.Split(strings.ReplaceAll(s, `\|`, "\x00"), "|") {
		out = append(out, strings.ReplaceAll(strings.Trim(cell, " \t"), "\x00", "|"))
	}
	return out
}

// interrupts reports whether a line at the margin is no text that goes on with an item: a quote, a row of a table, HTML, a rule
// or the end of an admonition.
func interrupts(s string) bool {
	html := s[0] == '<' && len(s) > 1 && (s[1] == '/' || s[1] == '!' || unicode.IsLetter(rune(s[1])))
	return s[0] == '>' || s[0] == '|' || html || strings.HasPrefix(s, ":::") || markdown.Thematic(s)
}

// ends reports whether a line cannot belong to a label's list.
func ends(s string) bool {
	level, _ := markdown.Heading(s)
	_, _, labelled := Label(s)
	return level > 0 || labelled
}

func (l *layout) bulleted(ln markdown.Line, at int) item {
	text := strings.TrimRight(ln.At.Of(l.text), space)
	return item{At: markdown.Span{Start: ln.At.Start + at, End: ln.At.Start + len(text)}, Lines: markdown.Span{Start: ln.At.Start,
		End: l.after(ln)}, Mark: ln.At.Start}
}

// after is where the line behind ln begins.
func (l *layout) after(ln markdown.Line) int {
	_, next := markdown.CutLine(l.text, ln.At.End)
	return next
}

// loose adds the items of a stretch without bullets.
func (l *layout) loose(out []item, at markdown.Span, kind listKind) []item {
	text, sep := at.Of(l.text), "\n" // none
	if kind == listFiles {
		text, sep = strings.ReplaceAll(text, ";", ","), ","
	}
	start := at.Start
	for part := range strings.SplitSeq(text, sep) {
		t := strings.Trim(part, space)
		if t != "" {
			from := start + strings.Index(part, t)
			out = append(out, item{At: markdown.Span{Start: from, End: from + len(t)}, Mark: from})
		}
		start += len(part) + 1
	}
	return out
}

// listItem is one item of a list in the body with the form in which it is
// compared and told.
type listItem struct {
	item
	text string
	fact Fact

	above string // with what the subject begins that an item around it has
}

// pathOf is [fileOf] for an item of any list: it must be a path, perhaps with words behind it.
func pathOf(item string, at int) (f FileRef, ok bool) {
	f, ok = fileOf(item, at)
	return f, ok && strings.ContainsAny(f.Path, "./") && !strings.ContainsAny(f.Path, " \t")
}

func isPath(item string) bool {
	_, ok := pathOf(item, 0)
	return ok
}

// joint stands between the files of an item.
var joint = lazyregexp.New(`[,;]\s+(?:and\s+)?|\s+and\s+`)

// FilesOf are the files that an item of a list of files names: those in backticks, or with commas or "and" between them, or one.
func FilesOf(item string, at int) (out []FileRef) {
	said, from := undescribed(item), 0
	var parts []markdown.Span
	if code := markdown.CodeSpans(said); len(code) > 0 {
		for _, c := range code {
			parts = append(parts, c.At)
		}
	} else if !strings.Contains(item, "](") {
		for _, m := range append(joint().FindAllStringIndex(said, -1), []int{len(said), 0}) {
			parts, from = append(parts, markdown.Span{Start: from, End: m[0]}), m[1]
		}
	}
	for _, part := range parts {
		f, ok := pathOf(part.Of(said), at+part.Start)
		if !ok {
			break
		}
		out = append(out, f)
	}
	if f, ok := fileOf(item, at); ok && len(out) == 0 {
		return []FileRef{f}
	}
	return out
}

// fileOf is the file that an item names: a back-ticked or linked path, one behind an @, or the words before " - ", " (" or
// " — ". Addresses are not files.
func fileOf(item string, at int) (f FileRef, ok bool) {
	if n := strings.Index(item, ") "); n > 0 && item[0] == '(' { // words in front describe it, too
		item, at = item[n+2:], at+n+2
	}
	if text, _, ok := strings.Cut(item, "]("); ok && strings.HasPrefix(text, "[") {
		item, at = text[1:], at+1
	}
	if code := markdown.CodeSpans(item); len(code) > 0 && (len(undescribed(item)) > code[0].At.Start || !isPath(undescribed(item))) {
		item, at = code[0].Text.Of(item), at+code[0].Text.Start
	}
	item = undescribed(item)
	if first, rest, _ := strings.Cut(strings.TrimLeft(item, " \t"), " "); path.Ext(first) != "" && !strings.ContainsAny(rest, "./") {
		item = item[:len(item)-len(rest)]
	}
	around := "\"'<>,;|"
	for t := strings.Trim(item, " \t\r@"+around); t != "" && (t[0] == '*' || t[0] == '_') && t[0] == t[len(t)-1]; t = "" {
		// emphasis, and no pattern of paths or name such as __tests__
		if inner := strings.Trim(t, t[:1]); inner != "" && inner[0] != '/' && (t[0] == '*' || path.Ext(inner) != "") {
			around += t[:1]
		}
	}
	trimmed := strings.TrimLeft(item, " \t@"+around)
	at += len(item) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t\r"+around)
	file := strings.TrimLeft(strings.TrimPrefix(strings.ReplaceAll(WithoutLines(trimmed), "\\", "/"), "./"), "/")
	return FileRef{Path: file, At: markdown.Span{Start: at, End: at + len(trimmed)}}, trimmed != "" && !strings.Contains(trimmed, "://")
}

// undescribed is an item of a list of files without the words behind the path.
func undescribed(item string) string {
	for _, sep := range []string{" - ", " (", " — ", " – ", ": ", " → ", " -> ", " | "} {
		item, _, _ = strings.Cut(item, sep)
	}
	return item
}

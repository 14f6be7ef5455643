package terminal

import (
	"context"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Page is one view: a list, and the text of the selected row.
type Page struct {
	Name string
	// Load is called between two messages, so that it may read values that keys change.
	Load func() Loader
	Keys []Key
	// Line labels the line that the user can type after /. It is "" if the page has none. Typed receives the line,
	// and the page is loaded again.
	Line  string
	Typed func(string)
	// Narrows tells that the line filters the rows; Esc removes the filter.
	Narrows bool
	Fresh   bool // its content may change without the user, so it is loaded each time it is shown
	Marks   bool // the space bar marks rows

	list             Listing
	typed            string
	seek             func(Row) bool // selects a row of the next list
	load             *job
	loaded, inText   bool     // inText: keys scroll the text instead of moving in the list
	cur, top, scroll int      // the selected row, the first visible row, and the first visible line of the text
	shown            string   // the text of the selected row
	text             []string // shown, in lines that fit
}

// Loader makes the list of a page. It runs concurrently with the messages, and may report its progress through
// tell.
type Loader func(ctx context.Context, tell func(string)) (Listing, error)

// Listing is the content of a page.
type Listing struct {
	Head  string // one line above the list
	Rows  []Row
	Empty string // advice for a list without rows
}

// Row is a line of a list.
type Row struct {
	Key    string // identifies the row after the list was loaded again
	Text   string
	Warn   string // a warning for the reader, such as "stale"
	Depth  int    // the indentation
	Head   bool   // represents all deeper rows below it
	Marked bool
	Enter  func(*Screen) // the action of Enter and of a second click, instead of opening File
	File   string        // Enter opens it in the user's editor, at Line
	Line   int           // 1-based
	Show   func() string // its text, which may come from a stranger; runs concurrently with the messages
	Of     any           // for the page's own use
}

// Key is the action of a key on a page.
type Key struct {
	Name string // such as "a" or "enter"
	Help string // such as "approve"
	Do   func(*Screen)
	// Rows is Do for actions on rows. The rows are the marked ones, or else the selected one, or those that it
	// represents.
	Rows func(*Screen, []Row)
}

// chosen returns the rows for the action of a key.
func (p *Page) chosen() (out []Row) {
	rows := p.list.Rows
	if !p.marked() && p.cur < len(rows) {
		to := p.below(p.cur)
		if rows = rows[p.cur:to:to]; len(rows) == 1 { // without spare capacity, so that appending copies it
			return rows
		}
	}
	for _, r := range rows {
		if !r.Head && (r.Marked || !p.marked()) {
			out = append(out, r)
		}
	}
	return out
}

func (p *Page) marked() bool { return p.marks() > 0 }

// below returns the index after a row and, for a head, after the deeper rows that it represents.
func (p *Page) below(i int) (to int) {
	rows := p.list.Rows
	for to = i + 1; rows[i].Head && to < len(rows) && rows[to].Depth > rows[i].Depth; {
		to++
	}
	return to
}

// mark marks the rows that the selected row represents, or removes the marks if all are marked. Then it selects
// the next row. A head is never marked itself.
func (p *Page) mark() {
	if p.Marks && p.cur < len(p.list.Rows) {
		to := p.below(p.cur)
		rows := p.list.Rows[p.cur:to]
		on := slices.ContainsFunc(rows, func(r Row) bool { return !r.Head && !r.Marked })
		for i, r := range rows {
			rows[i].Marked = on && !r.Head
		}
		p.cur = min(to, len(p.list.Rows)-1)
	}
}

// marks returns how many rows are marked.
func (p *Page) marks() (n int) {
	for _, r := range p.list.Rows {
		if r.Marked {
			n++
		}
	}
	return n
}

// take shows a new list. It selects the row that was selected before, or else the one at its index.
func (p *Page) take(l Listing) {
	key := ""
	if p.cur < len(p.list.Rows) {
		key = p.list.Rows[p.cur].Key
		if i := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Key == key }); i >= 0 {
			p.cur = i
		}
	}
	if p.seek != nil {
		if i := slices.IndexFunc(l.Rows, p.seek); i >= 0 {
			p.cur = i
		}
		p.seek = nil
	}
	p.list, p.loaded, p.cur = l, true, max(0, min(p.cur, len(l.Rows)-1))
	if len(l.Rows) > 0 && l.Rows[p.cur].Key != key {
		p.scroll = 0
	}
}

// move selects another row, or scrolls the text.
func (p *Page) move(by int, text bool, height int) {
	if text {
		p.scroll = max(0, min(p.scroll+by, len(p.text)-height))
	} else {
		p.cur = max(0, min(p.cur+by, len(p.list.Rows)-1))
	}
}

// window draws only the rows that fit. The selected row and marked rows are recognisable without colours.
func (p *Page) window(width, height int) (out []string) {
	p.top = min(max(min(p.top, p.cur), p.cur-height+1), max(0, len(p.list.Rows)-height))
	for i, r := range p.list.Rows[p.top:min(p.top+height, len(p.list.Rows))] {
		at := p.top+i == p.cur
		style := when(r.Warn != "", yellow) + when(r.Head, bold) + when(at && !p.inText, reverse)
		signs := fit(when(at, ">"), 1) + fit(when(r.Marked, "*"), 1) + strings.Repeat("  ", r.Depth)
		out = append(out, styled(style, fit(signs+r.line(), width)))
	}
	return out
}

// line returns a row as one line of text.
func (r Row) line() string { return sanitize.OneLine(r.Text + when(r.Warn != "", "  ! "+r.Warn)) }

// Styles are SGR sequences. The library removes colours if the terminal or NO_COLOR demands it.
const bold, reverse, red, green, yellow, cyan, reset = "\x1b[1m", "\x1b[7m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[m"

func styled(style, text string) string { return style + text + when(style != "", reset) }

// when returns a text if a condition holds, else "".
func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// fit pads or cuts a line to a width in cells. A space may combine with the character before it, which changes the
// width.
func fit(line string, width int) string {
	line = ansi.Truncate(line, width, "…")
	return line + strings.Repeat(" ", max(0, width+1-ansi.StringWidth(line+" ")))
}

// maxText bounds the shown part of a text, in bytes; longer texts are better read in an editor.
const maxText = 256 << 10

// visible returns a text without control characters, except line ends.
func visible(text string) string { return strings.ReplaceAll(sanitize.Visible(text), "\t", "    ") }

// wrapped splits a text, which may come from a stranger, into lines that fit. Headings and differences get a
// style.
func wrapped(text string, width int) (out []string) {
	if len(text) > maxText {
		text = sanitize.Cut(text, maxText) + "\n… (open the row to read on)"
	}
	styles := map[string]string{"#": bold}
	for line := range strings.SplitSeq(visible(strings.TrimRight(text, "\n")), "\n") {
		if strings.HasPrefix(line, "--- ") {
			styles = map[string]string{"#": bold, "@": cyan, "+": green, "-": red}
		}
		for part := range strings.SplitSeq(ansi.Wrap(line, width, ""), "\n") {
			out = append(out, styled(styles[sanitize.First(line, 1)], part))
		}
	}
	return out
}

// toASCII holds ASCII replacements for symbols.
var toASCII = strings.NewReplacer("─", "-", "…", ".", "▸", "+", "▾", "-", "→", ">", "·", "-", "›", ">", "–", "-", "—", "-",
	"’", "'", "“", `"`, "”", `"`)

// inASCII returns a text of the same width in ASCII. A question mark fills each cell of other characters.
func inASCII(text string) string {
	var out strings.Builder
	for rest := toASCII.Replace(text); rest != ""; {
		if strings.HasPrefix(rest, "\x1b[") { // a style sequence; its last letter must not be joined to an accent
			end := strings.IndexByte(rest, 'm') + 1
			out.WriteString(rest[:end])
			rest = rest[end:]
			continue
		}
		cluster, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if rest = rest[len(cluster):]; len(cluster) > 1 || cluster >= "\x80" {
			cluster = strings.Repeat("?", width)
		}
		out.WriteString(cluster)
	}
	return out.String()
}

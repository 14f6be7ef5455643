package terminal

import (
	"context"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Page is one view: a list, and the text of the row that is selected.
type Page struct {
	Name string
	// Load is called between two messages, so that it may read what keys change.
	Load func() Loader
	Keys []Key
	// Line labels the line that / lets the user type, "" where there is none; Typed takes it, and the page is loaded again.
	Line  string
	Typed func(string)
	// Narrows says that the line takes rows away; Esc takes it away again.
	Narrows bool
	Fresh   bool // others may change what it shows, so it is loaded again whenever it is shown
	Marks   bool // the space bar marks rows

	list             Listing
	typed            string
	seek             func(Row) bool // selects a row of the next list
	load             *job
	loaded, inText   bool     // inText: keys move the text, not the list
	cur, top, scroll int      // the selected row, the first that is drawn, and the first line of the text that is
	shown            string   // the text of the row
	text             []string // as it is drawn
}

// Loader makes the list of a page. It runs beside the messages, and may tell how far it is.
type Loader func(ctx context.Context, tell func(string)) (Listing, error)

// Listing is the content of a page.
type Listing struct {
	Head  string // one line above the list
	Rows  []Row
	Empty string // what to do, where there are no rows
}

// Row is a line of a list.
type Row struct {
	Key    string // finds the row again after the list was loaded again
	Text   string
	Warn   string // what the reader should mind, such as "stale"
	Depth  int    // how far it stands below others
	Head   bool   // it stands for all rows below it that are deeper
	Marked bool
	Enter  func(*Screen) // what Enter and a second click do, where that is not to open File
	File   string        // Enter opens it in the user's editor, at Line
	Line   int           // 1-based
	Show   func() string // its text, as anyone may have written it; runs beside the messages
	Of     any           // the page's own
}

// Key is something that a key does on a page.
type Key struct {
	Name string // such as "a" or "enter"
	Help string // such as "approve"
	Do   func(*Screen)
	// Rows is Do of what is about rows: those marked, else the selected one or those that it stands for.
	Rows func(*Screen, []Row)
}

// chosen are the rows that a key is about.
func (p *Page) chosen() (out []Row) {
	rows := p.list.Rows
	if !p.marked() && p.cur < len(rows) {
		to := p.below(p.cur)
		if rows = rows[p.cur:to:to]; len(rows) == 1 { // who appends to them gets a copy
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

// below is the row behind those that one stands for: itself and, of a head, those that are deeper.
func (p *Page) below(i int) (to int) {
	rows := p.list.Rows
	for to = i + 1; rows[i].Head && to < len(rows) && rows[to].Depth > rows[i].Depth; {
		to++
	}
	return to
}

// mark marks what the selected row stands for, or takes the marks away where all have one, and goes on to the row behind it.
// A head has no mark of its own.
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

// marks is how many rows are marked.
func (p *Page) marks() (n int) {
	for _, r := range p.list.Rows {
		if r.Marked {
			n++
		}
	}
	return n
}

// take shows a new list, at the row that was selected or else at its place.
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

// move goes to another row, or scrolls the text.
func (p *Page) move(by int, text bool, height int) {
	if text {
		p.scroll = max(0, min(p.scroll+by, len(p.text)-height))
	} else {
		p.cur = max(0, min(p.cur+by, len(p.list.Rows)-1))
	}
}

// window draws the rows that fit, and nothing of the others. What is selected and marked can be told without colours.
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

// line is a row as one line of text.
func (r Row) line() string { return sanitize.OneLine(r.Text + when(r.Warn != "", "  ! "+r.Warn)) }

// Styles are SGR sequences; the library leaves colours out where the terminal or NO_COLOR asks for none.
const bold, reverse, red, green, yellow, cyan, reset = "\x1b[1m", "\x1b[7m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[m"

func styled(style, text string) string { return style + text + when(style != "", reset) }

// when is a text where something is so, else nothing.
func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// fit makes a line as wide as it has to be, in cells. A space may join the sign before it.
func fit(line string, width int) string {
	line = ansi.Truncate(line, width, "…")
	return line + strings.Repeat(" ", max(0, width+1-ansi.StringWidth(line+" ")))
}

// maxText bounds, in bytes, what is shown of one text: more is better read in an editor.
const maxText = 256 << 10

// visible is a text without controls but line ends.
func visible(text string) string { return strings.ReplaceAll(sanitize.Visible(text), "\t", "    ") }

// wrapped is a text that anyone may have written, in lines that fit; headings and differences have a style.
func wrapped(text string, width int) (out []string) {
	if len(text) > maxText {
		text = sanitize.Cut(text, maxText) + "\n… (open it to read on)"
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

// toASCII are signs that have a like in ASCII.
var toASCII = strings.NewReplacer("─", "-", "…", ".", "▸", "+", "▾", "-", "→", ">", "·", "-", "›", ">", "–", "-", "—", "-",
	"’", "'", "“", `"`, "”", `"`)

// inASCII is a text in ASCII, as wide as it was: a question mark stands in each cell of what ASCII has not.
func inASCII(text string) string {
	var out strings.Builder
	for rest := toASCII.Replace(text); rest != ""; {
		if strings.HasPrefix(rest, "\x1b[") { // a style, whose last letter no accent may be joined to
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

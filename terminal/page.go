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
	// Load is called between two messages, so that it may read what keys change. What it returns runs beside them.
	Load func() func(context.Context) (Listing, error)
	// Show returns the text of a row, as anyone may have written it. It runs beside the messages.
	Show func(context.Context, Row) (string, error)
	Keys []Key
	// Fresh pages are loaded again whenever they are shown: reading them is cheap, and others may change what they show.
	Fresh bool
	// Marks lets the user mark several rows with the space bar.
	Marks bool

	list   Listing
	loaded bool
	cur    int // the selected row
	top    int // the first row that is drawn
	text   []textLine
	scroll int  // the first line of the text that is drawn
	inText bool // keys move the text, not the list
}

// Listing is what a page lists.
type Listing struct {
	Head  string // one line above the list
	Rows  []Row
	Empty string // what to do, where there are no rows
	// Later takes longer than a list may: it runs once the rows are shown, and then the page is loaded again.
	Later func(context.Context) error
}

// Row is a line of a list.
type Row struct {
	Key    string // finds the row again after the list was loaded again
	Text   string
	Warn   string // what the reader should mind, such as "stale"
	Depth  int    // how far it stands below others
	Head   bool   // it stands for all rows below it that are deeper
	Marked bool
	Of     any // the page's own
}

// Key is something that a key does on a page.
type Key struct {
	Name string // such as "a", "enter" or "ctrl+s"
	Help string // such as "approve"
	// Rows says that it is about rows: those marked, else the selected one or those that it stands for.
	Rows bool
	Do   func(*Screen, []Row)
}

// marked reports whether the user marked rows.
func (p *Page) marked() bool {
	return slices.ContainsFunc(p.list.Rows, func(r Row) bool { return r.Marked })
}

// chosen are the rows that a key is about.
func (p *Page) chosen() (out []Row) {
	for _, r := range p.list.Rows {
		if r.Marked && !r.Head {
			out = append(out, r)
		}
	}
	if len(out) > 0 || p.cur >= len(p.list.Rows) {
		return out
	}
	from, to := p.below(p.cur)
	for _, r := range p.list.Rows[from:to] {
		if !r.Head || to == from+1 {
			out = append(out, r)
		}
	}
	return out
}

// below are the rows that a row stands for: itself and, of a head, those that are deeper.
func (p *Page) below(i int) (from, to int) {
	rows := p.list.Rows
	for to = i + 1; rows[i].Head && to < len(rows) && rows[to].Depth > rows[i].Depth; {
		to++
	}
	return i, to
}

// mark marks what the selected row stands for, or takes the marks away, and goes on to the row behind it.
func (p *Page) mark() {
	if p.Marks && p.cur < len(p.list.Rows) {
		from, to := p.below(p.cur)
		on := !p.list.Rows[from].Marked
		for i := from; i < to; i++ {
			p.list.Rows[i].Marked = on
		}
		p.cur = min(to, len(p.list.Rows)-1)
	}
}

// take shows a new list, at the row that was selected or else at its place.
func (p *Page) take(l Listing) {
	key := ""
	if p.cur < len(p.list.Rows) {
		key = p.list.Rows[p.cur].Key
	}
	p.list, p.loaded = l, true
	for i, r := range l.Rows {
		if r.Key == key {
			p.cur = i
			return
		}
	}
	p.cur = max(0, min(p.cur, len(l.Rows)-1))
}

// move goes to another row, or scrolls the text.
func (p *Page) move(by, height int) {
	if p.inText {
		p.scroll = max(0, min(p.scroll+by, len(p.text)-height))
		return
	}
	p.cur = max(0, min(p.cur+by, len(p.list.Rows)-1))
}

// window draws the rows that fit, and nothing of the others.
func (p *Page) window(width, height int) []string {
	p.top = max(0, min(p.top, p.cur, len(p.list.Rows)-height))
	p.top = max(p.top, p.cur-height+1)
	var out []string
	for i := p.top; i < min(p.top+height, len(p.list.Rows)); i++ {
		out = append(out, p.row(i, width))
	}
	return out
}

// row draws one row. What is selected and marked can be told without colours.
func (p *Page) row(i, width int) string {
	r := p.list.Rows[i]
	at, mark, style := " ", " ", ""
	if r.Marked {
		mark = "*"
	}
	if r.Warn != "" {
		style = yellow
	}
	if r.Head {
		style += bold
	}
	if i == p.cur {
		at = ">"
		if !p.inText {
			style += reverse
		}
	}
	return styled(style, fit(at+mark+rowText(r), width))
}

// rowText is a row as one line of text.
func rowText(r Row) string {
	text := strings.Repeat("  ", r.Depth) + sanitize.OneLine(r.Text)
	if r.Warn != "" {
		text += "  ! " + sanitize.OneLine(r.Warn)
	}
	return text
}

// Styles are SGR sequences; the library leaves colours out where the terminal or NO_COLOR asks for none.
const (
	bold    = "\x1b[1m"
	reverse = "\x1b[7m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
	cyan    = "\x1b[36m"
	reset   = "\x1b[m"
)

func styled(style, text string) string {
	if style == "" {
		return text
	}
	return style + text + reset
}

// fit makes a line without controls as wide as it has to be, in cells.
func fit(line string, width int) string {
	line = ansi.Truncate(line, width, "…")
	return line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
}

// textLine is a line of a text as it is drawn.
type textLine struct{ style, text string }

// maxText bounds, in bytes, what is shown of one text: more is better read in an editor.
const maxText = 256 << 10

// wrapped is a text that anyone may have written, in lines that fit.
func wrapped(text string, width int) (out []textLine) {
	if len(text) > maxText {
		text = sanitize.Cut(text, maxText) + "\n… open it to read on"
	}
	diff := false
	for line := range strings.SplitSeq(strings.ReplaceAll(sanitize.Visible(text), "\t", "    "), "\n") {
		style := ""
		switch diff = diff || strings.HasPrefix(line, "@@ ") || strings.HasPrefix(line, "--- "); {
		case strings.HasPrefix(line, "#"):
			style = bold
		case diff && strings.HasPrefix(line, "@@"):
			style = cyan
		case diff && strings.HasPrefix(line, "+"):
			style = green
		case diff && strings.HasPrefix(line, "-"):
			style = red
		}
		for part := range strings.SplitSeq(ansi.Wrap(line, max(1, width), ""), "\n") {
			out = append(out, textLine{style, part})
		}
	}
	return out
}

// toASCII are the signs of this program that have a like in ASCII.
var toASCII = strings.NewReplacer("─", "-", "│", "|", "…", ".", "▸", "+", "▾", "-", "→", ">", "·", "-", "›", ">", "–", "-", "—", "-",
	"’", "'", "“", `"`, "”", `"`, "×", "x")

// inASCII is a text in ASCII, as wide as it was: a question mark stands in each cell of what ASCII has not.
func inASCII(text string) string {
	var out strings.Builder
	for rest := toASCII.Replace(text); rest != ""; {
		cluster, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if rest = rest[len(cluster):]; len(cluster) == 1 && cluster < "\x80" {
			out.WriteString(cluster)
		} else {
			out.WriteString(strings.Repeat("?", width))
		}
	}
	return out.String()
}

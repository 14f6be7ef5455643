package terminal

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// How a screen is divided: list above text, or side by side where both have the width of a line of text.
const (
	wide      = 120 // cells
	leastRows = 8   // lines, below which nothing is drawn
)

// View draws the screen: the names of the pages, the head, list and text, what is told, and the keys.
func (s *Screen) View() tea.View {
	lines := s.frame()
	text := strings.Join(lines, "\n")
	if s.o.ASCII {
		text = inASCII(text)
	}
	v := tea.NewView(text)
	v.AltScreen, v.MouseMode, v.ReportFocus = true, tea.MouseModeCellMotion, true
	if s.ask != nil {
		v.Cursor = tea.NewCursor(min(s.width-1, ansi.StringWidth(s.ask.label)+2+s.ask.column()), s.height-2)
	}
	return v
}

// frame is the screen, line by line.
func (s *Screen) frame() []string {
	if s.height < leastRows || s.width < 2*leastRows {
		return []string{fit("Too small", s.width)}
	}
	p := s.page()
	out := append(make([]string, 0, s.height), s.tabLine(), styled(bold, fit(sanitize.OneLine(p.list.Head), s.width)))
	switch height := s.height - 4; {
	case s.help:
		out = append(out, plainLines(s.helpText(), s.width, height)...)
	case len(p.list.Rows) == 0:
		s.box.rows, s.box.lines = 0, height
		out = append(out, s.emptyLines(height)...)
	case s.textWidth() < s.width:
		s.box.list, s.box.text, s.box.rows, s.box.lines, s.box.split = 2, 2, height, height, s.width-s.textWidth()-1
		rows, text := p.window(s.box.split, height), s.textLines(height)
		for i := range height {
			row := strings.Repeat(" ", s.box.split)
			if i < len(rows) {
				row = rows[i]
			}
			out = append(out, row+"│"+text[i])
		}
	default:
		rows := max(1, min(len(p.list.Rows), height/2))
		s.box.list, s.box.text, s.box.rows, s.box.lines, s.box.split = 2, 3+rows, rows, height-rows-1, 0
		out = append(append(append(out, p.window(s.width, rows)...), s.rule()), s.textLines(s.box.lines)...)
	}
	return append(out, s.saidLine(), s.keyLine())
}

// textWidth is how wide a text may be.
func (s *Screen) textWidth() int {
	if s.width >= wide {
		return s.width * 3 / 5
	}
	return s.width
}

// tab is where the name of a page stands.
type tab struct {
	from, to int
	text     string
}

func (s *Screen) tabs() (out []tab) {
	at := 0
	for i, p := range s.pages {
		t := tab{from: at, text: fmt.Sprintf(" %d %s ", i+1, p.Name)}
		at += len(t.text)
		t.to = at
		out = append(out, t)
	}
	return out
}

func (s *Screen) tabLine() string {
	var line strings.Builder
	for i, t := range s.tabs() {
		style := ""
		if i == s.at { // also without colours
			style, t.text = bold+reverse, "["+strings.TrimSpace(t.text)+"]"
		}
		line.WriteString(styled(style, t.text))
	}
	return fit(line.String(), s.width)
}

// rule stands between list and text, and says where both are.
func (s *Screen) rule() string {
	p := s.page()
	at := fmt.Sprintf("── %d of %d ", p.cur+1, len(p.list.Rows))
	if len(p.text) > s.box.lines {
		at += fmt.Sprintf("── lines %d-%d of %d ", p.scroll+1, min(p.scroll+s.box.lines, len(p.text)), len(p.text))
	}
	if p.inText {
		at += "── Tab: back to the list "
	}
	return at + strings.Repeat("─", max(0, s.width-ansi.StringWidth(at)))
}

// textLines draws the part of the text that fits.
func (s *Screen) textLines(height int) []string {
	p := s.page()
	out := make([]string, height)
	for i := range out {
		l := textLine{}
		if at := p.scroll + i; at < len(p.text) {
			l = p.text[at]
		}
		out[i] = styled(l.style, fit(l.text, s.textWidth()))
	}
	return out
}

// emptyLines say what to do where there is no list.
func (s *Screen) emptyLines(height int) []string {
	var lines []string
	if p := s.page(); p.loaded {
		for _, l := range wrapped(p.list.Empty, s.width-2) {
			lines = append(lines, " "+l.text)
		}
	}
	return plainLines(lines, s.width, height)
}

// plainLines are as many lines as there have to be.
func plainLines(lines []string, width, height int) []string {
	out := make([]string, height)
	for i := range out {
		if i < len(lines) {
			out[i] = fit(lines[i], width)
		}
	}
	return out
}

// saidLine is the prompt, or what runs, or what was told last.
func (s *Screen) saidLine() string {
	line := s.said
	switch {
	case s.ask != nil:
		line = s.ask.label + ": " + s.ask.String()
	case s.act != nil:
		line = s.act.label + "… " + cmp.Or(line, "Esc cancels")
	case s.load != nil && line == "":
		line = s.load.label + "…"
	}
	return fit(line, s.width)
}

// keyLine names the first keys.
func (s *Screen) keyLine() string {
	if s.ask != nil && s.ask.agreed == nil {
		return fit("Enter: done  Esc: leave", s.width)
	}
	line := "?: keys  q: quit"
	for _, k := range s.page().Keys {
		line += "  " + keyName(k.Name) + ": " + k.Help
	}
	return fit(line, s.width)
}

func keyName(name string) string {
	if len(name) == 1 {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// helpText lists all keys.
func (s *Screen) helpText() []string {
	lines := []string{s.page().Name}
	for _, k := range s.page().Keys {
		lines = append(lines, fmt.Sprintf("  %-11s %s", keyName(k.Name), k.Help))
	}
	lines = append(lines, "Everywhere", fmt.Sprintf("  1-%d         show another view", len(s.pages)))
	if s.page().Marks {
		lines = append(lines, "  Space       mark a row, or all below a head")
	}
	return append(lines,
		"  Up, Down    another row; also k, j, Page Up, Page Down, Home, End",
		"  Tab         move to the text, and back to the list",
		"  r           read again",
		"  Esc         cancel what runs, leave the text, take marks away",
		"  q, Ctrl+C   quit",
		"  Mouse       click a view, a row or the text; the wheel scrolls")
}

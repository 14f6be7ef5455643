package terminal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Screen shows the pages. Its exported methods are for what keys do: they are called between two messages.
type Screen struct {
	o     Options
	ctx   context.Context // ends with the program
	pages []*Page
	at    int
	help  bool
	said  string // what is told in the line above the keys
	ask   *prompt

	load, show, act *job

	width, height int
	box           struct{ list, text, rows, lines, split int } // where list and text were drawn: first lines, heights, column
	cmds          []tea.Cmd
	send          func(tea.Msg)
	exec          func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
	spoken        []string
}

// applied changes the screen as the result of something that ran beside it.
type applied func()

// job is something that runs beside the messages.
type job struct {
	label   string
	cancel  func()
	running sync.Mutex // held by what runs
}

func newScreen(ctx context.Context, pages []*Page, o Options) *Screen {
	return &Screen{o: o, ctx: ctx, pages: pages, width: 80, height: 24, send: func(tea.Msg) {}, exec: tea.Exec}
}

// Init loads the first page.
func (s *Screen) Init() tea.Cmd {
	s.Go(s.page().Name)
	return s.taken()
}

// taken are the commands that were collected.
func (s *Screen) taken() tea.Cmd {
	out := tea.Batch(s.cmds...)
	s.cmds = nil
	return out
}

// Update takes one message. Nothing that it does waits.
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
		s.showRow()
	case tea.KeyPressMsg:
		s.key(m)
	case tea.PasteMsg:
		if s.ask != nil && s.ask.agreed == nil {
			s.ask.insert(m.Content)
		}
	case tea.MouseClickMsg:
		s.click(m.X, m.Y)
	case tea.MouseWheelMsg:
		s.wheel(m)
	case tea.FocusMsg: // others may have changed something in between
		s.renew()
	case applied:
		m()
	}
	if s.o.Plain {
		s.speak()
	}
	return s, s.taken()
}

func (s *Screen) page() *Page { return s.pages[s.at] }

// run starts work beside the messages, in the place of what ran for the same. What it returns is done between two of them.
func (s *Screen) run(slot **job, label string, work func(context.Context) (func(), error)) {
	if *slot != nil {
		(*slot).cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	j := &job{label: label, cancel: cancel}
	*slot = j
	s.cmds = append(s.cmds, func() tea.Msg {
		j.running.Lock()
		defer j.running.Unlock()
		defer cancel()
		var then func()
		err := panics.Try(func() (err error) {
			then, err = work(ctx)
			return err
		})
		cancelled := ctx.Err() != nil && errors.Is(err, context.Canceled)
		return applied(func() {
			if *slot != j {
				return
			}
			*slot = nil
			switch {
			case cancelled:
				s.Say("Cancelled: " + label)
			case err != nil:
				s.Say(err.Error())
			}
			if then != nil {
				then()
			}
		})
	})
}

// Run does something that may take long; Esc cancels it. tell shows how far it is; what work returns is done once it is over.
func (s *Screen) Run(label string, work func(ctx context.Context, tell func(string)) (func(), error)) {
	if s.act != nil {
		s.Say(s.act.label + " is still running; Esc cancels it")
		return
	}
	s.said = ""
	s.run(&s.act, label, func(ctx context.Context) (func(), error) {
		return work(ctx, func(said string) { s.send(applied(func() { s.said = sanitize.OneLine(said) })) })
	})
}

// Reload loads the page again.
func (s *Screen) Reload() {
	p := s.page()
	work := p.Load()
	s.run(&s.load, "Reading", func(ctx context.Context) (func(), error) {
		l, err := work(ctx)
		if ctx.Err() != nil {
			return nil, err
		}
		return func() {
			if err != nil {
				l = Listing{Empty: err.Error()}
			}
			p.take(l)
			if s.page() != p {
				return
			}
			s.showRow()
			if l.Later != nil {
				s.run(&s.load, "Comparing with the code", func(ctx context.Context) (func(), error) {
					if err := l.Later(ctx); err != nil {
						return nil, err
					}
					return s.Reload, nil
				})
			}
		}, err
	})
}

// renew loads a page again that others may have changed, but not while the user decides about what is shown.
func (s *Screen) renew() {
	if s.page().Fresh && s.ask == nil && s.act == nil && !s.page().marked() {
		s.Reload()
	}
}

// showRow shows the text of the selected row, from its beginning where it is another one.
func (s *Screen) showRow() {
	p := s.page()
	if p.cur >= len(p.list.Rows) {
		if s.show != nil {
			s.show.cancel()
			s.show = nil
		}
		p.text, p.scroll, p.inText = nil, 0, false
		return
	}
	r, width := p.list.Rows[p.cur], s.textWidth()
	s.run(&s.show, "", func(ctx context.Context) (func(), error) {
		text, err := p.Show(ctx, r)
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			text = err.Error()
		}
		lines := wrapped(strings.TrimRight(text, "\n"), width)
		return func() {
			if p.text = lines; p.cur < len(p.list.Rows) && s.o.Plain && p.inText {
				s.speakText()
			}
			p.scroll = max(0, min(p.scroll, len(lines)-1))
		}, nil
	})
}

// Go shows the page of a name.
func (s *Screen) Go(name string) {
	for i, p := range s.pages {
		if p.Name == name {
			s.at, s.help, s.said = i, false, ""
			if s.showRow(); !p.loaded || p.Fresh {
				s.Reload()
			}
		}
	}
}

// Say tells something in one line.
func (s *Screen) Say(text string) { s.said = sanitize.OneLine(text) }

// Ask lets the user type a line.
func (s *Screen) Ask(label, text string, then func(string)) {
	s.ask = &prompt{label: label, text: []rune(text), at: len([]rune(text)), then: then}
}

// Confirm asks a question; then is called for a yes.
func (s *Screen) Confirm(question string, then func()) {
	s.ask = &prompt{label: sanitize.OneLine(question) + " y/n", agreed: then}
}

// Copy puts a text on the clipboard of the terminal, also over ssh, where the terminal lets programs do that.
func (s *Screen) Copy(text string) { s.cmds = append(s.cmds, tea.SetClipboard(text)) }

// Edit gives the terminal to another program, and takes it back.
func (s *Screen) Edit(program func() error, then func(error)) {
	s.cmds = append(s.cmds, s.exec(running(program), func(err error) tea.Msg { return applied(func() { then(err) }) }))
}

// key does what a key does.
func (s *Screen) key(k tea.KeyPressMsg) {
	p, name := s.page(), k.String()
	switch {
	case name == "ctrl+c":
		s.cmds = append(s.cmds, tea.Quit)
		return
	case s.ask != nil:
		if done, then := s.ask.key(k); done {
			s.ask = nil
			if then != nil {
				then()
			}
		}
		return
	case s.help:
		s.help = false
		return
	}
	s.said = ""
	for _, k := range p.Keys {
		if k.Name == name {
			s.do(k)
			return
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(s.pages) {
		s.Go(s.pages[i-1].Name)
		return
	}
	before := p.cur
	switch name {
	case "q":
		s.cmds = append(s.cmds, tea.Quit)
	case "ctrl+z":
		s.cmds = append(s.cmds, tea.Suspend)
	case "?":
		s.help = true
	case "esc":
		s.escape()
	case "r":
		s.Reload()
	case "tab":
		if p.inText = !p.inText && len(p.text) > 0; p.inText && s.o.Plain {
			s.speakText()
		}
	case "space":
		p.mark()
	default:
		if by, ok := s.steps()[name]; ok {
			p.move(by, s.box.lines)
		}
	}
	s.moved(before)
}

// moved shows the text of a row that is selected now.
func (s *Screen) moved(before int) {
	if p := s.page(); p.cur != before {
		p.scroll = 0
		s.showRow()
	}
}

// steps are how far keys move.
func (s *Screen) steps() map[string]int {
	page := max(1, s.box.rows-1)
	if s.page().inText {
		page = max(1, s.box.lines-1)
	}
	all := len(s.page().list.Rows) + len(s.page().text)
	return map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdown": page, "home": -all, "end": all}
}

func (s *Screen) do(k Key) {
	rows := s.page().chosen()
	if k.Rows && len(rows) == 0 {
		s.Say("Nothing is selected")
		return
	}
	k.Do(s, rows)
}

// escape cancels what runs, else leaves the text, else takes marks away.
func (s *Screen) escape() {
	p := s.page()
	for _, j := range []*job{s.act, s.load} {
		if j != nil {
			j.cancel()
			s.Say("Cancelling: " + j.label)
			return
		}
	}
	if p.inText {
		p.inText = false
		return
	}
	for i := range p.list.Rows {
		p.list.Rows[i].Marked = false
	}
}

// click selects what is under the mouse. A click on what is selected does what Enter does.
func (s *Screen) click(x, y int) {
	p := s.page()
	switch row := p.top + y - s.box.list; {
	case s.ask != nil || s.help:
	case y == 0:
		for i, at := range s.tabs() {
			if x >= at.from && x < at.to {
				s.Go(s.pages[i].Name)
			}
		}
	case s.inList(x, y) && row < len(p.list.Rows):
		p.inText = false
		if row == p.cur {
			s.key(tea.KeyPressMsg{Code: tea.KeyEnter})
			return
		}
		before := p.cur
		p.cur = row
		s.moved(before)
	case y >= s.box.text && len(p.text) > 0:
		p.inText = true
	}
}

func (s *Screen) inList(x, y int) bool {
	return y >= s.box.list && y < s.box.list+s.box.rows && (s.box.split == 0 || x < s.box.split)
}

// wheelLines is how far a notch of the wheel goes, as in most terminals.
const wheelLines = 3

func (s *Screen) wheel(m tea.MouseWheelMsg) {
	by := wheelLines
	if m.Button == tea.MouseWheelUp {
		by = -by
	}
	p := s.page()
	was, before := p.inText, p.cur
	p.inText = !s.inList(m.X, m.Y)
	p.move(by, s.box.lines)
	p.inText = was
	s.moved(before)
}

// speak writes, for a plain screen, what is different now.
func (s *Screen) speak() {
	p := s.page()
	now := []string{fmt.Sprintf("%s. %s", p.Name, headOf(p.list)), "", s.said, ""}
	if p.cur < len(p.list.Rows) {
		r := p.list.Rows[p.cur]
		mark := ""
		if r.Marked {
			mark = "marked, "
		}
		now[1] = fmt.Sprintf("%d of %d: %s%s", p.cur+1, len(p.list.Rows), mark, strings.TrimSpace(rowText(r)))
	}
	if s.ask != nil {
		now[3] = s.ask.label + ": " + s.ask.String()
	}
	if s.help {
		now[3] = strings.Join(s.helpText(), "\n")
	}
	for i, line := range now {
		was := ""
		if i < len(s.spoken) {
			was = s.spoken[i]
		}
		switch rest, more := strings.CutPrefix(line, was); {
		case line == was || line == "":
		case more && was != "" && i == 3 && s.ask != nil: // what is typed follows in its line
			s.write(rest)
		default:
			s.write("\n" + line)
		}
	}
	s.spoken = now
}

func headOf(l Listing) string {
	if len(l.Rows) == 0 && l.Empty != "" {
		return l.Empty
	}
	return sanitize.OneLine(l.Head)
}

// speakText writes the text of the selected row.
func (s *Screen) speakText() {
	for _, l := range s.page().text {
		s.write("\n" + l.text)
	}
}

// write writes lines of a plain screen. The terminal is raw: a line's end alone would not go back to its beginning.
func (s *Screen) write(text string) {
	if s.o.ASCII {
		text = inASCII(text)
	}
	fmt.Fprint(s.o.Out, strings.ReplaceAll(text, "\n", "\r\n"))
}

// prompt is a line that the user types, or a question to say yes to.
type prompt struct {
	label  string
	text   []rune
	at     int
	then   func(string)
	agreed func() // of a question
}

func (p *prompt) String() string { return sanitize.OneLine(string(p.text)) }

// column is where the next letter stands, in cells.
func (p *prompt) column() int { return ansi.StringWidth(sanitize.OneLine(string(p.text[:p.at]))) }

// insert puts what was typed or pasted into one line.
func (p *prompt) insert(text string) {
	typed := []rune(strings.Join(strings.Fields(" "+text+" "), " "))
	if text == " " {
		typed = []rune(text)
	}
	p.text = append(p.text[:p.at:p.at], append(typed, p.text[p.at:]...)...)
	p.at += len(typed)
}

// key edits the line. It is done with Enter, or left with Esc.
func (p *prompt) key(k tea.KeyPressMsg) (done bool, then func()) {
	if p.agreed != nil {
		if k.String() == "y" {
			return true, p.agreed
		}
		return true, nil
	}
	switch k.String() {
	case "enter":
		text := strings.TrimSpace(string(p.text))
		return true, func() { p.then(text) }
	case "esc":
		return true, nil
	case "left", "ctrl+b":
		p.at = max(0, p.at-1)
	case "right", "ctrl+f":
		p.at = min(len(p.text), p.at+1)
	case "home", "ctrl+a":
		p.at = 0
	case "end", "ctrl+e":
		p.at = len(p.text)
	case "backspace":
		p.cut(p.at - 1)
	case "ctrl+u":
		p.cut(0)
	case "ctrl+w":
		p.cut(strings.LastIndexByte(strings.TrimRight(string(p.text[:p.at]), " "), ' ') + 1)
	default:
		if k.Text != "" {
			p.insert(k.Text)
		}
	}
	return false, nil
}

// cut takes away what stands from a letter up to where the next one would stand.
func (p *prompt) cut(from int) {
	from = max(0, min(from, p.at))
	p.text, p.at = append(p.text[:from:from], p.text[p.at:]...), from
}

// Package terminal shows pages in a terminal. A page is a list, the text of the selected row, and keys with
// actions. The package does not know trees, entries or packs; the pages of `brv-lsp ui` are in cmd/brv-lsp.
//
// Messages from keys, mouse and window are handled one by one, and handlers never wait. Loading and other work of
// a page runs concurrently, ends when Esc cancels it, and changes the screen by a message of its own. Only the
// rows and lines that fit are drawn, so that a list may be long.
//
// The content of a page may come from a stranger. Before it is drawn, rows and messages become one line each, and
// texts lose all invisible characters. So no control sequence reaches the terminal.
//
// A plain screen is for screen readers and for simple terminals: lines are written one below the other, and never
// overwritten.
package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Options configure a screen.
type Options struct {
	Plain bool // write line by line, without overwriting
	ASCII bool // write only ASCII characters
	In    io.Reader
	Out   io.Writer
	Open  func(file string, line int) error // opens a file in the user's editor, and waits until the editor ends
	Goes  os.Signal                         // the signal that a stopped program gets when it continues
}

// Screen shows the pages. Its exported methods are for the actions of keys, and are called between two messages.
type Screen struct {
	Options
	ctx           context.Context // ends with the program
	pages         []*Page
	at            int
	help          bool
	said          string // the message in the line above the keys
	ask           *prompt
	show, act     *job
	width, height int
	rows, lines   int // the height of the list and of the text
	cmds          []tea.Cmd
	spoken        [4]string // what a plain screen wrote last
	cooked        func()

	// Send sends a message from concurrent work. Exec runs a program in the terminal. Tests replace both.
	Send func(tea.Msg)
	Exec func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
}

// applied changes the screen with the result of concurrent work.
type applied func()

// job is work that runs concurrently with the messages.
type job struct {
	label   string
	told    string // its progress
	cancel  func()
	running sync.Mutex // held while the work runs
}

// Is reports whether a file is a terminal, including a Windows console.
func Is(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// Run shows pages until the user quits or ctx ends. It restores the terminal, also after a panic.
func Run(ctx context.Context, pages []*Page, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := New(ctx, pages, o)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(o.In), tea.WithOutput(o.Out)}
	if o.Plain {
		options = append(options, tea.WithoutRenderer())
		s.raw()
		defer func() { s.write("\n"); s.cooked() }()
	}
	p := tea.NewProgram(s, options...)
	s.Send = p.Send
	goes := make(chan os.Signal, 1)
	signal.Notify(goes, o.Goes)
	defer func() { signal.Stop(goes); close(goes) }()
	go func() {
		for range goes {
			s.Send(applied(s.retake))
		}
	}()
	_, err := p.Run()
	if cancel(); s.act != nil { // an action that writes is completed
		s.act.running.Lock()
	}
	if errors.Is(err, context.Canceled) && !errors.Is(err, tea.ErrProgramPanic) {
		return nil
	}
	return err
}

// New returns a screen that is not shown yet.
func New(ctx context.Context, pages []*Page, o Options) *Screen {
	return &Screen{Options: o, ctx: ctx, pages: pages, width: 80, height: 24, Send: func(tea.Msg) {}, Exec: tea.Exec, cooked: func() {}}
}

// raw makes the terminal of a plain screen deliver each key at once; for other screens the library does that.
// cooked restores the terminal.
func (s *Screen) raw() {
	if in, ok := s.In.(term.File); ok && s.Plain {
		if was, err := term.MakeRaw(in.Fd()); err == nil {
			s.cooked = func() { _ = term.Restore(in.Fd(), was) }
		}
	}
}

// retake takes over the terminal again after the program was stopped, since the shell used it meanwhile.
func (s *Screen) retake() {
	s.cooked()
	if s.raw(); !s.Plain {
		_, _ = term.MakeRaw(s.In.(term.File).Fd()) // the library can still restore the original state
		s.cmds = append(s.cmds, tea.Raw(ansi.SetModeBracketedPaste), tea.ClearScreen)
	}
}

// Init loads the first page.
func (s *Screen) Init() tea.Cmd { return func() tea.Msg { return applied(func() { s.goTo(0) }) } }

func (s *Screen) page() *Page { return s.pages[s.at] }

// Update handles one message. It never waits.
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p := s.page()
	before := p.cur
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
		s.showRow()
		s.cmds = append(s.cmds, tea.ClearScreen) // the library does not clear the old lines completely
	case tea.KeyPressMsg:
		s.key(m)
	case tea.PasteMsg:
		if s.ask != nil {
			s.answer("", strings.Join(strings.Fields(m.Content), " "))
		}
	case tea.MouseClickMsg:
		s.click(m.X, m.Y)
	case tea.MouseWheelMsg: // a notch is three lines, as in most terminals
		p.move(map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[m.Button], m.Y >= firstRow+s.rows, s.lines)
	case tea.FocusMsg: // the content may have changed meanwhile
		s.renew()
	case applied:
		m()
	}
	if p == s.page() && p.cur != before {
		p.scroll = 0
		s.showRow()
	}
	if s.Plain {
		s.speak()
	}
	out := tea.Batch(s.cmds...)
	s.cmds = nil
	return s, out
}

// run starts concurrent work, and cancels the earlier work in the same slot. The function that it returns runs
// between two messages.
func (s *Screen) run(slot **job, label string, work func(context.Context, *job) (func(), error)) {
	if *slot != nil {
		(*slot).cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	j := &job{label: label, cancel: cancel}
	*slot = j
	s.cmds = append(s.cmds, func() tea.Msg {
		j.running.Lock()
		defer j.running.Unlock()
		var then func()
		err := panics.Try(func() (err error) {
			then, err = work(ctx, j)
			return err
		})
		if errors.Is(err, context.Canceled) {
			err = errors.New("Cancelled: " + label)
		}
		cancel()
		return applied(func() {
			if *slot != j {
				return
			}
			if *slot = nil; then != nil {
				then()
			}
			if err != nil {
				s.Say(err.Error())
			}
		})
	})
}

// Run starts an action that may take long; Esc cancels it. tell reports its progress. The function that work
// returns runs at the end.
func (s *Screen) Run(label string, work func(ctx context.Context, tell func(string)) (func(), error)) {
	if s.act != nil {
		s.Say(s.act.label + " is still running; Esc cancels it")
		return
	}
	s.run(&s.act, label, func(ctx context.Context, j *job) (func(), error) { return work(ctx, s.tells(j)) })
}

// tells returns a function that shows the progress of a job.
func (s *Screen) tells(j *job) func(string) {
	return func(told string) { s.Send(applied(func() { j.told = sanitize.OneLine(told) })) }
}

// Reload loads the page again.
func (s *Screen) Reload() {
	p := s.page()
	work := p.Load()
	s.run(&p.load, "Reading", func(ctx context.Context, j *job) (func(), error) {
		l, err := work(ctx, s.tells(j))
		if ctx.Err() != nil {
			return nil, err
		} else if err != nil {
			l, err = Listing{Empty: err.Error()}, nil
		}
		return func() {
			if p.take(l); p == s.page() {
				s.showRow()
			}
		}, err
	})
}

// renew reloads a page whose content may have changed, except while the user decides about it.
func (s *Screen) renew() {
	if p := s.page(); p.Fresh && s.ask == nil && s.act == nil && !p.marked() {
		s.Reload()
	}
}

// showRow shows the text of the selected row.
func (s *Screen) showRow() {
	p, width := s.page(), s.width
	r := append(p.list.Rows[min(p.cur, len(p.list.Rows)):], Row{Show: func() string { return "" }})[0]
	s.run(&s.show, "", func(context.Context, *job) (func(), error) {
		shown := r.Show()
		text := wrapped(when(ansi.StringWidth(r.line())+2*r.Depth+2 > width, r.line()+"\n\n")+shown, width)
		return func() { p.shown, p.text, p.scroll = shown, text, max(0, min(p.scroll, len(text)-1)) }, nil
	})
}

func (s *Screen) goTo(i int) {
	s.at, s.said = i, ""
	if p := s.page(); p.load == nil && (p.Fresh || !p.loaded) {
		s.Reload()
	}
	s.showRow()
}

// Say shows a message of one line.
func (s *Screen) Say(text string) { s.said = sanitize.OneLine(text) }

// Ask lets the user type a line, starting with a text that they may edit or replace.
func (s *Screen) Ask(label, text string, then func(string)) {
	s.ask = newPrompt(label, text, then)
}

// Seek selects the first row of the next list for which is returns true, if there is one.
func (s *Screen) Seek(is func(Row) bool) { s.page().seek = is }

// Confirm asks a question, and calls then after a yes. While the user types something else, the question is only
// shown as a message.
func (s *Screen) Confirm(question string, then func()) {
	if s.ask != nil {
		s.Say(question)
		return
	}
	s.ask = &prompt{label: sanitize.OneLine(question) + " y/n", agreed: then}
}

// Edit runs another program in the terminal, takes the terminal back, and reloads the page. The function that
// program returns runs then.
func (s *Screen) Edit(program func() (func(), error)) {
	var then func()
	run := func() (err error) {
		s.cooked()
		defer s.raw()
		defer time.Sleep(drawing)
		then, err = program()
		return err
	}
	s.cmds = append(s.cmds, s.Exec(running(run), func(err error) tea.Msg {
		return applied(func() {
			s.showRow()
			if s.renew(); err != nil {
				s.Say(err.Error())
			} else if then != nil {
				then()
			}
		})
	}))
}

// drawing is longer than a goroutine needs to stop. Bubble Tea 2.1.1 does not wait for the end of its drawing. If
// a program failed at once, the library would start a new drawing before the old one stops, and then stop the new
// one for good.
const drawing = 20 * time.Millisecond

// running is a program that uses the terminal's own streams.
type running func() error

// Run calls the function.
func (r running) Run() error { return r() }

// SetStdin does nothing.
func (running) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (running) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (running) SetStderr(io.Writer) {}

// globals are the keys of all pages, listed after those of each page.
var globals = []Key{
	{Name: "/", Help: "type a line", Do: func(s *Screen) { s.open(Row{}) }},
	{Name: "enter", Help: "open the row's file in $EDITOR, or the input line", Do: func(s *Screen) {
		if p := s.page(); p.cur < len(p.list.Rows) {
			s.open(p.list.Rows[p.cur])
		} else {
			s.open(Row{})
		}
	}},
	{Name: "space", Help: "mark a row, or all rows below a heading", Do: func(s *Screen) {
		if p := s.page(); p.Marks {
			p.mark()
			s.Say(fmt.Sprintf("%d marked", p.marks()))
		}
	}},
	{Name: "tab", Help: "switch between list and text", Do: func(s *Screen) {
		p := s.page()
		if p.inText = !p.inText && len(p.text) > 0; p.inText && s.Plain {
			s.write("\n" + ansi.Strip(strings.Join(p.text, "\n")))
		}
	}},
	{Name: "c", Help: "copy the text to the clipboard", Do: func(s *Screen) {
		s.cmds = append(s.cmds, tea.SetClipboard(sanitize.Visible(s.page().shown)))
		s.Say("Copied, if this terminal supports it (OSC 52); press w to save the text as a file")
	}},
	{Name: "w", Help: "write the text to a file", Do: func(s *Screen) { s.Ask("Save the text below as", s.fileName(), s.save) }},
	{Name: "r", Help: "read again", Do: (*Screen).Reload},
	{Name: "esc", Help: "cancel the running command, leave the text, clear marks or the filter", Do: (*Screen).escape},
	{Name: "ctrl+z", Help: "suspend", Do: func(s *Screen) {
		s.cooked()
		s.cmds = append(s.cmds, tea.Suspend)
	}},
	{Name: "?", Help: "show the keys", Do: func(s *Screen) { s.help = true }},
	{Name: "q", Help: "quit; also ctrl+c", Do: func(s *Screen) {
		if quit := func() { s.cmds = append(s.cmds, tea.Quit) }; s.act != nil {
			s.Confirm(s.act.label+" is not finished. Cancel it and quit?", quit)
		} else {
			quit()
		}
	}},
}

// open opens a row's file in the user's editor. If the row has none, the user can type the page's line.
func (s *Screen) open(r Row) {
	if p := s.page(); r.Enter != nil {
		r.Enter(s)
	} else if r.File != "" {
		s.Edit(func() (func(), error) { return nil, s.Open(r.File, r.Line) })
	} else if p.Line != "" {
		s.Ask(p.Line, p.typed, s.typed)
	}
}

// typed passes the line that the user typed to the page.
func (s *Screen) typed(text string) {
	s.page().typed = text
	s.page().Typed(text)
	s.Reload()
}

// fileName returns a file name for saving the text: that of the row's file, or the page's name.
func (s *Screen) fileName() string {
	p := s.page()
	if p.cur < len(p.list.Rows) && p.list.Rows[p.cur].File != "" {
		return path.Base(p.list.Rows[p.cur].File)
	}
	return strings.ToLower(p.Name) + ".md"
}

// save writes the text to a new file.
func (s *Screen) save(name string) {
	if name == "" {
		return
	}
	name, _ = filepath.Abs(name)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = file.WriteString(s.page().shown)
		err = errors.Join(err, file.Close())
	}
	s.Say(cmp.Or(errors.Join(err), errors.New("Saved as "+name)).Error())
}

// key handles a key.
func (s *Screen) key(m tea.KeyPressMsg) {
	p, name := s.page(), m.String()
	page, all := max(1, s.rows-1), len(p.list.Rows)+len(p.text)
	if p.inText {
		page = max(1, s.lines-1)
	}
	steps := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdown": page, "home": -all, "end": all}
	help := s.help
	s.help = false
	switch i, _ := strconv.Atoi(name); {
	case name == "ctrl+c":
		s.cmds = append(s.cmds, tea.Quit)
	case s.ask != nil:
		s.answer(name, m.Text)
	case help && (name == "?" || name == "q" || name == "esc"):
	case i >= 1 && i <= len(s.pages):
		s.goTo(i - 1)
	case steps[name] != 0:
		p.move(steps[name], p.inText, s.lines)
	default:
		s.said = ""
		for _, k := range append(p.Keys, globals...) {
			if rows := p.chosen(); k.Name == name && k.Do != nil {
				k.Do(s)
				return
			} else if k.Name == name && len(rows) > 0 {
				k.Rows(s, rows)
				return
			}
		}
	}
}

// answer edits the line that the user types. Enter accepts it, and Esc cancels it.
func (s *Screen) answer(key, typed string) {
	p := s.ask
	switch {
	case p.agreed != nil:
		if s.ask = nil; key == "y" {
			p.agreed()
		}
	case key == "esc":
		s.ask = nil
	case key == "enter":
		s.ask = nil
		p.then(strings.TrimSpace(strings.Join(p.text, "")))
	default:
		p.edit(key, typed)
	}
}

// escape cancels running work, or else leaves the text, or else removes marks.
func (s *Screen) escape() {
	p := s.page()
	if j := cmp.Or(s.act, p.load); j != nil {
		j.cancel()
		s.Say("Cancelling: " + j.label)
	} else if p.inText {
		p.inText = false
	} else if !p.marked() && p.Narrows && p.typed != "" {
		s.typed("")
	} else {
		for i := range p.list.Rows {
			p.list.Rows[i].Marked = false
		}
	}
}

// click selects the row under the mouse. A click on the selected row acts like Enter.
func (s *Screen) click(x, y int) {
	p := s.page()
	row := p.top + y - firstRow
	switch {
	case s.ask != nil || s.help:
	case y == 0:
		for i := range s.pages {
			if x -= len(s.tab(i)); x < 0 {
				s.goTo(i)
				return
			}
		}
	case y < firstRow || y >= firstRow+s.rows:
		p.inText = len(p.text) > 0
	case row == p.cur && !p.inText:
		s.key(tea.KeyPressMsg{Code: tea.KeyEnter})
	default:
		p.inText, p.cur = false, min(row, len(p.list.Rows)-1)
	}
}

// speak writes the parts that have changed, for a plain screen.
func (s *Screen) speak() {
	p := s.page()
	_, told := s.running()
	now := [4]string{p.Name + ". " + sanitize.OneLine(p.list.Head), "", told}
	if p.cur < len(p.list.Rows) {
		r := p.list.Rows[p.cur]
		now[1] = fmt.Sprintf("%d of %d: %s%s", p.cur+1, len(p.list.Rows), when(r.Marked, "marked, "), r.line())
	} else if p.loaded {
		now[1] = visible(p.list.Empty)
	}
	if s.ask != nil {
		before, after := s.ask.halves()
		now[3] = s.ask.label + ": " + before + when(after != "", "|") + after
	} else if s.help {
		now[3] = strings.Join(s.helpText(), "\n")
	}
	wrote := false
	for i, line := range now {
		rest, more := strings.CutPrefix(line, s.spoken[i])
		if i == 3 && more && s.spoken[i] != "" && !wrote { // typed characters continue the line
			s.write(rest)
		} else if line != "" && (line != s.spoken[i] || i == 3 && wrote) {
			s.write("\n" + line)
			wrote = true
		}
	}
	s.spoken = now
}

// write writes on a plain screen. The terminal is raw, so that each line end needs a carriage return too.
func (s *Screen) write(text string) {
	if s.ASCII {
		text = inASCII(text)
	}
	fmt.Fprint(s.Out, strings.ReplaceAll(text, "\n", "\r\n"))
}

// View draws the screen.
func (s *Screen) View() tea.View {
	text := strings.Join(s.frame(), "\n")
	if s.ASCII {
		text = inASCII(text)
	}
	v := tea.NewView(text)
	v.AltScreen, v.MouseMode, v.ReportFocus = true, tea.MouseModeCellMotion, true
	if s.ask != nil {
		_, at := s.ask.line(s.width)
		v.Cursor = tea.NewCursor(min(s.width-1, at), s.height-2)
	}
	return v
}

// firstRow is the line of the first row, below the page names and the head.
const firstRow = 2

// frame returns the lines of the screen: the page names, the head, the list and text, the message, and the keys.
func (s *Screen) frame() []string {
	p, names := s.page(), ""
	keys := "?: keys  q: quit" + when(p.Line != "", "  /: "+strings.ToLower(p.Line))
	for i := range s.pages {
		names += styled(when(i == s.at, bold+reverse), s.tab(i))
	}
	for _, k := range p.Keys {
		keys += "  " + k.Name + ": " + k.Help
	}
	if s.ask != nil {
		keys = cmp.Or(when(s.ask.agreed != nil, "y: yes  any other key: no"), "Enter: done  Esc: leave")
	}
	out := []string{names, styled(bold, sanitize.OneLine(p.list.Head))}
	said := []string{s.saidLine()}
	if s.ask == nil { // an error may need more than one line
		said = wrapped(said[0], s.width)
		said = said[:min(len(said), max(1, s.height/4))]
	}
	height := max(1, s.height-firstRow-1-len(said))
	part := 2
	if p.Marks { // on such a page, the text matters more than the list
		part = 3
	}
	switch s.rows = min(len(p.list.Rows), max(1, height/part)); {
	case s.help:
		out = append(out, s.helpText()...)
	case s.rows == 0 && p.loaded:
		out = append(out, wrapped(p.list.Empty, s.width)...)
	default:
		s.lines = max(1, height-s.rows-1)
		from := min(p.scroll, len(p.text))
		to := min(from+s.lines, len(p.text))
		rule := fmt.Sprintf("── %d of %d ── lines %d-%d of %d ── tab: %s ", min(p.cur+1, len(p.list.Rows)), len(p.list.Rows), min(from+1, to), to,
			len(p.text), cmp.Or(when(p.inText, "back to the list"), "into the text"))
		rule += strings.Repeat("─", max(0, s.width-ansi.StringWidth(rule)))
		out = append(append(out, p.window(s.width, s.rows)...), rule)
		out = append(append(out, p.text[from:to]...), when(s.show != nil && to == 0, "Reading…"))
	}
	out = append(out[:min(len(out), firstRow+height)], make([]string, max(0, firstRow+height-len(out)))...)
	out = append(append(out, said...), keys)
	for i, line := range out {
		out[i] = fit(line, s.width)
	}
	return out
}

// tab returns the label of a page; the current page is recognisable without colours.
func (s *Screen) tab(i int) string {
	name := fmt.Sprintf("%d %s", i+1, s.pages[i].Name)
	return cmp.Or(when(i == s.at, "["+name+"]"), " "+name+" ")
}

// saidLine returns the prompt, or the running job, or the last message.
func (s *Screen) saidLine() string {
	switch j, told := s.running(); {
	case s.ask != nil:
		line, _ := s.ask.line(s.width)
		return line
	case j != nil:
		return j.label + "… " + cmp.Or(told, "Esc cancels")
	}
	return s.said
}

// running returns the visible job, or nil. told is the last message of the screen, or else of that job.
func (s *Screen) running() (j *job, told string) {
	if j = cmp.Or(s.act, s.page().load); j == nil {
		return nil, s.said
	}
	return j, cmp.Or(s.said, j.told)
}

// helpText lists all keys.
func (s *Screen) helpText() []string {
	lines := []string{fmt.Sprintf("1-%d, click   another view", len(s.pages)), "up, down     another row; also k, j, pgup, pgdown, home, end, the wheel"}
	for _, k := range append(s.page().Keys, globals...) {
		lines = append(lines, fmt.Sprintf("%-12s %s", k.Name, k.Help))
	}
	return lines
}

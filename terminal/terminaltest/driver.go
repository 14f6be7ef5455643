// Package terminaltest drives the pages of a screen without a terminal: by keys, one after another, each with all that it
// starts, so that a frame is always the same.
package terminaltest

import (
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/terminal"
)

// Driver has a screen, and what waits for it.
type Driver struct {
	t      testing.TB
	Screen *terminal.Screen
	Quit   bool
	mu     sync.Mutex
	queue  []tea.Msg
}

// New shows pages on a screen of a size.
func New(t testing.TB, pages []*terminal.Page, o terminal.Options, width, height int) *Driver {
	d := &Driver{t: t, Screen: terminal.New(t.Context(), pages, o)}
	d.Screen.Send = d.put
	d.Screen.Exec = func(c tea.ExecCommand, then tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return then(c.Run()) }
	}
	d.Send(tea.WindowSizeMsg{Width: width, Height: height})
	d.run(d.Screen.Init())
	d.drain()
	return d
}

func (d *Driver) put(msg tea.Msg) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue = append(d.queue, msg)
}

// Send gives the screen a message, and all that comes of it.
func (d *Driver) Send(msg tea.Msg) {
	d.put(msg)
	d.drain()
}

func (d *Driver) drain() {
	for {
		d.mu.Lock()
		if len(d.queue) == 0 {
			d.mu.Unlock()
			return
		}
		msg := d.queue[0]
		d.queue = d.queue[1:]
		d.mu.Unlock()
		if _, ok := msg.(tea.QuitMsg); ok {
			d.Quit = true
			continue
		}
		_, cmd := d.Screen.Update(msg)
		d.Screen.View() // as the program does after each message
		d.run(cmd)
	}
}

func (d *Driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		d.put(msg)
	}
}

var codes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace,
	"left": tea.KeyLeft}

// Key presses one key, such as "a", "enter" or "ctrl+u".
func (d *Driver) Key(name string) {
	k := tea.KeyPressMsg{Code: codes[name]}
	if base, ok := strings.CutPrefix(name, "ctrl+"); ok {
		k = tea.KeyPressMsg{Code: rune(base[0]), Mod: tea.ModCtrl}
	} else if name == "space" {
		k = tea.KeyPressMsg{Code: ' ', Text: " "}
	} else if k.Code == 0 {
		r, size := utf8.DecodeRuneInString(name)
		if size != len(name) {
			d.t.Fatalf("no key %q", name)
		}
		k = tea.KeyPressMsg{Code: r, Text: name}
	}
	d.Send(k)
}

// Click clicks with the mouse.
func (d *Driver) Click(x, y int) { d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }

// Size gives the screen another size.
func (d *Driver) Size(width, height int) { d.Send(tea.WindowSizeMsg{Width: width, Height: height}) }

// Pauses runs a screen as the program does, with the keys that are read, until it ends, and returns how long its loop was
// busy with each message.
func Pauses(s *terminal.Screen, in io.Reader, out io.Writer) (took []time.Duration, err error) {
	p := tea.NewProgram(timed{s, &took}, tea.WithInput(in), tea.WithOutput(out), tea.WithWindowSize(80, 24))
	s.Send = p.Send
	_, err = p.Run()
	return took, err
}

// timed is a screen that notes how long it takes.
type timed struct {
	*terminal.Screen
	took *[]time.Duration
}

// Update takes a message.
func (s timed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	begun := time.Now()
	_, cmd := s.Screen.Update(msg)
	s.Screen.View()
	*s.took = append(*s.took, time.Since(begun))
	return s, cmd
}

// Type types a text, letter by letter.
func (d *Driver) Type(text string) {
	for _, r := range text {
		d.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var varies = []struct {
	is  *regexp.Regexp
	say string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "DATE       TIME    "}, // as wide as it was
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`), "TIME"},
	{regexp.MustCompile(`\d+\.\d ms`), "N ms"},
	{regexp.MustCompile(`drm-\d+`), "drm-N"},
}

// Frame is the screen as text, without styles, and with what is another in each run replaced.
func (d *Driver) Frame() string { return Same(ansi.Strip(d.Screen.View().Content)) }

// Same is a text with what is another in each run replaced, and without blanks at the ends of lines.
func Same(text string) string {
	for _, v := range varies {
		text = v.is.ReplaceAllString(text, v.say)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \r")
	}
	return strings.Join(lines, "\n") + "\n"
}

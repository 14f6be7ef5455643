package terminal_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/terminal/terminaltest"
)

// listed is a page of a fixed list.
func listed(l terminal.Listing, keys ...terminal.Key) *terminal.Page {
	return &terminal.Page{Name: "Things", Marks: true, Keys: keys, Line: "Line", Typed: func(string) {}, Load: func() terminal.Loader {
		return func(context.Context, func(string)) (terminal.Listing, error) { return l, nil }
	}}
}

func rows(n int, text string) (out []terminal.Row) {
	for range n {
		out = append(out, terminal.Row{Text: text, Warn: text, Show: func() string { return text }})
	}
	return out
}

var ours = strings.NewReplacer("\x1b[1m", "", "\x1b[7m", "", "\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[36m", "", "\x1b[m", "", "\n",
	"", "\r", "")

// FuzzNoControlReachesTheTerminal: whatever a page says, what is written has no control but the screen's own styles, no
// character that nobody sees, lines of the width of the screen, and in ASCII nothing else.
func FuzzNoControlReachesTheTerminal(f *testing.F) {
	for _, text := range []string{"plain", "a\x1b[2J\x07b", "\u009b2J \x9d0;t\x9c", "x\ty\r\nz", "\u202eabc\u202c", "日本語 👩‍👩‍👧 e\u0301", "--- a\n+b\n-c\n@@",
		"\x1b]52;c;aGk=\x07", "a\u200b\u2028b\xff", "0\u0601", strings.Repeat("long ", 90), "\x1bP1;2q\x1b\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []terminal.Options{{}, {ASCII: true}, {Plain: true}} {
			var plain strings.Builder
			o.Out = &plain
			d := terminaltest.New(t, []*terminal.Page{listed(terminal.Listing{Head: text, Rows: rows(3, text)}),
				listed(terminal.Listing{Head: text, Empty: text})}, o, 40, 12)
			d.Screen.Say(text)
			frames := d.Screen.View().Content
			d.Key("tab")
			d.Key("/")
			d.Send(tea.PasteMsg{Content: text})
			frames += "\n" + d.Screen.View().Content
			d.Key("esc")
			d.Screen.Confirm(text, func() {})
			frames += "\n" + d.Screen.View().Content
			d.Key("n")
			d.Key("2")
			frames += "\n" + d.Screen.View().Content
			for _, line := range strings.Split(frames, "\n") {
				if w := ansi.StringWidth(line); w != 40 {
					t.Fatalf("%d cells: %q", w, line)
				}
			}
			left := ours.Replace(frames + plain.String())
			for c := range sanitize.Hidden(left) {
				t.Fatalf("%s in %q", c.What, left)
			}
			if i := strings.IndexFunc(left, func(r rune) bool { return unicode.IsControl(r) || o.ASCII && r > unicode.MaxASCII }); i >= 0 {
				t.Fatalf("%q in %q", left[i:min(len(left), i+4)], left)
			}
		}
	})
}

// TestWorkIsCancelledAndItsPanicIsTold: a job that runs lets keys through, ends by Esc, and its panic ends nothing else.
func TestWorkIsCancelledAndItsPanicIsTold(t *testing.T) {
	begun, jobs := make(chan struct{}), make(chan tea.Cmd, 9)
	page := listed(terminal.Listing{Rows: rows(2, "x")},
		terminal.Key{Name: "b", Help: "begin", Do: func(s *terminal.Screen) {
			s.Run("Beginning", func(ctx context.Context, tell func(string)) (func(), error) {
				tell("half")
				close(begun)
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}},
		terminal.Key{Name: "p", Help: "panic", Do: func(s *terminal.Screen) {
			s.Run("Panicking", func(context.Context, func(string)) (func(), error) { panic("oops") })
		}},
		terminal.Key{Name: "f", Help: "fail", Do: func(s *terminal.Screen) {
			s.Run("Failing", func(context.Context, func(string)) (func(), error) { return nil, errors.New("no\nluck") })
		}})
	d := terminaltest.New(t, []*terminal.Page{page}, terminal.Options{}, 60, 12)
	d.Key("p")
	if f := d.Frame(); !strings.Contains(f, "panic: oops") {
		t.Errorf("a panic: %s", f)
	}
	d.Key("f")
	if f := d.Frame(); !strings.Contains(f, `no\nluck`) {
		t.Errorf("a failure: %s", f)
	}
	// From here the job runs beside the test, as it does beside the program.
	_, cmd := d.Screen.Update(tea.KeyPressMsg{Code: 'b', Text: "b"})
	go func() {
		msg := cmd()
		jobs <- func() tea.Msg { return msg }
	}()
	<-begun
	d.Key("down")
	if f := d.Frame(); !strings.Contains(f, "Beginning… half") {
		t.Errorf("how far it is: %s", f)
	}
	d.Key("b")
	if f := d.Frame(); !strings.Contains(f, "Beginning… Beginning is still running") || !strings.Contains(f, "2 of 2") {
		t.Errorf("while it runs: %s", f)
	}
	d.Key("esc")
	d.Send((<-jobs)())
	if f := d.Frame(); !strings.Contains(f, "Cancelled: Beginning") || strings.Contains(f, "half") {
		t.Errorf("cancelled: %s", f)
	}
}

// TestMouse: clicks select views, rows and the text, and a second click opens; the wheel scrolls what is under it.
func TestMouse(t *testing.T) {
	opened := ""
	all := rows(30, strings.Repeat("text\n", 50))
	all[4].File = "four"
	d := terminaltest.New(t, []*terminal.Page{listed(terminal.Listing{Rows: all}), listed(terminal.Listing{Empty: "nothing"})},
		terminal.Options{Open: func(file string, _ int) error {
			opened = file
			return nil
		}}, 60, 20)
	shows := func(step, text string) {
		t.Helper()
		if f := d.Frame(); !strings.Contains(f, text) {
			t.Errorf("%s: no %q in\n%s", step, text, f)
		}
	}
	d.Send(tea.MouseClickMsg{X: 5, Y: 6})
	shows("a row", "5 of 30")
	d.Send(tea.MouseClickMsg{X: 5, Y: 6})
	if opened != "four" {
		t.Errorf("opened %q", opened)
	}
	d.Send(tea.MouseWheelMsg{X: 5, Y: 6, Button: tea.MouseWheelDown})
	shows("the wheel over the list", "8 of 30")
	d.Send(tea.MouseWheelMsg{X: 5, Y: 15, Button: tea.MouseWheelDown})
	shows("the wheel over the text", "lines 4-")
	d.Send(tea.MouseClickMsg{X: 5, Y: 15})
	shows("the text", "back to the list")
	d.Key("end")
	shows("its end", "of 62")
	d.Send(tea.MouseClickMsg{X: 15, Y: 0})
	shows("a view", "nothing")
}

// TestTheTextIsSaved as a new file, and never over another.
func TestTheTextIsSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.md")
	d := terminaltest.New(t, []*terminal.Page{listed(terminal.Listing{Rows: rows(1, "the text")})}, terminal.Options{}, 100, 12)
	for _, said := range []string{"Saved as", "exists"} {
		d.Key("w")
		d.Send(tea.PasteMsg{Content: file})
		d.Key("enter")
		if f := d.Frame(); !strings.Contains(f, said) {
			t.Errorf("not %q: %s", said, f)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "the text" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestATypedLineIsToldAgain: on a plain screen, what comes in between does not part a line from what is typed further.
func TestATypedLineIsToldAgain(t *testing.T) {
	var out strings.Builder
	d := terminaltest.New(t, []*terminal.Page{listed(terminal.Listing{Rows: rows(1, "the text")})}, terminal.Options{Plain: true, Out: &out}, 80, 12)
	d.Key("/")
	d.Type("a")
	d.Screen.Say("news")
	d.Type("b")
	d.Key("left")
	if !strings.HasSuffix(out.String(), "Line: a\r\nnews\r\nLine: ab\r\nLine: a|b") {
		t.Errorf("%q", out.String())
	}
}

// TestPastedLinesAreOneLine: a text of several lines is pasted at the cursor, and no part of it is taken for a key.
func TestPastedLinesAreOneLine(t *testing.T) {
	d := terminaltest.New(t, []*terminal.Page{listed(terminal.Listing{Rows: rows(1, "the text")})}, terminal.Options{}, 100, 12)
	d.Key("/")
	d.Type("ab")
	d.Key("left")
	d.Send(tea.PasteMsg{Content: "one\r\n\ttwo\n\nq\x1b[3"})
	if f := d.Frame(); !strings.Contains(f, `Line: aone two q\x1b[3b`) || d.Quit {
		t.Error(f)
	}
	if c := d.Screen.View().Cursor; c == nil || c.X != len(`Line: aone two q\x1b[3`) {
		t.Errorf("the cursor: %+v", c)
	}
}

// TestTheTextIsShownInWhateverOrderWorkEnds: while a page is read again and again, and another is looked at in between, what
// runs beside the keys ends in any order. In the end the text of the row is shown, and until then the screen says so.
func TestTheTextIsShownInWhateverOrderWorkEnds(t *testing.T) {
	for seed := range uint64(500) {
		order := rand.New(rand.NewPCG(seed, 0))
		page, other := listed(terminal.Listing{Rows: rows(2, "the text")}), listed(terminal.Listing{Empty: "nothing"})
		page.Fresh, other.Fresh = true, true
		s := terminal.New(t.Context(), []*terminal.Page{page, other}, terminal.Options{})
		var cmds []tea.Cmd
		var msgs []tea.Msg
		put := func(_ tea.Model, cmd tea.Cmd) { cmds = append(cmds, cmd) }
		put(nil, s.Init())
		for keys := []rune("rr2r1rr2r1"); len(keys)+len(cmds)+len(msgs) > 0; {
			switch n := order.IntN(4); {
			case n == 0 && len(keys) > 0:
				put(s.Update(tea.KeyPressMsg{Code: keys[0], Text: string(keys[:1])}))
				keys = keys[1:]
			case n == 1 && len(msgs) > 0:
				msg := msgs[0]
				msgs = msgs[1:]
				put(s.Update(msg))
			case len(cmds) > 0:
				i := order.IntN(len(cmds))
				cmd := cmds[i]
				if cmds = slices.Delete(cmds, i, i+1); cmd == nil {
					continue
				}
				if msg := cmd(); msg != nil {
					if batch, ok := msg.(tea.BatchMsg); ok {
						cmds = append(cmds, batch...)
					} else {
						msgs = append(msgs, msg)
					}
				}
			}
			if frame := s.View().Content; strings.Contains(frame, "lines 0-0") &&
				strings.Contains(frame, "1 of 2") && !strings.Contains(frame, "Reading…") {
				t.Fatalf("seed %d: nothing says that the text is read:\n%s", seed, frame)
			}
		}
		if frame := s.View().Content; !strings.Contains(frame, "lines 1-1 of 1") || strings.Contains(frame, "Reading…") {
			t.Fatalf("seed %d:\n%s", seed, frame)
		}
	}
}

// shown hands on what is drawn.
type shown chan string

func (s shown) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// TestTheScreenIsDrawnAfterAProgramThatFailsAtOnce: the library goes on drawing, however fast a program ends, such as an
// editor that is not there.
func TestTheScreenIsDrawnAfterAProgramThatFailsAtOnce(t *testing.T) {
	said := 'α' - 1
	page := listed(terminal.Listing{Rows: rows(1, "x")}, terminal.Key{Name: "e", Do: func(s *terminal.Screen) {
		s.Edit(func() (func(), error) {
			said++
			return nil, errors.New(string(said))
		})
	}})
	in, _ := io.Pipe()
	out, ended := make(shown), make(chan error)
	s := terminal.New(t.Context(), []*terminal.Page{page}, terminal.Options{})
	go func() {
		_, err := terminaltest.Pauses(s, in, out)
		ended <- err
	}()
	<-out
	late := time.After(20 * time.Second) // what never comes is late, however busy the machine is
	for want := 'α'; want <= 'ζ'; want++ {
		go s.Send(tea.KeyPressMsg{Code: 'e', Text: "e"})
		for drawn := ""; !strings.ContainsRune(drawn, want); {
			select {
			case text := <-out:
				drawn += text
			case <-late:
				t.Fatalf("%c is never drawn", want)
			}
		}
	}
	go s.Send(tea.KeyPressMsg{Code: 'q', Text: "q"})
	for {
		select {
		case <-out:
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
}

// TestSmallScreens: any size is drawn without a fault, in as many lines as there are.
func TestSmallScreens(t *testing.T) {
	d := terminaltest.New(t, []*terminal.Page{listed(terminal.Listing{Rows: rows(5, "some text of a row")})}, terminal.Options{}, 80, 24)
	for w := 1; w < 90; w += 4 {
		for h := 5; h < 30; h++ {
			d.Send(tea.WindowSizeMsg{Width: w, Height: h})
			if n := strings.Count(d.Screen.View().Content, "\n") + 1; n != h {
				t.Fatalf("%d×%d has %d lines", w, h, n)
			}
		}
	}
}

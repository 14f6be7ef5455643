//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/terminal/terminaltest"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// These tests run the program in a real terminal, tmux, where BRV_TMUX says so: `./test tui`. They wait for what is to be
// shown, however long it takes.

// patience is for the busiest machine: what is waited for comes or does not come.
const patience = 20 * time.Second

// tmux is a terminal with a shell in it.
type tmux struct {
	t      *testing.T
	socket string
}

// newTmux starts a terminal of 80×24 in a folder.
func newTmux(t *testing.T, dir string, environ ...string) *tmux {
	if os.Getenv("BRV_TMUX") == "" {
		t.Skip("BRV_TMUX is not set: ./test tui sets it")
	}
	m := &tmux{t, filepath.Join(t.TempDir(), "s")}
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", dir}
	for _, e := range append(environ, "LC_ALL=C.UTF-8", "HISTFILE=") {
		args = append(args, "-e", e)
	}
	m.do(append(args, "sh")...)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	m.waits("the shell", func(screen string) bool { return strings.TrimSpace(screen) != "" })
	m.types("PS1='$ '; clear") // shells of root have another
	m.keys("Enter")
	m.waits("the prompt", func(screen string) bool { return strings.TrimSpace(screen) == "$" })
	return m
}

func (m *tmux) do(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(names ...string) { m.do(append([]string{"send-keys"}, names...)...) }
func (m *tmux) types(text string)    { m.do("send-keys", "-l", text) }
func (m *tmux) screen(more ...string) string {
	return m.do(append([]string{"capture-pane", "-p"}, more...)...)
}

// waits waits until the screen is as it should be.
func (m *tmux) waits(what string, is func(string) bool) string {
	m.t.Helper()
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		screen := m.screen()
		if is(screen) {
			return screen
		}
		if time.Since(begun) > patience {
			m.t.Fatalf("%s never came:\n%s", what, screen)
		}
	}
}

// shows waits for texts on the screen.
func (m *tmux) shows(texts ...string) string {
	m.t.Helper()
	return m.waits(strings.Join(texts, ", "), func(screen string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(screen, text) })
	})
}

// prompt waits until the shell has the terminal again.
func (m *tmux) prompt() {
	m.t.Helper()
	m.waits("the prompt", func(screen string) bool {
		return strings.HasSuffix("\n"+strings.TrimSpace(screen), "\n$")
	})
}

// state holds all that a program may leave changed: the screen's buffer, mouse and cursor, and the line's settings.
func (m *tmux) state() string {
	m.t.Helper()
	m.types("clear; stty -a | grep -v rows | tr '\\n' ' ' > state; echo written")
	m.keys("Enter")
	m.waits("the state", func(screen string) bool { return strings.HasPrefix(screen, "written") })
	stty, err := os.ReadFile(filepath.Join(strings.TrimSpace(m.do("display-message", "-p", "#{pane_current_path}")), "state"))
	if err != nil {
		m.t.Fatal(err)
	}
	return m.do("display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{mouse_sgr_flag}#{cursor_flag}#{keypad_flag}") + string(stty)
}

// reviewable makes a folder in which an agent proposed entries.
func reviewable(t *testing.T, n int) string {
	dir := uiFolder(t)
	workspacetest.Write(t, dir, ".brv/context-tree/net/http/retries.md", "---\ntitle: Retries\nsummary: Three times\n---\nA call is tried again.\n")
	var ops []string
	for i := range n {
		ops = append(ops, fmt.Sprintf(`{"type":"ADD","path":"area%d/topic","title":"Entry %d","summary":"It is number %d.","reason":"seen"}`, i%5, i, i))
	}
	for batch := range slices.Chunk(ops, 20) { // the most that an agent may propose at once
		cli(t, `{"operations":[`+strings.Join(batch, ",")+`]}`, "curate", "--agent", "copilot", "--root", dir)
	}
	return dir
}

func TestTmuxEveryView(t *testing.T) {
	dir := reviewable(t, 3)
	workspacetest.Write(t, dir, "editor", "#!/bin/sh\nclear\necho EDITING \"$@\"\nread answer\n")
	if err := os.Chmod(filepath.Join(dir, "editor"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := newTmux(t, dir, "EDITOR="+filepath.Join(dir, "editor"))
	before := m.state()
	m.types("brv-lsp ui")
	m.keys("Enter")
	m.shows("[1 Ask]", "press Enter, type a")
	m.keys("Enter")
	m.types("how often is a call tried")
	m.keys("Enter")
	m.shows("> ", "retries.md", "1 of ")
	m.keys("Down", "Enter")
	m.shows("EDITING +5")
	m.keys("Enter")
	m.shows("[1 Ask]", "2 of ")
	m.keys("2")
	m.shows("[2 Knowledge]", "▸ net (1)", "1 entry in 1 domain")
	m.keys("Down", "Enter")
	m.shows("▾ net (1)", "▸ http (1)")
	m.keys("/")
	m.types("retr")
	m.keys("Enter")
	m.shows("> Retries", "title: Retries")
	m.keys("3")
	m.shows("[3 Reviews]", "3 changes wait", "Batch 1 by copilot")
	m.keys("Down", "Down", "a")
	m.shows("2 changes wait", "u undoes it")
	m.keys("x")
	m.types("no")
	m.keys("Enter")
	m.shows("1 change waits")
	m.keys("u")
	m.shows("2 changes wait", "Undone")
	m.keys("e")
	m.shows("EDITING", "entry_")
	m.keys("Enter")
	m.shows("was not edited")
	m.keys("4", "Enter")
	m.types("calls that are tried again")
	m.keys("Enter")
	m.shows("[4 Pack]", "of 8,000 tokens", "The whole pack")
	m.keys("Down", "p")
	m.shows("pinned ")
	m.keys("d")
	m.shows("dropped ")
	m.keys("w", "C-u")
	m.types("saved.md")
	m.keys("Enter")
	m.shows("Saved as ", "saved.md")
	m.keys("5", "d")
	m.shows("Dream anyway?")
	m.keys("y")
	m.shows("Dream completed")
	m.keys("6")
	m.shows("[6 Log]", "newest first", "approve")
	m.types("\x1b[<0;5;1M\x1b[<0;5;1m") // a click on the first view
	m.shows("[1 Ask]")
	m.keys("?")
	m.shows("copy the text to the clipboard")
	m.do("resize-window", "-x", "120", "-y", "40")
	m.shows("copy the text")
	m.keys("Down") // leaves the keys
	m.shows("2 of 2")
	m.keys("q")
	m.prompt()
	m.do("resize-window", "-x", "80", "-y", "24")
	if after := m.state(); after != before {
		t.Errorf("the terminal is left as\n%s, and was\n%s", after, before)
	}
}

// kill sends a signal to the program that the shell runs, once it does.
func (m *tmux) kill(signal syscall.Signal) {
	m.t.Helper()
	shell := strings.TrimSpace(m.do("display-message", "-p", "#{pane_pid}"))
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(time.Millisecond) {
		if out, _ := exec.Command("pgrep", "-x", "-P", shell, "brv-lsp").Output(); len(out) > 0 {
			pid := 0
			if _, err := fmt.Sscan(string(out), &pid); err != nil || syscall.Kill(pid, signal) != nil {
				m.t.Fatalf("%q: %v", out, err)
			}
			return
		}
	}
	m.t.Fatal("the program never ran")
}

// TestTmuxIsLeftClean: a signal at any moment, a panic or the end of the session leaves the terminal as it was.
func TestTmuxIsLeftClean(t *testing.T) {
	dir := reviewable(t, 3)
	m := newTmux(t, dir)
	before := m.state()
	ends := func(what string) {
		t.Helper()
		m.prompt()
		if after := m.state(); after != before {
			t.Errorf("%s: the terminal is left as\n%s, and was\n%s", what, after, before)
		}
	}
	for i, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT} {
		for moment := range 8 { // from its start until it waits for keys
			m.types("clear; brv-lsp ui")
			m.keys("Enter")
			time.Sleep(time.Duration(moment*30+i*10) * time.Millisecond) // any moment will do
			m.kill(signal)
			ends(fmt.Sprintf("%v, moment %d", signal, moment))
		}
		m.types("clear; brv-lsp ui")
		m.keys("Enter")
		m.shows("[1 Ask]")
		m.keys("3")
		m.shows("Batch 1")
		m.kill(signal)
		ends(signal.String())
	}
	for options, back := range map[string]string{"": "[2 Knowledge]", " --plain": "brv-lsp ui"} {
		m.types("clear; brv-lsp ui" + options)
		m.keys("Enter")
		m.shows("To ask about the entries")
		m.keys("2")
		m.shows("Status")
		m.kill(syscall.SIGSTOP)
		m.shows("Stopped")
		m.types("clear; fg")
		m.keys("C-j") // the shell has the terminal as it was left: raw
		m.waits("the view", func(screen string) bool {
			return strings.Contains(screen, back) && !strings.Contains(screen, "Stopped")
		})
		m.keys("3") // a key counts at once
		m.shows("3 changes wait")
		m.keys("q")
		ends("stopped" + options)
	}
	for _, key := range []string{"a", "b"} {
		m.types("clear; panicking-pages")
		m.keys("Enter")
		m.shows("[1 Panics]")
		m.keys(key)
		ends("a panic by " + key)
	}
}

// TestTmuxModes: without colours nothing has one, and a plain screen is a text from top to bottom.
func TestTmuxModes(t *testing.T) {
	dir := reviewable(t, 3)
	m := newTmux(t, dir, "EDITOR=sh -c \"echo EDITING; read answer\"")
	m.types("NO_COLOR=1 brv-lsp ui")
	m.keys("Enter")
	m.shows("[1 Ask]")
	m.keys("3")
	m.shows("3 changes wait")
	m.keys("Down", "Down")
	m.shows("3 of ", "+++ b/")
	for _, colour := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"} {
		if strings.Contains(m.screen("-e"), colour) {
			t.Errorf("%q with NO_COLOR:\n%q", colour, m.screen("-e"))
		}
	}
	m.keys("q")
	m.prompt()
	m.types("clear; TERM=dumb LC_ALL=C brv-lsp ui")
	m.keys("Enter")
	m.shows("Ask. ")
	m.keys("3")
	m.shows("Reviews. 3 changes wait")
	m.keys("Down")
	m.keys("Down")
	m.shows("3 of ", ": ADD")
	m.keys("e")
	m.shows("EDITING")
	m.types("x")
	m.keys("Enter", "Down")
	m.shows("4 of ")
	if flags := m.do("display-message", "-p", "#{alternate_on}#{mouse_any_flag}"); flags != "00\n" {
		t.Errorf("a plain screen is another one: %s", flags)
	}
	m.keys("C-z")
	m.prompt()
	m.types("clear; fg")
	m.keys("Enter")
	m.shows("brv-lsp ui")
	m.keys("Up") // a key counts at once
	m.shows("3 of ")
	m.keys("q")
	m.prompt()
}

// TestTmuxFiftyReviews decides fifty entries one by one, as somebody does who knows nothing but what the screen says, and
// tells how long the program took.
func TestTmuxFiftyReviews(t *testing.T) {
	m := newTmux(t, reviewable(t, 50))
	m.types("brv-lsp ui")
	m.keys("Enter")
	m.shows("[1 Ask]", "3 Reviews")
	m.keys("3")
	m.shows("50 changes wait", "a: approve")
	m.keys("Down", "Down")
	begun := time.Now()
	for left := 49; left >= 0; left-- {
		m.shows(">     ADD ", "seen", "+++ b/") // the row and its difference, to be read
		if m.keys("a"); left%10 == 3 {
			m.shows(fmt.Sprintf("%d changes wait", left))
			m.keys("u") // a slip
			m.shows(fmt.Sprintf("%d changes wait", left+1))
			m.keys("a")
		}
		switch left {
		case 0:
			m.shows("Nothing waits")
		case 1:
			m.shows("1 change waits")
		default:
			m.shows(fmt.Sprintf("%d changes wait", left))
		}
		if row := m.screen(); left > 0 && !strings.Contains(row, ">     ADD") { // a head is selected where its last row is gone
			m.keys("Down", "Down")
		}
	}
	m.keys("q")
	m.prompt()
	t.Logf("50 entries, 5 of them undone and approved again: %v", time.Since(begun))
}

// TestTmuxPauses runs the loop over 10,000 entries, with all that runs beside it, and tells its longest pauses.
func TestTmuxPauses(t *testing.T) {
	newTmux(t, t.TempDir())
	dir := uiFolder(t)
	for p, text := range treetest.Sample(t, 10_000) {
		workspacetest.Write(t, dir, ".brv/context-tree/"+p, text)
	}
	f := newFlags("ui")
	f.root = dir
	w, err := f.open(t.Context(), func(o *workspace.Options) { o.Watch, o.FollowCode, o.CodeScan = true, true, true })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	in, keys := io.Pipe()
	s := terminal.New(t.Context(), (&face{w: w}).pages(), terminal.Options{})
	go func() {
		fmt.Fprint(keys, "2/md\r")
		for _, key := range strings.Fields(strings.Repeat("j \x1b[6~ \x1b[B s r ", 200)) {
			time.Sleep(10 * time.Millisecond) // a key that is held
			fmt.Fprint(keys, key)
		}
		fmt.Fprint(keys, "q")
	}()
	took, err := terminaltest.Pauses(s, in, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(took)
	t.Logf("%d messages: half within %v, 99 %% within %v, all within %v", len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/terminal/terminaltest"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestPages drives the pages over a real folder. An archive of testdata/ui has the folder's files, batches of an agent
// (ops*.json), a script, and the frames that it shows. A line of the script is "key NAME...", "type TEXT", "click X Y",
// "editor COMMAND", "run ARGS..." (another program), "size W H", "frame", or "picture NAME" for docs/.
func TestPages(t *testing.T) {
	goldentest.Parts(t, "testdata/ui/*.txtar", func(t *testing.T, a *txtar.Archive) map[string]string {
		dir, script, o, ops := uiFolder(t), "", terminal.Options{}, []string(nil)
		var plain strings.Builder
		for _, f := range a.Files {
			switch text := string(f.Data); {
			case strings.HasPrefix(f.Name, "ops"):
				ops = append(ops, text)
			case f.Name == "script":
				script = text
			case f.Name == "plain":
				o.Plain, o.Out = true, &plain
			case f.Name == "ascii":
				o.ASCII = true
			case f.Name != "frames":
				workspacetest.Write(t, dir, f.Name, text)
			}
		}
		for _, batch := range ops {
			cli(t, batch, "curate", "--agent", "copilot", "--root", dir)
		}
		d := openPages(t, dir, o, 80, 24)
		var frames strings.Builder
		for line := range strings.Lines(script) {
			verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			words := strings.Fields(rest)
			switch verb {
			case "key":
				for _, name := range words {
					d.Key(name)
				}
			case "type":
				d.Type(rest)
			case "editor":
				t.Setenv("EDITOR", rest)
			case "run":
				cli(t, "", append(words, "--root", dir)...)
			case "click":
				d.Click(number(t, words[0]), number(t, words[1]))
			case "size":
				d.Size(number(t, words[0]), number(t, words[1]))
			case "picture": // of docs/terminal.md
				file, now := "../../docs/"+rest+".svg", d.SVG()
				if goldentest.Updating() {
					workspacetest.Write(t, ".", file, now)
				}
				if was, err := os.ReadFile(file); err != nil || string(was) != now {
					t.Errorf("%s is not what is shown: go test ./cmd/brv-lsp -run Pages -update (%v)", file, err)
				}
			case "frame":
				shown := d.Frame()
				if o.Plain {
					shown = terminaltest.Same(plain.String())
					plain.Reset()
				}
				fmt.Fprintf(&frames, "== %s\n%s", rest, strings.ReplaceAll(shown, dir, "/FOLDER"))
			default:
				t.Fatalf("no step %q", line)
			}
		}
		return map[string]string{"frames": frames.String()}
	})
}

// uiFolder is a folder of its own, for which nothing of the user's is used.
func uiFolder(t testing.TB) string {
	home := t.TempDir()
	for name, value := range map[string]string{"XDG_CONFIG_HOME": home + "/config", "XDG_CACHE_HOME": home + "/cache", "USER": "ada",
		"VISUAL": "", "EDITOR": "edit-in-place"} {
		t.Setenv(name, value)
	}
	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cli runs a verb, which must not fail.
func cli(t testing.TB, in string, args ...string) {
	t.Helper()
	var out, errs strings.Builder
	if code := run(args, env{strings.NewReader(in), &out, &errs}); code != exitOK {
		t.Fatalf("%v: %d: %s%s", args, code, out.String(), errs.String())
	}
}

func openPages(t testing.TB, dir string, o terminal.Options, width, height int) *terminaltest.Driver {
	f := newFlags("ui")
	f.root = dir
	w, err := f.open(t.Context(), func(o *workspace.Options) {
		o.Unhurried, o.Trusted, o.Untrusted = true, false, "this folder is not trusted yet"
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	u := &face{w: w}
	o.Open = u.edit
	return terminaltest.New(t, u.pages(), o, width, height)
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestManyEntriesAreShownWithoutAPause: of 10,000 entries in one list each key is answered in a small part of 50 ms of
// processor time. What reads them runs beside the keys.
func TestManyEntriesAreShownWithoutAPause(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 10,000 entries")
	}
	dir := uiFolder(t)
	for p, text := range treetest.Sample(t, 10_000) {
		workspacetest.Write(t, dir, ".brv/context-tree/"+p, text)
	}
	d := openPages(t, dir, terminal.Options{}, 80, 24)
	d.Key("2")
	d.Key("/")
	d.Type("md")
	d.Key("enter")
	if frame := d.Frame(); !strings.Contains(frame, "of 10000 ") {
		t.Fatal(frame)
	}
	slowest := time.Duration(0)
	for _, key := range strings.Fields(strings.Repeat("down pgdown ", 200) + strings.Repeat("end home ", 50)) {
		begun := treetest.ProcessorTime()
		d.Key(key) // with the reading of the entry's text, which the program does beside it
		d.Screen.View()
		slowest = max(slowest, treetest.ProcessorTime()-begun)
	}
	t.Logf("the slowest key took %v", slowest)
	if slowest > 200*time.Millisecond { // four times what is asked, for the race detector
		t.Errorf("a key took %v", slowest)
	}
}

// panickingPages is a program whose keys panic: a in the loop, b beside it.
func panickingPages() {
	page := &terminal.Page{Name: "Panics", Load: func() terminal.Loader {
		return func(context.Context, func(string)) (terminal.Listing, error) {
			return terminal.Listing{Empty: "a or b"}, nil
		}
	}, Keys: []terminal.Key{{Name: "a", Do: func(*terminal.Screen) { panic("in the loop") }},
		{Name: "b", Do: func(s *terminal.Screen) {
			s.Edit(func() (func(), error) { panic("in a program") })
		}}}}
	_ = terminal.Run(context.Background(), []*terminal.Page{page}, terminal.Options{In: os.Stdin, Out: os.Stdout})
}

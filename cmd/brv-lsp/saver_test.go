package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// A program that saves an entry by emptying the file, waiting and writing, or by opening it long before, stands
// beside writers of ours, which are processes: what it wrote is in the entry afterwards, or it is reported, and
// moving it over the entry puts it there. The wait is the fault that is tried, so that it is a real one.
func TestSaversThatEmptyFirst(t *testing.T) {
	t.Parallel()
	saves, hands := sampletest.Count(8, 680), sampletest.Count(1, 8) // of each writer; 2,040 together
	for name, start := range map[string]func(*saverFolder) changer{"cli": byCommand, "mcp": byAgent, "lsp": byEditor} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			total, seed := make(chan saverCounts, hands), sampletest.Seed(t)
			for hand := range hands {
				all.Go(func() {
					f := newSaverFolder(t, fmt.Sprint(hand), saves/hands)
					change, end := start(f)()
					r := rand.New(rand.NewPCG(seed, uint64(hand)))
					var n saverCounts
					for i := range saves / hands {
						n.add(f.save(r, i, change))
					}
					end()
					n.add(saverCounts{emptyBefore: f.emptyImages()})
					total <- n
				})
			}
			all.Wait()
			close(total)
			var n saverCounts
			for some := range total {
				n.add(some)
			}
			t.Logf("%d saves: %d in place, %d offered and taken, %d lost; changes: %d done, "+
				"%d refused as it is being saved, %d refused else; %d images before that are empty",
				n.saves, n.inPlace, n.offered, n.lost, n.done, n.saving, n.saves-n.done-n.saving, n.emptyBefore)
			if n.lost > 0 || n.emptyBefore > 0 {
				t.Errorf("%d texts lost, %d images before that are empty", n.lost, n.emptyBefore)
			}
		})
	}
}

type saverCounts struct{ saves, inPlace, offered, lost, done, saving, emptyBefore int }

func (n *saverCounts) add(m saverCounts) {
	n.saves, n.inPlace, n.offered, n.lost = n.saves+m.saves, n.inPlace+m.inPlace, n.offered+m.offered, n.lost+m.lost
	n.done, n.saving, n.emptyBefore = n.done+m.done, n.saving+m.saving, n.emptyBefore+m.emptyBefore
}

// changer starts a writer: change prepares to add a tag to an entry, do does it and returns what it is told,
// "" if it is done.
type changer func() (change func(entry, tag string) (do func() string), end func())

// saverFolder is a project with an entry for each save.
type saverFolder struct {
	*testing.T
	root, program string
	env           []string
	quickest      time.Duration // that a change took
}

func newSaverFolder(t *testing.T, name string, entries int) *saverFolder {
	self, err := os.Executable()
	dir := t.TempDir()
	f := &saverFolder{T: t, root: filepath.Join(dir, "project"),
		program: filepath.Join(dir, "brv-lsp"), quickest: time.Hour}
	f.env = append(os.Environ(),
		"XDG_CACHE_HOME="+dir+"/cache", "XDG_CONFIG_HOME="+dir+"/config", "HOME="+dir, "USER=ada")
	err = errors.Join(err, os.Symlink(self, f.program), os.MkdirAll(filepath.Dir(f.file(0)), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		if err := os.WriteFile(f.file(i), []byte(entryText(i, "as it was")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func entryText(i int, says string) string {
	return fmt.Sprintf("---\ntitle: Entry %d\n---\n## Narrative\n### Highlights\n%s of entry %d.\n", i, says, i)
}

func (f *saverFolder) entry(i int) string { return fmt.Sprintf("net/up/e%d.md", i) }

func (f *saverFolder) file(i int) string {
	return filepath.Join(f.root, ".brv", tree.Dir, filepath.FromSlash(f.entry(i)))
}

func (f *saverFolder) command(args ...string) *exec.Cmd {
	c := exec.Command(f.program, args...)
	c.Dir, c.Env = f.root, f.env
	return c
}

// maxGap is the longest wait of a saver between emptying a file and writing it.
const maxGap = 500 * time.Millisecond

// save has an entry saved and changed at about the same time.
func (f *saverFolder) save(r *rand.Rand, i int, change func(entry, tag string) (do func() string)) saverCounts {
	gap := time.Duration(r.Int64N(int64(maxGap)))
	// The file is emptied at any time from gap before the change begins to what a change takes after.
	do := change(f.entry(i), fmt.Sprintf("tag%d", i))
	took := min(f.quickest, time.Second)
	emptied := time.Duration(r.Int64N(int64(gap+took))) - gap
	const marker = "What the user saved"
	var saving sync.WaitGroup
	var waited time.Duration // really: a busy machine may take longer
	saving.Go(func() {
		time.Sleep(max(0, emptied))
		flags := os.O_WRONLY | os.O_TRUNC
		if i%4 == 3 { // opened first, and emptied when it is written
			flags = os.O_WRONLY
		}
		out, err := os.OpenFile(f.file(i), flags, 0)
		if err != nil {
			f.Error(err)
			return
		}
		opened := time.Now()
		time.Sleep(gap)
		waited = time.Since(opened)
		err = out.Truncate(0)
		if err == nil {
			_, err = io.WriteString(out, entryText(i, marker))
		}
		if err = errors.Join(err, out.Close()); err != nil {
			f.Error(err)
		}
	})
	time.Sleep(max(0, -emptied))
	began := time.Now()
	said := do()
	f.quickest = min(f.quickest, time.Since(began))
	saving.Wait()
	n := saverCounts{saves: 1}
	switch {
	case strings.Contains(said, "being saved"):
		n.saving = 1
	case said == "":
		n.done = 1
	default:
		f.Logf("%s: refused with a gap of %v, emptied %v after the change began: %s", f.entry(i), waited, emptied, said)
	}
	has := func() bool {
		text, err := os.ReadFile(f.file(i))
		return err == nil && strings.Contains(string(text), marker)
	}
	switch {
	case has():
		n.inPlace = 1
	case f.take(i) && has():
		n.offered = 1
		f.Logf("%s: offered with a gap of %v, emptied %v after the change began; %s", f.entry(i), waited, emptied, said)
	default:
		n.lost = 1
		f.Logf("%s: lost with a gap of %v, emptied %v after the change began; %s", f.entry(i), waited, emptied, said)
	}
	return n
}

// take puts into an entry what is kept for it, as check says.
func (f *saverFolder) take(i int) bool {
	list, err := filepath.Glob(filepath.Join(f.root, ".brv", "state", "saved", "*"))
	if err != nil {
		return false
	}
	out, _ := f.command("check").Output() // which fails for what it finds
	for _, name := range list {
		if strings.Contains(string(out), filepath.Base(name)) && strings.HasSuffix(name, filepath.Base(f.entry(i))) {
			return os.Rename(name, f.file(i)) == nil
		}
	}
	return false
}

// emptyImages counts the images before of entries, none of which was empty to its user, that are.
func (f *saverFolder) emptyImages() (n int) {
	const empty = `"before":{"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`
	list, err := filepath.Glob(filepath.Join(f.root, ".brv", "state", "journal", "*"))
	if err != nil || len(list) == 0 {
		f.Errorf("no records: %v", err)
	}
	for _, name := range list {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Error(err)
		}
		head, _, _ := strings.Cut(string(data), "\n")
		if some := strings.Count(head, empty); some > 0 {
			n += some
			f.Logf("%s: %s", name, head)
		}
	}
	return n
}

// byCommand changes an entry by a process for each change.
func byCommand(f *saverFolder) changer {
	return func() (func(entry, tag string) func() string, func()) {
		return func(entry, tag string) func() string {
			return func() string {
				c := f.command("curate", "--op", "UPDATE", "--path", entry, "--tag", tag, "--reason", "r")
				out, err := c.CombinedOutput()
				if err != nil {
					return fmt.Sprintf("%v: %s", err, out)
				}
				return ""
			}
		}, func() {}
	}
}

func updateOf(entry, tag string) map[string]any {
	content := map[string]any{"tags": []string{tag}}
	return map[string]any{"type": "UPDATE", "path": entry, "reason": "r", "content": content}
}

// byEditor changes entries by a language server.
func byEditor(f *saverFolder) changer {
	return func() (func(entry, tag string) func() string, func()) {
		c := f.command()
		in, out := f.pipes(c)
		e := lsptest.Attach(out, in)
		if _, err := e.Initialize(context.Background(), lsptest.Session{Folders: []string{f.root}}); err != nil {
			f.Error(err)
		}
		change := func(entry, tag string) func() string {
			op := updateOf(entry, tag)
			return func() string {
				var r plan.Report
				err := e.Execute(context.Background(), "brv.curate", map[string]any{"operations": []any{op}}, &r)
				if err == nil && r.Summary.Failed > 0 {
					err = errors.New(r.Results[0].Message)
				}
				if err != nil {
					return err.Error()
				}
				return ""
			}
		}
		return change, func() {
			_, err := e.Shutdown(context.Background())
			e.Close()
			if err = errors.Join(err, c.Wait()); err != nil {
				f.Error(err)
			}
		}
	}
}

func (f *saverFolder) pipes(c *exec.Cmd) (io.WriteCloser, io.Reader) {
	in, out, err := piped(c)
	if err != nil {
		f.Fatal(err)
	}
	return in, out
}

// byAgent proposes and approves changes by a tool server whose user says yes to all.
func byAgent(f *saverFolder) changer {
	return func() (func(entry, tag string) func() string, func()) {
		c := f.command("mcp")
		in, out := f.pipes(c)
		lines := bufio.NewReader(out)
		id := 0
		ask := func(method string, params any) (said string) {
			id++
			line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
			fmt.Fprintf(in, "%s\n", line)
			for {
				raw, err := lines.ReadBytes('\n')
				if err != nil {
					f.Error(err)
					return err.Error()
				}
				var m struct {
					ID     any
					Method string
					Result struct{ Content []struct{ Text string } }
					Error  json.RawMessage
				}
				if err := json.Unmarshal(raw, &m); err != nil {
					f.Errorf("%v: %s", err, raw)
				}
				switch {
				case m.Method == "elicitation/create":
					yes, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID,
						"result": map[string]any{"action": "accept", "content": map[string]any{"yes": true}}})
					fmt.Fprintf(in, "%s\n", yes)
				case m.Method == "" && m.ID == float64(id):
					if len(m.Result.Content) > 0 {
						return m.Result.Content[0].Text
					}
					return string(m.Error)
				}
			}
		}
		tool := func(name string, arguments any) string {
			return ask("tools/call", map[string]any{"name": name, "arguments": arguments})
		}
		ask("initialize", map[string]any{"protocolVersion": "2025-11-25",
			"capabilities": map[string]any{"elicitation": map[string]any{}},
			"clientInfo":   map[string]any{"name": "agent", "version": "1"}})
		fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		change := func(entry, tag string) func() string {
			op := updateOf(entry, tag)
			said := tool("brv_curate", map[string]any{"operations": []any{op}})
			_, rest, held := strings.Cut(said, "Proposed as review ")
			var number int
			if _, err := fmt.Sscan(rest, &number); !held || err != nil {
				f.Errorf("proposed: %s", said)
			}
			return func() string {
				said := tool("brv_review", map[string]any{"action": "approve", "review": number})
				if strings.Contains(said, "it is done") {
					return ""
				}
				return said
			}
		}
		return change, func() {
			in.Close()
			if err := c.Wait(); err != nil {
				f.Error(err)
			}
		}
	}
}

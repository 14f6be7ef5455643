// Command worktrees measures what working trees of one repository cost: the first pack of each by the real program, with what the
// working trees before it left in the cache; the cache's growth; the memory of servers in ten of them; and how long a server takes
// until it is right after a change of branches. It needs git, and for memory Linux.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

var (
	repo    = flag.String("repo", "", "a repository to clone")
	work    = flag.String("work", "", "a folder for clones and the cache; a temporary one if empty")
	program = flag.String("program", "", "the program; built if empty")
	trees   = flag.Int("trees", 100, "working trees")
	servers = flag.Int("servers", 10, "servers at once")
	changed = flag.Int("changed", 2000, "files that another branch changes")
	task    = flag.String("task", "how does the session middleware save the session", "the pack's task")
	out     = flag.String("runs", "", "a file for the report")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if *repo == "" {
		log.Fatal("-repo is missing")
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// bench holds the folders of a run, and its report.
type bench struct {
	dir, main string
	env       []string
	report    bytes.Buffer
}

func (b *bench) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Println(line)
	b.report.WriteString(line + "\n")
}

func run(ctx context.Context) (err error) {
	b := &bench{dir: *work}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "worktrees"); err != nil {
			return err
		}
		defer os.RemoveAll(b.dir)
	}
	if *program == "" {
		if *program, err = process.Build(ctx, b.dir); err != nil {
			return err
		}
	}
	b.main = filepath.Join(b.dir, "main")
	b.env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"), "XDG_CONFIG_HOME="+filepath.Join(b.dir, "config"))
	if err := b.git(ctx, b.dir, "clone", "-q", *repo, b.main); err != nil {
		return err
	}
	files, err := exec.CommandContext(ctx, "git", "-C", b.main, "ls-files").Output()
	if err != nil {
		return err
	}
	b.say("%s: %d files, %d processors, %s", filepath.Base(*repo), bytes.Count(files, []byte("\n")), runtime.NumCPU(), runtime.Version())
	for _, step := range []func(context.Context) error{b.packs, b.clone, b.memory, b.branches} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if *out != "" {
		return os.WriteFile(*out, b.report.Bytes(), 0o644)
	}
	return nil
}

func (b *bench) git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// tree is the i-th working tree; the 0th is the main one.
func (b *bench) tree(i int) string {
	if i == 0 {
		return b.main
	}
	return filepath.Join(b.dir, fmt.Sprint("tree", i))
}

// ask runs the program in a folder.
func (b *bench) ask(ctx context.Context, dir string, args ...string) (text string, s process.Spent, err error) {
	cmd := exec.CommandContext(ctx, *program, append(args, "--root", dir)...)
	cmd.Env = b.env
	began := time.Now()
	data, err := cmd.Output()
	if s.Wall = process.Milliseconds(time.Since(began)); cmd.ProcessState != nil {
		s.CPU = process.Milliseconds(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	}
	return string(data), s, err
}

// kept counts the bytes of the cache.
func (b *bench) kept() (size int64) {
	_ = filepath.WalkDir(filepath.Join(b.dir, "cache"), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// packs reads the main working tree, and asks each for its first pack.
func (b *bench) packs(ctx context.Context) error {
	_, first, err := b.ask(ctx, b.main, "map")
	if err != nil {
		return err
	}
	want, again, err := b.ask(ctx, b.main, "pack", "--task", *task)
	if err != nil {
		return err
	}
	_, again, err = b.ask(ctx, b.main, "pack", "--task", *task)
	if err != nil {
		return err
	}
	whole := b.kept()
	b.say("main: read in %.0f ms of processor time (%.0f ms by the clock), a pack after that %.0f ms (%.0f ms); cache %.1f MB",
		first.CPU, first.Wall, again.CPU, again.Wall, float64(whole)/1e6)
	var wall, cpu []float64
	for i := 1; i < *trees; i++ {
		if err := b.git(ctx, b.main, "worktree", "add", "-q", "--detach", b.tree(i)); err != nil {
			return err
		}
		got, s, err := b.ask(ctx, b.tree(i), "pack", "--task", *task)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("the pack of working tree %d is another one", i)
		}
		wall, cpu = append(wall, s.Wall), append(cpu, s.CPU)
	}
	if n := len(cpu); n > 0 {
		grown := float64(b.kept()-whole) / float64(n)
		b.say("first pack of %d more: processor time median %.0f ms, 90th percentile %.0f ms, the last %.0f ms: %.2f of reading the first; "+
			"by the clock median %.0f ms, least %.0f ms; cache %.1f KB more each, %.2f %%", n, process.Percentile(cpu, .5), process.Percentile(cpu, .9),
			cpu[n-1], cpu[n-1]/first.CPU, process.Percentile(wall, .5), process.Percentile(wall, 0), grown/1e3, 100*grown/float64(whole))
	}
	return nil
}

// clone reads a clone of the main working tree.
func (b *bench) clone(ctx context.Context) error {
	dir := filepath.Join(b.dir, "clone")
	if err := b.git(ctx, b.dir, "clone", "-q", b.main, dir); err != nil {
		return err
	}
	_, first, err := b.ask(ctx, dir, "map")
	b.say("a clone: read in %.0f ms of processor time", first.CPU)
	return err
}

// server is a tool server.
type server struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Reader
	id  int
}

func (b *bench) serve(ctx context.Context, dir string) (*server, error) {
	cmd := exec.CommandContext(ctx, *program, "mcp", "--root", dir)
	cmd.Env = b.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	read, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, in: bufio.NewWriter(in), out: bufio.NewReaderSize(read, 1<<20)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, err = s.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if err == nil {
		_, err = s.in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	}
	return s, err
}

func (s *server) call(method string, params any) (string, error) {
	s.id++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	s.in.Write(append(data, '\n'))
	if err := s.in.Flush(); err != nil {
		return "", err
	}
	for {
		line, err := s.out.ReadString('\n')
		if err != nil || strings.Contains(line, `"id":`+strconv.Itoa(s.id)) {
			return line, err
		}
	}
}

func (s *server) tool(name string, arguments map[string]any) (string, error) {
	return s.call("tools/call", map[string]any{"name": name, "arguments": arguments})
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// share returns the proportional memory of a server and its workers, in MB: a page of several processes counts once.
func (s *server) share() (sum float64) {
	for _, pid := range append(children(s.cmd.Process.Pid), s.cmd.Process.Pid) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
				n, _ := strconv.ParseFloat(f[1], 64)
				sum += n / 1024
			}
		}
	}
	return sum
}

func children(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for f := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(f); err == nil {
				all = append(append(all, n), children(n)...)
			}
		}
	}
	return all
}

// memory has a server in each of some working trees give a pack.
func (b *bench) memory(ctx context.Context) error {
	var all []*server
	defer func() {
		for _, s := range all {
			s.stop()
		}
	}()
	one := 0.0
	for i := range min(*servers, *trees) {
		s, err := b.serve(ctx, b.tree(i))
		if err != nil {
			return err
		}
		all = append(all, s)
		if _, err := s.tool("brv_context", map[string]any{"task": *task, "max_tokens": 4000}); err != nil {
			return err
		}
		if i == 0 {
			time.Sleep(3 * time.Second) // the server gives memory back after its last answer
			one = s.share()
		}
	}
	time.Sleep(3 * time.Second)
	sum := 0.0
	for _, s := range all {
		sum += s.share()
	}
	b.say("memory after a pack of 4,000 tokens (Pss): one server %.0f MB, %d in as many working trees %.0f MB: %.1f times", one, len(all), sum, sum/one)
	return nil
}

// branches makes a branch that changes many files, and changes to it under a server: of what nobody has read, and of what
// another working tree has.
func (b *bench) branches(ctx context.Context) error {
	list, err := exec.CommandContext(ctx, "git", "-C", b.main, "ls-files", "*.py", "*.go", "*.ts", "*.js", "*.rs", "*.java", "*.php").Output()
	if err != nil {
		return err
	}
	names := strings.Split(strings.TrimSpace(string(list)), "\n")
	n := min(*changed, len(names))
	if err := b.git(ctx, b.main, "checkout", "-q", "-b", "many"); err != nil {
		return err
	}
	for _, name := range names[:n] {
		f, err := os.OpenFile(filepath.Join(b.main, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err = f.WriteString("\n# another line\n"); err == nil {
			err = f.Close()
		}
		if err != nil {
			return err
		}
	}
	probe := "OnlyOnTheOtherBranch"
	if err := os.WriteFile(filepath.Join(b.main, "probe_branch.py"), []byte("def "+probe+"():\n    pass\n"), 0o644); err != nil {
		return err
	}
	if err := b.git(ctx, b.main, "add", "-A"); err != nil {
		return err
	}
	if err := b.git(ctx, b.main, "commit", "-qm", "many"); err != nil {
		return err
	}
	for _, what := range []string{"that nobody has read", "that another working tree has read"} {
		i := 1
		if what != "that nobody has read" {
			i = 2
		}
		s, err := b.serve(ctx, b.tree(i))
		if err != nil {
			return err
		}
		defer s.stop()
		symbols := func() (string, error) { return s.tool("brv_repo_map", map[string]any{"symbol": probe}) }
		if text, err := symbols(); err != nil || strings.Contains(text, "probe_branch.py") {
			return fmt.Errorf("before: %s, %v", text, err)
		}
		if err := b.git(ctx, b.tree(i), "checkout", "-q", "--detach", "many"); err != nil {
			return err
		}
		began := time.Now()
		for {
			text, err := symbols()
			if err != nil {
				return err
			}
			if strings.Contains(text, "probe_branch.py") {
				break
			}
		}
		b.say("a change of branches by %d files %s: %.0f ms by the clock until the answer is right", n+1, what, process.Milliseconds(time.Since(began)))
		if _, _, err := b.ask(ctx, b.tree(i), "map"); err != nil { // keeps what was read
			return err
		}
	}
	return nil
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/remote"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/inject"
)

// trap holds the code that a task is about: as it is broken, and the tests that tell whether it was mended.
type trap struct {
	Pkg    string `json:"pkg"`
	Module string `json:"module"` // the file that the right fix changes
	Init   string `json:"init"`
	Bug    string `json:"bug"`
	Repro  string `json:"repro_test"`  // the report's own example
	Hidden string `json:"hidden_test"` // the decision too
}

// attempt is the record of an agent's work on one task, a line of the raw run.
type attempt struct {
	Task     string   `json:"task"`
	With     bool     `json:"with"`     // our texts were there
	Opened   int      `json:"opened"`   // files before the right one, or all where that was never opened
	Found    bool     `json:"found"`    // the right file was opened or written
	Tokens   int      `json:"tokens"`   // read: the task, and what commands printed
	Decision bool     `json:"decision"` // the decision stands in what was read
	Written  bool     `json:"written"`  // a file was written
	Right    bool     `json:"right"`    // it was the right one
	Repaired bool     `json:"repaired"` // the report's example passes
	Honoured bool     `json:"honoured"` // the decision's test passes too
	Commands []string `json:"commands"`
}

const (
	maxCommands = 8
	maxPrinted  = 2_400 // bytes of what one command prints: some 600 tokens
	maxReply    = 700   // tokens: the longest right module has some 350
)

// briefing tells an agent what it may do. It must be short: small models have 4,096 tokens for all.
const briefing = `You repair a bug in a Python repository. Reply with exactly one command and nothing else:
SEARCH words        lists lines of files that contain the words
OPEN path           prints a file
%sWRITE path          replaces the file by the code block below this line, and ends your work
` + "```python\n...the whole file...\n```"

const asking = "ASK question        asks what the team has decided and written down\n"

// outcomes has an agent work on each task twice: with a repository and two commands, and with what the prompt hook tells and a
// question to the team's knowledge beside them. The talks are pages, and each task has a fresh copy of all files.
func outcomes(ctx context.Context, o options, tasks []task, others []talk) error {
	text, err := os.ReadFile(o.traps)
	if err != nil {
		return err
	}
	traps := map[string]trap{}
	if err := json.Unmarshal(text, &traps); err != nil {
		return err
	}
	var model llm.Model
	if o.endpoint != "" {
		if model, err = remote.New(remote.Options{Protocol: "openai", Endpoint: o.endpoint, Model: o.model, Key: os.Getenv("BRV_BENCH_KEY"),
			Patience: 10 * time.Minute, Context: o.window}); err != nil {
			return err
		}
	}
	var raw *bufio.Writer
	if o.runs != "" {
		f, err := os.Create(o.runs)
		if err != nil {
			return err
		}
		defer f.Close()
		raw = bufio.NewWriter(f)
	}
	var all []attempt
	// As above: a decision stands in the data as a talk and as a message.
	for _, history := range []bool{false, true} {
		talks := slices.Clone(others)
		for _, t := range tasks {
			if (t.Source == "history") == history {
				talks = append(talks, t.talks()...)
			}
		}
		base, err := repository(o.code, traps, talks)
		if err != nil {
			return err
		}
		defer os.RemoveAll(base)
		for _, t := range tasks {
			trap, ok := traps[t.root()]
			if !ok || (t.Source == "history") != history || o.only != "" && o.only != t.ID {
				continue // its code is boltons' own, and its tests are not there
			}
			for _, with := range []bool{false, true} {
				a, err := work(ctx, o, model, base, t, trap, with)
				if err != nil {
					return fmt.Errorf("%s: %w", t.ID, err)
				}
				all = append(all, a)
				if raw != nil {
					line, _ := json.Marshal(a)
					raw.Write(append(line, '\n'))
					raw.Flush()
				}
			}
		}
	}
	fmt.Println("         tasks  right file opened or written  files opened before (mean)  tokens read (mean)  decision read  right file written  repaired  decision honoured")
	for _, with := range []bool{false, true} {
		fmt.Println(summary(all, with))
	}
	return nil
}

// repository makes the folder that all tasks begin with: the code, what is broken, and the talks as pages.
func repository(code string, traps map[string]trap, talks []talk) (string, error) {
	base, err := os.MkdirTemp("", "outcome")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(base, os.DirFS(code)); err != nil {
		return "", err
	}
	for _, t := range traps {
		for file, text := range map[string]string{path.Join(t.Pkg, "__init__.py"): t.Init, t.Module: t.Bug} {
			if err := write(base, file, text); err != nil {
				return "", err
			}
		}
	}
	return base, place(base, "documents", talks, nil)
}

func summary(all []attempt, with bool) string {
	var n, found, opened, read, decision, right, repaired, honoured int
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for _, a := range all {
		if a.With != with {
			continue
		}
		n, opened, read = n+1, opened+a.Opened, read+a.Tokens
		count(&found, a.Found)
		count(&decision, a.Decision)
		count(&right, a.Right)
		count(&repaired, a.Repaired)
		count(&honoured, a.Honoured)
	}
	of := float64(max(n, 1))
	return fmt.Sprintf("%-8s %5d %29d %27.1f %19.0f %14d %19d %9d %18d", map[bool]string{false: "without", true: "with"}[with], n, found,
		float64(opened)/of, float64(read)/of, decision, right, repaired, honoured)
}

// commandAt finds a command in what a model said: small ones say something before it, or repeat the list of commands behind it.
var commandAt = regexp.MustCompile("(?m)^[ \t*`>-]*(SEARCH|OPEN|ASK|WRITE)[ \t:]+(.+)$")

// fenced finds the code block below a command.
var fenced = regexp.MustCompile("(?s)```[a-z]*\n(.*?)(?:```|$)")

// work lets an agent work on a task, in a copy of a folder.
func work(ctx context.Context, o options, m llm.Model, base string, t task, code trap, with bool) (attempt, error) {
	w := &worker{o: o, task: t, code: code, attempt: attempt{Task: t.ID, With: with}}
	var err error
	if w.dir, err = os.MkdirTemp("", "outcome"); err != nil {
		return w.attempt, err
	}
	defer os.RemoveAll(w.dir)
	if err := os.CopyFS(w.dir, os.DirFS(base)); err != nil {
		return w.attempt, err
	}
	if err := write(w.dir, "tests/test_regression.py", code.Repro); err != nil {
		return w.attempt, err
	}
	w.prompt = "Bug report: " + t.Report
	if with {
		cache, err := os.MkdirTemp("", "outcome")
		if err != nil {
			return w.attempt, err
		}
		defer os.RemoveAll(cache)
		if w.knows, err = workspace.Open(ctx, w.dir, workspace.Options{Trusted: true, Cache: cache}); err != nil {
			return w.attempt, err
		}
		defer w.knows.Close()
		if err := w.knows.WaitCode(ctx); err != nil {
			return w.attempt, err
		}
		if w.told, err = inject.Prompt(ctx, w.knows.View(), inject.OpenSession("", "", ""), t.Report, inject.DefaultCap, 0); err != nil {
			return w.attempt, err
		}
	}
	w.read(w.prompt + "\n\n" + w.told)
	if m == nil {
		w.script()
		return w.attempt, nil
	}
	return w.attempt, w.converse(ctx, m)
}

// worker is one agent at one task.
type worker struct {
	o      options
	task   task
	code   trap
	dir    string
	prompt string
	told   string               // by the prompt hook
	knows  *workspace.Workspace // nil without
	attempt
}

// read counts what an agent reads.
func (w *worker) read(text string) {
	w.Tokens += tokens.Count(text)
	for _, k := range w.task.talks() {
		if _, ok := k.tells(text); ok {
			w.Decision = true
		}
	}
}

// opens notes that an agent opens a file, and returns what it reads.
func (w *worker) opens(file string) string {
	if file == w.code.Module {
		w.Found = true
	} else if !w.Found {
		w.Opened++
	}
	return cut(cmp.Or(open(w.dir, file), "Nothing."), maxPrinted)
}

// pathAt finds paths in a text.
var pathAt = regexp.MustCompile(`[\w.-]+(?:/[\w.-]+)+\.\w+`)

// script is an agent without a model: it reads the failing test, which the report names, then the files that it was told of, in
// their order, then those that a search for the words of both finds, until it has read the right one.
func (w *worker) script() {
	test := open(w.dir, "tests/test_regression.py")
	found := search(w.dir, w.task.Report+"\n"+test)
	w.read(test + found)
	seen := map[string]bool{"tests/test_regression.py": true}
	for _, file := range pathAt.FindAllString(w.told+"\n"+found, -1) {
		if _, err := os.Stat(filepath.Join(w.dir, file)); err != nil || seen[file] {
			continue
		}
		seen[file] = true
		w.Commands = append(w.Commands, "OPEN "+file)
		if w.read(w.opens(file)); w.Found {
			return
		}
	}
}

// converse is an agent with a model.
func (w *worker) converse(ctx context.Context, m llm.Model) error {
	ask := ""
	if w.knows != nil {
		ask = asking
	}
	system := fmt.Sprintf(briefing, ask)
	said := []llm.Message{{Role: llm.RoleUser, Text: strings.TrimSpace(w.prompt + "\n\n" + w.told)}}
	for range maxCommands {
		for len(said) > 3 && tokens.Count(system)+sum(said)+maxReply > w.o.window*7/8 {
			said = slices.Delete(said, 1, 3) // the oldest command and what it printed
		}
		r, err := m.Complete(ctx, llm.Request{System: system, Messages: said, MaxTokens: maxReply})
		if ctx.Err() != nil {
			return err
		} else if err != nil {
			w.Commands = append(w.Commands, "failed: "+err.Error())
			return nil
		}
		found := commandAt.FindStringSubmatchIndex(r.Text)
		if found == nil {
			w.Commands = append(w.Commands, "no command: "+cut(r.Text, 80))
			return nil
		}
		verb, rest := r.Text[found[2]:found[3]], strings.Trim(r.Text[found[4]:found[5]], " \t`'\"*<>")
		w.Commands = append(w.Commands, verb+" "+cut(rest, 120))
		printed := ""
		switch verb {
		case "WRITE":
			return w.written(ctx, named(rest), r.Text[found[5]:])
		case "SEARCH":
			printed = search(w.dir, rest)
		case "OPEN":
			printed = w.opens(named(rest))
		case "ASK":
			printed = "That is not possible here."
			if w.knows != nil {
				r, err := consult.Query(ctx, w.knows.View(), consult.QueryRequest{Text: rest, Limit: 3})
				if err != nil {
					return err
				}
				printed = r.Markdown
			}
		}
		printed = cut(cmp.Or(printed, "Nothing."), maxPrinted)
		w.read(printed)
		said = append(said, llm.Message{Role: llm.RoleAssistant, Text: verb + " " + rest}, llm.Message{Role: llm.RoleUser, Text: printed})
	}
	return nil
}

// written judges the file that an agent writes, by the report's example and by the decision's test.
func (w *worker) written(ctx context.Context, file, text string) error {
	w.Written, w.Right = true, file == w.code.Module
	w.Found = w.Found || w.Right
	block := fenced.FindStringSubmatch(text)
	if block == nil || !w.Right {
		return nil
	}
	if err := write(w.dir, file, block[1]); err != nil {
		return err
	}
	w.Repaired = passes(ctx, w.dir, w.code.Repro)
	w.Honoured = w.Repaired && passes(ctx, w.dir, w.code.Hidden)
	return nil
}

func sum(said []llm.Message) (n int) {
	for _, m := range said {
		n += tokens.Count(m.Text)
	}
	return n
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// named is a path as a model writes it.
func named(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(s, "./"), "/"))
}

// write writes a file of a folder.
func write(dir, file, text string) error {
	file = filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// open is a file's text, or the names in a folder.
func open(dir, file string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err.Error()
	}
	defer root.Close()
	if text, err := root.ReadFile(filepath.FromSlash(file)); err == nil {
		return string(text)
	}
	list, err := fs.ReadDir(root.FS(), file)
	if err != nil {
		return "There is no file " + file
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, "\n")
}

// search lists the twenty lines of code that hold most of the words, then the ten of text.
func search(dir, query string) string {
	want := words(query)
	type hit struct {
		held int
		line string
	}
	hits := map[bool][]hit{} // of code, of text
	_ = fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir():
			if p != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !slices.Contains([]string{".py", ".md", ".rst", ".txt", ".cfg", ".toml"}, path.Ext(p)):
			return nil
		}
		text, _ := os.ReadFile(filepath.Join(dir, p))
		for i, line := range strings.Split(string(text), "\n") {
			low, held := strings.ToLower(line), 0
			for _, w := range want {
				if strings.Contains(low, w) {
					held++
				}
			}
			if held > 0 {
				code := path.Ext(p) == ".py"
				hits[code] = append(hits[code], hit{held, fmt.Sprintf("%s:%d: %s", p, i+1, cut(strings.TrimSpace(line), 160))})
			}
		}
		return nil
	})
	var b strings.Builder
	for _, code := range []bool{true, false} {
		slices.SortStableFunc(hits[code], func(a, b hit) int { return cmp.Compare(b.held, a.held) })
		for _, h := range hits[code][:min(map[bool]int{true: 20, false: 10}[code], len(hits[code]))] {
			b.WriteString(h.line + "\n")
		}
	}
	return b.String()
}

// passes runs a test in a folder.
func passes(ctx context.Context, dir, test string) bool {
	if write(dir, "tests/test_outcome.py", test) != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, "python3", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests/test_outcome.py")
	c.Dir, c.Env = dir, append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1")
	return c.Run() == nil
}

// Command decisions measures whether what a fix hangs on is told unasked: bug reports whose right fix follows from a
// decision that was once talked about, among talks that decide nothing of it.
//
//	go run ./bench/decisions -data DIR -code DIR [-modules FILE] [-quiet FILE] [-v]
//
// DIR of data holds tasks.jsonl and decoys.jsonl (sde-bench: see the README beside them), DIR of code the files that they
// speak of. Each talk stands there in three forms, one after the other: a page docs/sessions/HASH.md whose title says
// nothing, an entry of the context tree, and the message of a commit. With -modules (a JSON object, task → file) a task's
// commit changes that file; otherwise commits change nothing.
//
// A decision is told if most of its words stand in the text in their order. Printed are, for each form, how many
// decisions stand in a pack of 4,000 tokens and in the hook's text for a prompt; of amended ones those where the newer
// talk stands first; how many other talks were told; how many of the prompts in -quiet (a line each) got no text; and
// the time of packs and hooks.
//
// With -traps FILE [-endpoint URL -model NAME] [-context N] [-runs FILE] an agent works on each task twice, without and with
// our texts, and what it does is counted: a script that opens files until it has read the right one, or a model at any server
// that speaks OpenAI's form, of which it runs what it writes. FILE holds TRAPS of gen/traps.py as JSON; a key stands in the
// variable BRV_BENCH_KEY.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/inject"
)

// turn holds one message of a talk.
type turn struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// talk is one talk, or one message of a commit.
type talk struct {
	hash  string
	text  string
	task  string // the task it decides, or ""
	part  int    // of an amended decision: the newer has the higher number
	said  string // the words that decide
	title string // of a commit: its subject
}

// task is one bug report.
type task struct {
	ID        string          `json:"id"`
	Source    string          `json:"source"`
	Report    string          `json:"report"`
	Talks     json.RawMessage `json:"talks"`
	Subject   string          `json:"subject"`
	Rationale string          `json:"rationale"`
	Policy    string          `json:"policy"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	var o options
	flag.StringVar(&o.data, "data", "", "folder of tasks.jsonl and decoys.jsonl")
	flag.StringVar(&o.code, "code", "", "folder of the code")
	flag.StringVar(&o.modules, "modules", "", "JSON object: task → file that its commit changes")
	flag.StringVar(&o.quiet, "quiet", "", "file of prompts that need nothing")
	flag.StringVar(&o.only, "form", "", "documents, entries or commits")
	flag.StringVar(&o.traps, "traps", "", "JSON file of the broken code and its tests, by task: an agent works on it")
	flag.StringVar(&o.endpoint, "endpoint", "", "address of the agent's model")
	flag.StringVar(&o.model, "model", "", "as the server calls it")
	flag.IntVar(&o.window, "context", 4096, "tokens that the model takes")
	flag.StringVar(&o.runs, "runs", "", "file for what became of each task")
	flag.BoolVar(&o.verbose, "v", false, "name what was not told")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "decisions:", err)
		os.Exit(1)
	}
}

type options struct {
	data, code, modules, quiet, only string
	traps, endpoint, model, runs     string // of outcomes
	window                           int
	verbose                          bool
}

func run(ctx context.Context, o options) error {
	tasks, err := read[task](filepath.Join(o.data, "tasks.jsonl"))
	if err != nil {
		return err
	}
	decoys, err := read[struct {
		Turns []turn `json:"turns"`
	}](filepath.Join(o.data, "decoys.jsonl"))
	if err != nil {
		return err
	}
	var others []talk
	for _, d := range decoys {
		others = append(others, newTalk("", 0, d.Turns))
	}
	if o.traps != "" {
		var asked []task
		for _, t := range tasks {
			if own := t.talks(); len(own) > 0 {
				asked, others = append(asked, t), append(others, own...)
			}
		}
		return outcomes(ctx, o, asked, others)
	}
	modules := map[string]string{}
	if o.modules != "" {
		text, err := os.ReadFile(o.modules)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &modules); err != nil {
			return err
		}
	}
	var quiet []string
	if o.quiet != "" {
		text, err := os.ReadFile(o.quiet)
		if err != nil {
			return err
		}
		quiet = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	fmt.Println("form       tasks  pack  hook  amendment first  others told (pack, hook), named  silent  ms (pack, hook: p50 p95)")
	for _, form := range []string{"documents", "entries", "commits"} {
		if o.only != "" && o.only != form {
			continue
		}
		var sum score
		// The same decision stands in the data as a talk and as a message, so that each kind is asked about by itself.
		for _, history := range []bool{false, true} {
			var asked []task
			talks := slices.Clone(others)
			for _, t := range tasks {
				if own := t.talks(); len(own) > 0 && (t.Source == "history") == history {
					asked, talks = append(asked, t), append(talks, own...)
				}
			}
			if err := measure(ctx, o, form, asked, talks, modules, quiet, &sum); err != nil {
				return fmt.Errorf("%s: %w", form, err)
			}
		}
		fmt.Println(sum.row(form))
	}
	return nil
}

func read[T any](file string) (out []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for in := json.NewDecoder(bufio.NewReader(f)); in.More(); {
		var v T
		if err := in.Decode(&v); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// talks returns what decides a task: one talk, an older and a newer one, or the message of a commit.
func (t task) talks() []talk {
	if t.Subject != "" {
		out := newTalk(t.ID, 0, []turn{{"", t.Rationale}})
		out.said, out.title = t.Rationale, t.Subject
		out.text = t.Subject + "\n\n" + t.Rationale + "\n"
		return []talk{out}
	}
	var one []turn
	if json.Unmarshal(t.Talks, &one) == nil && len(one) > 0 {
		return []talk{t.decided(0, one)}
	}
	var many [][]turn
	_ = json.Unmarshal(t.Talks, &many)
	var out []talk
	for i, turns := range many {
		out = append(out, t.decided(i, turns))
	}
	return out
}

// decided is a talk with the turn that says most of a task's policy; of equal ones the last.
func (t task) decided(part int, turns []turn) talk {
	out := newTalk(t.ID, part, turns)
	policy, most := words(t.Policy), -1
	for _, u := range turns {
		n := 0
		has := words(u.Text)
		for _, w := range policy {
			if slices.Contains(has, w) {
				n++
			}
		}
		if n >= most {
			out.said, most = u.Text, n
		}
	}
	return out
}

func newTalk(id string, part int, turns []turn) talk {
	var b strings.Builder
	for _, t := range turns {
		fmt.Fprintf(&b, "**%s:** %s\n\n", t.Role, t.Text)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return talk{hash: fmt.Sprintf("%x", sum[:6]), text: b.String(), task: id, part: part}
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r > 127)
	})
}

// root names the decision behind a task or talk. The data has some decisions as a talk, with an amendment and as a commit.
func (t task) root() string { root, _, _ := strings.Cut(t.ID, "-"); return root }

func (t talk) root() string { return task{ID: t.task}.root() }

// run of words that counts as said again.
const shingle = 4

// tells reports whether most of what a talk decides stands in a text, and where it begins.
func (t talk) tells(text string) (at int, ok bool) {
	in := " " + strings.Join(words(text), " ") + " "
	said := words(t.said)
	held, all := 0, 0
	at = -1
	for i := 0; i+shingle <= len(said); i++ {
		all++
		if k := strings.Index(in, " "+strings.Join(said[i:i+shingle], " ")+" "); k >= 0 {
			if held++; at < 0 {
				at = k
			}
		}
	}
	return at, all > 0 && 2*held > all
}

// quoted reports whether a text, as words, holds a sentence or two of a talk.
func (t talk) quoted(in string) bool {
	said := words(t.text)
	n := 0
	for i := 0; i+2*shingle <= len(said); i += shingle {
		if strings.Contains(in, " "+strings.Join(said[i:i+2*shingle], " ")+" ") {
			n++
		}
	}
	return n >= 2
}

// score sums up a form.
type score struct {
	tasks, pack, hook      int
	amended, first         int
	othersPack, othersHook int
	named                  int // other talks, in a line only
	prompts, silent        int
	packTimes, hookTimes   []float64
}

func (s *score) row(form string) string {
	at := func(v []float64, p float64) float64 {
		slices.Sort(v)
		if len(v) == 0 {
			return 0
		}
		return v[int(p*float64(len(v)-1))]
	}
	return fmt.Sprintf("%-10s %5d %5d %5d %8d of %-5d %10d %5d %6d %11d of %-3d %6.0f %4.0f  %4.0f %4.0f",
		form, s.tasks, s.pack, s.hook, s.first, s.amended, s.othersPack, s.othersHook, s.named, s.silent, s.prompts,
		at(s.packTimes, .5), at(s.packTimes, .95), at(s.hookTimes, .5), at(s.hookTimes, .95))
}

// measure asks for all tasks in a folder that has the talks in one form.
func measure(
	ctx context.Context, o options, form string, tasks []task, talks []talk, modules map[string]string, quiet []string, s *score,
) error {
	dir, err := os.MkdirTemp("", "decisions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(o.code)); err != nil {
		return err
	}
	if err := place(dir, form, talks, modules); err != nil {
		return err
	}
	cache, err := os.MkdirTemp("", "decisions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	w, err := workspace.Open(ctx, dir, workspace.Options{Cache: cache, Trusted: true})
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.WaitCode(ctx); err != nil {
		return err
	}
	w.ReadHistory(ctx)
	for _, t := range tasks {
		s.tasks++
		begin := time.Now()
		p, err := contextpack.Pack(ctx, w.View(), contextpack.PackRequest{Task: t.Report, BudgetTokens: 4000})
		if err != nil {
			return err
		}
		s.packTimes = append(s.packTimes, float64(time.Since(begin).Milliseconds()))
		begin = time.Now()
		hook, err := inject.Prompt(ctx, w.View(), inject.OpenSession("", "", ""), t.Report, inject.DefaultCap, 0)
		if err != nil {
			return err
		}
		s.hookTimes = append(s.hookTimes, float64(time.Since(begin).Milliseconds()))
		s.count(o, form, t, talks, "pack", p.Text, &s.pack, &s.othersPack)
		s.count(o, form, t, talks, "hook", hook, &s.hook, &s.othersHook)
	}
	for _, q := range quiet {
		text, err := inject.Prompt(ctx, w.View(), inject.OpenSession("", "", ""), q, inject.DefaultCap, 0)
		if err != nil {
			return err
		}
		if s.prompts++; text == "" {
			s.silent++
		} else if o.verbose {
			fmt.Printf("  %s: not silent: %s\n", form, q)
		}
	}
	return nil
}

// count notes what a text tells of a task and of other talks.
func (s *score) count(o options, form string, t task, talks []talk, where, text string, told, others *int) {
	last := -1
	for _, k := range talks {
		if k.task == t.ID {
			last = max(last, k.part)
		}
	}
	at := make([]int, last+1)
	in := " " + strings.Join(words(text), " ") + " "
	for _, k := range talks {
		p, ok := k.tells(text)
		switch {
		case k.task == t.ID:
			at[k.part] = -1
			if ok {
				at[k.part] = p
			}
		case k.quoted(in) && k.root() != t.root():
			*others++
			if o.verbose {
				fmt.Printf("  %s %s: %s also got %s %s\n", form, where, t.ID, k.hash, k.task)
			}
		case strings.Contains(text, k.hash):
			s.named++
		}
	}
	if at[last] >= 0 {
		*told++
	} else if o.verbose {
		fmt.Printf("  %s %s: %s was not told\n", form, where, t.ID)
	}
	if last > 0 {
		if s.amended++; at[last] >= 0 && (at[0] < 0 || at[last] < at[0]) {
			s.first++
		} else if o.verbose {
			fmt.Printf("  %s %s: %s: the amendment is not first\n%s", form, where, t.ID, text)
		}
	}
}

// place writes the talks into a folder.
func place(dir, form string, talks []talk, modules map[string]string) error {
	if form == "commits" {
		return commit(dir, talks, modules)
	}
	for i, t := range talks {
		file := filepath.Join(dir, "docs", "sessions", t.hash+".md")
		if form == "entries" {
			file = filepath.Join(dir, ".brv", "context-tree", "sessions", "talks", t.hash+".md")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte("# Session "+t.hash+"\n\n"+t.text), 0o644); err != nil {
			return err
		}
		at := time.Date(2026, 1, 1+i, 12, 0, 0, 0, time.UTC)
		if err := os.Chtimes(file, at, at); err != nil {
			return err
		}
	}
	return nil
}

func commit(dir string, talks []talk, modules map[string]string) error {
	git := func(at time.Time, stdin string, args ...string) error {
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=p", "-c", "user.email=p@example.org"}, args...)...)
		c.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+at.Format(time.RFC3339), "GIT_COMMITTER_DATE="+at.Format(time.RFC3339))
		c.Stdin = strings.NewReader(stdin)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
		}
		return nil
	}
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "Import the code"}} {
		if err := git(start, "", args...); err != nil {
			return err
		}
	}
	for i, t := range talks {
		if file := modules[t.root()]; file != "" {
			f, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			fmt.Fprintf(f, "\n# %d\n", i)
			if err := f.Close(); err != nil {
				return err
			}
			if err := git(start, "", "add", "-A"); err != nil {
				return err
			}
		}
		title := t.title
		if title == "" {
			title = "Session " + t.hash
		}
		_, body, _ := strings.Cut("\n\n"+t.text, t.title+"\n\n")
		at := start.AddDate(0, 0, 1+i)
		if err := git(at, title+"\n\n"+body, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-"); err != nil {
			return err
		}
	}
	return nil
}

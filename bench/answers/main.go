// Command answers measures what a model makes of questions that the tree does not answer by itself: how often its answer
// stands the checks and is shown, how many of those name only what stands in their sources, how many rest on a right
// entry, and what a reader waits for.
//
//	go run ./bench/answers -endpoint http://127.0.0.1:8092/v1 -model NAME [-context N] [-questions 200] [-data DIR] [-runs FILE]
//
// DIR holds sets as bench/retrieval takes them: docs.jsonl.gz, queries.jsonl, qrels.tsv. The project's own tree with its
// reviewed questions is one more. Questions are taken from each set at even distances, the same ones each time. A key
// stands in the variable BRV_BENCH_KEY. The checks of this program are its own: they do not use those of the answers.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/remote"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// question is one question with the tree paths that answer it.
type question struct {
	text, scope string
	right       []string
}

// outcome is the result of one question, a line of the raw run.
type outcome struct {
	Set       string   `json:"set"`
	Question  string   `json:"question"`
	How       string   `json:"how"` // direct, foreign, shown, refused, kept back, failed
	Right     bool     `json:"right"`
	Unknown   []string `json:"unknown,omitempty"` // numbers and names that no source holds
	FirstMS   int64    `json:"firstMs,omitempty"` // from the question to the first piece of the model
	TotalMS   int64    `json:"totalMs"`
	TokensIn  int      `json:"tokensIn,omitempty"`
	TokensOut int      `json:"tokensOut,omitempty"`
	Answer    string   `json:"answer,omitempty"`
	Note      string   `json:"note,omitempty"`

	Operations int      `json:"operations,omitempty"` // of a proposal by the model
	ByRules    int      `json:"byRules,omitempty"`    // operations of a dream that rules decided
	Lost       []string `json:"lost,omitempty"`       // what entries would no longer say
}

type options struct {
	protocol, endpoint, model, data, root, runs, sets, kinds string
	context, questions, proposals, skip                      int
	patience                                                 time.Duration
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	var o options
	flag.StringVar(&o.protocol, "protocol", "openai", "openai or anthropic")
	flag.StringVar(&o.endpoint, "endpoint", "", "address of the server")
	flag.StringVar(&o.model, "model", "", "as the server calls it")
	flag.IntVar(&o.context, "context", 0, "tokens that the model takes; 0 as brv.model.contextTokens")
	flag.IntVar(&o.questions, "questions", 200, "of all sets together")
	flag.IntVar(&o.proposals, "proposals", 0, "cases of curating, and as many of dreaming, over the own tree")
	flag.StringVar(&o.kinds, "kinds", "curate,dream", "of proposals")
	flag.IntVar(&o.skip, "skip", 0, "so many of the cases of proposals are left out: a run goes on where one was ended")
	flag.DurationVar(&o.patience, "patience", 5*time.Minute, "how long the model may say nothing")
	flag.StringVar(&o.data, "data", "", "folder of the sets; none without")
	flag.StringVar(&o.sets, "sets", "own,locomo-facts,cookbook-docs", "those that are asked; own without -data")
	flag.StringVar(&o.root, "root", ".", "the project's own folder")
	flag.StringVar(&o.runs, "runs", "", "file for what became of each question")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	m, err := remote.New(remote.Options{Protocol: remote.Protocol(o.protocol), Endpoint: o.endpoint, Model: o.model,
		Key: os.Getenv("BRV_BENCH_KEY"), Patience: o.patience, Context: o.context})
	if err != nil {
		return err
	}
	var raw *bufio.Writer
	if o.runs != "" {
		f, err := os.Create(o.runs)
		if err != nil {
			return err
		}
		defer f.Close()
		raw = bufio.NewWriter(f)
		defer raw.Flush()
	}
	sets := strings.Split(o.sets, ",")
	if o.data == "" {
		sets = []string{"own"}
	}
	keep := func(r outcome) {
		if raw != nil {
			line, _ := json.Marshal(r)
			raw.Write(append(line, '\n'))
			raw.Flush()
		}
	}
	if o.proposals > 0 {
		return proposals(ctx, o, o.proposals, m, keep)
	}
	fmt.Println("set            asked direct foreign | to model: shown grounded right | said not covered kept back failed | first ms p50 p90, all ms p50 p90, tokens in out p50")
	var all []outcome
	for _, set := range sets {
		done, err := measure(ctx, o, set, o.questions/len(sets), m, keep)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		fmt.Printf("%-14s %s\n", set, summary(done))
		all = append(all, done...)
	}
	fmt.Printf("%-14s %s\n", "all", summary(all))
	return nil
}

// measure asks the questions of a set.
func measure(ctx context.Context, o options, set string, n int, m llm.Model, keep func(outcome)) ([]outcome, error) {
	dir, questions := o.root, []question(nil)
	var err error
	if set == "own" {
		questions, err = ownQuestions(o.root)
	} else {
		if dir, err = os.MkdirTemp("", "answers"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		questions, err = lay(filepath.Join(o.data, set), dir)
	}
	if err != nil {
		return nil, err
	}
	w, err := workspace.Open(ctx, dir, workspace.Options{Trusted: true, NoCode: true, NoDocuments: true})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	provider.UseModel(w, provider.ModelState{Provider: "given"}, m, nil)
	var out []outcome
	for i := range min(n, len(questions)) {
		r, err := ask(ctx, w, questions[i*len(questions)/min(n, len(questions))])
		if err != nil {
			return nil, err
		}
		r.Set = set
		out = append(out, r)
		keep(r)
	}
	return out, nil
}

// ownQuestions reads the questions of the reviewed golden file for the project's own tree.
func ownQuestions(root string) (out []question, err error) {
	text, err := os.ReadFile(filepath.Join(root, "retrieval/testdata/own_tree.txt"))
	if err != nil {
		return nil, err
	}
	asked, _, _ := strings.Cut(string(text), "\n----\n")
	for line := range strings.Lines(asked) {
		q, labels, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		right := strings.Split(labels, ", ")
		for i := range right {
			right[i] += ".md"
		}
		out = append(out, question{text: q, right: right})
	}
	return out, nil
}

// lay writes a set as a context tree, and returns its questions.
func lay(set, dir string) (out []question, err error) {
	docs, err := corpus.Read(filepath.Join(set, "docs.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	entries := corpus.Convert(docs)
	if err := corpus.Write(filepath.Join(dir, ".brv/context-tree"), entries); err != nil {
		return nil, err
	}
	asked, err := corpus.ReadQuestions(filepath.Join(set, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	labels, err := corpus.ReadLabels(filepath.Join(set, "qrels.tsv"))
	if err != nil {
		return nil, err
	}
	for _, q := range asked {
		next := question{text: q.Text, scope: q.Scope}
		for _, e := range entries {
			if labels[q.ID][e.ID] {
				next.right = append(next.right, e.Path)
			}
		}
		if len(next.right) > 0 {
			out = append(out, next)
		}
	}
	return out, nil
}

// ask asks one question with all tiers.
func ask(ctx context.Context, w *workspace.Workspace, q question) (outcome, error) {
	o, began, asked := outcome{Question: q.text}, time.Now(), false
	ctx = provider.Asking(ctx, func(_ string, pieces int) {
		if asked = true; pieces == 1 {
			o.FirstMS = time.Since(began).Milliseconds()
		}
	})
	r, err := consult.Query(ctx, w.View(), consult.QueryRequest{Text: q.text, Scope: q.scope})
	if err != nil {
		return o, err
	}
	o.TotalMS, o.TokensIn, o.TokensOut, o.Note = time.Since(began).Milliseconds(), r.TokensIn, r.TokensOut, r.Note
	var sources strings.Builder
	for _, s := range r.Sources {
		if !s.Used {
			continue
		}
		o.Right = o.Right || slices.Contains(q.right, s.Path)
		e, _ := w.View().Tree().Entry(s.Path)
		sources.WriteString(s.Path + "\n" + e.Text + "\n")
	}
	switch {
	case r.OutOfDomain:
		o.How = "foreign"
	case !asked:
		o.How = "direct"
	case r.Model != "" && strings.Contains(r.Markdown, "does not cover this question"):
		o.How, o.Answer, o.Right = "refused", r.Markdown, false
		o.Unknown = unknown(r.Markdown, q.text+" The If ## Summary "+everything(w, r))
	case r.Model != "":
		o.How, o.Answer = "shown", r.Markdown
		o.Unknown = unknown(r.Markdown, sources.String())
	case strings.Contains(r.Note, "is not shown"):
		o.How, o.Right = "kept back", false
	default:
		o.How, o.Right = "failed", false
	}
	return o, nil
}

// everything returns the paths and texts of all entries among the sources.
func everything(w *workspace.Workspace, r *consult.QueryResponse) string {
	var b strings.Builder
	for _, s := range r.Sources {
		if e, ok := w.View().Tree().Entry(s.Path); ok {
			b.WriteString(s.Path + "\n" + e.Text + "\n")
		}
	}
	return b.String()
}

var telling = regexp.MustCompile(`\d+|[\pL_]*[\pL_][A-Z_][\pL_]*|\b[A-Z]\pL+`)

// unknown are the numbers, identifiers and capitalised words of an answer that its sources do not hold in any letter case.
func unknown(answer, sources string) (out []string) {
	text, _, _ := strings.Cut(answer, "## Sources")
	sources = strings.ToLower(sources) + " summary details gaps "
	for _, word := range telling.FindAllString(text, -1) {
		if !strings.Contains(sources, strings.ToLower(word)) {
			out = append(out, word)
		}
	}
	return out
}

// summary is a line of the table.
func summary(all []outcome) string {
	how, grounded, right, direct := map[string]int{}, 0, 0, 0
	var first, total, in, out []int64
	for _, o := range all {
		how[o.How]++
		if o.How == "direct" && o.Right {
			direct++
		}
		if o.How == "shown" {
			if len(o.Unknown) == 0 {
				grounded++
			}
			if o.Right {
				right++
			}
		}
		if o.How != "direct" && o.How != "foreign" {
			first, total = append(first, cmp.Or(o.FirstMS, o.TotalMS)), append(total, o.TotalMS)
		}
		if o.TokensIn > 0 {
			in, out = append(in, int64(o.TokensIn)), append(out, int64(o.TokensOut))
		}
	}
	return fmt.Sprintf("%5d %6d (%d right) %7d | %5d %5d %8d %5d | %4d %9d %6d | %6d %6d %7d %7d %5d %3d", len(all), how["direct"], direct, how["foreign"],
		len(total), how["shown"], grounded, right, how["refused"], how["kept back"], how["failed"], at(first, 50), at(first, 90), at(total, 50),
		at(total, 90), at(in, 50), at(out, 50))
}

// at is a percentile.
func at(values []int64, percent int) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, len(values)*percent/100)]
}

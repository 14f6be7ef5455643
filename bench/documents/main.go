// Command documents measures how a repository without a context tree answers from its own documents: how often the
// labelled section comes first and among three, how many foreign questions are refused, which rules packs hold, and what
// it costs.
//
//	go run ./bench/documents -questions FILE -repos DIR [-also FILE] [-translated FILE] [-runs FILE] [-endpoint ADDRESS -vectors DIR]
//
// FILE holds a question a line, as JSON: id, repo (OWNER/NAME; DIR holds NAME, at the question's commit), kind, text, and for a
// question or a rule the file and heading of the right section, and further right ones in also. A foreign question has no
// answer in the repository; a rule's text is a task. The file of -also gives further phrasings by id: {"id", "also": [TEXT]}.
// That of -translated gives questions in other languages, {"id", "language", "text"}: they are asked instead, after the same
// ones as they are (en), and the figures are by language.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// place names a section.
type place struct {
	File    string `json:"file"`
	Heading string `json:"heading"` // titles from the page's own to the section's, " > " between them
}

// label is one question with its right answers.
type label struct {
	ID   string `json:"id"`
	Repo string `json:"repo"`
	Kind string `json:"kind"` // question, foreign or rule
	Text string `json:"text"`
	place
	Also      []place `json:"also"`
	phrasings []string
	language  string
}

// outcome is the result of one question.
type outcome struct {
	Repo     string  `json:"repo"`
	Kind     string  `json:"kind"`
	Language string  `json:"language,omitempty"`
	ID       string  `json:"id"`
	Rank     int     `json:"rank"` // of the right section, from 1; 0: not listed
	Refused  bool    `json:"refused"`
	Unsure   bool    `json:"unsure"`
	Direct   bool    `json:"direct"`
	Score    float64 `json:"score"` // of the first
	First    string  `json:"first,omitempty"`
	Packed   bool    `json:"packed"` // a rule's section is in the pack of its task
	MS       float64 `json:"ms"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	questions := flag.String("questions", "", "file of questions")
	also := flag.String("also", "", "file of further phrasings")
	flag.StringVar(&translated, "translated", "", "file of questions in other languages")
	repos := flag.String("repos", "", "folder of repositories")
	runs := flag.String("runs", "", "file for what became of each question")
	flag.StringVar(&encoder.Endpoint, "endpoint", "", "address of an encoder, up to /embeddings; none: by words alone")
	flag.StringVar(&encoder.Model, "model", "encoder", "its name")
	flag.StringVar(&encoder.QueryPrefix, "query", "", "what it wants before a question")
	flag.StringVar(&encoder.PassagePrefix, "passage", "", "what it wants before a passage")
	flag.StringVar(&vectors, "vectors", "", "folder in which its vectors are kept between runs")
	flag.Parse()
	if err := run(context.Background(), *questions, *also, *repos, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

// encoder is asked too, where it is named; its vectors are kept in the folder vectors.
var (
	encoder settings.Embedding
	vectors string

	translated string
)

func run(ctx context.Context, questions, also, repos, runs string) error {
	asked, err := read[label](questions)
	if err != nil {
		return err
	}
	if also != "" {
		phrased, err := read[struct {
			ID   string
			Also []string
		}](also)
		if err != nil {
			return err
		}
		for _, p := range phrased {
			for i := range asked {
				if asked[i].ID == p.ID {
					asked[i].phrasings = p.Also
				}
			}
		}
	}
	if translated != "" {
		if asked, err = inLanguages(asked); err != nil {
			return err
		}
	}
	byRepo := map[string][]label{}
	for _, l := range asked {
		byRepo[l.Repo] = append(byRepo[l.Repo], l)
	}
	var all []outcome
	fmt.Println("repo         docs sections   MB  cold ms  cached  MB held | " +
		"own first, three, refused, first unsure, direct, right | foreign refused, unsure, direct | rules packed")
	for _, repo := range slices.Sorted(maps.Keys(byRepo)) {
		name := path.Base(repo)
		found, costs, err := measure(ctx, filepath.Join(repos, name), name, byRepo[repo])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%-12s %s %s\n", name, costs, summary(found))
		all = append(all, found...)
	}
	byLanguage := map[string][]outcome{}
	for _, o := range all {
		byLanguage[o.Language] = append(byLanguage[o.Language], o)
	}
	for _, language := range slices.Sorted(maps.Keys(byLanguage)) {
		if language != "" {
			fmt.Printf("%-53s %s\n", language, summary(byLanguage[language]))
		}
	}
	fmt.Printf("%-53s %s\n", "all", summary(all))
	if runs == "" {
		return nil
	}
	out, err := os.Create(runs)
	if err != nil {
		return err
	}
	for _, o := range all {
		line, _ := json.Marshal(o)
		fmt.Fprintf(out, "%s\n", line)
	}
	return out.Close()
}

// inLanguages puts the same questions in other languages in their place.
func inLanguages(asked []label) (out []label, err error) {
	said, err := read[struct{ ID, Language, Text string }](translated)
	for _, l := range asked {
		first := true
		for _, t := range said {
			if t.ID != l.ID {
				continue
			}
			if l.language = "en"; first {
				out = append(out, l)
			}
			first, l.language = false, t.Language
			other := l
			other.Text = t.Text
			out = append(out, other)
		}
	}
	return out, err
}

// read reads a file of JSON lines.
func read[T any](file string) (out []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := json.NewDecoder(bufio.NewReader(f))
	for {
		var l T
		if err := in.Decode(&l); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, l)
	}
}

// measure asks everything about one repository.
func measure(ctx context.Context, dir, name string, asked []label) (out []outcome, costs string, err error) {
	cache, err := os.MkdirTemp("", "documents")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(cache)
	var took [2]time.Duration
	for i := range took { // cold, and as the next process finds it
		begin := time.Now()
		w, err := workspace.Open(ctx, dir, workspace.Options{Cache: cache, NoCode: true})
		if err != nil {
			return nil, "", err
		}
		if _, err = consult.Query(ctx, w.View(), consult.QueryRequest{Text: asked[0].Text}); err != nil {
			return nil, "", err
		}
		took[i] = time.Since(begin)
		w.Close()
	}
	before := held()
	w, err := workspace.Open(ctx, dir, workspace.Options{Cache: cmp.Or(vectors, cache), Trusted: true, Unhurried: encoder.Endpoint != ""})
	if err != nil {
		return nil, "", err
	}
	defer w.Close()
	if err := provider.UseEncoder(w, encoder, nil, os.Getenv, nil); err != nil {
		return nil, "", err
	}
	v := w.View()
	if _, err = consult.Query(ctx, v, consult.QueryRequest{Text: asked[0].Text}); err != nil {
		return nil, "", err
	}
	docs, err := v.Documents(ctx)
	if err != nil {
		return nil, "", err
	}
	size := 0
	for _, d := range docs.All() {
		size += len(d.Text)
	}
	costs = fmt.Sprintf("%5d %8d %5.1f %7d %7d %8.1f |", docs.Len(), docs.Snapshot().Len(), float64(size)/1e6, took[0].Milliseconds(),
		took[1].Milliseconds(), float64(held()-before)/1e6)
	for _, l := range asked {
		o, err := ask(ctx, v, docs, l)
		if err != nil {
			return nil, "", err
		}
		o.Repo = name
		out = append(out, o)
	}
	return out, costs, nil
}

// held is the memory in use, in bytes.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// ask asks one question, or packs for one task.
func ask(ctx context.Context, v *workspace.View, docs *documents.Set, l label) (outcome, error) {
	o := outcome{Kind: l.Kind, ID: l.ID, Language: l.language}
	begin := time.Now()
	if l.Kind == "rule" {
		p, err := contextpack.Pack(ctx, v, contextpack.PackRequest{Task: l.Text, BudgetTokens: 4000})
		if err != nil {
			return o, err
		}
		for _, item := range p.Items {
			o.Packed = o.Packed || l.right(docs, item.Path)
		}
		o.MS = float64(time.Since(begin).Microseconds()) / 1000
		return o, nil
	}
	r, err := consult.Query(ctx, v, consult.QueryRequest{Text: l.Text, Also: l.phrasings})
	if err != nil {
		return o, err
	}
	o.MS = float64(time.Since(begin).Microseconds()) / 1000
	if docs, err = workspace.DocumentsFor(ctx, v, l.Text); err != nil {
		return o, err
	}
	o.Refused, o.Unsure, o.Direct, o.Score = r.OutOfDomain, r.Unsure, !r.OutOfDomain && !r.ForReader, r.Confidence
	for i, s := range r.Sources {
		if i == 0 {
			o.First = s.Path
		}
		if o.Rank == 0 && l.right(docs, s.Path) {
			o.Rank = i + 1
		}
	}
	return o, nil
}

// right reports whether the entry of a section is a right answer: the section that a place names, or a part of it.
func (l label) right(docs *documents.Set, entry string) bool {
	d, s, ok := docs.Section(entry)
	return ok && slices.ContainsFunc(append(l.Also, l.place), func(p place) bool {
		if l.language != "" && p.File != d.Path && isTwin(d.Path, p.File) {
			original, ok := docs.Document(p.File)
			if !ok {
				return false
			}
			at := slices.IndexFunc(d.Sections, func(o documents.Section) bool { return o.At == s.At })
			if at < 0 || at >= len(original.Sections) {
				return false
			}
			d, s = original, &original.Sections[at] // translations have the same sections in the same order
		}
		if p.File != d.Path {
			return false
		}
		titles := strings.Split(p.Heading, " > ")
		if len(titles) < 2 { // the page's own: what stands before its first heading
			return len(s.Above) == 0 && (s.Level == 0 || s.Title == p.Heading)
		}
		return slices.Contains(append(slices.Clone(s.Above), s.Title), titles[len(titles)-1])
	})
}

// isTwin reports whether a path is that of a translation of the page at another one: a folder more, or one in the place of en.
func isTwin(twin, of string) bool {
	parts := strings.Split(twin, "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(folder string) bool {
		return strings.Replace(twin, folder+"/", "", 1) == of || strings.Replace(twin, folder+"/", "en/", 1) == of
	})
}

// summary is the shares of what was asked for.
func summary(all []outcome) string {
	share := func(kind string, good func(outcome) bool) string {
		n, of := 0, 0
		for _, o := range all {
			if strings.HasPrefix(o.Kind, kind) {
				of++
				if good(o) {
					n++
				}
			}
		}
		return fmt.Sprintf("%d/%d", n, of)
	}
	direct := share("question", func(o outcome) bool { return o.Direct })
	return fmt.Sprintf("%s %s %s %s %s %s | %s %s %s | %s",
		share("question", func(o outcome) bool { return o.Rank == 1 && !o.Refused }),
		share("question", func(o outcome) bool { return o.Rank > 0 && o.Rank < 4 && !o.Refused }),
		share("question", func(o outcome) bool { return o.Refused }),
		share("question", func(o outcome) bool { return o.Rank == 1 && o.Unsure }),
		direct, share("question", func(o outcome) bool { return o.Direct && o.Rank == 1 }),
		share("foreign", func(o outcome) bool { return o.Refused }),
		share("foreign", func(o outcome) bool { return o.Unsure }),
		share("foreign", func(o outcome) bool { return o.Direct }),
		share("rule", func(o outcome) bool { return o.Packed }))
}

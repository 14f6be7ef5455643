// Command latency measures how long the real server takes to answer on a large
// context tree, as an editor sees it: through the pipes of a separate process.
//
//	go run ./bench/latency -docs docs.jsonl.gz -n 1000
//
// The tree is made from a flat document set (package corpus): one entry for each
// document, with the document's text as its body. Flat sets have no relations,
// so each entry is given up to three, to the next documents of its folder; the
// figures say how fast relations are followed, not how good they are. With -n
// above the set's size, documents are repeated under other names.
//
// A duration runs from the first byte of the request written to the last byte of
// the answer read, without decoding. It holds two wake-ups of a goroutine in
// this program besides the server's work. Documents are opened twenty at a time,
// as in an editor with twenty tabs, and each is asked about in turn; what the
// server does because of the opening is part of the figures. Where processes
// share the cores, the processor time, which is given too, says more than the
// wall clock.
//
// Each run is kept as JSON and as a table in the folder -out. The exit code is 1
// when an answer was wrong or empty, or when a target was missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
	"github.com/brv-lsp/brv-lsp/bench/process"
)

// options are the flags.
type options struct {
	docs, queries, bin, out string
	entries, requests       int
	asked, starts           int
}

func main() {
	var o options
	flag.StringVar(&o.docs, "docs", "", "document set: JSON lines with id, title, path, text; .gz is unpacked")
	flag.StringVar(&o.queries, "queries", "", "questions: JSON lines with text; the documents' titles if empty")
	flag.StringVar(&o.bin, "bin", "", "server binary; built from this module if empty")
	flag.StringVar(&o.out, "out", "bench/runs", "folder for the results; none are written if empty")
	flag.IntVar(&o.entries, "n", 1000, "entries of the tree")
	flag.IntVar(&o.requests, "requests", 2000, "requests of each kind")
	flag.IntVar(&o.asked, "asked", 500, "distinct questions for brv.query")
	flag.IntVar(&o.starts, "starts", 5, "starts of the server, for the first answers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run measures, prints and keeps the result; ok is whether all answers were
// right and all targets met.
func run(ctx context.Context, o options) (ok bool, err error) {
	if o.docs == "" {
		return false, errors.New("-docs is missing")
	}
	temp, err := os.MkdirTemp("", "latency")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(temp)
	if o.bin == "" {
		if o.bin, err = process.Build(ctx, temp); err != nil {
			return false, err
		}
	}
	// The server's caches: empty at first, and not the user's own.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(temp, "cache")); err != nil {
		return false, err
	}
	b := bench{options: o, root: filepath.Join(temp, "project")}
	if err := b.prepare(); err != nil {
		return false, err
	}
	result, err := b.measure(ctx)
	if err != nil {
		return false, err
	}
	fmt.Print(result.table())
	if o.out != "" {
		err = result.keep(o.out)
	}
	return result.passed(), err
}

// bench is one measurement.
type bench struct {
	options
	root      string
	documents []document
	questions []string
	bytes     int64
	relations int
}

// document is an entry as the editor sees it.
type document struct {
	file  string // absolute
	text  string
	line  int    // of its first relation, which stands in the frontmatter; 0 if it has none
	start int    // of the relation in its line, in bytes
	to    string // path in the tree that the relation leads to
}

// prepare writes the tree and chooses the questions.
func (b *bench) prepare() error {
	docs, err := corpus.Read(b.docs)
	if err != nil {
		return err
	}
	if len(docs) == 0 {
		return fmt.Errorf("%s: no documents", b.docs)
	}
	entries := corpus.Convert(repeated(docs, b.entries))
	corpus.Relate(entries, 3)
	treeDir := filepath.Join(b.root, ".brv", "context-tree")
	if err := corpus.Write(treeDir, entries); err != nil {
		return err
	}
	for _, e := range entries {
		d := place(e)
		d.file = filepath.Join(treeDir, filepath.FromSlash(e.Path))
		b.documents = append(b.documents, d)
		b.bytes += int64(len(d.text))
		b.relations += len(e.Related)
	}
	return b.chooseQuestions(docs)
}

// repeated returns n documents: spread evenly over the set, or the whole set
// several times, the repetitions with a number in path and title.
func repeated(docs []corpus.Document, n int) []corpus.Document {
	out := make([]corpus.Document, 0, n)
	for i := range n {
		if n <= len(docs) {
			out = append(out, docs[i*len(docs)/n])
			continue
		}
		d := docs[i%len(docs)]
		if round := i / len(docs); round > 0 {
			ext := filepath.Ext(d.Path)
			d.Path = fmt.Sprintf("%s_v%d%s", d.Path[:len(d.Path)-len(ext)], round, ext)
			d.Title = fmt.Sprintf("%s v%d", d.Title, round)
		}
		out = append(out, d)
	}
	return out
}

func (b *bench) chooseQuestions(docs []corpus.Document) error {
	source := docs
	if b.queries != "" {
		var err error
		if source, err = corpus.Read(b.queries); err != nil {
			return err
		}
	}
	seen := map[string]bool{"": true}
	var all []string
	for _, d := range source {
		text := d.Title
		if b.queries != "" {
			text = d.Text
		}
		if !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	n := min(b.asked, len(all))
	for i := range n {
		b.questions = append(b.questions, all[i*len(all)/n])
	}
	return nil
}

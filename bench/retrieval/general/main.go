// Command general derives the list of general English words that retrieval
// embeds: words that say nothing about what a text is about.
//
//	go run ./bench/retrieval/general -data DIR -goroot "$(go env GOROOT)" > retrieval/general.txt
//
// DIR is the folder of the data sets that bench/retrieval measures on; the
// documentation comments of the Go distribution are one more. A word is general if it is
// frequent in talk and, independently, in most kinds of technical text: what only
// one subject says, be it ever so often, is never general.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

// The rule. A corpus is cut into pieces of one size, since the share of whole
// documents that hold a word says more about their length than about the word.
const (
	pieceWords = 200
	minShare   = 0.001 // of the pieces of a corpus
	minSpread  = 0.6   // of the pieces a word would stand in if it fell anywhere
	minWritten = 4     // of the technical corpora
)

// talk is the one kind of text that is not technical; it must agree, or "file" and
// "string" would be general. written are the technical kinds.
var (
	talk    = []string{"locomo-session", "locomo-facts"}
	written = []string{"cacm", "cookbook-docs", "cosqa", "devdocs-anchors", "win32-24k"}
)

func main() {
	data := flag.String("data", "", "`folder` of the data sets")
	goroot := flag.String("goroot", "", "`folder` of the Go distribution")
	flag.Parse()
	if *data == "" || *goroot == "" {
		fmt.Fprintln(os.Stderr, "general: -data and -goroot are needed")
		os.Exit(2)
	}
	if err := run(*data, *goroot); err != nil {
		fmt.Fprintln(os.Stderr, "general:", err)
		os.Exit(1)
	}
}

func run(data, goroot string) error {
	spoken := newCounter()
	for _, name := range talk {
		if err := spoken.readSet(data, name); err != nil {
			return err
		}
	}
	agreeing := map[string]int{}
	agree := func(c *counter) {
		for w := range c.frequent() {
			agreeing[w]++
		}
	}
	for _, name := range written {
		c := newCounter()
		if err := c.readSet(data, name); err != nil {
			return err
		}
		agree(c)
	}
	c := newCounter()
	if err := c.readComments(filepath.Join(goroot, "src")); err != nil {
		return err
	}
	agree(c)
	var words []string
	for w := range spoken.frequent() {
		if agreeing[w] >= minWritten {
			words = append(words, w)
		}
	}
	return write(words)
}

// header opens the list.
const header = `# General English words: those that say nothing about a text's subject.
# Derived by bench/retrieval/general, not written by hand. Every corpus is cut into
# pieces of %d words; listed is what stands in at least %g %% of the pieces of
# conversations (LoCoMo) and also of at least %d of these six: abstracts (CACM), product
# documentation, Python functions (CoSQA), web documentation (devdocs), Windows reference
# pages and the documentation comments of the Go distribution; and in each of these in at
# least %g %% of the pieces that it would stand in if it fell anywhere, since a word that
# tells a subject comes in crowds.
# Compared by stem. Only words as such: nothing is quoted from the texts.
`

func write(words []string) error {
	slices.Sort(words)
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, header, pieceWords, 100*minShare, minWritten, 100*minSpread)
	for _, w := range words {
		fmt.Fprintln(out, w)
	}
	return out.Flush()
}

// counter counts the pieces of a corpus that hold a word.
type counter struct {
	pieces int
	in     map[string]int // pieces
	all    map[string]int // occurrences
	piece  map[string]bool
	length int
}

func newCounter() *counter {
	return &counter{in: map[string]int{}, all: map[string]int{}, piece: map[string]bool{}}
}

func (c *counter) readSet(data, name string) error {
	docs, err := corpus.Read(filepath.Join(data, name, "docs.jsonl.gz"))
	if err != nil {
		return err
	}
	for _, d := range docs {
		c.add(d.Text)
	}
	return nil
}

// readComments reads the documentation of every Go file below a folder.
func (c *counter) readComments(dir string) error {
	return filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == "vendor"):
			return filepath.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if f.Doc != nil {
			c.add(f.Doc.Text())
		}
		for _, g := range f.Comments {
			if g.Pos() > f.Package {
				c.add(g.Text())
			}
		}
		return nil
	})
}

// add counts the words of a text: runs of ASCII letters that are no part of an
// identifier, a contraction or a path.
func (c *counter) add(text string) {
	for _, run := range strings.Fields(text) {
		word := strings.Trim(run, ".,;:!?\"'()[]*_")
		if !alphabetic(word) {
			continue
		}
		word = strings.ToLower(word)
		c.piece[word] = true
		c.all[word]++
		if c.length++; c.length == pieceWords {
			c.close()
		}
	}
}

// close ends a piece. What is left of a corpus behind its last piece is left out.
func (c *counter) close() {
	for w := range c.piece {
		c.in[w]++
	}
	c.pieces++
	c.length = 0
	clear(c.piece)
}

// alphabetic reports whether a word is written as ordinary ones are: letters, with
// none but the first in capitals.
func alphabetic(w string) bool {
	for i := range len(w) {
		lower, upper := w[i] >= 'a' && w[i] <= 'z', w[i] >= 'A' && w[i] <= 'Z'
		if !lower && (!upper || i > 0) {
			return false
		}
	}
	return len(w) > 1
}

// frequent are the words that stand in enough pieces and keep no company of their
// own kind: a word that tells a subject comes in crowds, in the pieces about it, and
// a general one falls anywhere.
func (c *counter) frequent() map[string]bool {
	out := map[string]bool{}
	pieces := float64(c.pieces)
	for w, n := range c.in {
		share := float64(n) / pieces
		anywhere := 1 - math.Exp(-float64(c.all[w])/pieces)
		if n > 1 && share >= minShare && share >= minSpread*anywhere {
			out[w] = true
		}
	}
	return out
}

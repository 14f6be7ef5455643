// Command general derives two of the word lists that retrieval/words embeds.
//
//	go run ./bench/retrieval/general -data DIR -goroot "$(go env GOROOT)" > retrieval/words/general.txt
//	go run ./bench/retrieval/general -english -goroot "$(go env GOROOT)" > retrieval/words/english.txt
//
// The first are general English words: those that say nothing about what a text is
// about. DIR is the folder of the data sets that bench/retrieval measures on; the
// documentation comments of the Go distribution are one more. A word is general if it is
// frequent in talk and, independently, in most kinds of technical text: what only
// one subject says, be it ever so often, is never general.
//
// The second says how frequent the words of technical English are, counted in the
// documentation comments of the Go distribution alone.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
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
	english := flag.Bool("english", false, "write the frequencies of technical English")
	flag.Parse()
	if *goroot == "" || *data == "" && !*english {
		fmt.Fprintln(os.Stderr, "general: -data and -goroot are needed")
		os.Exit(2)
	}
	derive := func() error { return general(*data, *goroot) }
	if *english {
		derive = func() error { return frequencies(*goroot) }
	}
	if err := derive(); err != nil {
		fmt.Fprintln(os.Stderr, "general:", err)
		os.Exit(1)
	}
}

func general(data, goroot string) error {
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
	if err := eachComment(filepath.Join(goroot, "src"), c.add); err != nil {
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

// rarest is the class of the rarest words of the second list, and lineWords is how
// many stand on a line.
const (
	rarest    = 34
	lineWords = 12
)

// englishHeader opens the second list.
const englishHeader = `# How frequent the words of technical English are: those of the documentation comments
# of the Go distribution, counted by bench/retrieval/general, not by hand. A line is a
# class and its words: of class c is a word of which one in 2^(c/2) running words is. What
# is rarer than class %d is not listed. Only words as such: nothing is quoted from the texts.
`

// frequencies writes the classes of the words of the Go distribution. Parts of
// identifiers are words as well: who writes of strings.Fields writes of fields.
func frequencies(goroot string) error {
	total, all := 0, map[string]int{}
	err := eachComment(filepath.Join(goroot, "src"), func(text string) {
		for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isLetter(r) }) {
			for w := range humps(run) {
				all[strings.ToLower(w)]++
				total++
			}
		}
	})
	if err != nil {
		return err
	}
	classes := make([][]string, rarest+1)
	for w, n := range all {
		if class := int(math.Round(2 * math.Log2(float64(total)/float64(n)))); class <= rarest {
			classes[class] = append(classes[class], w)
		}
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, englishHeader, rarest)
	for class, words := range classes {
		slices.Sort(words)
		for line := range slices.Chunk(words, lineWords) {
			fmt.Fprintln(out, class, strings.Join(line, " "))
		}
	}
	return out.Flush()
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// humps are the parts of a run of letters, cut where a capital follows a small letter.
func humps(run string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 1; i <= len(run); i++ {
			if i < len(run) && (run[i] > 'Z' || run[i-1] <= 'Z') {
				continue
			}
			if i-from > 1 && !yield(run[from:i]) {
				return
			}
			from = i
		}
	}
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

// eachComment visits the documentation of every Go file below a folder.
func eachComment(dir string, visit func(text string)) error {
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
			visit(f.Doc.Text())
		}
		for _, g := range f.Comments {
			if g.Pos() > f.Package {
				visit(g.Text())
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

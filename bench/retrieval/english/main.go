// Command english derives the list of words that internal/words embeds: how frequent the
// words of technical English are, counted in the documentation comments of the Go distribution.
//
//	go run ./bench/retrieval/english -goroot "$(go env GOROOT)" > internal/words/testdata/english.txt
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
)

func main() {
	goroot := flag.String("goroot", "", "`folder` of the Go distribution")
	flag.Parse()
	if *goroot == "" {
		fmt.Fprintln(os.Stderr, "english: -goroot is needed")
		os.Exit(2)
	}
	if err := frequencies(*goroot); err != nil {
		fmt.Fprintln(os.Stderr, "english:", err)
		os.Exit(1)
	}
}

// rarest is the class of the rarest words of the list, and lineWords is how many stand on a line.
const (
	rarest    = 34
	lineWords = 12
)

// header opens the list.
const header = `# How frequent the words of technical English are: those of the documentation comments
# of the Go distribution, counted by bench/retrieval/english, not by hand. A line is a
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
	fmt.Fprintf(out, header, rarest)
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

// Command languages makes the tables by which package foreign leads words of other languages to English ones.
//
//	go run ./bench/languages -packages DIR [-out internal/foreign/tables] [-only de,zh]
//
// DIR holds the packages of sources.go as their registries give them. Their message catalogues say the same in several
// languages; which words stand for which is estimated from that (align.go). Without -out nothing is written: one message of
// twenty is kept apart, and what is printed is how often a search with its translated words finds its English original
// first among all that were kept apart, for several bounds. The bounds in align.go were chosen so.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
)

func main() {
	packages := flag.String("packages", "", "folder of packages")
	out := flag.String("out", "", "folder for the tables; none: measure")
	only := flag.String("only", "", "languages; all if none")
	flag.Parse()
	if err := run(*packages, *out, *only); err != nil {
		log.Fatal(err)
	}
}

func run(packages, out, only string) error {
	all, err := readPackages(packages)
	if err != nil {
		return err
	}
	for _, language := range slices.Sorted(slices.Values(foreign.Languages)) {
		if only != "" && !slices.Contains(strings.Split(only, ","), language) {
			continue
		}
		pairs := all[language]
		if out == "" {
			measure(language, pairs)
			continue
		}
		table := tableOf(language, pairs, chosen)[0]
		packed := encode(table)
		fmt.Printf("%-5s %6d messages, %6d words, %7d bytes\n", language, len(pairs), len(table), len(packed))
		if err := os.WriteFile(filepath.Join(out, language+".gz"), packed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func encode(table foreign.Table) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for _, key := range slices.Sorted(maps.Keys(table)) {
		line := key
		if table[key] != "" {
			line += " " + table[key]
		}
		fmt.Fprintln(w, line)
	}
	w.Close()
	return b.Bytes()
}

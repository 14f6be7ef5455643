// Command elsewhere measures the links between repositories of one product: how many of those that somebody labelled are found, and
// a random sample of all that are shown, for a person to judge.
//
// A label is a line of a file: the using file, the used files separated by |, each with its repository's folder as first part, and
// what kind it is, separated by tabs. Of a route the kind ends with its path.
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
)

var (
	in     = flag.String("in", "", "the folder that holds the repositories")
	labels = flag.String("labels", "", "the file of labels")
	cache  = flag.String("cache", "", "the folder for what can be made again; none if empty")
	sample = flag.Int("sample", 60, "how many of the shown links are listed")
	seed   = flag.Int64("seed", 1, "of the sample")
)

// link is a link as it is compared with a label.
type link struct{ user, used, kind, name, sure string }

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	log.SetFlags(0)
	flag.Parse()
	var dirs []string
	for _, name := range flag.Args() {
		dirs = append(dirs, filepath.Join(*in, name))
	}
	if len(dirs) < 2 || *labels == "" {
		log.Fatal("usage: elsewhere -in FOLDER -labels FILE REPOSITORY REPOSITORY…")
	}
	var shown []link
	for _, dir := range dirs {
		found, err := links(context.Background(), dir, dirs)
		if err != nil {
			log.Fatal(err)
		}
		shown = append(shown, found...)
	}
	counts := map[string]int{}
	for _, l := range shown {
		counts[l.kind+", "+l.sure]++
	}
	fmt.Printf("%d links are shown\n", len(shown))
	for kind, n := range counts {
		fmt.Printf("  %5d %s\n", n, kind)
	}
	if err := compare(shown); err != nil {
		log.Fatal(err)
	}
	fmt.Println("\nA sample of what is shown:")
	rand.New(rand.NewSource(*seed)).Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	for _, l := range shown[:min(len(shown), *sample)] {
		fmt.Printf("%s -> %s\t%s %s, %s\n", l.user, l.used, l.kind, l.name, l.sure)
	}
}

// links lists what a repository uses of the others.
func links(ctx context.Context, dir string, dirs []string) (out []link, err error) {
	others := slices.DeleteFunc(slices.Clone(dirs), func(d string) bool { return d == dir })
	w, err := workspace.Open(ctx, dir, workspace.Options{Cache: *cache, Neighbours: others, Unhurried: true})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	v, err := w.View().Complete(ctx)
	if err != nil {
		return nil, err
	}
	repository := filepath.Base(dir)
	var slowest time.Duration
	for _, c := range v.Code().Chunks() {
		began := time.Now()
		for _, l := range elsewhere.Of(ctx, v, c.Path).Uses {
			used := l.Used.Repository + "/" + l.Used.Path
			out = append(out, link{fmt.Sprintf("%s/%s:%d", repository, c.Path, l.User.Line), used, string(l.Kind), l.Name, l.Sure})
		}
		slowest = max(slowest, time.Since(began))
	}
	fmt.Printf("%s: %d files, slowest answer %s\n", repository, len(v.Code().Chunks()), slowest.Round(time.Millisecond))
	return out, nil
}

// compare prints how many labels are found, and which are not.
func compare(shown []link) error {
	f, err := os.Open(*labels)
	if err != nil {
		return err
	}
	defer f.Close()
	found, all := 0, 0
	for s := bufio.NewScanner(f); s.Scan(); all++ {
		part := strings.Split(s.Text(), "\t")
		kind, what, _ := strings.Cut(part[2], " ")
		fits := func(l link) bool {
			file, _, _ := strings.Cut(l.user, ":")
			return file == part[0] && slices.Contains(strings.Split(part[1], "|"), l.used) &&
				(kind != "http" || strings.HasSuffix(l.name, what))
		}
		if slices.ContainsFunc(shown, fits) {
			found++
			continue
		}
		fmt.Println("not found:", cmp.Or(s.Text(), "an empty line"))
	}
	fmt.Printf("%d of %d labels are found\n", found, all)
	return nil
}

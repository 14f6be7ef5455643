// Command retrieval measures the ranking on data sets with relevance labels.
//
//	go run ./bench/retrieval --data DIR [--sets a,b] [--peers] [--json] [--runs OUT]
//
// DIR holds one folder per set (sets.go says what is in one). Every set becomes a
// context tree, is indexed as the server indexes one, and each question is asked
// through the call that the server makes: everywhere, and, where it names a part of the
// set, in that part alone. In the same run the same questions go to a plain BM25F index
// written here, the yardstick, and with --peers to two others that run under node:
// MiniSearch in ByteRover's configuration, and plain BM25 over stems.
//
// Reported are R@1, R@5, R@10, MRR@10 and nDCG@10 (metrics.go), how often a question
// that has an answer is refused, how often a foreign one is, how often a direct answer
// is given and is right; and processor time and memory (cost.go). Scoped rows ask the
// foreign questions in every part of the set, each of which is a small tree.
//
// With --use, instead, a set is asked three times over while its entries are credited
// for it (use.go); with --dream, it is dreamt of (dreamt.go); with --bad, what no one should ask is asked (bad.go); with --cold,
// the program is started
// anew for each question (cold.go).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
)

// config holds the flags of the command line.
type config struct {
	data     string
	sets     []string // every set of the folder if empty
	quarter  string
	peers    bool
	json     bool
	runs     string
	markdown string
	out      string
	use, bad bool
	cold     bool
	dream    bool
}

func main() {
	var c config
	sets := flag.String("sets", "", "comma-separated `sets`; default: every set in the folder, with -use locomo-session")
	flag.StringVar(&c.data, "data", "", "`folder` of the data sets")
	flag.StringVar(&c.quarter, "quarter", "win32-24k",
		"`set` of which the quarter of the questions with a number divisible by four is reported too")
	flag.BoolVar(&c.peers, "peers", false, "measure the peers too; needs node and npm")
	flag.BoolVar(&c.json, "json", false, "print one JSON line for each set, scope and engine instead of tables")
	flag.StringVar(&c.runs, "runs", "", "write the rankings into a `folder`: question, document, rank, score")
	flag.StringVar(&c.markdown, "markdown", "", "write the tables to a `file` too")
	flag.StringVar(&c.out, "out", "", "write the JSON lines to a `file` too")
	flag.BoolVar(&c.use, "use", false, "measure instead what use does to the ranking")
	flag.BoolVar(&c.bad, "bad", false, "measure instead what senseless questions cost, on the set with most documents")
	flag.BoolVar(
		&c.cold, "cold", false,
		"measure instead what the program takes from its start to an answer, with an empty and a full cache folder")
	flag.BoolVar(&c.dream, "dream", false, "measure instead what dreaming does to the ranking, everything approved")
	flag.Parse()
	c.sets = strings.FieldsFunc(*sets, func(r rune) bool { return r == ',' || r == ' ' })
	if c.data == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "retrieval: -data DIR is needed, and nothing but flags; -help lists them")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(1)
	}
}

// run measures what the command line asks for.
func run(ctx context.Context, c config, stdout, progress io.Writer) error {
	names := slices.DeleteFunc(slices.Clone(c.sets), func(name string) bool { return name == foreignSet })
	if len(names) == 0 && len(c.sets) > 0 {
		return fmt.Errorf("%s has no documents: it is asked of the other sets", foreignSet)
	}
	if len(names) == 0 && c.use {
		names = []string{useSet}
	}
	if len(names) == 0 {
		var err error
		if names, err = setsIn(c.data); err != nil {
			return err
		}
	}
	switch {
	case c.use && c.bad || c.cold && (c.use || c.bad) || c.dream && (c.use || c.bad || c.cold):
		return errors.New("-use, -bad, -cold and -dream are runs of their own")
	case c.dream:
		return runDreamt(ctx, names, c, stdout, progress)
	case c.use:
		return runUse(ctx, c, names, stdout, progress)
	case c.bad:
		return runBad(ctx, c, names, stdout)
	case c.cold:
		return runCold(ctx, c, names, stdout)
	}
	return runRanking(ctx, c, names, stdout, progress)
}

// runRanking measures the engines on sets.
func runRanking(ctx context.Context, c config, names []string, stdout, progress io.Writer) error {
	peers := ""
	if c.peers {
		var err error
		if peers, err = peerFolder(ctx); err != nil {
			return err
		}
	}
	var rows []Row
	for _, name := range names {
		set, err := readSet(c.data, name)
		if err != nil {
			return err
		}
		all, err := measureSet(ctx, set, peers)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var some []Row
		for _, f := range all {
			some = append(some, f.rows(set, c.quarter)...)
			if c.runs != "" {
				if err := writeRankings(c.runs, set, f); err != nil {
					return err
				}
			}
		}
		some = inOrder(some)
		if c.json { // each set at once: the next one may take minutes
			if err := writeJSON(stdout, some); err != nil {
				return err
			}
		}
		rows = append(rows, some...)
		fmt.Fprintln(progress, name, "done")
	}
	return c.report(rows, stdout)
}

// measureSet measures every engine on a set, the peers if they are in a folder.
func measureSet(ctx context.Context, set *dataset, peers string) ([]findings, error) {
	own, err := measureOurs(ctx, set)
	if err != nil {
		return nil, err
	}
	all := []findings{own, measureYardstick(set)}
	if peers == "" {
		return all, nil
	}
	for _, engine := range enginePeers {
		f, err := measurePeer(ctx, peers, engine, set)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// report writes all rows where the command line wants them; JSON lines have been
// printed already.
func (c config) report(rows []Row, stdout io.Writer) error {
	text := fmt.Sprintf("%s, %d CPUs\n\n", runtime.Version(), runtime.NumCPU()) + tables(rows)
	var lines strings.Builder
	if err := writeJSON(&lines, rows); err != nil {
		return err
	}
	var err error
	if !c.json {
		_, err = io.WriteString(stdout, text)
	}
	if c.markdown != "" {
		err = errors.Join(err, os.WriteFile(c.markdown, []byte(text), 0o666))
	}
	if c.out != "" {
		err = errors.Join(err, os.WriteFile(c.out, []byte(lines.String()), 0o666))
	}
	return err
}

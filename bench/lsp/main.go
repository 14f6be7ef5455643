// Command lsp measures how long a language server takes to answer while somebody types,
// as an editor sees it: through the pipes of a separate process.
//
//	go run ./bench/lsp --make DIR --docs docs.jsonl.gz --entries 10000 --from SRC,… --files 5000
//	go run ./bench/lsp --root DIR [--server BINARY] [--json] [--runs FILE]
//	go run ./bench/lsp --root DIR --peer zk=ZK --peer markdown
//
// The first form makes a project: a tree of entries from a flat document set (package
// corpus) and source files (package sources). Flat sets have no relations, so each entry
// is given up to three, to the next entries of its folder, in `related` and once more as
// Markdown links, which every server here can read, and names two source files and a
// symbol of each. The figures say how fast relations are followed, not how good they are.
//
// The second form opens any project with a context tree, types into one of its documents
// ten times a second (each key one incremental didChange), and asks meanwhile: what an
// editor asks about the document that is typed in, and in twenty others that are open.
// First an entry is typed in, then a code file. A duration runs from the first byte of
// the request written to the last byte of the answer read, without decoding. Where
// processes share the cores, the processor time, which is given too, says more than the
// wall clock. didChange has no answer: its duration is that of the change together with a
// request for a method that no server has, which is refused after it.
//
// An answer is wrong that is empty or an error, or does not hold what the project's files say of the place: the
// name of the entry that a link leads to, of a symbol any entry, as one lists its file and names it. The same few
// tabs are asked about again and again, so that one place answered wrongly is a twentieth of all; the requests that
// were answered wrongly are listed, each once. With -each one hover is asked for about each of up to 2,000 entries
// and 2,000 code files instead.
//
// The third form sends the same requests to other servers, side by side, as far as they
// know them: zk (its program; the folder becomes a notebook and is indexed first), and
// the Markdown server of VS Code (an npm package, installed by the bench; see markdown/).
// All are offered UTF-16 only.
//
// The exit code is 1 when an answer of brv-lsp was wrong or empty, or a target was missed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// options are the flags.
type options struct {
	make, docs, from, server, root, runs string
	entries, files, starts               int
	typing                               time.Duration
	json, blind, each                    bool
	peers                                []string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	o := readFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lsp:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func readFlags() (o options) {
	flag.StringVar(&o.make, "make", "", "make a project in this `folder`, which must not exist")
	flag.StringVar(&o.docs, "docs", "", "document set for -make: JSON lines with id, title, path, text; .gz is unpacked")
	flag.StringVar(&o.from, "from", "", "`folders` whose source files are copied for -make, comma-separated")
	flag.IntVar(&o.entries, "entries", 10_000, "entries for -make")
	flag.IntVar(&o.files, "files", 5000, "source files for -make")
	flag.StringVar(&o.root, "root", "", "project to open")
	flag.StringVar(&o.server, "server", "", "server `program`; built from this module if empty")
	flag.DurationVar(&o.typing, "typing", 60*time.Second, "how long to type into each document")
	flag.IntVar(&o.starts, "starts", 20, "starts of the server")
	flag.BoolVar(&o.blind, "blind", false, "be an editor that tells of no changes on disk, as Neovim before 0.12")
	flag.BoolVar(&o.each, "each", false, "instead of typing ask for one hover about each place that can be asked about")
	flag.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	flag.StringVar(&o.runs, "runs", "", "write the result to `FILE`.json and FILE.txt")
	flag.Func("peer", "another server: zk=`PROGRAM` or markdown; may be repeated", func(s string) error {
		o.peers = append(o.peers, s)
		return nil
	})
	flag.Parse()
	return o
}

// run makes a project, or measures, prints and keeps the result; ok is whether all
// answers of brv-lsp were right and its targets met.
func run(ctx context.Context, o options) (ok bool, err error) {
	if o.make != "" {
		return true, makeProject(ctx, o)
	}
	if o.root == "" {
		return false, errors.New("-root is missing: the project to open; -make makes one")
	}
	temp, err := os.MkdirTemp("", "brv-bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(temp)
	// The servers' caches: empty at first, and not the user's own.
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		if err := os.Setenv(name, filepath.Join(temp, name)); err != nil {
			return false, err
		}
	}
	all, err := contenders(ctx, o, temp)
	if err != nil {
		return false, err
	}
	p, err := readProject(o.root)
	if err != nil {
		return false, err
	}
	report := newReport(p)
	for _, c := range all {
		r, err := measure(ctx, p, c, o)
		if err != nil {
			return false, fmt.Errorf("%s: %w", c.name, err)
		}
		report.Servers = append(report.Servers, r)
	}
	report.finish()
	return report.passed(), report.print(o)
}

func (r *report) print(o options) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if o.json {
		fmt.Printf("%s\n", data)
	} else {
		fmt.Print(r.table())
	}
	if o.runs == "" {
		return nil
	}
	return errors.Join(os.WriteFile(o.runs+".json", append(data, '\n'), 0o666), os.WriteFile(o.runs+".txt", []byte(r.table()), 0o666))
}

// contender is a server to be measured.
type contender struct {
	name    string
	command []string
	ours    bool
}

// contenders are brv-lsp and the peers that were asked for, ready to be started.
func contenders(ctx context.Context, o options, temp string) ([]contender, error) {
	if o.server == "" {
		var err error
		if o.server, err = process.Build(ctx, temp); err != nil {
			return nil, err
		}
	}
	all := []contender{{name: "brv-lsp", command: []string{o.server}, ours: true}}
	for _, p := range o.peers {
		name, program, _ := strings.Cut(p, "=")
		var c contender
		var err error
		switch name {
		case "zk":
			c, err = zk(ctx, program, o.root)
		case "markdown":
			c, err = markdown(ctx)
		default:
			err = fmt.Errorf("no peer %q: there are zk=PROGRAM and markdown", name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

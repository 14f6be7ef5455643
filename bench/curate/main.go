// Command curate measures the drafts that are made without a model: commits of a
// repository are drafted on a context tree, for a person to judge.
//
//	go run ./bench/curate -repo DIR -tree DIR [-commits 40] [-every 1] [-skip 0] [-drafts 0] [-text] [-runs FILE.md]
//	go run ./bench/curate -repo DIR -tree DIR -make
//	go run ./bench/curate -repo DIR -tree DIR -sources [-commits 15]
//
// DIR of -repo is a folder with files and its git history, DIR of -tree one with a `.brv`;
// nothing is written to either. Commits are those that HEAD reaches and that are no merges,
// newest first by commit time; numbered from 0, those are taken whose number leaves the
// remainder -skip when divided by -every. -commits bounds how many are taken, -drafts ends
// the run at so many drafts. Every commit is drafted on the tree as it was given, so that no
// draft depends on another. The map of the code, and the links to it, are those of the files
// as they are; symbols are those that stand in changed lines, or around them where they are there still.
//
// A draft whose topic links say lands there; others are offered with the topics to choose from,
// the likeliest first and new ones in brackets. Changes whose message does not say why give none.
//
// Then the drafts are done one after another, in the order of time, on a copy of the tree,
// those without a clear topic in the likeliest, and each commit is drafted anew on what has become
// of it: what is added then is there twice. Titles that two entries have are counted too.
//
// Where a commit changed entries of the repository's own tree beside code, the topics of
// those entries are the truth that its authors chose: the share of drafts that land there
// is said. The other proxy is whether the topic holds an entry that names a file of the
// commit. Neither is a judgement: a topic can be right without it.
//
// With -sources the Markdown documents of HEAD are drafted, each on the tree without the entries
// that are about it first, and so many definitions of code as selections, taken evenly.
//
// With -make the Markdown documents of the repository's HEAD are drafted, in order of path,
// and done, so that there is a tree to begin with: README and what stands below docs, doc,
// documentation or a folder named content, without change logs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

type options struct {
	repo, tree, runs             string
	commits, every, skip, drafts int
	make, text, sources          bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, readFlags()); err != nil {
		fmt.Fprintln(os.Stderr, "curate:", err)
		os.Exit(1)
	}
}

func readFlags() (o options) {
	flag.StringVar(&o.repo, "repo", ".", "`folder` of a repository")
	flag.StringVar(&o.tree, "tree", ".", "`folder` with a .brv")
	flag.IntVar(&o.commits, "commits", 40, "commits that are drafted")
	flag.IntVar(&o.every, "every", 1, "take every n-th commit")
	flag.IntVar(&o.skip, "skip", 0, "begin with this one")
	flag.IntVar(&o.drafts, "drafts", 0, "end at so many drafts; 0: never")
	flag.BoolVar(&o.make, "make", false, "make a tree of the repository's documents")
	flag.BoolVar(&o.sources, "sources", false, "draft documents and -commits definitions, and no commits")
	flag.BoolVar(&o.text, "text", false, "print the text of each draft")
	flag.StringVar(&o.runs, "runs", "", "add the run to a `file`")
	flag.Parse()
	return o
}

func run(ctx context.Context, o options) (err error) {
	if o.every < 1 || o.skip < 0 || o.skip >= o.every {
		return errors.New("-skip must be below -every")
	}
	p, err := openProject(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if o.make {
		return p.makeTree(ctx)
	}
	if o.sources {
		return p.draftSources(ctx, o)
	}
	all, err := p.commits(ctx, o)
	if err != nil {
		return err
	}
	rows, err := p.draftAll(ctx, o, all)
	if err != nil {
		return err
	}
	again, err := p.draftAgain(ctx, rows)
	if err != nil {
		return err
	}
	return report(o, rows, again)
}

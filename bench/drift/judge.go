package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// verdict is one naming with what was true and what was found.
type verdict struct {
	Repo, From, To string
	Form           string // how the entry names it: files, paths, names, both
	Truth          string
	Path, Symbol   string
	Target         string  `json:",omitempty"`
	Share          float64 // of changed lines, as git counts
	Found          string  `json:",omitempty"` // the finding's kind
	FoundTo        string  `json:",omitempty"`
	Grade          float64 `json:",omitempty"`
	Reason         string  `json:",omitempty"`
	Right          bool
	Step           string  `json:"-"`
	Seconds        float64 // of the step's Drifts, all its entries together
}

// mixed is an order by lot that is always the same.
func mixed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// measure judges the steps of one repository.
func measure(ctx context.Context, o options, name string) (out []verdict, steps int, err error) {
	g, err := openRepo(o.repos, name)
	if err != nil {
		return nil, 0, err
	}
	chosen, err := choose(ctx, g, o)
	if err != nil {
		return nil, 0, err
	}
	c, err := g.checkout()
	if err != nil {
		return nil, 0, err
	}
	defer c.Close()
	root, err := jail.Open(mkdir(c.files()))
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	pool := syntax.NewPool(syntax.Options{Timeout: time.Minute}) // so that a busy machine finds the same
	defer pool.Close()
	var code *codebase.RepoMap
	for _, s := range chosen {
		truths, err := g.truths(ctx, s)
		if err != nil {
			return nil, 0, err
		}
		changed, err := c.move(ctx, s.to)
		if err != nil {
			return nil, 0, err
		}
		if o.program != "" {
			found, err := judgeProgram(ctx, o.program, c, s, truths)
			if err != nil {
				return nil, 0, err
			}
			for _, v := range found {
				v.Repo = name
				out = append(out, v)
			}
			continue
		}
		if code == nil {
			code, err = codebase.Scan(ctx, root, codebase.Options{Parser: pool})
		} else {
			code, err = code.Update(ctx, changed)
		}
		if err != nil {
			return nil, 0, err
		}
		found, err := judge(ctx, c.files(), code, s, truths)
		if err != nil {
			return nil, 0, err
		}
		for _, v := range found {
			v.Repo, v.From, v.To = name, s.from, s.to
			out = append(out, v)
		}
	}
	return out, len(chosen), nil
}

// naming is a truth in an entry.
type naming struct {
	truth
	form, entry string
}

// judge writes the entries of a step and compares what is found.
func judge(ctx context.Context, dir string, code *codebase.RepoMap, s step, truths []truth) ([]verdict, error) {
	repo, err := git.Open(dir)
	if err != nil {
		return nil, err
	}
	h, err := history.Read(ctx, repo, history.Options{MaxCommits: 3_000})
	if err != nil {
		return nil, err
	}
	entries, namings := write(s, truths)
	links := link.Build(tree.NewSnapshot(entries, nil), code)
	begin := time.Now()
	found, err := links.Drifts(ctx, entries, code, history.NewPast(repo, h))
	if err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()
	var out []verdict
	for _, n := range namings {
		v := verdict{Form: n.form, Truth: n.kind, Path: n.path, Symbol: n.symbol, Target: n.to, Share: n.share,
			Right: !isPositive(n.kind), Seconds: seconds}
		for _, d := range found[n.entry] {
			if d.Symbol != n.symbol || n.symbol == "" && d.Path != n.path {
				continue
			}
			v.Found, v.FoundTo, v.Grade, v.Reason = string(d.Kind), d.To, d.Grade, d.Reason
			v.Right = right(n.truth, d)
			break
		}
		out = append(out, v)
	}
	return out, nil
}

// right reports whether a finding says what is true.
func right(t truth, d link.Drift) bool { return rightKind(t, string(d.Kind), d.To) }

func rightKind(t truth, kind, to string) bool {
	switch found := link.DriftKind(kind); t.kind {
	case "renamed", "left":
		return found == link.Moved && to == t.to
	case "deleted", "gone":
		return found == link.Vanished || found == link.Moved
	case "rewritten", "reworked":
		return found == link.Changed
	}
	return false
}

// write makes the entries of a step.
func write(s step, truths []truth) (entries []*format.Entry, namings []naming) {
	head := "---\ntitle: T\nupdatedAt: " + s.at.Format(time.RFC3339) + "\n---\n# T\n"
	add := func(form, body string, of ...truth) {
		p := fmt.Sprintf("bench/drift/%s-%d.md", form, len(entries))
		entries = append(entries, format.Parse(p, head+body))
		for _, t := range of {
			namings = append(namings, naming{t, form, p})
		}
	}
	var list, paths, names strings.Builder
	var files, symbols []truth
	list.WriteString("\n## Raw Concept\n**Files:**\n")
	for _, t := range truths {
		if t.symbol == "" {
			files = append(files, t)
			list.WriteString("- " + t.path + "\n")
			paths.WriteString("The work is done in `" + t.path + "`.\n")
			continue
		}
		spelled := "`" + t.symbol + "`"
		if t.call {
			spelled = "`" + t.symbol + "()`"
		}
		if t.kind != "left" { // a bare name is still right wherever it is defined
			symbols = append(symbols, t)
			names.WriteString("Then " + spelled + " decides.\n")
		}
		add("both", "\n## Raw Concept\n**Files:**\n- "+t.path+"\n\n## Narrative\nThen "+spelled+" decides.\n", t)
	}
	if len(files) > 0 {
		add("files", list.String(), files...)
		add("paths", "\n## Narrative\n"+paths.String(), files...)
	}
	if len(symbols) > 0 {
		add("names", "\n## Narrative\n"+names.String(), symbols...)
	}
	return entries, namings
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/link"
)

// stalePage is a commit that took away or renamed what a page names. With neither page nor old name it only asks what is
// found over all pages.
type stalePage struct {
	Repo, Commit, Path, Old, New, What string
}

// measureDocuments looks, for each line of a file of labels, whether the drift of the page is found at the commit; all
// other findings there are listed, for a person to judge.
func measureDocuments(ctx context.Context, o options, out io.Writer) error {
	f, err := os.Open(o.documents)
	if err != nil {
		return err
	}
	defer f.Close()
	pool := syntax.NewPool(syntax.Options{Timeout: time.Minute})
	defer pool.Close()
	asked, found, named := map[string]int{}, map[string]int{}, map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s stalePage
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return err
		}
		start := time.Now()
		drifts, pages, err := driftAt(ctx, o, pool, s)
		if err != nil {
			fmt.Fprintf(out, "- left out %s %.8s: %v\n", s.Repo, s.Commit, err)
			continue
		}
		took := time.Since(start)
		if s.Path == "" {
			total := 0
			for p, of := range drifts {
				total += len(of)
				for _, d := range of {
					fmt.Fprintf(out, "- %s %s: %s %s %s → %s %s (%s)\n", s.Repo, p, d.Kind, d.Path, d.Symbol, d.To, d.ToSymbol, d.Reason)
				}
			}
			fmt.Fprintf(out, "%s: %d pages, %d findings, %.1f s\n", s.Repo, pages, total, took.Seconds())
			continue
		}
		asked[s.What]++
		i := slices.IndexFunc(drifts[s.Path], func(d link.Drift) bool {
			return d.Symbol == s.Old || d.Symbol == "" && (d.Path == s.Old || path.Base(d.Path) == s.Old)
		})
		if i < 0 {
			fmt.Fprintf(out, "- missed %s %.8s %s: %s\n", s.Repo, s.Commit, s.Path, s.Old)
			continue
		}
		found[s.What]++
		if to := cmp.Or(drifts[s.Path][i].ToSymbol, drifts[s.Path][i].To); s.New != "" && (to == s.New || strings.HasSuffix(to, "/"+s.New)) {
			named[s.What]++
		}
	}
	for _, what := range []string{"file", "symbol"} {
		fmt.Fprintf(out, "%s: %d of %d found, %d with their new names\n", what, found[what], asked[what], named[what])
	}
	return nil
}

func driftAt(ctx context.Context, o options, pool *syntax.Pool, s stalePage) (map[string][]link.Drift, int, error) {
	dir, err := os.MkdirTemp("", "brv-bench-drift-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	from, err := mirror.GitDir(o.repos, s.Repo)
	if err != nil {
		return nil, 0, err
	}
	if err := mirror.Checkout(ctx, from, s.Commit, "", dir); err != nil {
		return nil, 0, err
	}
	root, err := jail.Open(dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	set, err := documents.Read(ctx, root, documents.Options{}, nil)
	if err != nil {
		return nil, 0, err
	}
	code, err := codebase.Scan(ctx, root, codebase.Options{Parser: pool})
	if err != nil {
		return nil, 0, err
	}
	repo, err := git.Open(dir)
	if err != nil {
		return nil, 0, err
	}
	h, err := history.Read(ctx, repo, history.Options{})
	if err != nil {
		return nil, 0, err
	}
	pages := set.Pages()
	drifts, err := link.Pages(pages, code).Drifts(ctx, pages.Entries(), code, history.NewPast(repo, h))
	return drifts, pages.Len(), err
}

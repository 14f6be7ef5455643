// Command drift measures whether entries that no longer fit the code are found, on real
// commits.
//
//	go run ./bench/drift -repos DIR [-set tune|final] [-only a,b] [-per 8] [-later N] [-runs FILE]
//
// DIR holds repositories, bare ones or clones, as OWNER+NAME, OWNER+NAME/repo or NAME.
// Two sets of repositories are known by name: "tune", on which the limits of package link
// were chosen, and "final", on which nothing was.
//
// A step is a pair of commits: one of the first-parent line (a merge counts as one commit)
// and its first parent. With -later N the second commit is the one N steps later. Steps
// are taken in the order of the commit's hash, which is as good as by lot and always the
// same, among the newest 4,000 of the line whose time is later than their parent's (entries
// have a time, and equal times cannot tell the two apart) and which touch 1 to 400 files.
// A quarter of the steps of a repository (-per) each must have a file that was renamed, a
// file that was deleted, a file that was rewritten, and a file that changed in form only.
//
// What is true is read from git alone, with no code of this project: renames and deletions
// from `git diff --name-status -M` (half of the lines are the same), the share of changed
// lines, (added + deleted) / (lines before + lines after), from `git diff --numstat -w`,
// definitions from `git grep` with a pattern for each language. A symbol reaches from its
// definition to the last line that is indented more, and a closing bracket behind that. Only
// files of Go, JavaScript, TypeScript, Python and Rust with at least 10 lines count, and
// symbols of at least 5 lines whose name one place of the parent defines.
//
// A positive is something that an entry named at the parent and that is, in the second
// commit:
//
//	renamed    a file that git says was renamed; right is "moved" to git's target
//	deleted    a file that git says was deleted; right is "vanished", or "moved"
//	rewritten  a file with a share of at least 0.5, with comment lines and without; right
//	           is "changed"
//	gone       a symbol that no line defines any more; right is "vanished", or "moved"
//	left       a symbol that one other file defines now, while its own is still there; named
//	           together with its file; right is "moved" to that file
//	reworked   a symbol in the same file, likewise
//
// A negative is something that an entry named and that is as it was, or nearly:
//
//	untouched  a file that no commit of the step touched
//	small      a file with a share of at most 0.1
//	form       a file whose code lines, without comments, white space, quotation marks,
//	           commas, semicolons and parentheses, are the same: layout and comments; or
//	           whose lines are the same in another order
//	kept       a symbol in a file that the step touched, with a share of at most 0.1, in
//	           whatever line it is now; also one whose file was renamed
//
// What lies between 0.1 and 0.5 is a matter of taste and is not asked.
//
// Entries are written as at the parent, with updatedAt the parent's time: one lists the
// files, one has the paths in back-ticks, one names the symbols in back-ticks, one lists the
// file beside the symbol. Then the second commit is checked out and mapped, and
// [link.Links.Drifts] is asked, with the second commit's history. Found is a positive with
// any finding, right one whose finding has the right kind and target, false a negative with
// any finding. Found and false are counted for each way of naming.
//
//	go run ./bench/drift -repos DIR -documents labels.jsonl
//
// measures documents instead: a label is a commit (repo, commit) that took away or renamed something (old, new, what: file
// or symbol) which a page (path) names at its parent and still names. Without path all findings are listed.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// sets are the repositories by what they are for.
var sets = map[string][]string{
	"tune": {"axios/axios", "gin-gonic/gin", "pallets/flask", "sharkdp/bat"},
	"final": {"BurntSushi/ripgrep", "caddyserver/caddy", "colinhacks/zod", "eslint/eslint", "junegunn/fzf", "pytest-dev/pytest",
		"vitejs/vite"},
}

type options struct {
	repos, set, only, runs, documents, program string
	per, later, skip                           int
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	var o options
	flag.StringVar(&o.repos, "repos", "", "folder of repositories")
	flag.StringVar(&o.set, "set", "final", "tune or final")
	flag.StringVar(&o.only, "only", "", "comma-separated owner/name instead of a set")
	flag.StringVar(&o.runs, "runs", "", "write FILE.jsonl and FILE.md")
	flag.IntVar(&o.per, "per", 8, "steps of each repository")
	flag.IntVar(&o.later, "later", 0, "how many steps later the code is looked at")
	flag.IntVar(&o.skip, "skip", 0, "steps of each repository that are passed over, of those that would be taken")
	flag.StringVar(&o.program, "program", "", "ask this brv-lsp: check --base PARENT, in three formats, in place of package link")
	flag.StringVar(&o.documents, "documents", "", "labels of pages that commits made stale, instead of entries")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	names, ok := sets[o.set]
	if o.only != "" {
		names, ok = strings.Split(o.only, ","), true
	}
	if !ok || o.repos == "" {
		return fmt.Errorf("-repos DIR is needed, and -set tune or final")
	}
	if o.documents != "" {
		return measureDocuments(ctx, o, out)
	}
	var all []verdict
	steps := 0
	for _, name := range names {
		found, n, err := measure(ctx, o, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d steps, %d namings\n", name, n, len(found))
		all, steps = append(all, found...), steps+n
	}
	text := report(all, names, steps, o)
	fmt.Fprint(out, text)
	if o.runs == "" {
		return nil
	}
	return save(o.runs, all, text)
}

func save(file string, all []verdict, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	var lines strings.Builder
	enc := json.NewEncoder(&lines)
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file+".jsonl", []byte(lines.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(file+".md", []byte(text), 0o644)
}

// positives and negatives, in the order of the report.
var (
	positives = []string{"renamed", "deleted", "rewritten", "gone", "left", "reworked"}
	negatives = []string{"untouched", "small", "form", "kept"}
)

func isPositive(truth string) bool { return slices.Contains(positives, truth) }

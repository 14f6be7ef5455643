package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// An entry speaks of one file and some others of its folder: its rules are the comments
// of symbols, which it names in back-ticks, and its facts their signatures.
const (
	symbolsOfEntry = 8
	factsOfEntry   = 3
	otherFiles     = 2
)

// said is a file with its symbols and their comments.
type said struct {
	path    string
	symbols []syntax.Symbol // with comments
	text    string
}

// comment returns the comment above a symbol, without the comment signs.
func (s *said) comment(symbol *syntax.Symbol) string {
	lines := strings.Split(s.text[symbol.DocAt.Start:symbol.DocAt.End], "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(strings.Trim(strings.TrimSpace(l), "/*#"))
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}

// sentence is the first one.
func sentence(s string) string {
	first, _, _ := strings.Cut(s, ". ")
	return strings.TrimSuffix(first, ".")
}

// writeEntries writes the tree of a folder, and returns tasks in words of its files.
func writeEntries(ctx context.Context, root string, settings workspace.Options, o options) (tasks []string, err error) {
	w, err := workspace.Open(ctx, root, settings)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := w.WaitCode(ctx); err != nil {
		return nil, err
	}
	files := telling(w.View().Code())
	if len(files) == 0 {
		return nil, fmt.Errorf("no file has a comment above a symbol: nothing to make entries of")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range o.entries {
		at := i * len(files) / o.entries
		name := filepath.Join(root, ".brv", tree.Dir, fmt.Sprintf("d%02d", at*20/len(files)),
			strings.ReplaceAll(path.Dir(files[at].path), "/", "_"), fmt.Sprintf("e%d.md", i))
		if err := sources.Write(name, []byte(entry(files, at, i, random))); err != nil {
			return nil, err
		}
	}
	for range o.packs * 2 {
		f := &files[random.IntN(len(files))]
		s := &f.symbols[random.IntN(len(f.symbols))]
		tasks = append(tasks, fmt.Sprintf("fix %s: %s", s.Name, sentence(f.comment(s))))
	}
	return tasks, nil
}

// telling are the files with comments above their symbols.
func telling(m *codebase.RepoMap) (out []said) {
	for _, c := range m.Chunks() {
		text, err := m.Read(c.Path)
		if err != nil {
			continue
		}
		one := said{path: c.Path, text: text}
		for _, s := range c.Symbols() {
			if s.DocAt.Len() > 0 && s.DocAt.Start >= 0 && s.DocAt.End <= len(text) {
				one.symbols = append(one.symbols, s)
			}
		}
		if len(one.symbols) > 0 {
			out = append(out, one)
		}
	}
	return out
}

func entry(files []said, at, number int, random *rand.Rand) string {
	f := &files[at]
	var listed, rules, facts strings.Builder
	fmt.Fprintf(&listed, "- %s\n", f.path)
	for i := range otherFiles {
		if j := at + i + 1; j < len(files) && path.Dir(files[j].path) == path.Dir(f.path) {
			fmt.Fprintf(&listed, "- %s\n", files[j].path)
		}
	}
	first := random.IntN(len(f.symbols))
	lead := &f.symbols[first]
	for i := range min(symbolsOfEntry, len(f.symbols)) {
		s := &f.symbols[(first+i)%len(f.symbols)]
		fmt.Fprintf(&rules, "- `%s`: %s\n", s.Name, f.comment(s))
		if i < factsOfEntry {
			fmt.Fprintf(&facts, "- **%s in %s**: `%s`\n", s.Name, path.Base(f.path), strings.Join(strings.Fields(s.Signature), " "))
		}
	}
	day := 1 + number%28
	return fmt.Sprintf(
		"---\ntitle: %q\nsummary: %q\nupdatedAt: 2025-%02d-%02dT00:00:00Z\n---\n## Raw Concept\n**Files:**\n%s\n## Narrative\n### "+
			"Rules\n%s\n## Facts\n%s",
		fmt.Sprintf("%s in %s", lead.Name, path.Base(f.path)), sentence(f.comment(lead)), 1+number%12, day, listed.String(),
		rules.String(), facts.String())
}

// Each changedFile-th file changed once after it came.
const changedFile = 10

// commit gives a folder a history.
func commit(ctx context.Context, root string) error {
	git := func(when string, args ...string) error {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c",
			"gc.auto=0"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
		return nil
	}
	save := func(when, message string) error {
		if err := git(when, "add", "-A", "-f"); err != nil {
			return err
		}
		return git(when, "commit", "-q", "-m", message)
	}
	if err := git("", "init", "-q"); err != nil {
		return err
	}
	if err := save("2025-01-01T00:00:00Z", "all files"); err != nil {
		return err
	}
	n := 0
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		if n++; n%changedFile != 0 || syntax.LanguageOf(name) == "" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, append(text, sources.Comment(name, "changed once")...), 0o666)
	})
	if err != nil {
		return err
	}
	return save("2025-07-01T00:00:00Z", "some files changed")
}

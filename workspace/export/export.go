package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Request asks for the rule files.
type Request struct {
	For []string // hosts whose rule files are written; none: those that have a folder here
}

// Report holds the rule files as they would be, and as they are.
type Report struct {
	Files  []File   `json:"files"`
	Tokens int      `json:"tokens"`          // of what is always loaded
	Told   int      `json:"told"`            // entries
	Left   []Left   `json:"left"`            // entries that somebody stands for and that are not told
	Notes  []string `json:"notes,omitempty"` // what is mended of blocks that were broken
}

// File is a file that is written, as it is and as it should be.
type File struct {
	Path  string `json:"path"`
	State string `json:"state"` // current, outdated, missing or unwanted
	after string
}

// The states of a file.
const (
	Current  = "current"
	Outdated = "outdated"
	Missing  = "missing"
	Unwanted = "unwanted" // its entry is not told any more
)

// scoped is how a host takes a rule that is about some files.
type scoped struct {
	host, dir, end string
	shown          []string // where one of these is, the host is used here
	head           func(title string, globs []string) string
}

var hosts = []scoped{
	{"claude-code", ".claude/rules", ".md", []string{".claude", "CLAUDE.md"}, func(_ string, globs []string) string {
		return "paths:\n  - \"" + strings.Join(globs, "\"\n  - \"") + "\"\n"
	}},
	{"cursor", ".cursor/rules", ".mdc", []string{".cursor"}, func(title string, globs []string) string {
		return fmt.Sprintf("description: %q\nglobs: %s\nalwaysApply: false\n", title, strings.Join(globs, ","))
	}},
	{"copilot", ".github/instructions", ".instructions.md",
		[]string{".github/instructions", ".github/copilot-instructions.md"}, func(_ string, globs []string) string {
			return fmt.Sprintf("applyTo: \"%s\"\n", strings.Join(globs, ","))
		}},
}

// Hosts are the hosts that take rules which are about some files.
func Hosts() (names []string) {
	for _, h := range hosts {
		names = append(names, h.host)
	}
	return names
}

// What a file of rules may have: far more than any host reads.
const (
	maxFile = 4 << 20
	prefix  = "brv-"
)

const heading = "# Project knowledge\n\nWritten by `brv-lsp export` from `" + workspace.TreeDir +
	"`: change the entries, not this block.\n\n"

// Always returns the rules that are always loaded, in at most that many tokens; "" where no entry has any.
func Always(ctx context.Context, v *workspace.View, most int) (string, error) {
	rules, _, err := rulesOf(ctx, v)
	if err != nil || len(rules) == 0 {
		return "", err
	}
	return always(rules, most), nil
}

// Loaded reports whether the block stands in a file that a host loads by itself: AGENTS.md; but Claude Code reads
// CLAUDE.md and what that includes, and Gemini CLI its GEMINI.md.
func Loaded(v *workspace.View, host string) bool {
	holds := func(p string) (text string, ok bool) {
		text, _, _ = read(v, p)
		_, ok = block.Markdown.Body(text)
		return text, ok
	}
	_, agents := holds("AGENTS.md")
	switch host {
	case "claude-code":
		claude, ok := holds("CLAUDE.md")
		below, too := holds(".claude/CLAUDE.md")
		includes := strings.Contains(claude, "@AGENTS.md") || strings.Contains(below, "@../AGENTS.md")
		return ok || too || agents && includes
	case "gemini":
		return false
	}
	return agents
}

// Plan says what the rule files should be, and writes nothing.
func Plan(ctx context.Context, v *workspace.View, req Request) (*Report, error) {
	for _, name := range req.For {
		if !slices.Contains(Hosts(), name) {
			return nil, workspace.WrongField("for", "no rule files for %q; there are %v", workspace.Clipped(name), Hosts())
		}
	}
	if !v.HasTree() {
		return nil, v.NoTree()
	}
	rules, left, err := rulesOf(ctx, v)
	if err != nil {
		return nil, err
	}
	r := &Report{Told: len(rules), Left: left}
	body := sanitize.Quote(heading + always(rules, MaxAlways-tokens.Count(heading)))
	r.Tokens = tokens.Count(body)
	if err := r.agents(v, body); err != nil {
		return nil, err
	}
	for _, h := range hosts {
		used := slices.ContainsFunc(h.shown, func(p string) bool { return there(v, p) })
		if slices.Contains(req.For, h.host) || len(req.For) == 0 && used {
			if err := r.scoped(v, h, rules); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// agents plans AGENTS.md, and CLAUDE.md where none is.
func (r *Report) agents(v *workspace.View, body string) error {
	const agents, claude = "AGENTS.md", "CLAUDE.md"
	before, _, err := read(v, agents)
	if err != nil {
		return err
	}
	_, notes := block.Markdown.Mended(before)
	for _, n := range notes {
		r.Notes = append(r.Notes, agents+": "+n)
	}
	if err := r.add(v, agents, block.Markdown.Put(before, body)); err != nil {
		return err
	}
	if there(v, claude) || there(v, ".claude/"+claude) {
		return nil
	}
	return r.add(v, claude, "@"+agents+"\n")
}

// scoped plans a host's files of rules that are about some files, and finds those of ours that are not wanted any more.
func (r *Report) scoped(v *workspace.View, h scoped, rules []rule) error {
	wanted := map[string]bool{}
	for _, rule := range rules {
		if len(rule.globs) == 0 {
			continue
		}
		name := prefix + strings.ReplaceAll(strings.TrimSuffix(rule.entry.Path, ".md"), "/", "-") + h.end
		p := path.Join(h.dir, name)
		if wanted[p] {
			continue // a/b-c and a-b/c
		}
		wanted[p] = true
		before, exists, err := read(v, p)
		if _, ours := block.Markdown.Body(before); err == nil && exists && !ours {
			err = fmt.Errorf("%s: it is there and is not written by brv-lsp export; rename it", p)
		}
		if err != nil {
			return err
		}
		source := fmt.Sprintf("More: `%s`.", sanitize.Name(v.FilePath(rule.entry.Path)))
		text := block.Markdown.Put("", rule.text()+source)
		if err := r.add(v, p, sanitize.Quote("---\n"+h.head(rule.title(), rule.globs)+"---\n"+text)); err != nil {
			return err
		}
	}
	list, _ := v.Files().ReadDir(h.dir)
	for _, d := range list {
		p := path.Join(h.dir, d.Name())
		if !strings.HasPrefix(d.Name(), prefix) || !strings.HasSuffix(d.Name(), h.end) || wanted[p] {
			continue
		}
		if before, _, err := read(v, p); err == nil {
			if _, ours := block.Markdown.Body(before); ours {
				r.Files = append(r.Files, File{Path: p, State: Unwanted})
			}
		}
	}
	return nil
}

// add plans a file.
func (r *Report) add(v *workspace.View, p, after string) error {
	before, exists, err := read(v, p)
	if err != nil {
		return err
	}
	state := Outdated
	switch {
	case !exists:
		state = Missing
	case strings.ReplaceAll(before, "\r\n", "\n") == strings.ReplaceAll(after, "\r\n", "\n"): // as git may check it out
		state = Current
	}
	r.Files = append(r.Files, File{Path: p, State: state, after: after})
	return nil
}

func read(v *workspace.View, p string) (text string, exists bool, err error) {
	data, err := v.Files().ReadFile(p, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, err
}

func there(v *workspace.View, p string) bool {
	_, err := v.Files().Stat(p)
	return err == nil
}

// Stale counts the files that are not as they should be.
func (r *Report) Stale() (n int) {
	for _, f := range r.Files {
		if f.State != Current {
			n++
		}
	}
	return n
}

// Write writes the files that are not as they should be. Each is replaced in one step; a link in the place of one, or
// on the way to it out of the folder, is an error.
func Write(files *jail.Root, r *Report) error {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	jail.Sweep(files, paths...)
	for _, f := range r.Files {
		var err error
		switch f.State {
		case Unwanted:
			err = files.Remove(f.Path)
		case Outdated, Missing:
			err = files.WriteFile(f.Path, []byte(f.after))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

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
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Request asks for the rule files.
type Request struct {
	For    []string `flag:"for,list"` // hosts whose rule files are written; none: those that have a folder here
	Remove bool     `flag:"remove"`   // take away all that was written, for all hosts
}

// Report holds the rule files as they would be, and as they are.
type Report struct {
	Files  []File   `json:"files"`
	Tokens int      `json:"tokens"`          // of what is always loaded
	Told   int      `json:"told"`            // entries
	Left   []Left   `json:"left"`            // entries that somebody stands for and that are not told
	Notes  []string `json:"notes,omitempty"` // marks that stay since they are not ours, entries without a rule file

	Written bool `json:"written"` // the files are as they should be now
}

// File is a file that is written, as it is and as it should be.
type File struct {
	Path  string `json:"path"`
	State string `json:"state"` // current, outdated, missing or unwanted

	Foreign bool   `json:"foreign,omitempty"` // nothing of ours stands in it yet
	Diff    string `json:"diff,omitempty"`    // of a foreign file: what would be put into it
	Ignored bool   `json:"ignored,omitempty"` // by git, so that others do not get it
	after   string
	stays   bool // the file was there before the block, and stays when it is empty without it
}

// The states of a file.
const (
	Current  = "current"
	outdated = "outdated"
	missing  = "missing"
	Unwanted = "unwanted" // what it says of ours is not told any more
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

// maxName is the longest name of a file that common file systems take, in bytes.
const maxName = 255

const heading = "## Project knowledge\n\nWritten by `brv-lsp export` from `" + workspace.TreeDir +
	"`: change the entries, not this block.\n\n"

// The files that are always loaded, and how the second takes the first in.
const (
	agentsFile = "AGENTS.md"
	claudeFile = "CLAUDE.md"
	include    = "@" + agentsFile + "\n"
)

// marked is the block of AGENTS.md and CLAUDE.md. What others wrote between marks is theirs.
var marked = func() block.Style {
	s := block.Markdown
	s.Ours = func(body string) bool { return strings.HasPrefix(body, heading) || body == include }
	return s
}()

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
		body, ok := marked.Body(text)
		return text, ok && body != include
	}
	_, agents := holds(agentsFile)
	switch host {
	case "claude-code":
		claude, ok := holds(claudeFile)
		below, too := holds(".claude/" + claudeFile)
		includes := strings.Contains(claude, "@AGENTS.md") || strings.Contains(below, "@../AGENTS.md")
		return ok || too || agents && includes
	case "gemini":
		return false
	}
	return agents
}

// Plan computes the content that the rule files should have, and writes nothing.
func Plan(ctx context.Context, v *workspace.View, req Request) (*Report, error) {
	for _, name := range req.For {
		if !slices.Contains(Hosts(), name) {
			return nil, workspace.WrongField("for", "no rule files for %q; the hosts are %s", workspace.Clipped(name), strings.Join(Hosts(), ", "))
		}
	}
	if !v.HasTree() && !req.Remove {
		return nil, v.NoTree()
	}
	r := &Report{}
	var rules []rule
	if !req.Remove {
		var err error
		if rules, r.Left, err = rulesOf(ctx, v); err != nil {
			return nil, err
		}
	}
	r.Told = len(rules)
	if err := r.agents(v, rules); err != nil {
		return nil, err
	}
	for _, h := range hosts {
		used := slices.ContainsFunc(h.shown, func(p string) bool { return there(v, p) && !oursAlone(v, p) })
		if slices.Contains(req.For, h.host) || len(req.For) == 0 && (used || req.Remove) {
			if err := r.scoped(v, h, rules); err != nil {
				return nil, err
			}
		}
	}
	r.markIgnored(ctx, v)
	return r, nil
}

// agents plans AGENTS.md, and CLAUDE.md where none is. Where there is nothing to say, nothing of ours stays in them.
func (r *Report) agents(v *workspace.View, rules []rule) error {
	if len(rules) == 0 {
		if err := r.cut(v, agentsFile); err != nil {
			return err
		}
		return r.cut(v, claudeFile)
	}
	body := sanitize.Quote(heading + always(rules, MaxAlways-tokens.Count(heading)))
	r.Tokens = tokens.Count(body)
	if err := r.put(v, agentsFile, body); err != nil {
		return err
	}
	claude, _, _ := read(v, claudeFile)
	if _, ours := marked.Body(claude); !ours && (there(v, claudeFile) || there(v, ".claude/"+claudeFile)) {
		return nil
	}
	return r.put(v, claudeFile, include)
}

// put plans a file with a block of ours.
func (r *Report) put(v *workspace.View, p, body string) error {
	before, exists, err := read(v, p)
	if err != nil {
		return err
	}
	r.noteStrays(p, before)
	after := marked.Put(before, body)
	if exists && before == "" { // cut tells an empty file from none by the line end
		after = strings.TrimSuffix(after, "\n")
	}
	if err := r.add(v, p, after); err != nil {
		return err
	}
	if _, ours := marked.Body(before); exists && !ours {
		f := &r.Files[len(r.Files)-1]
		f.Foreign, f.Diff = true, markdown.Diff(p, before, p, after)
	}
	return nil
}

// noteStrays tells of marks that are not of our block: as after a merge, or where somebody removed a line.
func (r *Report) noteStrays(p, text string) {
	for _, line := range marked.Strays(text) {
		r.Notes = append(r.Notes, fmt.Sprintf("%s:%d: this marker does not belong to a block that `brv-lsp export` wrote, and was kept", p, line))
	}
}

// cut plans a file without the block of ours; a file that says nothing else goes. In a link nothing of ours stands.
func (r *Report) cut(v *workspace.View, p string) error {
	if info, err := v.Files().Lstat(p); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	before, _, err := read(v, p)
	if err != nil {
		return err
	}
	r.noteStrays(p, before)
	if after := marked.Cut(before); after != before {
		r.Files = append(r.Files, File{Path: p, State: Unwanted, after: after, stays: after != "" || !strings.HasSuffix(before, "\n")})
	}
	return nil
}

// markIgnored marks the files that git leaves out of commits, where git may be asked.
func (r *Report) markIgnored(ctx context.Context, v *workspace.View) {
	w := v.Workspace()
	repo, err := git.Open(w.Root())
	if trusted, _ := w.Trusted(); err != nil || !trusted {
		return
	}
	var paths []string
	for _, f := range r.Files {
		if f.State != Unwanted {
			paths = append(paths, f.Path)
		}
	}
	ignored, _ := repo.Ignored(ctx, paths) // where git fails it is not known
	for i, f := range r.Files {
		r.Files[i].Ignored = slices.Contains(ignored, f.Path)
	}
}

// scoped plans a host's files of rules that are about some files, and finds those of ours that are not wanted any more.
func (r *Report) scoped(v *workspace.View, h scoped, rules []rule) error {
	wanted := map[string]string{} // a file → its entry
	for _, rule := range rules {
		if len(rule.globs) == 0 {
			continue
		}
		name := prefix + strings.ReplaceAll(strings.TrimSuffix(rule.entry.Path, ".md"), "/", "-") + h.end
		p := path.Join(h.dir, name)
		switch other := wanted[p]; {
		case other != "": // a/b-c and a-b/c
			r.Notes = append(r.Notes, fmt.Sprintf("%s was not exported because %s would also be the file of %s; rename one of the entries",
				rule.entry.Path, p, other))
			continue
		case len(name) > maxName:
			r.Notes = append(r.Notes, fmt.Sprintf("%s was not exported to %s because the file name would have %d bytes (limit: %d)",
				rule.entry.Path, h.dir, len(name), maxName))
			continue
		}
		wanted[p] = rule.entry.Path
		before, exists, err := read(v, p)
		if err == nil && exists && !written(before) {
			err = fmt.Errorf("%s already exists and was not written by brv-lsp export; rename it", p)
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
		if !strings.HasPrefix(d.Name(), prefix) || !strings.HasSuffix(d.Name(), h.end) || wanted[p] != "" {
			continue
		}
		switch before, _, err := read(v, p); {
		case err == nil && written(before):
			r.Files = append(r.Files, File{Path: p, State: Unwanted})
		case len(rules) == 0:
			r.Notes = append(r.Notes, p+" was changed since it was exported, so it stays; delete it yourself")
		}
	}
	return nil
}

// written reports whether export wrote a file of rules: it is its head and the block.
func written(text string) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	head := block.Markdown.Cut(text)
	return head != text && strings.HasPrefix(head, "---\n") && strings.Index(head, "\n---\n") == len(head)-len("\n---\n")
}

// add plans a file.
func (r *Report) add(v *workspace.View, p, after string) error {
	before, exists, err := read(v, p)
	if err != nil {
		return err
	}
	state := outdated
	switch {
	case !exists:
		state = missing
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

// oursAlone reports whether nothing but our block stands in a file: then it tells nothing of the hosts that are used here.
func oursAlone(v *workspace.View, p string) bool {
	text, _, _ := read(v, p)
	_, ours := marked.Body(text)
	return ours && marked.Cut(text) == ""
}

// Stale counts the files that differ from their planned content.
func (r *Report) Stale() (n int) {
	for _, f := range r.Files {
		if f.State != Current {
			n++
		}
	}
	return n
}

// Write writes the files that are not as they should be. Each is replaced in one step; a link in the place of one, or
// on the way to it out of the folder, is an error. Folders that are empty without our files go too.
func Write(files *jail.Root, r *Report) error {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	jail.Sweep(files, paths...)
	for _, f := range r.Files {
		var err error
		switch {
		case f.State == Unwanted && !f.stays:
			err = files.Remove(f.Path)
			for dir := path.Dir(f.Path); err == nil && dir != "." && files.RemoveDir(dir) == nil; {
				dir = path.Dir(dir)
			}
		case f.State != Current:
			err = files.WriteFile(f.Path, []byte(f.after))
		}
		if err != nil {
			return err
		}
	}
	r.Written = true
	return nil
}

package documents

import (
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxGlobs is how many globs of a rule are read: each is matched against every file of an answer.
const maxGlobs = 256

// maxGlob bounds a glob, in bytes.
const maxGlob = 256

// Rule says where a rule applies.
type Rule struct {
	Always      bool
	Globs       []string // of files of the folder, none with Always
	Description string
	Dropped     int // globs that are malformed, or too many
}

// shortRule is up to which size a rule is shown as a whole, in bytes; any other is a line that names it.
const shortRule = 1200

// RuleEntry is a rule as one entry: with what it says where that is short.
func (d *Document) RuleEntry() *format.Entry {
	_, body := frontmatter(d.Text)
	e := &format.Entry{Path: d.Path + format.SectionSign + d.Title + " (rule)", Role: format.RoleEntry, Text: d.Text, Hash: d.Hash + ":rule",
		Title: d.Title, Summary: d.Rule.Description, Body: markdown.Span{Start: body, End: len(d.Text)}}
	if len(d.Text)-body > shortRule {
		e.Body.End = body
	}
	return d.veiled(e)
}

// Applies reports whether a rule is for a file.
func (r *Rule) Applies(file string) bool { return glob.Match(r.Globs, file) }

// ruleOf reads where the rule at p applies: what its frontmatter says under the names that its host gives
// (globs, paths, applyTo), or the folder that an AGENTS.md stands in. One that says nothing applies when it is
// asked for; what stands at the top (AGENTS.md) is read by every agent without us.
func ruleOf(p string, f fields) Rule {
	r := Rule{Always: f.one("alwaysapply") == "true", Description: sanitize.Cut(f.one("description"), maxTitle)}
	base, dir := path.Base(p), path.Dir(p)
	for _, key := range []string{"globs", "paths", "applyto"} {
		for _, g := range f[key] {
			if g = strings.TrimPrefix(g, "./"); g == "**" || g == "**/*" {
				r.Always = true
			}
			switch {
			case len(r.Globs) == maxGlobs || len(g) > maxGlob || glob.Check(g) != nil:
				r.Dropped++
			case !strings.Contains(g, "/"):
				r.Globs = append(r.Globs, "**/"+g)
			default:
				r.Globs = append(r.Globs, strings.TrimPrefix(g, "/"))
			}
		}
	}
	switch {
	case len(r.Globs) > 0:
	case agents[strings.ToLower(base)] && dir != ".":
		r.Globs = []string{dir + "/**"}
	}
	if r.Always {
		r.Globs = nil
	}
	return r
}

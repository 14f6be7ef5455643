package documents

import (
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxGlobs bounds the globs of a rule, since each one is matched against every file of an answer.
const maxGlobs = 256

// maxGlob bounds a glob, in bytes.
const maxGlob = 256

// Rule describes where a rule applies.
type Rule struct {
	Always      bool
	Globs       []string // globs of files in the folder; none if Always is set
	Description string
	Dropped     int // the number of globs that are malformed, or over the limit
}

// shortRule is the largest size of a rule that is shown as a whole, in bytes. A longer one is only named.
const shortRule = 1200

// RuleEntry returns a rule as one entry. It has the rule's text only if that is short.
func (d *Document) RuleEntry() *format.Entry {
	_, body := frontmatter(d.Text)
	e := &format.Entry{Path: d.Path + format.SectionSign + d.Title + " (rule)", Role: format.RoleEntry, Text: d.Text, Hash: d.Hash + ":rule",
		Title: d.Title, Summary: d.Rule.Description, Body: markdown.Span{Start: body, End: len(d.Text)}}
	if len(d.Text)-body > shortRule {
		e.Body.End = body
	}
	return d.veiled(e)
}

// Applies reports whether a rule applies to a file.
func (r *Rule) Applies(file string) bool { return glob.Match(r.Globs, file) }

// ruleOf determines where the rule at p applies: from the frontmatter keys of the various hosts (globs, paths,
// applyTo), or from the folder of an AGENTS.md. A rule without either applies when it is asked for. Every agent
// reads the AGENTS.md at the top by itself.
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

// Package export writes what agents without tools read: a block in AGENTS.md that is always loaded, and rule files that
// a host loads only with the files that an entry is about.
//
// Short wins: generated context that is long costs more than it helps. So of the tree only what code cannot tell is
// written (rules, conventions, decisions), only of entries that somebody stands for (validated, core or confirmed, as
// their files say: what is counted on one machine is not the same on another), never of one that the code has left
// behind, and in at most [MaxAlways] tokens for what is always loaded. The rest are pointers.
//
// What stands outside the block in AGENTS.md is not touched, marks among it that are not ours, and where nothing is told
// there is no block. A rule file is written as a whole, and replaced or removed only where its name begins with brv- and
// nothing but a head and the block stands in it.
package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// MaxAlways is the most tokens (o200k_base) of what is always loaded.
const MaxAlways = 1500

// maxLine bounds a line of a rule, in bytes: a longer one is too long to remember.
const maxLine = 400

// rule is an entry that agents are told.
type rule struct {
	entry *format.Entry
	core  bool
	globs []string // the files that it is about; none: the whole project
	files []string // the same as paths
	lines []string // what it says
}

// Left is an entry that is left out, with the reason.
type Left struct {
	Entry  string `json:"entry"`
	Reason string `json:"reason"`
}

// rulesOf are the entries for agents, the most important first, and those that are left out for a reason.
func rulesOf(ctx context.Context, v *workspace.View) (rules []rule, left []Left, err error) {
	w := v.Workspace()
	var vouched []*format.Entry
	for _, e := range v.Tree().Entries() {
		if e.Role == format.RoleEntry && format.StoodFor(e) {
			vouched = append(vouched, e)
		}
	}
	if err := w.WaitCode(ctx); err != nil {
		return nil, nil, err
	}
	if w.Past() == nil {
		w.ReadHistory(ctx)
	}
	v = w.View()
	stale, err := drift.Compare(ctx, v, vouched...)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range vouched {
		lines := linesOf(e)
		switch {
		case len(stale[e.Path]) > 0:
			left = append(left, Left{e.Path, "stale: " + stale[e.Path][0].Reason})
		case len(lines) == 0:
			left = append(left, Left{e.Path, "it has no rule, convention or decision"})
		default:
			r := rule{entry: e, core: e.Settled(e.Tier()) == format.Core, lines: lines}
			r.about(v)
			rules = append(rules, r)
		}
	}
	slices.SortStableFunc(rules, func(a, b rule) int {
		if a.core != b.core {
			return map[bool]int{true: -1, false: 1}[a.core]
		}
		return cmp.Compare(a.entry.Path, b.entry.Path)
	})
	return rules, left, ctx.Err()
}

// about sets the files of a rule: those of the entry's Files list that are there.
func (r *rule) about(v *workspace.View) {
	for _, f := range r.entry.Files {
		for _, ref := range v.Links().Of(r.entry.Path) {
			if ref.Span != f.At || !ref.Exists || slices.Contains(r.files, ref.Path) {
				continue
			}
			glob := literal(ref.Path)
			if ref.Folder {
				glob += "/**"
			}
			r.files, r.globs = append(r.files, ref.Path), append(r.globs, glob)
		}
	}
}

// literal is a path as a pattern: what would mean something else in one stands for any character.
func literal(path string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("*?[]{}(),!\"\\", r) {
			return '?'
		}
		return r
	}, path)
}

// shared are the categories of facts that concern everyone who works here and cannot be read from the code.
var shared = []string{"convention", "team", "environment", "project", "preference"}

// linesOf returns the statements of an entry that cannot be read from the code: its rules, the facts that
// concern everyone, and the reasons.
func linesOf(e *format.Entry) (lines []string) {
	c := e.Content()
	lines = items(c.Narrative.Rules)
	for _, f := range c.Facts {
		if slices.Contains(shared, f.Category) {
			lines = append(lines, strings.TrimPrefix(f.Subject+": ", ": ")+f.Statement)
		}
	}
	if why := e.Reason(); why != "" {
		lines = append(lines, "Why: "+why)
	}
	for i, l := range lines {
		lines[i] = plain(l)
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" || len(l) > maxLine })
}

// items are the list items and paragraphs of a text, each as one line; code in fences is left out.
func items(text string) (out []string) {
	fresh := true
	text = markdown.Said(text, 0)
	for l := range markdown.Lines(text) {
		s := strings.TrimSpace(l.At.Of(text))
		level, _ := markdown.Heading(s)
		switch at := markdown.Item(s); {
		case l.Fence != markdown.FenceNone || s == "" || level > 0:
			fresh = true
		case at > 0 || fresh:
			out, fresh = append(out, s[at:]), false
		default:
			out[len(out)-1] += " " + s
		}
	}
	return out
}

// plain is a line as an agent may read it: without what nobody sees, credentials, and what a host would run, fetch or
// include. A mention of a file by @ includes it in some hosts, so it stands as code; a backtick that bounds no code
// could end that, and becomes an apostrophe.
func plain(s string) string {
	s = sanitize.Line(secrets.Redact(s), maxLine+1)
	s = sanitize.Disarm(strings.ReplaceAll(s, "\\`", "'"))
	s = strings.ReplaceAll(s, "<!--", "&lt;!--") // a comment that people do not see and models read
	spans := markdown.CodeSpans(s)
	var out strings.Builder
	write := func(part string) {
		if strings.HasSuffix(out.String(), "`") && strings.HasPrefix(part, "`") {
			out.WriteByte(' ') // two spans side by side bound each other
		}
		out.WriteString(part)
	}
	at := 0
	for _, c := range append(spans, markdown.Code{At: markdown.Span{Start: len(s), End: len(s)}}) {
		for word := range strings.SplitAfterSeq(strings.ReplaceAll(s[at:c.At.Start], "`", "'"), " ") {
			if name := strings.TrimRight(word, " .,;:)"); strings.Contains(name, "@") {
				word = "`" + name + "`" + word[len(name):]
			}
			write(word)
		}
		write(c.At.Of(s))
		at = c.At.End
	}
	return out.String()
}

func (r *rule) title() string { return plain(r.entry.Title) }

// text is a rule as a list below its title.
func (r *rule) text() string {
	return fmt.Sprintf("**%s**\n- %s\n\n", r.title(), strings.Join(r.lines, "\n- "))
}

// pointers describes how to ask for more.
const pointers = "The context tree has more: ask `brv-lsp query \"QUESTION\"` (tool `brv_query`), or run " +
	"`brv-lsp pack --task \"TASK\" --budget 4000` (tool `brv_context`) before a change.\n"

// always is the text that is always loaded, in at most that many tokens: what holds everywhere, then where to look
// before files are changed.
func always(rules []rule, most int) string {
	const where = "Read these entries before you change the files:\n"
	room := most - tokens.Count(pointers) - tokens.Count(where) - 2
	var global, scoped strings.Builder
	add := func(to *strings.Builder, text string) {
		if n := tokens.Count(text) + 1; n <= room { // texts joined may have a token more than by themselves
			room -= n
			to.WriteString(text)
		}
	}
	for _, r := range rules {
		if len(r.files) == 0 {
			add(&global, r.text())
		}
	}
	for _, r := range rules {
		if len(r.files) > 0 {
			entry := sanitize.Name(workspace.TreeDir + "/" + r.entry.Path)
			add(&scoped, fmt.Sprintf("- %s: `%s` (%s)\n", named(r.files), entry, r.title()))
		}
	}
	if scoped.Len() > 0 {
		return global.String() + where + scoped.String() + "\n" + pointers
	}
	return global.String() + pointers
}

// maxNamed is how many files of an entry a pointer names.
const maxNamed = 3

func named(files []string) string {
	quoted := make([]string, len(files))
	for i, f := range files {
		quoted[i] = "`" + sanitize.Name(f) + "`"
	}
	return words.AtMost(quoted, maxNamed)
}

package retrieval

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The text of a model is read line by line outside of code fences. Its citations, [domain/topic/entry.md],
// are looked up in the snapshot: existing entries become the answer's sources, and the others are marked in
// the text. If it writes a list of sources, that is replaced by the list of the citations. Credentials are
// removed, and so is everything that acts when it is shown or clicked once ([sanitize.Disarm]). Otherwise a
// hostile entry could make the model put text that it read into the address of a picture, which the reader's
// editor then loads.

// replyParts are the parts of an answer (reference system).
var replyParts = []string{"Summary", "Details", "Sources", "Gaps"}

var (
	replyHeading = lazyregexp.New(
		`(?i)^ {0,3}(?:#{1,6} +\**(summary|details|sources|gaps)\**:?\** *$|\*\*(summary|details|sources|gaps):?\*\*:? *|(summary` +
			`|details|sources|gaps): +|(summary|details|sources|gaps):$)`)
	definition = lazyregexp.New(`(?m)^([\s>*+\-0-9.)]*)\[([^\]\n]+)\]:`)
	emptyGaps  = lazyregexp.New(`(?i)^\W*(none|no gaps|nothing|n/a)\W*$`)
	treePath   = lazyregexp.New(`^[^\s:?*|"<>\\]+\.md$`)
)

// reply is a model's answer while it is parsed.
type reply struct {
	snap    *tree.Snapshot
	cited   []string // entries, in order
	missing []string // cited paths that do not exist
	refuses bool     // it states that the tree does not cover the question
	parts   map[string]*strings.Builder
}

// read makes an answer from a model's text. If the text cites nothing, but its summary occurs word for word in
// an entry that the model was shown, that entry is cited.
func (q *inquiry) read(a *Answer, text string) *reply {
	r := &reply{snap: q.snap, parts: map[string]*strings.Builder{}}
	for _, name := range replyParts {
		r.parts[name] = &strings.Builder{}
	}
	r.scan(secrets.Redact(q.withoutTags(text)))
	summary := r.part("Summary")
	a.Why = "answered"
	if rest, ok := cutNotCovered(summary); ok {
		r.refuses = true
		summary = strings.TrimSpace("The context tree does not cover this question. " + rest +
			"\n\nIf you find the answer, write it down for the next person.")
		a.Why = "found not covered"
	} else if len(r.cited) == 0 {
		if p := q.quotedFrom(summary); p != "" {
			summary += " " + r.take(p)
		}
	}
	var unseen []string
	for _, p := range r.cited {
		e, _ := q.snap.Entry(p)
		source, shown := q.shown.source(e)
		if a.Sources = append(a.Sources, source); !shown {
			unseen = append(unseen, p)
		}
	}
	a.Note = r.note(unseen)
	a.Text = r.render(summary, a.Sources)
	return r
}

// withoutTags removes repeated quotation tags and invisible characters from a text.
func (q *inquiry) withoutTags(text string) string {
	tag := regexp.MustCompile(`</?\w*-` + q.quoter.nonce + `[^>\n]*>\n?`)
	return q.quoter.clean(tag.ReplaceAllString(text, ""))
}

// scan assigns the lines to the answer's parts; text before the first heading is the summary.
func (r *reply) scan(text string) {
	part, fence := "Summary", ""
	for l := range markdown.Lines(text) {
		line := strings.TrimRight(l.At.Of(text), " ")
		if fence = l.Open; l.Fence == markdown.FenceNone {
			if m := replyHeading().FindStringSubmatch(line); m != nil {
				part = partNamed(strings.Join(m[1:], ""))
				line = line[len(m[0]):]
			}
			line = r.cite(line)
		}
		r.parts[part].WriteString(line + "\n")
	}
	if fence != "" {
		r.parts[part].WriteString(fence + "\n")
	}
}

func partNamed(s string) string {
	return replyParts[slices.IndexFunc(replyParts, func(p string) bool { return strings.EqualFold(p, s) })]
}

func (r *reply) part(name string) string { return strings.Trim(r.parts[name].String(), "\n") }

// cite reads the citations of a line and returns it with each as the path that it
// means.
func (r *reply) cite(line string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(line, '[')
		if start < 0 {
			break
		}
		inside, after, ok := bracket(line[start:])
		if !ok {
			b.WriteString(line[:start+1])
			line = line[start+1:]
			continue
		}
		b.WriteString(line[:start])
		target, behind, isLink := linkTarget(after)
		switch {
		case isLink && r.isPath(target):
			b.WriteString(r.citation(target))
			line = behind
		case isLink && r.isPath(inside): // its text and its target are different places
			b.WriteString(r.citation(inside))
			line = behind
		case isLink && strings.Contains(target, "://"): // an address of its own
			b.WriteString("[" + inside + "](" + target + ")")
			line = behind
		default:
			b.WriteString(r.citation(inside))
			line = after
		}
	}
	b.WriteString(line)
	r.citeCode(b.String())
	return b.String()
}

// maxCitation bounds a bracket and the target of a link, in bytes: a longer one is not a citation.
const maxCitation = 2048

// bracket cuts a bracketed text off the beginning of a text.
func bracket(s string) (inside, after string, ok bool) {
	depth := 0
	for i := range min(len(s), maxCitation) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// linkTarget cuts the target of a markdown link off the text behind its bracket.
func linkTarget(s string) (target, behind string, ok bool) {
	if !strings.HasPrefix(s, "(") {
		return "", s, false
	}
	end := strings.IndexByte(s[:min(len(s), maxCitation)], ')')
	if end < 0 {
		return "", s, false
	}
	return s[1:end], s[end+1:], true
}

// isPath reports whether something is a path of the tree or looks like one.
func (r *reply) isPath(s string) bool {
	_, ok := r.entry(s)
	return ok || treePath().MatchString(bare(s))
}

// bare is a citation without the signs that models put around a path.
func bare(s string) string {
	s, _, _ = strings.Cut(tree.GivenPath(strings.Trim(s, " []`*\"'")), "#")
	return s
}

// entry finds the entry that a citation means.
func (r *reply) entry(cited string) (string, bool) {
	for _, s := range []string{strings.TrimSpace(cited), bare(cited)} {
		if _, ok := r.snap.Entry(s); ok {
			return s, true
		}
	}
	if p := bare(cited); strings.Contains(p, "/") || strings.HasSuffix(p, ".md") {
		to := r.snap.Resolve("", format.FormRelated, p).Target
		return to, to != ""
	}
	return "", false
}

// unknownSource replaces a citation of an entry that does not exist.
const unknownSource = "[unknown source]"

// citation resolves a bracket: to the paths of entries, to a mark if there is no such entry, or to itself if
// it is not a citation.
func (r *reply) citation(inside string) string {
	if p, ok := r.entry(inside); ok {
		return r.take(p)
	}
	items := strings.FieldsFunc(inside, func(c rune) bool { return c == ',' || c == ';' })
	if !slices.ContainsFunc(items, r.isPath) {
		return "[" + inside + "]"
	}
	var out []string
	for _, item := range items {
		p, ok := r.entry(item)
		switch {
		case ok:
			out = append(out, r.take(p))
		case r.isPath(item):
			out = append(out, unknownSource)
			r.missing = append(r.missing, bare(item))
		}
	}
	return strings.Join(slices.Compact(out), " ")
}

func (r *reply) take(p string) string {
	if !slices.Contains(r.cited, p) {
		r.cited = append(r.cited, p)
	}
	return "[" + p + "]"
}

// citeCode also counts an entry as cited if its exact path is in inline code.
func (r *reply) citeCode(line string) {
	for _, c := range markdown.CodeSpans(line) {
		if _, ok := r.snap.Entry(c.Text.Of(line)); ok {
			r.take(c.Text.Of(line))
		}
	}
}

// cutNotCovered takes the mark of a question that is not covered off a summary.
func cutNotCovered(summary string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimLeft(summary, "#*_`>- "), strings.TrimSuffix(notCovered, ":"))
	return strings.TrimLeft(rest, ":*_`. \n"), ok
}

// note returns what a reader should know about the sources of the reply.
func (r *reply) note(unseen []string) string {
	var out []string
	if len(r.missing) > 0 {
		slices.Sort(r.missing)
		out = append(out, "the model cited an entry that does not exist: "+someOf(slices.Compact(r.missing)))
	}
	if len(unseen) > 0 {
		out = append(out, "the model cited entries that it did not read: "+someOf(unseen))
	}
	return strings.Join(out, "; ")
}

// someOf names at most three paths.
func someOf(paths []string) string {
	var out []string
	for _, p := range paths[:min(3, len(paths))] {
		out = append(out, sanitize.First(p, maxAttribute))
	}
	if len(paths) > 3 {
		out = append(out, fmt.Sprintf("%d more", len(paths)-3))
	}
	return strings.Join(out, ", ")
}

// render writes the answer.
func (r *reply) render(summary string, sources []Source) string {
	var b strings.Builder
	write := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", name, text)
		}
	}
	write("Summary", summary)
	write("Details", r.part("Details"))
	list := ""
	for _, s := range sources {
		list += fmt.Sprintf("- [%s] %s\n", s.Path, strings.Join(strings.Fields(s.Title), " "))
	}
	write("Sources", strings.TrimSuffix(list, "\n"))
	if gaps := r.part("Gaps"); !emptyGaps().MatchString(gaps) {
		write("Gaps", gaps)
	}
	// Targets that stand elsewhere than in the text are no targets any more.
	return sanitize.Disarm(definition().ReplaceAllString(strings.TrimSuffix(b.String(), "\n"), `$1\[$2]:`))
}

// A model's answer is used only if it passes these checks. It cites at least one entry of which it was shown
// a part. Its statements occur in the cited entries, as far as they were shown, or in the code that it looked
// at ([grounding.Source.Check]). A refusal, and the list of gaps, may also use the question's words. An
// answer that fails is not repaired, since without a part it may mean something else.

var errUncited = errors.New("it cites none of the passages that the model was given")

// verify returns the reason why an answer must not be shown.
func (q *inquiry) verify(r *reply) error {
	var from strings.Builder
	seen := 0
	for _, p := range r.cited {
		e, _ := q.snap.Entry(p)
		if _, shown := q.shown.source(e); shown {
			seen++
			from.WriteString(q.shownOf(p))
		}
	}
	from.WriteString(strings.Join(q.outlines, "\n\n") + "\n\n")
	said := uncitedText(r.part("Summary") + "\n\n" + r.part("Details"))
	missing := uncitedText(r.part("Gaps"))
	if rest, refuses := cutNotCovered(said); refuses {
		said, missing = "", rest
	} else if seen == 0 {
		return errUncited
	}
	if !r.refuses {
		if err := grounding.In(sanitize.Visible(from.String())).Check(said); err != nil {
			return err
		}
	}
	if strings.TrimSpace(missing) == "" {
		return nil
	}
	for _, p := range q.shown.paths() {
		from.WriteString(q.shownOf(p))
	}
	return grounding.In(from.String() + q.query.Text).CheckNames(missing)
}

// shownOf is the part of an entry that the model was shown.
func (q *inquiry) shownOf(p string) string {
	e, _ := q.snap.Entry(p)
	source, _ := q.shown.source(e)
	return fmt.Sprintf("%s\n\n%s\n\n%s\n\n%s\n\n", p, e.Title, e.Summary, e.Shown(source.At))
}

// quotedFrom is the first shown entry that contains a text word for word; "" if there is none.
func (q *inquiry) quotedFrom(text string) string {
	text = strings.Trim(text, "\"\u201c\u201d >\n")
	for _, p := range q.shown.paths() {
		e, _ := q.snap.Entry(p)
		source, _ := q.shown.source(e)
		if grounding.In(e.Summary + "\n\n" + e.Shown(source.At)).Quotes(text) {
			return p
		}
	}
	return ""
}

// uncitedText is a text without the mark of citations that lead nowhere.
func uncitedText(text string) string { return strings.ReplaceAll(text, unknownSource, "") }

package dream

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// maxJoined bounds a summary that is made of two, in characters: two or three sentences, still
// read at a glance (own choice).
const maxJoined = 300

// mergeOps returns the operations that merge the sources into a target, one after the other, and the target
// after them. The target keeps its text, byte for byte and in place, except for links to a source. It gains
// the statements of each source that it did not have. Each step is planned on the tree that the step before
// leaves, links included.
func mergeOps(s *tree.Snapshot, target *format.Entry, sources []*format.Entry) (ops []plan.Op, whole *format.Entry) {
	for _, source := range sources {
		edits := relink.Redirect(s, source.Path, target.Path)
		now := func(p string) *format.Entry {
			e, _ := s.Entry(p)
			if edits[p] == nil {
				return e
			}
			return format.Parse(p, markdown.ApplyEdits(e.Text, edits[p]))
		}
		j := joined{target: now(target.Path), source: relink.Relocated(s, now(source.Path), target.Path)}
		j.join()
		changed := map[string]*format.Entry{source.Path: nil, target.Path: j.whole()}
		for p := range edits {
			if _, done := changed[p]; !done {
				changed[p] = now(p)
			}
		}
		s = s.Update(changed)
		ops = append(ops, plan.Op{Type: plan.OpMerge, Path: source.Path, MergeTarget: target.Path, Summary: j.summary,
			Content: j.content, Replace: j.replace, Lineage: true})
	}
	whole, _ = s.Entry(target.Path)
	return ops, whole
}

// joined holds the parts in which a merge of two entries differs from [format.Merge].
type joined struct {
	target, source *format.Entry
	summary        string
	content        format.Content
	replace        []format.Part
}

func (j *joined) whole() *format.Entry {
	text, _ := format.Merge(j.target, j.source, format.Header{Summary: j.summary})
	text, _ = format.Parse(j.target.Path, text).Revise(format.Revision{Content: j.content, Replace: j.replace})
	return format.Parse(j.target.Path, text)
}

func (j *joined) join() {
	has, mine, theirs := j.whole().Content(), j.target.Content(), j.source.Content()
	for _, p := range format.NarrativeParts {
		if a, b := *p.Text(&mine), *p.Text(&theirs); a != "" && b != "" && *p.Text(&has) != a {
			j.say(p, *p.Text(&has), behind(a, b, j.source))
		}
	}
	facts := slices.DeleteFunc(slices.Clone(has.Facts), func(f format.Fact) bool {
		return !slices.Contains(mine.Facts, f) && slices.ContainsFunc(mine.Facts,
			func(g format.Fact) bool { return overlap.Says(factText(g), factText(f)) })
	})
	if len(facts) < len(has.Facts) {
		j.content.Facts, j.replace = facts, append(j.replace, format.PartFacts)
	}
	j.keepSummary()
}

// factText is a fact without its category.
func factText(f format.Fact) string {
	f.Category = ""
	return f.String()
}

// say replaces a part of the merged narrative.
func (j *joined) say(p format.PartRow, there, text string) {
	if text == there {
		return
	}
	*p.Text(&j.content) = text
	if !slices.Contains(j.replace, p.Part) {
		j.replace = append(j.replace, p.Part)
	}
}

// keepSummary keeps the sentences of the source's summary that the joined entry does not have. They go into
// its summary, or, if that would be too long, into an item of the highlights.
func (j *joined) keepSummary() {
	if j.source.Summary == "" || j.target.Summary == "" { // format.Merge takes the only one
		return
	}
	whole := j.whole()
	body := whole.Body.Of(whole.Text)
	said := slices.Concat(markdown.Sentences(whole.Summary), overlap.Statements(body), strings.Split(body, "\n"))
	var only []string
	for _, s := range markdown.Sentences(j.source.Summary) {
		if !slices.ContainsFunc(said, func(line string) bool { return overlap.Says(line, s) }) {
			only = append(only, s)
		}
	}
	if len(only) == 0 {
		return
	}
	rest := strings.TrimRight(strings.Join(only, " "), ";")
	sep := "; "
	if last, _ := utf8.DecodeLastRuneInString(j.target.Summary); strings.ContainsRune(".!?;。！？", last) {
		sep = " "
	}
	if summary := j.target.Summary + sep + rest; utf8.RuneCountInString(summary) <= maxJoined {
		j.summary = summary
		return
	}
	there := whole.Content().Narrative.Highlights
	for _, p := range format.NarrativeParts {
		if p.Part == format.PartHighlights {
			j.say(p, there, behind(there, "- "+rest, j.source))
		}
	}
}

// behind returns a part of the target with the content of the source's part added. From lists and one-line
// paragraphs it adds only the lines that the target does not have. Other content cannot be split, so it is
// added whole. If the target's part has headings, the added content gets one too, since it does not belong
// under the last of them.
func behind(target, source string, from *format.Entry) string {
	if target == "" {
		return source
	}
	if !flat(target) || !flat(source) {
		if level := shallowest(target); level > 0 && !strings.HasPrefix(source, "#") {
			title := strings.Join(strings.Fields(cmp.Or(from.Title, path.Base(from.Path))), " ")
			source = strings.Repeat("#", level) + " " + title + "\n\n" + source
		}
		return target + "\n\n" + source
	}
	lines := strings.Split(target, "\n")
	var rest []string
	for line := range strings.SplitSeq(source, "\n") {
		blank := strings.TrimSpace(line) == ""
		switch {
		case blank && (len(rest) == 0 || rest[len(rest)-1] == ""):
		case blank:
			rest = append(rest, "")
		case !slices.ContainsFunc(lines, func(l string) bool { return overlap.Says(l, line) }):
			rest = append(rest, line)
		}
	}
	added := strings.TrimRight(strings.Join(rest, "\n"), "\n")
	switch {
	case added == "":
		return target
	case isItem(lines[len(lines)-1]) && isItem(added) && isTight(target) && isTight(added):
		return target + "\n" + added
	}
	return target + "\n\n" + added
}

func isItem(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}

// isTight reports whether a text has no blank lines.
func isTight(text string) bool { return !strings.Contains(text, "\n\n") }

// flat reports whether each line of a text says something by itself: items of lists at the
// margin, and paragraphs of one line that introduce nothing.
func flat(text string) bool {
	lines := strings.Split(text, "\n")
	blank := func(i int) bool { return i < 0 || i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	for i, line := range lines {
		if blank(i) {
			continue
		}
		said := strings.TrimRight(line, " \t*_")
		switch {
		case line[0] == ' ' || line[0] == '\t' || said == "" || strings.HasSuffix(said, ":"):
			return false
		case isItem(line):
		case !blank(i-1) || !blank(i+1), markdown.Item(line) > 0,
			strings.ContainsAny(line[:1], "#`~|><=") && !isCode(line), strings.Trim(line, "-*_=") == "":
			return false
		case strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**"): // a heading in bold
			return false
		}
	}
	return true
}

// isCode reports whether a line begins with code and is not a fence.
func isCode(line string) bool {
	return strings.HasPrefix(line, "`") && !strings.HasPrefix(line, "```")
}

// shallowest is the level of the highest heading in a part of a narrative, 0 if it has none.
func shallowest(text string) (level int) {
	for l := range markdown.Lines(text) {
		n, _ := markdown.Heading(l.At.Of(text))
		if l.Fence == markdown.FenceNone && n > 0 && (level == 0 || n < level) {
			level = n
		}
	}
	if level > 0 {
		level = max(level, minLevel)
	}
	return level
}

// minLevel is the level of headings in a part of a narrative, whose own has three signs.
const minLevel = 4

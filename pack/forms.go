package pack

import (
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// bytesPerToken is the most that a token has in ordinary text: a larger text is not rendered.
const bytesPerToken = 12

// elision stands for left out lines, as in [codebase.Skeleton].
const elision = "⋮"

// form is one way to show a candidate.
type form struct {
	form  Form
	gain  float64            // its value
	price int                // estimated tokens; set by the filler where it is 0
	shows *block             // what it shows, which nobody changes,
	draw  func(n int) *block // or what makes that when it is needed,
	n     int                // of this: of excerpts, how many
	why   string             // the reason that is written with it, if reasons are
	text  string             // as it is written, once it is
	ended string             // text with a blank line behind it
}

// drawn writes a form, once.
func (b *maker) drawn(f *form) *form {
	if f.draw != nil {
		f.shows, f.draw = f.draw(f.n), nil
	}
	if f.text == "" {
		if f.why != "" {
			with := *f.shows
			with.why, f.shows = f.why, &with
		}
		f.ended = f.shows.markdown() + "\n\n"
		f.text = f.ended[:len(f.ended)-len("\n\n")]
	}
	return f
}

// maxWhy bounds a reason that is written, in characters: it is one short line.
const maxWhy = 90

// giveReasons adds the strongest reason to each form of a candidate.
func giveReasons(c *candidate, estimate func(string) int) {
	why := ""
	if all := c.strongest(); len(all) > 0 {
		why = oneLine(all[0], maxWhy)
	}
	for i := range c.forms {
		f := &c.forms[i]
		f.why, f.text = why, ""
		if f.price > 0 {
			f.price += estimate(why) + 2
		}
	}
}

// price is about what a form costs.
func (b *maker) price(f *form) int { return b.in.Estimate(b.drawn(f).text) }

// linesShown are the first and last line that a form speaks of, 1-based; zero for lines
// of a list.
func (f *form) linesShown() [2]int {
	if s := f.shows; s.extent != [2]int{} || len(s.lines) == 0 {
		return s.extent
	}
	return [2]int{f.shows.lines[0][0], f.shows.lines[len(f.shows.lines)-1][1]}
}

// The shares of an entry's value in its forms: title and summary, which are in each; the passage that the
// search found; and the text, by its length. An agent that sees the title can ask for more.
const (
	gainSummary = 0.28
	gainFound   = 0.47
	gainText    = 0.25
	gainFull    = gainSummary + gainFound + gainText
)

// The values of a file's forms besides their excerpts. Each excerpt counts its chance to be touched by the
// change; these values count times the chance that the change touches the file. A signature shows that the
// file is there but not the lines that change. With .54 for it 660 commits see 65 and 76 % of their changed
// lines at 4,000 and 8,000 tokens, with .25 67 and 77, and joint tasks more of their files; with .15 fewer of
// these.
const (
	gainOutline   = 0.10
	gainSignature = 0.25
	gainWhole     = 0.10 // what lies between the symbols
)

// entryForms gives an entry its forms: title and summary; with the passage that the search found; with one
// more passage; with the whole body. The rest of the frontmatter is for programs. If an entry has no word of
// the task, no passage is preferred. Credentials are left out.
func (b *maker) entryForms(c *candidate, hit retrieval.Hit) {
	e, veiled := c.entry, secrets.Veil(c.entry.Text)
	show := block{kind: KindEntry, form: FormSummary, source: EntryFile(e.Path), title: oneLine(e.Title, maxTitle),
		summary: oneLine(e.Summary, maxSummary), marks: c.marks}
	c.worth = c.chance * gainSummary
	c.forms = []form{{form: FormSummary, gain: c.worth, shows: &show}}
	body := trimSpan(e.Text, e.Body)
	all := body.End - body.Start
	if all == 0 || b.outOfTime(noEntryForms) {
		return
	}
	add := func(f Form, gain float64, at ...markdown.Span) {
		if last := len(at) - 1; at[last].End-at[0].Start > b.task.Budget*bytesPerToken {
			return
		}
		c.forms = append(c.forms, form{form: f, gain: c.chance * gain,
			draw: func(int) *block { return passages(show, e.Text, veiled, f, at) }})
	}
	part := func(at ...markdown.Span) {
		n := 0
		for _, s := range at {
			n += s.End - s.Start
		}
		if 4*n < 3*all {
			add(FormPassage, gainSummary+gainFound+gainText*float64(n)/float64(all), at...)
		}
	}
	passage := trimSpan(e.Text, lineSpan(e.Text, clip(hit.Passage, body)))
	if passage.Start < passage.End && len(hit.Matched) > 0 {
		part(passage)
		if second := secondPassage(e, hit, passage, body); second.Start < second.End {
			both := []markdown.Span{passage, second}
			slices.SortFunc(both, func(a, b markdown.Span) int { return a.Start - b.Start })
			part(both...)
		}
		if c.governs {
			withEnd(e.Text, passage, body, part)
		}
	}
	add(FormFull, gainFull, body)
	c.worth = c.chance * gainFull
}

// maxEnds is how many lengths of an entry's end are tried.
const maxEnds = 16

// withEnd adds forms that show the end of a body beside its best passage, longer and longer. At the end of a
// long discussion is usually the decision.
func withEnd(text string, passage, body markdown.Span, part func(at ...markdown.Span)) {
	for i, from := 0, body.End; i < maxEnds; i++ {
		at := strings.LastIndex(text[body.Start:from], "\n\n")
		if at < 0 || body.Start+at+2 <= passage.End {
			return
		}
		from = body.Start + at
		end := trimSpan(text, markdown.Span{Start: from, End: body.End})
		if passage.Start < passage.End {
			part(passage, end)
		} else {
			part(end)
		}
	}
}

// secondPassage is the section, besides the best passage, with most of the words that the search matched, or
// the shortest of several. There is none if no section has such a word.
func secondPassage(e *format.Entry, hit retrieval.Hit, first, body markdown.Span) (best markdown.Span) {
	most := 1
	for _, s := range e.Sections {
		at := trimSpan(e.Text, clip(s.At, body))
		if at.Start >= at.End || at.Start < first.End && first.Start < at.End {
			continue
		}
		text, n := strings.ToLower(at.Of(e.Text)), 0
		for _, w := range hit.Matched {
			if strings.Contains(text, strings.ToLower(w)) {
				n++
			}
		}
		if n > most || n == most && n > 1 && at.End-at.Start < best.End-best.Start {
			most, best = n, at
		}
	}
	return best
}

// Longest title and summary in a one-line form, in characters. The reference
// system cuts summaries at about the same length.
const (
	maxTitle   = 120
	maxSummary = 240
)

// passages shows some passages of an entry, in the order of its lines.
func passages(show block, text string, veiled secrets.Veiled, f Form, at []markdown.Span) *block {
	show.form, show.language = f, "md"
	var out strings.Builder
	for i, s := range at {
		if i > 0 {
			out.WriteString(elision + "\n")
		}
		out.WriteString(strings.TrimRight(veiled.Part(s.Start, s.End), "\n") + "\n")
		show.lines = append(show.lines, wordForWord(text, veiled, s.Start, s.End)...)
	}
	show.text = clean(out.String())
	return &show
}

// clip cuts a span to another; a span outside becomes empty.
func clip(s, to markdown.Span) markdown.Span {
	start := min(max(s.Start, to.Start), to.End)
	return markdown.Span{Start: start, End: min(max(s.End, start), to.End)}
}

// lineSpan widens a span that is not empty to whole lines.
func lineSpan(text string, s markdown.Span) markdown.Span {
	if s.Start == s.End {
		return s
	}
	s.Start = strings.LastIndexByte(text[:s.Start], '\n') + 1
	if text[s.End-1] != '\n' {
		if i := strings.IndexByte(text[s.End:], '\n'); i >= 0 {
			s.End += i
		} else {
			s.End = len(text)
		}
	}
	return s
}

// trimSpan drops blank lines at both ends.
func trimSpan(text string, s markdown.Span) markdown.Span {
	content, all := s.Of(text), s.End
	s.End -= len(content) - len(strings.TrimRightFunc(content, unicode.IsSpace))
	if s.End <= s.Start {
		return markdown.Span{Start: s.Start, End: s.Start}
	}
	if rest := text[s.End:all]; rest != "" {
		line, _, _ := strings.Cut(rest, "\n")
		s.End += len(line) // lines stay whole
	}
	content = s.Of(text)
	lead := content[:len(content)-len(strings.TrimLeftFunc(content, unicode.IsSpace))]
	s.Start += strings.LastIndexByte(lead, '\n') + 1
	return s
}

// linesOf returns the first and last line of a range that is not empty, 1-based.
func linesOf(text string, start, end int) [2]int {
	first := 1 + strings.Count(text[:start], "\n")
	return [2]int{first, first + strings.Count(strings.TrimRight(text[start:end], "\n"), "\n")}
}

// wordForWord are the lines of a range that is not empty, without those that have a credential and so are not
// shown as they are.
func wordForWord(text string, veiled secrets.Veiled, start, end int) (out [][2]int) {
	lines := linesOf(text, start, end)
	for _, f := range veiled.Found() {
		if f.At.End <= start || end <= f.At.Start {
			continue
		}
		masked := linesOf(text, max(f.At.Start, start), min(f.At.End, end))
		if lines[0] < masked[0] {
			out = append(out, [2]int{lines[0], masked[0] - 1})
		}
		lines[0] = max(lines[0], masked[1]+1)
	}
	if lines[0] <= lines[1] {
		out = append(out, lines)
	}
	return out
}

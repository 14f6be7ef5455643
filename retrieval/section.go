package retrieval

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A direct answer shows more than the passage that ranks its entry. The rank depends on how densely the words
// of the question occur; the answer is often in a section that does not repeat them. So a short entry is
// shown whole, and of a long one the section with the most different words of the question, or the longest of
// several. The words of the entry's title count little, since they already selected the entry.

// wholeSize is the size up to which a body is shown whole, and to which a section is
// shown, in bytes: one block.
const wholeSize = blockSize

// fullSection is the worth of a section of passageSize for its length alone, against
// 1 for all words of the query. An own choice: less than a rare word, more than a
// second mention.
const fullSection = 0.3

// record is the section about the origin of an entry: its task, its files. It has the words of the question
// more often than the section with the answer.
const record = "Raw Concept"

// recordCredit is the weight of a word in the record. An own choice: what the task and
// another section both say, the other section explains.
const recordCredit = 0.5

// section is the part of an entry that a direct answer shows.
func (l *lens) section(d *doc) markdown.Span {
	o, e := d.outline(), d.entry
	if len(o.blocks) == 0 {
		return l.best(d).at
	}
	end := o.blocks[len(o.blocks)-1].at.End
	from := skipTitle(e, o.blocks[0].at.Start)
	best, held := l.window(d, from)
	if past, ok := skipRecord(e, from); ok && past < end && (!held || best.Start >= past) {
		from = past
	}
	if end-from <= wholeSize {
		best.End = end
		best.Start = from
	}
	best.Start = min(max(best.Start, from), best.End)
	best.Start = best.End - len(strings.TrimLeft(best.Of(e.Text), "\r\n"))
	return best
}

// window is the stretch of blocks under one heading that answers best, and whether
// any holds more of the question than the title does. If none does, it is the body's
// beginning behind the record.
func (l *lens) window(d *doc, from int) (at markdown.Span, held bool) {
	o := d.outline()
	at = l.best(d).at // also fills in base and counts
	raw, _ := d.entry.Section(record)
	recorded := func(b block) bool { return raw.At.Start <= b.at.Start && b.at.Start < raw.At.End }
	bare := func(b block) bool { // a heading with nothing of its own
		return b.at.End <= from || b.opens && !strings.Contains(b.at.Of(d.entry.Text), "\n")
	}
	begin := slices.IndexFunc(o.blocks, func(b block) bool { return !recorded(b) && !bare(b) })
	top, intro := 0.0, at
	for i, first := range o.blocks {
		if bare(first) {
			continue
		}
		clear(l.sum)
		for j := i; j < min(i+passageBlocks, len(o.blocks)); j++ {
			stretch := markdown.Span{Start: first.at.Start, End: o.blocks[j].at.End}
			size := stretch.End - stretch.Start
			if j > i && (size > wholeSize || o.blocks[j].opens) {
				break
			}
			if i == begin {
				intro = stretch
			}
			words := l.distinct(j)
			held = held || l.beyondTitle(j)
			score := words + fullSection*l.mass*min(1, float64(size)/passageSize)
			if recorded(first) {
				score = recordCredit * words
			}
			if score > top {
				top, at = score, stretch
			}
		}
	}
	if !held {
		return intro, false
	}
	return at, true
}

// distinct puts a block into the stretch at hand and returns what of the query the
// stretch holds, however often.
func (l *lens) distinct(blk int) float64 {
	n := len(l.clauses)
	score := 0.0
	for k, count := range l.counts[blk*n : (blk+1)*n] {
		l.sum[k] += float64(count)
		if l.sum[k] > 0 {
			score += l.worth(k) * (1 - l.base[k])
		}
	}
	return score
}

// beyondTitle reports whether a block holds a word that the entry's title does not.
func (l *lens) beyondTitle(blk int) bool {
	n := len(l.clauses)
	for k, count := range l.counts[blk*n : (blk+1)*n] {
		if count > 0 && l.base[k] == 0 {
			return true
		}
	}
	return false
}

// skipTitle is from, or behind the heading there that only repeats the title.
func skipTitle(e *format.Entry, from int) int {
	if len(e.Sections) > 0 && e.Sections[0].Heading.Start == from && e.Sections[0].Title == e.Title {
		return e.Sections[0].Heading.End
	}
	return from
}

// skipRecord is behind the reason and the record, if nothing but white space stands before them.
func skipRecord(e *format.Entry, from int) (past int, found bool) {
	past = from
	for _, name := range []string{"Reason", record} {
		if sec, ok := e.Section(name); ok && sec.At.Start >= past && strings.TrimSpace(e.Text[past:sec.At.Start]) == "" {
			past, found = sec.At.End, true
		}
	}
	return past, found
}

// rendered is a part of an entry in the form for an answer. Headings become bold lines; otherwise they would
// look like sections of the answer. Headings with only another heading under them are dropped. Section spans
// do not consider code fences. Credentials are removed.
func rendered(e *format.Entry, at markdown.Span) string {
	var b strings.Builder
	veiled := secrets.Veil(e.Text)
	from := at.Start
	for i, s := range e.Sections {
		if s.Heading.Start < from || s.Heading.End > at.End {
			continue
		}
		b.WriteString(veiled.Part(from, s.Heading.Start))
		from = s.Heading.End
		next := at.End
		if i+1 < len(e.Sections) {
			next = min(next, e.Sections[i+1].Heading.Start)
		}
		title := strings.TrimSpace(strings.ReplaceAll(s.Title, "**", ""))
		if title != "" && strings.TrimSpace(e.Text[from:next]) != "" {
			b.WriteString("**" + title + "**\n\n")
		}
		for from < next && (e.Text[from] == '\n' || e.Text[from] == '\r') {
			from++
		}
	}
	b.WriteString(veiled.Part(from, at.End))
	return whole(e, at, trimBlank(b.String()))
}

// trimBlank takes blank lines off both ends, and nothing off a line's beginning: there
// code has its indent.
func trimBlank(s string) string {
	s = strings.TrimRight(s, " \t\r\n")
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

// whole opens and closes the fence that a part of a text was cut from, and gives rows
// of a table their header. No fence begins before the body: underlines of reStructuredText look like some.
func whole(e *format.Entry, at markdown.Span, part string) string {
	text := e.Text
	if head := tableHead(text, at.Start); head != "" {
		return head + part
	}
	opener, open := "", "" // of the block that at.Start lies in; of the one that at.End does
	for _, l := range markdown.Split(text[:at.End], min(e.Body.Start, at.Start)) {
		open = l.Open
		if l.At.Start < at.Start && l.Fence != markdown.FenceText {
			opener = ""
			if l.Fence == markdown.FenceOpen {
				opener = strings.TrimSpace(l.At.Of(text))
			}
		}
	}
	if opener != "" {
		part = opener + "\n" + part
	}
	if open != "" {
		part += "\n" + open
	}
	return part
}

// tableHead is the header of the table whose later row begins at a place of a text.
func tableHead(text string, at int) string {
	row := func(start int) bool { return strings.HasPrefix(strings.TrimLeft(text[start:], " "), "|") }
	if !row(at) || at > 0 && text[at-1] != '\n' {
		return ""
	}
	first := at
	for first > 0 {
		before := strings.LastIndexByte(text[:first-1], '\n') + 1
		if !row(before) {
			break
		}
		first = before
	}
	rows := strings.SplitAfterN(text[first:at], "\n", 3)
	if len(rows) < 3 || strings.Trim(rows[1], "|-: \r\n") != "" {
		return "" // it begins with its header, or has none
	}
	return secrets.Redact(rows[0]) + rows[1]
}

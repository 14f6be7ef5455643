package digest

import (
	"fmt"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Shares of a summary's budget. Own choices, judged by reading the summaries of the
// sample trees.
const (
	shareOfLeads  = 0.75 // share of the budget that the names of the children leave
	shareOfTitles = 0.8  // share of the budget that the leads leave, for the titles inside folders
	minLead       = 32   // bytes: a shorter beginning of a sentence is not useful
	perLine       = 4    // tokens of bullet, indentation and line end
)

// Writer builds a folder's summary: the beginning of its context.md, and a line for each child with the
// child's lead.
type Writer struct {
	intro    string
	children []child
}

// child is an entry or a folder, with the parts that a summary may quote.
type child struct {
	name   string   // how its line begins: **Title** (`file.md`), or **folder/**
	short  string   // a shorter form of name
	lead   string   // the sentence behind the name
	titles []string // of a folder: what it holds
	says   []string // sentences, without the lead
}

// Beginnings of lines in a summary. The summary of the folder above parses them.
const (
	childOpen = "- **"
	partOpen  = "  - "
	holdsOpen = partOpen + "Holds: "
)

// AddEntry adds an entry of the folder, in the order of its children.
func (d *Writer) AddEntry(e *format.Entry) {
	title, file := titleOf(e), quoted(format.OneLine(path.Base(e.Path)))
	c := child{name: "**" + strings.ReplaceAll(title, "*", "") + "** (" + file + ")", short: file, lead: plainProse(e.Summary),
		says: sentencesOf(e)}
	if c.lead == "" && len(c.says) > 0 {
		c.lead, c.says = c.says[0], c.says[1:]
	}
	if comparableLine(c.lead) == comparableLine(title) {
		c.lead = ""
	}
	d.children = append(d.children, c)
}

// SetOverview sets the folder's own context.md. The summary begins with its first paragraph.
func (d *Writer) SetOverview(e *format.Entry) { d.intro = leadOf(paragraphs(e.Said(), e.Body.Start)) }

// AddFolder adds a folder with the text of its summary, which may be generated or written by hand.
func (d *Writer) AddFolder(name, body string) {
	name = strings.ReplaceAll(plainProse(name+"/"), "*", "")
	c := child{name: "**" + name + "**", short: quoted(name)}
	var held []string
	var head, rest strings.Builder
	for _, l := range markdown.Split(body, 0) {
		line := l.At.Of(body)
		title, lead, isChild := cutChild(line)
		titles, holds := strings.CutPrefix(line, holdsOpen)
		switch {
		case l.Fence == 0 && isChild:
			c.titles = append(c.titles, title)
			rest.WriteString(lead + "\n\n")
		case l.Fence == 0 && holds:
			for title := range strings.SplitSeq(titles, "; ") {
				held = append(held, clip(plainProse(title), maxTitle))
			}
		case len(c.titles) == 0:
			head.WriteString(line + "\n")
		default:
			rest.WriteString(line + "\n")
		}
	}
	all := paragraphs(head.String(), 0)
	c.lead = leadOf(all)
	c.says = append(sentences(all[min(1, len(all)):]), sentences(paragraphs(rest.String(), 0))...)
	c.titles = append(c.titles, held...)
	d.children = append(d.children, c)
}

// cutChild reads the line of a child: `- **Title** (file): lead`.
func cutChild(line string) (title, lead string, ok bool) {
	rest, ok := strings.CutPrefix(line, childOpen)
	if !ok {
		return "", "", false
	}
	title, rest, ok = strings.Cut(rest, "**")
	file, isFile := strings.CutPrefix(rest, " (`")
	if !ok || !isFile && !strings.HasSuffix(title, "/") {
		return "", "", false
	}
	if isFile {
		_, rest, _ = strings.Cut(file, "`)")
	}
	lead, _ = strings.CutPrefix(rest, ": ")
	return clip(plainProse(title), maxTitle), lead, true
}

// Text writes the summary in about budget tokens, and never over limit, with its size. Only the bare list of the
// children's names may need more than the budget.
func (d *Writer) Text(budget, limit int) (body string, size int) {
	scale := 1.0
	for range 8 {
		body = unlinkedLines(d.write(int(scale*float64(min(budget, limit))), int(scale*float64(limit))))
		if size = tokens.Estimate(body); size <= limit {
			return body, size
		}
		scale *= 0.95 * float64(limit) / float64(size)
	}
	return "", 0
}

// write spends a budget: first every child's name, then the leads, the titles of what folders hold, and sentences.
func (d *Writer) write(budget, limit int) string {
	var b strings.Builder
	spent := 0
	if d.intro != "" {
		spent = tokens.Estimate(d.intro) + perLine
		b.WriteString(paragraph(d.intro) + "\n")
		if len(d.children) > 0 {
			b.WriteByte('\n')
		}
	}
	left := budget - spent
	for _, c := range d.children {
		left -= tokens.Estimate(c.name) + perLine
	}
	if left < 0 {
		d.list(&b, limit-spent)
		return b.String()
	}
	leads, left := d.leads(left)
	said, titles, says := said{}, make([][]string, len(d.children)), make([][]string, len(d.children))
	for i, c := range d.children {
		said.add(c.name)
		for _, sentence := range markdown.Sentences(leads[i]) {
			said.add(sentence)
		}
		titles[i], says[i] = c.titles, c.says
	}
	forTitles := int(shareOfTitles * float64(left))
	titles, rest := inTurn(titles, forTitles, nil)
	says, _ = inTurn(says, left-forTitles+rest, said)
	for i, c := range d.children {
		b.WriteString("- " + c.name)
		if leads[i] != "" {
			b.WriteString(": " + leads[i])
		}
		b.WriteByte('\n')
		if len(titles[i]) > 0 {
			b.WriteString(holdsOpen + strings.Join(titles[i], "; ") + "\n")
		}
		for _, sentence := range says[i] {
			b.WriteString(partOpen + sentence + "\n")
		}
	}
	return b.String()
}

// list writes the short names of the children in the order of paths, as many as fit.
func (d *Writer) list(b *strings.Builder, left int) {
	left -= 2 * perLine // for "and 9,999 more"
	for i, c := range d.children {
		if left -= tokens.Estimate(c.short) + 1; left < 0 {
			fmt.Fprintf(b, " and %d more", len(d.children)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.short)
	}
	b.WriteByte('\n')
}

// leads returns the first sentences of the children, all cut to the same length if they do not fit.
func (d *Writer) leads(budget int) (leads []string, left int) {
	leads = make([]string, len(d.children))
	for n := maxLead; n >= minLead; n -= n / 6 {
		cost := 0
		for i, c := range d.children {
			leads[i] = clip(c.lead, n)
			cost += tokens.Estimate(leads[i])
		}
		if float64(cost) <= shareOfLeads*float64(budget) {
			return leads, budget - cost
		}
	}
	return make([]string, len(d.children)), budget
}

// said has the lines that a text already contains, in the form in which lines are compared.
type said map[string]bool

// add adds a line and returns false if it is already there.
func (s said) add(line string) bool {
	key := comparableLine(line)
	if s == nil {
		return true
	} else if s[key] {
		return false
	}
	s[key] = true
	return true
}

// inTurn takes passages from the lists in turn, as long as they are new and fit a budget. It returns the
// passages taken from each list, and the rest.
func inTurn(lists [][]string, budget int, not said) (taken [][]string, left int) {
	taken = make([][]string, len(lists))
	for round, open := 0, true; open && budget > perLine; round++ {
		open = false
		for i, list := range lists {
			if round >= len(list) {
				continue
			}
			open = true
			cost := tokens.Estimate(list[round]) + perLine/2
			if cost <= budget && not.add(list[round]) {
				taken[i], budget = append(taken[i], list[round]), budget-cost
			}
		}
	}
	return taken, budget
}

package curate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/retrieval/alike"
	terms "github.com/brv-lsp/brv-lsp/retrieval/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// stems are the distinct terms of a text that tell something, in order.
func stems(text string) []string {
	var out []string
	seen := map[string]bool{}
	terms.Each(text, func(t terms.Token) {
		if !t.Stop && (t.Kind == terms.Plain || t.Kind == terms.Pair) && !seen[t.Term] {
			seen[t.Term] = true
			out = append(out, t.Term)
		}
	})
	return out
}

// overlap is the share of all terms of two texts that both have.
func overlap(a, b []string) float64 {
	set := map[string]bool{}
	for _, w := range a {
		set[w] = true
	}
	both := 0
	for _, w := range b {
		if set[w] {
			both++
		}
	}
	if len(a)+len(b) == both {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// held is the share of a's terms that b has.
func held(a, b []string) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// sameWords reports whether two titles say the same: the same name of a file, or alike.
func sameWords(a, b string) bool {
	if strings.EqualFold(oneLine(a), oneLine(b)) || format.Slug(a) == format.Slug(b) && format.Slug(a) != "entry" {
		return true
	}
	return alike.Read(a, "").Alike(alike.Read(b, ""))
}

// From where on two texts say the same. Files in common are needed beside nearSame words
// of titles, and beside sameBody terms of all they say.
const (
	nearSame  = 0.75
	sameBody  = 0.5
	surelyIt  = 0.9 // of the search, beside a title of which the entry holds nearly all
	nearlyAll = 0.85
	fewest    = 4 // terms that a title needs for that
)

// same is the entry that says what an idea says, nil if none does: with a title of the
// same words, with nearly those and a file in common, or with the same files and much of
// the same text.
func (d *drafting) same(i idea, f found) *format.Entry {
	if i.entry != "" {
		return nil // what was selected in an entry is kept beside it
	}
	title := stems(i.title)
	var best *format.Entry
	most := 0.0
	for _, e := range d.candidates(i, f) {
		score := 0.0
		other := stems(e.Title)
		files := f.named[e.Path] > 0
		switch near := overlap(title, other); {
		case sameWords(i.title, e.Title):
			score = 3
		case near >= nearSame && files:
			score = 2 + near
		case sureHit(f, e.Path) && files && len(title) >= fewest && held(title, stems(e.Title+" "+e.Summary)) >= nearlyAll:
			score = 1 + near
		case files && sameFiles(i, e) && overlap(stems(saidBy(i)), stems(e.Text)) >= sameBody:
			score = near
		default:
			continue
		}
		if score > most {
			best, most = e, score
		}
	}
	return best
}

func sureHit(f found, at string) bool {
	for _, h := range f.hits {
		if h.Path == at {
			return h.Score >= surelyIt && !f.odd
		}
	}
	return false
}

// candidates are the entries that may say the same, by path: those that were found, that
// name a file of the idea, and that have its title; of those proposed so far the latter.
func (d *drafting) candidates(i idea, f found) []*format.Entry {
	at := map[string]bool{}
	for p := range f.named {
		at[p] = true
	}
	for _, h := range f.hits {
		at[h.Path] = true
	}
	slug := format.Slug(i.title)
	var out []*format.Entry
	for _, e := range d.work.Entries() {
		if e.Role == format.RoleEntry && (at[e.Path] || abs(len(e.Title)-len(i.title)) <= nearLength && format.Slug(e.Title) == slug) {
			out = append(out, e)
		}
	}
	return out
}

// nearLength is by how many bytes titles of one slug differ at most: signs and spaces.
const nearLength = 12

func abs(n int) int { return max(n, -n) }

// sameFiles reports whether an entry names the files of an idea and no other.
func sameFiles(i idea, e *format.Entry) bool {
	if i.content.RawConcept == nil || len(e.Files) == 0 {
		return false
	}
	mine := map[string]bool{}
	for _, f := range i.content.RawConcept.Files {
		mine[bareFile(f)] = true
	}
	for _, f := range e.Files {
		if !mine[f.Path] {
			return false
		}
	}
	return len(mine) == len(e.Files)
}

// bareFile is the path of an item of a list of files.
func bareFile(item string) string {
	item = strings.Trim(item, "`")
	if i := strings.LastIndexByte(item, ':'); i > 0 && strings.Trim(item[i+1:], "0123456789-") == "" {
		item = item[:i]
	}
	return item
}

// saidBy is what an idea says, as one text.
func saidBy(i idea) string {
	return format.Render(format.Header{Title: i.title, Summary: i.summary}, i.content)
}

// update proposes what is new in an idea for the entry that says the rest, and to bring
// together what stands there twice.
func (d *drafting) update(i idea, e *format.Entry) {
	if second := d.double(e); second != nil {
		from, to := second, e
		if d.Tree.Signals(second.Path, d.Now).Importance > d.Tree.Signals(e.Path, d.Now).Importance {
			from, to = e, second
		}
		d.propose(plan.Op{Type: plan.OpMerge, Path: from.Path, MergeTarget: to.Path, Reason: "Both say the same; found while drafting: " + i.title + ".", Impact: "high"}, to.Path)
		d.touched[from.Path] = true
		e = to
	}
	content, any := d.additions(i, e)
	if !any {
		d.note("%s: nothing proposed: %s says it already", i.title, e.Path)
		return
	}
	if d.touched[e.Path] {
		d.note("%s: not proposed: %s is changed by another operation of this proposal; draft it again after that", i.title, e.Path)
		return
	}
	op := plan.Op{Type: plan.OpUpdate, Path: e.Path, Content: content, Reason: i.reason}
	text, ok := d.revised(&op, e)
	if !ok {
		d.note("%s: not proposed: %s could not be updated so that it reads the same", i.title, e.Path)
		return
	}
	if text == e.Text {
		d.note("%s: nothing proposed: %s says it already", i.title, e.Path)
		return
	}
	if has := e.Content().Narrative; content.Narrative != nil && has != nil && slices.ContainsFunc(e.Files, func(f format.FileRef) bool { return f.Path == i.source }) {
		d.note("%s: what %s says stays, and what is new in %s comes behind it: take out by hand what no longer holds", i.title, e.Path, code(i.source))
	}
	d.work = d.work.With(e.Path, text)
	d.propose(op, e.Path)
}

// revised is an entry's text after an update that gives it no new problem.
func (d *drafting) revised(op *plan.Op, e *format.Entry) (text string, ok bool) {
	before := len(d.work.Problems(e.Path))
	for round := range 2 {
		if round == 1 {
			blunt(op)
		}
		text, _ = e.Revise(format.Revision{Content: op.Content, Replace: op.Replace})
		if len(d.work.With(e.Path, text).Problems(e.Path)) <= before {
			return text, true
		}
	}
	return "", false
}

// double is another entry that says the same as one, nil if there is none: nearly the same
// title and nearly the same text.
func (d *drafting) double(e *format.Entry) *format.Entry {
	title, body := stems(e.Title), []string(nil)
	for _, o := range d.known.entries {
		if o.Path == e.Path || d.touched[o.Path] || d.touched[e.Path] || overlap(title, stems(o.Title)) < nearSame {
			continue
		}
		if body == nil {
			body = stems(e.Body.Of(e.Text))
		}
		if overlap(body, stems(o.Body.Of(o.Text))) >= nearSame {
			return o
		}
	}
	return nil
}

// additions are the parts of an idea that an entry does not say. Of a narrative these are the
// paragraphs and items that stand nowhere in the entry, and come behind what does: nothing is
// replaced or taken away, since nobody knows here which of it a person wrote. What a commit
// says is added to the changes.
func (d *drafting) additions(i idea, e *format.Entry) (c format.Content, any bool) {
	has := e.Content()
	all := stems(e.Text)
	said := func(line string) bool {
		return strings.Contains(e.Text, line) || held(stems(line), all) >= nearlyAll
	}
	raw := cmp.Or(i.content.RawConcept, &format.RawConcept{})
	more := &format.RawConcept{}
	lines := slices.Clone(raw.Changes)
	if i.source == "" {
		lines = append([]string{raw.Task}, lines...)
		if n := i.content.Narrative; n != nil {
			for _, text := range []string{n.Rules, n.Highlights} {
				for line := range strings.SplitSeq(text, "\n") {
					lines = append(lines, strings.TrimPrefix(line, "- "))
				}
			}
		}
	}
	for _, line := range lines {
		if line != "" && !said(line) && !slices.Contains(more.Changes, line) && len(more.Changes) < maxBullets {
			more.Changes = append(more.Changes, line)
		}
	}
	for _, f := range raw.Files {
		if !slices.ContainsFunc(e.Files, func(r format.FileRef) bool { return r.Path == bareFile(f) }) {
			more.Files = append(more.Files, f)
		}
	}
	for _, f := range i.content.Facts {
		if !slices.ContainsFunc(has.Facts, func(o format.Fact) bool {
			return f.Subject != "" && strings.EqualFold(o.Subject, f.Subject) || o.Statement == f.Statement
		}) && !said(f.Statement) {
			c.Facts = append(c.Facts, f)
		}
	}
	for _, s := range i.content.Snippets {
		if !strings.Contains(e.Text, strings.Trim(s, "`\n")) && !said(s) {
			c.Snippets = append(c.Snippets, s)
		}
	}
	if i.source != "" {
		c.Narrative = changed(i.content.Narrative, has.Narrative, func(was, now string) string {
			for _, b := range blocks(now) {
				if said(b) && (strings.Contains(e.Text, b) || subset(figure().FindAllString(b, -1), figure().FindAllString(e.Text, -1))) {
					continue
				}
				was = behind(was, b)
			}
			return was
		})
	}
	if len(more.Changes)+len(more.Files) > 0 {
		c.RawConcept = more
	}
	any = c.RawConcept != nil || c.Narrative != nil || len(c.Facts)+len(c.Snippets) > 0
	if any {
		for _, k := range i.content.Keywords {
			if !slices.Contains(has.Keywords, k) && len(has.Keywords)+len(c.Keywords) < maxKeywords {
				c.Keywords = append(c.Keywords, k)
			}
		}
	}
	return c, any
}

// figure is a number in a text: a statement with another one is another statement.
var figure = pattern.Of(`\d[\d.,:]*\d|\d`)

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// blocks are the paragraphs of a text, each item of a list and each fenced block for itself.
func blocks(text string) (out []string) {
	var now []string
	fence := ""
	end := func() {
		if len(now) > 0 {
			out = append(out, strings.Join(now, "\n"))
		}
		now = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		mark := bare[:len(bare)-len(strings.TrimLeft(bare, "`~"))]
		switch {
		case fence != "":
			now = append(now, line)
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(bare) == mark {
				fence = ""
			}
			continue
		case len(mark) >= 3:
			fence = mark
		case strings.TrimSpace(line) == "":
			end()
			continue
		case bullet().MatchString(line) && bare == line:
			end()
		}
		now = append(now, line)
	}
	end()
	return out
}

// behind is a text with a block behind it: an item below those of a list, anything else below
// a blank line.
func behind(text, block string) string {
	text = strings.TrimRight(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	switch {
	case text == "":
		return block
	case bullet().MatchString(block) && (bullet().MatchString(last) || strings.HasPrefix(last, " ")):
		return text + "\n" + block
	}
	return text + "\n\n" + block
}

// changed are the texts of a narrative that are others than those there, by what join makes
// of the two; nil if none is.
func changed(n, old *format.Narrative, join func(was, now string) string) *format.Narrative {
	if n == nil {
		return nil
	}
	if old == nil {
		old = &format.Narrative{}
	}
	out, any := &format.Narrative{}, false
	for _, p := range []struct{ to, from, was *string }{
		{&out.Structure, &n.Structure, &old.Structure}, {&out.Dependencies, &n.Dependencies, &old.Dependencies},
		{&out.Highlights, &n.Highlights, &old.Highlights}, {&out.Rules, &n.Rules, &old.Rules}, {&out.Examples, &n.Examples, &old.Examples},
	} {
		if text := join(*p.was, *p.from); *p.from != "" && strings.TrimSpace(text) != strings.TrimSpace(*p.was) {
			*p.to, any = text, true
		}
	}
	if !any {
		return nil
	}
	return out
}

package curate

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Propose makes operations from the material without a model: the same material and tree give the same proposal.
//
//   - A selection becomes an entry that contains it, as [Plan] drafts it.
//   - A review thread that a change resolved becomes an entry that quotes the reviewer, if the quote is a
//     paragraph that gives a reason.
//   - A document is knowledge in its own place, and a code file or a difference needs a reader: a note says so,
//     and what to do.
//
// If an entry has the title of a draft, or was drafted from the same source, nothing is proposed, and a note names
// the entry. A draft goes into the topic that the material names, or into the topic whose entries are linked to
// more than half of the code that it is about. Any other draft is no operation: it is [Undecided], with the topics
// to choose from. No credential and no invisible character of the material is repeated. Operations that a dry run
// refuses, and those beyond [plan.MaxProposed], are left out, with a note.
func Propose(ctx context.Context, p Project, m Material) (Proposal, error) {
	m = scrub(m)
	d := &drafting{Project: p, work: p.Tree, topic: m.Topic, anyTopic: m.AnyTopic}
	d.proposal.Origin = format.Origin{Kind: format.OriginRules, Tool: tool}
	if p.Links != nil {
		var err error
		if d.links, err = p.Links(ctx); err != nil {
			return Proposal{}, err
		}
	}
	for _, s := range m.Sources {
		if s.Note != "" {
			d.note("%s: %s", s.Path, s.Note)
		}
		for _, i := range d.ideasOf(s) {
			if err := d.add(ctx, i, m.Instruction); err != nil {
				return Proposal{}, err
			}
		}
	}
	if c := m.Changes; c != nil {
		d.proposal.Origin.Commit = abbreviated(c.Commit)
		if c.Note != "" {
			d.note("%s: %s", c.Name, c.Note)
		}
		if i, ok := d.ofChange(c); !ok {
			d.refuse("%s: nothing to draft: drafting from a change needs a model or an agent. Without one, brv-lsp quotes only a commit "+
				"message in which a paragraph explains why the code changed", c.Name)
		} else if err := d.add(ctx, i, m.Instruction); err != nil {
			return Proposal{}, err
		}
	}
	for _, i := range d.ofThreads(m.Threads) {
		if err := d.add(ctx, i, m.Instruction); err != nil {
			return Proposal{}, err
		}
	}
	if d.left > 0 {
		d.note(
			"%s left out because at most %d are proposed at once; review the proposed drafts, then propose "+
				"again", words.Counted(d.left, "more draft was", "more drafts were"), plan.MaxProposed)
	}
	return d.proposal, d.try(ctx)
}

// ideasOf returns the ideas in a source.
func (d *drafting) ideasOf(s Source) []idea {
	if strings.TrimSpace(s.Text) == "" {
		d.refuse("%s: nothing to draft: there is no text", s.Path)
		return nil
	}
	switch s.Kind {
	case KindSelection:
		if len(s.Text) > maxSelection {
			d.refuse("%s: nothing proposed: the selection has %d bytes, but an entry can have at most %d; select less", s.Path, len(s.Text),
				maxSelection)
			return nil
		}
		if title := titleOf(Selection{Path: s.Path, Text: s.Text, Symbol: firstOf(s.Symbols)}); title == "" {
			d.refuse("%s: nothing to draft: the selection has neither a comment nor a definition. Select a comment or a definition too",
				s.Path)
			return nil
		}
		return []idea{ofSelection(s)}
	case KindMarkdown:
		d.refuse("%s: nothing to draft: brv-lsp already searches this document. To make one of its sections an entry, run "+
			"`brv-lsp import %s#HEADING`", s.Path, s.Path)
	default:
		d.refuse("%s: nothing to draft: drafting from a whole file needs a model or an agent. Without one, select the lines to keep, "+
			"or name a commit whose message gives the reason", s.Path)
	}
	return nil
}

func firstOf(list []string) string {
	if len(list) > 0 {
		return list[0]
	}
	return ""
}

// ofSelection returns the idea for a selection, which [Plan] drafts.
func ofSelection(s Source) idea {
	sel := Selection{Path: s.Path, Entry: s.Entry, Text: s.Text, StartLine: s.StartLine, EndLine: s.EndLine, Language: s.Language}
	if len(s.Symbols) > 0 {
		sel.Symbol = s.Symbols[0]
	}
	title := titleOf(sel)
	i := idea{
		title: title, reason: reasonOf(sel), content: contentOf(sel, title, nil), home: s.Path, entry: s.Entry,
		from: s.Path + ", " + lineRange(sel, "line ", "lines ", "–"),
	}
	if s.Entry == "" {
		i.about = []part{{path: s.Path, symbols: keywords(sel), share: 1}}
	}
	return i
}

// add adds an operation, an undecided draft or a note for an idea.
func (d *drafting) add(ctx context.Context, i idea, instruction string) error {
	i.title = cmp.Or(shorten(i.title), shorten(path.Base(i.home)), "Knowledge")
	same := d.same(i)
	if instruction = oneLine(instruction); instruction != "" {
		i.reason = shortenTo(instruction, maxItem) + " (" + strings.TrimSuffix(i.reason, ".") + ")"
	}
	if same != nil {
		d.refuse("%s: nothing proposed: %s already says the same or has this title. Update that entry instead", i.title, same.Path)
		return nil
	}
	linked := d.linked(i)
	folder, choices, err := d.place(ctx, i, linked)
	if err != nil {
		return err
	}
	if len(choices) > 0 {
		d.proposal.Undecided = append(d.proposal.Undecided, Undecided{Source: i.from, Title: i.title, Choices: choices})
		return nil
	}
	i.content.Relations = d.related(i, linked)
	at := d.work.FreePath(folder, i.title)
	op := plan.Op{Type: plan.OpAdd, Path: at, Title: i.title, Summary: i.summary, Content: i.content, Reason: i.reason}
	if strings.TrimSuffix(at[strings.LastIndexByte(at, '/')+1:], ".md") == format.Slug(i.title) {
		op.Path = folder
	}
	text, ok := d.readable(&op, at)
	if !ok {
		d.refuse("%s: not proposed, because parts of its text would be read as headings or labels. Write this entry by hand", i.title)
		return nil
	}
	d.work = d.work.With(at, text)
	d.propose(op)
	return nil
}

func (d *drafting) propose(op plan.Op) {
	if len(d.proposal.Ops) == plan.MaxProposed {
		d.left++
		return
	}
	d.proposal.Ops = append(d.proposal.Ops, op)
}

// readable renders a new entry, and corrects text that would be parsed differently: as a relation, or as another
// title. ok is false if that is impossible.
func (d *drafting) readable(op *plan.Op, at string) (text string, ok bool) {
	for round := range 2 {
		if round == 1 {
			blunt(op)
		}
		text = format.Render(format.Header{Title: op.Title, Summary: op.Summary, Reason: op.Reason, CreatedAt: d.Now}, op.Content)
		if d.valid(at, text) && len(secrets.Scan(text)) == 0 {
			return text, true
		}
	}
	return "", false
}

// valid reports whether an entry with that text has no problem of its own.
func (d *drafting) valid(at, text string) bool {
	for _, p := range d.work.With(at, text).Problems(at) {
		switch p.Code {
		case format.CodeOrphan, format.CodeDuplicate, format.CodeTooDeep, format.CodeTwin:
		default:
			return false
		}
	}
	return true
}

// try makes a dry run of the batch, and leaves out operations that would fail.
func (d *drafting) try(ctx context.Context) error {
	p := &d.proposal
	if d.Try == nil || len(p.Ops) == 0 {
		return nil
	}
	for {
		report, err := d.Try(ctx, plan.Batch{Ops: p.Ops, DryRun: true, Origin: p.Origin})
		if err != nil {
			return err
		}
		p.Report = report
		before := len(p.Ops)
		for i := len(report.Results) - 1; i >= 0 && len(report.Results) == before; i-- {
			if r := report.Results[i]; r.Status == plan.StatusFailed {
				d.refuse("not proposed: %s", r.Message)
				p.Ops = slices.Delete(p.Ops, i, i+1)
			}
		}
		if len(p.Ops) == before || len(p.Ops) == 0 {
			return nil
		}
	}
}

// scrub returns the material without credentials and invisible characters. This comes before anything is cut,
// since a piece of a credential is no longer recognisable.
func scrub(m Material) Material {
	m.Instruction = scrubbed(m.Instruction)
	m.Sources = slices.Clone(m.Sources)
	for i := range m.Sources {
		s := &m.Sources[i]
		s.Text, s.Note, s.Path, s.Symbols = scrubbed(s.Text), scrubbed(s.Note), oneLine(clean(s.Path)), scrubbedAll(s.Symbols)
	}
	m.Threads = slices.Clone(m.Threads)
	for i := range m.Threads {
		t := &m.Threads[i]
		t.Text, t.Path, t.Link = scrubbed(t.Text), oneLine(clean(t.Path)), oneLine(scrubbed(t.Link))
	}
	if m.Changes == nil {
		return m
	}
	c := *m.Changes
	c.Message, c.Name, c.Note = scrubbed(c.Message), scrubbed(c.Name), scrubbed(c.Note)
	c.Files = slices.Clone(c.Files)
	for i := range c.Files {
		f := &c.Files[i]
		f.Symbols = scrubbedAll(f.Symbols)
		f.Path, f.From = oneLine(clean(f.Path)), oneLine(clean(f.From))
		f.Added, f.Removed = scrubbedHunks(f.Added), scrubbedHunks(f.Removed)
	}
	m.Changes = &c
	return m
}

// scrubbed returns a text without credentials and invisible characters, with the same lines.
func scrubbed(s string) string {
	s = clean(strings.ToValidUTF8(s, ""))
	return secrets.Veil(s).Part(0, len(s))
}

func scrubbedAll(all []string) []string {
	var out []string
	for _, s := range all {
		if s = oneLine(scrubbed(s)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func scrubbedHunks(hunks []Hunk) []Hunk {
	out := slices.Clone(hunks)
	for i := range out {
		out[i].Text = scrubbed(out[i].Text)
	}
	return out
}

package tree

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Provenance is what an entry says of who wrote it, in the frontmatter key `provenance`: a
// list of phrases, each about one thing,
//
//	provenance: [by model, model gpt-5, via brv-lsp, commit 1a2b3c4d5e6f, first by human, approved by ada]
//
// so that people can read it, and names may hold anything. It is written where an operation
// of an agent or a model made or changed the entry, and kept up to date from then on; no
// operation can name it. A person's entry has none. What a file says is that file's word:
// whoever can write the file can write this.
type Provenance struct {
	Origin            // of the last change that was no person's
	First  OriginKind // whose entry it was before that, if another kind's
	// Who approved that change, and who changed the entry since.
	ApprovedBy, EditedBy string
}

// Prose is a text that somebody wrote in the place of an extract, in a generated file, which
// then says so by the same key.
type Prose struct {
	Text string
	By   Origin
}

// mark is the line of frontmatter that says who wrote it, "" where that is nobody but a person.
func (p Prose) mark() string {
	if p.Text == "" || p.By.Human() {
		return ""
	}
	return ProvenanceKey + ": " + yamlList(Provenance{Origin: p.By}.items()) + "\n"
}

// ProvenanceKey is the frontmatter key.
const ProvenanceKey = "provenance"

// maxProvenance bounds each name in it, in bytes: longer ones say no more.
const maxProvenance = 100

// somebody is who approves or edits without a name.
const somebody = "a person"

// phrases are what the items begin with, in the order in which they are written.
func (p *Provenance) phrases() []struct {
	begin string
	of    *string
} {
	return []struct {
		begin string
		of    *string
	}{
		{"by ", (*string)(&p.Kind)}, {"model ", &p.Model}, {"via ", &p.Tool}, {"commit ", &p.Commit},
		{"first by ", (*string)(&p.First)}, {"approved by ", &p.ApprovedBy}, {"edited by ", &p.EditedBy},
	}
}

// items writes the provenance as the key's values.
func (p Provenance) items() (out []string) {
	for _, ph := range p.phrases() {
		if s := name(*ph.of); s != "" {
			out = append(out, ph.begin+s)
		}
	}
	return out
}

// name is a name as it is written: one line that shows what it is, of at most 100 bytes.
func name(s string) string {
	s = oneLine(strings.ReplaceAll(secrets.Redact(sanitize.Disarm(sanitize.Visible(s)), nil), ",", " ")) // commas part the phrases
	if len(s) > maxProvenance {
		s = s[:maxProvenance]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return strings.TrimSpace(s)
}

// named is an origin whose words can be written anywhere.
func (o Origin) named() Origin {
	return Origin{o.Kind, name(o.Tool), name(o.Model), name(o.Commit)}
}

// Provenance returns what the entry says of who wrote it; ok is false if it says nothing
// that can be read.
func (e *Entry) Provenance() (p Provenance, ok bool) {
	f, ok := e.lastField(ProvenanceKey)
	if !ok {
		return Provenance{}, false
	}
	for _, item := range f.values() {
		for _, ph := range p.phrases() {
			if rest, found := strings.CutPrefix(item, ph.begin); found && *ph.of == "" {
				*ph.of = strings.TrimSpace(rest)
				break
			}
		}
	}
	return p, slices.Contains([]OriginKind{OriginHuman, OriginAgent, OriginModel, OriginRules}, p.Kind)
}

// Vouched reports whether a person wrote, approved or edited what the provenance is of.
func (p Provenance) Vouched() bool { return p.Human() || p.ApprovedBy != "" || p.EditedBy != "" }

// vouched reports whether a person answers for the entry: nothing says that another wrote it.
func (e *Entry) vouched() bool {
	p, ok := e.Provenance()
	return !ok || p.Vouched()
}

// String says it for people, "" for a person's own text.
func (p Provenance) String() string {
	if p.Kind == "" {
		return ""
	}
	return strings.Join(p.items(), ", ")
}

// signed is the entry with another provenance; ok is false where its frontmatter cannot be
// edited safely.
func (e *Entry) signed(p Provenance) (signed *Entry, ok bool) {
	c := fieldChange{key: ProvenanceKey, values: p.items(), list: true}
	if f, there := e.lastField(ProvenanceKey); there && c.holds(f) {
		return e, true
	}
	ed := e.setField(c)
	if ed == (Edit{}) {
		return e, false
	}
	return Parse(e.Path, ApplyEdits(e.Text, []Edit{ed})), true
}

// approved is the entry that someone answers for: one that nobody did gets the name.
func (e *Entry) approved(by string) *Entry {
	if e.vouched() {
		return e
	}
	p, _ := e.Provenance()
	p.ApprovedBy = cmp.Or(name(by), somebody)
	signed, _ := e.signed(p)
	return signed
}

// sign writes into what an operation made or changed whose text that is. Only additions,
// updates and merges say something; who confirms an entry answers for it.
func (p *plan) sign(op Op, st *effect) error {
	at := st.result.FilePath
	e := st.files[at]
	if e == nil || e.Role != RoleEntry || st.result.Unchanged {
		return nil
	}
	said, has := e.Provenance()
	before, was := p.tree.Entry(at)
	switch op.Type {
	case OpConfirm:
		if p.origin.Human() {
			st.files[at] = e.approved(p.author)
		}
		return nil
	case OpMerge:
		if source, _, err := p.mustFind(op.Type, op.Path, op.Title); err == nil && !has {
			from, _ := p.tree.Entry(source)
			said, has = from.Provenance()
			was = was && !has
		}
	case OpAdd, OpUpdate, OpUpsert:
		if op.Upkeep {
			return nil // what the entry says stays whose it was
		}
	default:
		return nil
	}
	next := said
	switch {
	case p.origin.Human() && (!has || op.Upkeep):
		return nil // nobody who says where an entry belongs answers for what it says
	case p.origin.Human() && op.Lineage: // it is put together of what both say; who approves it answers for that
		next.ApprovedBy = cmp.Or(p.approver, next.ApprovedBy)
	case p.origin.Human():
		next.EditedBy = cmp.Or(next.EditedBy, name(p.author), somebody)
	case has && said.Kind == p.origin.Kind && said.Vouched():
		return nil // as the entry says; the journal has who it was each time
	default:
		next = Provenance{Origin: p.origin, First: said.First, ApprovedBy: p.approver}
		if has && next.First == "" && said.Kind != p.origin.Kind {
			next.First = said.Kind
		} else if !has && was && before.Role == RoleEntry {
			next.First = OriginHuman
		}
	}
	signed, ok := e.signed(next)
	if !ok && !p.origin.Human() {
		return failed(FailInvalid, "%s: who wrote it could not be written; mend its frontmatter first (`brv-lsp check`)", at)
	}
	if len(signed.Text) > MaxFileSize {
		return failed(FailInvalid, "%s would have %d bytes, the limit is %d", at, len(signed.Text), MaxFileSize)
	}
	st.files[at] = signed
	return nil
}

// settled is what the entry's tier may be: text of an agent or a model that nobody answers
// for is no core knowledge, however often it was used.
func (e *Entry) settled(m Maturity) Maturity {
	if m == Core && !e.vouched() {
		return Validated
	}
	return m
}

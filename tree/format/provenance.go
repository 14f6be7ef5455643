package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Prose is a text that somebody wrote in the place of an extract, in a generated file, which
// then says so by the same key.
type Prose struct {
	Text string
	By   Origin
}

// Mark is the line of frontmatter that says who wrote it, "" where that is nobody but a person.
func (p Prose) Mark() string {
	if p.Text == "" || p.By.Human() {
		return ""
	}
	return ProvenanceKey + ": " + yamlList(Provenance{Origin: p.By}.items()) + "\n"
}

// maxProvenance bounds each name in it, in bytes: longer ones say no more.
const maxProvenance = 100

// Somebody is who approves or edits without a name.
const Somebody = "a person"

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
		if s := Name(*ph.of); s != "" {
			out = append(out, ph.begin+s)
		}
	}
	return out
}

// Name is a name as it is written: one line that shows what it is, of at most 100 bytes.
func Name(s string) string {
	s = OneLine(strings.ReplaceAll(secrets.Redact(sanitize.Disarm(sanitize.Visible(s)), nil), ",", " ")) // commas part the phrases
	return strings.TrimSpace(sanitize.Cut(s, maxProvenance))
}

// Named is an origin whose words can be written anywhere.
func (o Origin) Named() Origin {
	return Origin{o.Kind, Name(o.Tool), Name(o.Model), Name(o.Commit)}
}

// Provenance returns what the entry says of who wrote it; ok is false if it says nothing
// that can be read.
func (e *Entry) Provenance() (p Provenance, ok bool) {
	f, ok := e.LastField(ProvenanceKey)
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

// Signed is the entry with another provenance; ok is false where its frontmatter cannot be
// edited safely.
func (e *Entry) Signed(p Provenance) (signed *Entry, ok bool) {
	return fieldEditor{e}.changed(fieldChange{key: ProvenanceKey, values: p.items(), list: true})
}

// Approved is the entry that someone answers for: one that nobody did gets the name.
func (e *Entry) Approved(by string) *Entry {
	if e.vouched() {
		return e
	}
	p, _ := e.Provenance()
	p.ApprovedBy = cmp.Or(Name(by), Somebody)
	signed, _ := e.Signed(p)
	return signed
}

// Settled is what the entry's tier may be: text of an agent or a model that nobody answers
// for is no core knowledge, however often it was used.
func (e *Entry) Settled(m Maturity) Maturity {
	if m == Core && !e.vouched() {
		return Validated
	}
	return m
}

// Origin says where the text of a batch comes from. The zero value is a person.
type Origin struct {
	Kind   OriginKind `json:"kind,omitempty"`
	Tool   string     `json:"tool,omitempty"`   // the program that wrote it, as it calls itself
	Model  string     `json:"model,omitempty"`  // the language model, where one is known
	Commit string     `json:"commit,omitempty"` // of the code that it was written about, abbreviated
}

// OriginKind is who wrote something.
type OriginKind string

// The kinds of authors. Only what people write is not always held for a review.
const (
	OriginHuman OriginKind = "human"
	OriginAgent OriginKind = "agent"
	OriginModel OriginKind = "model"
	OriginRules OriginKind = "rules" // of this program, that draft without a model
)

// Human reports whether a person wrote it.
func (o Origin) Human() bool { return o.Kind == "" || o.Kind == OriginHuman }

package format

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fieldSpec describes a frontmatter key and how it is read.
type fieldSpec struct {
	list bool
	doc  string
	read func(*parser, Field) // nil for keys that are only known
}

// fieldSpecs are the keys of the specification's table "Frontmatter Fields",
// `summary` of the reference system, and the keys that its dream, its generated
// summaries and its archive write. Any other key is kept, and a hint.
var fieldSpecs = withParts(map[string]fieldSpec{
	"title": {doc: "Title of the entry, shown wherever it is linked.",
		read: func(p *parser, f Field) { p.Title = f.Value() }},
	"summary": {doc: "One or two sentences that sum up the entry.",
		read: func(p *parser, f Field) { p.Summary = f.Value() }},
	"keywords":          {read: readKeywords},
	"aliases":           {list: true, doc: "Other names of the entry, as in Obsidian. Search uses them.", read: readKeywords},
	"alias":             {list: true, doc: "The same as `aliases`.", read: readKeywords},
	"related":           {read: relations(FormRelated)},
	"sources":           {list: true, doc: "Entries that this one was synthesized from.", read: relations(FormSources)},
	"consolidated_from": {list: true, doc: "Entries that were merged into this one.", read: relations(FormConsolidated)},
	"importance": {doc: "0–100: how valuable the entry is. It starts at 50: +3 for a use, +5 for an update, ×0.995 a day. " +
		"brv-lsp keeps it in .brv/state.",
		read: func(p *parser, f Field) { p.number(f, TopImportance, &p.Signals.Importance) }},
	"recency": {doc: "0–1: how recently the entry was updated. It is 1 at an update, and halves about every 21 days (e^(−days/30)). " +
		"brv-lsp keeps it in .brv/state.",
		read: func(p *parser, f Field) { p.number(f, 1, &p.Signals.Recency) }},
	"maturity": {doc: "Maturity that a person set: draft, validated or core. If it is missing, brv-lsp derives it from the " +
		"importance: 65 or more is *validated* (shown as `often used`), 85 or more is *core*.", read: readMaturity},
	"accessCount": {doc: "How often the entry was used. brv-lsp keeps it in .brv/state.",
		read: func(p *parser, f Field) { p.count(f, &p.Signals.AccessCount) }},
	"updateCount": {doc: "How often the entry was updated. brv-lsp keeps it in .brv/state.",
		read: func(p *parser, f Field) { p.count(f, &p.Signals.UpdateCount) }},
	"createdAt": {doc: "When the entry was written, ISO 8601.", read: func(p *parser, f Field) { p.CreatedAt = p.moment(f) }},
	"updatedAt": {doc: "When its content last changed, ISO 8601. Importance and recency decay from this time. " +
		"brv-lsp keeps it in .brv/state.", read: func(p *parser, f Field) { p.UpdatedAt = p.moment(f) }},
	ConfirmedKey: {doc: "When somebody last confirmed that the entry is still true: a date, or a time, in ISO 8601.",
		read: func(p *parser, f Field) { p.moment(f) }},
	ProvenanceKey: {list: true, doc: "Who wrote the entry (agent, model, or brv-lsp without a model), and who approved or edited it since."},

	ImportedFromKey:  {doc: "File that the text was imported from, with #anchor if it was a section."},
	ImportedRootKey:  {doc: "Folder that was imported, relative to the project."},
	ImportedHashKey:  {doc: "Hash of the file or section at the time of the import."},
	ImportedLinksKey: {list: true, doc: "For each link that does not work in the tree, its target: `link as written -> path`."},

	"type":            {doc: "Kind of file, if it is not an entry that people curate: synthesis, summary or archive_stub."},
	"confidence":      {doc: "0–1: confidence in the synthesis."},
	"synthesized_at":  {doc: "When the entry was synthesized, ISO 8601."},
	"consolidated_at": {doc: "When other entries were merged into this one, ISO 8601."},

	"children_hash":      {doc: "Hash of the files that a generated summary covers."},
	"compression_ratio":  {doc: "Tokens of a generated summary, divided by those of the files it covers."},
	"condensation_order": {doc: "Level of a generated summary: 3 for the root, 2 for a domain, 1 for a topic, 0 for a subtopic."},
	"covers":             {list: true, doc: "Files that a generated summary covers."},
	"covers_token_total": {doc: "Tokens of the files that a generated summary covers."},
	"summary_level":      {doc: "Level of a generated summary as a word: from d3 (the root) to d0 (a subtopic)."},
	"token_count":        {doc: "Tokens of a generated summary."},

	"evicted_at":           {doc: "When the entry was archived, ISO 8601."},
	"evicted_importance":   {doc: "Importance when the entry was archived, 0–100."},
	"original_path":        {doc: "Former path of the archived entry."},
	"original_token_count": {doc: "Tokens of the archived entry."},
	"points_to":            {doc: "Where the archived entry's full text is."},
})

// withParts adds the lists of [Parts]. Keywords are read beside what other keys said before.
func withParts(specs map[string]fieldSpec) map[string]fieldSpec {
	for _, r := range fieldRows {
		spec := fieldSpec{list: true, doc: r.Doc, read: specs[r.key()].read}
		if spec.read == nil {
			spec.read = func(p *parser, f Field) { *r.Words(&p.Lists) = f.values() }
		}
		specs[r.key()] = spec
	}
	return specs
}

// FieldKeys are the frontmatter keys in the order in which they are written.
var FieldKeys = slices.Concat([]string{"title", "summary"}, partKeys(), []string{"importance", "recency", "maturity", "accessCount",
	"updateCount", "createdAt", "updatedAt", ConfirmedKey, ProvenanceKey})

// partKeys are the keys of [Parts].
func partKeys() (out []string) {
	for _, r := range fieldRows {
		out = append(out, r.key())
	}
	return out
}

// FieldDoc says in one sentence what a frontmatter key means, "" for an unknown one.
func FieldDoc(key string) string { return fieldSpecs[key].doc }

func readKeywords(p *parser, f Field) { p.Keywords = append(p.Keywords, f.values()...) }

func readMaturity(p *parser, f Field) {
	switch m := Maturity(strings.ToLower(f.Value())); m {
	case Draft, Validated, Core:
		p.Signals.Maturity, p.Signals.Has = m, true
	default:
		p.invalid(f, "maturity must be draft, validated or core")
	}
}

// relations reads a list of paths as relations of one form. Sources and merged
// entries may be described in words, so only paths count there.
func relations(form Form) func(*parser, Field) {
	return func(p *parser, f Field) {
		for _, s := range f.Items {
			if s.Value == "" || (form != FormRelated && !strings.Contains(s.Value, "/")) {
				continue
			}
			if wiki, ok := wikiItem(p.Text, s); ok {
				p.Relations = append(p.Relations, wiki)
				continue
			}
			raw, head := CutHeading(strings.TrimLeft(s.Value, "@"))
			if raw == "" {
				p.invalid(f, s.Value+" in "+f.Key+" names no entry; write domain/topic/name.md")
				continue
			}
			p.Relations = append(p.Relations, Mention{Form: form, Raw: raw, Heading: head, At: s.At})
		}
	}
}

// wikiItem is the link that an item of a list is, as Obsidian writes them in properties.
func wikiItem(text string, s Scalar) (Mention, bool) {
	written := s.At.Of(text)
	at := strings.Index(written, "[[")
	if at < 0 || !strings.HasPrefix(s.Value, "[[") || !strings.HasSuffix(s.Value, "]]") {
		return Mention{}, false
	}
	m, _, ok := ScanMention(text[:s.At.End], s.At.Start+at)
	return m, ok
}

func (p *parser) invalid(f Field, message string) {
	if _, imported := p.Field(ImportedFromKey); imported {
		return // the key is another program's
	}
	at := f.At
	if len(f.Items) == 1 {
		at = f.Items[0].At
	}
	p.report(CodeFrontmatter, SeverityWarning, message, at)
}

// number reads a field as a number in [0, high].
func (p *parser) number(f Field, high float64, into *float64) {
	v, err := strconv.ParseFloat(f.Value(), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > high {
		limit := "at least 0"
		if !math.IsInf(high, 1) {
			limit = "between 0 and " + strconv.FormatFloat(high, 'f', -1, 64)
		}
		p.invalid(f, f.Key+" must be a number "+limit)
		return
	}
	*into, p.Signals.Has = v, true
}

// count reads a field as a number that has no end.
func (p *parser) count(f Field, into *int) {
	v := float64(*into)
	p.number(f, math.Inf(1), &v)
	*into = int(math.Min(v, math.MaxInt32))
}

// moment reads a field as an ISO 8601 time.
func (p *parser) moment(f Field) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, f.Value()); err == nil {
			return t
		}
	}
	p.invalid(f, f.Key+" must be an ISO 8601 time such as 2026-01-31T10:00:00Z")
	return time.Time{}
}

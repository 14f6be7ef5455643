package format

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// maxProvenance bounds each name in it, in bytes: longer ones say no more.
const maxProvenance = 100

// Somebody stands for a person without a name who approves or edits.
const Somebody = "a person"

// phrases are the beginnings of the items, in the order in which they are written.
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

// Name is a name in the form in which it is written: one line of visible characters, of at most 100 bytes.
func Name(s string) string {
	s = OneLine(strings.ReplaceAll(secrets.Redact(sanitize.Disarm(sanitize.Visible(s))), ",", " ")) // commas part the phrases
	return strings.TrimSpace(sanitize.Cut(s, maxProvenance))
}

// Named is an origin whose words are safe in any text.
func (o Origin) Named() Origin {
	return Origin{o.Kind, Name(o.Tool), Name(o.Model), Name(o.Commit)}
}

// Provenance returns the entry's readable provenance; ok is false if it has none.
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

// Vouched reports whether a person wrote, approved or edited the text with this provenance.
func (p Provenance) Vouched() bool { return p.Human() || p.ApprovedBy != "" || p.EditedBy != "" }

// vouched reports whether a person answers for the entry: its provenance names no other author.
func (e *Entry) vouched() bool {
	p, ok := e.Provenance()
	return !ok || p.Vouched()
}

// String describes the provenance for people; it is "" for a person's own text.
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

// Approved adds a person's name as approver if no person answered for the entry before.
func (e *Entry) Approved(by string) *Entry {
	if e.vouched() {
		return e
	}
	p, _ := e.Provenance()
	p.ApprovedBy = cmp.Or(Name(by), Somebody)
	signed, _ := e.Signed(p)
	return signed
}

// StoodFor reports whether a person stands for the entry, as far as its text tells: it states a tier above
// draft or a confirmation, and it is not an unapproved text of an agent or a model.
func StoodFor(e *Entry) bool {
	tier := e.Settled(e.Tier())
	return e.vouched() && (tier == Core || tier == Validated || !e.Confirmed().IsZero())
}

// TierName returns the name of an entry's tier for people: a tier that was reached by use alone is not shown
// as a person's promise.
func TierName(e *Entry, m Maturity) string {
	switch {
	case m != Validated:
		return string(m)
	case StoodFor(e):
		return "confirmed"
	}
	return "often used"
}

// Settled returns the highest tier allowed: text of an agent or a model that no person answers for cannot be
// core knowledge, however often it was used.
func (e *Entry) Settled(m Maturity) Maturity {
	if m == Core && !e.vouched() {
		return Validated
	}
	return m
}

// Origin says where the text of a batch comes from. If it is empty, a person wrote the text.
type Origin struct {
	Kind   OriginKind `json:"kind,omitempty"`
	Tool   string     `json:"tool,omitempty"`   // the name of the program that wrote it
	Model  string     `json:"model,omitempty"`  // the language model, if it is known
	Commit string     `json:"commit,omitempty"` // the abbreviated commit of the code that it is about
}

// OriginKind is who wrote something.
type OriginKind string

// The kinds of authors. Only people's texts are not always held for a review.
const (
	OriginHuman OriginKind = "human"
	OriginAgent OriginKind = "agent"
	OriginModel OriginKind = "model"
	OriginRules OriginKind = "rules" // drafts that this program makes by rules, without a model
)

// Human reports whether a person wrote it.
func (o Origin) Human() bool { return o.Kind == "" || o.Kind == OriginHuman }

// linkSign stands between the text of a link in an imported entry and the path that it leads to.
const linkSign = " -> "

// Imported is where an entry's text comes from.
type Imported struct {
	From string // path of the file in Root, with #anchor where it is a section
	Root string // the folder, as a path from the project, also where it lies outside
	Hash string // the beginning of the hash of the file or section, as it was
	// Links maps the targets of links that the tree cannot resolve, as they are written, to tree paths.
	Links map[string]string
}

// SourceHash is the beginning of a text's hash, used to tell whether the source of an import changed. It is
// computed from the text that an entry may keep: without credentials and invisible characters.
func SourceHash(text string) string {
	sum := sha256.Sum256([]byte(secrets.Redact(sanitize.Visible(UnixLines(text)))))
	return hex.EncodeToString(sum[:8])
}

// Source is the file that the text comes from, as a path from the project, and the anchor of the section.
func (im Imported) Source() (file, anchor string) {
	if im.Root != "" { // for a whole file: a # in its name is part of the name
		return path.Join(im.Root, im.From), ""
	}
	if i := strings.LastIndexByte(im.From, '#'); i >= 0 {
		return im.From[:i], im.From[i+1:]
	}
	return im.From, ""
}

// ImportedBy says where the entry's text comes from, if it was imported.
func ImportedBy(e *Entry) (im Imported, ok bool) {
	from, ok := e.Field(ImportedFromKey)
	if !ok || from.Value() == "" {
		return im, false
	}
	root, _ := e.Field(ImportedRootKey)
	hash, _ := e.Field(ImportedHashKey)
	im = Imported{From: from.Value(), Root: root.Value(), Hash: hash.Value()}
	if links, ok := e.Field(ImportedLinksKey); ok {
		im.Links = make(map[string]string, len(links.Items))
		for _, item := range links.Items {
			if i := strings.LastIndex(item.Value, linkSign); i > 0 {
				im.Links[item.Value[:i]] = item.Value[i+len(linkSign):]
			}
		}
	}
	return im, true
}

// LinkOf is the tree path that an imported entry states for one of its links, "" if it states none.
func LinkOf(e *Entry, raw string) string {
	links, ok := e.Field(ImportedLinksKey)
	if !ok {
		return ""
	}
	for _, item := range links.Items {
		if to, ok := strings.CutPrefix(item.Value, raw+linkSign); ok {
			return to
		}
	}
	return ""
}

// Into adds the import's keys to a text. They go into the author's frontmatter if any of that can be read.
// Otherwise they go into a new frontmatter in front, and the author's, broken or empty, becomes part of the
// text.
func (im Imported) Into(p, text string) (string, error) {
	lines, eol := im.lines(), eolOf(text)
	block := strings.Join(lines, eol) + eol
	rest := strings.TrimPrefix(text, markdown.ByteOrderMark)
	own := text[:len(text)-len(rest)] + "---" + eol + block + "---" + eol + rest
	if fm, _, ok, closed := splitFrontmatter(text); ok && closed {
		e := Parse(p, text)
		taken := slices.ContainsFunc(e.Fields, func(f Field) bool { return strings.HasPrefix(f.Key, importedPrefix) })
		if made := text[:fm.Start] + block + text[fm.Start:]; len(e.Fields) > 0 && !taken && im.readable(p, text, made) {
			return made, nil
		}
	}
	if im.readable(p, text, own) {
		return own, nil
	}
	return "", fmt.Errorf("%s: the text is not a valid entry", im.From)
}

// lines are the keys as they are written.
func (im Imported) lines() []string {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	out := []string{ImportedFromKey + ": " + quoted(im.From)}
	if im.Root != "" {
		out = append(out, ImportedRootKey+": "+quoted(im.Root))
	}
	if im.Hash != "" {
		out = append(out, ImportedHashKey+": "+quoted(im.Hash))
	}
	var links []string
	for raw, to := range im.Links {
		links = append(links, quoted(raw+linkSign+to))
	}
	if slices.Sort(links); len(links) > 0 {
		out = append(out, ImportedLinksKey+": ["+strings.Join(links, ", ")+"]")
	}
	return out
}

// readable reports whether a text can be read as the imported entry, so that the author's text can be
// restored from it.
func (im Imported) readable(p, text, made string) bool {
	e := Parse(p, made)
	got, ok := ImportedBy(e)
	original, _ := OriginalOf(e)
	return ok && got.From == im.From && len(got.Links) == len(im.Links) && original == text && utf8.ValidString(made) &&
		yamlErrors(e) <= yamlErrors(Parse(p, text))
}

// OriginalOf is the author's text of an imported entry: the file without the lines that the import added.
func OriginalOf(e *Entry) (text string, ok bool) {
	lines, fm, body, ok := importedLines(e)
	switch {
	case !ok:
		return "", false
	case lines.End == fm.End: // the author had none
		return e.Text[:len(e.Text)-len(strings.TrimPrefix(e.Text, markdown.ByteOrderMark))] + e.Text[body.Start:], true
	}
	return e.Text[:lines.Start] + e.Text[lines.End:], true
}

// importedLines are the lines that an import added, in the frontmatter.
func importedLines(e *Entry) (lines, fm, body markdown.Span, ok bool) {
	_, ok = e.Field(ImportedFromKey)
	fm, body, _, closed := splitFrontmatter(e.Text)
	if !ok || !closed {
		return lines, fm, body, false
	}
	lines = markdown.Span{Start: fm.Start, End: fm.Start}
	for lines.End < fm.End {
		line, next := markdown.CutLine(e.Text, lines.End)
		if !strings.HasPrefix(line, importedPrefix) {
			break
		}
		lines.End = next
	}
	return lines, fm, body, true
}

// Relinked is the edit that makes an imported entry state these links; ok is false if that is impossible.
func (im Imported) Relinked(e *Entry) (edit markdown.Edit, ok bool) {
	at, _, _, ok := importedLines(e)
	eol := eolOf(e.Text)
	edit = markdown.Edit{At: at, New: strings.Join(im.lines(), eol) + eol}
	original, _ := OriginalOf(e)
	return edit, ok && im.readable(e.Path, original, markdown.ApplyEdits(e.Text, []markdown.Edit{edit}))
}

package format

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Frontmatter keys of what an entry was merged from (specification "Dreaming", Consolidate).
const (
	consolidatedAtKey   = "consolidated_at"
	ConsolidatedFromKey = "consolidated_from"
)

// ancestor is one item of `consolidated_from`: {date, path, reason}.
type ancestor struct {
	Date   string `yaml:"date"`
	Path   string `yaml:"path"`
	Reason string `yaml:"reason"`
}

// maxAncestors bounds the ancestors that are copied from an entry that is merged away.
const maxAncestors = 50

// ancestors returns the readable items of the entry's `consolidated_from`.
func ancestors(e *Entry) []ancestor {
	if _, ok := e.LastField(ConsolidatedFromKey); !ok {
		return nil
	}
	var of struct {
		From []ancestor `yaml:"consolidated_from"`
	}
	if yaml.Unmarshal([]byte(e.Frontmatter.Of(e.Text)), &of) != nil { // its limits were checked when the entry was read
		return nil
	}
	return of.From[:min(len(of.From), maxAncestors)]
}

// text is the item as it is written.
func (a ancestor) text() string {
	item := "{date: " + yamlScalar(OneLine(a.Date), double, true) + ", path: " + yamlScalar(OneLine(a.Path), plain, true)
	if reason := OneLine(a.Reason); reason != "" {
		item += ", reason: " + yamlScalar(reason, double, true)
	}
	return item + "}"
}

// Descended returns the entry with the source and the source's own ancestors added to its lineage. ok is
// false if its frontmatter cannot be edited safely.
func (e *Entry) Descended(source *Entry, reason string, now time.Time) (after *Entry, ok bool) {
	if e, ok = (fieldEditor{e}).changed(fieldChange{key: consolidatedAtKey, values: []string{formatTime(now)}}); !ok {
		return e, false
	}
	var texts, paths []string
	for _, a := range append(ancestors(source), ancestor{formatTime(now), source.Path, reason}) {
		if a.Path != "" {
			texts, paths = append(texts, a.text()), append(paths, OneLine(a.Path))
		}
	}
	ed := fieldEditor{e}.ancestorsEdit(texts)
	after = Parse(e.Path, markdown.ApplyEdits(e.Text, []markdown.Edit{ed}))
	was, _ := e.LastField(ConsolidatedFromKey)
	is, _ := after.LastField(ConsolidatedFromKey)
	switch wanted := append(was.values(), paths...); {
	case after.Text[after.Body.Start:] != e.Text[e.Body.Start:], yamlErrors(after) > yamlErrors(e),
		strings.Join(is.values(), "\n") != strings.Join(wanted, "\n"),
		len(others(after.Fields, ConsolidatedFromKey)) != len(others(e.Fields, ConsolidatedFromKey)):
		return e, false
	}
	return after, true
}

// ancestorsEdit adds items to the list of ancestors, or makes it.
func (d fieldEditor) ancestorsEdit(items []string) markdown.Edit {
	f, ok := d.LastField(ConsolidatedFromKey)
	if !ok {
		at, indent := d.fieldPlace(ConsolidatedFromKey)
		return markdown.Edit{At: markdown.Span{Start: at, End: at}, New: indent + ConsolidatedFromKey + ": [" +
			strings.Join(items, ", ") + "]" + eolOf(d.Text)}
	}
	v := d.fieldValue(f)
	if v.kind != valueFlow && v.kind != valueBlock {
		return markdown.Edit{}
	}
	pieces := v.unknown(nil, -1, 0)
	for i := range v.items {
		pieces = append(pieces, piece{kept: i})
	}
	for _, s := range items {
		pieces = append(pieces, piece{kept: -1, text: s})
	}
	return markdown.TrimEdit(d.Text, markdown.Edit{At: v.at, New: v.build(pieces)})
}

package tree

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Frontmatter keys of what an entry was merged from (specification "Dreaming", Consolidate).
const (
	consolidatedAtKey   = "consolidated_at"
	consolidatedFromKey = "consolidated_from"
)

// ancestor is one item of `consolidated_from`: {date, path, reason}.
type ancestor struct {
	Date   string `yaml:"date"`
	Path   string `yaml:"path"`
	Reason string `yaml:"reason"`
}

// maxAncestors bounds what is taken over of the lineage of an entry that is merged away.
const maxAncestors = 50

// lineage are the ancestors that an entry names, as far as they can be read.
func (e *Entry) lineage() []ancestor {
	if _, ok := e.lastField(consolidatedFromKey); !ok {
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
	item := "{date: " + yamlScalar(oneLine(a.Date), double, true) + ", path: " + yamlScalar(oneLine(a.Path), plain, true)
	if reason := oneLine(a.Reason); reason != "" {
		item += ", reason: " + yamlScalar(reason, double, true)
	}
	return item + "}"
}

// descended is the entry with the source, and what that descends from, in its lineage; ok is
// false where its frontmatter cannot be edited safely.
func (e *Entry) descended(source *Entry, reason string, now time.Time) (after *Entry, ok bool) {
	moment := fieldChange{key: consolidatedAtKey, values: []string{formatTime(now)}}
	if f, there := e.lastField(consolidatedAtKey); !there || !moment.holds(f) { // it does where several are merged at once
		at := e.setField(moment)
		if at == (Edit{}) {
			return e, false
		}
		e = Parse(e.Path, ApplyEdits(e.Text, []Edit{at}))
	}
	var texts, paths []string
	for _, a := range append(source.lineage(), ancestor{formatTime(now), source.Path, reason}) {
		if a.Path != "" {
			texts, paths = append(texts, a.text()), append(paths, oneLine(a.Path))
		}
	}
	ed := e.ancestorsEdit(texts)
	after = Parse(e.Path, ApplyEdits(e.Text, []Edit{ed}))
	was, _ := e.lastField(consolidatedFromKey)
	is, _ := after.lastField(consolidatedFromKey)
	switch wanted := append(was.values(), paths...); {
	case after.Text[after.Body.Start:] != e.Text[e.Body.Start:], after.yamlErrors() > e.yamlErrors(),
		strings.Join(is.values(), "\n") != strings.Join(wanted, "\n"), len(others(after.Fields, consolidatedFromKey)) != len(others(e.Fields, consolidatedFromKey)):
		return e, false
	}
	return after, true
}

// ancestorsEdit adds items to the list of ancestors, or makes it.
func (e *Entry) ancestorsEdit(items []string) Edit {
	f, ok := e.lastField(consolidatedFromKey)
	if !ok {
		at, indent := e.fieldPlace(consolidatedFromKey)
		return Edit{Span{at, at}, indent + consolidatedFromKey + ": [" + strings.Join(items, ", ") + "]" + e.eol()}
	}
	v := e.fieldValue(f)
	if v.kind != valueFlow && v.kind != valueBlock {
		return Edit{}
	}
	pieces := v.unknown(nil, -1, 0)
	for i := range v.items {
		pieces = append(pieces, piece{kept: i})
	}
	for _, s := range items {
		pieces = append(pieces, piece{kept: -1, text: s})
	}
	return trimEdit(e.Text, Edit{v.at, v.build(pieces)})
}

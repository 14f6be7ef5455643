package format

import "slices"

// words revises the title or the summary.
func (v *Reviser) words(p Part, text string) {
	text = OneLine(text)
	f, exists := v.E.LastField(string(p))
	old := OneLine(f.Value())
	empties := text == "" && p == PartSummary && v.replace[p]
	if text == old || (text == "" && !empties) || (p == PartTitle && !exists && text == v.E.Title) {
		return
	}
	if v.Field(v.E.FieldEdit(string(p), text)) && old != "" {
		v.addLoss(p, old, false)
	}
}

// list revises a frontmatter list. Items are equal if their keys are.
func (v *Reviser) list(r PartRow, wanted []string) {
	p, field, key := r.Part, r.key(), OneLine
	if p == PartRelations {
		key = relationKey
	}
	if len(wanted) == 0 && !v.replace[p] {
		return
	}
	f, _ := v.E.LastField(field)
	said, present := map[string]bool{"": true}, map[string]bool{} // an item that says nothing is left alone
	for _, w := range wanted {
		said[key(w)] = true
	}
	var items, unsaid []string
	for _, old := range f.values() {
		if !said[key(old)] {
			unsaid = append(unsaid, old)
		}
		if said[key(old)] || !v.replace[p] {
			items = append(items, old)
			present[key(old)] = true
		}
	}
	for _, w := range wanted {
		if !present[key(w)] {
			items = append(items, w)
			present[key(w)] = true
		}
	}
	edited := !slices.Equal(items, f.values()) && v.Field(fieldEditor{v.E}.setField(fieldChange{key: field, values: items, list: true}))
	for _, old := range unsaid {
		v.addLoss(p, OneLine(old), !edited || !v.replace[p])
	}
}

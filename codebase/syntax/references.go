package syntax

import (
	"cmp"
	"slices"
)

func (a *assembler) addReference(m match, kind ReferenceKind, at Span) {
	if root, ok := m.find("data"); ok && a.text(root) != "data" {
		return
	}
	at = a.trimmed(at)
	qualifier := ""
	if q, ok := m.find("qualifier"); ok {
		qualifier = unquote(a.text(a.trimmed(q)))
	}
	if a.lang == Protobuf {
		qualifier, at = a.split(at)
	}
	if a.lang == HCL && qualifier == "data" {
		return
	}
	r := Reference{Name: unquote(a.text(at)), Qualifier: qualifier, Kind: kind, At: at}
	a.references = append(a.references, r)
}

// sortedReferences orders the references. Of several to the same name it keeps the most informative: a qualified
// one, and a call or base rather than a plain use of the type.
func (a *assembler) sortedReferences() []Reference {
	slices.SortFunc(a.references, func(x, y Reference) int {
		return cmp.Or(
			cmp.Compare(x.At.Start, y.At.Start), cmp.Compare(y.Kind.weight(), x.Kind.weight()),
			cmp.Compare(len(y.Qualifier), len(x.Qualifier)), cmp.Compare(x.Kind, y.Kind))
	})
	defined := make(map[Span]bool, len(a.defs))
	for _, d := range a.defs {
		defined[d.NameAt] = true
	}
	out := a.references[:0]
	for _, r := range a.references {
		if defined[r.At] || isOwnType(a.lang, r.Name) {
			continue
		}
		if n := len(out); n > 0 && out[n-1].At == r.At {
			out[n-1].Qualifier = cmp.Or(out[n-1].Qualifier, r.Qualifier)
			continue
		}
		out = append(out, r)
	}
	return slices.Clip(out)
}

// weight orders the kinds of reference by how informative they are.
func (k ReferenceKind) weight() int {
	switch k {
	case Use:
		return 0
	case TypeUse:
		return 1
	case Call, Element:
		return 2
	}
	return 3
}

// isOwnType reports whether a name means the class that contains it.
func isOwnType(lang Language, name string) bool {
	return lang == PHP && (name == "self" || name == "static" || name == "parent" || name == "")
}

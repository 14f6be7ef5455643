package syntax

import "github.com/brv-lsp/brv-lsp/internal/secrets"

// veil takes the credentials of a source out of every string that was made of it. It is the only way
// from a source to such strings, so that whoever shows a name, a signature or a doc comment shows
// none. Spans are not changed: what stands there is the source's, and goes through [secrets.Veil].
func (f *File) veil(source string) {
	veiled := secrets.Veil(source)
	if veiled.Clean() {
		return
	}
	without := func(all ...*string) {
		for _, s := range all {
			*s = veiled.Without(*s)
		}
	}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		without(&s.Name, &s.Container, &s.Signature, &s.Doc)
	}
	for i := range f.References {
		without(&f.References[i].Name, &f.References[i].Qualifier)
	}
	for i := range f.Imports {
		m := &f.Imports[i]
		without(&m.Spec, &m.Alias)
		for k := range m.Names {
			without(&m.Names[k])
		}
		for k := range m.As {
			without(&m.As[k])
		}
	}
	without(&f.Module)
}

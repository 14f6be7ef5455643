package syntax

import "github.com/brv-lsp/brv-lsp/internal/secrets"

// veil removes the credentials of a source from every string that was made from it. All such strings pass through
// it, so a name, a signature or a doc comment never shows a credential. Spans are not changed. Text at a span
// comes from the source, so pass it through [secrets.Veil].
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

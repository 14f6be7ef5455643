package consult

import "github.com/brv-lsp/brv-lsp/tree/format"

// authorOf is who wrote an entry, as its frontmatter says: human, agent, model or rules; "" where it
// does not say.
func authorOf(e *format.Entry) string {
	p, _ := e.Provenance()
	return string(p.Kind)
}

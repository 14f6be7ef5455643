package workspace

import "github.com/brv-lsp/brv-lsp/retrieval"

// WrapEngine puts another engine around the one that makes searches.
func (w *Workspace) WrapEngine(wrap func(retrieval.Engine) retrieval.Engine) {
	w.engine = wrap(w.engine)
}

package workspace

import (
	"context"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/link"
)

// Pages are the repository's own documents with what they name of the code.
type Pages struct {
	Set   *documents.Set
	Links *link.Links // of [documents.Set.Pages]
}

// PagesIn joins the documents with the code of the view, and with open buffers of both. It returns nil if
// editors should show nothing of documents, if there are no documents, or if the code is not read. Only the
// parts that changed since the last call are made anew. If ctx ends first, the result is for the next call.
func PagesIn(ctx context.Context, v *View) *Pages {
	d := v.ws.docs
	if d.opts.NoPages || !v.CodeRead() {
		return nil
	}
	p, _ := (&lazy[*Pages]{}).get(ctx, v.ws.core, func() (*Pages, error) {
		set, err := v.Documents(v.ws.ctx)
		if err != nil || set.Len() == 0 {
			return nil, err
		}
		return &Pages{set, d.linker.of(set.Pages(), v.code, v.code, &linker{})}, nil
	})
	return p
}

// PagesWithin is [PagesIn] for who waits no longer than that.
func PagesWithin(ctx context.Context, v *View, p Patience) *Pages {
	short, cancel := v.Within(ctx, p)
	defer cancel()
	return PagesIn(short, v)
}

// MayBePage reports whether the file at p may be a document that [PagesIn] has, by its name.
func MayBePage(v *View, p string) bool {
	o := &v.ws.opts
	return !o.NoPages && o.CodeScan && !IsTreePath(p) && o.Documents.Wants(p)
}

// PagesOf is [PagesIn] where one of them is the file at p as the view has it, with the view that has the code
// which they name; nil elsewhere. It waits for an [Answer].
func PagesOf(ctx context.Context, v *View, p string) (*View, *Pages) {
	if !MayBePage(v, p) {
		return v, nil
	}
	short, cancel := v.Within(ctx, Answer)
	defer cancel()
	if v.ws.code.stages[codeRead].Wait(short) != nil {
		return v, nil
	}
	now, _ := v.WithOpenCode(short)
	pages := PagesIn(short, now)
	if pages == nil {
		return v, nil
	}
	e, ok := pages.Set.Pages().Entry(p)
	if text, there := v.Text(p); !ok || !there || text != e.Text {
		return v, nil
	}
	return now, pages
}

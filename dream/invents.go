package dream

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// invents returns an error if a text has something that the entries do not have: a path, an address, a
// number, too many names, or mostly other words. It returns nil if everything in the text is in the entries.
func invents(text string, from []*format.Entry) error {
	var b strings.Builder
	for _, e := range from {
		fmt.Fprintf(&b, "%s\n\n%s\n\n%s\n\n%s\n\n%s\n\n", e.Path, e.Title, e.Terms(false), e.Summary, e.Body.Of(e.Text))
	}
	return grounding.In(b.String()).Check(text)
}

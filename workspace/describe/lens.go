package describe

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Summary says in a line how an entry stands: who relates to it and what it is worth now;
// and where the entry states its title. ok is false for what is generated or archived.
func Summary(v *workspace.View, entry string) (line string, at markdown.Span, ok bool) {
	e, ok := v.Tree().Entry(entry)
	if !ok || e.Role != format.RoleEntry {
		return "", at, false
	}
	parts := []string{tree.Counted(len(navigate.MentionPlaces(v, entry, "", false)), "backlink", "backlinks")}
	if counted, _ := v.Tree().Counted(entry); counted.Has {
		s := v.Tree().Signals(entry, v.Now())
		parts = append(parts, fmt.Sprintf("importance %.0f (%s)", s.Importance, s.Maturity))
	}
	at, _ = e.TitleAt()
	return strings.Join(parts, " · "), at, true
}

// Named says how many entries name a code file or something in it, "" if none does.
func Named(ctx context.Context, v *workspace.View, p string) string {
	if _, entry := v.EntryPath(p); entry {
		return ""
	}
	n := len(v.ForFile(ctx, p).Links().About(p, ""))
	if n == 0 {
		return ""
	}
	return tree.Counted(n, "knowledge entry", "knowledge entries")
}

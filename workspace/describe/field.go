package describe

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// fieldToday returns the present value of a signal, and its meaning for the entry's tier.
func fieldToday(v *workspace.View, e *format.Entry, f format.Field) string {
	s := v.Trees().Signals(e.Path, v.Now())
	switch f.Key {
	case "importance":
		if e.UpdatedAt.IsZero() {
			return tierToday(e, s)
		}
		return strings.TrimSuffix(fmt.Sprintf("%.0f when updated, %.0f today; %s", e.Signals.Importance, s.Importance,
			tierToday(e, s)), "; ")
	case "maturity":
		return tierToday(e, s)
	case "recency", "updatedAt":
		if !e.UpdatedAt.IsZero() {
			return fmt.Sprintf("recency is %.2f today", s.Recency)
		}
	case "accessCount":
		if uses := s.AccessCount - e.Signals.AccessCount; uses > 0 {
			return words.Counted(uses, "use", "uses") + " since the entry was last written"
		}
	}
	return ""
}

// tierToday returns the meaning of the present importance for the tier, "" if there is none.
func tierToday(e *format.Entry, s format.Signals) string {
	var said []string
	tier := format.Tier(s.Maturity, s.Importance)
	if e.Signals.Maturity != "" && tier != e.Signals.Maturity {
		said = append(said, format.TierName(e, tier)+" today")
	}
	switch {
	case tier != format.Draft:
	case s.Importance < derived.ArchiveBelow:
		said = append(said, fmt.Sprintf("can be archived: a draft below %d", derived.ArchiveBelow))
	default:
		said = append(said, fmt.Sprintf("can be archived if it falls below %d", derived.ArchiveBelow))
	}
	return strings.Join(said, "; ")
}

// fieldAt is the frontmatter field whose key, or single value, holds offset, and the
// bytes of that.
func fieldAt(e *format.Entry, offset int) (format.Field, markdown.Span, bool) {
	for _, f := range e.Fields {
		switch {
		case f.KeyAt.Contains(offset):
			return f, f.KeyAt, true
		case !f.List && f.At.Contains(offset):
			if len(f.Items) == 1 && f.Items[0].At.Contains(offset) {
				return f, f.Items[0].At, true
			}
			return f, f.At, true
		}
	}
	return format.Field{}, markdown.Span{}, false
}

package curation

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// maxDiff bounds, in bytes, one difference in a review: people do not read more beside an entry, and a file
// that was rewritten is better opened.
const maxDiff = 32 << 10

// DriftReview is a markdown document to review an entry: the names in it that no longer match the code, with
// the differences, and the entry itself.
func DriftReview(ctx context.Context, v *workspace.View, entry string) (string, error) {
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return "", fmt.Errorf("no entry %s", workspace.Clipped(entry))
	}
	if err := v.Workspace().WaitCode(ctx); err != nil {
		return "", err
	}
	v.Workspace().ReadHistory(ctx) // and so waits for a read under way
	all, err := drift.Compare(ctx, v.WithCodeOnDisk(), e)
	if err != nil {
		return "", err
	}
	found := all[entry]
	var b strings.Builder
	fmt.Fprintf(&b, "# Review: %s\n\n`%s`", e.Title, v.FilePath(entry))
	if _, at := v.Tree().Counted(entry); !at.IsZero() {
		fmt.Fprintf(&b, ", last updated %s", at.Format("2006-01-02"))
	}
	b.WriteString(".\n")
	if len(found) == 0 {
		b.WriteString("\nThe code of this entry has not changed.\n")
	} else {
		b.WriteString("\nUpdate the entry, or confirm that it is still true.\n")
	}
	for _, d := range found {
		writeDrift(&b, e, d)
	}
	b.WriteString("\n## The entry\n\n" + fenced("md", e.Shown(markdown.Span{End: len(e.Text)})))
	return b.String(), nil
}

// writeDrift describes the drift of one name in an entry.
func writeDrift(b *strings.Builder, e *format.Entry, d link.Drift) {
	fmt.Fprintf(b, "\n## `%s` %s\n\n%s\n", strings.ReplaceAll(e.Shown(d.At), "\n", " "), d.What(), d.Reason)
	diff := d.Diff()
	if diff == "" || d.Kind == link.Vanished {
		return
	}
	cut := ""
	if len(diff) > maxDiff {
		diff = diff[:strings.LastIndexByte(diff[:maxDiff], '\n')+1]
		cut = "\nThe rest of the difference is not shown, because it is too long.\n"
	}
	b.WriteString("\n" + fenced("diff", diff) + cut)
}

// fenced puts text into a code block of its own lines.
func fenced(language, text string) string {
	return markdown.Fenced(language, strings.TrimRight(text, "\n")) + "\n"
}

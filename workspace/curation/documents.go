package curation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// Archived is the full text of an entry that was archived, without the credentials in it: named by its own path, by its
// stub's or by that of the full text.
func Archived(v *workspace.View, name string) (string, error) {
	p := strings.TrimPrefix(name, "_archived/")
	if base, ok := strings.CutSuffix(p, ".full.md"); ok {
		p = base + ".md"
	} else if base, ok := strings.CutSuffix(p, ".stub.md"); ok {
		p = base + ".md"
	}
	e, ok := derived.Full(v.Tree(), p)
	if !ok {
		return "", fmt.Errorf("%s is not archived", workspace.Clipped(p))
	}
	return e.Shown(markdown.Span{End: len(e.Text)}), nil
}

// ReviewText is a markdown document about a batch with waiting operations: each operation with its reason and
// its differences, and how to decide.
func ReviewText(w *workspace.Workspace, batch string) (string, error) {
	st, err := w.Store()
	if err != nil {
		return "", err
	}
	id, err := strconv.Atoi(batch)
	if err != nil {
		return "", fmt.Errorf("%s is not a batch number", workspace.Clipped(batch))
	}
	list, err := st.Reviews.List()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(list, func(r store.Review) bool { return r.Batch == id })
	if at < 0 {
		return "", fmt.Errorf("batch %d has no changes that wait for a review", id)
	}
	r := list[at]
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of batch %d\n\n%s", r.Batch, r.Time.UTC().Format(time.DateTime))
	if r.Author != "" {
		b.WriteString(", by " + asCode(r.Author))
	}
	if who := (format.Provenance{Origin: r.Origin}).String(); who != "" {
		b.WriteString(", written " + asCode(who))
	}
	b.WriteString(".\n\n")
	if slices.ContainsFunc(r.Items, tooLong) {
		fmt.Fprintf(
			&b,
			"**Some changes are cut here:** a difference is longer than %[2]d KiB. Run `brv-lsp review show %[1]d` in a terminal to see "+
				"all changes. Approval also covers what is not shown. To reject the batch, run `brv-lsp review reject %[1]d`; "+
				"`%[1]d:PATH` names one "+
				"entry.\n", r.Batch, maxDiff>>10)
	} else {
		fmt.Fprintf(
			&b,
			"To decide, choose Approve or Reject above an entry's title or in your editor's list of reviews. Or run `brv-lsp "+
				"review approve %[1]d` or `brv-lsp review reject %[1]d` in a terminal; `%[1]d:PATH` names one entry.\n", r.Batch)
	}
	for _, item := range r.Items {
		writeReview(&b, r.Batch, item)
	}
	return b.String(), nil
}

// tooLong reports whether the document about a review cannot show all of an operation.
func tooLong(item plan.ReviewItem) bool { return len(item.Diff) > maxDiff }

// writeReview describes one operation.
func writeReview(b *strings.Builder, batch int, item plan.ReviewItem) {
	state := "already done; rejecting undoes it"
	if item.Held {
		state = "nothing changed yet"
	}
	fmt.Fprintf(b, "\n## %s %s\n\n%s (%s).\n", item.Op.Type, asCode(item.Path), workspace.OneLine(item.Message), state)
	if item.Blocked != "" {
		b.WriteString("\nYou cannot approve it now: " + workspace.OneLine(item.Blocked) + ".\n")
	}
	if reason := workspace.OneLine(item.Op.Reason); reason != "" {
		b.WriteString("\nReason: " + asCode(reason) + "\n")
	}
	diff := item.Diff
	cut := ""
	if tooLong(item) {
		diff = diff[:strings.LastIndexByte(diff[:maxDiff], '\n')+1]
		cut = fmt.Sprintf(
			"\n**The difference is cut here:** %d of %d bytes are shown. To see all of it, run `brv-lsp review show %d` in a "+
				"terminal.\n", len(diff), len(item.Diff), batch)
	}
	if diff != "" {
		b.WriteString("\n" + fenced("diff", diff) + cut)
	}
}

// asCode shows a text from another author as code on one line.
func asCode(text string) string {
	return "`" + strings.ReplaceAll(workspace.OneLine(text), "`", "'") + "`"
}

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

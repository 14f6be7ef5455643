package main

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

// decider decides on pending changes.
type decider func(context.Context, *workspace.Workspace, curation.BatchRequest) (*plan.Report, error)

// reviews makes the page of pending changes.
func (u *face) reviews() *terminal.Page {
	return &terminal.Page{Name: "Reviews", Fresh: true, Marks: true, Load: u.inTree("Nothing waits for a review.", u.waiting),
		Keys: []terminal.Key{
			{Name: "a", Help: "approve", Rows: func(s *terminal.Screen, rows []terminal.Row) { u.decide(s, "Approve", rows, "", curation.Approve) }},
			{Name: "x", Help: "reject", Rows: func(s *terminal.Screen, rows []terminal.Row) {
				s.Ask("Reason (Enter: none)", "", func(reason string) { u.decide(s, "Reject", rows, reason, curation.Reject) })
			}},
			{Name: "e", Help: "edit and approve", Rows: func(s *terminal.Screen, rows []terminal.Row) {
				if len(rows) > 1 {
					s.Say("Select only one change to edit it")
					return
				}
				req := rows[0].Of.(curation.BatchRequest)
				s.Edit(func() (func(), error) {
					r, err := editProposed(context.Background(), u.w, req)
					return func() { u.done(s, []*plan.Report{r}) }, err
				})
			}},
			{Name: "u", Help: "undo", Do: func(s *terminal.Screen) {
				if n := len(u.decided); n > 0 {
					u.undo(s, slices.Clone(u.decided[n-1])...)
				} else {
					s.Say("There is no decision in this session to undo; use the Log view to undo older changes")
				}
			}},
		}}
}

// waiting lists pending changes, by batch and folder.
func (u *face) waiting(ctx context.Context, _ func(string)) (l terminal.Listing, err error) {
	r, err := curation.Reviews(ctx, u.w, struct{}{})
	if err != nil {
		return l, err
	}
	n := 0
	for _, x := range r.Reviews {
		n += len(x.Items)
		head := terminal.Row{Key: fmt.Sprint(x.Batch), Head: true}
		head.Show = func() string { return reviewsText(&curation.ReviewsResponse{Reviews: []store.Review{x}}, false) }
		head.Text = textf("Batch %d by %s%s, %s", x.Batch, cmp.Or(x.Author, "unknown"), originWords(x.Origin),
			x.Time.Local().Format(time.DateTime))
		l.Rows = append(l.Rows, head)
		for _, g := range curation.Groups(x.Items) {
			head.Depth, head.Key, head.Text = 1, fmt.Sprint(x.Batch, g.Folder), textf("%s/ (%d)", g.Folder, g.Count)
			l.Rows = append(l.Rows, head)
			for _, i := range x.Items {
				if path.Dir(i.Path) == g.Folder {
					l.Rows = append(l.Rows, u.waitingRow(x, i))
				}
			}
		}
	}
	if n > 0 {
		l.Head = words.Counted(n, "change waits", "changes wait") + "; a key on a batch or folder acts on all its changes"
	}
	l.Empty = u.first("Nothing waits for a review. Drafts of agents and of `brv-lsp propose` are listed here for your decision.")
	return l, nil
}

// waitingRow makes the row of one pending operation.
func (u *face) waitingRow(x store.Review, i plan.ReviewItem) terminal.Row {
	line := curation.Line(i)
	if i.Op.Text == "" && i.Op.Title == "" {
		line = path.Base(i.Path) + "  " + line
	}
	row := terminal.Row{Key: fmt.Sprint(x.Batch, i.Number), Depth: 2, Text: textf("%-7s %s", i.Op.Type, line),
		File: u.w.View().FilePath(i.Path), Of: curation.BatchRequest{Batch: x.Batch, Paths: []string{i.Path}, Author: user()}}
	if _, ok := u.w.View().Tree().Entry(i.Path); !ok {
		row.File, row.Enter = "", func(s *terminal.Screen) {
			s.Say("This entry has no file until it is approved; press e to edit the draft")
		}
	}
	if i.Blocked != "" || !i.Held {
		row.Warn = cmp.Or(i.Blocked, "done already")
	}
	row.Show = func() string {
		var out strings.Builder
		sayf(&out, "%s %s: %s\n", i.Op.Type, i.Path, sanitize.Line(i.Op.Reason, maxSaid))
		printLosses(&out, i.Losses)
		out.WriteString("\n" + entryFirst(i.Diff, i.Path))
		sayf(&out, "\n%s\n", sanitize.Line(i.Message, maxSaid))
		return out.String()
	}
	return row
}

// entryFirst moves the difference of one file to the front of diff. For a new file it puts the text before
// the frontmatter.
func entryFirst(diff, file string) string {
	parts := strings.SplitAfter("\n"+diff, "\ndiff ")
	i := slices.IndexFunc(parts, func(part string) bool {
		names, _, _ := strings.Cut(part, "\n")
		return strings.HasSuffix(names, " b/"+file)
	})
	if i < 0 {
		return diff
	}
	_, own, _ := strings.Cut(parts[i], "\n")
	own = strings.TrimSuffix(own, "diff ")
	others := strings.TrimPrefix(strings.TrimSuffix(strings.Join(slices.Delete(parts, i, i+1), ""), "diff "), "\n")
	if head, body, ok := strings.Cut(own, "\n+---\n"); ok && strings.HasPrefix(own, "--- /dev/null") {
		if front, text, ok := strings.Cut(body, "\n+---\n"); ok {
			own = text + head + "\n+---\n" + front + "\n+---\n"
		}
	}
	return own + others
}

// decide approves or rejects rows, batch by batch. It asks first if there are several.
func (u *face) decide(s *terminal.Screen, verb string, rows []terminal.Row, reason string, do decider) {
	var all []curation.BatchRequest
	for _, r := range rows {
		req := r.Of.(curation.BatchRequest)
		if n := len(all); n > 0 && all[n-1].Batch == req.Batch {
			all[n-1].Paths = append(slices.Clone(all[n-1].Paths), req.Paths...)
		} else {
			all = append(all, req)
		}
	}
	decide := func() {
		for i := range all {
			slices.Sort(all[i].Paths)
			all[i].Paths, all[i].Reason = slices.Compact(all[i].Paths), reason
		}
		u.act(s, "Reviewing", all, do)
	}
	if len(rows) > 1 {
		s.Confirm(textf("%s %d changes?", verb, len(rows)), decide)
	} else {
		decide()
	}
}

// act runs an action on batches, and shows the result.
func (u *face) act(s *terminal.Screen, label string, all []curation.BatchRequest, do decider) {
	s.Run(label, func(ctx context.Context, tell func(string)) (func(), error) {
		var reports []*plan.Report
		done := func() { u.done(s, reports) }
		for n, req := range all {
			if n > 0 {
				tell(textf("%d of %d batches; Esc cancels", n, len(all)))
			}
			r, err := do(ctx, u.w, req)
			if err != nil {
				return done, undoable(err)
			}
			reports = append(reports, r)
		}
		return done, nil
	})
}

// done shows the result of a decision or of its undo, and remembers a decision so that it can be undone.
func (u *face) done(s *terminal.Screen, reports []*plan.Report) {
	said, many, of, n, failed, batches := "", "Decided", "change", 0, 0, []int(nil)
	for _, r := range reports {
		if r.Undone != nil {
			said, many, of, n = sanitize.Line(takenBack(r), maxSaid), "Undone", "file", n+len(r.Undone.About)
			s.Seek(func(row terminal.Row) bool { // the changes that are pending again
				req, ok := row.Of.(curation.BatchRequest)
				return ok && req.Batch == r.Undone.Of && slices.Equal(req.Paths, r.Undone.About[:min(1, len(r.Undone.About))])
			})
			continue
		}
		text, _ := reportText(r)
		text, _, _ = strings.Cut(text, "\n")
		said = sanitize.Line(strings.Join(strings.Fields(text), " "), maxSaid)
		if r.Batch != 0 {
			batches = append(batches, r.Batch)
		}
		n, failed = n+len(r.Results), failed+r.Summary.Failed
	}
	if n > 1 {
		said = strings.TrimSuffix(textf("%s: %s, %d failed", many, words.Counted(n, of, of+"s"), failed), ", 0 failed")
	}
	if len(batches) > 0 {
		u.decided, said = append(u.decided, batches), said+"; u undoes it"
	}
	s.Say(said)
	s.Reload()
}

// undo undoes batches, newest first.
func (u *face) undo(s *terminal.Screen, batches ...int) {
	var all []curation.BatchRequest
	for _, b := range slices.Backward(batches) {
		all = append(all, curation.BatchRequest{Batch: b, Author: user()})
		for i, d := range u.decided {
			u.decided[i] = slices.DeleteFunc(d, func(of int) bool { return of == b })
		}
	}
	u.decided = slices.DeleteFunc(u.decided, func(d []int) bool { return len(d) == 0 })
	u.act(s, "Undoing", all, curation.Undo)
}

// log makes the page of the audit log.
func (u *face) log() *terminal.Page {
	return &terminal.Page{Name: "Log", Fresh: true, Load: u.inTree("No changes yet.", u.changes),
		Keys: []terminal.Key{{Name: "u", Help: "undo", Rows: func(s *terminal.Screen, rows []terminal.Row) {
			if id := rows[0].Of.(int); id == 0 {
				s.Say("This change was recorded by another user or in another folder, so it cannot be undone here")
			} else {
				s.Confirm("Undo change "+rows[0].Key+"?", func() { u.undo(s, id) })
			}
		}}}}
}

// changes lists the changes of the tree.
func (u *face) changes(ctx context.Context, _ func(string)) (l terminal.Listing, err error) {
	r, err := curation.Log(ctx, u.w, curation.LogRequest{})
	if err != nil {
		return l, err
	}
	l.Head, l.Empty = words.Counted(len(r.Changes), "change", "changes")+", newest first", u.first("No changes yet.")
	for _, c := range r.Changes {
		row := terminal.Row{Key: textf("%d", c.ID), Of: c.ID, Text: textf("%4d  %s  %-10s %-7s  %s", c.ID, c.Time.Local().Format(time.DateTime),
			firstLine(c.Author), did(c), firstLine(strings.Join(c.Reasons, "; ")))}
		if row.Show = func() string {
			text, _ := logText(&curation.LogResponse{Changes: []store.Logged{c}})
			return text
		}; len(c.Files) > 0 {
			row.File = u.w.View().FilePath(c.Files[0])
		}
		l.Rows = append(l.Rows, row)
	}
	return l, nil
}

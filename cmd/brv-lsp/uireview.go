package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
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

// waitingItem is an operation that waits, in its batch.
type waitingItem struct {
	batch int
	item  plan.ReviewItem
}

// reviews is the page of what waits for a decision.
func (u *face) reviews() *terminal.Page {
	return &terminal.Page{Name: "Reviews", Fresh: true, Marks: true, Load: u.listReviews, Show: showReview,
		Keys: []terminal.Key{
			{Name: "a", Help: "approve", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				u.decide(s, "approve", curation.Approve, rows, "")
			}},
			{Name: "x", Help: "reject", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				s.Ask("Reason, for the log (Enter: none)", "", func(reason string) {
					u.decide(s, "reject", curation.Reject, rows, reason)
				})
			}},
			{Name: "e", Help: "edit and approve", Rows: true, Do: u.editProposal},
			{Name: "u", Help: "undo", Do: func(s *terminal.Screen, _ []terminal.Row) {
				if len(u.decided) == 0 {
					s.Say("Nothing was decided here yet; the view Log undoes older changes")
					return
				}
				u.undo(s, u.decided[len(u.decided)-1])
			}},
			{Name: "enter", Help: "open the entry", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				if x, ok := rows[0].Of.(waitingItem); ok {
					u.edit(s, u.w.View().FilePath(x.item.Path), 1)
				}
			}},
		}}
}

func (u *face) listReviews() func(context.Context) (terminal.Listing, error) {
	empty := u.first("Nothing waits for a review.\n\nWhat agents and `brv-lsp propose` draft is listed here, for you to decide.")
	return func(ctx context.Context) (terminal.Listing, error) {
		r, err := curation.Reviews(ctx, u.w, struct{}{})
		if err != nil {
			return terminal.Listing{}, err
		}
		l, n := terminal.Listing{Empty: empty}, 0
		for _, x := range r.Reviews {
			l.Rows = append(l.Rows, terminal.Row{Key: fmt.Sprint(x.Batch), Head: true, Text: textf("Batch %d by %s%s, %s (%d)", x.Batch,
				cmp.Or(x.Author, "unknown"), originWords(x.Origin), x.Time.Local().Format(time.DateTime), len(x.Items)), Of: x})
			l.Rows = append(l.Rows, groupRows(x)...)
			n += len(x.Items)
		}
		l.Head = words.Counted(n, "change waits", "changes wait") + "; Space marks several, and the row of a batch or folder stands for all below it"
		return l, nil
	}
}

// groupRows are the items of a batch, below a head for each folder.
func groupRows(x store.Review) (out []terminal.Row) {
	for _, g := range curation.Groups(x.Items) {
		out = append(out, terminal.Row{Key: fmt.Sprint(x.Batch, g.Folder), Head: true, Depth: 1, Text: textf("%s/ (%d)", g.Folder, g.Count), Of: g})
		for _, i := range x.Items {
			if path.Dir(i.Path) == g.Folder {
				row := terminal.Row{Key: fmt.Sprint(x.Batch, i.Path, i.Number), Depth: 2, Of: waitingItem{x.Batch, i},
					Text: textf("%-7s %s  %s", i.Op.Type, path.Base(i.Path), curation.Line(i))}
				if i.Blocked != "" {
					row.Warn = "cannot be approved"
				} else if !i.Held {
					row.Warn = "done already"
				}
				out = append(out, row)
			}
		}
	}
	return out
}

// showReview tells of an operation, or lists those of a batch.
func showReview(_ context.Context, r terminal.Row) (string, error) {
	x, ok := r.Of.(waitingItem)
	if !ok {
		return "a approves and x rejects all below this row. Space marks them, or a single one.", nil
	}
	var out strings.Builder
	i := x.item
	sayf(&out, "%s %s\n%s\n%s\n", i.Op.Type, i.Path, sanitize.Line(i.Op.Reason, maxSaid), sanitize.Line(i.Message, maxSaid))
	if i.Blocked != "" {
		sayf(&out, "Cannot be approved now: %s\n", i.Blocked)
	}
	printLosses(&out, i.Losses)
	return out.String() + "\n" + i.Diff, nil
}

// decide approves or rejects rows, batch by batch; more than one only after a question.
func (u *face) decide(s *terminal.Screen, verb string, do func(context.Context, *workspace.Workspace, curation.BatchRequest) (*plan.Report,
	error), rows []terminal.Row, reason string) {
	var all []curation.BatchRequest
	for _, r := range rows {
		x, ok := r.Of.(waitingItem)
		if !ok {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Batch != x.batch {
			all = append(all, curation.BatchRequest{Batch: x.batch, Author: user(), Reason: reason})
		}
		if last := &all[len(all)-1]; !slices.Contains(last.Paths, x.item.Path) {
			last.Paths = append(last.Paths, x.item.Path)
		}
	}
	run := func() {
		u.report(s, "Reviewing", func(ctx context.Context) (reports []*plan.Report, err error) {
			for _, req := range all {
				r, err := do(ctx, u.w, req)
				if err != nil {
					return reports, err
				}
				reports = append(reports, r)
			}
			return reports, nil
		})
	}
	if len(rows) == 1 {
		run()
		return
	}
	s.Confirm(fmt.Sprintf("%s%s %d changes?", strings.ToUpper(verb[:1]), verb[1:], len(rows)), run)
}

// report runs a decision, tells its outcome, and remembers it for an undo.
func (u *face) report(s *terminal.Screen, label string, do func(context.Context) ([]*plan.Report, error)) {
	s.Run(label, func(ctx context.Context, _ func(string)) (func(), error) {
		reports, err := do(ctx)
		return func() {
			said := ""
			for _, r := range reports {
				if text, code := reportText(r); code != exitOK || said == "" {
					said, _, _ = strings.Cut(text, "\n")
				}
				if r.Batch != 0 {
					u.decided = append(u.decided, r.Batch)
				}
			}
			if err == nil {
				s.Say(strings.Join(strings.Fields(said), " ") + " (u undoes it)")
			}
			s.Reload()
		}, err
	})
}

// undo takes a batch back.
func (u *face) undo(s *terminal.Screen, batch int) {
	s.Run("Undoing", func(ctx context.Context, _ func(string)) (func(), error) {
		r, err := curation.Undo(ctx, u.w, curation.BatchRequest{Batch: batch, Author: user()})
		return func() {
			if err == nil {
				u.decided = slices.DeleteFunc(u.decided, func(b int) bool { return b == batch })
				said, _, _ := strings.Cut(takenBack(r), "\n")
				s.Say(said)
			}
			s.Reload()
		}, undoable(err)
	})
}

// editProposal has the user change what waits for an entry in their editor, and approves that.
func (u *face) editProposal(s *terminal.Screen, rows []terminal.Row) {
	x, ok := rows[0].Of.(waitingItem)
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	switch {
	case !ok || len(rows) > 1:
		s.Say("An edit is about one entry")
		return
	case strings.TrimSpace(editor) == "":
		s.Say("$EDITOR is not set")
		return
	}
	req := curation.BatchRequest{Batch: x.batch, Paths: []string{x.item.Path}, Author: user()}
	s.Run("Editing", func(ctx context.Context, _ func(string)) (func(), error) {
		p, err := curation.Proposed(ctx, u.w, curation.ProposedRequest{Batch: x.batch, Path: x.item.Path})
		return func() {
			if err != nil {
				return
			}
			text, file := "", ""
			s.Edit(func() (err error) {
				text, file, err = inEditor(editor, p.After, path.Base(x.item.Path))
				return err
			}, func(err error) {
				switch {
				case err != nil:
					s.Say(err.Error())
				case text == p.After || strings.TrimSpace(text) == "":
					s.Say("Left as it is: it waits as before")
				default:
					req.Texts = map[string]string{x.item.Path: text}
					u.report(s, "Approving", func(ctx context.Context) ([]*plan.Report, error) {
						return approveEdited(ctx, u.w, req, file)
					})
				}
			})
		}, err
	})
}

// approveEdited approves a text that was edited in a file, which stays where that fails.
func approveEdited(ctx context.Context, w *workspace.Workspace, req curation.BatchRequest, file string) ([]*plan.Report, error) {
	r, err := curation.Approve(ctx, w, req)
	if err != nil {
		return nil, fmt.Errorf("%w; your text is kept in %s", err, file)
	}
	if r.Summary.Failed == 0 {
		err = os.RemoveAll(path.Dir(file))
	}
	return []*plan.Report{r}, err
}

package main

import (
	"context"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// dreams is the page of the tree's upkeep.
func (u *face) dreams() *terminal.Page {
	return &terminal.Page{Name: "Dream", Fresh: true, Load: u.listDreams,
		Show: func(_ context.Context, r terminal.Row) (string, error) {
			l := r.Of.(dream.Log)
			return dreamText(&l, l.Outcome == dream.Imagined), nil
		},
		Keys: []terminal.Key{
			{Name: "d", Help: "dream now", Do: func(s *terminal.Screen, _ []terminal.Row) { u.dream(s, upkeep.DreamRequest{}) }},
			{Name: "u", Help: "undo the last", Do: func(s *terminal.Screen, _ []terminal.Row) {
				s.Confirm("Undo the last dream that is not undone?", func() {
					s.Run("Undoing a dream", func(ctx context.Context, _ func(string)) (func(), error) {
						r, err := upkeep.UndoDream(ctx, u.w, struct{}{})
						return func() { u.dreamt(s, r, err) }, err
					})
				})
			}},
			{Name: "c", Help: "cancel one that runs elsewhere", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				id := rows[0].Of.(dream.Log).ID
				s.Run("Cancelling "+id, func(ctx context.Context, _ func(string)) (func(), error) {
					_, err := upkeep.CancelDream(ctx, u.w, id)
					return s.Reload, err
				})
			}},
		}}
}

// dream maintains the tree, and shows how far it is.
func (u *face) dream(s *terminal.Screen, req upkeep.DreamRequest) {
	req.Trigger = upkeep.DreamTyped
	s.Run("Dreaming", func(ctx context.Context, tell func(string)) (func(), error) {
		req.Progress = func(phase string, done, total int) {
			if total > 0 {
				tell(textf("%s: %d of %d; Esc cancels", phase, done, total))
			} else {
				tell(textf("%s; Esc cancels", phase))
			}
		}
		r, err := upkeep.Dream(ctx, u.w, req)
		return func() {
			if err == nil && r.Skipped != nil && r.Skipped.Gate != "lock" {
				s.Confirm(textf("%s. Dream all the same?", r.Skipped.Reason), func() {
					req.Force = true
					u.dream(s, req)
				})
				return
			}
			u.dreamt(s, r, err)
		}, err
	})
}

// dreamt tells how a dream ended.
func (u *face) dreamt(s *terminal.Screen, r *upkeep.DreamResponse, err error) {
	if err == nil && r.Skipped != nil {
		s.Say(r.Skipped.Error())
	} else if err == nil {
		s.Say(textf("Dream %s: %s", r.Outcome, r.Summary))
	}
	s.Reload()
}

func (u *face) listDreams() func(context.Context) (terminal.Listing, error) {
	empty := u.first("No dream has run yet.\n\nA dream links, merges and archives entries; whatever removes text waits for your review. " +
		"Press d for one, Esc to cancel it, and u to undo it.")
	return func(ctx context.Context) (terminal.Listing, error) {
		r, err := upkeep.Dreams(ctx, u.w, upkeep.DreamsRequest{})
		if err != nil {
			return terminal.Listing{}, err
		}
		l := terminal.Listing{Head: "A dream would run now", Empty: empty}
		if r.Skipped != nil {
			l.Head = textf("A dream would not run now: %s", r.Skipped.Reason)
		}
		for _, d := range r.Dreams {
			row := terminal.Row{Key: d.ID, Text: textf("%s  %-9s  %s", d.Started.Local().Format(time.DateTime), d.Outcome, d.Summary), Of: d}
			if d.Summary.Errors+d.Summary.Stays > 0 {
				row.Warn = words.Counted(d.Summary.Errors+d.Summary.Stays, "problem", "problems")
			}
			l.Rows = append(l.Rows, row)
		}
		return l, nil
	}
}

// changes is the page of the audit log.
func (u *face) changes() *terminal.Page {
	return &terminal.Page{Name: "Log", Fresh: true, Load: u.listChanges,
		Show: func(_ context.Context, r terminal.Row) (string, error) {
			text, _ := logText(&curation.LogResponse{Changes: []store.Logged{r.Of.(store.Logged)}})
			return text, nil
		},
		Keys: []terminal.Key{
			{Name: "u", Help: "undo", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				l := rows[0].Of.(store.Logged)
				if !l.Undoable {
					s.Say("This change is too old to undo")
					return
				}
				s.Confirm(textf("Undo change %d?", l.ID), func() { u.undo(s, l.ID) })
			}},
			{Name: "enter", Help: "open the first entry", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				if l := rows[0].Of.(store.Logged); len(l.Files) > 0 {
					u.edit(s, u.w.View().FilePath(l.Files[0]), 1)
				}
			}},
		}}
}

func (u *face) listChanges() func(context.Context) (terminal.Listing, error) {
	empty := u.first("No changes yet.")
	return func(ctx context.Context) (terminal.Listing, error) {
		r, err := curation.Log(ctx, u.w, curation.LogRequest{})
		if err != nil {
			return terminal.Listing{}, err
		}
		l := terminal.Listing{Head: words.Counted(len(r.Changes), "change", "changes") + ", the newest first", Empty: empty}
		for _, c := range r.Changes {
			row := terminal.Row{Key: textf("%d", c.ID), Of: c, Text: textf("%4d  %s  %-10s %-7s  %s", c.ID, c.Time.Local().Format(time.DateTime),
				firstLine(c.Author), c.Action, firstLine(strings.Join(c.Reasons, "; ")))}
			if !c.Undoable {
				row.Warn = "too old to undo"
			}
			l.Rows = append(l.Rows, row)
		}
		return l, nil
	}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// pack is the page of a task's knowledge and code.
func (u *face) pack() *terminal.Page {
	task := func(s *terminal.Screen, _ []terminal.Row) {
		s.Ask("Task", u.request.Task, func(text string) {
			if text != "" {
				u.request.Task, u.request.Pinned, u.request.Without = text, nil, nil
				u.fill(s)
			}
		})
	}
	return &terminal.Page{Name: "Pack", Load: u.listPack, Show: u.showItem,
		Keys: []terminal.Key{
			{Name: "/", Help: "task", Do: task},
			{Name: "b", Help: "budget", Do: func(s *terminal.Screen, _ []terminal.Row) {
				s.Ask("Tokens", strconv.Itoa(u.request.BudgetTokens), func(text string) {
					n, err := strconv.Atoi(text)
					if err != nil || n < 1 {
						s.Say("A budget is a number of tokens above 0")
						return
					}
					u.request.BudgetTokens = n
					u.fill(s)
				})
			}},
			{Name: "p", Help: "pin", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				u.toggle(s, rows, &u.request.Pinned, &u.request.Without)
			}},
			{Name: "d", Help: "drop", Rows: true, Do: func(s *terminal.Screen, rows []terminal.Row) {
				u.toggle(s, rows, &u.request.Without, &u.request.Pinned)
			}},
			{Name: "c", Help: "copy", Do: func(s *terminal.Screen, _ []terminal.Row) {
				if u.packed != nil {
					s.Copy(u.packed.Text)
					s.Say("Copied, if this terminal lets programs copy (OSC 52); w saves the pack to a file")
				}
			}},
			{Name: "w", Help: "save", Do: u.savePack},
			{Name: "enter", Help: "open, or type a task", Do: func(s *terminal.Screen, rows []terminal.Row) {
				if len(rows) == 1 {
					if i, ok := rows[0].Of.(pack.Item); ok {
						u.edit(s, u.fileOf(i), i.Lines[0])
						return
					}
				}
				task(s, rows)
			}},
		}}
}

// fill makes the pack anew.
func (u *face) fill(s *terminal.Screen) {
	if u.request.Task == "" {
		s.Reload()
		return
	}
	req := u.request
	req.Pinned, req.Without = slices.Clone(req.Pinned), slices.Clone(req.Without)
	s.Run("Packing", func(ctx context.Context, _ func(string)) (func(), error) {
		p, err := contextpack.Pack(ctx, u.w.View(), req)
		return func() {
			if err == nil {
				u.packed = p
				s.Reload()
			}
		}, err
	})
}

// toggle puts what a row is about onto a list, or takes it off again; it stands on no other.
func (u *face) toggle(s *terminal.Screen, rows []terminal.Row, list, other *[]string) {
	name, ok := rows[0].Key, false
	switch rows[0].Of.(type) {
	case pack.Item:
		ok = true
	case dropped:
		ok = true
	}
	if !ok {
		s.Say("This row is no item")
		return
	}
	is := func(s string) bool { return s == name }
	*other = slices.DeleteFunc(*other, is)
	if slices.Contains(*list, name) {
		*list = slices.DeleteFunc(*list, is)
	} else {
		*list = append(*list, name)
	}
	u.fill(s)
}

// dropped is a row of what the user left out.
type dropped string

func (u *face) listPack() func(context.Context) (terminal.Listing, error) {
	p, task, without := u.packed, u.request.Task, slices.Clone(u.request.Without)
	empty := u.first("A pack is the knowledge and the code for a task, within a budget of tokens.\n\n" +
		"Press / or Enter, type the task, and press Enter.")
	return func(context.Context) (terminal.Listing, error) {
		if p == nil {
			return terminal.Listing{Head: "No task yet", Empty: empty}, nil
		}
		l := terminal.Listing{Head: textf("%s of %s tokens: %s", grouped(p.Tokens), grouped(p.Budget), task)}
		l.Rows = append(l.Rows, terminal.Row{Key: "the pack", Text: "The whole pack", Warn: strings.Join(p.Degraded, "; "), Of: p.Text})
		for _, i := range p.Items {
			l.Rows = append(l.Rows, itemRow(i, ""))
		}
		for _, i := range p.Missed {
			l.Rows = append(l.Rows, itemRow(i, "left out: "))
		}
		for _, name := range without {
			l.Rows = append(l.Rows, terminal.Row{Key: name, Text: "dropped: " + name, Of: dropped(name)})
		}
		return l, nil
	}
}

func itemRow(i pack.Item, state string) terminal.Row {
	if i.Pinned {
		state = "pinned: "
	}
	at := i.Path
	if i.Lines[0] > 0 {
		at += fmt.Sprintf(":%d-%d", i.Lines[0], i.Lines[1])
	}
	return terminal.Row{Key: i.Path, Text: textf("%6s  %s%s  %s", grouped(i.Tokens), state, at, i.Title), Warn: strings.Join(i.Marks, "; "), Of: i}
}

// fileOf is the file in which an item stands.
func (u *face) fileOf(i pack.Item) string {
	v := u.w.View()
	if _, ok := v.Tree().Entry(i.Path); ok && i.Kind == pack.KindEntry {
		return v.FilePath(i.Path)
	}
	file, _, _ := strings.Cut(i.Path, format.SectionSign)
	return strings.TrimSpace(file)
}

func (u *face) showItem(_ context.Context, r terminal.Row) (string, error) {
	switch of := r.Of.(type) {
	case pack.Item:
		return textf("%s, %s, score %.2f: %s\n\n%s", of.Kind, of.Form, of.Score, of.Reason,
			passage(u.text(u.fileOf(of), max(1, of.Lines[0]), of.Lines[1]))), nil
	case string:
		return of, nil
	}
	return "Left out by you; d takes it back.", nil
}

// savePack writes the pack to a file of the user's choice, never over another.
func (u *face) savePack(s *terminal.Screen, _ []terminal.Row) {
	if u.packed == nil {
		s.Say("There is no pack yet")
		return
	}
	text := u.packed.Text
	s.Ask("Save as", "pack.md", func(name string) {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = file.WriteString(text)
			err = cmp.Or(err, file.Close())
		}
		if err != nil {
			s.Say("Not saved: " + err.Error())
			return
		}
		s.Say("Saved as " + name)
	})
}

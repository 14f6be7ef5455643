package main

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// ask is the page of a question: the answer, and what it rests on.
func (u *face) ask() *terminal.Page {
	question := func(s *terminal.Screen, _ []terminal.Row) {
		s.Ask("Question", u.asked, func(text string) {
			if text != "" {
				u.question(s, text)
			}
		})
	}
	return &terminal.Page{Name: "Ask", Load: u.listAnswer,
		Show: func(_ context.Context, r terminal.Row) (string, error) {
			if source, ok := r.Of.(consult.Source); ok {
				return u.text(source.FilePath, source.Line, 0), nil
			}
			return r.Of.(string), nil
		},
		Keys: []terminal.Key{
			{Name: "/", Help: "ask", Do: question},
			{Name: "enter", Help: "open the source, or ask", Do: func(s *terminal.Screen, rows []terminal.Row) {
				if len(rows) == 1 {
					if source, ok := rows[0].Of.(consult.Source); ok {
						u.edit(s, source.FilePath, source.Line)
						return
					}
				}
				question(s, rows)
			}},
		}}
}

// question asks, and shows the answer once it is there.
func (u *face) question(s *terminal.Screen, text string) {
	s.Run("Asking", func(ctx context.Context, tell func(string)) (func(), error) {
		r, err := consult.QueryTelling(ctx, u.w.View(), consult.QueryRequest{Text: text}, func(r *consult.QueryResponse) {
			tell(textf("%s found; asking %s, Esc cancels", words.Counted(len(r.Sources), "source", "sources"), provider.StateOf(u.w)))
		})
		return func() {
			if err == nil {
				u.asked, u.answer = text, r
				s.Reload()
			}
		}, err
	})
}

func (u *face) listAnswer() func(context.Context) (terminal.Listing, error) {
	asked, r := u.asked, u.answer
	empty := u.first("Ask the entries and documents of this folder: press / or Enter, type a question, and press Enter.\n\n" +
		"The other views: 2 Knowledge, 3 Reviews, 4 Pack, 5 Dream, 6 Log. Press ? for all keys.")
	return func(context.Context) (terminal.Listing, error) {
		if r == nil {
			return terminal.Listing{Head: u.w.Root(), Empty: empty}, nil
		}
		text, _ := queryText(r)
		l := terminal.Listing{Head: asked, Rows: []terminal.Row{{Key: asked, Text: tierWords(r), Of: text}}}
		for _, source := range likely(r.Sources) {
			l.Rows = append(l.Rows, terminal.Row{Key: fmt.Sprint(source.FilePath, source.Line), Depth: 1, Of: source,
				Text: textf("%.2f  %s  %s:%d", source.Score, source.Title, source.FilePath, source.Line),
				Warn: strings.Join(source.Marks, "; ")})
		}
		return l, nil
	}
}

// sorts are the orders of the knowledge, in the order in which a key goes through them.
var sorts = map[string]string{"": "use", "use": "age", "age": "stale", "stale": ""}

// knowledge is the page of the tree, its entries and the documents.
func (u *face) knowledge() *terminal.Page {
	fold := func(open func(bool) bool) func(*terminal.Screen, []terminal.Row) {
		return func(s *terminal.Screen, rows []terminal.Row) {
			k, ok := rows[0].Of.(describe.Knowledge)
			switch {
			case ok && (k.Kind == "entry" || k.Kind == "document"):
				u.edit(s, k.FilePath, 1)
			case ok:
				u.opened[rows[0].Key] = open(u.opened[rows[0].Key])
				s.Reload()
			}
		}
	}
	return &terminal.Page{Name: "Knowledge", Fresh: true, Load: u.listKnowledge, Show: u.showKnowledge,
		Keys: []terminal.Key{
			{Name: "enter", Help: "open", Rows: true, Do: fold(func(open bool) bool { return !open })},
			{Name: "/", Help: "filter", Do: func(s *terminal.Screen, _ []terminal.Row) {
				s.Ask("Filter by title or path", u.filter, func(text string) {
					u.filter = text
					s.Reload()
				})
			}},
			{Name: "s", Help: "sort", Do: func(s *terminal.Screen, _ []terminal.Row) {
				u.sort = sorts[u.sort]
				s.Reload()
			}},
		}}
}

func (u *face) listKnowledge() func(context.Context) (terminal.Listing, error) {
	req, opened, state := describe.KnowledgeRequest{Filter: u.filter, Sort: u.sort, Limit: 1000}, maps.Clone(u.opened), u.status.Load()
	empty := u.first("Nothing is known here yet: no entry and no document.")
	return func(ctx context.Context) (l terminal.Listing, err error) {
		l.Head, l.Empty = "By "+strings.TrimPrefix(req.Sort+" ", " ")+"with what is stale, broken or waiting marked", empty
		if req.Sort == "" {
			l.Head = "By name, with what is stale, broken or waiting marked"
		}
		if req.Filter != "" {
			l.Head, l.Empty = textf("Filter: %s", req.Filter), "No title or path has all these words. / and Enter on an empty line show all again."
		}
		if state != nil {
			text, _ := statusText(state)
			l.Rows = []terminal.Row{{Key: "status", Text: textf("Status: %s, %s", words.Counted(state.Errors, "error", "errors"),
				words.Counted(state.Warnings, "warning", "warnings")), Of: text}}
		} else if u.w.HasTree() {
			l.Later = func(ctx context.Context) error {
				state, err := upkeep.Status(ctx, u.w.View(), upkeep.StatusRequest{})
				u.status.Store(state)
				return err
			}
		}
		return l, u.browse(ctx, u.w.View(), req, opened, 0, &l.Rows)
	}
}

// browse adds the rows of a folder, and of those in it that are open.
func (u *face) browse(ctx context.Context, v *workspace.View, req describe.KnowledgeRequest, opened map[string]bool, depth int,
	rows *[]terminal.Row) error {
	for more := 1; more > 0; req.Offset += req.Limit {
		r, err := describe.Browse(ctx, v, req)
		if err != nil {
			return err
		}
		more = r.More
		for _, k := range r.Items {
			row := knowledgeRow(k, depth, opened)
			*rows = append(*rows, row)
			below := describe.KnowledgeRequest{Folder: k.Path, Documents: k.Kind == "documents", Sort: req.Sort, Limit: req.Limit}
			if opened[row.Key] {
				if err := u.browse(ctx, v, below, opened, depth+1, rows); err != nil {
					return err
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func knowledgeRow(k describe.Knowledge, depth int, opened map[string]bool) terminal.Row {
	row := terminal.Row{Key: k.Kind + " " + k.Path, Text: k.Title, Depth: depth, Of: k}
	if k.Entries > 0 {
		sign := "▸ "
		if opened[row.Key] {
			sign = "▾ "
		}
		row.Text = textf("%s%s (%d)", sign, k.Title, k.Entries)
	}
	var marks []string
	for _, m := range []struct {
		n    int
		what string
	}{{k.Stale, "stale"}, {k.Broken, "broken"}, {k.Waiting, "waiting"}, {k.Unreviewed, "to look at"}} {
		if m.n > 1 || m.n == 1 && k.Entries > 0 {
			marks = append(marks, strconv.Itoa(m.n)+" "+m.what)
		} else if m.n == 1 {
			marks = append(marks, m.what)
		}
	}
	row.Warn = strings.Join(marks, ", ")
	return row
}

func (u *face) showKnowledge(_ context.Context, r terminal.Row) (string, error) {
	k, ok := r.Of.(describe.Knowledge)
	if !ok {
		return r.Of.(string), nil
	}
	text := ""
	if k.Why != "" {
		text = textf("! stale: %s\n\n", k.Why)
	}
	if k.FilePath != "" {
		return text + u.text(k.FilePath, 1, 0), nil
	}
	v := u.w.View()
	if file, ok := navigate.OverviewOf(v, k.Path); ok && k.Kind != "documents" {
		return u.text(v.FilePath(file), 1, 0), nil
	}
	return textf("%s in %s. Enter opens the folder, and closes it again.", words.Counted(k.Entries, "entry", "entries"), k.Title), nil
}

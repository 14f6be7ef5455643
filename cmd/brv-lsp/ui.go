package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/browse"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// face makes the pages of a folder in a terminal. The state of one page belongs to the function that makes
// the page. Keys change it between two messages, and work in the background gets copies.
type face struct {
	w       *workspace.Workspace
	decided [][]int                      // the batches of each decision in this session, newest last
	tell    atomic.Pointer[func(string)] // of the last loaded page
}

// pageOptions are the command line of ui.
type pageOptions struct {
	Plain bool `flag:"plain"`
	ASCII bool `flag:"ascii"`
}

// declare sets the defaults.
func (o *pageOptions) declare(*flags) {
	locale := strings.ToUpper(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	o.Plain = os.Getenv("TERM") == "dumb"
	o.ASCII = runtime.GOOS != "windows" && !strings.Contains(strings.ReplaceAll(locale, "-", ""), "UTF8")
}

// showPages shows the tree in a terminal until the user quits.
func showPages(ctx context.Context, f *flags, o *pageOptions, e env) (int, error) {
	if f.json || !isTerminal(e.stdin) || !isTerminal(e.stdout) {
		return exitUsage, fmt.Errorf("%w: ui needs a terminal; other commands print text, or JSON with --json", errUsage)
	}
	deadly := slices.DeleteFunc(slices.Clone(deadly), signal.Ignored) // nohup ignores some of them
	ctx, stop := signal.NotifyContext(ctx, deadly...)
	defer stop()
	came := make(chan os.Signal, 1)
	signal.Notify(came, deadly...)
	context.AfterFunc(ctx, func() { signal.Reset(syscall.SIGQUIT) }) // a second one ends a program that hangs
	defer dieOf(came)                                                // after the terminal is restored
	root, err := f.folder()
	if err != nil {
		return exitFailed, err
	}
	u := &face{}
	u.w, err = f.open(ctx, func(o *workspace.Options) {
		o.Watch, o.FollowCode, o.CodeScan = true, true, true
		o.Forgotten, o.Progress = nil, u.progress // on standard error they would disturb the screen
		o.Trusted, o.Untrusted = trusts(root)     // as for other programs that keep running
	})
	if ctx.Err() != nil {
		return exitInterrupted, nil
	} else if err != nil {
		return exitFailed, err
	}
	defer u.w.Close()
	err = terminal.Run(ctx, u.pages(), terminal.Options{Plain: o.Plain, ASCII: o.ASCII, In: e.stdin, Out: e.stdout, Open: u.edit,
		Goes: goesOn})
	if err == nil && ctx.Err() != nil {
		return exitInterrupted, nil
	}
	return exitOK, err
}

// deadly holds the signals that end a Go program.
var deadly = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS,
	syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGTERM}

// dieOf ends the program by the signal that arrived, as the parent process expects. After SIGQUIT, Go prints all
// stacks.
func dieOf(came <-chan os.Signal) {
	signal.Reset(deadly...)
	select {
	case s := <-came:
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			select {} // Go's runtime ends the program
		}
	default:
	}
}

// progress shows the progress of reading on the page that is being loaded, which may wait for it.
func (u *face) progress(p workspace.Progress) {
	if tell := u.tell.Load(); tell != nil && !p.End {
		(*tell)(textf("%s, %s of %s; Esc cancels", p.Title, grouped(p.Done), grouped(p.Total)))
	}
}

// edit opens a file of the folder, or of another tree, in the user's editor.
func (u *face) edit(file string, line int) error {
	if other := u.w.View().FilePath(file); filepath.IsAbs(other) {
		return runEditor(filepath.FromSlash(other), line)
	}
	return runEditor(filepath.Join(u.w.Root(), filepath.FromSlash(file)), line)
}

func (u *face) pages() []*terminal.Page {
	return []*terminal.Page{u.ask(), u.knowledge(), u.reviews(), u.pack(), u.dreams(), u.log()}
}

// inTree loads a page about the tree, or shows a text if there is no tree.
func (u *face) inTree(nothing string, load terminal.Loader) func() terminal.Loader {
	return func() terminal.Loader {
		return func(ctx context.Context, tell func(string)) (terminal.Listing, error) {
			if !u.w.HasTree() {
				return terminal.Listing{Empty: u.first(nothing)}, nil
			}
			return load(ctx, tell)
		}
	}
}

// first returns the text of an empty page, with advice on what to do first.
func (u *face) first(what string) string {
	if !u.w.HasTree() {
		what += "\n\nThis folder has no context tree yet. To make one, quit with q and run `brv-lsp init`. You can already ask " +
			"questions about its documents."
	}
	if ok, why := u.w.Trusted(); !ok {
		what += textf("\n\nGit and models are not used here: %s.", strings.TrimSuffix(why, "."))
	}
	return what
}

// excerpt returns lines of a file, without credentials. to is 0 for the end of the file.
func (u *face) excerpt(file string, from, to int) string {
	text, ok := u.w.View().Text(file)
	lines := strings.Split(text, "\n")
	if !ok || from > len(lines) {
		return textf("%s cannot be read", file)
	}
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	return textf("# %s:%d\n%s", file, from, passage(secrets.Redact(strings.Join(lines[max(1, from)-1:to], "\n"))))
}

// ask makes the page of a question, with the answer and its sources.
func (u *face) ask() *terminal.Page {
	asked := ""
	return &terminal.Page{Name: "Ask", Line: "Question", Typed: func(text string) { asked = text }, Load: func() terminal.Loader {
		text := asked
		return func(ctx context.Context, tell func(string)) (l terminal.Listing, err error) {
			u.tell.Store(&tell)
			if l.Head = textf("%s", text); text == "" {
				l.Head, l.Empty = u.w.Root(), u.first("To ask about the entries and documents of this folder, press Enter, "+
					"type a question, and press Enter."+
					"\n\nThe other views: 2 Knowledge, 3 Reviews, 4 Pack, 5 Dream, 6 Log. Press ? for all keys.")
				return l, nil
			}
			r, err := consult.QueryTelling(ctx, u.w.View(), consult.QueryRequest{Text: text}, func(r *consult.QueryResponse) {
				tell(textf("%s found; asking %s (Esc cancels)", words.Counted(len(r.Sources), "source", "sources"), provider.StateOf(u.w)))
			})
			if err != nil {
				return l, err
			}
			said, _ := queryText(r)
			l.Rows = []terminal.Row{{Key: text, Text: tierWords(r), Show: func() string { return said }}}
			for _, s := range likely(r.Sources) {
				l.Rows = append(l.Rows, terminal.Row{Key: textf("%s:%d", s.FilePath, s.Line), Depth: 1, File: s.FilePath, Line: s.Line,
					Text: textf("%.2f  %s  %s:%d", s.Score, s.Title, s.FilePath, s.Line), Warn: strings.Join(s.Marks, "; "),
					Show: func() string { return u.excerpt(s.FilePath, s.Line, 0) }})
			}
			return l, nil
		}
	}}
}

// sorts maps each order of the knowledge page to the next.
var sorts = map[string]string{"name": "use", "use": "age", "age": "stale", "stale": "name"}

// knowledge makes the page of the tree, its entries and the documents.
func (u *face) knowledge() *terminal.Page {
	req, opened := browse.KnowledgeRequest{Sort: "name", Limit: 1000}, map[string]bool{}
	status := terminal.Row{Key: "status", Text: "Status", Show: func() string {
		r, err := upkeep.Status(context.Background(), u.w.View(), upkeep.StatusRequest{})
		if err != nil {
			return err.Error()
		}
		text, _ := statusText(r)
		return text + "\nThe entries have been compared with the code: press r to mark the stale ones in the list.\n"
	}}
	return &terminal.Page{Name: "Knowledge", Fresh: true, Line: "Filter", Narrows: true, Typed: func(text string) { req.Filter = text },
		Keys: []terminal.Key{{Name: "s", Help: "sort", Do: func(s *terminal.Screen) {
			req.Sort = sorts[req.Sort]
			s.Reload()
		}}},
		Load: func() terminal.Loader {
			req, open := req, maps.Clone(opened)
			return func(ctx context.Context, tell func(string)) (l terminal.Listing, err error) {
				u.tell.Store(&tell)
				l.Head, l.Empty = textf("Sorted by %s", req.Sort), u.first("There are no entries and no documents yet.")
				if req.Filter != "" {
					l.Head, l.Empty = textf("%s, with %q in the title or path",
						l.Head, req.Filter), "No title or path has this text. Esc clears the filter."
				} else if u.w.HasTree() {
					l.Rows = append(l.Rows, status)
				}
				err = u.browse(ctx, req, open, 0, &l.Rows)
				for i, r := range l.Rows {
					if r.File != "" || r.Key == "status" {
						continue
					}
					l.Rows[i].Enter = func(s *terminal.Screen) {
						opened[r.Key] = !opened[r.Key]
						s.Reload()
					}
				}
				return l, err
			}
		}}
}

// browse adds the rows of a folder, and of its open subfolders.
func (u *face) browse(ctx context.Context, req browse.KnowledgeRequest, open map[string]bool, depth int, rows *[]terminal.Row) error {
	for more := 1; more > 0 && ctx.Err() == nil; req.Offset += req.Limit {
		r, err := browse.Browse(ctx, u.w.View(), req)
		if err != nil {
			return err
		}
		more = r.More
		for _, k := range r.Items {
			row := u.known(k, depth, open)
			*rows = append(*rows, row)
			below := browse.KnowledgeRequest{Folder: k.Path, Documents: k.Kind == "documents", Sort: req.Sort, Limit: req.Limit}
			if open[row.Key] {
				if err := u.browse(ctx, below, open, depth+1, rows); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// known makes the row of a folder, an entry or a document, with its marks.
func (u *face) known(k browse.Knowledge, depth int, open map[string]bool) terminal.Row {
	row := terminal.Row{Key: k.Kind + " " + k.Path, Text: k.Title, Depth: depth, File: k.FilePath}
	if k.Kind == "document" {
		row.Text += "  " + k.Path
	}
	row.Show = func() string {
		var wrong strings.Builder
		if k.Why != "" {
			sayf(&wrong, "Stale: %s\n", k.Why)
		}
		for _, p := range u.w.View().Tree().Problems(k.Path) {
			if k.Broken > 0 && p.Severity == format.SeverityError {
				sayf(&wrong, "Broken: %s\n", p.Message)
			}
		}
		return strings.TrimPrefix(wrong.String()+"\n"+u.excerpt(k.FilePath, 1, 0), "\n")
	}
	if k.Entries > 0 {
		row.Text = textf("%s %s (%d)", map[bool]string{true: "▾", false: "▸"}[open[row.Key]], k.Title, k.Entries)
		row.Show = func() string { return "Enter opens or closes this folder." }
	}
	var marks []string
	for what, n := range map[string]int{"stale": k.Stale, "broken": k.Broken, "waiting": k.Waiting, "to check": k.Unreviewed} {
		if n > 0 {
			marks = append(marks, textf("%d %s", n, what))
		}
	}
	slices.Sort(marks)
	row.Warn = strings.Join(marks, ", ")
	return row
}

// pack makes the page of a task's knowledge and code.
func (u *face) pack() *terminal.Page {
	req := contextpack.PackRequest{BudgetTokens: defaultBudget}
	toggle := func(on, off *[]string) func(*terminal.Screen, []terminal.Row) {
		return func(s *terminal.Screen, rows []terminal.Row) {
			item, _ := rows[0].Of.(string)
			is := func(name string) bool { return name == item }
			if slices.ContainsFunc(*on, is) {
				*on = slices.DeleteFunc(slices.Clone(*on), is)
			} else if *off = slices.DeleteFunc(slices.Clone(*off), is); item != "" {
				*on = append(slices.Clone(*on), item)
			}
			s.Reload()
		}
	}
	return &terminal.Page{Name: "Pack", Line: "Task", Typed: func(text string) { req.Task, req.Pinned, req.Without = text, nil, nil },
		Keys: []terminal.Key{
			{Name: "b", Help: "budget", Do: func(s *terminal.Screen) {
				s.Ask("Tokens", strconv.Itoa(req.BudgetTokens), func(text string) {
					n, err := strconv.Atoi(text)
					if err != nil || n < 1 || n > limits.MaxPack {
						s.Say(textf("The budget must be 1 to %s tokens, not %q", grouped(limits.MaxPack), text))
						return
					}
					req.BudgetTokens = n
					s.Reload()
				})
			}},
			{Name: "p", Help: "pin", Rows: toggle(&req.Pinned, &req.Without)},
			{Name: "d", Help: "drop", Rows: toggle(&req.Without, &req.Pinned)},
		},
		Load: func() terminal.Loader {
			req := req
			return func(ctx context.Context, tell func(string)) (l terminal.Listing, err error) {
				u.tell.Store(&tell)
				if l.Head = "No task yet"; req.Task == "" {
					l.Empty = u.first("A pack is the knowledge and the code for a task, within a budget of tokens. To make one, press " +
						"Enter, type the task, " +
						"and press Enter.")
					return l, nil
				}
				p, err := contextpack.Pack(ctx, u.w.View(), req)
				if err != nil {
					return l, err
				}
				l.Head = textf("%s of %s tokens: %s", grouped(p.Tokens), grouped(p.Budget), req.Task)
				l.Rows = []terminal.Row{{Text: cmp.Or(p.Nothing, "The whole pack: c copies it, w saves it"), Warn: strings.Join(p.Degraded, "; "),
					Show: func() string { return cmp.Or(p.Text, p.Nothing) }}}
				for _, i := range p.Items {
					l.Rows = append(l.Rows, u.packRow(i, map[bool]string{true: "pinned "}[i.Pinned]))
				}
				for _, i := range p.Missed {
					l.Rows = append(l.Rows, u.packRow(i, "left out "))
				}
				for _, name := range req.Without {
					l.Rows = append(l.Rows, terminal.Row{Key: "dropped " + name, Of: name, Text: "dropped " + name,
						Show: func() string { return "Press d to put this item back into the pack." }})
				}
				return l, nil
			}
		}}
}

// packRow makes the row of an item that is in the pack, or that just did not fit.
func (u *face) packRow(i pack.Item, state string) terminal.Row {
	file, _, _ := format.SectionOf(i.Path)
	if _, ok := u.w.View().Tree().Entry(i.Path); ok && i.Kind == pack.KindEntry {
		file = u.w.View().FilePath(i.Path)
	}
	return terminal.Row{Key: i.Path, Of: i.Path, File: file, Line: i.Lines[0], Warn: strings.Join(i.Marks, "; "),
		Text: textf("%6s  %s%s  %s", grouped(i.Tokens), state, shownAt(i), i.Title),
		Show: func() string {
			return textf("%s, score %.2f: %s\n\n%s", i.Form, i.Score, i.Reason, passage(u.excerpt(file, i.Lines[0], i.Lines[1])))
		}}
}

// dreams makes the page of the tree's upkeep.
func (u *face) dreams() *terminal.Page {
	return &terminal.Page{Name: "Dream", Fresh: true, Load: u.inTree("No dreams.", u.dreamt),
		Keys: []terminal.Key{
			{Name: "d", Help: "dream now", Do: func(s *terminal.Screen) { u.dream(s, false) }},
			{Name: "u", Help: "undo last dream", Do: func(s *terminal.Screen) {
				s.Confirm("Undo the last dream?", func() {
					s.Run("Undoing a dream", func(ctx context.Context, _ func(string)) (func(), error) {
						_, err := upkeep.UndoDream(ctx, u.w, struct{}{})
						return s.Reload, err
					})
				})
			}},
			{Name: "x", Help: "cancel a running dream", Rows: func(s *terminal.Screen, rows []terminal.Row) {
				if rows[0].Of != dream.Processing {
					s.Say("This dream is over")
					return
				}
				s.Confirm("Cancel dream "+rows[0].Key+"?", func() {
					s.Run("Cancelling", func(ctx context.Context, _ func(string)) (func(), error) {
						_, err := upkeep.CancelDream(ctx, u.w, rows[0].Key)
						return s.Reload, err
					})
				})
			}},
		}}
}

// dream runs a dream and shows its progress.
func (u *face) dream(s *terminal.Screen, force bool) {
	s.Run("Dreaming", func(ctx context.Context, tell func(string)) (func(), error) {
		req := upkeep.DreamRequest{Trigger: upkeep.DreamTyped, Force: force}
		req.Progress = func(phase string, done, total int) { tell(textf("%s, %d of %d; Esc cancels", phase, done, total)) }
		r, err := upkeep.Dream(ctx, u.w, req)
		return func() {
			switch s.Reload(); {
			case err == nil && r.Skipped != nil:
				s.Confirm(textf("%s. Dream anyway?", r.Skipped.Reason), func() { u.dream(s, true) })
			case err == nil:
				s.Say(textf("Dream %s: %s", r.Outcome, r.Summary))
			}
		}, err
	})
}

// dreamt lists the dreams.
func (u *face) dreamt(ctx context.Context, _ func(string)) (l terminal.Listing, err error) {
	r, err := upkeep.Dreams(ctx, u.w, upkeep.DreamsRequest{})
	if err != nil {
		return l, err
	}
	if l.Head = "A dream is due"; r.Skipped != nil {
		l.Head = textf("No dream is due: %s", r.Skipped.Reason)
	}
	l.Empty = u.first("No dream has run yet. A dream links, merges and archives entries; changes that remove text wait for your review.\n\n" +
		"Press d to dream. Esc cancels it, and u undoes it.")
	for _, d := range r.Dreams {
		l.Rows = append(l.Rows, terminal.Row{Key: d.ID, Of: d.Outcome,
			Text: textf("%s  %-9s  %s", d.Started.Local().Format(time.DateTime), d.Outcome, d.Summary),
			Show: func() string { return dreamText(&d, d.Outcome == dream.Imagined) }})
	}
	return l, nil
}

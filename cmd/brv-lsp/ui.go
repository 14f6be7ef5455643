package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"os/signal"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// face is what the pages of the terminal have in common. Keys change it; what runs beside them gets copies.
type face struct {
	w      *workspace.Workspace
	status atomic.Pointer[upkeep.StatusReport] // as it was when the program began

	answer *consult.QueryResponse
	asked  string

	filter, sort string
	opened       map[string]bool // folders of the tree

	decided []int // batches of this session's decisions, the newest last

	request contextpack.PackRequest
	packed  *pack.Pack
}

// showPages shows the tree in a terminal until the user quits.
func showPages(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("ui")
	var o terminal.Options
	f.BoolVar(&o.Plain, "plain", os.Getenv("TERM") == "dumb", "")
	f.BoolVar(&o.ASCII, "ascii", !isUTF8(os.Getenv, runtime.GOOS), "")
	if err := f.parseOnly(args); err != nil {
		return exitUsage, err
	}
	if f.json || !isTerminal(e.stdin) || !isTerminal(e.stdout) {
		return exitUsage, fmt.Errorf("%w: ui needs a terminal; the other commands print, also with --json", errUsage)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	root, err := f.folder()
	if err != nil {
		return exitFailed, err
	}
	changes := make(chan struct{}, 1)
	w, err := openServed(ctx, root, func(workspace.Change) {
		select {
		case changes <- struct{}{}:
		default: // somebody is told already
		}
	})
	if err != nil {
		return exitFailed, err
	}
	defer w.Close()
	o.In, o.Out, o.Changes = e.stdin, e.stdout, changes
	err = terminal.Run(ctx, newFace(w).pages(), o)
	if err == nil && ctx.Err() != nil {
		return exitInterrupted, nil
	}
	return exitOK, err
}

// openServed opens a folder for a program that stays: changes on disk are followed, and trust is asked for as by other servers.
func openServed(ctx context.Context, root string, changed func(workspace.Change)) (*workspace.Workspace, error) {
	now := settingsOf(root)
	o := workspace.Options{Cache: cacheDir(), Secret: seal.OfUser(), Forgotten: func(error) {}, Changed: changed, Watch: true,
		FollowCode: true, CodeScan: true}
	o.Trusted, o.Untrusted = trusts(root)
	w, err := workspace.Open(ctx, root, o.WithCode(now.Code).WithDocuments(now.Documents))
	if err == nil && o.Trusted {
		useModel(w, now.Model)
		useEncoder(w, now.Embedding)
	}
	return w, err
}

// isUTF8 reports whether the user's locale has more than ASCII. Windows' console takes Unicode whatever the locale.
func isUTF8(getenv func(string) string, goos string) bool {
	locale := strings.ToUpper(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return goos == "windows" || strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
}

func newFace(w *workspace.Workspace) *face {
	return &face{w: w, opened: map[string]bool{}, request: contextpack.PackRequest{BudgetTokens: defaultBudget}}
}

func (u *face) pages() []*terminal.Page {
	return []*terminal.Page{u.ask(), u.knowledge(), u.reviews(), u.pack(), u.dreams(), u.changes()}
}

// first says what to do in a folder where a page has nothing yet.
func (u *face) first(what string) string {
	if !u.w.HasTree() {
		what += "\n\nThis folder has no context tree yet. Quit with q and run `brv-lsp init` to make one; its documents can be asked already."
	}
	if ok, why := u.w.Trusted(); !ok {
		what += "\n\nThis folder is not trusted, so neither git nor a model is asked: " + why +
			"\nQuit with q and run `brv-lsp trust` if you trust this repository."
	}
	return what
}

// edit opens a file of the folder in the user's editor, at a line.
func (u *face) edit(s *terminal.Screen, file string, line int) {
	if file == "" {
		s.Say("There is no file to open")
		return
	}
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if strings.TrimSpace(editor) == "" {
		s.Say(textf("$EDITOR is not set, so %s:%d cannot be opened", file, line))
		return
	}
	s.Edit(func() error { return runEditor(editor, filepath.Join(u.w.Root(), filepath.FromSlash(file)), line) }, func(err error) {
		if err != nil {
			s.Say("$EDITOR: " + err.Error())
		}
		s.Reload()
	})
}

// text is a file of the folder without the credentials in it, from one line up to another (0: its end).
func (u *face) text(file string, from, to int) string {
	text, ok := u.w.View().Text(file)
	if !ok {
		return textf("%s cannot be read.", file)
	}
	lines := strings.Split(text, "\n")
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	from = max(1, min(from, to))
	return textf("# %s:%d\n%s", file, from, passage(secrets.Redact(strings.Join(lines[from-1:to], "\n"), nil)))
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/host"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/inject"
)

// Limits of a hook's time and input.
const (
	hookTime  = 300   // milliseconds, without the start of the program
	startTime = 1_000 // at the beginning of a session, when nothing has been read yet
	maxEvent  = 16 << 20
	warmUp    = "warm-up" // the process that session-start starts: it reads the folder into the cache, and prints nothing
)

// hookOptions are the command line of hook.
type hookOptions struct {
	f        *flags
	Host     string `flag:"host"`
	Most     int    `flag:"budget"`
	Deadline int    `flag:"deadline"` // in milliseconds
	event    host.Event
	host     *host.Host
}

// answerHook answers a host's event. The host must go on whatever goes wrong. So the exit code is never 2, by
// which hosts mean that the user's prompt is refused. An event that cannot be answered in time gets no answer.
func answerHook(ctx context.Context, f *flags, o *hookOptions, e env) (int, error) {
	o.f = f
	if slices.Equal(f.words, []string{warmUp}) {
		return exitOK, o.warm(ctx)
	}
	if err := o.read(); err != nil {
		return exitFailed, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(o.Deadline)*time.Millisecond)
	defer cancel()
	raw, err := io.ReadAll(io.LimitReader(e.stdin, maxEvent))
	if err != nil {
		return exitFailed, err
	}
	asked, err := host.Read(raw)
	if err != nil {
		return exitFailed, err
	}
	var told, s *inject.Session // nil if there is nothing to record
	said := make(chan string, 1)
	go func() { // it stops when the process ends
		text := ""
		err := panics.Try(func() (err error) {
			text, told, err = o.tell(ctx, asked)
			return err
		})
		if err != nil && ctx.Err() == nil {
			sayf(e.stderr, "brv-lsp: %v\n", err)
		}
		said <- text
	}()
	text := ""
	select {
	case text = <-said:
		s = told
	case <-ctx.Done():
	}
	if text == "" && errors.Is(ctx.Err(), context.DeadlineExceeded) { // the agent gets no text, the host's log gets the reason
		sayf(e.stderr, "brv-lsp: no answer to %s within %d ms; to allow more time, raise --deadline\n", o.event, o.Deadline)
	}
	if err := e.print("%s", o.host.Answer(o.event, text)); err != nil || s == nil {
		return exitOK, err
	}
	if err := s.Keep(); err != nil { // only printed text counts as seen
		sayf(e.stderr, "brv-lsp: %v\n", err)
	}
	return exitOK, nil
}

// read parses the host and the event from the command line.
func (o *hookOptions) read() (err error) {
	if len(o.f.words) != 1 || !slices.Contains(host.Events, host.Event(o.f.words[0])) {
		return fmt.Errorf("hook needs one event, not %q. Events: %s",
			strings.Join(o.f.words, " "), strings.Trim(fmt.Sprint(host.Events), "[]"))
	}
	o.event = host.Event(o.f.words[0])
	limit := hookTime
	if o.event == host.SessionStart {
		limit = startTime
	}
	o.Most, o.Deadline = cmp.Or(o.Most, inject.DefaultCap), cmp.Or(o.Deadline, limit)
	if o.host, err = host.Find(o.Host); err == nil && !o.host.Asks() {
		err = fmt.Errorf("%s has no hooks; these hosts have hooks: %s", o.Host, strings.Join(host.Names((*host.Host).Asks), ", "))
	}
	return err
}

// tell returns the text for the host's event, and the session to record once the text is printed.
func (o *hookOptions) tell(ctx context.Context, asked host.Asked) (text string, s *inject.Session, err error) {
	root, err := o.folderOf(asked)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return "", nil, err
	}
	s = inject.OpenSession(cacheDir(), root, o.host.Name+" "+asked.Session)
	if asked.Session == "" {
		s = inject.OpenSession("", "", "")
	}
	switch {
	case o.event == host.PreCompact:
		s.Forget()
		return "", nil, s.Keep()
	case o.event == host.SessionStart && asked.Source != "resume":
		s.Forget()
	}
	if o.event == host.SessionStart && hasTree(root) { // before the folder is opened, which may take too long
		_ = startBeside("hook", warmUp, "--root", root) // so that the session's prompts find the folder in the cache
	}
	r := inject.Request{Max: o.Most}
	switch o.event {
	case host.SessionStart:
		r.Begins = o.host.Name
	case host.PostEdit:
		r.Files = edited(root, asked)
	case host.UserPrompt:
		r.Prompt = asked.Prompt
	}
	if r.Begins == "" && r.Prompt == "" && len(r.Files) == 0 {
		return "", nil, nil
	}
	waits := func() int { // the remaining time
		end, ok := ctx.Deadline()
		if !ok {
			return 0
		}
		return max(1, int(time.Until(end).Milliseconds()))
	}
	r.WaitMs = waits()
	if text, ok := inject.AskServed(ctx, cacheDir(), root, r, s); ok {
		return text, s, nil
	}
	go tokens.Count(root) // loads the tokenizer's vocabulary, while the folder is opened
	w, err := o.openFor(ctx, root)
	if err != nil {
		return "", nil, err
	}
	r.WaitMs = waits()
	text, err = r.Answer(ctx, w.View(), s)
	if err != nil || ctx.Err() != nil {
		return "", nil, errors.Join(err, ctx.Err())
	}
	return text, s, nil
}

// hasTree reports whether a folder seems to have a context tree.
func hasTree(root string) bool {
	info, err := os.Stat(filepath.Join(root, workspace.TreeDir))
	return err == nil && info.IsDir()
}

// folderOf returns the project that an event is about.
func (o *hookOptions) folderOf(asked host.Asked) (string, error) {
	if o.f.root == "" && filepath.IsAbs(asked.Dir) {
		return workspace.Above(asked.Dir), nil
	}
	return o.f.folder()
}

// openFor opens a folder without a typed command. It reads git only in a folder that the user trusts.
func (o *hookOptions) openFor(ctx context.Context, root string) (*workspace.Workspace, error) {
	now, _ := readSettings(root)
	opts := workspace.Options{Cache: cacheDir(), Secret: seal.OfUser(), CodeScan: o.event != host.SessionStart}
	opts.Trusted, opts.Untrusted = trusts(root)
	return workspace.Open(ctx, root, opts.WithCode(now.Code).WithDocuments(now.Documents).WithOthers(configDir()))
}

// edited returns the edited files as paths inside the folder. Files outside of it are left out.
func edited(root string, asked host.Asked) (files []string) {
	real := func(p string) string { // a file may be deleted; its folder is so less often
		if dir, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
			return filepath.Join(dir, filepath.Base(p))
		}
		return p
	}
	for _, f := range asked.Files {
		if !filepath.IsAbs(f) {
			f = filepath.Join(cmp.Or(asked.Dir, root), f)
		}
		if rel, err := filepath.Rel(real(filepath.Join(root, "x")), real(f)); err == nil {
			if rel, ok := strings.CutPrefix(filepath.ToSlash(rel), "../"); ok && filepath.IsLocal(rel) {
				files = append(files, rel)
			}
		}
	}
	return files
}

// startBeside starts this program again, in a process that outlives the terminal. The output goes nowhere.
func startBeside(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer nothing.Close()
	p, err := os.StartProcess(self, append([]string{os.Args[0]}, args...),
		&os.ProcAttr{Files: []*os.File{nothing, nothing, nothing}, Sys: ownSession()})
	if err != nil {
		return err
	}
	return p.Release()
}

// warm reads the folder into the cache.
func (o *hookOptions) warm(ctx context.Context) error {
	if !hasTree(o.f.root) {
		return nil
	}
	w, err := o.openFor(ctx, o.f.root)
	if err != nil {
		return err
	}
	_, err = w.View().Search(ctx)
	return errors.Join(err, w.WaitCode(ctx), w.Close())
}

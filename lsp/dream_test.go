package lsp_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// dreamt is a dream as a client reads it.
type dreamt struct {
	ID, Status, Trigger string
	Operations          []struct {
		Action, Status, Reason string
		Batch                  int
	}
	Summary struct{ FlaggedForReview int }
	Notes   []string
	Skipped *struct{ Gate, Reason string }
}

// twins is a project in whose tree two entries say the same.
func twins(t *testing.T) string {
	root := project(t)
	const rules = "## Narrative\n### Rules\n- A failed call of `fetchInvoice` is tried three times with exponential backoff\n- " +
		"The breaker `invoiceBreaker` opens after ten failures in a minute\n- Timeouts of the `LedgerClient` are two seconds\n"
	for name, title := range map[string]string{"retries": "Retries of calls", "retrying": "Retrying calls"} {
		writeFile(t, filepath.Join(root, ".brv/context-tree/net/calls", name+".md"), "---\ntitle: "+title+"\n---\n"+rules)
	}
	return root
}

// hold holds a lock of the tree until it is called: state/lock is that of changes. Its holder
// seems another all the time: one that has it for two seconds is given up.
func hold(t *testing.T, root, name string) (free func()) {
	t.Helper()
	writeFile(t, filepath.Join(root, ".brv/state/.keep"), "")
	r, err := jail.Open(filepath.Join(root, ".brv"))
	if err != nil {
		t.Fatal(err)
	}
	var unlock func()
	eventually(t, func() (bool, string) { // generated files are written beside
		unlock, err = r.Lock(name)
		return err == nil, fmt.Sprint(err)
	})
	ended := make(chan struct{})
	var keeper sync.WaitGroup
	keeper.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			if f, err := os.OpenFile(filepath.Join(root, ".brv", name), os.O_WRONLY, 0); err == nil {
				_, _ = fmt.Fprintf(f, "%-127s\n", "1 test "+rand.Text())
				_ = f.Close()
			}
		}
	})
	free = sync.OnceFunc(func() {
		close(ended)
		keeper.Wait()
		unlock()
		_ = r.Close()
	})
	t.Cleanup(free)
	return free
}

// dreams are those that a folder has logs of, the newest first.
func dreams(t *testing.T, root string) (out []dreamt) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(root, ".brv/dream-log/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range logs {
		var d dreamt
		if raw, err := os.ReadFile(name); err == nil && json.Unmarshal(raw, &d) == nil {
			out = append([]dreamt{d}, out...)
		}
	}
	return out
}

func TestDreamIsToldAndItsReviewsAreShown(t *testing.T) {
	root := twins(t)
	e := deciding(t, root)
	ctx := t.Context()
	e.Answer("window/showMessageRequest", answerWrite("Show reviews"))
	var skipped dreamt
	if err := e.Execute(ctx, "brv.dream", nil, &skipped); err != nil || skipped.Skipped == nil || skipped.Skipped.Gate != "activity" {
		t.Fatalf("%+v, %v", skipped, err)
	}
	var planned dreamt
	if err := e.Execute(ctx, "brv.dream", map[string]any{"dryRun": true}, &planned); err != nil || len(planned.Operations) == 0 ||
		len(dreams(t, root)) != 0 {
		t.Fatalf("%+v, %v", planned, err)
	}
	var d dreamt
	if err := e.Execute(ctx, "brv.dream", map[string]any{"force": true, "show": true}, &d); err != nil || d.Status != "completed" ||
		d.Trigger != "manual" || d.Summary.FlaggedForReview != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	shown, err := e.WaitFor(ctx, "window/showDocument", func(m []lsptest.Message) bool { return len(m) > 0 })
	if err != nil || !strings.Contains(string(shown[0].Params), `"brv://review/1.md"`) {
		t.Errorf("%v, %v", shown, err)
	}
	asked := e.Received("window/showMessageRequest")
	if len(asked) != 1 || !strings.Contains(string(asked[0].Params), "1 operation waits for your review") {
		t.Errorf("%v", asked)
	}
	text, err := content(t, e, "brv://review/1.md")
	if err != nil || !strings.Contains(text, "dream/consolidate") || !strings.Contains(text, "Merged net/calls") {
		t.Errorf("%v\n%s", err, text)
	}
	var list struct {
		Dreams []dreamt
		State  struct{ TotalDreams int }
	}
	if err := e.Execute(ctx, "brv.dreams", nil, &list); err != nil || len(list.Dreams) != 1 || list.State.TotalDreams != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	var undone dreamt
	if err := e.Execute(ctx, "brv.dreamUndo", map[string]any{"show": true}, &undone); err != nil || undone.Status != "undone" ||
		undone.ID != d.ID {
		t.Errorf("%+v, %v", undone, err)
	}
	waitMessage(t, e, ctx, "Dream undone")
	if _, err := content(t, e, "brv://review/1.md"); err == nil {
		t.Error("what was taken back still waits")
	}
	if err := e.Execute(ctx, "brv.dreamUndo", nil, nil); code(err) != -32803 || !strings.Contains(err.Error(), "no dream to undo") {
		t.Error(err)
	}
}

// TestUndoTellsWhatStays of a dream, an operation of which somebody changed since, and takes it back
// once that is as it was.
func TestUndoTellsWhatStays(t *testing.T) {
	root := twins(t)
	e := deciding(t, root)
	ctx := t.Context()
	var d dreamt
	if err := e.Execute(ctx, "brv.dream", map[string]any{"force": true}, &d); err != nil || len(d.Operations) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := e.Execute(ctx, "brv.approve", map[string]any{"batch": d.Operations[0].Batch}, nil); err != nil {
		t.Fatal(err)
	}
	merged := filepath.Join(root, ".brv/context-tree/net/calls/retries.md")
	if _, err := os.Stat(merged); err != nil {
		merged = filepath.Join(root, ".brv/context-tree/net/calls/retrying.md")
	}
	left, err := os.ReadFile(merged)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, merged, string(left)+"mine\n")
	type undone struct {
		Status     string
		Operations []struct {
			Undo  string
			Stays []struct {
				Files []string
				Why   string
			}
		}
		Summary struct{ Stays int }
	}
	var part, whole undone
	if err := e.Execute(ctx, "brv.dreamUndo", map[string]any{"show": true}, &part); err != nil || part.Status != "undone" ||
		part.Summary.Stays != 1 || part.Operations[0].Undo != "stays" || len(part.Operations[0].Stays) != 1 {
		t.Fatalf("%+v, %v", part, err)
	}
	waitMessage(t, e, ctx, "Dream undone in part")
	waitMessage(t, e, ctx, "change 2 stays: changed since: net/calls/"+filepath.Base(merged))
	writeFile(t, merged, string(left))
	if err := e.Execute(ctx, "brv.dreamUndo", nil, &whole); err != nil || whole.Summary.Stays != 0 ||
		whole.Operations[0].Undo != "undone" {
		t.Errorf("%+v, %v", whole, err)
	}
}

// TestDreamHasProgressAndCanBeCancelled while it waits for the tree's lock: in its progress bar.
func TestDreamHasProgressAndCanBeCancelled(t *testing.T) {
	for _, how := range []string{"window/workDoneProgress/cancel"} {
		root := twins(t)
		free := hold(t, root, "state/lock")
		clock := lsptest.NewClock(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
		e, ctx := session(t, lsp.Options{Now: clock.Now, After: clock.After}, lsptest.Session{Folders: []string{root}})
		_, answer, err := e.Begin("workspace/executeCommand",
			map[string]any{"command": "brv.dream", "arguments": []any{map[string]any{"force": true}}, "workDoneToken": "mine"})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, func() (bool, string) { return len(dreams(t, root)) == 1, "no dream runs" })
		clock.Advance(time.Second)
		var told string
		if _, err := e.WaitFor(ctx, "$/progress", func(all []lsptest.Message) bool {
			told = ""
			for _, m := range all {
				told += string(m.Params) + "\n"
			}
			return strings.Contains(told, "consolidate: 1 of 1")
		}); err != nil {
			t.Fatal(err, told)
		}
		for _, want := range []string{`"begin"`, `"cancellable":true`, `"percentage":0`} {
			if !strings.Contains(told, want) {
				t.Errorf("%s lacks %s", told, want)
			}
		}
		if err := e.Notify(how, map[string]any{"token": "mine"}); err != nil {
			t.Fatal(err)
		}
		var d dreamt
		if err := answer.Wait(ctx, &d); err != nil || d.Status != "error" || fmt.Sprint(d.Notes) != "[ended early: cancelled]" {
			t.Errorf("%s: %+v, %v", how, d, err)
		}
		free()
	}
}

// idle is an editor of a tree that was changed three times, with a clock. looked waits until the
// folders of the idle editor were looked after.
func idle(t *testing.T, root string, o lsp.Options,
	options map[string]any) (e *lsptest.Editor, ctx context.Context, clock *lsptest.Clock, looked func()) {
	clock = lsptest.NewClock(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	idled := make(chan struct{}, 9)
	o.Now, o.After = clock.Now, clock.After
	e, ctx = configured(t, lsp.WithIdled(o, func() { idled <- struct{}{} }), root, options, nil)
	for i := range 3 {
		op := map[string]any{"type": "ADD", "path": "net/other", "title": fmt.Sprint("Other ", i), "summary": "s", "reason": "r"}
		if err := e.Execute(ctx, "brv.curate", map[string]any{"operations": []any{op}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return e, ctx, clock, func() {
		t.Helper()
		select {
		case <-idled:
		case <-time.After(patience):
			t.Fatal("nobody looked after the folders")
		}
	}
}

func TestAnIdleEditorDreams(t *testing.T) {
	root := twins(t)
	e, ctx, clock, looked := idle(t, root, lsp.Options{}, nil)
	clock.Advance(lsp.IdleAfter - time.Second)
	if err := e.Execute(ctx, "brv.log", nil, nil); err != nil { // somebody is there
		t.Fatal(err)
	}
	clock.Advance(2 * time.Second)
	if err := e.Call(ctx, "workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, nil); err != nil { // the client alone
		t.Fatal(err)
	}
	if len(dreams(t, root)) != 0 {
		t.Error("it dreams beside somebody's work")
	}
	clock.Advance(lsp.IdleAfter)
	looked()
	all := dreams(t, root)
	if len(all) != 1 || all[0].Status != "completed" || all[0].Trigger != "agent-idle" || all[0].Summary.FlaggedForReview != 1 {
		t.Fatalf("%+v", all)
	}
	waitMessage(t, e, ctx, "1 operation waits for your review")
	if err := e.Execute(ctx, "brv.log", nil, nil); err != nil {
		t.Fatal(err)
	}
	clock.Advance(lsp.IdleAfter)
	looked() // the gates: it is too soon
	if all := dreams(t, root); len(all) != 1 {
		t.Errorf("%+v", all)
	}
}

// TestWhoComesBackEndsTheDream that an idle editor began, and what a client asks by itself does
// not. The dream is held twice: when it has passed the gates, and before its first step.
func TestWhoComesBackEndsTheDream(t *testing.T) {
	root := twins(t)
	e, ctx, clock, looked := idle(t, root, lsp.Options{}, nil)
	file := open(t, e, root, tokens)
	log := hold(t, root, "state/replace.lock")
	clock.Advance(lsp.IdleAfter)
	eventually(t, func() (bool, string) {
		_, err := os.Stat(filepath.Join(root, ".brv/state/dream.lock"))
		return err == nil, "no dream"
	})
	change := hold(t, root, "state/lock")
	log()
	eventually(t, func() (bool, string) { return len(dreams(t, root)) == 1, "no dream runs" })
	text := "---\ntitle: As a dream wrote it\n---\n" // read again from disk
	writeFile(t, file, text)
	if err := e.Replace(file, text); err != nil {
		t.Fatal(err)
	}
	if err := e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(file),
		"type": 2}}}); err != nil {
		t.Fatal(err)
	}
	if err := e.Call(ctx, "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}},
		nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Execute(ctx, "brv.reviews", nil, nil); err != nil {
		t.Fatal(err)
	}
	if all := dreams(t, root); all[0].Status != "processing" {
		t.Errorf("ended: %+v", all)
	}
	if _, err := e.Hover(ctx, file, 0); err != nil {
		t.Fatal(err)
	}
	looked()
	if all := dreams(t, root); len(all) != 1 || all[0].Status != "error" || fmt.Sprint(all[0].Notes) != "[ended early: cancelled]" {
		t.Errorf("%+v", all)
	}
	change()
	clock.Advance(lsp.IdleAfter)
	looked() // nothing was done, so that it is tried again
	if all := dreams(t, root); len(all) != 2 || all[0].Status != "completed" {
		t.Errorf("%+v", all)
	}
}

func TestNobodyDreamsUnasked(t *testing.T) {
	for name, c := range map[string]struct {
		o       lsp.Options
		options map[string]any
	}{
		"in an untrusted folder":   {lsp.Options{Trust: func(string) (bool, string) { return false, "" }}, nil},
		"where the user says so":   {lsp.Options{}, map[string]any{"dream": map[string]any{"auto": false}}},
		"where the editor says so": {lsp.Options{}, map[string]any{"trusted": false}},
	} {
		t.Run(name, func(t *testing.T) {
			root := twins(t)
			_, _, clock, looked := idle(t, root, c.o, c.options)
			clock.Advance(lsp.IdleAfter)
			looked()
			if all := dreams(t, root); len(all) != 0 {
				t.Errorf("%+v", all)
			}
		})
	}
}

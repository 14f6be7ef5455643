package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// dreamOptions are the command line of dream.
type dreamOptions struct {
	req                          upkeep.DreamRequest
	detach, detached, undo, list bool
	cancel                       string
	dry                          *dryRun
}

func dreamTree(ctx context.Context, f *flags, args []string, e env) (answer, error) {
	o := dreamOptions{req: upkeep.DreamRequest{Trigger: upkeep.DreamTyped}}
	if err := o.read(f, args); err != nil {
		return answer{}, err
	}
	switch {
	case o.detach:
		return detachDream(ctx, f, o.req)
	case o.cancel != "":
		return does(ctx, f, upkeep.CancelDream, upkeep.DreamCancelRequest{ID: o.cancel}, cancelledText)
	case o.list:
		return does(ctx, f, upkeep.Dreams, upkeep.DreamsRequest{}, dreamsText)
	case o.undo:
		return does(ctx, f, upkeep.UndoDream, struct{}{}, dreamt(false))
	case o.dry.request:
		return f.wouldSend(ctx, func(w *workspace.Workspace) (string, error) {
			_, err := upkeep.Dream(ctx, w, o.req)
			return "", err
		})
	}
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	if o.detached {
		f.json = false // what it says of itself is a protocol of its own
		return answer{}, runDetached(ctx, w, e, o.req)
	}
	defer twice(e.stderr, os.Exit)()
	watch := upkeep.DreamWatch{}
	if !f.json && isTerminal(os.Stderr) {
		watch.Progress = func(phase string, done, total int) {
			if total == 0 {
				fmt.Fprintf(e.stderr, "brv-lsp: %s\n", phase)
			}
		}
	}
	if !f.json {
		ctx = tellAsked(ctx, e, w, fmt.Sprintf("within %.0f minutes in all; Ctrl-C ends this, and --no-model dreams by rules",
			dream.Budget.Minutes()))
	}
	res, err := upkeep.Dream(upkeep.WatchDream(ctx, watch), w, o.req)
	if err != nil {
		return answer{}, err
	}
	text, code := dreamt(o.req.DryRun)(res)
	return answer{res, text, code}, nil
}

// read reads the options, of which some exclude each other.
func (o *dreamOptions) read(f *flags, args []string) error {
	f.BoolVar(&o.req.Force, "force", false, "")
	o.dry = f.dryRun(&o.req.DryRun)
	f.BoolVar(&o.req.NoModel, "no-model", false, "")
	f.BoolVar(&o.detach, "detach", false, "")
	f.BoolVar(&o.detached, "detached", false, "") // what --detach starts
	f.BoolVar(&o.undo, "undo", false, "")
	f.BoolVar(&o.list, "list", false, "")
	f.StringVar(&o.cancel, "cancel", "", "")
	if err := f.parseOnly(args); err != nil {
		return err
	}
	var ways []string
	for _, way := range []struct {
		name  string
		given bool
	}{{"--detach", o.detach}, {"--dry-run", o.req.DryRun}, {"--cancel", o.cancel != ""}, {"--undo", o.undo}, {"--list", o.list}} {
		if way.given {
			ways = append(ways, way.name)
		}
	}
	alone := o.cancel != "" || o.undo || o.list
	nobody := false
	f.Visit(func(given *flag.Flag) { nobody = nobody || given.Name == "cancel" && o.cancel == "" })
	switch {
	case nobody:
		return fmt.Errorf("%w: --cancel needs the id of a dream; `brv-lsp dream --list` names them", errUsage)
	case len(ways) > 1:
		return fmt.Errorf("%w: dream takes one of %s", errUsage, strings.Join(ways, " and "))
	case alone && (o.req.Force || o.req.NoModel):
		return fmt.Errorf("%w: dream %s takes no --force and no --no-model", errUsage, ways[0])
	}
	return nil
}

// twice tells of the first interruption that the dream ends with its present step, and exits at
// the second. The function that it returns ends that.
func twice(stderr io.Writer, exit func(int)) (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt)
	stopped := onInterrupts(signals, stderr, exit)
	return func() {
		signal.Stop(signals)
		stopped()
	}
}

// onInterrupts is twice over a channel.
func onInterrupts(signals <-chan os.Signal, stderr io.Writer, exit func(int)) (stop func()) {
	ended := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		for told := false; ; told = true {
			select {
			case <-ended:
				return
			case <-signals:
			}
			if told {
				exit(exitInterrupted)
				return
			}
			fmt.Fprintln(stderr, "Cancelling task... (Ctrl-C again to force exit)")
		}
	})
	return func() {
		close(ended)
		loop.Wait()
	}
}

// dreamt says what a dream did, or why it did not run. That is no failure; one that ended
// early, or in which something failed, is, and so is one of which something stays when it is taken
// back.
func dreamt(dry bool) func(*upkeep.DreamResponse) (string, int) {
	return func(res *upkeep.DreamResponse) (_ string, code int) {
		if res.Skipped != nil {
			hint := "`brv-lsp dream --force` runs all the same, `--dry-run` shows what it would do.\n"
			if res.Skipped.Gate == "lock" {
				hint = "`brv-lsp dream --list` names it, `--cancel ID` stops it.\n"
			}
			return fmt.Sprintf("%s\n%s", res.Skipped, hint), exitOK
		}
		if l := res.Log; l.Summary.Stays > 0 || l.Outcome != dream.Undone &&
			(l.Outcome == dream.Partial || l.Outcome == dream.Errored || l.Summary.Errors > 0) {
			code = exitFailed
		}
		return dreamText(res.Log, dry), code
	}
}

// detachDream starts a dream in a process of its own, and prints its id as soon as it runs, or
// why it does not.
func detachDream(ctx context.Context, f *flags, req upkeep.DreamRequest) (answer, error) {
	root, err := f.folder()
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return answer{}, err
	}
	args := []string{os.Args[0], "dream", "--detached", "--root", root}
	for name, given := range map[string]bool{"--force": req.Force, "--no-model": req.NoModel} {
		if given {
			args = append(args, name)
		}
	}
	begun, err := startDetached(ctx, root, args)
	switch {
	case err != nil:
		return answer{}, err
	case begun.Skipped != nil:
		res := &upkeep.DreamResponse{Skipped: begun.Skipped}
		text, code := dreamt(false)(res)
		return answer{res, text, code}, nil
	case begun.Error != "":
		return answer{}, errors.New(begun.Error)
	}
	text := fmt.Sprintf("Dream started (%s)\n`brv-lsp dream --list` says how it ends, `brv-lsp dream --cancel %s` stops it.\n",
		begun.ID, begun.ID)
	return answer{json: begun, text: text}, nil
}

// begun is what a process that dreams in the background says of itself, in one line: that it
// dreams, or why not.
type begun struct {
	ID      string         `json:"id,omitempty"`
	Skipped *dream.Skipped `json:"skipped,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// startDetached starts this program in a session of its own, so that it outlives the terminal,
// and waits for its first line.
func startDetached(ctx context.Context, dir string, args []string) (b begun, err error) {
	self, err := os.Executable()
	if err != nil {
		return b, err
	}
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return b, err
	}
	defer nothing.Close()
	from, to, err := os.Pipe()
	if err != nil {
		return b, err
	}
	defer from.Close()
	process, err := os.StartProcess(self, args, &os.ProcAttr{Dir: dir, Files: []*os.File{nothing, to, nothing}, Sys: ownSession()})
	if err = errors.Join(err, to.Close()); err != nil {
		return b, err
	}
	defer context.AfterFunc(ctx, func() {
		_ = process.Kill() // it has not begun, or its log says so
		_ = from.Close()
	})()
	line, err := bufio.NewReader(from).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &b) != nil {
		_, _ = process.Wait()
		return b, cmp.Or(ctx.Err(), errors.New("the process that was to dream ended before it began"))
	}
	return b, process.Release()
}

// runDetached dreams in a process that nobody looks at: once it has said how it begins, its log
// tells the rest.
func runDetached(ctx context.Context, w *workspace.Workspace, e env, req upkeep.DreamRequest) error {
	tell := func(b begun) {
		raw, err := json.Marshal(b)
		if err == nil {
			_, _ = fmt.Fprintf(e.stdout, "%s\n", raw) // who started it may be gone
		}
	}
	said := false
	res, err := upkeep.Dream(upkeep.WatchDream(ctx, upkeep.DreamWatch{Started: func(id string) {
		said = true
		tell(begun{ID: id})
	}}), w, req)
	switch {
	case said:
	case err != nil:
		tell(begun{Error: err.Error()})
	case res.Skipped != nil:
		tell(begun{Skipped: res.Skipped})
	}
	return nil
}

func cancelledText(r *upkeep.DreamCancelResponse) (string, int) {
	if !r.Ended {
		return r.ID + " was asked to stop; it ends with its present step.\n", exitOK
	}
	return dreamText(r.Log, false), exitOK
}

func dreamsText(r *upkeep.DreamsResponse) (string, int) {
	var out strings.Builder
	for _, l := range r.Dreams {
		if l.Outcome == dream.Processing && l.ID != r.Running {
			l.Outcome = dream.Killed
		}
		fmt.Fprintf(&out, "%s  %s  %-10s %-10s  %s", l.ID, l.Started.Local().Format(time.DateTime), l.Trigger, l.Outcome, l.Summary)
		switch n := l.Summary; {
		case n.Stays > 0:
			fmt.Fprintf(&out, "; %s", tree.Counted(n.Stays, "operation stays", "operations stay"))
		case n.Flagged > 0 && l.Outcome != dream.Undone:
			fmt.Fprintf(&out, "; %d flagged for review", n.Flagged)
		}
		out.WriteByte('\n')
	}
	if len(r.Dreams) == 0 {
		out.WriteString("No dream was dreamt yet.\n")
	}
	if r.Damaged != "" {
		fmt.Fprintf(&out, "%s; the next dream sets it aside, and goes on with what the logs tell.\n", r.Damaged)
	}
	if r.Skipped != nil {
		fmt.Fprintf(&out, "None would run now: %s.\n", r.Skipped.Reason)
	} else {
		out.WriteString("One would run now: `brv-lsp dream`.\n")
	}
	return out.String(), exitOK
}

// dreamText is the report for people: the summary of the specification, then each step.
func dreamText(l *dream.Log, dry bool) string {
	var out strings.Builder
	if dry {
		fmt.Fprintf(&out, "A dream would do this:\n%s\n%s", l.Summary, l.Spent())
	} else {
		out.WriteString(l.String())
	}
	for _, s := range l.Steps {
		out.WriteString(stepText(s, dry))
	}
	undone := l.Outcome == dream.Undone
	if len(l.Candidates) > 0 && !undone {
		out.WriteString("\nRecurs across domains; worth an entry, if it is a pattern:\n")
		for _, c := range l.Candidates {
			fmt.Fprintf(&out, "  %s %q in %s: %s\n", c.Kind, c.Subject, strings.Join(c.Domains, ", "), someOf(c.Entries))
		}
	}
	for _, n := range l.Notes {
		fmt.Fprintf(&out, "\nNote: %s\n", n)
	}
	switch {
	case dry:
		out.WriteString("\nThis was a dry run: nothing was changed.\n")
	case undone && l.Summary.Stays > 0:
		out.WriteString(staysText(l))
	case undone:
		out.WriteString("\nThe tree is as before it. `brv-lsp dream --undo` takes the dream before it back.\n")
	case len(l.Steps) > 0:
		fmt.Fprintf(&out, "\n")
		if l.Summary.Flagged > 0 {
			out.WriteString("What waits is listed by `brv-lsp review`, and decided by `brv-lsp review approve N` or `reject N`.\n")
		}
		out.WriteString("`brv-lsp dream --undo` takes the whole dream back.\n")
	}
	return out.String()
}

// staysText says what to do about what stays of a dream that was taken back.
func staysText(l *dream.Log) string {
	next := "`brv-lsp dream --undo` takes the dream before it back."
	if slices.ContainsFunc(l.Stays(), func(s dream.Stay) bool { return !s.Forgotten }) {
		next = "nothing that was written since is overwritten. `brv-lsp dream --undo` tries again,\nwhich helps once the entries " +
			"are as the dream left them; else it takes the dream before this one back."
	}
	return fmt.Sprintf("\n%s: %s\n", tree.Counted(l.Summary.Stays, "operation stays", "operations stay"), next)
}

// stepMarks say what became of a step, and fateMarks what did when its dream was taken back.
var (
	stepMarks = map[dream.Status]string{dream.Done: "done", dream.Waits: "waits", dream.Failed: "FAILED", dream.Noted: "noted"}
	fateMarks = map[dream.Fate]string{dream.TakenBack: "undone", dream.Dropped: "dropped", dream.Stayed: "STAYS",
		dream.Already: "undone before"}
)

// stepText is one step: what, why, how sure, and where it is decided.
func stepText(s dream.Step, dry bool) string {
	mark := cmp.Or(fateMarks[s.Undo], stepMarks[s.Status])
	switch {
	case dry && s.Status == dream.Done:
		mark = "would be done"
	case dry && s.Status == dream.Waits:
		mark = "would wait"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s: %s %s", mark, s.Action, subject(s))
	if s.Confidence > 0 {
		fmt.Fprintf(&out, " (confidence %.2f)", s.Confidence)
	}
	fmt.Fprintf(&out, "\n  %s\n", s.Reason)
	for _, stay := range s.Stays {
		fmt.Fprintf(&out, "  %s\n", stay)
		if len(stay.Files) > 0 {
			fmt.Fprintf(
				&out,
				"  to compare: `brv-lsp undo %d --json` prints each file as the dream left it, as it is, and as it was before\n",
				stay.Change)
		}
	}
	switch {
	case s.Status == dream.Failed:
		fmt.Fprintf(&out, "  %s\n", s.Message)
	case s.Undo != "" || dry:
	case s.Status == dream.Waits:
		fmt.Fprintf(&out, "  to decide: `brv-lsp review show %d`\n", s.Batch)
	case s.Status == dream.Done && s.Batch != 0:
		fmt.Fprintf(&out, "  to take back: `brv-lsp undo %d`\n", s.Batch)
	}
	if s.Undo == "" {
		out.WriteString(s.Diff)
	}
	return out.String()
}

// subject is what a step is about: what goes into what, or what leads where.
func subject(s dream.Step) string {
	var others []string
	for _, p := range s.Inputs {
		if p != s.Output {
			others = append(others, p)
		}
	}
	rest := strings.Join(others, " + ")
	switch {
	case rest == "" || s.Output == "":
		return cmp.Or(s.Output, rest)
	case s.Action == dream.CrossReference:
		return s.Output + " → " + rest
	case s.Action == dream.TemporalUpdate:
		return s.Output + " (beside " + rest + ")"
	}
	return rest + " → " + s.Output
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// dreamOptions are the command line of dream.
type dreamOptions struct {
	upkeep.DreamRequest
	Undo   bool   `flag:"undo"`
	List   bool   `flag:"list"`
	Detach bool   `flag:"detach"`
	Cancel string `flag:"cancel,filled"` // the id of a dream
}

func dreamTree(ctx context.Context, f *flags, o *dreamOptions, e env) (answer, error) {
	o.Trigger = upkeep.DreamTyped
	if err := o.check(); err != nil {
		return answer{}, err
	}
	switch {
	case o.List:
		return does(ctx, f, upkeep.Dreams, &upkeep.DreamsRequest{}, dreamsText)
	case o.Detach:
		return does(ctx, f, o.beside, &upkeep.DreamsRequest{Limit: 1}, func(r *upkeep.DreamsResponse) (string, int) {
			if r.Skipped != nil {
				return dreamt(false)(&upkeep.DreamResponse{Skipped: r.Skipped})
			}
			return "A dream was started. `brv-lsp dream --list` shows its ID; `brv-lsp dream --cancel ID` stops it.\n", exitOK
		})
	case o.Cancel != "":
		return does(ctx, f, upkeep.CancelDream, &o.Cancel, func(*struct{}) (string, int) {
			return o.Cancel + " stops after its current step. Finished steps are kept.\n", exitOK
		})
	case o.Undo:
		return does(ctx, f, upkeep.UndoDream, &struct{}{}, dreamt(false))
	}
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	defer twice(ctx, e.stderr, signal.Notify, os.Exit)()
	if !f.json && isTerminal(os.Stderr) {
		o.Progress = func(phase string, done, total int) {
			if total == 0 {
				sayf(e.stderr, "brv-lsp: %s\n", phase)
			}
		}
	}
	if !f.json {
		ctx = tellAsked(ctx, e, w, fmt.Sprintf("for at most %.0f minutes; Ctrl-C stops the dream; --no-model runs it without a model",
			dream.Budget.Minutes()))
	}
	res, err := upkeep.Dream(ctx, w, o.DreamRequest)
	if err != nil {
		return answer{}, err
	}
	text, code := dreamt(o.DryRun)(res)
	return answer{json: res, text: text, code: code}, nil
}

// check refuses options that exclude each other.
func (o *dreamOptions) check() error {
	var ways []string
	for _, way := range []struct {
		name  string
		given bool
	}{{"--dry-run", o.DryRun}, {"--undo", o.Undo}, {"--list", o.List}, {"--cancel", o.Cancel != ""}, {"--detach", o.Detach}} {
		if way.given {
			ways = append(ways, way.name)
		}
	}
	switch {
	case len(ways) > 1:
		return fmt.Errorf("%w: dream takes only one of %s", errUsage, strings.Join(ways, " and "))
	case (o.Undo || o.List || o.Cancel != "") && (o.Force || o.NoModel):
		return fmt.Errorf("%w: dream %s takes neither --force nor --no-model", errUsage, ways[0])
	}
	return nil
}

// beside starts a dream in a separate process, if a dream may run now.
func (o *dreamOptions) beside(ctx context.Context, w *workspace.Workspace, req upkeep.DreamsRequest) (*upkeep.DreamsResponse, error) {
	r, err := upkeep.Dreams(ctx, w, req)
	if err != nil {
		return nil, err
	}
	if r.Running != "" {
		r.Skipped = &dream.Skipped{Gate: "lock", Reason: "Another dream is running (" + r.Running + ")"}
	} else if o.Force {
		r.Skipped = nil
	}
	if r.Skipped != nil {
		return r, nil
	}
	return r, startBeside("dream", "--root", w.Root(), fmt.Sprintf("--force=%t", o.Force), fmt.Sprintf("--no-model=%t", o.NoModel))
}

// twice handles Ctrl-C. The first one ends ctx: the dream ends after its present step, and twice says so. The
// second one exits the program. Call stop once, to end this.
func twice(ctx context.Context, stderr io.Writer, notify func(chan<- os.Signal, ...os.Signal), exit func(int)) (stop func()) {
	told := make(chan struct{})
	unasked := context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 1)
		notify(again, os.Interrupt)
		fmt.Fprintln(stderr, "Cancelling... (Ctrl-C again to force exit)")
		close(told)
		<-again
		exit(exitInterrupted)
	})
	return func() {
		if !unasked() { // the person is told this before anything else
			<-told
		}
	}
}

// dreamt returns a function that makes the text and the exit code of a dream. A dream that did not run is no
// failure. It fails if it ended early, if a step failed, or if an operation could not be undone with the dream.
func dreamt(dry bool) func(*upkeep.DreamResponse) (string, int) {
	return func(res *upkeep.DreamResponse) (_ string, code int) {
		if res.Skipped != nil {
			hint := "`brv-lsp dream --force` runs one anyway; `--dry-run` shows the changes first.\n"
			if res.Skipped.Gate == "lock" {
				hint = "`brv-lsp dream --list` shows its ID; `brv-lsp dream --cancel ID` stops it.\n"
			}
			return textf("%s\n%s", res.Skipped, passage(hint)), exitOK
		}
		if l := res.Log; l.Summary.Stays > 0 || l.Outcome != dream.Undone &&
			(l.Outcome == dream.Partial || l.Outcome == dream.Errored || l.Summary.Errors > 0) {
			code = exitFailed
		}
		return dreamText(res.Log, dry), code
	}
}

func dreamsText(r *upkeep.DreamsResponse) (string, int) {
	var out strings.Builder
	for _, l := range r.Dreams {
		sayf(&out, "%s  %s  %-10s %-10s  %s", l.ID, l.Started.Local().Format(time.DateTime), l.Trigger, l.Outcome, l.Summary)
		switch n := l.Summary; {
		case n.Stays > 0:
			sayf(&out, "; %s", words.Counted(n.Stays, "operation stays", "operations stay"))
		case n.Flagged > 0 && l.Outcome != dream.Undone:
			sayf(&out, "; %s for your review", words.Counted(n.Flagged, "operation waits", "operations wait"))
		}
		out.WriteByte('\n')
	}
	if len(r.Dreams) == 0 {
		out.WriteString("No dream has run yet.\n")
	}
	if r.Damaged != "" {
		sayf(&out, "%s; the next dream renames the file and continues from the logs.\n", r.Damaged)
	}
	if r.Skipped != nil {
		sayf(&out, "No dream is due: %s.\n", r.Skipped.Reason)
	} else {
		out.WriteString("A dream is due: run `brv-lsp dream`.\n")
	}
	return out.String(), exitOK
}

// dreamText returns the report for people: the specification's summary, then each step.
func dreamText(l *dream.Log, dry bool) string {
	var out strings.Builder
	if dry {
		sayf(&out, "A dream would do this:\n%s\n%s", l.Summary, passage(l.Spent()))
	} else {
		out.WriteString(l.String())
	}
	for _, s := range l.Steps {
		out.WriteString(stepText(s, dry))
	}
	undone := l.Outcome == dream.Undone
	for _, n := range l.Notes {
		sayf(&out, "\nNote: %s\n", n)
	}
	switch {
	case dry:
		out.WriteString("\nThis was a dry run: nothing was changed.\n")
	case undone && l.Summary.Stays > 0:
		out.WriteString(staysText(l))
	case undone:
		out.WriteString("\nThe dream is undone. `brv-lsp dream --undo` undoes the dream before it.\n")
	case len(l.Steps) > 0:
		sayf(&out, "\n")
		if l.Summary.Flagged > 0 {
			out.WriteString("`brv-lsp review` lists the waiting changes; decide with `brv-lsp review approve N` or `reject N`.\n")
		}
		out.WriteString("`brv-lsp dream --undo` undoes the whole dream.\n")
	}
	return out.String()
}

// staysText returns what to do about the operations that could not be undone with a dream.
func staysText(l *dream.Log) string {
	return fmt.Sprintf("\n%s not undone, because files changed after the dream. To undo the rest, restore these "+
		"files and run `brv-lsp dream --undo` again.\nOtherwise, that command undoes the dream before this one.\n",
		words.Counted(l.Summary.Stays, "operation was", "operations were"))
}

// stepMarks are the words for a step's status. fateMarks are the words for what became of a step when the dream
// was undone.
var (
	stepMarks = map[dream.Status]string{dream.Done: "done", dream.Waits: "waits", dream.Failed: "FAILED"}
	fateMarks = map[dream.Fate]string{dream.TakenBack: "undone", dream.Dropped: "dropped", dream.Stayed: "STAYS",
		dream.Already: "undone before"}
)

// stepText describes one step: the change, the reason, the confidence, and where it is decided.
func stepText(s dream.Step, dry bool) string {
	mark := cmp.Or(fateMarks[s.Undo], stepMarks[s.Status])
	switch {
	case dry && s.Status == dream.Done:
		mark = "would be done"
	case dry && s.Status == dream.Waits:
		mark = "would wait"
	}
	var out strings.Builder
	sayf(&out, "\n%s: %s %s", mark, s.Action, subject(s))
	if s.Confidence > 0 {
		sayf(&out, " (confidence %.2f)", s.Confidence)
	}
	sayf(&out, "\n  %s\n", s.Reason)
	for _, stay := range s.Stays {
		sayf(&out, "  %s\n", stay)
		if len(stay.Files) > 0 {
			sayf(
				&out,
				"  to compare: `brv-lsp undo %d --json` prints each file before the dream, after it, and now\n",
				stay.Change)
		}
	}
	switch {
	case s.Status == dream.Failed:
		sayf(&out, "  %s\n", s.Message)
	case s.Undo != "" || dry:
	case s.Status == dream.Waits:
		sayf(&out, "  to decide: `brv-lsp review show %d`\n", s.Batch)
	case s.Status == dream.Done && s.Batch != 0:
		sayf(&out, "  to undo: `brv-lsp undo %d`\n", s.Batch)
	}
	if s.Undo == "" {
		out.WriteString(s.Diff)
	}
	return out.String()
}

// subject names a step's entries: which one is merged into which, or leads to which.
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

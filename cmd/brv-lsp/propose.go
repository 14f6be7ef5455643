package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// proposeOptions are the command line of propose.
type proposeOptions struct {
	drafting.ProposeRequest
	Within  string   `flag:"folder"`
	Lines   []string `flag:"selection"`
	Threads string   `flag:"review"`
	To      string   `flag:"topic"`
	Staged  bool     `flag:"staged"`
	Commit  string   `flag:"commit"`
	words   []string // files
}

func proposeTree(ctx context.Context, f *flags, o *proposeOptions, e env) (answer, error) {
	o.Author, o.words = user(), f.words
	if err := o.read(); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errUsage, err)
	}
	f.opened = append(f.opened, o.places)
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	if !f.json {
		ctx = tellAsked(ctx, e, w, fmt.Sprintf("which must begin to answer within %.0f s; Ctrl-C stops it, and --no-model drafts "+
			"without a model", curate.Patience.Seconds()))
	}
	r, err := drafting.Propose(ctx, w.View(), o.ProposeRequest)
	if err != nil {
		return answer{}, err
	}
	a := answer{json: r, text: proposalText(r, o.DryRun)}
	if r.Report.Summary.Failed > 0 {
		a.code = exitFailed
	}
	return a, nil
}

// tellAsked tells the user once that a model is called, that it may be silent for a minute, and how to avoid it.
func tellAsked(ctx context.Context, e env, w *workspace.Workspace, about string) context.Context {
	var once sync.Once
	return provider.Asking(ctx, func(string, int) {
		once.Do(func() { sayf(e.stderr, "brv-lsp: asking %s, %s\n", provider.StateOf(w), about) })
	})
}

// read checks the options that need no folder.
func (o *proposeOptions) read() (err error) {
	ways := 0
	for _, given := range []bool{o.Changes != "", o.Staged, o.Commit != ""} {
		if given {
			ways++
		}
	}
	o.Changes, o.Topic = cmp.Or(o.Changes, o.Commit), strings.Trim(o.To, "/")
	if o.Staged {
		o.Changes = "staged"
	}
	if o.Threads != "" {
		if o.Review, err = readReview(o.Threads); err != nil {
			return fmt.Errorf("--review: %w", err)
		}
	}
	switch {
	case ways > 1:
		return errors.New("propose takes only one of --changes, --staged and --commit")
	case len(o.Lines) > 1:
		return errors.New("give --selection once")
	case len(o.words) == 0 && o.Within == "" && len(o.Lines) == 0 && o.Changes == "" && o.Review == nil:
		return errors.New("propose needs a source: a FILE, --folder, --selection, --changes, --staged, --commit or --review")
	case o.To != "":
		if err := curate.CheckTopic(o.Topic); err != nil {
			return fmt.Errorf("--topic: %w", err)
		}
	}
	return nil
}

// maxReview is the largest file of review comments, in bytes: some thousand threads with their diffs.
const maxReview = 16 << 20

// readReview reads review comments that a host's CLI printed into a file.
func readReview(file string) ([]curate.Thread, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxReview+1))
	if err == nil && len(data) > maxReview {
		err = errors.New("the file is larger than 16 MiB; give the comments of one pull request")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	threads, err := curate.ReadThreads(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return threads, nil
}

// lines matches a selection: FILE:START-END, or FILE:LINE.
var lines = regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`)

// places adds the files, the folder and the selection to the request.
func (o *proposeOptions) places(w *workspace.Workspace) (err error) {
	if o.Files, err = allInFolder(w, o.words); err != nil {
		return err
	}
	if o.Within != "" {
		if o.Folder, err = inFolder(w, o.Within); err != nil {
			return err
		}
	}
	for _, lines := range o.Lines {
		if o.Selection, err = selection(w, lines); err != nil {
			return fmt.Errorf("%w: --selection: %v", errUsage, err)
		}
	}
	return nil
}

// selection reads lines of a file, FILE:LINE or FILE:START-END.
func selection(w *workspace.Workspace, typed string) (*drafting.DraftRequest, error) {
	m := lines.FindStringSubmatch(typed)
	if m == nil {
		return nil, fmt.Errorf("write FILE:LINE or FILE:START-END, not %q", typed)
	}
	p, err := inFolder(w, m[1])
	if err == nil {
		p, err = locate.Locate(w.View(), p)
	}
	if err != nil {
		return nil, err
	}
	text, _ := w.View().Text(p)    // Locate has read the file already
	first, _ := strconv.Atoi(m[2]) // only digits; a number that is too large is no line
	last, _ := strconv.Atoi(cmp.Or(m[3], m[2]))
	all := strings.SplitAfter(text, "\n")
	if first < 1 || last < first || last > len(all) {
		return nil, fmt.Errorf("%s has only lines 1-%d", m[1], len(all))
	}
	start := len(strings.Join(all[:first-1], ""))
	return &drafting.DraftRequest{Path: p, Start: start, End: start + len(strings.Join(all[first-1:last], ""))}, nil
}

// undecidedText lists the topics that a person has to choose between.
func undecidedText(all []curate.Undecided) string {
	var out strings.Builder
	for _, u := range all {
		sayf(&out, "“%s” (%s) needs a topic; most likely first:\n", firstLine(u.Title), firstLine(u.Source))
		for _, c := range u.Choices {
			sayf(&out, "  --topic %s: %s\n", c.Topic, firstLine(c.Reason))
		}
	}
	return out.String()
}

// proposalText lists the drafts, and tells how to decide on them.
func proposalText(r *drafting.ProposeResponse, dry bool) string {
	var out strings.Builder
	for _, note := range r.Notes {
		sayf(&out, "Note: %s\n", note)
	}
	if r.Model != "" {
		sayf(&out, "Drafted by %s", r.Model)
		if r.Usage != nil {
			sayf(&out, ", %s tokens in and %s out", grouped(r.Usage.Input), grouped(r.Usage.Output))
		}
		out.WriteString(".\n")
	} else if r.Usage != nil {
		sayf(&out, "The model read %s tokens and wrote %s.\n", grouped(r.Usage.Input), grouped(r.Usage.Output))
	}
	out.WriteString(undecidedText(r.Undecided))
	switch {
	case len(r.Operations) == 0 && len(r.Undecided) > 0:
		return out.String() + "Nothing was drafted. Give --topic DOMAIN/TOPIC, or --any-topic to take the first of each list.\n"
	case len(r.Operations) == 0:
		return out.String() + "Nothing to propose.\n"
	case len(r.Undecided) > 0:
		out.WriteString("These have no drafts yet: run the command again for each, with --topic DOMAIN/TOPIC. The other drafts:\n")
	}
	out.WriteString(r.Report.Diff)
	for i, a := range r.Report.Results {
		mark := map[plan.Status]string{plan.StatusFailed: "FAILED", plan.StatusPending: "held"}[a.Status]
		if dry && a.Status == plan.StatusPending {
			mark, a.Message = "would wait for review:", "When approved: "+plan.WhenApproved(a.Message)
		}
		title := ""
		if i < len(r.Operations) && r.Operations[i].Title != "" {
			title = " “" + firstLine(r.Operations[i].Title) + "”"
		}
		sayf(&out, "%-6s %s %s%s: %s\n         %s\n", cmp.Or(mark, "same"), a.Type, cmp.Or(a.FilePath, a.Path), title,
			firstLine(a.Reason), a.Message)
		printDetails(&out, a)
	}
	for _, c := range r.Report.Comments {
		sayf(&out, "%s\n", c)
	}
	if dry {
		return out.String() + "This was a dry run: nothing was sent to review.\n"
	}
	out.WriteString(nextStep(r.Report))
	return out.String()
}

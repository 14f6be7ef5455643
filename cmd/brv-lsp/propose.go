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
	req       drafting.ProposeRequest
	files     []string
	folder    string
	selection string
	staged    bool
	commit    string
	dry       *dryRun
}

func proposeTree(ctx context.Context, f *flags, args []string, e env) (answer, error) {
	o := proposeOptions{req: drafting.ProposeRequest{Author: user()}}
	if err := o.read(f, args); err != nil {
		return answer{}, err
	}
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	if err := o.places(w); err != nil {
		return answer{}, err
	}
	if o.dry.request {
		return sent(w, func(w *workspace.Workspace) (string, error) {
			_, err := drafting.Propose(ctx, w.View(), o.req)
			return "", err
		})
	}
	if !f.json {
		ctx = tellAsked(ctx, e, w, fmt.Sprintf("which has %.0f s to begin; Ctrl-C ends this, and --no-model drafts by rules",
			curate.Patience.Seconds()))
	}
	r, err := drafting.Propose(ctx, w.View(), o.req)
	if err != nil {
		return answer{}, err
	}
	a := answer{json: r, text: proposalText(r, o.req.DryRun)}
	if r.Report.Summary.Failed > 0 {
		a.code = exitFailed
	}
	return a, nil
}

// tellAsked says once that a model is asked, which may be silent for a minute, and what can be done about it.
func tellAsked(ctx context.Context, e env, w *workspace.Workspace, about string) context.Context {
	var once sync.Once
	return provider.Asking(ctx, func(string, int) {
		once.Do(func() { sayf(e.stderr, "brv-lsp: asking %s, %s\n", provider.StateOf(w), about) })
	})
}

// read reads the options, and checks those that need no file.
func (o *proposeOptions) read(f *flags, args []string) (err error) {
	f.StringVar(&o.folder, "folder", "", "")
	f.StringVar(&o.req.Changes, "changes", "", "")
	f.BoolVar(&o.staged, "staged", false, "")
	f.StringVar(&o.commit, "commit", "", "")
	f.Func("selection", "", func(s string) error {
		if o.selection != "" {
			return errors.New("give --selection once")
		}
		o.selection = s
		return nil
	})
	f.Func("review", "", func(s string) (err error) { o.req.Review, err = readReview(s); return err })
	f.StringVar(&o.req.Instruction, "instruction", "", "")
	f.Func("topic", "", func(s string) error {
		o.req.Topic = strings.Trim(s, "/")
		return curate.CheckTopic(o.req.Topic)
	})
	f.BoolVar(&o.req.AnyTopic, "any-topic", false, "")
	f.BoolVar(&o.req.NoModel, "no-model", false, "")
	o.dry = f.dryRun(&o.req.DryRun)
	if o.files, err = f.parse(args); err != nil {
		return err
	}
	ways := 0
	for _, given := range []bool{o.req.Changes != "", o.staged, o.commit != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return fmt.Errorf("%w: propose takes one of --changes, --staged and --commit", errUsage)
	case o.staged:
		o.req.Changes = "staged"
	case o.commit != "":
		o.req.Changes = o.commit
	}
	if len(o.files) == 0 && o.folder == "" && o.selection == "" && o.req.Changes == "" && o.req.Review == nil {
		return fmt.Errorf("%w: propose needs a source: a FILE, --folder, --selection, --changes, --staged, --commit or --review", errUsage)
	}
	return nil
}

// maxReview is the largest file of review comments, in bytes: some thousand threads with their diffs.
const maxReview = 16 << 20

// readReview reads review comments as the host's CLI printed them into a file.
func readReview(file string) ([]curate.Thread, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxReview+1))
	if err == nil && len(data) > maxReview {
		err = errors.New("it is over 16 MiB; give the comments of one pull request")
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

// lines is a selection: FILE:START-END, or FILE:LINE.
var lines = regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`)

// places puts the files, the folder and the selection into the request.
func (o *proposeOptions) places(w *workspace.Workspace) (err error) {
	if o.req.Files, err = allInFolder(w, o.files); err != nil {
		return err
	}
	if o.folder != "" {
		if o.req.Folder, err = inFolder(w, o.folder); err != nil {
			return err
		}
	}
	if o.selection == "" {
		return nil
	}
	if o.req.Selection, err = selection(w, o.selection); err != nil {
		return fmt.Errorf("%w: --selection: %v", errUsage, err)
	}
	return nil
}

// selection reads lines of a file, FILE:LINE or FILE:START-END.
func selection(w *workspace.Workspace, typed string) (*drafting.DraftRequest, error) {
	m := lines.FindStringSubmatch(typed)
	if m == nil {
		return nil, fmt.Errorf("it is FILE:LINE or FILE:START-END, not %q", typed)
	}
	p, err := inFolder(w, m[1])
	if err == nil {
		p, err = locate.Locate(w.View(), p)
	}
	if err != nil {
		return nil, err
	}
	text, _ := w.View().Text(p)    // Locate has read it
	first, _ := strconv.Atoi(m[2]) // digits; too many are no line
	last, _ := strconv.Atoi(cmp.Or(m[3], m[2]))
	all := strings.SplitAfter(text, "\n")
	if first < 1 || last < first || last > len(all) {
		return nil, fmt.Errorf("%s has the lines 1-%d", m[1], len(all))
	}
	start := len(strings.Join(all[:first-1], ""))
	return &drafting.DraftRequest{Path: p, Start: start, End: start + len(strings.Join(all[first-1:last], ""))}, nil
}

// undecidedText lists the topics of which somebody has to choose one.
func undecidedText(all []curate.Undecided) string {
	var out strings.Builder
	for _, u := range all {
		sayf(&out, "Needs a topic: “%s” (%s); the likeliest first:\n", firstLine(u.Title), firstLine(u.Source))
		for _, c := range u.Choices {
			sayf(&out, "  --topic %s: %s\n", c.Topic, firstLine(c.Reason))
		}
	}
	return out.String()
}

// proposalText lists the drafts, and says how to decide.
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
		sayf(&out, "The model took %s tokens in and %s out.\n", grouped(r.Usage.Input), grouped(r.Usage.Output))
	}
	out.WriteString(undecidedText(r.Undecided))
	switch {
	case len(r.Operations) == 0 && len(r.Undecided) > 0:
		return out.String() + "Nothing is held. Say where with --topic DOMAIN/TOPIC, or --any-topic for the first.\n"
	case len(r.Operations) == 0:
		return out.String() + "Nothing to propose.\n"
	case len(r.Undecided) > 0:
		out.WriteString("They are not held. Draft each again with --topic DOMAIN/TOPIC. The others:\n")
	}
	out.WriteString(r.Report.Diff)
	for i, a := range r.Report.Results {
		mark := map[plan.Status]string{plan.StatusFailed: "FAILED", plan.StatusPending: "held"}[a.Status]
		if dry && a.Status == plan.StatusPending {
			mark, a.Message = "would be held:", "When approved: "+plan.WhenApproved(a.Message)
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
		return out.String() + "This was a dry run: nothing was held.\n"
	}
	out.WriteString(nextStep(r.Report))
	return out.String()
}

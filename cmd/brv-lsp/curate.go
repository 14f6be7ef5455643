package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/terminal"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// maxBatch bounds the operations that are read from standard input, in bytes.
const maxBatch = 16 << 20

var factOption = regexp.MustCompile(`^(?:([^:]+?):\s+)?(.+?)(?:\s+\[(\w+)\])?$`)

// curateOptions are the command line of curate.
type curateOptions struct {
	plan.Op
	DryRun bool     `flag:"dry-run"`
	Atomic bool     `flag:"atomic"`
	Author string   `flag:"author"`
	Hold   string   `flag:"hold"`
	Agent  string   `flag:"agent,filled"`
	Facts  []string `flag:"fact"`
}

// declare adds the options of the parts of an entry.
func (o *curateOptions) declare(f *flags) {
	f.declare(&o.Content)
	f.declare(&o.Content.RawConcept)
	f.declare(&o.Content.Narrative)
}

// stated returns the operation that the options describe.
func (o *curateOptions) stated() plan.Op {
	op := o.Op
	for _, s := range o.Facts {
		if m := factOption.FindStringSubmatch(s); m != nil {
			op.Content.Facts = append(op.Content.Facts, format.Fact{Subject: m[1], Statement: m[2], Category: m[3]})
		}
	}
	return op
}

func curateTree(ctx context.Context, f *flags, o *curateOptions, e env) (answer, error) {
	given, err := o.operations(f.words, e)
	if err != nil {
		return answer{}, err
	}
	given.DryRun, given.Atomic = given.DryRun || o.DryRun, given.Atomic || o.Atomic
	given.Hold = cmp.Or(plan.Hold(o.Hold), given.Hold)
	if o.Agent != "" {
		if given.Hold != plan.HoldRisky && given.Hold != plan.HoldAll {
			return answer{}, fmt.Errorf("%w: --hold %s: an agent's changes always wait for a review", errUsage, given.Hold)
		}
		given.Origin, given.Hold = format.Origin{Kind: format.OriginAgent, Tool: o.Agent}, plan.HoldAll
	}
	given.Author = cmp.Or(o.Author, given.Author, o.Agent, user())
	switch given.Hold {
	case "risky":
		given.Hold = plan.HoldRisky
	case plan.HoldRisky, plan.HoldAll, plan.HoldNone:
	default:
		return answer{}, fmt.Errorf("%w: --hold must be risky, all or none, not %q", errUsage, given.Hold)
	}
	return reported(ctx, f, curation.Curate, &given)
}

// operations reads the operations from the options, from the named file, or from standard
// input.
func (o *curateOptions) operations(words []string, e env) (plan.Batch, error) {
	switch {
	case o.Type == "" && o.Path+o.Title+o.Reason != "":
		return plan.Batch{}, fmt.Errorf("%w: --op is missing: ADD, UPDATE, UPSERT, MERGE, DELETE, MOVE or CONFIRM", errUsage)
	case o.Type != "" && len(words) == 1:
		return plan.Batch{}, fmt.Errorf("%w: give operations in %s or with --op, not both", errUsage, words[0])
	case o.Type != "":
		return plan.Batch{Ops: []plan.Op{o.stated()}}, nil
	}
	name := "-"
	if len(words) == 1 {
		name = words[0]
	} else if isTerminal(e.stdin) {
		return plan.Batch{}, fmt.Errorf("%w: curate needs --op, or operations as JSON in a file or on standard input", errUsage)
	}
	data, err := readAtMost(name, e, maxBatch, "the operations")
	if err != nil {
		return plan.Batch{}, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		where := "in " + name
		if name == "-" {
			where = "on standard input"
		}
		return plan.Batch{}, fmt.Errorf("%w: no operations: expected a JSON array %s", errUsage, where)
	}
	b, err := plan.ParseBatch(data)
	if err != nil {
		return b, fmt.Errorf("%w: %v", errUsage, err)
	}
	return b, nil
}

// readAtMost reads at most the given number of bytes from a file, or from standard input if the name is -.
func readAtMost(name string, e env, most int64, what string) ([]byte, error) {
	in := e.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("too many bytes in %s: the limit is %d. Divide the input into several files", what, most)
	}
	return data, err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	if s, ok := stream.(*screen); ok {
		stream = s.out
	}
	file, ok := stream.(*os.File)
	return ok && terminal.Is(file)
}

// user names the author of changes made on the command line.
func user() string { return cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME"), "cli") }

// reported makes an answer from an action that returns a batch's report.
func reported[Req any](
	ctx context.Context, f *flags, do func(context.Context, *workspace.Workspace, Req) (*plan.Report, error), req *Req,
) (answer, error) {
	a, err := does(ctx, f, do, req, reportText)
	return a, undoable(err)
}

// advised is an error with advice, which is printed in lines of its own.
type advised struct {
	error
	advice string
}

func (a *advised) Unwrap() error { return a.error }

// undoable adds advice to the error of an undo that is not possible.
func undoable(err error) error {
	if conflict := (*store.UndoConflict)(nil); errors.As(err, &conflict) {
		return &advised{err, textf("Nothing was changed. Undo the later changes first, or undo only the other files: `brv-lsp undo %d:PATH`; "+
			"with --json, it prints each file before, after and now\n", conflict.Batch)}
	}
	return err
}

// reportText returns the text of a batch's report and the exit code, which is exitFailed if an operation
// failed.
func reportText(r *plan.Report) (text string, code int) {
	if r.Summary.Failed > 0 {
		code = exitFailed
	}
	var out strings.Builder
	out.WriteString(r.Diff)
	for _, a := range r.Results {
		mark := map[plan.Status]string{plan.StatusSuccess: "done", plan.StatusFailed: "FAILED", plan.StatusPending: "held"}[a.Status]
		if a.Unchanged {
			mark = "same"
		}
		at := cmp.Or(a.FilePath, a.Path)
		sayf(&out, "%-6s %s %s: %s\n", mark, a.Type, at, strings.TrimPrefix(a.Message, at+": "))
		printDetails(&out, a)
	}
	printKept(&out, r)
	for _, c := range r.Comments {
		sayf(&out, "%s\n", c)
	}
	out.WriteString(nextStep(r))
	return out.String(), code
}

// printKept names the files that somebody edited during the change.
func printKept(out *strings.Builder, r *plan.Report) {
	for _, p := range r.Kept {
		sayf(out, "kept   %s: not changed, because somebody edited it at the same time. Check the file, and run the command again\n", p)
	}
}

func printDetails(out *strings.Builder, a plan.Result) {
	for _, p := range a.AlsoChanged {
		sayf(out, "         also %s\n", p)
	}
	printLosses(out, a.Losses)
	for _, d := range a.Dangling {
		sayf(out, "         leads nowhere: %s\n", d)
	}
}

func printLosses(out *strings.Builder, losses []format.Loss) {
	for _, l := range losses {
		verb := "lost"
		if l.Kept {
			verb = "kept"
		}
		sayf(out, "         %s %s: %s\n", verb, l.Part, firstLine(l.Item))
	}
}

// maxShown bounds a line that stands for a longer text, in characters.
const maxShown = 100

func firstLine(s string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line = sanitize.Line(line, maxShown); strings.HasSuffix(line, "…") {
		return line
	}
	if more != "" {
		return line + " …"
	}
	return line
}

// ofTree returns the option that commands about a batch of another tree need.
func ofTree(name string) string {
	return fmt.Sprintf("Add `--tree %[1]s` to these commands.\n", name)
}

// nextStep returns what the user can do next about a batch.
func nextStep(r *plan.Report) string {
	if r.Tree != "" {
		own := *r
		own.Tree = ""
		return nextStep(&own) + ofTree(r.Tree)
	}
	switch {
	case r.Batch == 0 && r.Diff == "" && r.Summary == (plan.Counts{}):
		return "Nothing to do.\n"
	case r.Batch == 0:
		return ""
	case r.Waited:
		return fmt.Sprintf(
			"These changes already wait for a review as batch %d. See them with `brv-lsp review show %d`; decide with `review approve %d` "+
				"or `review reject %d`.\n", r.Batch, r.Batch, r.Batch, r.Batch)
	case r.Summary.Pending > maxWhole:
		return fmt.Sprintf("Batch %d. `brv-lsp review` lists the waiting changes by folder; decide with `review approve "+
			"%d:FOLDER/` or `review reject %d:FOLDER/`, or `review approve %d` for all.\n", r.Batch, r.Batch, r.Batch, r.Batch)
	case r.Summary.Pending > 0:
		return fmt.Sprintf(
			"Batch %d. See the waiting changes with `brv-lsp review show %d`; decide with `review approve %d` or `review reject %d`.\n",
			r.Batch, r.Batch, r.Batch, r.Batch)
	}
	note := ""
	for _, a := range r.Results {
		if a.NeedsReview {
			note = fmt.Sprintf(" Check these notes: `brv-lsp review show %d`.", r.Batch)
		}
	}
	return fmt.Sprintf("Batch %d; `brv-lsp undo %d` undoes it.%s\n", r.Batch, r.Batch, note)
}

// archiveOptions are the command line of archive.
type archiveOptions struct {
	curation.ArchiveRequest
	Show bool `flag:"show"`
}

func archiveEntries(ctx context.Context, f *flags, o *archiveOptions, _ env) (answer, error) {
	o.Author, o.Paths = user(), f.words
	switch n := len(f.words); {
	case o.Show && n != 1:
		return answer{}, fmt.Errorf("%w: archive --show needs the path of one entry", errUsage)
	case o.Show:
		a, err := asks(ctx, f, archivedText, &f.words[0], func(e *archivedEntry) (string, int) { return e.Text, exitOK })
		a.exact = true
		return a, err
	case n > 0 && o.Eligible:
		return answer{}, fmt.Errorf("%w: archive takes --eligible or paths, not both", errUsage)
	case n > 0 || o.Eligible:
		return reported(ctx, f, curation.Archive, &o.ArchiveRequest)
	case o.Restore:
		return answer{}, fmt.Errorf("%w: archive --restore needs the path of an entry", errUsage)
	}
	a, err := asks(ctx, f, upkeep.Status, &upkeep.StatusRequest{}, archivableText)
	if err != nil {
		return a, err
	}
	a.json = map[string]any{"archivable": a.json.(*upkeep.StatusReport).Archivable}
	return a, nil
}

// archivableText lists the entries that may be archived.
func archivableText(s *upkeep.StatusReport) (string, int) {
	if len(s.Archivable) == 0 {
		return "No entry can be archived: that needs the maturity `draft` and an importance below 35.\n", exitOK
	}
	return textf("%s\n%s can be archived. Run `brv-lsp archive --eligible` for all, or `brv-lsp archive PATH` for one.\n",
		passage(strings.Join(s.Archivable, "\n")), words.Counted(len(s.Archivable), "entry", "entries")), exitOK
}

// archivedEntry is an archived entry with its full text.
type archivedEntry struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func archivedText(_ context.Context, v *workspace.View, p string) (*archivedEntry, error) {
	full, ok := derived.Full(v.Tree(), p)
	if !ok {
		return nil, fmt.Errorf("%s is not archived; `brv-lsp search WORDS` also finds archived entries", p)
	}
	return &archivedEntry{full.Path, full.Shown(markdown.Span{End: len(full.Text)})}, nil
}

func status(ctx context.Context, f *flags, _ *none, _ env) (answer, error) {
	folder, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	ask := func(ctx context.Context, v *workspace.View, req upkeep.StatusRequest) (*upkeep.StatusReport, error) {
		s, err := upkeep.Status(ctx, v, req)
		if err == nil {
			s.Trusted, s.Untrusted = trusts(folder) // for the servers; a typed command needs no trust
		}
		return s, err
	}
	return asks(ctx, f, ask, &upkeep.StatusRequest{}, statusText)
}

func statusText(s *upkeep.StatusReport) (string, int) {
	var out strings.Builder
	sayf(&out, "%s in %s and %s, %d bytes\n", words.Counted(s.Entries, "entry", "entries"),
		words.Counted(s.Domains, "domain", "domains"),
		words.Counted(s.Topics, "topic", "topics"), s.Bytes)
	sayf(&out, "maturity:   %d `draft`, %d often used, %d confirmed, %d `core`; %s counted on this machine\n", s.Maturity["draft"],
		s.Maturity["validated"]-s.Confirmed, s.Confirmed, s.Maturity["core"], words.Counted(s.Uses, "use", "uses"))
	sayf(&out, "archive:    %d archived, %d can be archived\n", s.Archived, len(s.Archivable))
	sayf(&out, "problems:   %s, %s, %s not read\n", words.Counted(s.Errors, "error", "errors"),
		words.Counted(s.Warnings, "warning", "warnings"), words.Counted(s.Skipped, "file", "files"))
	if s.Unread > 0 {
		sayf(&out, "limit:      the tree has %s over the limit, so no file can be added. Archive or delete entries\n",
			words.Counted(s.Unread, "file", "files"))
	}
	if n := len(s.Conflicts); n > 0 {
		sayf(&out, "conflicts:  %s with merge conflicts, not searched or changed: ", words.Counted(n, "file", "files"))
		out.WriteString(strings.Join(s.Conflicts, ", ") + "\n")
	}
	sayf(&out, "generated:  %s; %d missing or outdated (the next change writes them)\n",
		words.Counted(s.Summaries, "summary", "summaries"), len(s.Stale))
	sayf(&out, "journal:    %s can be undone, %s for a review", words.Counted(s.Batches, "change", "changes"),
		words.Counted(s.Pending, "operation waits", "operations wait"))
	if s.Unreviewed > 0 {
		sayf(&out, ", %s already and should be checked", words.Counted(s.Unreviewed, "operation was applied", "operations were applied"))
	}
	out.WriteByte('\n')
	sayf(&out, "dreams:     %s\n", s.Dreams.Line)
	if s.Trusted {
		out.WriteString("trusted:    yes\n")
	} else {
		sayf(&out, "trusted:    no, so editors and agents use neither git nor models here: %s\n", s.Untrusted)
	}
	sayf(&out, "model:      %s\n", s.Model)
	if s.LateSaves > 0 {
		sayf(&out, "late saves: another program saved %s while brv-lsp replaced an entry; run `brv-lsp check` to see which entries\n",
			words.Counted(s.LateSaves, "text", "texts"))
	}
	if s.Damaged > 0 {
		sayf(&out, "damaged:    %s in .brv/state cannot be read. Entries are not affected, but the changes recorded there can no "+
			"longer be undone\n", words.Counted(s.Damaged, "file", "files"))
	}
	if len(s.Foreign) > 0 {
		sayf(&out, "foreign:    brv-lsp ignores %s in .brv, written by another user or copied from another folder: %s. You can "+
			"delete these files\n", words.Counted(len(s.Foreign), "file", "files"), someOf(s.Foreign))
	}
	if s.Tracked != "" {
		sayf(&out, "tracked:    git tracks the personal file %s, so brv-lsp writes nothing;"+
			" run `git rm -r --cached .brv/state`\n", s.Tracked)
	}
	if s.Unfinished {
		out.WriteString("A change is running or was interrupted. If it was interrupted, the next change finishes it.\n")
	}
	return out.String(), exitOK
}

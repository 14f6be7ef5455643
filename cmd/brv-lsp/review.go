package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

// listReviews prints the pending batches.
func listReviews(ctx context.Context, f *flags, _ *none, _ env) (answer, error) {
	return reviewsOf(ctx, f, &curation.BatchRequest{}, nil)
}

// showReview prints one batch with its changes, or the text of a pending entry.
func showReview(ctx context.Context, f *flags, o *struct{ Text bool }, _ env) (answer, error) {
	req, err := f.entry(o.Text)
	if err != nil || !o.Text {
		return reviewsOf(ctx, f, &req, err)
	}
	after := func(ctx context.Context, w *workspace.Workspace, req curation.BatchRequest) (*curation.ProposedResponse, error) {
		return curation.Proposed(ctx, w, curation.ProposedRequest{Batch: req.Batch, Path: req.Paths[0]})
	}
	a, err := does(ctx, f, ofOne(after), &req, func(r *curation.ProposedResponse) (string, int) { return r.After, exitOK })
	a.exact = true
	return a, err
}

// entry returns the batch that the first word names. With text set, the word must name one entry of it.
func (f *flags) entry(text bool) (curation.BatchRequest, error) {
	req, err := batchID(f.words[0])
	if err == nil && text && (len(f.words) > 1 || len(req.Paths) != 1) {
		err = fmt.Errorf("%w: %s --text needs one entry: ID:PATH", errUsage, f.Name())
	}
	return req, err
}

// approve approves what is pending. One entry may get another text.
func approve(ctx context.Context, f *flags, o *struct {
	Text string
	But  []string
}, e env) (answer, error) {
	if o.Text == "" {
		return decide(ctx, f, e, curation.Approve, o.But, "")
	}
	req, err := f.entry(true)
	if err != nil {
		return answer{}, err
	}
	text, err := readAtMost(o.Text, e, format.MaxFileSize, "the text")
	if err == nil && !utf8.Valid(text) {
		err = fmt.Errorf("%w: --text %s: the text is not UTF-8", errUsage, o.Text)
	}
	if err != nil {
		return answer{}, err
	}
	return does(ctx, f, ofOne(func(ctx context.Context, w *workspace.Workspace, req curation.BatchRequest) (*plan.Report, error) {
		req.Texts = map[string]string{req.Paths[0]: string(text)}
		return curation.Approve(ctx, w, req)
	}), &req, reportText)
}

// editReview opens an entry's pending text in the user's editor, and approves the edited text.
func editReview(ctx context.Context, f *flags, _ *none, _ env) (answer, error) {
	req, err := batchID(f.words[0])
	if err != nil {
		return answer{}, err
	}
	return does(ctx, f, ofOne(editProposed), &req, reportText)
}

// reject drops pending changes.
func reject(ctx context.Context, f *flags, o *struct {
	Reason string
	But    []string
}, e env) (answer, error) {
	return decide(ctx, f, e, curation.Reject, o.But, o.Reason)
}

// decide decides on the batches that the words name, without the items that are excluded.
func decide(ctx context.Context, f *flags, e env, do decider, but []string, reason string) (answer, error) {
	var all []curation.BatchRequest
	for _, word := range f.words {
		req, err := batchID(word)
		if err != nil {
			return answer{}, err
		}
		req.Reason = reason
		all = append(all, req)
	}
	chosen := len(but) > 0 || slices.ContainsFunc(all, isChoice)
	if len(all) == 1 && !chosen {
		return reported(ctx, f, do, &all[0])
	}
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, all []curation.BatchRequest) (_ *decisions, err error) {
		out := &decisions{}
		if chosen {
			if all, err = curation.Resolved(ctx, w, all, but); err != nil {
				return nil, err
			}
		}
		for _, req := range all {
			r, err := do(ctx, w, req)
			if ctx.Err() != nil && len(out.Decisions) == 0 {
				return nil, ctx.Err()
			}
			d := decision{Batch: req.Batch, Paths: req.Paths, Report: r}
			if err != nil {
				d.Report, d.Error = nil, err.Error()
			}
			out.Decisions = append(out.Decisions, d)
			if ctx.Err() != nil {
				break // the earlier decisions are still reported
			}
		}
		return out, nil
	}, &all, func(r *decisions) (string, int) { return r.text(f, e) })
}

// decisions is the JSON form of several decisions.
type decisions struct {
	Decisions []decision `json:"decisions"`
}

// decision is the JSON form of one of them.
type decision struct {
	Batch  int          `json:"batch"`
	Paths  []string     `json:"paths,omitempty"`
	Report *plan.Report `json:"report,omitempty"`
	Error  string       `json:"error,omitempty"`
}

// text returns the reports of all decisions and the exit code, which is exitFailed if one of them failed.
func (r *decisions) text(f *flags, e env) (text string, code int) {
	for _, d := range r.Decisions {
		if d.Report == nil {
			code = exitFailed
			if !f.json {
				sayf(e.stderr, "brv-lsp: %s of %d: %s\n", strings.TrimPrefix(f.Name(), "review "), d.Batch, d.Error)
			}
			continue
		}
		one, failed := reportText(d.Report)
		text, code = text+one, max(code, failed)
	}
	return text, code
}

// batchID reads ID, ID:PATH or ID:PATH,PATH.
func batchID(s string) (r curation.BatchRequest, err error) {
	number, paths, ok := strings.Cut(s, ":")
	r.Author = user()
	r.Batch, err = strconv.Atoi(number)
	switch {
	case err != nil && !ok && strings.ContainsAny(s, "*/"): // in any batch
		r.Batch, paths, ok = 0, s, true
	case err != nil || r.Batch <= 0 || ok && paths == "":
		return r, fmt.Errorf("%w: %q is not a batch number or ID:PATH", errUsage, s)
	}
	if ok {
		for p := range strings.SplitSeq(paths, ",") {
			r.Paths = append(r.Paths, strings.TrimPrefix(p, ".brv/"+tree.Dir+"/"))
		}
	}
	return r, nil
}

// isChoice reports whether a decision names its items by number or pattern, or names no batch.
func isChoice(r curation.BatchRequest) bool {
	return r.Batch == 0 || slices.ContainsFunc(r.Paths, func(p string) bool {
		return strings.Contains(p, "*") || strings.HasSuffix(p, "/") || strings.Trim(p, "0123456789-") == ""
	})
}

// maxWhole is the most items of a batch that are listed with details; larger batches are listed by folder.
const maxWhole = 12

// listWaiting prints a line for each pending item, or for those that the words name.
func listWaiting(ctx context.Context, f *flags, _ *none, _ env) (answer, error) {
	req := curation.BatchRequest{}
	for _, word := range f.words {
		one, err := batchID(word)
		if err != nil || one.Batch != 0 && req.Batch != 0 {
			return answer{}, fmt.Errorf("%w: review list: %q: give one batch (12), items of it (12:3), or paths (auth/*)", errUsage, word)
		}
		req.Batch, req.Paths = max(req.Batch, one.Batch), append(req.Paths, one.Paths...)
	}
	return does(ctx, f, waiting, &req, func(r *curation.ReviewsResponse) (string, int) {
		var out strings.Builder
		for _, x := range r.Reviews {
			for _, i := range x.Items {
				done := ""
				if !i.Held {
					done = " (done already)"
				}
				sayf(&out, "%d:%-4d %-6s %s%s\n            %s\n", x.Batch, i.Number, i.Op.Type, i.Path, done, curation.Line(i))
				if i.Blocked != "" {
					sayf(&out, "            cannot be approved now: %s\n", i.Blocked)
				}
			}
		}
		return cmp.Or(out.String(), "Nothing waits for a review.\n"), exitOK
	})
}

// waiting lists pending items, of one batch and only those that the paths name.
func waiting(ctx context.Context, w *workspace.Workspace, req curation.BatchRequest) (*curation.ReviewsResponse, error) {
	r, err := curation.Reviews(ctx, w, struct{}{})
	if err == nil {
		r.Reviews, err = curation.Chosen(r.Reviews, req.Batch, req.Paths)
	}
	return r, err
}

// groupsText lists the folders of a batch that is too large to list each item.
func groupsText(x store.Review) string {
	var out strings.Builder
	sayf(&out, "  %s in %s:\n", words.Counted(len(x.Items), "operation", "operations"),
		words.Counted(len(curation.Groups(x.Items)), "folder", "folders"))
	for _, g := range curation.Groups(x.Items) {
		sayf(&out, "  %5d  %s/\n", g.Count, g.Folder)
	}
	sayf(&out, "  `brv-lsp review list %d:FOLDER/` lists a folder; `review show %d:N` shows one change in full; "+
		"`review approve %d:FOLDER/ --but N,N` approves all but N\n", x.Batch, x.Batch, x.Batch)
	return out.String()
}

// editProposed opens the pending text of the request's one entry in the user's editor, and approves the edited
// text.
func editProposed(ctx context.Context, w *workspace.Workspace, req curation.BatchRequest) (*plan.Report, error) {
	p, err := curation.Proposed(ctx, w, curation.ProposedRequest{Batch: req.Batch, Path: req.Paths[0]})
	if err != nil {
		return nil, err
	}
	text, file, err := inEditor(p.After, path.Base(req.Paths[0]))
	if err != nil {
		return nil, err
	}
	if text == p.After || strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s was not edited and still waits. To approve it unchanged, run `brv-lsp review approve %d:%s`", req.Paths[0],
			req.Batch, req.Paths[0])
	}
	req.Texts = map[string]string{req.Paths[0]: text}
	report, err := curation.Approve(ctx, w, req)
	if err != nil || report.Summary.Failed > 0 {
		sayf(&screen{out: os.Stderr}, "brv-lsp: your text was saved. To try again: `brv-lsp review approve %d:%s --text %s`\n",
			req.Batch, req.Paths[0], file)
		return report, err
	}
	return report, os.RemoveAll(filepath.Dir(file))
}

// ofOne makes an answer about the one entry that the words name.
func ofOne[Res any](do func(context.Context, *workspace.Workspace, curation.BatchRequest) (*Res, error)) func(
	context.Context, *workspace.Workspace, curation.BatchRequest) (*Res, error) {
	return func(ctx context.Context, w *workspace.Workspace, req curation.BatchRequest) (*Res, error) {
		all, err := curation.Resolved(ctx, w, []curation.BatchRequest{req}, nil)
		if err != nil {
			return nil, err
		}
		if len(all) == 1 {
			req = all[0]
			if req.Paths = slices.Compact(slices.Sorted(slices.Values(req.Paths))); len(req.Paths) == 1 {
				return do(ctx, w, req)
			}
		}
		return nil, fmt.Errorf("%w: a text replaces one entry; name the entry as ID:N or ID:PATH", errUsage)
	}
}

// inEditor lets the user edit a text in their editor. It returns the edited text and its file, which still
// exists if the text was changed.
func inEditor(text, name string) (edited, file string, err error) {
	dir, err := os.MkdirTemp("", "brv-lsp-review-")
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, name)
	defer func() {
		if edited == text || edited == "" && err == nil { // nothing changed, so the file is not kept
			os.RemoveAll(dir)
		} else if err != nil {
			err = fmt.Errorf("%w; the text is kept in %s", err, file)
		}
	}()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return text, file, err
	}
	err = runEditor(file, 0)
	data, unread := os.ReadFile(file)
	edited = string(data)
	switch {
	case err != nil:
		return edited, file, fmt.Errorf("%w, so nothing was decided. Try again, or run `review approve ID:PATH --text FILE`", err)
	case unread == nil && !utf8.Valid(data):
		return edited, file, fmt.Errorf("the text is not UTF-8, so nothing was decided. Save it as UTF-8, and try again")
	}
	return edited, file, unread
}

// runEditor opens a file in the user's editor, at a line if it is not 0, and waits until the editor ends. Standard
// output may be a pipe.
func runEditor(file string, line int) error {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if strings.TrimSpace(editor) == "" {
		return errors.New("$EDITOR is not set")
	}
	words := editorWords(editor)
	cmd := exec.Command(words[0], append(words[1:], atLine(words[0], file, line)...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("%s ended with an error", editor)
	} else if err != nil {
		return fmt.Errorf("$EDITOR: %w", err)
	}
	return nil
}

// atLine returns the arguments that open a file at a line in an editor. An unknown editor gets those of vi,
// which nano, Emacs, Micro and Kakoune take too.
func atLine(program, file string, line int) []string {
	at := fmt.Sprintf("%s:%d", file, line)
	switch name := strings.TrimSuffix(filepath.Base(program), filepath.Ext(program)); {
	case line == 0 || name == "notepad":
		return []string{file}
	case slices.Contains([]string{"code", "codium", "code-insiders", "cursor", "windsurf"}, name):
		return []string{"--goto", at}
	case slices.Contains([]string{"hx", "helix", "subl", "zed"}, name):
		return []string{at}
	}
	return []string{fmt.Sprintf("+%d", line), file}
}

// editorWords splits $EDITOR into the program and its arguments, at blanks outside of quotes. It does not use a
// shell, since not every system has one.
func editorWords(editor string) []string {
	if exists(editor) { // a path that contains blanks
		return []string{editor}
	}
	var words []string
	for rest := strings.TrimSpace(editor); rest != ""; rest = strings.TrimSpace(rest) {
		if q := rest[:1]; q == `"` || q == "'" {
			if word, after, closed := strings.Cut(rest[1:], q); closed {
				words, rest = append(words, word), after
				continue
			}
		}
		end := strings.IndexAny(rest+" ", " \t")
		words, rest = append(words, rest[:end]), rest[end:]
	}
	return words
}

// reviewsOf prints the pending batches, or one batch with its changes.
func reviewsOf(ctx context.Context, f *flags, req *curation.BatchRequest, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return does(ctx, f, waiting, req, func(r *curation.ReviewsResponse) (string, int) { return reviewsText(r, req.Batch != 0), exitOK })
}

func reviewsText(r *curation.ReviewsResponse, diffs bool) string {
	if len(r.Reviews) == 0 {
		return "Nothing waits for a review.\n"
	}
	var out strings.Builder
	for _, x := range r.Reviews {
		sayf(&out, "Batch %d, %s, by %s%s\n", x.Batch, x.Time.Local().Format(time.DateTime),
			cmp.Or(sanitize.Line(x.Author, maxSaid), "unknown"), originWords(x.Origin))
		if !diffs && len(x.Items) > maxWhole {
			out.WriteString(groupsText(x))
			continue
		}
		for _, item := range x.Items {
			state := "done "
			if item.Held {
				state = "held "
			}
			sayf(&out, "  %s %s %s: %s\n         %s\n", state, item.Op.Type, item.Path, sanitize.Line(item.Op.Reason, maxSaid),
				sanitize.Line(item.Message, maxSaid))
			printLosses(&out, item.Losses)
			if item.Blocked != "" {
				sayf(&out, "         cannot be approved now: %s (to reject: `brv-lsp review reject %d:%s`)\n", item.Blocked, x.Batch,
					item.Path)
			}
			if diffs {
				out.WriteString(item.Diff)
			}
		}
	}
	return out.String()
}

// originWords names the origin of a proposal, if no person wrote it.
func originWords(o format.Origin) string {
	if who := (format.Provenance{Origin: o}).String(); who != "" {
		return " (" + who + ")"
	}
	return ""
}

func undo(ctx context.Context, f *flags, o *struct{ Reason string }, _ env) (_ answer, err error) {
	req := curation.BatchRequest{Author: user()}
	for _, word := range f.words {
		if req, err = batchID(word); err != nil {
			return answer{}, err
		}
	}
	req.Reason = o.Reason
	a, err := does(ctx, f, curation.Undo, &req, undoneText)
	return a, undoable(err)
}

func undoneText(r *plan.Report) (string, int) {
	var out strings.Builder
	out.WriteString(takenBack(r))
	printKept(&out, r)
	drawSome(&out, r.Dangling, maxListed, "… and %d more that lead nowhere; --json lists all", func(p string) string {
		return textf("leads nowhere: %s", p)
	})
	for _, c := range r.Comments {
		sayf(&out, "%s\n", c)
	}
	if len(r.Files) > 0 {
		sayf(&out, "Batch %d; `brv-lsp undo %d` undoes this undo.\n", r.Batch, r.Batch)
	}
	return out.String(), exitOK
}

// takenBack returns the text about an undo: what it undid, and whether changes wait for a review again.
func takenBack(r *plan.Report) string {
	var out strings.Builder
	u := r.Undone
	switch files := someOf(r.Files); {
	case u.Of != 0:
		nouns := map[string]string{"approve": "approval", "reject": "rejection"}
		sayf(&out, "Undone: batch %d, the %s of batch %d: %s\n", u.ID, cmp.Or(nouns[u.Action], u.Action), u.Of,
			cmp.Or(files, someOf(u.About)))
	case files == "":
		sayf(&out, "Undone: batch %d. Its proposal no longer waits for a review: %s\n", u.ID, someOf(u.About))
	default:
		sayf(&out, "Undone: batch %d: %s\n", u.ID, files)
	}
	if u.WaitsAgain {
		sayf(&out, "The change waits for a review again: `brv-lsp review show %d`.\n", u.Of)
	}
	return out.String()
}

// maxNamed is how many paths a line names.
const maxNamed = 5

// someOf names the first few paths, and how many more there are.
func someOf(paths []string) string { return words.AtMost(paths, maxNamed) }

func log(ctx context.Context, f *flags, req *curation.LogRequest, _ env) (answer, error) {
	req.Limit = cmp.Or(req.Limit, 20)
	return does(ctx, f, curation.Log, req, logText)
}

// did describes a change of the log, and names the batch that it decided or undid.
func did(l store.Logged) string {
	switch {
	case l.Of != 0:
		return fmt.Sprintf("%s of %d", l.Action, l.Of)
	case l.Action == "apply" && len(l.Files) == 0:
		return "propose"
	}
	return l.Action
}

func logText(r *curation.LogResponse) (string, int) {
	var out strings.Builder
	for _, l := range r.Changes {
		if l.ID == 0 {
			sayf(&out, "?  %s\n", sanitize.Line(strings.Join(l.Reasons, "; "), maxSaid))
			continue
		}
		kept := ""
		if !l.Undoable {
			kept = " (too old to undo)"
		}
		sayf(&out, "%d  %s  %s  %s%s\n", l.ID, l.Time.Local().Format(time.DateTime), cmp.Or(firstLine(l.Author), "unknown"), did(l), kept)
		for _, reason := range l.Reasons {
			sayf(&out, "     %s\n", firstLine(reason))
		}
		for _, p := range l.Files {
			sayf(&out, "       %s\n", p)
		}
		if len(l.About) > 0 {
			state := map[string]string{"apply": "held", "approve": "accepted", "reject": "rejected"}[l.Action]
			sayf(&out, "       %s: %s\n", cmp.Or(state, l.Action), someOf(l.About))
		}
	}
	return cmp.Or(out.String(), "No changes yet.\n"), exitOK
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/transfer"
)

// importOptions are the command line of import.
type importOptions struct {
	transfer.ImportRequest
	Topic   string   `flag:"topic"`
	Folders []string `flag:"map"`
}

// importNotes imports a folder of notes into the tree, or shows how it would.
func importNotes(ctx context.Context, f *flags, o *importOptions, e env) (answer, error) {
	req := &o.ImportRequest
	req.Author, req.Map = user(), map[string]string{}
	for _, s := range o.Folders {
		from, to, _ := strings.Cut(s, "=")
		if from == "" || to == "" {
			return answer{}, fmt.Errorf("%w: --map %s: write it as FOLDER=DOMAIN/TOPIC", errUsage, s)
		}
		req.Map[from] = to
	}
	from := f.words[0]
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return promote(ctx, f, from, req, o.Topic)
	}
	if o.Topic != "" {
		return answer{}, fmt.Errorf("%w: --topic is for FILE#HEADING; use --map for a folder", errUsage)
	}
	var err error
	if req.Dir, err = filepath.Abs(from); err != nil {
		return answer{}, err
	}
	if req.Write || f.json || !isTerminal(e.stdin) {
		return does(ctx, f, transfer.Import, req, notHeld(req, importText))
	}
	return importAsking(ctx, f, req, e)
}

// importAsking shows a person what an import would do and asks for consent. The person may choose other topics for
// folders first.
func importAsking(ctx context.Context, f *flags, req *transfer.ImportRequest, e env) (answer, error) {
	a, err := does(ctx, f, transfer.Import, req, notHeld(req, importText))
	for err == nil && !req.Write && len(a.json.(*transfer.ImportReport).Ops) > 0 {
		if err := e.print("%sImport like this? y, n, or FOLDER=DOMAIN/TOPIC: ", a.text); err != nil {
			return a, err
		}
		line, stopped := typedLine(ctx, e.stdin)
		from, to, mapped := strings.Cut(line, "=")
		switch {
		case stopped != nil && !errors.Is(stopped, io.EOF):
			return a, stopped
		case mapped:
			req.Map[from] = to
		case saysYes(line):
			req.Write = true
		default:
			return answer{json: a.json, text: "Nothing was written.\n"}, nil
		}
		next, wrong := does(ctx, f, transfer.Import, req, notHeld(req, importText))
		if wrong != nil && mapped {
			delete(req.Map, from)
			if err := e.print("%s\n", errorText(wrong)); err != nil {
				return a, err
			}
			continue
		}
		a, err = next, wrong
	}
	return a, err
}

// promote makes an entry from a section of a document, or shows that entry.
func promote(ctx context.Context, f *flags, name string, o *transfer.ImportRequest, topic string) (answer, error) {
	file, heading := name, ""
	for !exists(file) && strings.Contains(file, "#") { // the file's name may contain a # too
		file = file[:strings.LastIndexByte(file, '#')]
		heading = strings.TrimPrefix(name[len(file):], "#")
	}
	if len(o.Map) > 0 || o.Dialect != "" {
		return answer{}, fmt.Errorf("%w: --map and --dialect are for a folder; use --topic for a section", errUsage)
	}
	if !exists(file) {
		return answer{}, fmt.Errorf("%w: there is no folder or file %s", errUsage, file)
	}
	req := transfer.PromoteRequest{Heading: heading, Topic: strings.Trim(topic, "/"), DryRun: !o.Write, Author: o.Author, Hold: o.Hold}
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, req transfer.PromoteRequest) (_ *plan.Report, err error) {
		if req.Path, err = inFolder(w, file); err != nil {
			return nil, fmt.Errorf("%w; to import notes from elsewhere, import their folder", err)
		}
		return transfer.Promote(ctx, w, req)
	}, &req, notHeld(o, func(r *plan.Report) (string, int) {
		text, code := reportText(r)
		if req.DryRun {
			text += "This was a dry run: nothing was written. Add --write to import; --topic DOMAIN/TOPIC sets another topic.\n"
		}
		return text, code
	}))
}

// notHeld adds to the text of a dry run that the import will not wait for a review either, if the user wants that.
func notHeld[R any](req *transfer.ImportRequest, draw func(*R) (string, int)) func(*R) (string, int) {
	return func(r *R) (string, int) {
		text, code := draw(r)
		if req.Hold != "" && !req.Write {
			text += fmt.Sprintf("Nothing was sent to review: --hold %s needs --write.\n", req.Hold)
		}
		return text, code
	}
}

// maxListed is how many links or files of each kind are listed; --json has all.
const (
	maxListed  = 10
	maxFolders = 40
)

func importText(r *transfer.ImportReport) (string, int) {
	var out strings.Builder
	sayf(&out, "%s (%s): %s", r.Root, r.Dialect, words.Counted(len(r.Ops), "note", "notes"))
	if r.Changed > 0 {
		sayf(&out, ", %d changed or moved since the import", r.Changed)
	}
	out.WriteString("\n")
	for i, m := range r.Folders {
		if i == maxFolders {
			sayf(&out, "  … and %s; --json lists all\n", words.Counted(len(r.Folders)-i, "more folder", "more folders"))
			break
		}
		sayf(&out, "  %-30s → %-30s %d\n", m.From, m.To, m.Notes)
	}
	if len(r.Ops) > 0 {
		out.WriteString(words.Counted(r.Links, "link is kept", "links are kept"))
		if r.Outside > 0 {
			fmt.Fprintf(&out, ", %d to files that are not imported", r.Outside)
		}
		if n := len(r.Broken); n > 0 {
			sayf(&out, "; before the import, %s broken", words.Counted(n, "link was", "links were"))
		}
		out.WriteString("\n")
	}
	drawSome(&out, r.Broken, maxListed, "  … and %d more", func(b vault.Link) string {
		return textf("  leads nowhere: %s:%d: %s", sanitize.Name(b.Path), b.Line, sanitize.Line(b.Text, maxSaid))
	})
	if r.Others > 0 {
		out.WriteString("not imported: " + words.Counted(r.Others, "file or hidden folder, because it is not a note",
			"files and hidden folders, because they are not notes") + "\n")
	}
	if n := len(r.Gone); n > 0 {
		sayf(&out, "%s no longer in the folder; their entries stay in the tree: %s\n",
			words.Counted(n, "note is", "notes are"), someOf(r.Gone))
	}
	left, there, wait := []vault.Left(nil), 0, 0
	for _, l := range r.Left {
		switch l.Why {
		case vault.Already:
			there++
		case vault.Waits:
			wait++
		default:
			left = append(left, l)
		}
	}
	if there > 0 {
		sayf(&out, "%s already imported and unchanged\n", words.Counted(there, "note is", "notes are"))
	}
	if wait > 0 {
		sayf(&out, "%s for review: `brv-lsp review`\n", words.Counted(wait, "note already waits", "notes already wait"))
	}
	drawSome(&out, left, maxListed, "  … and %d more; --json lists all", func(l vault.Left) string {
		return textf("left out: %s: %s", sanitize.Name(l.Path), l.Why)
	})
	drawSome(&out, r.Unread, maxListed, "  … and %d more; --json lists all", func(u vault.Left) string {
		return textf("frontmatter not read: %s: %s", sanitize.Name(u.Path), u.Why)
	})
	code, notes := exitOK, 0
	for _, a := range r.Report.Results {
		if a.Status == plan.StatusFailed {
			code = exitFailed
			sayf(&out, "FAILED %s: %s\n", a.Path, strings.TrimPrefix(a.Message, a.Path+": "))
		} else if a.Screened != "" {
			if notes++; notes <= maxListed {
				sayf(&out, "changed on import: %s: %s\n", a.Path, a.Screened)
			}
		}
	}
	switch {
	case len(r.Ops) == 0 && wait > 0:
		out.WriteString("Nothing more to import.\n")
	case len(r.Ops) == 0:
		out.WriteString("Nothing to import. To move imported entries, use `brv-lsp curate --op MOVE`.\n")
	case r.DryRun:
		out.WriteString("This was a dry run: nothing was written. Add --write to import; --map FOLDER=DOMAIN/TOPIC sets another topic.\n")
	default:
		out.WriteString(nextStep(r.Report))
	}
	return out.String(), code
}

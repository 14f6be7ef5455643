// Package transfer imports notes of other programs into a folder's tree, or a section of a document, and
// exports the tree as such notes. Package vault defines the format.
//
// An import reads the files that a person names, also outside of the project. It does not follow links inside
// of them, so it reads nothing else. Limits: 10,000 notes (one batch), 1 MiB each, 64 MiB in all.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

// The limits of what is read at once.
const (
	maxNotes  = plan.MaxOps
	maxNote   = 1 << 20
	maxBytes  = 64 << 20
	maxFolder = 24 // levels
	maxFiles  = 200_000
)

// ImportRequest names a folder of notes.
type ImportRequest struct {
	Dir     string            `json:"dir"`                              // an absolute path, or one below the current folder
	Dialect vault.Dialect     `json:"dialect,omitempty" flag:"dialect"` // "": recognised by its files
	Map     map[string]string `json:"map,omitempty"`                    // folders of notes, each with its folder in the tree
	// write the entries; without it, the answer only says what would be imported
	Write  bool      `json:"write,omitempty" flag:"write"`
	Hold   plan.Hold `json:"hold,omitempty" flag:"hold"`
	Author string    `json:"author,omitempty"`
}

// ImportReport holds the changes of an import, made or planned.
type ImportReport struct {
	vault.Plan
	Report *plan.Report `json:"report"`
	DryRun bool         `json:"dryRun"`
}

// Import brings a folder of notes into the tree, as one batch.
func Import(ctx context.Context, w *workspace.Workspace, r ImportRequest) (*ImportReport, error) {
	folder, left, err := readFolder(ctx, w, r.Dir)
	if err != nil {
		return nil, err
	}
	waiting, err := waitingEntries(ctx, w)
	if err != nil {
		return nil, err
	}
	p, err := vault.Import(folder, w.View().Tree(), vault.Options{Dialect: r.Dialect, Map: r.Map, Waiting: waiting})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", workspace.ErrRequest, err)
	}
	p.Left = append(p.Left, left...)
	for i := range p.Broken { // nobody means to show what stands in notes
		p.Broken[i].Text = secrets.Redact(p.Broken[i].Text)
	}
	p.Broken, p.Left, p.Unread = append([]vault.Link{}, p.Broken...), append([]vault.Left{}, p.Left...), append([]vault.Left{}, p.Unread...)
	p.Folders, p.Gone = append([]vault.Mapping{}, p.Folders...), append([]string{}, p.Gone...)
	out := &ImportReport{Plan: *p, DryRun: !r.Write, Report: &plan.Report{Results: []plan.Result{}}}
	if len(p.Ops) == 0 {
		return out, nil
	}
	b := p.Batch(r.Author)
	b.DryRun, b.Hold = !r.Write, r.Hold
	out.Report, err = curation.Curate(ctx, w, b)
	return out, err
}

// waitingEntries are the entries that held imports would add.
func waitingEntries(ctx context.Context, w *workspace.Workspace) (out []*format.Entry, err error) {
	held, err := curation.Reviews(ctx, w, struct{}{})
	if err != nil {
		return nil, err
	}
	for _, r := range held.Reviews {
		for _, item := range r.Items {
			e := format.Parse(item.Path, item.Op.Text)
			if _, imported := format.ImportedBy(e); imported && item.Op.Type == plan.OpAdd {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// readFolder reads the notes of a folder. Hidden files are no notes; links are not followed.
func readFolder(ctx context.Context, w *workspace.Workspace, dir string) (vault.Folder, []vault.Left, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return vault.Folder{}, nil, err
	}
	defer root.Close()
	f := vault.Folder{Root: filepath.Base(root.Dir())} // on another drive
	f.Has = func(other string) bool { _, err := w.View().Files().Stat(other); return err == nil }
	if rel, err := filepath.Rel(w.Root(), root.Dir()); err == nil {
		f.Root = filepath.ToSlash(rel)
	}
	if f.Root == workspace.TreeDir || strings.HasPrefix(f.Root, workspace.TreeDir+"/") {
		return f, nil, fmt.Errorf("%w: context tree %s cannot be imported into itself", workspace.ErrRequest, dir)
	}
	var left []vault.Left
	room, seen := int64(maxBytes), 0
	var walk func(at string, depth int) error
	walk = func(at string, depth int) error {
		list, err := root.WithoutLinks().ReadDir(at)
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		for _, d := range list {
			p := path.Join(at, d.Name())
			if seen++; seen > maxFiles {
				return fmt.Errorf("%s has over %d files; name a folder inside it", dir, maxFiles)
			}
			skip := func(why string) { left = append(left, vault.Left{Path: p, Why: why}) }
			switch {
			case strings.HasPrefix(d.Name(), "."):
				f.Others = append(f.Others, p)
			case d.Type()&fs.ModeSymlink != 0:
				skip("a symbolic link; symbolic links are not followed")
			case d.IsDir() && depth == maxFolder:
				skip(fmt.Sprintf("more than %d folders deep", maxFolder))
			case d.IsDir():
				switch err := walk(p, depth+1); {
				case errors.Is(err, fs.ErrPermission):
					skip("permission denied")
				case errors.Is(err, fs.ErrNotExist):
					skip("it no longer exists")
				case err != nil:
					return err
				}
			case !d.Type().IsRegular() || !isNote(p) && !isPage(p):
				f.Others = append(f.Others, p)
			default:
				data, err := root.WithoutLinks().ReadFile(p, maxNote)
				if isPage(p) && (err != nil || !vault.IsTopic(string(data))) {
					f.Others = append(f.Others, p)
					continue
				}
				switch {
				case errors.Is(err, jail.ErrTooLarge):
					skip(fmt.Sprintf("over %d MiB", maxNote>>20))
				case errors.Is(err, fs.ErrPermission):
					skip("permission denied")
				case err != nil:
					skip(err.Error())
				case int64(len(data)) > room || len(f.Files) == maxNotes:
					skip(fmt.Sprintf("one import is limited to %d notes and %d MiB", maxNotes, maxBytes>>20))
				case !utf8.Valid(data):
					skip("not UTF-8; save the file as UTF-8")
				default:
					room -= int64(len(data))
					f.Files = append(f.Files, vault.File{Path: p, Text: string(data)})
				}
			}
		}
		return nil
	}
	if err := walk(".", 0); err != nil {
		return f, nil, err
	}
	if len(f.Files) == 0 {
		return f, nil, fmt.Errorf("%s has no notes", dir)
	}
	slices.SortFunc(f.Files, func(a, b vault.File) int { return strings.Compare(a.Path, b.Path) })
	return f, left, nil
}

// isNote reports whether a file is one by its name.
func isNote(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// isPage reports whether a file may be a topic in HTML.
func isPage(p string) bool { return strings.ToLower(path.Ext(p)) == ".html" }

// PromoteRequest names a section of a document.
type PromoteRequest struct {
	Path string `json:"path"` // the path of the document in the folder
	// the anchor or title of the section, which includes the sections below it; "": the whole document
	Heading string    `json:"heading,omitempty"`
	Topic   string    `json:"topic,omitempty"` // domain/topic or domain/topic/subtopic; "": named after the document's folder
	DryRun  bool      `json:"dryRun,omitempty"`
	Author  string    `json:"author,omitempty"`
	Hold    plan.Hold `json:"hold,omitempty"`
}

// Promote makes an entry of a section of a document. The entry has the text as it stands, and says where it comes from;
// from then on searches and packs tell the entry, and not the section, as long as both say the same.
func Promote(ctx context.Context, w *workspace.Workspace, r PromoteRequest) (*plan.Report, error) {
	op, err := promotion(ctx, w.View(), r)
	if err != nil {
		return nil, err
	}
	b := plan.Batch{Ops: []plan.Op{op}, Author: r.Author, DryRun: r.DryRun, Hold: r.Hold}
	return curation.Curate(ctx, w, b)
}

func promotion(ctx context.Context, v *workspace.View, r PromoteRequest) (op plan.Op, err error) {
	set, err := v.Documents(ctx)
	if err != nil {
		return op, err
	}
	d, ok := set.Document(r.Path)
	if !ok {
		return op, fmt.Errorf("%w: %s is not a document of this folder", workspace.ErrRequest, workspace.Clipped(r.Path))
	}
	title, im := d.Title, format.Imported{From: d.Path}
	if r.Heading != "" {
		s := sectionCalled(d, r.Heading)
		if s == nil {
			return op, fmt.Errorf("%w: %s has no section %q; its sections are %s", workspace.ErrRequest, d.Path, workspace.Clipped(r.Heading),
				strings.Join(workspace.FirstOf(anchors(d), 12), ", "))
		}
		title = s.Title
		im.From += "#" + d.AnchorOf(s)
	} else if strings.Contains(d.Path, "#") { // the last of them ends the path
		im.From += "#"
	}
	_, anchor := im.Source()
	at, _ := d.Whole(anchor)
	text := at.Of(d.Text)
	im.Hash = format.SourceHash(text)
	t := v.Tree()
	if e, ok := v.PromotedFrom(im.From); ok {
		return op, fmt.Errorf("%w: an entry was already made from %s: %s", workspace.ErrRequest, im.From, e.Path)
	}
	dir := r.Topic
	if dir == "" {
		dir = vault.TopicOf(strings.TrimSuffix(d.Path, path.Ext(d.Path)))
	}
	if err := format.CheckFolderPath(dir); err != nil || !strings.Contains(dir, "/") {
		return op, fmt.Errorf("%w: the topic must be domain/topic or domain/topic/subtopic, not %q", workspace.ErrRequest, workspace.Clipped(dir))
	}
	p := t.FreePath(dir, title)
	made, err := im.Into(p, text)
	return plan.Op{Type: plan.OpAdd, Path: p, Text: made, Reason: "promoted from " + im.From}, err
}

// sectionCalled is the section that a heading's anchor or title means, nil if none does.
func sectionCalled(d *documents.Document, heading string) *documents.Section {
	if s := d.Anchored(heading); s != nil {
		return s
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Level > 0 && strings.EqualFold(s.Title, heading) {
			return s
		}
	}
	return nil
}

func anchors(d *documents.Document) (out []string) {
	for i := range d.Sections {
		if d.Sections[i].Level > 0 {
			out = append(out, "#"+d.AnchorOf(&d.Sections[i]))
		}
	}
	return out
}

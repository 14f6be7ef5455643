package drafting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// ProposeRequest names the sources of a draft: at least one of `files`, `folder`, `selection` and `changes`.
type ProposeRequest struct {
	Files     []string      `json:"files,omitempty"`     // paths of text, code or Markdown; at most 5, with the selection
	Folder    string        `json:"folder,omitempty"`    // the path of a folder; brv-lsp chooses the files in it that explain most
	Selection *DraftRequest `json:"selection,omitempty"` // a part of one file
	// Changes is "worktree", "staged", or a commit as git names it.
	Changes     string `json:"changes,omitempty" flag:"changes"`
	Instruction string `json:"instruction,omitempty" flag:"instruction"` // tells a model what to look for
	// New entries go into this topic, domain/topic. Without it, links or a model decide.
	Topic    string `json:"topic,omitempty"`
	AnyTopic bool   `json:"anyTopic,omitempty" flag:"any-topic"` // without a model: use the likeliest topic even if no links decide it
	NoModel  bool   `json:"noModel,omitempty" flag:"no-model"`   // do not ask a model
	DryRun   bool   `json:"dryRun,omitempty" flag:"dry-run"`     // show the proposals that would wait, and store nothing
	Author   string `json:"author,omitempty"`                    // the author of the request, for the audit log

	// Review are threads of a review; rules draft from them, also where a model could be asked.
	Review []curate.Thread `json:"-"`
	Origin format.Origin   `json:"-"` // who asks, said by the program: an agent's draft is the agent's
}

// MaxMaterial is the most sources of a request.
const MaxMaterial = curate.MaxSources

// material gathers the sources of a request, with open buffers as they are. There are at most [MaxMaterial]
// sources. The selection comes first, since the user pointed at it. notes names the parts of a folder that
// were left out.
func material(ctx context.Context, v *workspace.View, req ProposeRequest) (m curate.Material, notes []string, err error) {
	m.Instruction, m.Threads = strings.TrimSpace(req.Instruction), req.Review
	add := func(s curate.Source) {
		if !slices.ContainsFunc(m.Sources, func(o curate.Source) bool { return o.Path == s.Path && o.Kind != curate.KindSelection }) {
			m.Sources = append(m.Sources, s)
		}
	}
	if req.Selection != nil {
		at := *req.Selection
		if at.Path, err = locate.Locate(v, at.Path); err != nil {
			return m, nil, workspace.WrongField("selection", "%v", err)
		}
		if why := keyFile(at.Path); why != "" {
			return m, nil, workspace.WrongField("selection", "%s: %s", workspace.Clipped(at.Path), why)
		}
		sel, err := selected(ctx, v, at)
		if err != nil {
			return m, nil, workspace.WrongField("selection", "%v", err)
		}
		s := curate.Source{
			Path: sel.Path, Entry: sel.Entry, Kind: curate.KindSelection, Text: sel.Text, StartLine: sel.StartLine,
			EndLine: sel.EndLine, Language: sel.Language,
		}
		if sel.Symbol != "" {
			s.Symbols = []string{sel.Symbol}
		}
		s.Cut()
		m.Sources = append(m.Sources, s)
	}
	for _, name := range req.Files {
		s, err := source(ctx, v, name)
		if err == nil && s.Entry != "" {
			err = fmt.Errorf("%s is an entry, and drafts are not made from whole entries; "+
				"name the file that the entry is about, or select a part of the entry",
				s.Path)
		}
		if err != nil {
			return m, nil, workspace.WrongField("files", "%v", err)
		}
		add(s)
	}
	if req.Folder != "" {
		paths, note, err := telling(v, req.Folder, MaxMaterial-len(m.Sources))
		if err != nil {
			return m, nil, workspace.WrongField("folder", "%v", err)
		}
		notes = append(notes, note)
		for _, p := range paths {
			if s, err := source(ctx, v, p); err != nil {
				notes = append(notes, err.Error())
			} else {
				add(s)
			}
		}
	}
	if req.Changes != "" {
		if m.Changes, err = changes(ctx, v, req.Changes); err != nil {
			return m, nil, err
		}
	}
	return m, notes, nil
}

// source reads a file of the folder, or an entry, to draft from; an open file as it is in
// its editor.
func source(ctx context.Context, v *workspace.View, name string) (curate.Source, error) {
	p, err := locate.Locate(v, name)
	if err != nil {
		return curate.Source{}, err
	}
	if why := keyFile(p); why != "" {
		return curate.Source{}, fmt.Errorf("%s: %s", workspace.Clipped(p), why)
	}
	text, _ := v.Text(p) // Locate has read it
	if strings.TrimSpace(text) == "" {
		return curate.Source{}, fmt.Errorf("%s is empty", workspace.Clipped(p))
	}
	return curate.ReadFile(ctx, p, []byte(text), v.Code())
}

// Files that contain little besides keys and passwords, by their names in lower case: they contain no
// knowledge, and not every form of a credential can be recognised.
var keyFiles = lazyregexp.New(
	`^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|(?:.*[._-])?(?:credentials?|secrets?)\.(?:json|ya?ml|toml|ini|csv|txt)|(?:client_secret` +
		`|service[_-]?account).*\.json|.*\.(?:env|key|p8|p12|pfx|jks|keystore|kdbx|ppk|pem))$`)

// keyFile is the reason why a file is not used for a draft because of its kind, "" if it may be.
func keyFile(p string) string {
	switch name := strings.ToLower(path.Base(p)); {
	case keyFiles().MatchString(name):
		return "drafts are not made from files with keys or credentials"
	case strings.HasSuffix(name, ".ipynb"):
		return "drafts are not made from notebooks; export the notebook as Markdown or as a script first"
	}
	return ""
}

// telling chooses files below a folder: its documents, then its code, starting with the files that most
// others depend on. Tests and generated code describe other files.
func telling(v *workspace.View, folder string, most int) (paths []string, note string, err error) {
	dir := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(folder), "./"), "/")
	dir = cmp.Or(dir, ".")
	switch {
	case !fs.ValidPath(dir) || strings.Contains(dir, "\\"):
		return nil, "", fmt.Errorf("%q is not a path inside the folder; give a relative path with forward slashes",
			workspace.Clipped(folder))
	case dir != "." && locate.Hidden(dir):
		return nil, "", fmt.Errorf("%s: hidden folders are not read", workspace.Clipped(dir))
	}
	if link := locate.LinkOn(v, dir); link != "" {
		return nil, "", fmt.Errorf("%s: %s is a symbolic link, and symbolic links are not followed", workspace.Clipped(dir),
			workspace.Clipped(link))
	}
	info, err := v.Files().Stat(dir)
	switch {
	case most <= 0:
		return nil, "", fmt.Errorf("files of %[2]s cannot be added: a draft can have at most %[1]d files", MaxMaterial, workspace.Clipped(dir))
	case err != nil:
		return nil, "", fmt.Errorf("no folder %s", workspace.Clipped(dir))
	case !info.IsDir():
		return nil, "", fmt.Errorf("%s is a file, not a folder; name it as a file", workspace.Clipped(dir))
	}
	files, err := filesBelow(v, dir)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %s", workspace.Clipped(dir), discover.Reason(err))
	}
	chosen, left := curate.Telling(dir, files, v.Code())
	if len(chosen) == 0 {
		return nil, "", fmt.Errorf("%s has no code or documents; name files instead", workspace.Clipped(dir))
	}
	paths = workspace.FirstOf(chosen, most)
	left = append(chosen[len(paths):], left...)
	note = "read from " + workspace.Clipped(dir) + ": " + strings.Join(paths, ", ")
	if len(left) > 0 {
		names := strings.Join(workspace.FirstOf(left, maxLeft), ", ")
		if more := len(left) - maxLeft; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		note = fmt.Sprintf("%d of %d files of %s were used: %s; left out: %s; to use others, name a deeper folder or files",
			len(paths), len(paths)+len(left), workspace.Clipped(dir), strings.Join(paths, ", "), names)
	}
	return paths, note, nil
}

// maxLeft is how many files that are left out a note names.
const maxLeft = 5

// documentFolders are searched for documents even if no code is read.
var documentFolders = []string{"doc", "docs", "design"}

// maxFolders is the number of folders that are searched for documents, upper ones first. A larger project has
// enough files for a draft in its upper folders.
const maxFolders = 2_000

// filesBelow lists the code and the documents below a folder, except in folders that are left out of the
// code's map, for example because git ignores them.
func filesBelow(v *workspace.View, dir string) (files []curate.File, err error) {
	for _, c := range v.Code().Chunks() {
		if dir == "." || strings.HasPrefix(c.Path, dir+"/") {
			files = append(files, curate.File{Path: c.Path, Size: int64(c.Size)})
		}
	}
	folders := []string{dir}
	for i := 0; i < len(folders) && i < maxFolders; i++ {
		list, err := v.Files().ReadDir(folders[i])
		if err != nil && i == 0 {
			return nil, err
		}
		for _, d := range list {
			at := path.Join(folders[i], d.Name())
			if format.ShownName(at) != at {
				continue
			}
			if d.IsDir() {
				if !locate.Hidden(at) && (v.Code().Walked(at) || i == 0 && slices.Contains(documentFolders, d.Name())) {
					folders = append(folders, at)
				}
			} else if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				files = append(files, curate.File{Path: at, Size: info.Size()})
			}
		}
	}
	return files, nil
}

// Differences that are not committed yet; whatever else [ProposeRequest.Changes] says is a commit.
const (
	changesWorktree = "worktree"
	changesStaged   = "staged"
)

// changes reads a difference of the code from git: what is "worktree", "staged", or a commit as git names it.
// In an untrusted folder git is not run.
func changes(ctx context.Context, v *workspace.View, what string) (*curate.Changes, error) {
	w := v.Workspace()
	if ok, why := w.Trusted(); !ok {
		return nil, fmt.Errorf("changes %s: git was not run: %s", workspace.Clipped(what), why)
	}
	repo, err := git.Open(w.Root())
	if err != nil {
		return nil, fmt.Errorf("changes %s: %w", workspace.Clipped(what), err)
	}
	var d *git.Difference
	var name string
	switch what {
	case changesWorktree:
		name = "changes in the working tree"
		d, err = repo.WorkDiff(ctx, git.DefaultDiff)
	case changesStaged:
		name = "staged changes"
		d, err = repo.StagedDiff(ctx, git.DefaultDiff)
	default:
		var hash string
		if hash, err = repo.Resolve(ctx, what); err == nil {
			name = "commit " + hash[:12]
			d, err = repo.CommitDiff(ctx, hash, git.DefaultDiff)
		}
	}
	switch {
	case errors.Is(err, git.ErrNoProgram):
		return nil, fmt.Errorf("changes %s could not be read: %w. Install git, or add it to PATH", workspace.Clipped(what), err)
	case errors.Is(err, git.ErrNoCommit): // it begins with the name
		return nil, fmt.Errorf("changes: %w", err)
	case err != nil:
		return nil, fmt.Errorf("changes %s: %w", workspace.Clipped(what), err)
	}
	left := len(d.Files)
	d.Files = slices.DeleteFunc(d.Files, func(f git.FileDifference) bool {
		return locate.Hidden(f.Path) || f.From != "" &&
			locate.Hidden(f.From)
	})
	left -= len(d.Files)
	d.Total -= left
	c := curate.ChangesOf(name, d, v.Code())
	if left > 0 {
		c.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d hidden files were left out", c.Note, left), "; ")
	}
	return &c, nil
}

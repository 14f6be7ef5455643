package diagnosis

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxTouched bounds the files of a change; the effects of a larger change are not reported.
const maxTouched = 50_000

// base is the state at which a change began: the files of a commit. Only files that changed since are read. It
// serves as the past of the entries that the change does not edit ([link.Past]). For unchanged files, the past
// equals the present.
type base struct {
	v      *workspace.View
	commit git.Moment

	files []git.FileDifference
	now   map[string]git.FileDifference // by present path: added, changed or renamed
	gone  map[string]string             // by path at the base: the present path, "" if it was removed
	texts map[string]string             // of changed files, by path at the base

	folders map[string]string // that files left; see [history.MovedFolders]
	words   map[string]bool   // all words in texts
}

// readBase compares a folder with the commit where its work diverged from another one. ref is a branch, a tag or a
// hash.
func readBase(ctx context.Context, v *workspace.View, ref string) (*base, error) {
	w := v.Workspace()
	if ok, why := w.Trusted(); !ok {
		return nil, fmt.Errorf("base %s: git was not run: %s", workspace.Clipped(ref), why)
	}
	repo, err := git.Open(w.Root())
	if err != nil {
		return nil, fmt.Errorf("base %s: %w", workspace.Clipped(ref), err)
	}
	b := &base{v: v, now: map[string]git.FileDifference{}, gone: map[string]string{}}
	b.texts, b.words = map[string]string{}, map[string]bool{}
	if err = b.find(ctx, repo, ref); err == nil {
		err = b.readAll(ctx, repo)
		b.folders = history.MovedFolders(b.gone)
	}
	if err != nil && repo.Shallow() != "" && ctx.Err() == nil {
		err = fmt.Errorf("%w: this is a shallow clone that may lack the commit; run `git fetch --unshallow`, or set fetch-depth: 0 "+
			"in CI", err)
	}
	if err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	return b, nil
}

// find sets the commit.
func (b *base) find(ctx context.Context, repo *git.Repository, ref string) error {
	named, err := repo.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	head, err := repo.Head()
	if err != nil {
		return err
	}
	if head == "" {
		return fmt.Errorf("%s: the repository has no commit yet", workspace.Clipped(ref))
	}
	parted, err := repo.MergeBase(ctx, head, named)
	if err == nil && parted == "" {
		err = fmt.Errorf("%s and HEAD have no commit in common; choose another base", workspace.Clipped(ref))
	}
	if err != nil {
		return err
	}
	return repo.Log(ctx, git.LogOptions{Head: parted, MaxCommits: 1}, func(c git.Commit) error {
		b.commit = git.Moment{Hash: c.Hash, Time: c.Time}
		return nil
	})
}

// readAll reads the changed files, including those in a submodule that contains the tree.
func (b *base) readAll(ctx context.Context, repo *git.Repository) error {
	files, err := b.present(ctx)
	if err != nil {
		return err
	}
	root := b.v.Workspace().Root()
	for _, at := range []string{".brv", workspace.TreeDir} {
		if _, err := b.v.Files().Lstat(at + "/.git"); err != nil {
			continue
		}
		sub, err := git.Open(filepath.Join(root, filepath.FromSlash(at)))
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		was, err := repo.Submodule(ctx, b.commit.Hash, at)
		if err != nil {
			return err
		}
		if err := b.read(ctx, sub, was, at+"/", files); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		files = slices.DeleteFunc(files, func(p string) bool { return strings.HasPrefix(p, at+"/") })
	}
	return b.read(ctx, repo, b.commit.Hash, "", files)
}

// present returns the entries, documents and code files on disk that git does not ignore.
func (b *base) present(ctx context.Context) (files []string, err error) {
	root := b.v.Files()
	ignored := codebase.Ignored(root)
	add := func(p string) {
		if _, err := root.Lstat(p); err == nil && !ignored(p) {
			files = append(files, p)
		}
	}
	for _, e := range b.v.Disk().Entries() {
		add(b.v.FilePath(e.Path))
	}
	for _, c := range b.v.Code().Chunks() {
		add(c.Path)
	}
	set, err := b.v.Documents(ctx)
	if err != nil {
		return nil, err
	}
	for _, page := range set.Pages().Entries() {
		add(page.Path)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// read reads the changed files of one repository. at is the prefix of its paths in the folder. files are those on
// disk.
func (b *base) read(ctx context.Context, repo *git.Repository, commit, at string, files []string) error {
	d, err := repo.ChangesSince(ctx, commit, maxTouched)
	if err != nil {
		return err
	}
	var inside []string
	for _, p := range files {
		if p, ok := strings.CutPrefix(p, at); ok {
			inside = append(inside, p)
		}
	}
	if err := repo.Untracked(d, inside); err != nil {
		return err
	}
	if d.Total > maxTouched {
		return fmt.Errorf("%d files differ, more than the limit of %d; use a more recent base", d.Total, maxTouched)
	}
	var places []git.Place
	for _, f := range d.Files {
		f.Path = at + f.Path
		if f.From != "" {
			f.From = at + f.From
		}
		b.files = append(b.files, f)
		was := f.Path
		switch f.Status {
		case 'A':
			was = ""
		case 'D':
			b.gone[f.Path] = ""
		case 'R':
			was = f.From
			b.gone[was] = f.Path
		}
		if f.Status != 'D' {
			b.now[f.Path] = f
		}
		if was != "" {
			places = append(places, git.Place{Commit: commit, Path: strings.TrimPrefix(was, at)})
		}
	}
	objects, err := repo.Objects(ctx, places)
	if err != nil {
		return err
	}
	byHash := map[string]string{}
	var hashes []string
	for _, o := range objects {
		if o.Hash != "" && !o.Folder && o.Size <= history.MaxText {
			hashes = append(hashes, o.Hash)
		}
	}
	slices.Sort(hashes)
	err = repo.Contents(ctx, slices.Compact(hashes), history.MaxText, func(hash string, text []byte) { byHash[hash] = string(text) })
	for i, o := range objects {
		text, ok := byHash[o.Hash]
		if b.texts[at+places[i].Path] = text; ok {
			for word := range strings.FieldsFuncSeq(text, notWord) {
				b.words[word] = true
			}
		}
		if o.Hash == "" && err == nil && !strings.Contains(places[i].Path, "\n") { // git cannot be asked for such paths
			err = fmt.Errorf("%q is not in this clone", places[i].Path)
		}
	}
	return err
}

// text returns the text that a changed or removed file had at the base.
func (b *base) text(file string) (text string, ok bool) { text, ok = b.texts[file]; return text, ok }

// writes reports whether the change edits an entry, given by its workspace path.
func (b *base) writes(file string) bool { _, ok := b.now[file]; return ok }

// At returns files at the base, whatever moment is asked for; see [link.Past].
func (b *base) At(_ context.Context, asks []history.Ask) ([]history.Version, error) {
	out := make([]history.Version, len(asks))
	for i, a := range asks {
		out[i] = b.version(a)
	}
	return out, nil
}

// version returns a file at the base.
func (b *base) version(a history.Ask) history.Version {
	v := history.Version{Known: true, State: b.commit}
	is := func(then, now string) history.Version {
		v.There, v.Then, v.Now, v.Text = true, then, now, b.texts[then]
		return v
	}
	p := a.Path
	if now, ok := b.gone[p]; ok {
		return is(p, now)
	}
	if f, ok := b.now[p]; ok {
		switch f.Status {
		case 'A':
			return v
		case 'R':
			return is(f.From, p)
		}
		return is(p, p)
	}
	if _, ok := b.v.Code().Chunk(p); ok {
		is(p, p)
		v.Text, _ = b.v.Code().Read(p)
		return v
	}
	if _, err := b.v.Files().Lstat(p); err == nil {
		return is(p, p)
	}
	var ends []string
	for was := range b.gone {
		if strings.HasPrefix(was, p+"/") {
			v.Folder = true
			return is(p, b.folders[p])
		}
		if a.Short && strings.HasSuffix(was, "/"+p) {
			ends = append(ends, was)
		}
	}
	if len(ends) == 1 {
		return is(ends[0], b.gone[ends[0]])
	}
	return v
}

// touches reports whether the change touched the drifted thing. An entry that the change edits may have drifted
// before.
func (b *base) touches(d link.Drift) bool {
	_, gone := b.gone[d.Path]
	_, now := b.now[d.Path]
	_, to := b.now[d.To]
	_, left := b.folders[d.Path]
	return gone || now || to || left
}

// namesNow reports whether the change added a name to an entry that leads nowhere.
func (b *base) namesNow(d link.Drift) bool {
	file := b.v.FilePath(d.Entry)
	e, ok := b.v.Tree().Entry(d.Entry)
	was := b.texts[cmp.Or(b.now[file].From, file)]
	return ok && d.Kind == link.Vanished && !strings.Contains(was, d.At.Of(e.Text))
}

// Naming returns the changed files that contained one of some words; see [link.Past].
func (b *base) Naming(_ context.Context, _ history.Ask, words []string, limit int) (files []string, err error) {
	for p, text := range b.texts {
		for word := range strings.FieldsFuncSeq(text, notWord) {
			if slices.Contains(words, word) {
				files = append(files, p)
				break
			}
		}
	}
	slices.Sort(files)
	return files[:min(len(files), limit)], nil
}

// Expect does nothing, since all texts are in memory.
func (*base) Expect([]string) {}

// notWord reports whether a character cannot be part of a name in code.
func notWord(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// concerned lists the entries that the change may affect, without those that it edits. They name a changed file or
// something in it, or their path or word for something led somewhere at the base and leads nowhere now. written
// are the entries that the change edits.
func (b *base) concerned() (entries, written []*format.Entry) {
	names := b.goneNames()
	links := b.v.Links()
	about := map[string]bool{}
	for p := range b.now {
		for _, ref := range links.About(p, "") {
			about[ref.Entry] = true
		}
	}
	for _, e := range b.v.Tree().Entries() {
		switch {
		case b.writes(b.v.FilePath(e.Path)):
			written = append(written, e)
		case about[e.Path] || b.names(e, names):
			entries = append(entries, e)
		}
	}
	return entries, written
}

// goneNames returns the last names of removed files, and of their folders.
func (b *base) goneNames() map[string]bool {
	names := map[string]bool{}
	for p := range b.gone {
		for ; p != "." && p != "/"; p = path.Dir(p) {
			names[path.Base(p)] = true
		}
	}
	return names
}

// pages returns the documents that may name something that the change removed, without those that it edits.
func (b *base) pages(set *documents.Set) (out []*format.Entry) {
	names := b.goneNames()
	for _, page := range set.Pages().Entries() {
		if !b.writes(page.Path) && b.names(page, names) {
			out = append(out, page)
		}
	}
	return out
}

// moved returns the documents that the change moved.
func (b *base) moved(set *documents.Set) []*format.Entry {
	return slices.DeleteFunc(slices.Clone(set.Pages().Entries()), func(page *format.Entry) bool { return b.now[page.Path].From == "" })
}

// names reports whether an entry may name a removed file, or contains a word that leads nowhere and that a changed
// file contained.
func (b *base) names(e *format.Entry, gone map[string]bool) bool {
	for _, f := range e.Files {
		if gone[path.Base(strings.TrimRight(f.Path, "/"))] {
			return true
		}
	}
	for _, m := range e.Relations {
		if m.Form == format.FormMarkdown && gone[path.Base(m.Path())] {
			return true
		}
	}
	leads := map[int]bool{}
	for _, ref := range b.v.Links().Of(e.Path) {
		leads[ref.Span.Start] = leads[ref.Span.Start] || ref.Exists
	}
	for _, at := range e.Code {
		if leads[at.Start] {
			continue
		}
		text := strings.TrimRight(format.WithoutLines(strings.Trim(at.Of(e.Text), "`")), "/")
		if gone[path.Base(text)] {
			return true
		}
		words := strings.FieldsFunc(text, notWord)
		if len(words) > 0 && b.words[words[len(words)-1]] {
			return true
		}
	}
	return false
}

// markStood reports whether a mark that leads nowhere was in its file at the base already.
func (b *base) markStood(file, target string) bool {
	f, touched := b.now[file]
	if !touched {
		return true
	}
	was := cmp.Or(f.From, f.Path)
	return f.Status != 'A' && strings.Contains(b.texts[was], "@brv:"+target)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
)

// uninstallation is one run of uninstall.
type uninstallation struct {
	Removed []string `json:"removed"` // or what would be removed
	Kept    []string `json:"kept"`    // with the reasons
	Written bool     `json:"written"`
	failed  bool
	backups []string // the paths of the backups of removed configuration
}

// uninstall removes what brv-lsp wrote in this folder and for this user. Without --yes it lists it.
func uninstall(ctx context.Context, f *flags, o *struct{ Yes, Entries bool }, _ env) (answer, error) {
	root, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	u := &uninstallation{Removed: []string{}, Kept: []string{}, Written: o.Yes}
	eachPlace(ctx, f, true, u.configured)
	if err := u.exported(ctx, root); err != nil {
		return answer{}, err
	}
	if brv := filepath.Join(root, ".brv"); exists(brv) && o.Entries {
		u.remove(".brv: all entries", func() error { return os.RemoveAll(brv) })
	} else if exists(brv) {
		u.keep(".brv: others may use its entries; --entries also deletes it and your own trees")
	}
	for _, t := range workspace.OthersIn(configDir()) {
		dir, file := workspace.PlaceOfOther(configDir(), t.Name)
		if at, err := removable(ctx, dir, file, t.Name); err != nil && !o.Entries {
			u.keep(err.Error())
		} else {
			at = cmp.Or(at, dir)
			u.remove(at, func() error { return os.RemoveAll(at) })
		}
	}
	u.folder(cacheDir())
	u.folder(configDir())
	return u.answer(root), nil
}

// remove lists a thing, and removes it with --yes.
func (u *uninstallation) remove(what string, do func() error) {
	if u.Written {
		if err := do(); err != nil {
			u.failed = true
			u.keep(what + ": " + err.Error())
			return
		}
	}
	u.Removed = append(u.Removed, what)
}

func (u *uninstallation) keep(what string) { u.Kept = append(u.Kept, what) }

// configured removes what install added to a file. It leaves a file without parts of ours alone.
func (u *uninstallation) configured(_, command string, c *configured) {
	r := &installation{remove: true}
	switch err := r.plan(c, program()); {
	case err != nil && (c.wrote || c.held):
		u.keep(c.Path + ": " + err.Error())
	case err == nil && (c.before != c.after || c.stale):
		u.backups = append(u.backups, c.copy+recordEnd)
		u.remove(c.Path+": what `"+command+"` added", func() error { return c.write(true) })
	case err == nil && c.held:
		u.keep(c.Path + ": " + c.Note)
	}
}

// exported removes the rule files that export wrote in a folder.
func (u *uninstallation) exported(ctx context.Context, root string) error {
	w, err := workspace.Open(ctx, root, workspace.Options{NoCode: true, NoDocuments: true})
	if err != nil {
		return err
	}
	defer w.Close()
	r, err := export.Plan(ctx, w.View(), export.Request{Remove: true})
	if err != nil {
		return err
	}
	for i := range r.Files {
		u.remove(r.Files[i].Path+": what `brv-lsp export` added", func() error {
			return export.Write(w.View().Files(), &export.Report{Files: r.Files[i : i+1]})
		})
	}
	return nil
}

// folder deletes one of the program's own folders, but for the trees in it and for backups that other folders need.
func (u *uninstallation) folder(dir string) {
	info, err := os.Lstat(dir)
	if err != nil {
		return
	} else if err := cachefile.Usable(dir); err != nil {
		u.keep(err.Error())
		return
	} else if info.Mode()&fs.ModeSymlink != 0 {
		u.keep(dir + ": it is a symbolic link; delete it and its target yourself")
		return
	}
	trees, _ := workspace.PlaceOfOther(dir, "")
	var names []string
	found, _ := os.ReadDir(dir) // it is empty if it cannot be read, and then it cannot be removed either
	for _, d := range found {
		at := filepath.Join(dir, d.Name())
		if files := u.elsewhere(at); len(files) > 0 {
			u.keep(at + ": it has the backups of " + someOf(files) + "; run `brv-lsp uninstall` in their folders too")
		} else if at != trees {
			names = append(names, d.Name())
		}
	}
	if len(names) > 0 {
		u.remove(dir+": "+someOf(names), func() (err error) {
			for _, name := range names {
				err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
			}
			return err
		})
	}
	if u.Written {
		_ = os.Remove(trees) // it fails while it has trees
		_ = os.Remove(dir)
	}
}

// elsewhere returns the files that install wrote, that still exist, and whose backups are in a folder. Files of this run
// do not count.
func (u *uninstallation) elsewhere(folder string) (files []string) {
	records, _ := filepath.Glob(filepath.Join(folder, "*"+recordEnd))
	for _, record := range records {
		text, _, err := readConfig(folder, filepath.Base(record))
		if _, file, ok := strings.Cut(text.Text, "\n"); err == nil && ok && exists(file) && !slices.Contains(u.backups, record) {
			files = append(files, file)
		}
	}
	return files
}

func (u *uninstallation) answer(root string) answer {
	var text strings.Builder
	code := exitOK
	list := func(heading string, lines []string) {
		if len(lines) > 0 {
			sayf(&text, "%s:\n", heading)
		}
		for _, line := range lines {
			sayf(&text, "  %s\n", line)
		}
	}
	switch {
	case len(u.Removed) == 0 && !u.failed:
		sayf(&text, "Nothing is left to remove in %s or in your home folder.\n", root)
	case u.Written:
		list("Removed", u.Removed)
	default:
		list("To remove", u.Removed)
	}
	list("Kept", u.Kept)
	if len(u.Removed) > 0 && !u.Written || u.failed {
		code = exitFailed
	}
	if code == exitFailed && !u.Written {
		text.WriteString("Nothing was removed; close your editors and agents, and add --yes to remove it.\n")
	} else {
		self, _ := os.Executable()
		sayf(&text, "Now delete the program, %s, and what you added by hand, such as an editor's extension.\n", self)
	}
	return answer{json: u, text: text.String(), code: code}
}

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
)

// uninstallation is one run of uninstall.
type uninstallation struct {
	Removed []string `json:"removed"` // or what would be removed
	Kept    []string `json:"kept"`    // with the reasons
	Written bool     `json:"written"`
	entries bool
	code    int
	backups []string // the paths of the backups of removed configuration
}

// uninstall removes what brv-lsp wrote in this folder and for this user. Without --yes it lists it.
func uninstall(ctx context.Context, f *flags, o *struct{ Yes, Entries bool }, _ env) (answer, error) {
	root, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	u := &uninstallation{Removed: []string{}, Kept: []string{}, Written: o.Yes, entries: o.Entries}
	eachPlace(ctx, f, true, u.configured)
	if err := u.exported(ctx, root); err != nil {
		return answer{}, err
	}
	if brv := filepath.Join(root, ".brv"); exists(brv) && o.Entries {
		u.remove(".brv: all entries", func() error { return os.RemoveAll(brv) })
	} else if exists(brv) {
		u.keep(".brv", "others may use its entries; --entries deletes it")
	}
	u.folder(cacheDir())
	u.folder(configDir())
	var text strings.Builder
	self, _ := os.Executable()
	end, verb := textf("Now delete the program, %s, and what you added by hand, such as an editor's extension.\n", self), "removed"
	switch {
	case len(u.Removed) == 0 && u.code == exitOK:
		sayf(&text, "Nothing is left to remove in %s or in your home folder.\n", root)
	case !o.Yes:
		u.code, verb = exitFailed, "would remove"
		end = "Nothing was removed; close your editors and agents, and add --yes to remove it.\n"
	}
	for _, line := range u.Removed {
		sayf(&text, "%s %s\n", verb, line)
	}
	for _, line := range u.Kept {
		sayf(&text, "kept %s\n", line)
	}
	return answer{json: u, text: text.String() + end, code: u.code}, nil
}

// remove lists a thing, and removes it with --yes.
func (u *uninstallation) remove(what string, do func() error) {
	if u.Written {
		if err := do(); err != nil {
			u.code = exitFailed
			u.keep(what, err.Error())
			return
		}
	}
	u.Removed = append(u.Removed, what)
}

func (u *uninstallation) keep(what, why string) { u.Kept = append(u.Kept, what+": "+why) }

// configured removes what install added to a file. It leaves a file without parts of ours alone.
func (u *uninstallation) configured(_, command string, c *configured) {
	r := &installation{remove: true}
	switch err := r.plan(c, program()); {
	case err != nil && (c.wrote || c.held):
		u.keep(c.Path, err.Error())
	case err == nil && (c.before != c.after || c.stale):
		u.backups = append(u.backups, c.copy+recordEnd)
		u.remove(c.Path+": what `"+command+"` added", func() error { return c.write(true) })
	case err == nil && c.held:
		u.keep(c.Path, c.Note)
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
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		u.keep(dir, "it is a symbolic link; delete it and its target yourself")
		return
	}
	trees, _ := workspace.PlaceOfOther(dir, "")
	var names []string
	found, _ := os.ReadDir(dir) // it may not exist
	for _, d := range found {
		at := filepath.Join(dir, d.Name())
		if files := u.elsewhere(at); len(files) > 0 {
			u.keep(at, "it has the backups of "+someOf(files)+"; run `brv-lsp uninstall` in their folders too")
		} else if at == trees && !u.entries {
			u.keep(at, "it has your other trees; --entries deletes it")
		} else {
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
		_ = os.Remove(dir) // it fails while something in it is kept
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

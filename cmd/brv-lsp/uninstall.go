package main

import (
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
	entries bool
	user    bool // in the home folder, for all repositories
	code    int
	backups []string // the paths of the backups of removed configuration
}

// uninstall removes what brv-lsp wrote in this folder or, with --user, for this user. Without --yes it lists it.
func uninstall(ctx context.Context, f *flags, o *struct{ Yes, Entries, User bool }, _ env) (answer, error) {
	root, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	if configDir() == "" {
		return answer{}, errors.New("the home folder is not known; set HOME, and run the command again")
	}
	u := &uninstallation{Removed: []string{}, Kept: []string{}, Written: o.Yes, entries: o.Entries, user: o.User}
	eachPlace(ctx, f, true, u.configured)
	if o.User {
		u.home()
		return u.answer("your home folder"), nil
	}
	if err := u.exported(ctx, root); err != nil {
		return answer{}, err
	}
	if brv := filepath.Join(root, ".brv"); exists(brv) {
		u.shared(brv, "the entries", func() error { return os.RemoveAll(brv) })
	}
	return u.answer(root), nil
}

// home removes the cache and the configuration.
func (u *uninstallation) home() {
	if dir := cacheDir(); dir != "" {
		if total, _ := cachefile.Sizes(dir, "", ""); total > 0 {
			u.remove(dir+": the cache of all folders", func() error {
				_, err := cachefile.Clear(dir)
				removeEmpty(dir)
				return err
			})
		}
	}
	u.configuration(configDir())
}

// answer says what was removed or would be, and what to do next.
func (u *uninstallation) answer(where string) answer {
	var text strings.Builder
	end, verb := "", "removed"
	switch {
	case !u.Written && len(u.Removed) > 0:
		u.code, verb = exitFailed, "would remove"
		end = "Nothing was removed. To remove all of this, close your editors and agents, and add --yes.\n"
	case u.code == exitOK:
		self, _ := os.Executable()
		end = "To remove the files of brv-lsp in your home folder, for all repositories, run `brv-lsp uninstall --user`.\n"
		if u.user {
			end = textf("Now delete the program, %s, and anything that you added by hand, such as an editor's extension.\n", self)
		}
		if len(u.Removed) == 0 {
			sayf(&text, "Nothing to remove was found in %s.\n", where)
		}
	}
	for _, line := range u.Removed {
		sayf(&text, "%s %s\n", verb, line)
	}
	for _, line := range u.Kept {
		sayf(&text, "kept %s\n", line)
	}
	return answer{json: u, text: text.String() + end, code: u.code}
}

// remove lists a thing, and removes it with --yes.
func (u *uninstallation) remove(what string, do func() error) {
	if u.Written {
		if err := do(); err != nil {
			u.code = exitFailed
			u.keep(what, "it was not removed completely: "+err.Error())
			return
		}
	}
	u.Removed = append(u.Removed, what)
}

func (u *uninstallation) keep(what, why string) { u.Kept = append(u.Kept, what+": "+why) }

// shared removes what others may use: only if the user asks for that, and not through a symbolic link.
func (u *uninstallation) shared(path, what string, do func() error) {
	switch {
	case u.linked(path):
	case u.entries:
		u.remove(path+": "+what, do)
	default:
		u.keep(path, what+"; they may still be needed, and --entries removes them")
	}
}

// linked reports whether a path is a symbolic link, which stays.
func (u *uninstallation) linked(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	u.keep(path, "it is a symbolic link; delete it and its target yourself")
	return true
}

// configured removes what install added to a file, if this user ran it.
func (u *uninstallation) configured(_, command string, c *configured) {
	if c.own != u.user {
		return
	}
	r := &installation{remove: true}
	err := r.plan(c, program())
	switch {
	case !c.wrote && c.held:
		u.keep(c.Path, "you did not run install for it; `"+command+" --remove` removes the lines of brv-lsp")
	case !c.wrote && !errors.Is(err, fs.ErrPermission):
	case err != nil:
		u.code = exitFailed
		u.keep(c.Path, err.Error())
	case strings.Contains(c.after.Text, "brv-lsp"):
		u.code = exitFailed
		u.keep(c.Path, "the lines of brv-lsp were changed after `"+command+"`; delete them yourself, then run `"+command+" --remove`")
	default:
		u.backups = append(u.backups, c.copy+recordEnd)
		u.remove(c.Path+": what `"+command+"` added", func() error { return c.write(true) })
	}
}

// exported removes the rules of entries that export wrote in a folder.
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
		u.shared(filepath.Join(root, filepath.FromSlash(r.Files[i].Path)), "the exported rules", func() error {
			return export.Write(w.View().Files(), &export.Report{Files: r.Files[i : i+1]})
		})
	}
	u.Kept = append(u.Kept, r.Notes...)
	return nil
}

// configuration deletes the files of the user's configuration, but for trees and for backups that other folders need.
func (u *uninstallation) configuration(dir string) {
	if u.linked(dir) {
		return
	}
	trees, _ := workspace.PlaceOfOther(dir, "")
	var own []string
	for _, name := range namesIn(dir) {
		at := filepath.Join(dir, name)
		info, err := os.Lstat(at)
		if folders := u.elsewhere(at); len(folders) > 0 {
			u.code = exitFailed
			u.keep(at, "it contains backups of files that `install` changed in "+strings.Join(folders, ", ")+"; run `brv-lsp uninstall` in those folders first")
		} else if at == trees {
			u.shared(at, "your trees "+strings.ReplaceAll(strings.Join(namesIn(at), ", "), ".path", ""), func() error { return os.RemoveAll(at) })
		} else if err == nil && info.Mode().IsRegular() || name == backups {
			own = append(own, name)
		}
	}
	if len(own) > 0 {
		u.remove(dir+": "+strings.Join(own, ", ")+", for all folders; earlier changes can no longer be undone", func() (err error) {
			for _, name := range own {
				err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
			}
			return err
		})
	}
	if u.Written {
		removeEmpty(dir)
	}
}

// elsewhere returns the folders of the records of install in a folder of the configuration, without those of this run.
func (u *uninstallation) elsewhere(at string) (folders []string) {
	for _, name := range namesIn(at) {
		if record := filepath.Join(at, name); !strings.HasSuffix(record, recordEnd) || slices.Contains(u.backups, record) {
			continue
		}
		text, _, err := readConfig(at, name)
		if said := strings.Split(text.Text, "\n"); err == nil && len(said) == 3 && exists(filepath.Join(said[1], said[2])) {
			folders = append(folders, strings.TrimSuffix(said[1], string(filepath.Separator)+".git"))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// namesIn lists a folder. A folder that cannot be read, and a file, have no names.
func namesIn(dir string) (names []string) {
	found, _ := os.ReadDir(dir)
	for _, d := range found {
		names = append(names, d.Name())
	}
	return names
}

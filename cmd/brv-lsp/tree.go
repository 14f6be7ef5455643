package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// otherTree describes one of the user's trees beside a folder's own.
type otherTree struct {
	Name    string `json:"name"`
	Folder  string `json:"folder"`            // the folder that contains `.brv`
	Address string `json:"address,omitempty"` // of the copied repository
	Commit  string `json:"commit,omitempty"`  // of the copy
	Entries int    `json:"entries"`
	Error   string `json:"error,omitempty"` // why it could not be read
}

// trees lists, adds, updates and removes the user's trees beside a folder's own.
func trees(ctx context.Context, f *flags, o *struct{ Ref string }, _ env) (_ answer, err error) {
	args, config := f.words, configDir()
	if config == "" {
		return answer{}, errors.New("no configuration folder was found: set HOME or XDG_CONFIG_HOME")
	}
	do := append(args, "list")[0]
	name := strings.Join(args[min(1, len(args)):min(2, len(args))], "")
	dir, file := workspace.PlaceOfOther(config, name)
	at := slices.IndexFunc(workspace.OthersIn(config), func(o workspace.Other) bool { return o.Name == name })
	switch {
	case do == "list" && len(args) <= 1:
	case do != "add" && do != "update" && do != "remove", do == "add" && len(args) > 3,
		do != "add" && (len(args) > 2 || o.Ref != ""):
		return answer{}, fmt.Errorf("%w: use tree list, tree add NAME [FOLDER|ADDRESS], tree update [NAME] or tree remove NAME", errUsage)
	case do == "add" && !format.IsTreeName(name):
		return answer{}, fmt.Errorf("%w: a tree's name has 2 to 40 letters, digits, - and _, not %q", errUsage, name)
	case do == "add" && at >= 0:
		return answer{}, fmt.Errorf("the tree %s already exists; `brv-lsp tree list` shows it", name)
	case do == "add":
		err = addTree(ctx, dir, file, name, strings.Join(args[2:], ""), o.Ref)
	case do == "remove" && name == "":
		return answer{}, fmt.Errorf("%w: tree remove needs the name of a tree", errUsage)
	case name != "" && at < 0:
		return answer{}, fmt.Errorf("there is no tree %q; `brv-lsp tree list` lists the trees", name)
	case do == "remove":
		err = removeTree(ctx, dir, file, name)
	default:
		for _, o := range workspace.OthersIn(config) {
			if address, _ := copied(ctx, config, o); address != "" && (name == "" || o.Name == name) {
				if wrong := git.Renew(ctx, o.Dir, workspace.TreeDir); wrong != nil {
					err = errors.Join(err, fmt.Errorf("%s: %w", o.Name, wrong))
				}
			}
		}
	}
	if err != nil {
		return answer{}, err
	}
	root, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	return listTrees(ctx, config, settingsOf(root).Trees.Suggested)
}

// addTree adds the tree of a folder, a copy of a repository's tree, or a new tree of the user's own.
func addTree(ctx context.Context, dir, file, name, from, ref string) error {
	if from == "" && name != workspace.OwnTree {
		return fmt.Errorf("%w: tree add %s needs a folder or a repository's address; `tree add %s` makes your own tree", errUsage, name,
			workspace.OwnTree)
	}
	if from == "" {
		return os.MkdirAll(filepath.Join(dir, workspace.TreeDir), 0o700)
	}
	folder, err := filepath.Abs(from)
	for _, itself := range []string{workspace.TreeDir, path.Dir(workspace.TreeDir)} {
		folder = strings.TrimSuffix(folder, filepath.FromSlash("/"+itself))
	}
	if _, wrong := os.Stat(filepath.Join(folder, workspace.TreeDir)); err == nil && wrong == nil && ref == "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(folder+"\n"), 0o600)
	}
	if err := git.Copy(ctx, dir, from, ref, path.Dir(workspace.TreeDir)); err != nil {
		return fmt.Errorf("%s is not a folder with %s, and cannot be cloned: %w", from, workspace.TreeDir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, workspace.TreeDir)); err != nil {
		return errors.Join(fmt.Errorf("%s has no %s, so there is no tree to add", from, workspace.TreeDir), os.RemoveAll(dir))
	}
	return nil
}

// removeTree forgets a tree. It deletes the files only if all of them can be fetched again.
func removeTree(ctx context.Context, dir, file, name string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if address, _ := git.CopiedFrom(ctx, dir); address == "" {
		return fmt.Errorf("the tree %s was not removed: it exists only in %s. If you do not need it, delete that folder", name, dir)
	}
	if err := git.Unedited(ctx, dir, workspace.TreeDir); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	w, err := workspace.Open(ctx, dir, workspace.Options{NoCode: true, NoDocuments: true, Secret: seal.OfUser()})
	if err != nil {
		return err
	}
	defer w.Close()
	if s, err := w.Store(); err == nil {
		if waiting, err := s.Reviews.Waiting(); err != nil || len(waiting) > 0 {
			return errors.Join(err, fmt.Errorf("%s for a review in the tree %s: review them first, with `brv-lsp review --tree %s`",
				words.Counted(len(waiting), "proposal waits", "proposals wait"), name, name))
		}
	}
	return os.RemoveAll(dir)
}

// copied returns the address and commit of a copy that `tree add` made, or "" for other trees.
func copied(ctx context.Context, config string, o workspace.Other) (address, commit string) {
	if dir, _ := workspace.PlaceOfOther(config, o.Name); dir != o.Dir {
		return "", ""
	}
	return git.CopiedFrom(ctx, o.Dir)
}

// plainAddress matches an address that no shell changes and that is no option.
var plainAddress = lazyregexp.New(`^[\w./~@:+%][\w./~@:+%-]{0,300}$`)

// listTrees lists the user's trees, and the `NAME ADDRESS` lines that the folder suggests.
func listTrees(ctx context.Context, config string, suggested []string) (answer, error) {
	list := []otherTree{}
	var b strings.Builder
	for _, o := range workspace.OthersIn(config) {
		t := otherTree{Name: o.Name, Folder: o.Dir}
		t.Address, t.Commit = copied(ctx, config, o)
		w, err := workspace.Open(ctx, o.Dir, workspace.Options{Cache: cacheDir(), NoCode: true, NoDocuments: true})
		if err == nil {
			for _, e := range w.View().Tree().Entries() {
				if e.Role == format.RoleEntry {
					t.Entries++
				}
			}
			if !w.HasTree() {
				err = w.NoTree()
			}
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			t.Error = err.Error()
		}
		list = append(list, t)
		sayf(&b, "%s: %s in %s\n", t.Name, words.Counted(t.Entries, "entry", "entries"), t.Folder)
		if t.Address != "" {
			sayf(&b, "    copy of %s at commit %s; `brv-lsp tree update %s` updates it\n", t.Address, t.Commit, t.Name)
		}
		if t.Error != "" {
			sayf(&b, "    not read: %s\n", t.Error)
		}
	}
	if len(list) == 0 {
		b.WriteString("You have added no trees. `brv-lsp tree add me` makes your own tree; " +
			"`brv-lsp tree add NAME FOLDER|ADDRESS` adds another tree, which brv-lsp reads in every folder.\n")
	}
	more := []string{}
	for _, s := range suggested {
		name, address, _ := strings.Cut(strings.TrimSpace(s), " ")
		known := slices.ContainsFunc(list, func(t otherTree) bool { return t.Name == name })
		if format.IsTreeName(name) && !known && plainAddress().MatchString(address) {
			more = append(more, s)
			sayf(&b, "This folder suggests the tree %s. If you trust its address, run `brv-lsp tree add %s %s`\n", name, name, address)
		}
	}
	return answer{json: map[string]any{"trees": list, "suggested": more}, text: b.String()}, nil
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/host"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// installation is one run of install.
type installation struct {
	Host    string       `json:"host"`
	Files   []configured `json:"files"`
	Written bool         `json:"written"`
	Note    string       `json:"note,omitempty"` // what the user still has to do
	remove  bool
}

// configured is a file of configuration.
type configured struct {
	Path          string `json:"path"`
	State         string `json:"state"` // installed, outdated or missing
	Note          string `json:"note,omitempty"`
	Diff          string `json:"diff,omitempty"`
	before, after host.Text
	folder, rel   string // the folder and the path in it; no link may lead out of the folder
	command       string // the command that starts the program
	file          *host.File
	mode          fs.FileMode
	held          bool   // the file contains parts of ours
	stale         bool   // a copy of the file is kept and no longer needed
	wrote         bool   // this user installed here before
	found         bool   // the earlier install found everything in place and wrote nothing
	copy          string // the path of the copy from before the install
	own           bool   // it is in the home folder
	read          bool   // a script hands the file to a shell, so it need not be executable
}

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 4 << 20

// install shows the text for a host's configuration, and writes it after the user's consent.
func install(ctx context.Context, f *flags, o *struct {
	User, Yes, Check, Remove bool
	Command                  string
}, e env) (answer, error) {
	if o.Check && (o.Remove || o.Yes) {
		return answer{}, fmt.Errorf("%w: install --check takes neither --yes nor --remove, because it writes nothing", errUsage)
	}
	h, err := host.Find(f.words[0])
	if err != nil {
		return answer{}, fmt.Errorf("%w: %v", errUsage, err)
	}
	files := h.Project
	if o.User || len(files) == 0 {
		files = h.User
	}
	if len(files) == 0 {
		return answer{}, fmt.Errorf("%w: %s has no user configuration; leave out --user", errUsage, h.Title)
	}
	r := &installation{Host: h.Name, Note: h.Note, remove: o.Remove}
	for i := range files {
		places, err := placesOf(ctx, f, &files[i], o.Remove)
		if err != nil {
			return answer{}, err
		}
		for _, c := range places {
			if err := r.plan(&c, cmp.Or(o.Command, program())); err != nil {
				return answer{}, fmt.Errorf("%s: %w", c.Path, err)
			}
			r.Files = append(r.Files, c)
		}
	}
	return r.do(ctx, f, e, o.Check, o.Yes)
}

// program returns the command by which a host starts this program: its name if PATH leads to it from any
// folder, else its path. On Windows it is always the path, since Windows looks for a name in the current
// folder first, where a stranger may have put a program.
func program() string {
	const name = "brv-lsp"
	self, _ := os.Executable()
	is, err := os.Stat(self)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if runtime.GOOS == "windows" || !filepath.IsAbs(dir) {
			break
		}
		there, wrong := os.Stat(filepath.Join(dir, name))
		if err == nil && wrong == nil && !there.IsDir() { // only the first program of that name in PATH counts
			if os.SameFile(is, there) {
				return name
			}
			break
		}
	}
	return cmp.Or(self, name)
}

// do shows the change, and writes it if that is allowed.
func (r *installation) do(ctx context.Context, f *flags, e env, check, yes bool) (a answer, err error) {
	var show strings.Builder
	changes := 0
	for _, c := range r.Files {
		if c.before != c.after || c.stale {
			changes++
		}
		if c.stale {
			sayf(&show, "%s: the old backup copy is removed\n", c.Path)
		}
		if c.Note != "" {
			sayf(&show, "%s: %s\n", c.Path, c.Note)
		}
		if r.remove && c.before == c.after {
			sayf(&show, "%s: nothing to remove\n", c.Path)
		} else if check || c.before == c.after {
			sayf(&show, "%s: %s\n", c.Path, c.State)
		} else {
			show.WriteString(c.Diff)
		}
	}
	if check {
		return answer{json: r, text: show.String(), code: min(changes, exitFailed)}, nil
	}
	if changes > 0 && !yes && f.mayAsk(e) {
		yes, err = agrees(ctx, e, show.String())
		if show.Reset(); err != nil {
			return a, err
		}
	}
	if changes > 0 && !yes {
		return answer{json: r, text: show.String() + notWritten, code: exitFailed}, nil
	}
	for i, c := range r.Files {
		if err := c.write(r.remove); err != nil && i > 0 {
			return a, fmt.Errorf("%w; the files listed before this one are already changed", err)
		} else if err != nil {
			return a, err
		}
	}
	if changes == 0 {
		return answer{json: r, text: show.String()}, nil
	}
	r.Written = true
	show.WriteString("Written.\n")
	if r.Note != "" && !r.remove {
		show.WriteString("Next: " + r.Note + "\n")
	}
	if root, err := f.folder(); err == nil && !r.remove && !hasTree(root) {
		show.WriteString("There is no context tree here, so hooks give agents no context yet. Run `brv-lsp init` to make a tree.\n")
	}
	return answer{json: r, text: show.String()}, nil
}

// typedLine reads the answer to a question. [io.EOF] means that there is nobody to answer. An interrupt does not
// wait for the end of a line.
func typedLine(ctx context.Context, in io.Reader) (string, error) {
	typed := make(chan string, 1)
	go func() { // it stops when the process ends
		defer close(typed)
		if line, err := bufio.NewReader(in).ReadString('\n'); err == nil || line != "" {
			typed <- strings.TrimSpace(line)
		}
	}()
	select {
	case line, ok := <-typed:
		if !ok {
			return "", cmp.Or(ctx.Err(), io.EOF)
		}
		return line, ctx.Err()
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// notWritten is the message after a change was shown and not agreed to.
const notWritten = "Nothing was written; add --yes to write.\n"

// mayAsk reports whether a person can be asked.
func (f *flags) mayAsk(e env) bool { return !f.json && isTerminal(e.stdin) }

// agrees shows a person the text to write, and reports whether they agree.
func agrees(ctx context.Context, e env, shown string) (bool, error) {
	if err := e.print("%sWrite this? [y/N] ", shown); err != nil {
		return false, err
	}
	line, err := typedLine(ctx, e.stdin)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return saysYes(line), err
}

// saysYes reports whether an answer is a yes.
func saysYes(line string) bool { return strings.HasPrefix(strings.ToLower(line), "y") }

// plan computes the new content and the state of one configuration file. It writes nothing.
func (r *installation) plan(c *configured, command string) (err error) {
	if c.before, c.mode, err = readConfig(c.folder, c.rel); err != nil {
		return err
	}
	if c.copy, err = c.copyPath(); err != nil {
		return err
	}
	var copied *host.Text
	text, err := c.kept("")
	if err != nil {
		return err
	} else if text.There {
		copied = &text
	}
	record, err := c.kept(recordEnd)
	if err != nil {
		return err
	}
	file := *c.file
	file.Wrote, _, _ = strings.Cut(record.Text, "\n")
	c.file = &file
	c.wrote, c.found = text.There || record.Text != "", record.There && record.Text == ""
	if r.remove {
		command = cmp.Or(file.Wrote, command)
	}
	c.command = command
	with, err := c.file.Install(c.before, copied, command)
	c.held = c.file.Holds(c.before, command)
	switch c.after = with; {
	case r.remove && c.found && !c.wrote && c.held:
		c.after, err, c.Note = c.before, nil, "the lines for brv-lsp were there before you ran `install`, so they are kept; to "+
			"remove them, edit the file"
	case r.remove:
		if c.after, err = c.file.Remove(c.before, copied, command); !c.wrote && c.after != c.before {
			c.Note = "you did not run `install` for this file, but it contains lines that `install` writes; they are removed"
		}
		c.stale = c.wrote && c.after == c.before
	}
	if err == nil && !r.remove && c.before.There && c.file.Runs() && !c.read && c.mode&0o111 == 0 && runtime.GOOS != "windows" {
		err = errors.New("the file is not executable, so it does not run; run `chmod +x` on it first")
	}
	if err != nil {
		return err
	}
	switch {
	case with == c.before:
		c.State = "installed"
	case c.held:
		c.State = "outdated"
	default:
		c.State = "missing"
	}
	if !r.remove && with != c.before && c.file.Shared() && filepath.IsAbs(command) {
		c.Note = fmt.Sprintf("this file belongs to the project, but %s is a path on your machine. If others share the file, put "+
			"the program on PATH and use --command brv-lsp", command)
	}
	named := func(t host.Text) string {
		if t.There {
			return c.Path
		}
		return ""
	}
	c.Diff = markdown.Diff(named(c.before), c.before.Text, named(c.after), c.after.Text)
	return nil
}

// placesOf finds the places of a configuration file. A file of the project must not lead out of it by a link.
// A file of the user's own may be a link, since people keep such files elsewhere; then the place is the file
// that it leads to.
func placesOf(ctx context.Context, f *flags, file *host.File, remove bool) (places []configured, err error) {
	rel, own := strings.CutPrefix(file.Path, "~/")
	c := configured{file: file, own: own}
	if !own {
		c.folder, err = f.folder()
		if c.rel, c.Path = rel, rel; err != nil {
			return nil, err
		} else if file.Runs() {
			return c.hooks(ctx, remove)
		}
		real, err := filepath.EvalSymlinks(filepath.Join(c.folder, filepath.FromSlash(rel)))
		if top, wrong := filepath.EvalSymlinks(c.folder); err == nil && wrong == nil && workspace.Inside(top, real) {
			real, _ = filepath.Rel(top, real)
			c.rel = filepath.ToSlash(real)
		}
		return []configured{c}, nil
	}
	if c.folder, err = os.UserHomeDir(); err != nil {
		return nil, err
	}
	if below, ok := strings.CutPrefix(rel, ".config/"); ok && os.Getenv("XDG_CONFIG_HOME") != "" {
		c.folder, rel = os.Getenv("XDG_CONFIG_HOME"), below
	}
	c.Path, c.rel = filepath.Join(c.folder, filepath.FromSlash(rel)), rel
	if home, err := filepath.EvalSymlinks(c.folder); err == nil { // otherwise the folder does not exist yet
		real, err := filepath.EvalSymlinks(c.Path)
		if errors.Is(err, fs.ErrNotExist) { // its folder may be a link too
			real, err = filepath.EvalSymlinks(filepath.Dir(c.Path))
			real = filepath.Join(real, filepath.Base(c.Path))
		}
		if err == nil && real != filepath.Join(home, filepath.FromSlash(rel)) {
			c.folder, c.rel = filepath.Dir(real), filepath.Base(real)
		}
	}
	return []configured{c}, nil
}

// eachPlace calls do with each place where install writes for any host, in the folder and of the user, and with the
// command that writes there.
func eachPlace(ctx context.Context, f *flags, remove bool, do func(name, command string, c *configured)) {
	for _, name := range host.Names(nil) {
		h, _ := host.Find(name) // it has this name
		command := "brv-lsp install " + name
		for _, files := range [][]host.File{h.Project, h.User} {
			for i := range files {
				places, _ := placesOf(ctx, f, &files[i], remove) // none for a hook without a repository
				for j := range places {
					do(name, command, &places[j])
				}
			}
			command += " --user"
		}
	}
}

// hooks returns the places of a hook that git runs in the project. That is git's own folder of hooks, which all
// working trees share, or the folder that core.hooksPath names, if it is inside the working tree. A folder
// elsewhere serves other repositories too, so nothing is written there. A removal also looks into git's own
// folder, where an earlier install may have written.
func (c configured) hooks(ctx context.Context, remove bool) (places []configured, err error) {
	repo, err := git.Open(c.folder)
	if err != nil {
		return nil, fmt.Errorf("a git hook needs a repository: %w", err)
	}
	h, err := repo.Hooks(ctx)
	if err != nil {
		return nil, err
	}
	if repo.Prefix() != "" && !remove {
		return nil, fmt.Errorf("git runs hooks at the top of the repository, %s, but this context tree is in a subfolder; "+
			"call `brv-lsp check --root %s` in a hook of your own", h.Top, c.folder)
	}
	name := path.Base(c.rel)
	at := func(folder, dir, note string) {
		rel, _ := filepath.Rel(folder, filepath.Join(dir, name)) // the path is inside, so there is no error
		c.folder, c.rel, c.Note = folder, filepath.ToSlash(rel), note
		if c.Path = filepath.Join(dir, name); workspace.Inside(h.Top, dir) {
			shown, _ := filepath.Rel(h.Top, c.Path)
			c.Path = filepath.ToSlash(shown)
		}
		places = append(places, c)
	}
	own := filepath.Join(h.Common, "hooks")
	switch {
	case h.Shared && !remove, !workspace.Inside(h.Common, h.Dir) && !workspace.Inside(h.Top, h.Dir) && !remove:
		return nil, fmt.Errorf("nothing was written: git runs the hooks in %s (core.hooksPath, %s), and other repositories can use "+
			"them too. Call `brv-lsp check` from the hook in that folder, or run `git config core.hooksPath %s` to use the hooks "+
			"of this repository", h.Dir, h.Set, own)
	case h.Shared: // that folder contains nothing of ours
	case workspace.Inside(h.Common, h.Dir):
		at(h.Common, h.Dir, "")
	case workspace.Inside(h.Top, h.Dir):
		dir := h.Dir
		if info, err := os.Lstat(filepath.Join(dir, "h")); filepath.Base(dir) == "_" && err == nil && info.Mode().IsRegular() {
			dir, c.read = filepath.Dir(dir), true // husky recreates this folder; its scripts run the hooks next to it
		}
		at(h.Top, dir, fmt.Sprintf("git runs the hooks in this folder (core.hooksPath, %s). The file is in the working tree: "+
			"if you commit it, everybody who shares the repository needs this program to commit. "+
			"A tool that generates this folder may overwrite the file.", h.Set))
	}
	if remove && h.Dir != own {
		at(h.Common, own, "")
	}
	return places, nil
}

// readConfig reads a file of at most 4 MiB, and its permissions.
func readConfig(folder, rel string) (t host.Text, mode fs.FileMode, err error) {
	root, err := jail.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return t, 0, nil
	} else if err != nil {
		return t, 0, err
	}
	defer root.Close()
	data, err := root.ReadFile(rel, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return t, 0, nil
	} else if err != nil {
		return t, 0, err
	}
	info, err := root.Stat(rel)
	if err != nil {
		return t, 0, err
	}
	return host.Text{There: true, Text: string(data)}, info.Mode().Perm(), nil
}

// recordEnd is the suffix of the record of an install, which holds the last command that was written, the folder,
// and the path of the file in it. The record is empty if install found everything in place and wrote nothing; then
// a removal removes nothing.
const recordEnd = ".command"

// backups is the folder of the copies and records in the user's configuration.
const backups = "before"

// copyPath returns the path of the copy of a file from before an install, named by the file's path. It is in the user's
// own configuration: a copy next to the file could come with the repository, or be committed with everything in it.
func (c *configured) copyPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the file cannot be backed up, so it was not changed: %w", err)
	}
	folder := c.folder
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	sum := sha256.Sum256([]byte(filepath.Join(folder, filepath.FromSlash(c.rel))))
	return filepath.Join(dir, "brv-lsp", backups, hex.EncodeToString(sum[:16])), nil
}

// kept reads the copy of a file, or the record of an install in it.
func (c *configured) kept(end string) (host.Text, error) {
	text, _, err := readConfig(filepath.Dir(c.copy), filepath.Base(c.copy)+end)
	return text, err
}

// keep records an install: the command that was written, and the file as it was before the first install, if
// it existed.
func (c *configured) keep() error {
	if !c.held || !c.wrote {
		if err := c.drop(""); err != nil {
			return err
		}
		if c.before.There {
			if err := c.create("", c.before.Text); err != nil {
				return err
			}
		}
	}
	return c.record(c.command + "\n" + c.folder + "\n" + c.rel)
}

func (c *configured) record(text string) error {
	if err := c.drop(recordEnd); err != nil {
		return err
	}
	return c.create(recordEnd, text)
}

// create writes a copy or a record, for the user alone.
func (c *configured) create(end, text string) error {
	if err := os.MkdirAll(filepath.Dir(c.copy), 0o700); err != nil {
		return err
	}
	root, err := jail.Open(filepath.Dir(c.copy))
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Create(filepath.Base(c.copy)+end, []byte(text), 0o600, time.Time{})
}

// forget deletes the record of an install after a removal. Any parts of ours that the file still contains were
// there before the install.
func (c *configured) forget() error {
	if err := errors.Join(c.drop(""), c.drop(recordEnd)); err != nil {
		return err
	} else if c.file.Holds(c.after, c.command) {
		return c.record("")
	}
	return nil
}

// drop removes a copy or a record, and its folders once they are empty.
func (c *configured) drop(end string) error {
	if err := os.Remove(c.copy + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if dir := filepath.Dir(c.copy); removeEmpty(dir) {
		removeEmpty(filepath.Dir(dir))
	}
	return nil
}

// removeEmpty removes a folder if it is empty. It leaves a symbolic link to one alone.
func removeEmpty(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && os.Remove(dir) == nil
}

// sweep removes temporary files that killed runs left.
func (c *configured) sweep() {
	if root, err := jail.Open(c.folder); err == nil {
		jail.Sweep(root, c.rel)
		root.Close()
	}
}

// write writes the file and keeps a copy of the former content. A removal deletes that copy.
func (c *configured) write(remove bool) error {
	c.sweep()
	if now, _, err := readConfig(c.folder, c.rel); err != nil || now != c.before {
		return errors.Join(err, fmt.Errorf("%s: the file changed in the meantime; run the command again", c.Path))
	}
	switch {
	case c.stale:
		return c.forget()
	case c.before == c.after && !remove && c.held && !c.wrote && !c.found:
		return c.record("")
	case c.before == c.after:
		return nil
	}
	root, err := jail.Open(c.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if !remove {
		if err := c.keep(); err != nil {
			return err
		}
	}
	switch {
	case !c.after.There:
		if err = root.Remove(c.rel); err == nil {
			defer c.removeEmpty(root)
		}
	case !c.before.There && c.file.Runs():
		if err = root.Mkdir(path.Dir(c.rel)); err == nil || errors.Is(err, fs.ErrExist) {
			err = root.Create(c.rel, []byte(c.after.Text), 0o755, time.Time{})
		}
	default:
		err = root.WriteFile(c.rel, []byte(c.after.Text))
	}
	if err == nil && remove {
		err = c.forget()
	}
	return err
}

// removeEmpty removes the folders of a removed file, as far as they are empty.
func (c *configured) removeEmpty(root *jail.Root) {
	for dir := path.Dir(c.rel); dir != "." && root.RemoveDir(dir) == nil; {
		dir = path.Dir(dir)
	}
}

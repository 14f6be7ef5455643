package main

import (
	"bufio"
	"cmp"
	"context"
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
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// installation is what install says and does.
type installation struct {
	Host    string       `json:"host"`
	Files   []configured `json:"files"`
	Written bool         `json:"written"`
	Note    string       `json:"note,omitempty"` // what is left for the user to do
	remove  bool
}

// configured is a file of configuration.
type configured struct {
	Path          string `json:"path"`
	State         string `json:"state"` // installed, outdated or missing
	Diff          string `json:"diff,omitempty"`
	before, after host.Text
	folder, rel   string // where it is written: no link leads out of the folder
	file          *host.File
	mode          fs.FileMode
	held          bool // something of ours stands in it
	stale         bool // a copy of it is there and not needed any more
}

// maxConfig is what of a file of configuration is read, in bytes.
const maxConfig = 4 << 20

// install shows what is to stand in a host's configuration, and writes it once the user has said yes.
func install(ctx context.Context, f *flags, args []string, e env) (answer, error) {
	var user, yes, check, remove bool
	for name, b := range map[string]*bool{"user": &user, "yes": &yes, "check": &check, "remove": &remove} {
		f.BoolVar(b, name, false, "")
	}
	command := f.String("command", program(), "")
	words, err := f.parse(args)
	switch {
	case err != nil:
		return answer{}, err
	case len(words) != 1:
		return answer{}, fmt.Errorf("%w: install needs one HOST of %s", errUsage, strings.Join(host.Names(nil), ", "))
	case check && (remove || yes):
		return answer{}, fmt.Errorf("%w: install --check writes nothing; it takes no --yes and no --remove", errUsage)
	}
	h, err := host.Find(words[0])
	if err != nil {
		return answer{}, fmt.Errorf("%w: %v", errUsage, err)
	}
	files := h.Project
	if user || len(files) == 0 {
		files = h.User
	}
	if len(files) == 0 {
		return answer{}, fmt.Errorf("%w: %s has no configuration of a user's own; leave --user out", errUsage, h.Title)
	}
	r := &installation{Host: h.Name, Note: h.Note, remove: remove}
	for i := range files {
		c, err := r.plan(f, &files[i], *command)
		if err != nil {
			return answer{}, err
		}
		r.Files = append(r.Files, *c)
	}
	return r.do(ctx, f, e, check, yes)
}

// program is how a host starts this program: by its name where that leads to it whatever folder the host is in, else
// by its path. Windows looks for a name in that folder first, which may be a stranger's.
func program() string {
	const name = "brv-lsp"
	self, _ := os.Executable()
	is, err := os.Stat(self)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if runtime.GOOS == "windows" || !filepath.IsAbs(dir) {
			break
		}
		there, wrong := os.Stat(filepath.Join(dir, name))
		if err == nil && wrong == nil && !there.IsDir() { // the first of that name decides
			if os.SameFile(is, there) {
				return name
			}
			break
		}
	}
	return cmp.Or(self, name)
}

// do shows the change, and writes it where it may.
func (r *installation) do(ctx context.Context, f *flags, e env, check, yes bool) (a answer, err error) {
	var show strings.Builder
	changes := 0
	for _, c := range r.Files {
		if c.before != c.after || c.stale {
			changes++
		}
		if c.stale {
			sayf(&show, "%s: removed\n", host.CopyOf(c.Path))
		}
		if check || c.before == c.after {
			sayf(&show, "%s: %s\n", c.Path, c.State)
		} else {
			show.WriteString(c.Diff)
		}
	}
	if changes == 0 || check {
		return answer{json: r, text: show.String(), code: min(changes, exitFailed)}, nil
	}
	if !yes && !f.json && isTerminal(e.stdin) {
		if err := e.print("%sWrite this? [y/N] ", show.String()); err != nil {
			return a, err
		}
		show.Reset()
		line, err := typedLine(ctx, e.stdin)
		if err != nil {
			return a, err
		}
		yes = saysYes(line)
	}
	if !yes {
		return answer{json: r, text: show.String() + "Nothing is written; --yes writes it.\n", code: exitFailed}, nil
	}
	for _, c := range r.Files {
		if err := c.write(r.remove); err != nil {
			return a, err
		}
	}
	r.Written = true
	show.WriteString("Written.\n")
	if r.Note != "" && !r.remove {
		show.WriteString("Next: " + r.Note + "\n")
	}
	root, err := f.folder()
	if trusted, why := trusts(root); err == nil && !r.remove && !trusted {
		show.WriteString("Git's history is not read, without which packs show less of what a task is about: " + why + ".\n")
	}
	if err == nil && !r.remove && !hasTree(root) {
		show.WriteString("There is no context tree here: agents are told nothing unasked until `brv-lsp init` made one.\n")
	}
	return answer{json: r, text: show.String()}, nil
}

// typedLine reads the answer to a question. An interrupt does not wait for the end of a line.
func typedLine(ctx context.Context, in io.Reader) (string, error) {
	typed := make(chan string, 1)
	go func() { // the end of the process ends it
		line, _ := bufio.NewReader(in).ReadString('\n')
		typed <- strings.TrimSpace(line)
	}()
	select {
	case line := <-typed:
		return line, ctx.Err()
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// saysYes reports whether an answer is a yes.
func saysYes(line string) bool { return strings.HasPrefix(strings.ToLower(line), "y") }

// plan says what a file is to be.
func (r *installation) plan(f *flags, file *host.File, command string) (*configured, error) {
	c := &configured{file: file}
	if err := c.locate(f); err != nil {
		return nil, err
	}
	var err error
	if c.before, err = c.read(c.rel); err != nil {
		return nil, err
	}
	var copied *host.Text
	if text, err := c.read(host.CopyOf(c.rel)); err != nil {
		return nil, err
	} else if text.There {
		copied = &text
	}
	with, err := file.Install(c.before, copied, command)
	if c.after = with; r.remove {
		c.after, err = file.Remove(c.before, copied, command)
		c.stale = copied != nil && c.after == c.before
	}
	if err == nil && !r.remove && c.before.There && file.Runs() && c.mode&0o111 == 0 && runtime.GOOS != "windows" {
		err = errors.New("it is not executable, so it does not run; `chmod +x` it first")
	}
	c.held = file.Holds(c.before, command)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.Path, err)
	case with == c.before:
		c.State = "installed"
	case c.held:
		c.State = "outdated"
	default:
		c.State = "missing"
	}
	named := func(t host.Text) string {
		if t.There {
			return c.Path
		}
		return ""
	}
	c.Diff = markdown.Diff(named(c.before), c.before.Text, named(c.after), c.after.Text)
	return c, nil
}

// locate finds the file's folder: the project's, where links may not lead out of it; or, of a user's own file, that
// where the file really is, since people keep such files elsewhere and link to them.
func (c *configured) locate(f *flags) (err error) {
	rel, own := strings.CutPrefix(c.file.Path, "~/")
	if !own {
		c.folder, err = f.folder()
		c.rel, c.Path = rel, rel
		return err
	}
	if c.folder, err = os.UserHomeDir(); err != nil {
		return err
	}
	if below, ok := strings.CutPrefix(rel, ".config/"); ok && os.Getenv("XDG_CONFIG_HOME") != "" {
		c.folder, rel = os.Getenv("XDG_CONFIG_HOME"), below
	}
	c.Path, c.rel = filepath.Join(c.folder, filepath.FromSlash(rel)), rel
	home, err := filepath.EvalSymlinks(c.folder)
	if err != nil {
		return nil // it is not there yet
	}
	if real, err := filepath.EvalSymlinks(c.Path); err == nil && real != filepath.Join(home, filepath.FromSlash(rel)) {
		c.folder, c.rel = filepath.Dir(real), filepath.Base(real)
	}
	return nil
}

func (c *configured) read(rel string) (host.Text, error) {
	root, err := jail.Open(c.folder)
	if err != nil {
		return host.Text{}, err
	}
	defer root.Close()
	data, err := root.ReadFile(rel, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return host.Text{}, nil
	}
	if err == nil && rel == c.rel {
		info, err := root.Stat(rel)
		if err != nil {
			return host.Text{}, err
		}
		c.mode = info.Mode().Perm()
	}
	return host.Text{There: err == nil, Text: string(data)}, err
}

// write writes the file, with a copy of what it was before; a removal takes the copy away.
func (c *configured) write(remove bool) error {
	if now, err := c.read(c.rel); err != nil || now != c.before {
		return errors.Join(err, fmt.Errorf("%s: it was changed meanwhile; look at the change again", c.Path))
	}
	root, err := jail.Open(c.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	copied := host.CopyOf(c.rel)
	switch {
	case c.stale:
		return root.Remove(copied)
	case c.before == c.after:
		return nil
	}
	if c.before.There && !remove && !c.held {
		if err := root.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// what others may not read, they may not read in the copy
		if err := root.Create(copied, []byte(c.before.Text), c.mode, time.Time{}); err != nil {
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
		if err = root.Remove(copied); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// removeEmpty removes the folders that the file stood in alone, as far as they are empty.
func (c *configured) removeEmpty(root *jail.Root) {
	for dir := path.Dir(c.rel); dir != "." && root.RemoveDir(dir) == nil; {
		dir = path.Dir(dir)
	}
}

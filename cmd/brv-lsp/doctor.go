package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// finding reports one check of doctor.
type finding struct {
	About string `json:"about"`
	State string `json:"state"` // ok; note: works, but could be better; wrong: does not work
	Said  string `json:"said"`
	Mend  string `json:"mend,omitempty"`
}

// examination collects the report of doctor.
type examination struct {
	Program  buildOf   `json:"program"`
	Folder   string    `json:"folder"`
	Findings []finding `json:"findings"`
	Wrong    int       `json:"wrong"`
	Notes    int       `json:"notes"`
}

func (x *examination) add(state, about, mend, said string, values ...any) {
	switch state {
	case "wrong":
		x.Wrong++
	case "note":
		x.Notes++
	}
	x.Findings = append(x.Findings, finding{about, state, textf(said, values...), mend})
}

// doctor reports what is installed, found, trusted, slow or broken here, and how to fix it. It writes nothing and
// calls no model.
func doctor(ctx context.Context, f *flags, _ *none, _ env) (answer, error) {
	root, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return answer{}, err
	}
	x := &examination{Program: built(), Folder: root}
	x.program()
	x.folders()
	x.settings(root)
	x.git(root)
	eachPlace(ctx, f, false, x.configured)
	x.tree(ctx, f, root)
	return answer{json: x, text: x.text(), code: min(x.Wrong, exitFailed)}, nil
}

func (x *examination) text() string {
	var out strings.Builder
	for _, c := range x.Findings {
		sayf(&out, "%-6s %-13s %s\n", c.State, c.About, c.Said)
		if c.Mend != "" {
			sayf(&out, "%-6s %-13s fix: %s\n", "", "", c.Mend)
		}
	}
	sayf(&out, "%d wrong, %s\n", x.Wrong, words.Counted(x.Notes, "note", "notes"))
	return out.String()
}

// program checks this program, and the program that editors start by its name.
func (x *examination) program() {
	self, _ := os.Executable()
	x.add("ok", "program", "", "%s of %s, %s: %s", versionText(), cmp.Or(x.Program.Date, "an unknown day"), x.Program.Platform, self)
	if !x.Program.Symbols {
		x.add("note", "symbols", "build brv-lsp again with CGO_ENABLED=1 and a C compiler",
			"this program was built without cgo, so it cannot read symbols of code")
	}
	if program() == "brv-lsp" || runtime.GOOS == "windows" {
		return
	}
	const mend = "put this program's folder first in PATH, or let `brv-lsp install NAME` write the full path"
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if other := filepath.Join(dir, "brv-lsp"); exists(other) {
			x.add("wrong", "PATH", mend, "the command `brv-lsp` starts another program, %s", other)
			return
		}
	}
	x.add("note", "PATH", mend, "the command `brv-lsp` is not in PATH")
}

// folders checks the user's folders of configuration and of caches.
func (x *examination) folders() {
	cache, err := os.UserCacheDir()
	places := []struct{ about, dir, loss string }{
		{"cache", filepath.Join(cache, "brv-lsp"), "code is read again each time"},
		{"configuration", configDir(), "trust, keys and the changes of `install` cannot be stored"},
	}
	for _, p := range places {
		if err != nil || !filepath.IsAbs(p.dir) {
			x.add("wrong", p.about, "set HOME", "its place is not known: %s", p.loss)
		} else if wrong := cmp.Or(cachefile.Usable(p.dir), writable(p.dir)); wrong != nil {
			x.add("wrong", p.about, "run `chown` and `chmod 700`, so that you, and only you, can use it", "%v: %s", wrong, p.loss)
		} else {
			x.add("ok", p.about, "", "%s", p.dir)
		}
	}
}

// settings checks the user's settings and the model that they name.
func (x *examination) settings(root string) {
	all, problems := readSettings(root)
	_, shared := settings.ReadProject(root)
	for i, p := range slices.Concat(problems, shared) {
		file := userFile()
		if i >= len(problems) {
			file = settings.ProjectFile
		}
		x.add("wrong", "settings", "correct that line", "%s:%s", file, p)
	}
	switch choice, err := provider.Choose(all.Model, nil, os.Getenv); {
	case err != nil:
		x.add("wrong", "model", "`brv-lsp model` shows the settings", "%v", err)
	case choice.Asks():
		x.add("ok", "model", "", "%s; `brv-lsp model --try` asks it", choice.ModelState)
	default:
		x.add("ok", "model", "", "%s: the command line sends nothing to a model", choice.ModelState)
	}
}

// git checks git, and the trust that the servers need to read history.
func (x *examination) git(root string) {
	repo, err := git.Open(root)
	if err == nil {
		_, err = repo.Hooks(context.Background()) // this runs git
	}
	if err != nil {
		x.add("note", "git", "install git, or run `git init`", "git history is not read: %v", err)
		return
	}
	x.add("ok", "git", "", "git history can be read")
	if trusted, why := trusts(root); !trusted {
		x.add("note", "trust", "run `brv-lsp trust` if you trust this folder", "editors and agents use neither git nor models here: %s", why)
	}
}

// configured checks a configuration file if it contains parts of ours or install wrote them.
func (x *examination) configured(name, mend string, c *configured) {
	r := &installation{}
	if err := r.plan(c, program()); err != nil {
		if state := "note"; c.before.There {
			if c.wrote {
				state = "wrong"
			}
			x.add(state, name, "fix the file; until then `install` leaves it alone", "%s: %v", c.Path, err)
		}
		return
	}
	started := cmp.Or(c.file.Wrote, program())
	_, gone := exec.LookPath(started)
	switch {
	case c.wrote && gone != nil && c.before.There:
		x.add("wrong", name, "`"+mend+"`", "%s starts %s, which is not found", c.Path, started)
	case c.held && c.State == "outdated":
		x.add("note", name, "`"+mend+"`", "%s was written by another version", c.Path)
	case c.held:
		x.add("ok", name, "", "%s", c.Path)
	case c.wrote:
		x.add("wrong", name, "`"+mend+"` writes them again; add `--remove` to stop this message",
			"%s no longer has the lines that `install` wrote", c.Path)
	}
}

// slowRead is the waiting time after which a person starts to wonder.
const slowRead = 2 * time.Second

// tree checks the context tree, and how long it takes to read the tree and the code.
func (x *examination) tree(ctx context.Context, f *flags, root string) {
	begun := time.Now()
	if !hasTree(root) {
		x.add("note", "tree", "run `brv-lsp init`; until then only documents answer questions", "%s has no context tree", root)
		return
	}
	w, err := f.open(ctx)
	if err != nil {
		x.add("wrong", "tree", "correct the cause", "%v", err)
		return
	}
	defer w.Close()
	s, err := upkeep.Status(ctx, w.View(), upkeep.StatusRequest{})
	if took := time.Since(begun); err == nil && took > slowRead {
		x.add("note", "speed", "exclude folders with third-party code: set brv.code.exclude in "+userFile(),
			"reading the tree and the code took %s; the next start uses the cache and is faster", took.Round(100*time.Millisecond))
	}
	if err != nil {
		x.add("wrong", "tree", "correct the cause", "%v", err)
		return
	}
	x.add("ok", "tree", "", "%s, %s", words.Counted(s.Entries, "entry", "entries"),
		words.Counted(s.Pending, "operation waits for a review", "operations wait for a review"))
	for _, c := range []struct {
		is                bool
		state, said, mend string
	}{
		{s.Errors > 0, "wrong", words.Counted(s.Errors, "error", "errors") + " in entries", "`brv-lsp check` lists them"},
		{len(s.Conflicts) > 0, "wrong", "merge conflicts in " + someOf(s.Conflicts), "resolve them; until then these entries are not searched"},
		{s.Damaged > 0, "wrong", "damaged records in .brv/state", "entries are intact, but the changes recorded there can no " +
			"longer be undone"},
		{len(s.Foreign) > 0, "note", "files in .brv from another user or folder: " + someOf(s.Foreign), "brv-lsp ignores them; you " +
			"can delete them"},
		{s.Tracked != "", "wrong", "git tracks " + s.Tracked + ", so brv-lsp writes nothing", "run `git rm -r --cached .brv/state`"},
		{s.Unread > 0, "wrong", "the tree has more files than brv-lsp reads", "archive or delete entries"},
		{s.Unfinished, "note", "a change is running or was interrupted", "if it was interrupted, the next change finishes it"},
	} {
		if c.is {
			x.add(c.state, "tree", c.mend, "%s", c.said)
		}
	}
	if err := writable(filepath.Join(root, ".brv")); err != nil {
		x.add("wrong", "tree", "ask the owner of .brv for access", "nothing can be changed: %v", err)
	}
	x.watched(s.Domains + s.Topics)
}

// writable returns why this user cannot write to a folder or, while it does not exist, make it. It writes nothing to
// find out.
func writable(folder string) error {
	err := mayWrite(folder)
	if above := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && above != folder {
		return writable(above)
	} else if err != nil {
		return fmt.Errorf("you cannot write to %s: %w", folder, err)
	}
	return nil
}

// watched compares the number of the tree's folders with Linux's limit of watches for a user, which all programs
// share.
func (x *examination) watched(folders int) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	most, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil && most < folders {
		x.add("note", "watching",
			fmt.Sprintf("run `sudo sysctl fs.inotify.max_user_watches=%d`, and write the setting to /etc/sysctl.d to keep it", 4*folders),
			"at most %d folders can be watched, but the tree has %d, so changes are noticed late", most, folders)
	}
}

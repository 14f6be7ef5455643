package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// place has the paths of a repository's parts.
type place struct{ top, dir, common string }

// find looks for `.git` in the folder from and in the folders above it.
func find(from string) (place, error) {
	for top := from; ; top = filepath.Dir(top) {
		at, err := look(top)
		if err == nil || !errors.Is(err, ErrNone) {
			return at, err
		}
		if top == filepath.Dir(top) {
			return place{}, fmt.Errorf("%s: %w", from, ErrNone)
		}
	}
}

// look checks one folder. Like git, it skips a `.git` folder without HEAD or objects.
func look(top string) (place, error) {
	dot := filepath.Join(top, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err != nil:
		return place{}, ErrNone
	case info.IsDir():
		if _, err := os.Lstat(filepath.Join(dot, "commondir")); err == nil {
			return place{}, foreign(dot)
		}
		if _, err := os.Lstat(filepath.Join(dot, "HEAD")); err != nil || !isFolder(filepath.Join(dot, "objects")) {
			return place{}, ErrNone
		}
		return place{top: top, dir: dot, common: dot}, nil
	case info.Mode().IsRegular():
		return follow(top, dot)
	}
	return place{}, foreign(dot)
}

var remoteURL = lazyregexp.New(`(?i)^\s*(?:push)?url\s*=\s*"?(?:\w[\w+.-]*://[^/\s]+/|[^\s/:]+:/?)(\S+?)(?:\.git)?/?"?\s*$`)

// Called lists the names of the repository around a folder on the hosts of its remotes, such as owner/name, in
// lower case. It reads the configuration as a text, and runs no program.
func Called(folder string) (names []string) {
	at, err := find(folder)
	if err != nil {
		return nil
	}
	text, _ := readIn(at.common, "config")
	remote := false
	for line := range strings.Lines(strings.ToLower(string(text))) {
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			remote = strings.HasPrefix(strings.TrimSpace(line), "[remote ")
		} else if m := remoteURL().FindStringSubmatch(line); m != nil && remote {
			names = append(names, m[1])
		}
	}
	return names
}

// Origin is the stated origin of the repository around a folder: an address or a path from its configuration;
// "" if there is none. It reads the configuration as a text, and does not access the origin.
func Origin(folder string) string {
	at, err := find(folder)
	if err != nil {
		return ""
	}
	text, _ := readIn(at.common, "config")
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, "=")
		if strings.HasPrefix(line, "[") {
			section = line
		} else if section == `[remote "origin"]` && strings.TrimSpace(key) == "url" {
			return strings.TrimPrefix(configValue(value), "file://")
		}
	}
	return ""
}

func foreign(path string) error { return fmt.Errorf("%s: %w", path, errForeign) }

// follow reads the `.git` file of a worktree or submodule.
func follow(top, dot string) (place, error) {
	dir, err := readPath(top, ".git", "gitdir: ")
	if err != nil {
		return place{}, fmt.Errorf("%s: %w", dot, err)
	}
	if !isFolder(dir) {
		return place{}, fmt.Errorf("%s points to %s, which is not a folder", dot, dir)
	}
	common, err := readPath(dir, "commondir", "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !ofSubmodule(top, dir) {
			return place{}, foreign(dot)
		}
		return place{top: top, dir: dir, common: dir}, nil
	case err != nil:
		return place{}, fmt.Errorf("%s: %w", dir, err)
	}
	back, err := readPath(dir, "gitdir", "")
	inside := same(filepath.Join(common, "worktrees"), filepath.Dir(dir))
	if err != nil || !inside || !same(back, dot) {
		return place{}, foreign(dot)
	}
	return place{top: top, dir: dir, common: common}, nil
}

// readPath reads a file in the folder dir that contains one line with a path. The path is relative to dir if it is
// not absolute. Network paths are refused before they are opened.
func readPath(dir, name, mark string) (string, error) {
	text, err := readIn(dir, name)
	if err != nil {
		return "", err
	}
	line, ok := strings.CutPrefix(string(text), mark)
	line = strings.TrimRight(line, "\r\n")
	if !ok || line == "" || strings.ContainsAny(line, "\x00\n") {
		return "", fmt.Errorf("%s contains no path", name)
	}
	return local(dir, line)
}

// local makes the path that a file of the repository names absolute. On Windows,
// opening a network path sends the user's credentials.
func local(dir, path string) (string, error) {
	path = filepath.FromSlash(path)
	if strings.HasPrefix(path, "//") || strings.HasPrefix(path, `\\`) {
		return "", fmt.Errorf("%q: a network path: %w", path, errForeign)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path), nil
}

// ofSubmodule reports whether the git folder dir lies among the modules of the
// repository around folder top.
func ofSubmodule(top, dir string) bool {
	above := filepath.Dir(top)
	if above == top {
		return false
	}
	outer, err := find(above)
	if err != nil {
		return false
	}
	return below(filepath.Join(outer.dir, "modules"), dir) || below(filepath.Join(outer.common, "modules"), dir)
}

// below reports whether path lies below folder, after links are resolved.
func below(folder, path string) bool {
	folder, errA := filepath.EvalSymlinks(folder)
	path, errB := filepath.EvalSymlinks(path)
	if errA != nil || errB != nil {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// maxAlternates bounds how deeply object stores may borrow from each other; it is git's own limit.
const maxAlternates = 5

// checkAlternates refuses object stores on the network, at any depth.
func checkAlternates(objects string, depth int) error {
	text, err := readIn(objects, "info/alternates")
	if errors.Is(err, fs.ErrNotExist) || depth > maxAlternates {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", objects, err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		// Git reads a quoted line as C text, which could hide the two slashes.
		if line[0] == '"' {
			return fmt.Errorf("%s/info/alternates: a quoted path: %w", objects, errForeign)
		}
		next, err := local(objects, line)
		if err != nil {
			return fmt.Errorf("%s/info/alternates: %w", objects, err)
		}
		if !isFolder(next) {
			continue // git prints a warning and continues
		}
		if err := checkAlternates(next, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Package locate turns what a person or an agent calls a file into its path, and says what is wrong with
// a name that leads nowhere.
package locate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/texts"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Locate is the workspace path of what a person or an agent calls a text: an entry by
// its path in the tree or in the workspace, with or without .md, or by the end of
// that path where only one has it; or any text file of the folder. The error says
// what is wrong with the name, and which ones are near.
//
// Hidden files (.git, .env and such) are not found but for those of the context tree:
// they hold what was not meant to be shown, and agents read without asking.
func Locate(v *workspace.View, name string) (string, error) {
	p, _, err := Place(v, name)
	return p, err
}

// linesBehind matches how programs and agents name lines behind a path: a.go:4, a.go:4:2, a.go:4-6, a.go#L4-L6, a.go(4,2).
var linesBehind = lazyregexp.New(`^(.+?)(?:[:#]L?([1-9]\d*)(?:[:,C]\d+)?(?:-L?([1-9]\d*)(?:[:,C]\d+)?)?:?|\(([1-9]\d*)(?:, ?\d+)?\))$`)

// Place is Locate for a name that may have lines behind it, and the first and the last of them; zeros where it has none. A
// name is also taken as the URI of a file or an entry, with a slash for the folder, with the prefix that a diff puts
// before a path, with backslashes, and with its letters composed or decomposed, where nothing is called so as it is
// written.
func Place(v *workspace.View, name string) (p string, lines [2]int, err error) {
	p = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "@"), "./")
	if entry, ok := EntryOf(p); ok {
		p = entry
	} else if uri, fragment, _ := strings.Cut(p, "#"); URIPath(uri) != "" {
		p = strings.TrimSuffix(URIPath(uri)+"#"+fragment, "#")
	}
	written := []string{p, strings.Trim(p, " `\"'<>,;")} // with what people and models put around it
	if m := linesBehind().FindStringSubmatch(written[1]); m != nil {
		written = append(written, m[1])
		lines[0], _ = strconv.Atoi(m[2] + m[4]) // a number that is too large is the largest
		if lines[1] = lines[0]; m[3] != "" {
			lines[1], _ = strconv.Atoi(m[3])
		}
	}
	for i, p := range written {
		if p, err = located(v, p); err == nil {
			return p, [2][2]int{{}, lines}[i/2], nil
		}
	}
	for i, p := range written {
		slashed := strings.ReplaceAll(p, "\\", "/")
		guesses := []string{path.Clean(slashed), strings.TrimLeft(slashed, "/")}
		if len(slashed) > 2 && slashed[1] == '/' {
			guesses = append(guesses, slashed[2:])
		}
		for _, p := range guesses {
			for _, p := range append(words.Spellings(p), p) {
				if p, wrong := located(v, p); wrong == nil {
					return p, [2][2]int{{}, lines}[i/2], nil
				}
			}
		}
	}
	return "", lines, err
}

// located is the path of a text as it is written.
func located(v *workspace.View, name string) (string, error) {
	p := strings.TrimSuffix(relative(v, name), "/")
	if !fs.ValidPath(p) || strings.Contains(p, "\\") {
		return "", fmt.Errorf("%q is not a path inside the folder; give a relative path with forward slashes", workspace.Clipped(name))
	}
	if entry, ok := entryNamed(v, p); ok {
		if _, _, other := format.CutTree(entry); other {
			return entry, nil
		}
		return v.FilePath(entry), nil
	}
	if !sanitize.Plain(p) {
		return "", fmt.Errorf("%s was not read: %s", workspace.Clipped(p), sanitize.NotPlain)
	}
	if Hidden(p) {
		return "", fmt.Errorf("%s was not read: hidden files are read only in the context tree", workspace.Clipped(p))
	}
	if _, open := v.Buffer(p); open {
		return p, nil
	}
	return p, readable(v, p)
}

// LineStart finds the first letter of a line, which counts from 1, in bytes. A text with fewer lines gives its end, and false.
func LineStart(text string, line int) (at int, ok bool) {
	for range line - 1 {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text), false
		}
		at += end + 1
	}
	return len(text) - len(strings.TrimLeft(text[at:], " \t")), true
}

// TreeURI begins the URI of an entry. Its path in the tree follows.
const TreeURI = "brv://tree/"

// EntryOf is the tree path of an entry's URI.
func EntryOf(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, TreeURI)
	if !ok {
		return "", false
	}
	p, err := url.PathUnescape(rest)
	return p, err == nil
}

// URIPath is the absolute path of a file URI, "" if it is none.
func URIPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		return ""
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	p = filepath.FromSlash(p)
	if !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

// Inside is the absolute path or file URI of something in the folder as a path of the folder; any other text stays.
func Inside(v *workspace.View, p string) string {
	if in := relative(v, cmp.Or(URIPath(p), p)); !filepath.IsAbs(in) {
		return in
	}
	return p
}

// relative is the absolute path of something in the folder as a path of the folder, however the way to the folder is
// written; any other path stays. Nothing on another volume is looked at, which may be another machine.
func relative(v *workspace.View, p string) string {
	if !filepath.IsAbs(p) || filepath.VolumeName(p) != filepath.VolumeName(v.Files().Dir()) {
		return p
	}
	root, err := v.Files().Stat(".")
	if err != nil {
		return p
	}
	whole := filepath.Clean(p)
	for dir := whole; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, root) {
			return filepath.ToSlash(strings.TrimLeft(whole[len(dir):], string(filepath.Separator)))
		}
	}
	return p
}

// Hidden reports whether a name of the path begins with a dot.
func Hidden(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool { return name[0] == '.' && name != "." })
}

// readable says why a file is no text, or nil.
func readable(v *workspace.View, p string) error {
	if link := LinkOn(v, p); link == p {
		return fmt.Errorf("%s is a symbolic link, and symbolic links are not followed", workspace.Clipped(p))
	} else if link != "" {
		return fmt.Errorf("%s: %s is a symbolic link, and symbolic links are not followed", workspace.Clipped(p), link)
	}
	data, err := v.Files().ReadFile(p, discover.DefaultMaxFileSize)
	data = texts.Decode(p, data)
	switch {
	case err == nil && (!utf8.Valid(data) && slices.Contains(data, 0)):
		return fmt.Errorf("%s is not a text file", workspace.Clipped(p))
	case err == nil:
		return nil
	case errors.Is(err, jail.ErrTooLarge):
		return fmt.Errorf("%s is too large: files over %d MiB are not read", workspace.Clipped(p), discover.DefaultMaxFileSize>>20)
	case !errors.Is(err, fs.ErrNotExist):
		if info, e := v.Files().Stat(p); e == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder%s", workspace.Clipped(p), naming("; name a file in it, such as ", inside(v, p)))
		}
		return fmt.Errorf("%s: %s", workspace.Clipped(p), discover.Reason(err))
	case len(entriesNamed(v, p)) > 1:
		return fmt.Errorf("%s: several entries have this name: %s", workspace.Clipped(p),
			strings.Join(workspace.FirstOf(entriesNamed(v, p), 5), ", "))
	}
	return fmt.Errorf("there is no entry or file %s%s", workspace.Clipped(p), naming("; similar names: ", nearest(v, p)))
}

// LinkOn is the first symbolic link on the way to a path: to a hidden file, perhaps.
func LinkOn(v *workspace.View, p string) string {
	for end := range len(p) + 1 {
		if end < len(p) && p[end] != '/' {
			continue
		}
		if info, err := v.Files().Lstat(p[:end]); err != nil {
			return ""
		} else if info.Mode()&fs.ModeSymlink != 0 {
			return p[:end]
		}
	}
	return ""
}

// naming is a phrase with names behind it, "" without any.
func naming(phrase string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return phrase + strings.Join(names, ", ")
}

// entryNamed is the one entry that a name means.
func entryNamed(v *workspace.View, p string) (string, bool) {
	if inTree, ok := strings.CutPrefix(p, workspace.TreeDir+"/"); ok {
		p = inTree
	}
	for _, try := range []string{p, p + ".md"} {
		if _, ok := v.Entry(try); ok {
			return try, true
		}
	}
	if _, err := v.Files().Stat(p); err == nil {
		return "", false
	}
	all := entriesNamed(v, p)
	return strings.Join(all, ""), len(all) == 1
}

// entriesNamed are the entries whose path ends with a name, with or without .md.
func entriesNamed(v *workspace.View, p string) (all []string) {
	end := "/" + strings.TrimSuffix(p, ".md") + ".md"
	for _, e := range v.Tree().Entries() {
		if strings.HasSuffix(e.Path, end) {
			all = append(all, e.Path)
		}
	}
	return all
}

// inside names some of what a folder holds.
func inside(v *workspace.View, dir string) (names []string) {
	list, _ := v.Files().ReadDir(dir)
	for _, d := range list {
		if d.Type().IsRegular() && d.Name()[0] != '.' && len(names) < maxNearest {
			names = append(names, sanitize.Name(path.Join(dir, d.Name())))
		}
	}
	return names
}

// nearest are the entries and files whose paths are most like one that is not there.
func nearest(v *workspace.View, p string) []string {
	var paths []string
	for _, e := range v.Tree().Entries() {
		paths = append(paths, v.FilePath(e.Path))
	}
	for _, c := range v.Code().Chunks() {
		paths = append(paths, c.Path)
	}
	return words.NearPaths(p, slices.Values(paths), maxNearest)
}

// KnownFile is a file of the map; the error says why there is none, and which ones
// are meant perhaps.
func KnownFile(code *codebase.RepoMap, p string) (*codebase.Chunk, error) {
	if c, ok := code.Chunk(p); ok {
		return c, nil
	}
	if !fs.ValidPath(p) {
		return nil, fmt.Errorf("%w: %q is not a path inside the folder", workspace.ErrRequest, workspace.Clipped(p))
	}
	for _, s := range code.Skipped() {
		if s.Path == p {
			return nil, fmt.Errorf("%s was not read: %s", workspace.Clipped(p), s.Reason)
		}
	}
	if inside := firstInside(code, p); inside != "" {
		return nil, fmt.Errorf("%s is a folder; name a file in it, such as %s", workspace.Clipped(p), inside)
	}
	if code.Exists(p) {
		return nil, fmt.Errorf("%s is not in the repo map because its language is not supported or git ignores it",
			workspace.Clipped(p))
	}
	if near := nearestFiles(code, p); len(near) > 0 {
		return nil, fmt.Errorf("no code file %s; similar names: %s", workspace.Clipped(p), strings.Join(near, ", "))
	}
	return nil, fmt.Errorf("no code file %s; `brv-lsp map` lists the code files", workspace.Clipped(p))
}

// firstInside is the first mapped file below a folder.
func firstInside(code *codebase.RepoMap, folder string) string {
	prefix := folder + "/"
	if folder == "." {
		prefix = ""
	}
	chunks := code.Chunks()
	i, _ := slices.BinarySearchFunc(chunks, prefix, func(c *codebase.Chunk, p string) int { return strings.Compare(c.Path, p) })
	if i < len(chunks) && strings.HasPrefix(chunks[i].Path, prefix) {
		return chunks[i].Path
	}
	return ""
}

// maxNearest bounds the files proposed for one that is not there.
const maxNearest = 3

// nearestFiles are the mapped files whose paths are like one that is not there.
func nearestFiles(code *codebase.RepoMap, p string) []string {
	return words.NearPaths(p, func(yield func(string) bool) {
		for _, c := range code.Chunks() {
			if !yield(c.Path) {
				return
			}
		}
	}, maxNearest)
}

package vault

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// places decides where the notes of a folder go.
type places struct {
	whole    []string // for notes that are in no subfolder
	name     string
	sections map[string]bool // top folders with subfolders
	said     map[string]string
	same     bool // the folders are those of a tree
}

func newPlaces(f Folder, d Dialect, said map[string]string) (*places, error) {
	p := &places{sections: map[string]bool{}, said: map[string]string{}, same: d == ByteRover}
	parts := split(path.Clean(f.Root))
	if outside(f.Root) { // a place outside of the project is no topic
		parts = split(base(f.Root))
	}
	if p.name = "notes"; len(parts) > 0 {
		p.name = format.Slug(parts[len(parts)-1])
	}
	if p.whole = []string{p.name, "notes"}; len(parts) > 1 {
		p.whole = []string{format.Slug(parts[len(parts)-2]), p.name}
	}
	there := map[string]bool{".": true}
	for _, file := range f.Files {
		for dir := path.Dir(file.Path); dir != "."; dir = path.Dir(dir) {
			there[dir] = true
			if top, _, deeper := strings.Cut(dir, "/"); deeper {
				p.sections[top] = true
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(said)) {
		to := strings.Trim(said[from], "/")
		at := path.Clean(strings.Trim(from, "/"))
		if !there[at] {
			return nil, fmt.Errorf("map %s=%s: there are no notes in %s", from, to, from)
		}
		if err := format.CheckFolderPath(to); err != nil {
			return nil, fmt.Errorf("map %s=%s: %w", from, to, err)
		}
		p.said[at] = to
	}
	return p, nil
}

// of returns the tree folder for the notes of a folder.
func (p *places) of(dir string) string {
	for up := dir; ; up = path.Dir(up) {
		if to, ok := p.said[up]; ok {
			rest := strings.TrimPrefix(strings.TrimPrefix(dir, up), "/")
			if up == "." && dir != "." {
				rest = dir
			}
			return p.levels(append(strings.Split(to, "/"), split(rest)...))
		}
		if up == "." {
			break
		}
	}
	parts := split(dir)
	switch {
	case len(parts) == 0:
		return strings.Join(p.whole, "/")
	case len(parts) == 1 && p.sections[parts[0]]:
		return p.levels([]string{parts[0], "notes"})
	case len(parts) == 1:
		return p.levels([]string{p.name, parts[0]})
	}
	return p.levels(parts)
}

// TopicOf returns the tree folder for content below a path of the project.
func TopicOf(dir string) string { return (&places{}).levels(split(dir)) }

// outside reports whether a root lies outside of the project.
func outside(root string) bool { return !fs.ValidPath(root) }

// base returns the name of a root, "" if it has none.
func base(root string) string { return strings.Trim(path.Base(root), "./") }

func split(dir string) []string {
	if dir == "." || dir == "" {
		return nil
	}
	return strings.Split(dir, "/")
}

// levels maps names to the tree's three levels, of which two are required.
func (p *places) levels(names []string) string {
	if len(names) == 1 {
		names = append(names, "notes")
	}
	if len(names) > 3 {
		names = append(names[:2:2], strings.Join(names[2:], "_"))
	}
	out := make([]string, len(names))
	for i, name := range names {
		if out[i] = format.Slug(name); p.same && format.CheckName(name) == nil {
			out[i] = name
		}
	}
	return strings.Join(out, "/")
}

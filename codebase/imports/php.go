package imports

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// autoload maps the classes of a namespace to the files of a folder: one item of PSR-4 or PSR-0 in a
// composer.json.
type autoload struct {
	dir  string // "" for the top
	psr0 bool   // the folder contains the whole namespace as folders, and not only its content
}

// composer holds the autoload items of all composer.json files, by namespace, with dots. Prefixes of PSR-0 with
// underscores are no namespaces; such classes are found by their definitions.
type composer map[string][]autoload

func readComposer(configs map[string]string) composer {
	out := composer{}
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		if path.Base(p) == "composer.json" {
			out.read(dirOf(p), configs[p])
		}
	}
	return out
}

// psr holds the maps of one autoload section. A value is one folder or several.
type psr struct {
	PSR4 map[string]json.RawMessage `json:"psr-4"`
	PSR0 map[string]json.RawMessage `json:"psr-0"`
}

func (c composer) read(dir, text string) {
	var file struct {
		Autoload json.RawMessage `json:"autoload"`
		Dev      json.RawMessage `json:"autoload-dev"`
	}
	_ = json.Unmarshal(markdown.WithoutMarks([]byte(text)), &file)
	for _, raw := range []json.RawMessage{file.Autoload, file.Dev} {
		var section psr
		_ = json.Unmarshal(raw, &section)
		c.add(dir, section.PSR4, false)
		c.add(dir, section.PSR0, true)
	}
}

func (c composer) add(dir string, items map[string]json.RawMessage, psr0 bool) {
	for _, prefix := range slices.Sorted(maps.Keys(items)) {
		for _, sub := range stringOrList(items[prefix]) {
			if d, ok := joinInside(dir, sub); ok {
				c[dotted(prefix)] = append(c[dotted(prefix)], autoload{d, psr0})
			}
		}
	}
}

// phpTarget resolves a use of a class, function, constant or namespace, or a file that is required by path.
func (r *Resolver) phpTarget(f *File, imp syntax.Import) Target {
	if imp.Kind == syntax.ImportFile || strings.Contains(imp.Spec, "/") {
		return r.phpFile(f, imp.Spec)
	}
	spec := dotted(imp.Spec)
	file, folder := r.autoloaded(spec)
	if file != "" {
		return Target{Paths: []string{file}}
	}
	p := r.packagesOf(syntax.PHP)
	if found := p.definers(f, spec); len(found) > 0 {
		return Target{Paths: found}
	}
	if d := p.byName[spec]; d != nil {
		return Target{Paths: d.paths}
	}
	if folder || p.reason(spec) == Missing {
		return Target{Reason: Missing}
	}
	return Target{Reason: External}
}

// autoloaded returns the file from which a class is loaded. folder reports whether at least the folder of that
// file exists.
func (r *Resolver) autoloaded(class string) (file string, folder bool) {
	for prefix := range splits(class) {
		for _, a := range r.composer[prefix] {
			rest := class
			if !a.psr0 {
				rest = strings.TrimPrefix(class[len(prefix):], ".")
			}
			p := path.Join(a.dir, strings.ReplaceAll(rest, ".", "/")+".php")
			if r.has(p) {
				return p, true
			}
			folder = folder || prefix != "" && r.isFolder(dirOf(p))
		}
	}
	return "", folder
}

// phpFile resolves the path of a require or include: from the file's folder, as for __DIR__, or else from the top.
func (r *Resolver) phpFile(f *File, spec string) Target {
	spec = literalPath(spec)
	if _, rest, ok := strings.Cut(spec, "__DIR__"); ok {
		spec = strings.TrimLeft(rest, " .'\"")
	}
	if p, ok := joinInside(dirOf(f.Path), strings.TrimPrefix(spec, "/")); ok && r.has(p) {
		return Target{Paths: []string{p}}
	}
	if p := path.Clean(strings.TrimPrefix(spec, "/")); r.has(p) {
		return Target{Paths: []string{p}}
	}
	return Target{Reason: Missing}
}

package codebase

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// scriptConfig is what a tsconfig.json or jsconfig.json, with all it extends,
// says about resolving imports.
type scriptConfig struct {
	baseURL string // folder; set says whether there is one
	hasBase bool
	paths   []pathMapping // longest prefix first
}

// pathMapping is one item of "paths": specifiers with this prefix and suffix are
// looked up at the targets, with what stood between in place of the star.
type pathMapping struct {
	prefix, suffix string
	star           bool
	targets        []string // folders-relative paths with "*"
}

// tsconfigFile is the part of the file that is read.
type tsconfigFile struct {
	Extends         json.RawMessage `json:"extends"`
	CompilerOptions struct {
		BaseURL *string             `json:"baseUrl"`
		Paths   map[string][]string `json:"paths"`
	} `json:"compilerOptions"`
}

// maxExtends bounds a chain of extends, which may be a circle.
const maxExtends = 16

// readScriptConfig reads a configuration file and what it extends. What cannot
// be read counts as empty.
func (r *resolver) readScriptConfig(p string, depth int) scriptConfig {
	var file tsconfigFile
	text, ok := r.config(p)
	if !ok || depth == 0 {
		return scriptConfig{}
	}
	if decodeJSONC(text, &file) != nil {
		return scriptConfig{}
	}
	var c scriptConfig
	for _, base := range extended(file.Extends) {
		if q, ok := r.extendedPath(dirOf(p), base); ok {
			c = overlay(c, r.readScriptConfig(q, depth-1))
		}
	}
	return overlay(c, ownConfig(dirOf(p), file))
}

// overlay lets what b says replace what a says.
func overlay(a, b scriptConfig) scriptConfig {
	if b.hasBase {
		a.baseURL, a.hasBase = b.baseURL, true
	}
	if b.paths != nil {
		a.paths = b.paths
	}
	return a
}

func ownConfig(dir string, file tsconfigFile) scriptConfig {
	var c scriptConfig
	from := dir
	if u := file.CompilerOptions.BaseURL; u != nil {
		if base, ok := joinInside(dir, *u); ok {
			c.baseURL, c.hasBase, from = base, true, base
		}
	}
	if file.CompilerOptions.Paths == nil {
		return c
	}
	c.paths = []pathMapping{}
	for _, pattern := range slices.Sorted(maps.Keys(file.CompilerOptions.Paths)) {
		m := pathMapping{}
		m.prefix, m.suffix, m.star = strings.Cut(pattern, "*")
		for _, t := range file.CompilerOptions.Paths[pattern] {
			if target, ok := joinInside(from, t); ok {
				m.targets = append(m.targets, target)
			}
		}
		c.paths = append(c.paths, m)
	}
	slices.SortStableFunc(c.paths, func(a, b pathMapping) int { return cmp.Compare(len(b.prefix), len(a.prefix)) })
	return c
}

// extended returns the items of extends: one string or several.
func extended(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal(raw, &many)
	return many
}

// extendedPath finds the file that extends names: relative, or in a package of
// the folder. Installed packages are not looked at; they hold no paths of ours.
func (r *resolver) extendedPath(dir, base string) (string, bool) {
	if !strings.HasPrefix(base, ".") {
		pkg, rest, ok := r.scripts.packageOf(base)
		if !ok {
			return "", false
		}
		dir, base = pkg.dir, cmp.Or(rest, "tsconfig.json")
	}
	p, ok := joinInside(dir, base)
	if !ok {
		return "", false
	}
	if path.Ext(p) != ".json" {
		p += ".json"
	}
	return p, true
}

// lookup returns the places where a mapping puts a specifier.
func (c *scriptConfig) lookup(spec string) []string {
	for _, m := range c.paths {
		if !m.star && spec == m.prefix {
			return m.targets
		}
		if !m.star || len(spec) < len(m.prefix)+len(m.suffix) ||
			!strings.HasPrefix(spec, m.prefix) || !strings.HasSuffix(spec, m.suffix) {
			continue
		}
		middle := spec[len(m.prefix) : len(spec)-len(m.suffix)]
		var out []string
		for _, t := range m.targets {
			out = append(out, path.Clean(strings.Replace(t, "*", middle, 1)))
		}
		return out
	}
	return nil
}

package imports

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// scriptConfig holds the settings that determine how imports are resolved, from a tsconfig.json or jsconfig.json
// and the files that it extends. It is immutable and may be shared.
type scriptConfig struct {
	dir             string
	baseURL         string // a folder; hasBase tells whether it is set
	hasBase         bool
	paths           []pathMapping // longest prefix first
	rootDirs        []string
	outDir, rootDir string // "" if not set

	files, include, exclude []string // patterns relative to the top; nil if not set
	references              []*scriptConfig
}

// pathMapping is one item of "paths". A specifier with this prefix and suffix is looked up at the targets. The
// text between prefix and suffix replaces the star.
type pathMapping struct {
	prefix, suffix string
	star           bool
	targets        []string // paths from the top, with "*"
}

// tsconfigFile holds the fields that are read. They are raw, so that a value of the wrong type does not hide the
// others.
type tsconfigFile struct {
	Extends         json.RawMessage            `json:"extends"`
	Files           json.RawMessage            `json:"files"`
	Include         json.RawMessage            `json:"include"`
	Exclude         json.RawMessage            `json:"exclude"`
	References      json.RawMessage            `json:"references"`
	CompilerOptions map[string]json.RawMessage `json:"compilerOptions"`
}

// maxExtends bounds a chain of extends or references, which may be circular.
const maxExtends = 16

// maxReferences bounds how many references of one project are read.
const maxReferences = 1000

// configReader reads each configuration file once.
type configReader struct {
	r    *Resolver
	done map[string]*scriptConfig // without references, by path and project
	full map[string]*scriptConfig // with references
}

// project reads a configuration with the projects that it references.
func (d *configReader) project(p string) *scriptConfig {
	if c, ok := d.full[p]; ok {
		return c
	}
	own := *d.options(p, dirOf(p), maxExtends)
	c := &own
	d.full[p] = c // stored before its references are read, since they may be circular
	var file tsconfigFile
	text, _ := d.r.config(p)
	_ = decodeJSONC(text, &file)
	var references []struct {
		Path string `json:"path"`
	}
	if len(file.References) == 0 || json.Unmarshal(file.References, &references) != nil {
		return c
	}
	for _, ref := range references[:min(len(references), maxReferences)] {
		q, ok := joinInside(dirOf(p), ref.Path)
		if !ok {
			continue
		}
		if path.Ext(q) != ".json" {
			q = path.Join(q, "tsconfig.json")
		}
		if _, ok := d.r.config(q); ok {
			c.references = append(c.references, d.project(q))
		}
	}
	return c
}

// generatedConfigs holds the paths in configurations that frameworks generate, and that git ignores.
var generatedConfigs = map[string]string{
	".svelte-kit/tsconfig.json": `{"compilerOptions": {"paths": {"$lib": ["../src/lib"], "$lib/*": ["../src/lib/*"]}}}`,
	".nuxt/tsconfig.json":       `{"compilerOptions": {"paths": {"~/*": ["../*"], "@/*": ["../*"]}}}`,
}

// options reads a configuration file and the files that it extends, for the project in a folder. An unreadable
// file counts as empty.
func (d *configReader) options(p, project string, depth int) *scriptConfig {
	key := p + "\x00" + project
	if c, ok := d.done[key]; ok {
		return c
	}
	c := &scriptConfig{dir: dirOf(p)}
	text, ok := d.r.config(p)
	if !ok {
		text = generatedConfigs[path.Join(path.Base(dirOf(p)), path.Base(p))]
	}
	if text == "" || depth == 0 {
		return c
	}
	var file tsconfigFile
	up := strings.Repeat("../", len(strings.FieldsFunc(dirOf(p), func(r rune) bool { return r == '/' })))
	if decodeJSONC(strings.ReplaceAll(text, configDir, up+cmp.Or(project, ".")), &file) != nil {
		return c
	}
	for _, base := range stringOrList(file.Extends) {
		if q, ok := d.r.extendedPath(dirOf(p), base); ok && q != p {
			c.overlay(d.options(q, project, depth-1))
		}
	}
	c.overlay(ownConfig(dirOf(p), file))
	d.done[key] = c
	return c
}

// overlay replaces the settings of c by those that b has.
func (c *scriptConfig) overlay(b *scriptConfig) {
	if b.hasBase {
		c.baseURL, c.hasBase = b.baseURL, true
	}
	if b.paths != nil {
		c.paths = b.paths
	}
	if b.rootDirs != nil {
		c.rootDirs = b.rootDirs
	}
	c.outDir, c.rootDir = cmp.Or(b.outDir, c.outDir), cmp.Or(b.rootDir, c.rootDir)
	if b.files != nil {
		c.files = b.files
	}
	if b.include != nil {
		c.include = b.include
	}
	if b.exclude != nil {
		c.exclude = b.exclude
	}
}

// configDir stands for the folder of the project in a path, also in the files that the project extends.
const configDir = "${configDir}"

func ownConfig(dir string, file tsconfigFile) *scriptConfig {
	c := &scriptConfig{}
	options := file.CompilerOptions
	from := dir
	if raw, has := options["baseUrl"]; has {
		if base, ok := joinInside(dir, jsonString(raw)); ok {
			c.baseURL, c.hasBase, from = base, true, base
		}
	}
	for raw, into := range map[string]*string{"outDir": &c.outDir, "rootDir": &c.rootDir} {
		if s := jsonString(options[raw]); s != "" {
			*into, _ = joinInside(dir, s)
		}
	}
	c.rootDirs = patternsIn(dir, options["rootDirs"])
	c.files, c.include, c.exclude = patternsIn(dir, file.Files), patternsIn(dir, file.Include), patternsIn(dir, file.Exclude)
	var paths map[string]json.RawMessage
	if raw := options["paths"]; len(raw) > 0 && json.Unmarshal(raw, &paths) == nil {
		lists := map[string][]string{}
		for pattern, list := range paths {
			lists[pattern] = stringOrList(list)
		}
		c.paths = pathMappings(from, lists)
	}
	return c
}

// pathMappings orders a table of patterns: exact ones first, then by the length of the prefix, longest first.
func pathMappings(from string, table map[string][]string) []pathMapping {
	out := []pathMapping{}
	for _, pattern := range slices.Sorted(maps.Keys(table)) {
		m := pathMapping{}
		m.prefix, m.suffix, m.star = strings.Cut(pattern, "*")
		for _, t := range table[pattern] {
			if target, ok := joinInside(from, t); ok {
				m.targets = append(m.targets, target)
			}
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b pathMapping) int {
		if a.star != b.star {
			if b.star {
				return -1
			}
			return 1
		}
		return cmp.Compare(len(b.prefix), len(a.prefix))
	})
	return out
}

// patternsIn reads a list of patterns relative to dir; nil if there is none.
func patternsIn(dir string, raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	out := []string{}
	for _, s := range stringOrList(raw) {
		if p, ok := joinInside(dir, s); ok {
			out = append(out, p)
		}
	}
	return out
}

// extendedPath finds the file that extends names: a relative path, or a file in a package of the folder. Installed
// packages are ignored, since they contain no paths of the folder.
func (r *Resolver) extendedPath(dir, base string) (string, bool) {
	if !strings.HasPrefix(base, ".") {
		name, rest := splitPackage(base)
		to, ok := r.scripts.packageOf(dir, name)
		if !ok {
			return "", false
		}
		dir, base = to, cmp.Or(rest, "tsconfig.json")
	}
	p, ok := joinInside(dir, base)
	if !ok {
		return "", false
	}
	if path.Ext(p) != ".json" {
		if q := path.Join(p, "tsconfig.json"); r.configs.Texts[q] != "" {
			return q, true
		}
		p += ".json"
	}
	return p, true
}

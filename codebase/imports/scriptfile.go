package imports

import (
	"path"
	"strings"
)

// The extensions that are tried for a specifier without one. The compiler looks for TypeScript first; runtimes for
// JavaScript look for JavaScript first.
var (
	typedExtensions = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.mts", ".d.cts"}
	runExtensions   = []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".d.ts"}
	// sourceExtensions maps the extension of a built file to those of its sources.
	sourceExtensions = map[string][]string{
		".js": {".ts", ".tsx", ".d.ts"}, ".jsx": {".tsx", ".ts", ".d.ts"},
		".mjs": {".mts", ".d.mts"}, ".cjs": {".cts", ".d.cts"},
	}
)

// assets are extensions of files that a program loads and that are no code.
var assets = setOf(
	".css", ".scss", ".sass", ".less", ".styl", ".pcss", ".postcss", ".json", ".json5", ".jsonc", ".svg", ".png", ".jpg", ".jpeg",
	".gif", ".webp", ".avif", ".ico", ".bmp", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".ogg", ".webm", ".wav",
	".wasm", ".html", ".htm", ".vue", ".svelte", ".astro", ".md", ".mdx", ".txt", ".yaml", ".yml", ".toml", ".graphql", ".gql",
	".glsl", ".wgsl", ".frag", ".vert", ".csv", ".xml", ".pdf", ".node", ".hbs", ".ejs", ".pug",
)

// isTyped reports whether a file is TypeScript. The compiler resolves its imports; imports of other files are
// resolved when they run.
func isTyped(p string) bool {
	switch path.Ext(p) {
	case ".ts", ".tsx", ".mts", ".cts":
		return true
	}
	return false
}

// scriptFile finds the file for a path without extension, with the extension of its build product, or of a folder.
func (r *Resolver) scriptFile(p string, typed bool) string {
	if found := r.scriptOnly(p, typed); found != "" {
		return found
	}
	return r.scriptFolder(p, typed)
}

// scriptOnly is scriptFile without folders.
func (r *Resolver) scriptOnly(p string, typed bool) string {
	if !typed && r.has(p) {
		return p
	}
	ext := path.Ext(p)
	for _, e := range sourceExtensions[ext] {
		if q := p[:len(p)-len(ext)] + e; r.has(q) {
			return q
		}
	}
	if r.has(p) {
		return p
	}
	if dir := dirOf(p); !r.holds(dir) {
		return ""
	}
	for _, e := range extensionsFor(typed) {
		if r.has(p + e) {
			return p + e
		}
	}
	if assets[ext] { // x.css.d.ts is found above; x.d.css.ts declares x.css
		if q := p[:len(p)-len(ext)] + ".d" + ext + ".ts"; r.has(q) {
			return q
		}
	}
	return ""
}

func extensionsFor(typed bool) []string {
	if typed {
		return typedExtensions
	}
	return runExtensions
}

// scriptFolder finds the file for a folder: the entry in its package.json, or else its index.
func (r *Resolver) scriptFolder(p string, typed bool) string {
	if !r.isFolder(p) {
		return ""
	}
	if pkg, ok := r.scripts.packages[p]; ok {
		for _, entry := range pkg.entries(typed) {
			if q, ok := joinInside(p, entry); ok {
				if found := r.scriptOnly(q, typed); found != "" {
					return found
				}
			}
		}
	}
	if !r.holds(p) {
		return ""
	}
	for _, e := range extensionsFor(typed) {
		if q := path.Join(p, "index"+e); r.has(q) {
			return q
		}
	}
	return ""
}

// entries returns the files for the package's bare name, best first.
func (pkg *scriptPackage) entries(typed bool) []string {
	if typed {
		return append(pkg.declared[:len(pkg.declared):len(pkg.declared)], pkg.run...)
	}
	return append(pkg.run[:len(pkg.run):len(pkg.run)], pkg.declared...)
}

// unmapped tells an asset from a missing file.
func unmapped(spec string) Target {
	if assets[strings.ToLower(path.Ext(spec))] {
		return Target{Reason: Asset}
	}
	return Target{Reason: Missing}
}

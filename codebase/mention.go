package codebase

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// mentions are the places in code that a task names.
type mentions struct {
	paths  []string // what looks like a path or a dotted module, in lower case, with slashes
	places []place  // of the paths, those with a line
}

// place is a line of a file, as compilers and stack traces give it.
type place struct {
	path string // as in mentions.paths
	line int    // 1-based
}

// The bounds of what counts of a task, the first ones: a stack trace names some thirty
// paths, and each is compared with every file.
const (
	maxPaths  = 64
	maxPlaces = 32
)

var (
	pathPattern = lazyregexp.New(`[\w@~-]+(?:[./\\][\w@~-]+)+`)

	// routePattern finds what may be a path of a web framework that has parameters and
	// groups in its names: app/(shop)/[id].tsx, routes/+page.svelte.
	routePattern = lazyregexp.New(`[\w@~.+$/()\[\]-]*[+$()\[\]][\w@~.+$/()\[\]-]*`)
	routeSegment = lazyregexp.New(`^(?:(?:\([\w.-]+\))+[\w.-]*|\[{1,2}(?:\.{3})?[\w=-]+\]{1,2}(?:\.[\w.]+)?|[+$][\w.-]+|[\w@~.-]+)$`)

	// linePattern is what stands behind a path before its line: a.go:12, "a.py", line 12,
	// a.ts(12,5).
	linePattern = lazyregexp.New(`^(?::|["'],? line |\()(\d{1,7})\b`)

	// qualifiedPattern finds the names of Rust, C++, PHP's classes and Ruby.
	qualifiedPattern = lazyregexp.New(`\b[\pL_]\w*(?:::[\pL_]\w*)+`)
)

// mentionsIn returns what looks like a path (src/auth/jwt.ts, jwt.ts:12), a dotted
// module (django.db.models) or a qualified name (codec::framed::Framed) in the text.
func mentionsIn(text string) (m mentions) {
	plain := []byte(text) // without what is a route, whose parts are no paths
	for _, at := range routePattern().FindAllStringIndex(text, -1) {
		if p := route(text[at[0]:at[1]]); p != "" {
			m.add(p, text[at[1]:])
			for i := at[0]; i < at[1]; i++ {
				plain[i] = ' '
			}
		}
	}
	for _, at := range pathPattern().FindAllIndex(plain, -1) {
		m.add(strings.ReplaceAll(string(plain[at[0]:at[1]]), `\`, "/"), text[at[1]:])
	}
	for _, name := range qualifiedPattern().FindAllString(text, -1) {
		m.addQualified(name)
	}
	return m
}

// route returns the path that a text is; "" if it is none, or has nothing that other
// paths have not.
func route(text string) string {
	text = strings.TrimRight(text, ".")
	if !strings.ContainsAny(text, "[]()+$") || !strings.ContainsRune(text, '/') && path.Ext(text) == "" {
		return ""
	}
	for segment := range strings.SplitSeq(strings.Trim(text, "/"), "/") {
		if !routeSegment().MatchString(segment) {
			return ""
		}
	}
	return text
}

// add takes a path, and the line that may follow it.
func (m *mentions) add(p, rest string) {
	p = strings.ToLower(strings.Trim(p, "./~"))
	if p == "" {
		return
	}
	if !slices.Contains(m.paths, p) {
		if len(m.paths) == maxPaths {
			return
		}
		m.paths = append(m.paths, p)
	}
	if line := linePattern().FindStringSubmatch(rest[:min(len(rest), 20)]); line != nil && len(m.places) < maxPlaces {
		n, _ := strconv.Atoi(line[1]) // digits, few of them
		m.places = append(m.places, place{p, n})
	}
}

// addQualified takes a name as the dotted module that it may be, with what it begins with
// and without: that is a package, whose folder often has another name, or "crate".
func (m *mentions) addQualified(name string) {
	parts := strings.Split(name, "::")
	for i := range min(2, len(parts)-1) {
		m.add(strings.Join(parts[i:], "."), "")
	}
}

// mention tells how strongly a path is named: 1 by its full name, a little less
// by a suffix of several segments or by a dotted module, least by a bare file
// name, which several files may have.
func mention(p string, asked []string) float64 {
	p = strings.ToLower(p)
	base := path.Base(p)
	dotted := strings.ReplaceAll(strings.TrimSuffix(p, path.Ext(p)), "/", ".")
	best := 0.0
	for _, a := range asked {
		switch {
		case a == p:
			best = max(best, 1)
		case strings.Contains(a, "/") && (strings.HasSuffix(a, "/"+p) || strings.HasSuffix(p, "/"+a)):
			best = max(best, .95)
		case strings.Contains(a, "/") && strings.HasSuffix("/"+strings.TrimSuffix(p, path.Ext(p)), "/"+a):
			best = max(best, .85)
		case a == base:
			best = max(best, namedBase)
		case strings.Contains(a, ".") && namesModule(dotted, a):
			best = max(best, .7)
		}
	}
	return best
}

// namedBase is the mention of a file by its bare name.
const namedBase = .8

// namesModule reports whether a dotted name is a module or something inside it:
// django.db.models.Model names django/db/models.py.
func namesModule(dotted, asked string) bool {
	for {
		if asked == dotted || strings.HasSuffix(dotted, "."+asked) {
			return true
		}
		i := strings.LastIndexByte(asked, '.')
		if i < 0 || !strings.Contains(asked[:i], ".") {
			return false
		}
		asked = asked[:i]
	}
}

// sharedName is how many files may have the name that a place gives before it says
// nothing of any of them.
const sharedName = 3

// spellPlaces takes the names of the symbols around the lines that the task gives as
// spelled by it. The files' mentions are known.
func (p *taskPlan) spellPlaces(m *RepoMap) {
	for _, at := range p.places {
		var best float64
		var files []*Chunk
		for i, c := range m.chunks {
			if p.signals[i][Mention] < max(best, namedBase) {
				continue
			}
			switch named := mention(c.Path, []string{at.path}); {
			case named < max(best, namedBase):
			case named > best:
				best, files = named, append(files[:0], c)
			default:
				files = append(files, c)
			}
		}
		if len(files) > sharedName {
			continue
		}
		for _, c := range files {
			if name := m.symbolAround(c, at.line); name != "" && !p.spells(name) {
				p.names = append(p.names, taskName{name, 1})
			}
		}
	}
}

// symbolAround returns the name of the innermost symbol around a line, "" if there is none or
// the file is not what the map was made of.
func (m *RepoMap) symbolAround(c *Chunk, line int) (name string) {
	text, err := m.Read(c.Path)
	if err != nil || HashOf(text) != c.Hash {
		return ""
	}
	start := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return ""
		}
		start += i + 1
	}
	first := start + len(text[start:]) - len(strings.TrimLeft(text[start:], " \t"))
	for _, s := range c.Symbols() { // the inner one begins later
		if s.Range.Start <= first && first < s.Range.End {
			name = s.Name
		}
	}
	return name
}

func (p *taskPlan) spells(name string) bool {
	return slices.ContainsFunc(p.names, func(n taskName) bool { return n.name == name })
}

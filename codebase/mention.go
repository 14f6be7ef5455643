package codebase

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// mentions holds the places in code that a task names.
type mentions struct {
	paths  []string // texts that look like a path or a dotted module, in lower case, with slashes
	places []place  // the paths that have a line; frames of one stack trace are together, innermost first
}

// place is a line of a file, as in the output of compilers, stack traces, links and differences.
type place struct {
	path  string // as in mentions.paths
	line  int    // 1-based
	trace int    // the number of its stack trace, 0 for none
	at    int    // position in the task
	last  bool   // its form is used where the innermost frame comes last
	alone bool   // its form is that of a compiler's message, not of a frame
}

// The limits of a task's mentions. A stack trace names some thirty paths, and each is compared with every file. If
// there are more, the first and the last ones count, since the innermost frame is among them.
const (
	maxPaths  = 64
	maxPlaces = 32
)

var (
	pathPattern = lazyregexp.New(`[\w@~-]+(?:[./\\][\w@~-]+)+`)

	// routePattern matches possible paths in a web framework whose file names contain parameters and groups:
	// app/(shop)/[id].tsx, routes/+page.svelte.
	routePattern = lazyregexp.New(`[\w@~.+$/()\[\]-]*[+$()\[\]][\w@~.+$/()\[\]-]*`)
	routeSegment = lazyregexp.New(`^(?:(?:\([\w.-]+\))+[\w.-]*|\[{1,2}(?:\.{3})?[\w=-]+\]{1,2}(?:\.[\w.]+)?|[+$][\w.-]+|[\w@~.-]+)$`)

	// linePattern matches the text between a path and its line number: a.go:12, "a.py", line 12,
	// a.ts(12,5), a.go#L12.
	linePattern = lazyregexp.New(`^(?::|["'],? line |\(|#L)(\d{1,7})\b(?:(: in )|(?::\d+)?(: ))?`)

	// linkPattern matches a link to a file of a repository. The group is the file's path.
	linkPattern = lazyregexp.New(`(?:https?://)?[\w-]+(?:\.[\w-]+)+/[\w.-]+/[\w.-]+(?:/-)?/(?:blob|blame|raw|tree)/[^/\s]+/([\w@~./+-]+)`)

	// failurePattern matches the place of a failure: a frame, or the name of a test as runners print it,
	// tests/a.py::TestA::test_b.
	failurePattern = lazyregexp.New(`[\w./\\-]+\.\w+(?:(?:::\w+)+|:\d+|", line \d+)`)

	// hunkPattern matches the head of a hunk in a difference.
	hunkPattern = lazyregexp.New(`^@@ -(\d{1,7})(?:,\d+)? \+\d+(?:,\d+)? @@`)

	// qualifiedPattern matches qualified names of Rust, C++, PHP's classes and Ruby.
	qualifiedPattern = lazyregexp.New(`\b[\pL_]\w*(?:::[\pL_]\w*)+`)
)

// mentionsIn returns the texts that look like a path (src/auth/jwt.ts, jwt.ts:12), a dotted module
// (django.db.models) or a qualified name (codec::framed::Framed).
func mentionsIn(text string) (m mentions) {
	for _, at := range linkPattern().FindAllStringSubmatchIndex(text, -1) {
		m.add(linked+text[at[2]:at[3]], text, at[1])
	}
	text = withoutLinks(text)
	plain := []byte(text) // without routes, whose parts are not paths
	for _, at := range routePattern().FindAllStringIndex(text, -1) {
		if p := route(text[at[0]:at[1]]); p != "" {
			m.add(p, text, at[1])
			for i := at[0]; i < at[1]; i++ {
				plain[i] = ' '
			}
		}
	}
	for _, at := range pathPattern().FindAllIndex(plain, -1) {
		m.add(strings.ReplaceAll(string(plain[at[0]:at[1]]), `\`, "/"), text, at[1])
	}
	for _, at := range qualifiedPattern().FindAllStringIndex(text, -1) {
		if at[0] == 0 || text[at[0]-1] != '.' { // otherwise it is the extension in a test's name
			m.addQualified(text[at[0]:at[1]])
		}
	}
	m.addHunks(text)
	m.findTraces(text)
	if n := len(m.paths); n > maxPaths {
		m.paths = slices.Delete(m.paths, maxPaths/2, n-maxPaths/2)
	}
	return m
}

// linked begins a path that comes from a link. Files of other repositories may have the same name. So it names
// only a file whose whole path, within the project, matches.
const linked = "\x00"

// withoutLinks blanks links to files of repositories, since the repository and its host mean nothing for the
// ranking.
func withoutLinks(text string) string {
	return linkPattern().ReplaceAllStringFunc(text, func(link string) string { return strings.Repeat(" ", len(link)) })
}

// addHunks adds the lines that a difference changes.
func (m *mentions) addHunks(text string) {
	file, pos := "", 0
	for line := range strings.Lines(text) {
		if p, ok := strings.CutPrefix(line, "--- a/"); ok {
			file = strings.ToLower(strings.TrimSpace(p))
			m.addPath(file)
		} else if hunk := hunkPattern().FindStringSubmatch(line); hunk != nil && file != "" {
			n, _ := strconv.Atoi(hunk[1])
			m.places = append(m.places, place{path: file, line: n + hunkContext, at: pos})
		}
		pos += len(line)
	}
}

// hunkContext is how many lines a difference shows before a change.
const hunkContext = 3

// frameLines bounds the lines between two frames of a stack trace, some of which show code.
const frameLines = 3

// findTraces numbers the stack traces, and reverses those that begin with the outermost frame.
func (m *mentions) findTraces(text string) {
	slices.SortStableFunc(m.places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	traces := 0
	for from := 0; from < len(m.places); {
		to := from + 1
		for to < len(m.places) && m.places[to].follows(&m.places[to-1], text) {
			to++
		}
		if frames := m.places[from:to]; len(frames) > 1 {
			traces++
			for i := range frames {
				frames[i].trace = traces
			}
			if frames[0].last {
				slices.Reverse(frames)
			}
		}
		from = to
	}
	if n := len(m.places); n > maxPlaces {
		m.places = slices.Delete(m.places, maxPlaces/2, n-maxPlaces/2)
	}
}

// follows reports whether two places may be consecutive frames of one stack trace.
func (p *place) follows(before *place, text string) bool {
	return !p.alone && !before.alone && strings.Count(text[before.at:p.at], "\n") <= frameLines
}

// route returns the path in a text. It is "" if the text is no path, or has none of the characters that only
// routes have.
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

// add adds a path, with the line number that may follow at end.
func (m *mentions) add(p, text string, end int) {
	p = strings.ToLower(strings.Trim(p, "./~"))
	if p == "" {
		return
	}
	m.addPath(p)
	if line := linePattern().FindStringSubmatch(text[end:min(len(text), end+20)]); line != nil {
		n, _ := strconv.Atoi(line[1]) // a few digits
		last := line[2] != "" || strings.Contains(line[0], "line")
		m.places = append(m.places, place{path: p, line: n, at: end, last: last, alone: line[3] != ""})
	}
}

func (m *mentions) addPath(p string) {
	if !slices.Contains(m.paths, p) {
		m.paths = append(m.paths, p)
	}
}

// addQualified adds a name as a dotted module, once with its first segment and once without. That segment may be a
// package whose folder has another name, or "crate".
func (m *mentions) addQualified(name string) {
	parts := strings.Split(name, "::")
	for i := range min(2, len(parts)-1) {
		m.add(strings.Join(parts[i:], "."), "", 0)
	}
}

// mention returns how strongly a text names a path. It is 1 for the full name. It is a little less for an end of
// several segments or a dotted module. It is less again for a common end, as for a package installed in another
// folder, and for a bare file name.
func mention(p, asked string) float64 {
	p = strings.ToLower(p)
	if whole, ok := strings.CutPrefix(asked, linked); ok {
		return bit(whole == p || strings.Contains(p, "/") && strings.HasSuffix(whole, "/"+p))
	}
	slash, bare := strings.Contains(asked, "/"), strings.TrimSuffix(p, path.Ext(p))
	name := p[strings.LastIndexByte(p, '/')+1:]
	switch {
	case asked == p:
		return 1
	case slash && strings.HasSuffix(p, "/"+asked), strings.Contains(p, "/") && strings.HasSuffix(asked, "/"+p):
		return .95
	case slash && strings.HasSuffix("/"+bare, "/"+asked):
		return fullName
	case asked == name:
		return namedBase
	case strings.HasSuffix(asked, name):
		if n := sameEnd(p, asked); n > 1 || n == 1 && name == p {
			return namedBase - .1/float64(n)
		}
	}
	stem := bare[strings.LastIndexByte(bare, '/')+1:] // every name in the module contains it
	if strings.Contains(asked, ".") && strings.Contains(asked, stem) && namesModule(strings.ReplaceAll(bare, "/", "."), asked) {
		return .7
	}
	return 0
}

// sameEnd counts the segments that two paths have in common at their end.
func sameEnd(a, b string) (n int) {
	for path.Base(a) == path.Base(b) {
		n++
		a, b = dirOf(a), dirOf(b)
		if a == "" || b == "" {
			break
		}
	}
	return n
}

// The strength of a bare file name, and of a full one without the extension.
const (
	namedBase = .8
	fullName  = .85
)

// namesModule reports whether a dotted name is a module or something inside one: django.db.models.Model names
// django/db/models.py.
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

// sharedName is the number of files with one name beyond which a place with that name counts for none of them.
const sharedName = 3

// outerFrame is the weight of a file in an outer frame of a stack trace. The innermost frame in the repository's
// own code has weight 1.
const outerFrame = .6

// naming holds the files that a path in a task may mean: those that it names best, and those whose full name it
// ends with, since the test of a file may be named after the file.
type naming struct {
	best  []int
	files map[int]float64 // index of the file → strength
}

// namedBy finds the files that a path may name. If several files share a name, such as a bare file name, each
// counts less.
func namedBy(asked string, chunks []*Chunk) naming {
	n := naming{files: map[int]float64{}}
	strongest, sharing := 0.0, map[float64]int{}
	for i, c := range chunks {
		named := mention(c.Path, asked)
		if named == 0 || named < strongest && named < fullName {
			continue
		}
		if named > strongest {
			strongest, n.best = named, n.best[:0]
		}
		if named == strongest {
			n.best = append(n.best, i)
		}
		n.files[i] = named
		sharing[named]++
	}
	for i, named := range n.files {
		if named < strongest && named < fullName {
			delete(n.files, i)
			continue
		}
		n.files[i] = named / float64(sharing[named])
	}
	return n
}

// scoreMentions scores the files that the task names.
func (p *taskPlan) scoreMentions(ctx context.Context, m *RepoMap) {
	of := map[string]naming{}
	for _, asked := range p.task.paths {
		if ctx.Err() != nil {
			return
		}
		of[asked] = namedBy(asked, m.chunks)
	}
	outer := map[string]bool{}
	inner := 0 // the last trace whose innermost frame in own code is known
	for _, at := range p.places {
		n := of[at.path]
		own := len(n.best) <= sharedName && slices.ContainsFunc(n.best, func(i int) bool { return !p.demotes(m.chunks[i]) })
		switch {
		case at.trace > 0 && at.trace == inner:
			if _, known := outer[at.path]; !known {
				outer[at.path] = true
			}
			continue
		case !own:
			continue
		}
		inner, outer[at.path] = at.trace, false
		for _, i := range n.best {
			if name := m.symbolAround(m.chunks[i], at.line); name != "" && !p.spells(name) {
				p.names = append(p.names, taskName{name, 1})
			}
		}
	}
	for asked, n := range of {
		for i, strength := range n.files {
			if outer[asked] {
				strength *= outerFrame
			}
			p.signals[i][Mention] = max(p.signals[i][Mention], strength)
		}
	}
}

// symbolAround returns the name of the innermost symbol around a line. It is "" if there is none, or if the file
// has changed since the map was made.
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
	for _, s := range c.Symbols() { // a later symbol is an inner one
		if s.Range.Start <= first && first < s.Range.End {
			name = s.Name
		}
	}
	return name
}

func (p *taskPlan) spells(name string) bool {
	return slices.ContainsFunc(p.names, func(n taskName) bool { return n.name == name })
}

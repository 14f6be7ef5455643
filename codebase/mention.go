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

// mentions are the places in code that a task names.
type mentions struct {
	paths  []string // what looks like a path or a dotted module, in lower case, with slashes
	places []place  // of the paths, those with a line; frames of one stack trace stand together, the innermost first
}

// place is a line of a file, as compilers, stack traces, links and differences give it.
type place struct {
	path  string // as in mentions.paths
	line  int    // 1-based
	trace int    // the number of the stack trace that it is a frame of, 0 for none
	at    int    // where in the task
	last  bool   // written as where the innermost frame comes last
	alone bool   // written as what a compiler says of it, no frame
}

// The limits of a task's mentions: a stack trace names some thirty paths, and each is compared with every
// file. Of more, the first and the last ones count, since the innermost frame is one of these.
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

	// linePattern matches the text between a path and its line number: a.go:12, "a.py", line 12,
	// a.ts(12,5), a.go#L12.
	linePattern = lazyregexp.New(`^(?::|["'],? line |\(|#L)(\d{1,7})\b(?:(: in )|(?::\d+)?(: ))?`)

	// linkPattern is a link to a file of a repository, with the file's path.
	linkPattern = lazyregexp.New(`(?:https?://)?[\w-]+(?:\.[\w-]+)+/[\w.-]+/[\w.-]+(?:/-)?/(?:blob|blame|raw|tree)/[^/\s]+/([\w@~./+-]+)`)

	// failurePattern is where something fails: a frame, or a test's name as runners give it, tests/a.py::TestA::test_b.
	failurePattern = lazyregexp.New(`[\w./\\-]+\.\w+(?:(?:::\w+)+|:\d+|", line \d+)`)

	// hunkPattern is the head of a run of lines in a difference.
	hunkPattern = lazyregexp.New(`^@@ -(\d{1,7})(?:,\d+)? \+\d+(?:,\d+)? @@`)

	// qualifiedPattern finds the names of Rust, C++, PHP's classes and Ruby.
	qualifiedPattern = lazyregexp.New(`\b[\pL_]\w*(?:::[\pL_]\w*)+`)
)

// mentionsIn returns what looks like a path (src/auth/jwt.ts, jwt.ts:12), a dotted
// module (django.db.models) or a qualified name (codec::framed::Framed) in the text.
func mentionsIn(text string) (m mentions) {
	for _, at := range linkPattern().FindAllStringSubmatchIndex(text, -1) {
		m.add(linked+text[at[2]:at[3]], text, at[1])
	}
	text = withoutLinks(text)
	plain := []byte(text) // without what is a route, whose parts are no paths
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
		if at[0] == 0 || text[at[0]-1] != '.' { // of a test's name the ending
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

// linked begins the path that a link leads to. Other repositories have files of the same name: it names the file that
// has all of the path, as far as the project reaches.
const linked = "\x00"

// withoutLinks blanks the links to files of repositories: what repository they are in, and where it is, says nothing.
func withoutLinks(text string) string {
	return linkPattern().ReplaceAllStringFunc(text, func(link string) string { return strings.Repeat(" ", len(link)) })
}

// addHunks takes the lines that a difference changes.
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

// hunkContext is how many lines a difference shows before what it changes.
const hunkContext = 3

// frameLines is how many lines stand between two frames of a stack trace at most: some show the code.
const frameLines = 3

// findTraces numbers the stack traces, and turns those that begin with the outermost frame.
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

// follows reports whether two places may be frames of one stack trace.
func (p *place) follows(before *place, text string) bool {
	return !p.alone && !before.alone && strings.Count(text[before.at:p.at], "\n") <= frameLines
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

// add takes a path, and the line that may follow it at the end.
func (m *mentions) add(p, text string, end int) {
	p = strings.ToLower(strings.Trim(p, "./~"))
	if p == "" {
		return
	}
	m.addPath(p)
	if line := linePattern().FindStringSubmatch(text[end:min(len(text), end+20)]); line != nil {
		n, _ := strconv.Atoi(line[1]) // digits, few of them
		last := line[2] != "" || strings.Contains(line[0], "line")
		m.places = append(m.places, place{path: p, line: n, at: end, last: last, alone: line[3] != ""})
	}
}

func (m *mentions) addPath(p string) {
	if !slices.Contains(m.paths, p) {
		m.paths = append(m.paths, p)
	}
}

// addQualified takes a name as the dotted module that it may be, with what it begins with
// and without: that is a package, whose folder often has another name, or "crate".
func (m *mentions) addQualified(name string) {
	parts := strings.Split(name, "::")
	for i := range min(2, len(parts)-1) {
		m.add(strings.Join(parts[i:], "."), "", 0)
	}
}

// mention tells how strongly a path is named: 1 by its full name, a little less
// by a suffix of several segments or by a dotted module, less by what both end with, where
// a package is installed under another folder, or by a bare file name.
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
	stem := bare[strings.LastIndexByte(bare, '/')+1:] // which every name of the module has
	if strings.Contains(asked, ".") && strings.Contains(asked, stem) && namesModule(strings.ReplaceAll(bare, "/", "."), asked) {
		return .7
	}
	return 0
}

// sameEnd counts the segments that two paths end with.
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

// The mention of a file by its bare name, and by its full one without the ending.
const (
	namedBase = .8
	fullName  = .85
)

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

// outerFrame is the weight of a file in an outer frame of a stack trace; 1 is the innermost frame in the
// repository's own code.
const outerFrame = .6

// naming holds the files that a path in a task may mean: those that it names best, and those whose full name it ends with
// too, as the test of a file may be named after it.
type naming struct {
	best  []int
	files map[int]float64 // how strongly
}

// namedBy finds what a path names. What several files share, as a bare name, says as much less of each.
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
	inner := 0 // the last trace whose innermost own frame is known
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

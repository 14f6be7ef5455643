package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// rustCrate is rustdoc's description of one crate.
type rustCrate struct {
	root  int
	items map[int]rustItem
	files map[string]int // file → the module that it is
	above map[int]int    // module → its parent
}

// rustItem holds the members that are read of an item of rustdoc's JSON.
type rustItem struct {
	Name string `json:"name"`
	Span *struct {
		Filename string `json:"filename"`
		Begin    [2]int `json:"begin"`
	} `json:"span"`
	Inner struct {
		Module *struct {
			Items []int `json:"items"`
		} `json:"module"`
		Use *struct {
			Source string `json:"source"`
			Name   string `json:"name"`
			ID     *int   `json:"id"`
			Glob   bool   `json:"is_glob"`
		} `json:"use"`
	} `json:"inner"`
}

func decodeCrate(b []byte) (*rustCrate, error) {
	var doc struct {
		Root  int              `json:"root"`
		Index map[int]rustItem `json:"index"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	c := &rustCrate{root: doc.Root, items: doc.Index, files: map[string]int{}, above: map[int]int{}}
	for id, item := range c.items {
		m := item.Inner.Module
		if m == nil {
			continue
		}
		for _, child := range m.Items {
			c.above[child] = id
		}
		if item.Span != nil && item.Span.Begin == [2]int{1, 1} {
			c.files[item.Span.Filename] = id
		}
	}
	return c, nil
}

// fileOf returns the file in which a module's text stands.
func (c *rustCrate) fileOf(id int) string {
	if s := c.items[id].Span; s != nil {
		return s.Filename
	}
	return ""
}

// child finds a name in a module. A name that is no module gives module false.
func (c *rustCrate) child(id int, name string, depth int) (next int, module, found bool) {
	m := c.items[id].Inner.Module
	if m == nil || depth == 0 {
		return 0, false, false
	}
	for _, i := range m.Items {
		item := c.items[i]
		if item.Name == name && item.Inner.Module != nil {
			return i, true, true
		}
	}
	for _, i := range m.Items {
		item := c.items[i]
		u := item.Inner.Use
		switch {
		case u == nil && item.Name == name:
			return 0, false, true
		case u != nil && !u.Glob && u.Name == name && u.ID != nil:
			return *u.ID, c.items[*u.ID].Inner.Module != nil, true
		}
	}
	for _, i := range m.Items {
		u := c.items[i].Inner.Use
		if u == nil || !u.Glob || u.ID == nil {
			continue
		}
		if next, module, found := c.child(*u.ID, name, depth-1); found {
			return next, module, true
		}
	}
	return 0, false, false
}

// rustOracle are the crates of one checkout.
type rustOracle struct {
	dir    string
	crates map[string]*rustCrate // libraries
	homes  map[string]home
}

// home is where a file belongs.
type home struct {
	names  map[string]string // a dependency of the checkout, as written → its crate
	root   string            // the root file
	crate  *rustCrate        // nil: the root of a test, bench or example
	module int
}

// maxGlobs bounds chains of glob re-exports, which may be circles.
const maxGlobs = 8

// answer resolves one statement of a file.
func (o *rustOracle) answer(file string, h home, s rustStatement) answer {
	a := answer{File: file, Spec: s.spec}
	if s.mod {
		if h.crate == nil {
			a.Unknown = true
			return a
		}
		id, virtual := h.crate.inline(h.module, s.inline)
		next, module, _ := h.crate.child(id, s.spec, maxGlobs)
		if virtual > 0 || !module {
			a.Unknown = true // left out by a condition
			return a
		}
		a.Paths = []string{h.crate.fileOf(next)}
		return a
	}
	segments := strings.Split(strings.TrimPrefix(s.spec, "::"), "::")
	crate, id, rest, state := o.start(h, s, segments)
	switch {
	case state == startUnknown:
		a.Unknown = true
	case crate != nil:
		a.Paths, a.Unknown = crate.walk(id, rest)
	}
	return a
}

// inline goes down the inline modules around a statement. Those that the
// description lacks (#[cfg(test)] mod tests) are counted.
func (c *rustCrate) inline(id int, names []string) (module, virtual int) {
	for i, name := range names {
		next, ok, _ := c.child(id, name, maxGlobs)
		if !ok {
			return id, len(names) - i
		}
		id = next
	}
	return id, 0
}

const (
	startKnown = iota
	startUnknown
)

// start resolves the first segments of a path; crate nil: it leads out.
func (o *rustOracle) start(h home, s rustStatement, segments []string) (crate *rustCrate, id int, rest []string, state int) {
	first := segments[0]
	if h.crate == nil {
		if slices.Contains([]string{"crate", "self", "super"}, first) {
			return nil, 0, nil, startUnknown
		}
		if c := o.crates[h.names[first]]; c != nil {
			return c, c.root, segments[1:], startKnown
		}
		if _, ours := h.names[first]; ours || first != "std" {
			return nil, 0, nil, startUnknown
		}
		return nil, 0, nil, startKnown
	}
	here, virtual := h.crate.inline(h.module, s.inline)
	switch first {
	case "crate":
		return h.crate, h.crate.root, segments[1:], startKnown
	case "self", "super":
		for len(segments) > 0 && (segments[0] == "super" || segments[0] == "self") {
			switch {
			case segments[0] == "self":
			case virtual > 0:
				virtual--
			default:
				here = h.crate.above[here]
			}
			segments = segments[1:]
		}
		if virtual > 0 {
			return nil, 0, nil, startUnknown
		}
		return h.crate, here, segments, startKnown
	}
	if virtual == 0 && !strings.HasPrefix(s.spec, "::") {
		if _, _, found := h.crate.child(here, first, maxGlobs); found {
			return h.crate, here, segments, startKnown
		}
	}
	if name, ours := h.names[first]; ours {
		if c := o.crates[name]; c != nil {
			return c, c.root, segments[1:], startKnown
		}
		return nil, 0, nil, startUnknown
	}
	if virtual > 0 || s.nested {
		return nil, 0, nil, startUnknown // may be a name of a block or of a conditional module
	}
	return nil, 0, nil, startKnown
}

// walk follows segments down the modules and returns the file of the last one. A
// first segment that nothing known has, before others, is unknown: a private
// import or what a condition leaves out.
func (c *rustCrate) walk(id int, segments []string) ([]string, bool) {
	for i, s := range segments {
		next, module, found := c.child(id, s, maxGlobs)
		if !found && s != "*" && (i+1 < len(segments) || s == strings.ToLower(s)) {
			return nil, true
		}
		if !module {
			break
		}
		id = next
	}
	return []string{c.fileOf(id)}, false
}

package syntax

// nesting follows the definitions in order and knows what encloses each.
type nesting struct {
	scopes []scope // still to come, in order
	locals []Span  // still to come, in order
	stack  []scope
	local  Span // the outermost unnamed function passed last
	lang   Language
}

// enter closes what ended before d and opens the unnamed scopes that contain it.
func (n *nesting) enter(d *definition) {
	for len(n.scopes) > 0 && n.scopes[0].at.Start <= d.inner.Start {
		n.pop(n.scopes[0].at.Start)
		n.stack = append(n.stack, n.scopes[0])
		n.scopes = n.scopes[1:]
	}
	n.pop(d.NameAt.Start)
	for len(n.locals) > 0 && n.locals[0].Start <= d.NameAt.Start {
		if n.locals[0].End > n.local.End {
			n.local = n.locals[0]
		}
		n.locals = n.locals[1:]
	}
	if !n.local.Contains(d.NameAt) {
		n.local = Span{}
	}
}

// parent returns what d stands in: what begins only after its name (the body of
// the class whose parameter it is) does not count.
func (n *nesting) parent(d *definition) scope {
	for i := len(n.stack) - 1; i >= 0; i-- {
		if n.stack[i].at.Start <= d.NameAt.Start {
			return n.stack[i]
		}
	}
	return scope{}
}

func (n *nesting) pop(pos int) {
	for len(n.stack) > 0 && n.stack[len(n.stack)-1].at.End <= pos {
		n.stack = n.stack[:len(n.stack)-1]
	}
}

// isLocal reports whether a definition of this kind stands inside a function.
// In scripts a function inside an unnamed function is kept: whole modules are
// wrapped so. A table of Lua is a value whose functions others call.
func (n *nesting) isLocal(kind Kind) bool {
	for _, s := range n.stack {
		if s.kind == Function || s.kind == Method || n.lang != Lua && (s.kind == Constant || s.kind == Variable) {
			return true
		}
	}
	if n.local == (Span{}) {
		return false
	}
	switch n.lang {
	case Go, TypeScript, TSX, JavaScript, Python, Rust:
		return kind == Constant || kind == Variable
	}
	return true
}

// push makes d enclose what stands in its body.
func (n *nesting) push(d *definition) {
	if d.Body == (Span{}) {
		return
	}
	name := dotted(d.Name)
	if d.Container != "" {
		name = d.Container + "." + name
	}
	n.stack = append(n.stack, scope{at: d.Body, name: name, kind: d.Kind, exported: d.Exported})
}

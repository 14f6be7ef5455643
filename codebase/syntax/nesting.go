package syntax

// nesting goes through the definitions in order, and tracks the scopes that enclose each.
type nesting struct {
	scopes []scope // not reached yet, in order
	locals []Span  // not reached yet, in order
	stack  []scope
	local  Span // the last outermost unnamed function
	lang   Language
}

// enter closes the scopes that ended before d, and opens the unnamed scopes that contain it.
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

// parent returns the scope of d. A scope that begins only after its name does not count, such as the body of a
// class whose parameter d is.
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

// isLocal reports whether a definition of this kind is local to a function. In scripts, a function inside an
// unnamed function is kept, since whole modules are wrapped in one. A table of Lua is a value with functions that
// others call.
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

// push makes d the scope of the definitions in its body.
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

package syntax

// repeats finds definitions that repeat a better one in the file: a later assignment in a script, a further clause
// of a function in Elixir, and a C function's prototype if the function itself is there.
type repeats struct {
	lang    Language
	seen    map[qualifiedName]bool
	defined map[qualifiedName]bool
}

type qualifiedName struct{ container, name string }

func (a *assembler) newRepeats() *repeats {
	r := &repeats{lang: a.lang}
	switch a.lang {
	case Bash, Lua, Elixir:
		r.seen = map[qualifiedName]bool{}
	case C, Cpp:
		r.defined = map[qualifiedName]bool{}
		for _, d := range a.defs {
			if d.Kind == Function && d.Body.Len() > 0 && d.Container == "" {
				r.defined[qualifiedName{"", d.Name}] = true
			}
		}
	}
	return r
}

func (r *repeats) has(d *definition) bool {
	switch r.lang {
	case Bash, Lua, Elixir:
		if r.lang == Elixir && d.Kind == Module || r.lang != Elixir && d.Kind != Variable && d.Kind != Constant {
			return false
		}
		key := qualifiedName{d.Container, d.Name}
		if r.seen[key] {
			return true
		}
		r.seen[key] = true
	case C, Cpp:
		return d.Kind == Function && d.Body.Len() == 0 && r.defined[qualifiedName{"", d.Name}]
	}
	return false
}

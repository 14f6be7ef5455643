package link

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// inNames checks the entry's names, and returns the files that contain the named symbols.
func (in *inspection) inNames() (files map[string]bool) {
	files = map[string]bool{}
	for _, n := range in.names {
		if len(n.refs) > 0 {
			for _, ref := range n.refs {
				files[ref.Path] = true
			}
			in.symbol(n)
			continue
		}
		if file, ok := in.formerFile(n); ok {
			files[file] = true
		}
	}
	return files
}

// symbol checks a name that leads somewhere.
func (in *inspection) symbol(n naming) {
	if in.links.pages {
		return
	}
	ref, ok := in.meantThen(n)
	if !ok {
		return
	}
	now := in.current(ref.Path)
	if now == nil {
		return
	}
	bare, after, afterLine := now.named(ref.Symbol, ref.Container)
	if v, was, container, ok := in.leftFile(n, ref); ok {
		old, before, line := was.named(ref.Symbol, container)
		in.add(Drift{
			Kind: Moved, At: n.at, Path: v.Then, Symbol: ref.Symbol, To: ref.Path, ToSymbol: ref.Symbol,
			Grade: bagOf(old).difference(bagOf(bare)), Before: before, After: after,
			BeforeLine: line, AfterLine: afterLine,
			Reason: fmt.Sprintf("`%s` moved from `%s` to `%s`", ref.Symbol, v.Then, ref.Path),
		}, v)
		return
	}
	v := in.version(in.ask(ref.Path))
	if !v.There || v.Text == "" || v.Text == now.text {
		return
	}
	was := in.then(v)
	container, ok := was.containerOf(ref.Symbol, ref.Container)
	if !ok {
		return // it was added later, or came from elsewhere
	}
	old, before, line := was.named(ref.Symbol, container)
	grade := bagOf(old).difference(bagOf(bare))
	if grade < ChangedSymbol {
		return
	}
	in.add(Drift{
		Kind: Changed, At: n.at, Path: ref.Path, Symbol: ref.Symbol, Grade: grade, Before: before, After: after,
		BeforeLine: line, AfterLine: afterLine,
		Reason: in.changeOf(ref.Symbol, ref.Path, grade, v),
	}, v)
}

// meantThen chooses among the present meanings of a name: the only one, or the only one that was defined at that
// moment.
func (in *inspection) meantThen(n naming) (CodeRef, bool) {
	same := func(a, b CodeRef) bool { return a.Path == b.Path && a.Container == b.Container }
	refs := slices.CompactFunc(slices.Clone(n.refs), same)
	if len(refs) == 1 {
		return refs[0], true
	}
	refs = slices.DeleteFunc(refs, func(ref CodeRef) bool {
		v := in.version(in.ask(ref.Path))
		if !v.There || !strings.Contains(v.Text, ref.Symbol) {
			return true
		}
		_, _, line := in.then(v).named(ref.Symbol, ref.Container)
		return line == 0
	})
	if len(refs) != 1 {
		return CodeRef{}, false
	}
	return refs[0], true
}

// containerOf finds the container that a symbol had then: the same one, or that of the only symbol with the name.
func (p *parsed) containerOf(name, container string) (string, bool) {
	var others []string
	for _, s := range p.symbols {
		if s.Name != name {
			continue
		}
		if s.Container == container {
			return container, true
		}
		if !slices.Contains(others, s.Container) {
			others = append(others, s.Container)
		}
	}
	if len(others) == 1 {
		return others[0], true
	}
	return "", false
}

// leftFile reports that a symbol was in a file that the entry names and is no longer there, though the file still
// exists.
func (in *inspection) leftFile(n naming, ref CodeRef) (v history.Version, was *parsed, container string, ok bool) {
	if home := in.version(in.ask(ref.Path)); home.There {
		if _, _, line := in.then(home).named(ref.Symbol, ref.Container); line > 0 {
			return v, nil, "", false // it was here then
		}
	}
	for _, p := range in.paths {
		v = in.version(in.askPath(p))
		if !v.There || v.Folder || v.Now == "" || v.Now == ref.Path || v.Then == ref.Path || !strings.Contains(v.Text, ref.Symbol) {
			continue
		}
		now := in.current(v.Now)
		if now == nil || now.text == v.Text || definesAny(now, ref.Symbol) {
			continue
		}
		was = in.then(v)
		if container, ok = was.containerOf(ref.Symbol, ref.Container); ok && fitsName(v.Then, was.module, container, n.name) {
			return v, was, container, true
		}
	}
	return v, nil, "", false
}

func definesAny(p *parsed, name string) bool {
	return slices.ContainsFunc(p.symbols, func(s syntax.Symbol) bool { return s.Name == name })
}

// fitsName reports whether a written name can mean a symbol at that place.
func fitsName(file, module, container string, n written) bool {
	return len(n.words) == 1 || fits(file, module, container, n.qualifier(), strings.EqualFold)
}

// formerFile checks a name that leads nowhere, and returns the present path of the file that contained it. A file
// that exists outside of the map may still define the name.
func (in *inspection) formerFile(n naming) (file string, ok bool) {
	defs := in.resolver.code.Lookup(n.name.last())
	if len(defs) > 0 && (len(n.name.words) == 1 || in.links.pages) {
		return "", false // the name is too common now, or the page still names existing code
	}
	var at history.Version
	var was *parsed
	var old syntax.Symbol
	files := 0
	for _, v := range in.former() {
		if !strings.Contains(v.Text, n.name.last()) {
			continue
		}
		p := in.then(v)
		i := slices.IndexFunc(p.symbols, func(s syntax.Symbol) bool {
			return s.Name == n.name.last() && (!n.name.member || s.Container != "") && fitsName(v.Then, p.module, s.Container, n.name)
		})
		if i < 0 {
			continue
		}
		if home := cmp.Or(v.Now, v.Then); in.resolver.there(home) && in.current(home) == nil {
			return "", false
		}
		if files++; files == 1 {
			at, was, old = v, p, p.symbols[i]
		}
	}
	if files == 0 || files > MaxDefined {
		return "", false
	}
	if in.links.pages && n.bareMember() && !in.namesMembersOf(old.Container) {
		return "", false // .env is a file
	}
	bare, before, line := was.named(old.Name, old.Container)
	d := Drift{Kind: Vanished, At: n.at, Path: at.Then, Symbol: old.Name, Grade: 1, Before: before, BeforeLine: line}
	if to, grade := in.similarSymbol(bagOf(bare), old, at, defs); to.Symbol != nil {
		d.Kind, d.To, d.ToSymbol, d.Grade = Moved, to.Path, to.Symbol.Name, grade
		d.After, d.AfterLine = in.textOf(to)
		d.Reason = fmt.Sprintf("`%s` is gone from `%s`; `%s` in `%s` is %s similar", old.Name, at.Then, to.Symbol.Name, to.Path,
			percent(1-grade))
		d.Replace = in.respellName(n, to)
	} else if now := in.current(cmp.Or(at.Now, at.Then)); now != nil && now.uses(old.Name) {
		return "", false // the file now imports it, from a library or the language
	} else {
		d.Reason = fmt.Sprintf("`%s` is no longer defined; it was in `%s`", old.Name, at.Then)
		if at.Now == "" && at.Event.Hash != "" {
			d.Reason = fmt.Sprintf("`%s` was removed with `%s` (%s)", old.Name, at.Then, event(at.Event))
		}
	}
	in.add(d, at)
	return at.Now, at.Now != ""
}

// bareMember reports whether a name is one word behind a dot, a form that file names have too.
func (n naming) bareMember() bool {
	return n.name.member && len(n.name.words) == 1 && !n.name.called && !tells(n.name.last())
}

// namesMembersOf reports whether a page names present members of a type by a word behind a dot: then the page
// lists members.
func (in *inspection) namesMembersOf(container string) bool {
	return slices.ContainsFunc(in.names, func(n naming) bool {
		return n.bareMember() && slices.ContainsFunc(in.resolver.code.Lookup(n.name.last()), func(d codebase.Definition) bool {
			return d.Symbol.Container == container
		})
	})
}

// maxBeside is how many files of a folder are searched for the continuation of a symbol.
const maxBeside = 50

// similarSymbol finds the symbol that continues one that is gone. It has the same name in another place, or it is
// a new one of the same kind in the same file or folder.
func (in *inspection) similarSymbol(was bag, old syntax.Symbol, v history.Version,
	same []codebase.Definition) (to codebase.Definition, grade float64) {
	if len(was) < minRuns {
		return to, 0
	}
	grade = alike
	try := func(file string, s *syntax.Symbol, now *parsed) {
		if s.Range.End > len(now.text) {
			return
		}
		if g := was.difference(bagOf(now.bare()[s.Range.Start:s.Range.End])); g < grade || g == grade && to.Symbol == nil {
			to, grade = codebase.Definition{Path: file, Symbol: s}, g
		}
	}
	for _, d := range same {
		if now := in.current(d.Path); now != nil {
			try(d.Path, d.Symbol, now)
		}
	}
	for _, file := range in.besides(v) {
		now := in.current(file)
		if now == nil {
			continue
		}
		a := in.ask(file)
		in.read([]history.Ask{a})
		before := in.version(a)
		for i := range now.symbols {
			s := &now.symbols[i]
			if s.Kind != old.Kind || before.There && definesAny(in.then(before), s.Name) {
				continue
			}
			try(file, s, now)
		}
	}
	return to, grade
}

// besides lists the present file of v, and the folder's other files of the same language.
func (in *inspection) besides(v history.Version) (files []string) {
	home := v.Now
	if home == "" {
		home = v.Then
	} else {
		files = append(files, home)
	}
	language := syntax.LanguageOf(home)
	for _, c := range in.code.Chunks() {
		if c.Path != home && c.Language == language && path.Dir(c.Path) == path.Dir(home) && len(files) < maxBeside {
			files = append(files, c.Path)
		}
	}
	return files
}

func (in *inspection) textOf(d codebase.Definition) (text string, line int) {
	if now := in.current(d.Path); now != nil && d.Symbol.Range.End <= len(now.text) {
		return now.text[d.Symbol.Range.Start:d.Symbol.Range.End], 1 + strings.Count(now.text[:d.Symbol.Range.Start], "\n")
	}
	return "", 0
}

// respellName writes a new name in the style of the old one, if the result leads to the new symbol. A qualified name gets
// the type, package or file of the new symbol, unless its qualifier still fits.
func (in *inspection) respellName(n naming, to codebase.Definition) string {
	i := strings.LastIndex(n.text, n.name.last())
	if i < 0 {
		return ""
	}
	last := to.Symbol.Name + n.text[i+len(n.name.last()):]
	ways := []string{n.text[:i] + last, last}
	if q := n.name.qualifier(); len(q) > 0 {
		module := strings.TrimSuffix(path.Base(to.Path), path.Ext(to.Path))
		if c, ok := in.resolver.code.Chunk(to.Path); ok {
			module = cmp.Or(c.Module, module)
		}
		from := strings.LastIndex(n.text[:i], q[len(q)-1]) + len(q[len(q)-1])
		ways = slices.Insert(ways, 1, cmp.Or(to.Symbol.Container, module)+n.text[from:i]+last)
	}
	for _, text := range ways {
		if leads(in.resolver, text, to) && (n.lead == "" || strings.HasSuffix("/"+to.Path, "/"+strings.TrimRight(n.lead, ":#"))) {
			return n.lead + text
		}
	}
	return ""
}

func leads(r *resolver, text string, to codebase.Definition) bool {
	n, ok := nameIn(text)
	return ok && slices.ContainsFunc(r.symbols(text, n).refs, func(ref CodeRef) bool {
		return ref.Path == to.Path && ref.Symbol == to.Symbol.Name
	})
}

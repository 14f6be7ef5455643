package imports

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// New returns a resolver for files, which must be sorted by path. before, if not nil, is a resolver for the same
// configuration. If it has the same paths too, only changed files are read again. A file has changed if its
// pointer has. before is not kept and can still be used.
func New(files []*File, configs Configs, before *Resolver) *Resolver {
	r := &Resolver{
		configs: configs,
		sorted:  files,
		outside: map[string]outsideText{},
		targets: map[string][]Target{},
		rootsOf: map[string][]string{},
		sources: map[wanted]string{},
		reaches: map[string]reach{},
	}
	if changed, ok := changedFiles(files, before); ok {
		r.layout = before.layout
		r.indexes = before.indexes.without(r, before.sorted, changed)
		r.outside, r.goModules, r.scripts, r.python, r.crates = before.outside, before.goModules, before.scripts, before.python,
			before.crates
		r.composer, r.compile = before.composer, before.compile
		return r
	}
	r.layout = newLayout(files)
	r.goModules = readGoModules(configs.Texts)
	r.scripts = readScriptConfigs(r)
	r.python = readPythonRoots(r)
	r.crates = readCrates(configs.Texts)
	r.composer, r.compile = readComposer(configs.Texts), readCompileCommands(r)
	return r
}

// changedFiles returns the files that differ from those of before. ok is false if before has other paths.
func changedFiles(files []*File, before *Resolver) (changed []fileID, ok bool) {
	if before == nil || len(files) != len(before.sorted) {
		return nil, false
	}
	for i, f := range files {
		old := before.sorted[i]
		if old == f {
			continue
		}
		if old.Path != f.Path {
			return nil, false
		}
		changed = append(changed, fileID(i))
	}
	return changed, true
}

// Resolve returns the targets of f's imports, and the files that f depends on.
func (r *Resolver) Resolve(f *File) Links {
	out := Links{Targets: r.targetsOf(f)}
	var deps []string
	for i, imp := range f.Imports {
		deps = append(deps, r.narrowed(f, imp, out.Targets[i].Paths)...)
		deps = append(deps, r.passedOn(f, imp, out.Targets[i])...)
	}
	deps = append(deps, r.samePackage(f)...)
	slices.Sort(deps)
	deps = slices.Compact(deps)
	if i, ok := slices.BinarySearch(deps, f.Path); ok {
		deps = slices.Delete(deps, i, i+1)
	}
	out.Files = slices.Clip(deps)
	return out
}

// target returns the target of one import.
func (r *Resolver) target(f *File, imp syntax.Import) Target {
	switch f.Language {
	case syntax.Go:
		if imp.Kind == syntax.ImportFile {
			return r.filesLike(f, imp.Spec)
		}
		return r.goTarget(f, imp.Spec)
	case syntax.TypeScript, syntax.TSX, syntax.JavaScript:
		return r.script(f.Path, imp.Spec)
	case syntax.Python:
		return r.pythonImport(f.Path, imp)
	case syntax.Rust:
		return r.rust(f, imp)
	case syntax.Java, syntax.Kotlin, syntax.Scala:
		return r.jvmTarget(f, imp)
	case syntax.C, syntax.Cpp:
		return r.include(f, imp)
	case syntax.CSharp:
		return r.csharpTarget(f, imp)
	case syntax.PHP:
		return r.phpTarget(f, imp)
	case syntax.Swift:
		return r.swiftTarget(imp.Spec)
	case syntax.Protobuf:
		return r.protoTarget(f, imp.Spec)
	case syntax.Lua:
		return r.luaTarget(f, imp.Spec)
	case syntax.Bash:
		return r.bashTarget(f, imp.Spec)
	case syntax.HCL:
		return terraformTarget(r, f, imp.Spec)
	case syntax.Ruby:
		return rubyTarget(r, f, imp.Spec+".rb")
	case syntax.Elixir:
		return rubyTarget(r, f, snakeCase(imp.Spec)+".ex")
	}
	return Target{Reason: External}
}

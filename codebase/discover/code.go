package discover

import (
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// isCode reports whether a path names source code: every file whose language has
// a grammar, and the kinds of codeWithoutGrammar, codeNames and editedData, whose text is
// searched though its symbols are not known. Documentation, other data, markup
// and pictures are not code: they hold many words and few answers to what a task
// must change. Extensions count without case.
func isCode(p string) bool {
	if syntax.LanguageOf(p) != "" {
		return true
	}
	base := strings.ToLower(path.Base(p))
	return codeWithoutGrammar[path.Ext(base)] || editedData[path.Ext(base)] || codeNames[base] || strings.HasPrefix(base, "dockerfile.")
}

// codeWithoutGrammar are extensions of text that people write to be executed or
// compiled, each used by enough public repositories to be met. An extension that
// means data or something generated as often as code is not listed: .d is make's
// dependencies, .inc and .in anything, .t and .cls several things.
var codeWithoutGrammar = setOf(
	// Languages for programs.
	".fs .fsx .fsi .vb",
	".dart .zig .nim .cr .erl .hrl .hs .lhs .ml .mli .elm .clj .cljs .cljc .edn .lisp .el .scm .rkt",
	".r .jl .pl .pm .m .groovy .f90 .f95 .f03 .adb .ads .pas .tcl .coffee .sol .gd .asm .s",
	// Shells.
	".fish .ps1 .psm1 .bat .cmd .awk",
	// Interfaces and queries from which code is made.
	".thrift .graphql .gql .prisma",
	// Shaders and hardware.
	".glsl .vert .frag .hlsl .wgsl .v .sv .svh .vhd .vhdl",
	// Builds and machines described by programs.
	".gradle .cmake .mk .bzl .bazel .nix .dockerfile",
)

// editedData are extensions of styles, and of data that people write by hand: workflows, manifests, settings.
var editedData = setOf(".css .scss .sass .less .styl .yml .yaml .toml")

// IsData reports whether files of a kind are in the map for their words although they are not programs.
func IsData(p string) bool { return editedData[strings.ToLower(path.Ext(p))] }

// codeNames are programs for tools that are recognised by their file name.
var codeNames = setOf(
	"makefile gnumakefile dockerfile containerfile jenkinsfile rakefile gemfile podfile vagrantfile justfile brewfile",
	"cmakelists.txt meson.build build workspace sconstruct sconscript wscript tiltfile",
)

// IsTool reports whether a file with this name is written for a tool, such as Makefile.
func IsTool(base string) bool { return codeNames[strings.ToLower(base)] }

func setOf(lines ...string) map[string]bool {
	m := map[string]bool{}
	for _, line := range lines {
		for _, name := range strings.Fields(line) {
			m[name] = true
		}
	}
	return m
}

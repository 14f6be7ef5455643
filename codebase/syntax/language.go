package syntax

import (
	"bytes"
	"path"
	"strings"
)

// Language names a grammar. It is "" for a file without one.
type Language string

// The languages that have a grammar and a query file.
const (
	Go         Language = "go"
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	JavaScript Language = "javascript" // with JSX
	Python     Language = "python"
	Rust       Language = "rust"
	Java       Language = "java"
	C          Language = "c"
	Cpp        Language = "cpp"
	CSharp     Language = "csharp"
	PHP        Language = "php"
	Kotlin     Language = "kotlin"
	Scala      Language = "scala"
	Swift      Language = "swift"
	Bash       Language = "bash" // and other shells with a similar syntax
	Lua        Language = "lua"
	SQL        Language = "sql"
	Protobuf   Language = "protobuf"
	HCL        Language = "hcl" // Terraform and similar languages
	Ruby       Language = "ruby"
	Elixir     Language = "elixir"
)

// languages lists every language, in a fixed order.
func languages() []Language {
	return []Language{
		Go, TypeScript, TSX, JavaScript, Python, Rust, Java, C, Cpp, CSharp,
		PHP, Kotlin, Scala, Swift, Bash, Lua, SQL, Protobuf, HCL, Ruby, Elixir,
	}
}

var languageOfExt = map[string]Language{
	".go": Go,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TSX,
	".js": JavaScript, ".jsx": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
	".vue": TypeScript, ".svelte": TypeScript, ".astro": TypeScript, // their scripts; see scriptOf
	".py": Python, ".pyi": Python, ".pyw": Python, ".pyx": Python, ".pxd": Python,
	".ipynb": Python, // its cells; see texts.Decode
	".rs":    Rust,
	".java":  Java,
	".c":     C, ".h": C,
	".cc": Cpp, ".cpp": Cpp, ".cxx": Cpp, ".hpp": Cpp, ".hh": Cpp, ".hxx": Cpp, ".ipp": Cpp, ".tpp": Cpp,
	".cppm": Cpp, ".ixx": Cpp, ".ccm": Cpp, ".cxxm": Cpp, ".mpp": Cpp, ".cu": Cpp, ".cuh": Cpp, ".mm": Cpp,
	".cs":  CSharp,
	".php": PHP, ".phtml": PHP,
	".kt": Kotlin, ".kts": Kotlin,
	".scala": Scala, ".sc": Scala,
	".swift": Swift,
	".sh":    Bash, ".bash": Bash, ".zsh": Bash, ".ksh": Bash, ".bats": Bash,
	".lua":   Lua,
	".sql":   SQL,
	".proto": Protobuf,
	".tf":    HCL, ".tofu": HCL, ".hcl": HCL, ".tfvars": HCL,
	".rb": Ruby, ".rake": Ruby, ".gemspec": Ruby, ".ru": Ruby,
	".ex": Elixir, ".exs": Elixir,
}

// LanguageOf returns a file's language by its extension. A header counts as C. If the text is available,
// [LanguageFor] is more exact.
func LanguageOf(p string) Language {
	return languageOfExt[strings.ToLower(path.Ext(p))]
}

// maxHead bounds how much of a text LanguageFor examines, in bytes. A C++ header has its first namespace or class
// well before that, after the licence and the includes.
const maxHead = 32 << 10

// LanguageFor returns a file's language by its extension and the beginning of its text. A header with words that
// only C++ has is C++. So is Objective-C, whose other words are repaired. A script without an extension has the
// language of the program in its first line.
func LanguageFor(p string, head []byte) Language {
	head = head[:min(len(head), maxHead)]
	switch ext := strings.ToLower(path.Ext(p)); {
	case ext == ".h" && isCpp(head):
		return Cpp
	case ext == ".m" && isObjectiveC(head):
		return Cpp
	case ext == "":
		return interpreted(head)
	default:
		return languageOfExt[ext]
	}
}

// cppSigns are texts that occur in a C header only in comments, and cppStarts begin no line of one. A header
// without them that cannot be parsed as C is tried as C++ too; see parser.read.
var (
	cppSigns  = []string{"::", "constexpr ", "noexcept", "nullptr", "public:", "private:", "protected:"}
	cppStarts = []string{"class ", "enum class ", "enum struct ", "namespace ", "template<", "template <", "using ", "virtual "}
)

// isObjectiveC tells Objective-C from Matlab, the other language with the extension .m.
func isObjectiveC(head []byte) bool {
	has := func(sign string) bool { return bytes.Contains(head, []byte(sign)) }
	return has("#import") || has("@implementation") || has("@import ")
}

func isCpp(head []byte) bool {
	text := string(head)
	for _, sign := range cppSigns {
		if strings.Contains(text, sign) {
			return true
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		for _, start := range cppStarts {
			if strings.HasPrefix(line, start) {
				return true
			}
		}
		if header, ok := strings.CutPrefix(line, "#include <"); ok && !strings.Contains(header, ".") {
			return true // a header of the C++ library: <string>
		}
	}
	return false
}

// languageOfInterpreter holds the programs that a script's first line can name.
var languageOfInterpreter = map[string]Language{
	"sh": Bash, "bash": Bash, "dash": Bash, "ksh": Bash, "zsh": Bash, "bats": Bash,
	"python": Python, "python3": Python, "lua": Lua, "php": PHP, "ruby": Ruby, "elixir": Elixir,
	"node": JavaScript, "deno": TypeScript, "bun": TypeScript, "tsx": TypeScript, "ts-node": TypeScript,
}

// interpreted returns the language of a script by its first line: #!/bin/sh, #!/usr/bin/env bash.
func interpreted(head []byte) Language {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	command, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return ""
	}
	words := strings.Fields(string(command))
	for len(words) > 1 && (path.Base(words[0]) == "env" || strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return languageOfInterpreter[path.Base(words[0])]
}

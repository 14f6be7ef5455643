package syntax

import (
	"bytes"
	"path"
	"strings"
)

// Language names a grammar; "" means that there is none for a file.
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
	Bash       Language = "bash" // and other shells that read like it
	Lua        Language = "lua"
	SQL        Language = "sql"
	Protobuf   Language = "protobuf"
	HCL        Language = "hcl" // Terraform and its kin
)

// languages lists every language, in a fixed order.
func languages() []Language {
	return []Language{
		Go, TypeScript, TSX, JavaScript, Python, Rust, Java, C, Cpp, CSharp,
		PHP, Kotlin, Scala, Swift, Bash, Lua, SQL, Protobuf, HCL,
	}
}

var languageOfExt = map[string]Language{
	".go": Go,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TSX,
	".js": JavaScript, ".jsx": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
	".py": Python, ".pyi": Python,
	".rs":   Rust,
	".java": Java,
	".c":    C, ".h": C,
	".cc": Cpp, ".cpp": Cpp, ".cxx": Cpp, ".hpp": Cpp, ".hh": Cpp, ".hxx": Cpp,
	".cs":  CSharp,
	".php": PHP,
	".kt":  Kotlin, ".kts": Kotlin,
	".scala": Scala, ".sc": Scala,
	".swift": Swift,
	".sh":    Bash, ".bash": Bash,
	".lua":   Lua,
	".sql":   SQL,
	".proto": Protobuf,
	".tf":    HCL, ".hcl": HCL, ".tfvars": HCL,
}

// LanguageOf tells a file's language by its extension; a header is C. Where the
// text is at hand, [LanguageFor] knows better.
func LanguageOf(p string) Language {
	return languageOfExt[strings.ToLower(path.Ext(p))]
}

// maxHead is how much of a text LanguageFor looks at, in bytes. A C++ header has
// its first namespace or class well before that, after licence and includes.
const maxHead = 32 << 10

// LanguageFor tells a file's language by its extension and the beginning of its
// text: a header with classes, namespaces or templates is C++, and a script
// without an extension is what its first line runs.
func LanguageFor(p string, head []byte) Language {
	head = head[:min(len(head), maxHead)]
	switch ext := strings.ToLower(path.Ext(p)); {
	case ext == ".h" && isCpp(head):
		return Cpp
	case ext == "":
		return interpreted(head)
	default:
		return languageOfExt[ext]
	}
}

// isCpp reports whether a line begins as no line of C does. A comment's lines
// count too, but rarely begin so.
func isCpp(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		for _, start := range []string{"class ", "namespace ", "template<", "template <", "using ", "public:"} {
			if bytes.HasPrefix(line, []byte(start)) {
				return true
			}
		}
	}
	return false
}

// languageOfInterpreter knows the programs that a script's first line names.
var languageOfInterpreter = map[string]Language{
	"sh": Bash, "bash": Bash, "dash": Bash, "ksh": Bash,
	"python": Python, "python3": Python, "node": JavaScript, "lua": Lua, "php": PHP,
}

// interpreted reads a script's first line: #!/bin/sh, #!/usr/bin/env bash.
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

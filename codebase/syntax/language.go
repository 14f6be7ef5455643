package syntax

import (
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
)

// Languages lists every language, in a fixed order.
func Languages() []Language {
	return []Language{Go, TypeScript, TSX, JavaScript, Python, Rust}
}

var languageOfExt = map[string]Language{
	".go": Go,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TSX,
	".js": JavaScript, ".jsx": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
	".py": Python, ".pyi": Python,
	".rs": Rust,
}

// LanguageOf tells a file's language by its extension.
func LanguageOf(p string) Language {
	return languageOfExt[strings.ToLower(path.Ext(p))]
}

package llm

import (
	"io/fs"
	"strings"
	"sync"
	"text/template"
)

// Prompts returns a function that executes the prompt template of a file below prompts/, such as "system.md",
// with its data. Prompts are files beside the code that uses them, templates of package text/template, and
// are read when the function is called first; it panics if one is not a valid template, and is safe for
// concurrent use. An error names a field that the data does not have.
func Prompts(files fs.FS) func(name string, data any) (string, error) {
	all := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Option("missingkey=error").ParseFS(files, "prompts/*.md"))
	})
	return func(name string, data any) (string, error) {
		var b strings.Builder
		err := all().ExecuteTemplate(&b, name, data)
		return b.String(), err
	}
}

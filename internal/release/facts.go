// Command release turns the binaries of a release into packages, checksums, bills of materials and a statement of
// provenance. The script ./release builds the binaries and runs it:
//
//	release targets            prints the platforms: system, architecture, target of zig
//	release pack DIST          makes everything from the binaries in the folder DIST
//	release verify DIST        reads everything again and compares it with the binaries
//
// What is written depends only on the binaries, the templates below ci/packages, and the variables COMMIT and
// SOURCE_DATE_EPOCH (seconds), so that two runs give the same bytes. The facts of ci/packages/facts.json and the
// version of cmd/brv-lsp/serve.go are all that a template knows. The program uses no network and starts no program.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"
)

// facts are available to templates.
type facts struct {
	Name, Title, Short, Description, Licence, Holder, Maintainer, Homepage, MCPName string

	Keywords  []string
	Platforms []*platform

	Version string
	Commit  string
	Date    time.Time
	Sums    map[string]string // SHA-256 of the release's files, by path in the release

	*platform // for a package of one platform
}

// platform is a system and an architecture, with the names that package formats use.
type platform struct {
	OS, Arch string // Go's names
	Zig      string // "": built without cgo
	Node     string // the name in npm and VS Code
	Wheel    string // the tag of a Python wheel
	Deb      string // "": no Debian package
	Mason    string
}

// Exe returns the program's file name.
func (p *platform) Exe() string {
	if p.OS == "windows" {
		return "brv-lsp.exe"
	}
	return "brv-lsp"
}

// Binary returns the program's file name in a release.
func (p *platform) Binary() string {
	return "brv-lsp-" + p.OS + "-" + p.Arch + strings.TrimPrefix(p.Exe(), "brv-lsp")
}

// NodeOS returns the first half of Node.
func (p *platform) NodeOS() string { system, _, _ := strings.Cut(p.Node, "-"); return system }

// NodeArch returns the second half of Node.
func (p *platform) NodeArch() string { _, arch, _ := strings.Cut(p.Node, "-"); return arch }

// URL returns the address of a file of the release.
func (f *facts) URL(name string) string {
	return f.Homepage + "/releases/download/v" + f.Version + "/" + path.Base(name)
}

// names lists the files of the release, sorted by path.
func (f *facts) names() []string { return slices.Sorted(maps.Keys(f.Sums)) }

// Of lists the platforms of a system.
func (f *facts) Of(system string) (out []*platform) {
	for _, p := range f.Platforms {
		if p.OS == system {
			out = append(out, p)
		}
	}
	return out
}

// Bundle returns the path of a platform's MCPB bundle in the release.
func (f *facts) Bundle(p *platform) string {
	return "mcpb/brv-lsp-" + f.Version + "-" + p.OS + "-" + p.Arch + ".mcpb"
}

// Sum returns the SHA-256 of a file of the release, which must exist.
func (f *facts) Sum(name string) (string, error) {
	if f.Sums[name] == "" {
		return "", fmt.Errorf("%s is not in the release", name)
	}
	return f.Sums[name], nil
}

var statedVersion = regexp.MustCompile(`(?m)^const release = "(.+)"$`)

// readFacts reads the facts below the project's folder.
func readFacts(root string) (*facts, error) {
	text, err := os.ReadFile(filepath.Join(root, "ci/packages/facts.json"))
	if err != nil {
		return nil, err
	}
	f := &facts{Sums: map[string]string{}}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("ci/packages/facts.json: %w", err)
	}
	source, err := os.ReadFile(filepath.Join(root, "cmd/brv-lsp/serve.go"))
	if err != nil {
		return nil, err
	}
	stated := statedVersion.FindSubmatch(source)
	if stated == nil {
		return nil, fmt.Errorf("cmd/brv-lsp/serve.go states no version")
	}
	f.Version = string(stated[1])
	return f, nil
}

// render fills in all templates of a folder, whose file names may be templates too.
func (f *facts) render(folder string) (files []entry, err error) {
	in := os.DirFS(folder)
	return files, fs.WalkDir(in, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(in, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		to, err := f.fill(name, name)
		if err != nil {
			return err
		}
		data, err := f.fill(folder+"/"+name, string(text))
		files = append(files, entry{to, info.Mode().Perm()&0o111 != 0, []byte(data)})
		return err
	})
}

// fill fills in a template.
func (f *facts) fill(name, text string) (string, error) {
	// json writes a string as in JSON and YAML; the delimiters << and >> leave other programs' templates
	// unchanged.
	t, err := template.New(name).Delims("<<", ">>").Option("missingkey=error").Funcs(template.FuncMap{
		"json": func(v any) (string, error) {
			var out bytes.Buffer
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			err := enc.Encode(v)
			return strings.ReplaceAll(strings.TrimSpace(out.String()), `","`, `", "`), err
		},
		"upper": strings.ToUpper,
		"list":  func(of ...string) []string { return of },
		"sumOf": func(name string) (string, error) { data, err := os.ReadFile(name); return sum(data), err },
		"split": func(tag string) []string { return strings.Split(tag, ".") }, // the names in the tag of a wheel
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, f)
	return out.String(), err
}

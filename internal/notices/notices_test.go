package notices

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite THIRD-PARTY-NOTICES.txt")

const (
	root      = "../.."
	file      = root + "/THIRD-PARTY-NOTICES.txt"
	extension = root + "/editor/vscode"
	binding   = "github.com/smacker/go-tree-sitter"
)

const head = `Third-party notices of brv-lsp

What the program and its VS Code extension contain of others, with the licences. All of it is
used unmodified; the source of a module, also of one under MPL-2.0, is the module of that path
and version. The numbers lead to the texts below.

This file is written by ` + "`go test ./internal/notices -update`" + `.
`

// part is something of others that is shipped.
type part struct {
	name, version string
	note          string
	texts         []string
}

// grammars are the licences of the grammars by the folders of go-tree-sitter, which has their
// texts no more: what their repositories say.
var grammars = map[string]part{
	"bash":   mit("Copyright (c) 2017 Max Brunsfeld"),
	"c":      mit("Copyright (c) 2014 Max Brunsfeld"),
	"cpp":    mit("Copyright (c) 2014 Max Brunsfeld"),
	"csharp": mit("Copyright (c) 2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors."),
	"elixir": {texts: []string{"LICENSE"}}, // the Apache License, as that of hcl
	"golang": mit("Copyright (c) 2014 Max Brunsfeld"),
	"hcl":    {texts: []string{"LICENSE"}}, // the Apache License, which is ours too
	"java":   mit("Copyright (c) 2017 Ayman Nadeem"),

	"javascript": mit("Copyright (c) 2014 Max Brunsfeld"),
	"lua": {
		note:  "MIT by its Cargo.toml, ISC by its package.json; it has no text of either and names no holder",
		texts: mit("The authors of tjdevries/tree-sitter-lua").texts,
	},
	"protobuf":   mit("Copyright (c) 2021 Mitchell Hashimoto"),
	"python":     mit("Copyright (c) 2016 Max Brunsfeld"),
	"ruby":       mit("Copyright (c) 2016 Rob Rix"),
	"rust":       mit("Copyright (c) 2017 Maxim Sokolov"),
	"scala":      mit("Copyright (c) 2018 Max Brunsfeld and GitHub"),
	"sql":        mit("Copyright (c) 2021 Derek Stride"),
	"swift":      mit("Copyright (c) 2021 alex-pinkus"),
	"typescript": mit("Copyright (c) 2017 Max Brunsfeld"),
}

// mit is a part under the MIT licence of a copyright holder.
func mit(holder string) part { return part{texts: []string{holder + "\n\n{MIT}"}} }

// ofTiktoken is a vocabulary that OpenAI published.
var ofTiktoken = part{note: "a vocabulary of github.com/openai/tiktoken", texts: mit("Copyright (c) 2022 OpenAI, Shantanu Jain").texts}

// embedded says where the data comes from that our packages embed, by path. Prompts and
// queries are the project's own text, as the code is.
var embedded = map[string]part{
	"internal/words/english-stems.txt": {
		note:  "word frequencies, counted in the documentation comments of the Go distribution; only words",
		texts: []string{"{Go}"},
	},
	"internal/words/lexicon.txt": {
		note:  "words of English, from the list american-english-small of SCOWL, 2020.12.07",
		texts: []string{"{SCOWL}"},
	},
	"internal/words/stop.txt": {
		note: "by the Snowball project, which its head names; only words; under the licence of snowballstem",
	},
	"internal/words/synonyms.txt":        {note: "written for this program"},
	"internal/tokens/o200k_base.tokens":  ofTiktoken,
	"internal/tokens/cl100k_base.tokens": ofTiktoken,
}

// The tables of words of other languages were all counted in the same messages.
func init() {
	for _, language := range []string{"de", "es", "fr", "ja", "pt-br", "zh"} {
		embedded["internal/foreign/tables/"+language+".gz"] = part{
			note: "words that stand for each other in the messages of Visual Studio Code, TypeScript, Home Assistant, Keycloak, Apache " +
				"Airflow and Apache Superset (Copyright 2016-2026 The Apache Software Foundation), Django and JupyterLab; only words, " +
				"by bench/languages",
			texts: append(mit("Copyright (c) Microsoft Corporation").texts, "{Django}", "{Jupyter}", "LICENSE"),
		}
	}
}

var ownEmbeds = regexp.MustCompile(`/(prompts/[^/]*\.md|queries/[^/]*\.scm|graph/style\.css|brv-lsp/help\.txt)$`)

// shipped is what the go command lists of a package.
type shipped struct {
	ImportPath, Dir string
	EmbedFiles      []string
	Standard        bool
	Module          *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func TestThirdPartyNoticesAreFresh(t *testing.T) {
	packages := linked(t)
	got := render(t, []section{
		{"The program: Go", modules(t, packages)},
		{"The program: tree-sitter, as vendored by " + binding, syntaxes(t, packages)},
		{"The program: data", data(t, packages)},
		{"The programs of a release: what the C compiler links", runtimes(t)},
		{"The VS Code extension: npm packages, bundled", npm(t)},
	})
	if *update && !t.Failed() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(read(t, file), got); diff != "" {
		t.Errorf("THIRD-PARTY-NOTICES.txt is stale: go test ./internal/notices -update\n-there +now:\n%s", diff)
	}
}

// linked are the packages of the program, with cgo: what is shipped has the parsers.
func linked(t *testing.T) (out []shipped) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,EmbedFiles,Standard,Module", "./cmd/brv-lsp")
	list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	said, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(said)); d.More(); {
		var p shipped
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// modules are those of the packages, and Go's own library, with the texts of each package's
// folder and of those above it.
func modules(t *testing.T, packages []shipped) []part {
	t.Helper()
	all := map[string]part{"Go": {name: "Go", note: "the standard library and the runtime", texts: expand(t, "{Go}")}}
	for _, p := range packages {
		if p.Standard || p.Module.Main {
			continue
		}
		m := all[p.Module.Path]
		m.name, m.version = p.Module.Path, p.Module.Version
		for dir := p.Dir; strings.HasPrefix(dir, p.Module.Dir); dir = filepath.Dir(dir) {
			m.texts = append(m.texts, texts(t, dir)...)
		}
		all[m.name] = m
	}
	return slices.SortedFunc(maps.Values(all), func(a, b part) int { return strings.Compare(a.name, b.name) })
}

// licenceFile is what a file with a licence or a notice is called.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|attrib|third-?party-?notices)[^/]*$`)

func texts(t *testing.T, dir string) (out []string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !n.IsDir() && licenceFile.MatchString(n.Name()) && !strings.HasSuffix(n.Name(), ".go") {
			out = append(out, read(t, filepath.Join(dir, n.Name())))
		}
	}
	return out
}

// syntaxes are tree-sitter's runtime and the grammars that are linked.
func syntaxes(t *testing.T, packages []shipped) []part {
	t.Helper()
	runtime := mit("Copyright (c) 2018 Max Brunsfeld")
	icu := "Copyright © 1991-2015 Unicode, Inc. All rights reserved.\n" +
		"Copyright (C) 1999-2015, International Business Machines Corporation and others. All Rights Reserved.\n\n{Unicode}"
	out := []part{{
		name: "github.com/tree-sitter/tree-sitter", note: "the runtime, with headers of ICU",
		texts: append(expand(t, runtime.texts...), expand(t, icu)...),
	}}
	type revision struct{ Language, URL, Reference, Revision string }
	var stated []revision
	seen := map[string]bool{}
	for _, p := range packages {
		if p.ImportPath == binding {
			decode(t, filepath.Join(p.Dir, "_automation", "grammars.json"), &stated)
		}
		language, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, binding+"/"), "/")
		if !strings.HasPrefix(p.ImportPath, binding+"/") || seen[language] {
			continue
		}
		seen[language] = true
		g, known := grammars[language]
		i := slices.IndexFunc(stated, func(s revision) bool { return s.Language == language })
		if !known || i < 0 {
			t.Errorf("grammar %s: its licence or revision is not known; read it, and add it to the table", language)
			continue
		}
		s := stated[i]
		out = append(out, part{
			name: strings.TrimPrefix(s.URL, "https://"), version: s.Revision,
			note: strings.TrimSuffix(s.Reference+"; "+g.note, "; "), texts: expand(t, g.texts...),
		})
	}
	return out
}

// data is what our own packages embed.
func data(t *testing.T, packages []shipped) (out []part) {
	t.Helper()
	for _, p := range packages {
		if p.Standard || !p.Module.Main {
			continue
		}
		for _, name := range p.EmbedFiles {
			path := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/") + "/" + name
			d, known := embedded[path]
			if !known && !ownEmbeds.MatchString(path) {
				t.Errorf("%s: where it comes from is not known; add it to the table", path)
			}
			if known {
				out = append(out, part{name: path, note: d.note, texts: expand(t, d.texts...)})
			}
		}
	}
	return out
}

// runtimes are the libraries that the C compiler of ./release links into programs. Their texts are those of the compiler's package.
func runtimes(t *testing.T) []part {
	t.Helper()
	pinned := regexp.MustCompile(`(?m)^zig_version=(.+)$`).FindStringSubmatch(read(t, root+"/release"))
	if pinned == nil {
		t.Fatal("./release names no version of zig")
	}
	text := func(name string) []string { return []string{read(t, "testdata/"+name+".txt")} }
	return []part{
		{"mingw-w64", "of-zig-" + pinned[1], "Windows: the start of a program, and what it needs beside the system's C library", text("mingw-w64")},
		{"musl", "of-zig-" + pinned[1], "Linux: the C library", text("musl")},
		{"zig", pinned[1], "all: compiler_rt, what the processor cannot do in one step", text("zig")},
	}
}

var imported = regexp.MustCompile(`from "((?:@[^/"]+/)?[^./"][^/"]*)`)

// npm are the packages that the extension's sources import, and those that these need. Where
// they are not installed, their texts are those of the notices that are there.
func npm(t *testing.T) (out []part) {
	t.Helper()
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dependencies     map[string]string
		}
	}
	decode(t, extension+"/package-lock.json", &lock)
	sources, _ := filepath.Glob(extension + "/src/*.ts")
	var queue []string
	for _, source := range sources {
		for _, m := range imported.FindAllStringSubmatch(read(t, source), -1) {
			queue = append(queue, "node_modules/"+m[1])
		}
	}
	there := earlier(t)
	seen := map[string]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		p, locked := lock.Packages[path]
		if !locked || seen[path] {
			continue // vscode itself, and what belongs to node
		}
		seen[path] = true
		for name := range p.Dependencies {
			if nested := path + "/node_modules/" + name; lock.Packages[nested].Version != "" {
				queue = append(queue, nested)
			} else {
				queue = append(queue, "node_modules/"+name)
			}
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		its := part{name: name, version: p.Version, note: "package.json: " + p.License, texts: there[name+" "+p.Version]}
		if _, err := os.Stat(filepath.Join(extension, path)); err == nil {
			its.texts = texts(t, filepath.Join(extension, path))
		} else if its.texts == nil {
			t.Errorf("%s %s: not listed, and not installed: npm ci in editor/vscode, then -update", name, p.Version)
			continue
		}
		out = append(out, its)
	}
	return slices.SortedFunc(slices.Values(out), func(a, b part) int { return strings.Compare(a.name, b.name) })
}

type section struct {
	title string
	parts []part
}

const rule = "\n--------------------------------------------------------------------------------\n"

// render writes the parts with their licences, and each text once.
func render(t *testing.T, sections []section) string {
	t.Helper()
	var out strings.Builder
	var all []string
	out.WriteString(head)
	for _, s := range sections {
		fmt.Fprintf(&out, "\n%s\n\n", s.title)
		for _, p := range s.parts {
			out.WriteString("  " + strings.TrimSpace(p.name+" "+p.version) + ":")
			if own := p.texts == nil && embedded[p.name].note != ""; !own {
				is, err := identify(p.texts)
				if err != nil {
					t.Errorf("%s %s: %v", p.name, p.version, err)
				}
				out.WriteString(" " + strings.Join(is, ", "))
			}
			numbers := []int{}
			for _, text := range p.texts {
				text = plain(text)
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
				if n := slices.Index(all, text) + 1; !slices.Contains(numbers, n) {
					numbers = append(numbers, n)
					fmt.Fprintf(&out, " [%d]", n)
				}
			}
			if p.note != "" {
				fmt.Fprintf(&out, " (%s)", p.note)
			}
			out.WriteString("\n")
		}
	}
	for i, text := range all {
		fmt.Fprintf(&out, "%s[%d]\n\n%s\n", rule, i+1, text)
	}
	return out.String()
}

// earlier are the texts of each part in the notices that are there, by name and version.
func earlier(t *testing.T) map[string][]string {
	t.Helper()
	old, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	pieces := strings.Split(string(old), rule)
	listed := regexp.MustCompile(`(?m)^  (\S+ \S+): [^\[]*((?:\[\d+\] ?)+)`)
	out := map[string][]string{}
	for _, line := range listed.FindAllStringSubmatch(pieces[0], -1) {
		for _, n := range regexp.MustCompile(`\d+`).FindAllString(line[2], -1) {
			for _, piece := range pieces[1:] {
				if text, is := strings.CutPrefix(piece, "["+n+"]\n\n"); is {
					out[line[1]] = append(out[line[1]], text)
				}
			}
		}
	}
	return out
}

// expand puts texts in for their names.
func expand(t *testing.T, texts ...string) (out []string) {
	t.Helper()
	for _, text := range texts {
		switch at := strings.IndexByte(text, '{'); {
		case text == "LICENSE":
			text = read(t, root+"/LICENSE")
		case text == "{Go}":
			text = read(t, filepath.Join(goroot(t), "LICENSE"))
		case at >= 0:
			text = text[:at] + read(t, "testdata/"+strings.Trim(text[at:], "{}")+".txt")
		}
		out = append(out, text)
	}
	return out
}

func goroot(t *testing.T) string {
	t.Helper()
	said, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(said))
}

// plain is a text with one kind of line ends, and without white space around it or at the
// ends of its lines.
func plain(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n\ufeff")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

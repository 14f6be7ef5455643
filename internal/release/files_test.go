package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files of the repository that state facts of a release")

const root = "../.."

// The version of the extension stands in a package.json of its own, which is npm's and the settings'.
var versionOfExtension = regexp.MustCompile(`(?m)^  "version": ".*",$`)

func TestFilesStateTheFacts(t *testing.T) {
	f, err := readFacts(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	files, err := f.render("ci/packages/repository")
	if err != nil {
		t.Fatal(err)
	}
	extension := "editor/vscode/package.json"
	for _, name := range []string{extension, "editor/vscode/package-lock.json"} {
		text := read(t, name)
		if at := versionOfExtension.FindIndex(text); at != nil {
			text = slices.Replace(text, at[0], at[1], []byte(`  "version": "`+f.Version+`",`)...)
		}
		files = append(files, entry{name: name, data: text})
	}
	for _, e := range files {
		if *update {
			if err := os.MkdirAll(filepath.Dir(e.name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(e.name, e.data, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(string(read(t, e.name)), string(e.data)); diff != "" {
			t.Errorf("%s is stale: go test ./internal/release -update\n-there +now:\n%s", e.name, diff)
		}
	}
}

// Every manifest can be filled in where all binaries are there, and none where a sum is missing.
func TestManifestsNeedAllSums(t *testing.T) {
	f, err := readFacts(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	if _, err := f.render("ci/packages/manifests"); err == nil {
		t.Error("manifests are filled in without the sums of the binaries")
	}
	for _, p := range f.Platforms {
		f.Sums[p.Binary()], f.Sums[f.Bundle(p)] = sum([]byte(p.Node)), sum([]byte(p.Mason))
	}
	for _, folder := range []string{"ci/packages/manifests", "ci/packages/repository"} {
		files, err := f.render(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range files {
			if filepath.Ext(e.name) == ".json" && !json.Valid(e.data) {
				t.Errorf("%s is no JSON:\n%s", e.name, e.data)
			}
			if bytes.Contains(e.data, []byte("<<")) || bytes.Contains(e.data, []byte("<no value>")) {
				t.Errorf("%s is not filled in:\n%s", e.name, e.data)
			}
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Each format is written with made-up files and read again: the same bytes, names and rights; and twice the same archive.
func TestPackagesAreReadAsWritten(t *testing.T) {
	date := time.Unix(1_700_000_001, 0)
	files := func() []entry {
		return []entry{
			{"a-1.dist-info/METADATA", false, []byte("Name: a\n")},
			{"a/bin/program", true, []byte{0, 1, 2}},
			{"DEBIAN/control", false, []byte("Package: a\n")},
			{"a/empty", false, nil},
		}
	}
	for ext, write := range map[string]packer{".tgz": writeTar, ".whl": writeWheel, ".deb": writeDeb, ".mcpb": writeZip} {
		var once, twice bytes.Buffer
		for _, out := range []*bytes.Buffer{&once, &twice} {
			if err := write(out, files(), date); err != nil {
				t.Fatalf("%s: %v", ext, err)
			}
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%s: two archives differ", ext)
		}
		there, err := contents("a"+ext, once.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", ext, err)
		}
		found := false
		for _, e := range there {
			found = found || filepath.Base(e.name) == "program" && e.runs && sum(e.data) == sum([]byte{0, 1, 2})
		}
		if !found {
			t.Errorf("%s: the program is not in it as one: %v", ext, there)
		}
	}
}

func TestABinaryInAPackageOfAnotherPlatformIsFound(t *testing.T) {
	r := &release{facts: &facts{}}
	linux := &platform{OS: "linux", Arch: "amd64", Node: "linux-x64", Wheel: "manylinux_2_17_x86_64", Deb: "amd64"}
	for name, want := range map[string]bool{
		"npm/brv-lsp-linux-x64-1.tgz": true, "deb/brv-lsp_1_amd64.deb": true, "mcpb/brv-lsp-1-linux-amd64.mcpb": true,
		"vscode/brv-lsp-alpine-x64-1.vsix": true, "pypi/brv_lsp-1-py3-none-manylinux_2_17_x86_64.whl": true,
		"npm/brv-lsp-linux-arm64-1.tgz": false, "vscode/brv-lsp-alpine-arm64-1.vsix": false, "deb/brv-lsp_1_arm64.deb": false,
		"mcpb/brv-lsp-1-darwin-amd64.mcpb": false,
	} {
		if got := r.isFor(name, linux); got != want {
			t.Errorf("%s for linux/amd64: %v", name, got)
		}
	}
}

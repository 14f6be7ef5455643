package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlainReadingFindsAllThatAnEntryNames(t *testing.T) {
	e := readEntry(
		"a/b/c.md", "",
		"---\ntitle: T\nrelated: [x/y/one.md, x/y/two.md]\n---\n**Files:**\n- src/a.ts\n- b.go\n\nSee @x/y/one.md and `Name`, "+
			"`pkg.Name`, [t](x/z.md).\n")
	for _, c := range []struct {
		name string
		got  []mention
		want string
	}{
		{"relations", e.mention, "x/y/one.md x/y/two.md x/y/one.md x/z.md"},
		{"files", e.files, "src/a.ts b.go"},
		{"symbols", e.symbols, "Name"},
	} {
		var names []string
		for _, m := range c.got {
			names = append(names, m.what)
			if !strings.HasPrefix(e.text[m.at:], m.what) {
				t.Errorf("%s: %s is not at %d", c.name, m.what, m.at)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if e.text[e.title:e.title+1] != "T" {
		t.Errorf("title found at %d", e.title)
	}
}

func TestDefinitionsOfBothLanguages(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n\nconst One, Two = 1, 2\n\ntype T struct{ Field int }\n\nfunc (t *T) Method() { var " +
			"local int; _ = local }\n",
		"a_test.go":     "package a\n\nfunc InTest() {}\n",
		"testdata/b.go": "package b\n\nfunc InTestdata() {}\n",
		"src/a.ts": "export const $One: X<Y> = /*@__PURE__*/ f();\nexport interface I {\n  field: string;\n}\nfunction " +
			"two() {\n  const local = 1;\n}\nexport /*@__NO_SIDE_EFFECTS__*/ function $three<T>() {}\n",
		"src/tests/a.ts":    "export const inTest = 1;\n",
		"src/deep/b.d.ts":   "",
		".hidden/hidden.go": "broken",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		read      func(string) (definitions, error)
		has, lack string
	}{
		{goDefinitions, "One Two T Method", "Field local InTest InTestdata"},
		{tsDefinitions, "$One I two $three", "field local inTest"},
	} {
		defs, err := c.read(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(c.has) {
			if len(defs[name]) != 1 {
				t.Errorf("%s: %v", name, defs[name])
			}
		}
		for _, name := range strings.Fields(c.lack) {
			if len(defs[name]) != 0 {
				t.Errorf("%s is found at %v", name, defs[name])
			}
		}
	}
}

func TestLabelsAndRelationsNameEntriesThatExist(t *testing.T) {
	for repo, tasks := range map[string][]task{"net": netTasks, "zod": zodTasks} {
		dir, err := fs.Sub(testdata, "testdata/"+repo)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range tasks {
			if _, err := fs.Stat(dir, k.entry); err != nil {
				t.Errorf("%s: task %q: %v", repo, k.text, err)
			}
		}
		entries, err := readEntries(filepath.Join("testdata", repo))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			for _, m := range e.mention {
				if _, err := fs.Stat(dir, m.what); err != nil {
					t.Errorf("%s: %s: %v", repo, e.path, err)
				}
			}
		}
	}
}

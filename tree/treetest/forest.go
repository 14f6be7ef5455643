package treetest

import (
	"fmt"
	"math/rand"
	"path"
	"path/filepath"
	"strings"
)

// Forest makes random trees whose paths are close to one another: hyphens and
// underscores, letter cases and Unicode forms, folders with and without
// context.md, names that occur twice, stubs of archived entries.
type Forest struct{ *rand.Rand }

// Of is one of the list.
func (f Forest) Of(list ...string) string { return list[f.Intn(len(list))] }

// Folder is the path of a folder.
func (f Forest) Folder() string {
	d := f.Of("auth", "auth", "api-x", "Auth", "設計") + "/" + f.Of("jwt", "rest-api", "rest_api", "caf\u00e9")
	if f.Intn(4) == 0 {
		d += "/" + f.Of("deep", "low-level")
	}
	return d
}

// Path is the path of a file.
func (f Forest) Path() string {
	switch f.Intn(16) {
	case 0:
		return "_archived/" + f.Folder() + "/" + f.Name() + ".stub.md"
	case 1:
		return f.Of("auth", "api-x") + "/" + f.Of("context.md", "notes.md")
	case 2:
		return f.Of("root.md", "auth.md", "a-b.md")
	case 3, 4:
		return f.Folder() + "/context.md"
	}
	return f.Folder() + "/" + f.Name() + ".md"
}

// Name is a file's name without its ending.
func (f Forest) Name() string { return f.Of("a-b", "a_b", "A_b", "c", "cafe\u0301", "my file") }

// Relation is something a relation may say: a path, spelled as people do.
func (f Forest) Relation() string {
	p := f.Path()
	switch f.Intn(8) {
	case 0:
		p = strings.ReplaceAll(p, "-", "_")
	case 1:
		p = strings.ToUpper(p)
	case 2:
		p = folderOf(p)
	case 3, 4:
		p = strings.TrimSuffix(p, ".md")
	case 5:
		p = strings.TrimPrefix(strings.Replace(p, ".stub.md", ".md", 1), "_archived/")
	}
	return p
}

// Text is the text of the file at a path.
func (f Forest) Text(p string) string {
	var b strings.Builder
	if f.Intn(2) == 0 {
		fmt.Fprintf(&b, "---\ntitle: T%d\nrelated: [%s, %q, '%s']\n", f.Intn(9), strings.ReplaceAll(f.Relation(), " ", "-"),
			f.Relation(), f.Relation())
		fmt.Fprintf(&b, "sources:\n  - %s\n  - \"@%s#Heading\" # why\nconsolidated_from:\n  - {date: x, path: %q}\n", f.Relation(),
			f.Relation(), f.Relation())
		b.WriteString("---\n")
	}
	for range f.Intn(6) {
		switch said := f.Relation(); f.Intn(8) {
		case 0:
			fmt.Fprintf(&b, "see @%s, and (@%s#Part)\n", said, f.Relation())
		case 1:
			fmt.Fprintf(&b, "[x](%s) [y](/%s \"title\")\n", said, f.Relation())
		case 2:
			fmt.Fprintf(&b, "[x](%s#part) [c](../../../src/a.go)\n", relativeTo(folderOf(p), said))
		case 3:
			fmt.Fprintf(&b, "![p](./%s) ![q](pic.png)\n", relativeTo(folderOf(p), said))
		case 4:
			fmt.Fprintf(&b, "[[%s]] [[%s|text]]\n", said, f.Relation())
		case 5:
			fmt.Fprintf(&b, "[[%s]] [[ %s.md#h|text]]\n", f.Name(), f.Name())
		case 6:
			fmt.Fprintf(&b, "`@%s`\n```\n@%s\n```\n", said, said)
		case 7:
			b.WriteString("plain words\n")
		}
	}
	return b.String()
}

// folderOf is the folder of a path, "" at the top.
func folderOf(p string) string { return strings.TrimPrefix(path.Dir(p), ".") }

func relativeTo(dir, p string) string {
	rel, err := filepath.Rel("/"+dir, "/"+p)
	if err != nil {
		panic(err) // cannot happen: both begin at the top
	}
	return filepath.ToSlash(rel)
}

// Package corpus turns flat document sets into context trees, so that retrieval
// and latency can be measured on many real texts.
//
// A document set is a file of JSON lines, gzipped or not, with the keys id,
// title, path, text and sometimes scope. A context tree is domain/topic[/subtopic]/entry.md. The
// two are brought together by one rule (docs/design.md, "Making test trees from
// flat document sets"): path segments deeper than domain, topic, subtopic and
// file are joined with "__" into the file name; shallower ones get the topic
// "general". Nothing of a text is changed: what a document says is the entry's
// body, below a frontmatter with its title.
//
// Real trees have relations and flat document sets have none. [Relate] invents
// some; figures about relations measured on such a tree say how fast they are
// followed, never whether they are good.
package corpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Document is one text of a flat document set.
type Document struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Path  string `json:"path"`
	Text  string `json:"text"`
	Scope string `json:"scope"` // the part of the set that it belongs to, "" if the set has no parts
}

// Read reads a document set; a name that ends in .gz is unpacked.
func Read(file string) ([]Document, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r = z
	}
	return decode(r)
}

func decode(r io.Reader) ([]Document, error) {
	var out []Document
	dec := json.NewDecoder(bufio.NewReader(r))
	for {
		var d Document
		err := dec.Decode(&d)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(out)+1, err)
		}
		out = append(out, d)
	}
}

// Entry is a document as an entry of a context tree.
type Entry struct {
	ID      string   // of the document
	Path    string   // in the tree
	Title   string   // "" if the document has none
	Body    string   // the document's text
	Related []string // tree paths
}

// Convert makes an entry of each document, in the same order. Of documents that
// would get one path, the later ones get a number.
func Convert(docs []Document) []Entry {
	out := make([]Entry, 0, len(docs))
	taken := map[string]bool{}
	for _, d := range docs {
		p := EntryPath(d.Path)
		for n := 2; taken[strings.ToLower(p)]; n++ {
			p = strings.TrimSuffix(EntryPath(d.Path), ".md") + "_" + strconv.Itoa(n) + ".md"
		}
		taken[strings.ToLower(p)] = true
		out = append(out, Entry{ID: d.ID, Path: p, Title: d.Title, Body: d.Text})
	}
	return out
}

// maxName bounds a file name in bytes; common file systems take 255.
const maxName = 200

// EntryPath is where a document stands in the tree. Characters that a relation
// cannot hold become "_", and names that mean something else in a tree, such as
// _index.md, get the suffix "_page".
func EntryPath(p string) string {
	segments := strings.Split(strings.Trim(path.Clean("/"+p), "/"), "/")
	for i, s := range segments {
		segments[i] = writable(s)
	}
	file := strings.TrimSuffix(segments[len(segments)-1], ".md")
	folders := segments[:len(segments)-1]
	if n := 3; len(folders) > n {
		file = strings.Join(folders[n:], "__") + "__" + file
		folders = folders[:n]
	}
	for len(folders) < 2 {
		folders = append(folders, "general")
	}
	if len(file) > maxName {
		file = file[len(file)-maxName:]
	}
	dir := strings.Join(folders, "/") + "/"
	if format.RoleOf(dir+file+".md") != format.RoleEntry {
		file = strings.ReplaceAll(file, ".", "_") + "_page"
	}
	return dir + file + ".md"
}

// writable replaces what cannot stand in a relation's path.
func writable(segment string) string {
	s := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || strings.ContainsRune("()[]{}<>\"'`|,;:%#\\~@*?!", r) {
			return '_'
		}
		return r
	}, segment)
	if s == "" || s == "." || s == ".." || s[0] == '.' || s == "_archived" {
		s = "_" + s
	}
	return s
}

// Relate relates each entry to the next n of its folder, in a ring, and to none
// where it is alone.
func Relate(entries []Entry, n int) {
	folders := map[string][]int{}
	for i, e := range entries {
		folders[path.Dir(e.Path)] = append(folders[path.Dir(e.Path)], i)
	}
	for _, ring := range folders {
		for at, i := range ring {
			entries[i].Related = nil
			for k := 1; k <= n && k < len(ring); k++ {
				entries[i].Related = append(entries[i].Related, entries[ring[(at+k)%len(ring)]].Path)
			}
		}
	}
}

// Text is the entry's file.
func (e Entry) Text() string {
	var b strings.Builder
	b.WriteString("---\n")
	if e.Title != "" {
		b.WriteString("title: " + quoted(e.Title) + "\n")
	}
	if len(e.Related) > 0 {
		b.WriteString("related: [" + strings.Join(e.Related, ", ") + "]\n")
	}
	b.WriteString("---\n")
	b.WriteString(e.Body)
	if !strings.HasSuffix(e.Body, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}

// quoted writes a YAML string on one line.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "'", "''") + "'"
}

// Write writes the entries below the folder of a context tree.
func Write(treeDir string, entries []Entry) error {
	for _, e := range entries {
		name := filepath.Join(treeDir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(e.Text()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

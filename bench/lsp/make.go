package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
	"github.com/brv-lsp/brv-lsp/bench/sources"
)

// How an entry of a made project is tied to others and to code.
const (
	relationsOfEntry = 3
	filesOfEntry     = 2
)

// definition finds the name of what a source file defines at the beginning of a line.
var definition = regexp.MustCompile(
	`(?m)^(?:export )?(?:default )?(?:async )?(?:pub )?(?:func|def|class|function|fn|struct) +([A-Za-z_]\w{3,})`)

// defines finds what definition finds outside of comments and strings of several lines, as the place of the name; nil for
// none.
func defines(text []byte) []int {
	for _, at := range definition.FindAllSubmatchIndex(text, -1) {
		before := text[:at[0]]
		commented := bytes.LastIndex(before, []byte("/*")) > bytes.LastIndex(before, []byte("*/"))
		if quoted := bytes.Count(before, []byte("`"))%2 == 1; !commented && !quoted {
			return at[2:]
		}
	}
	return nil
}

// makeProject writes a tree of entries and a folder of code.
func makeProject(ctx context.Context, o options) error {
	if o.docs == "" || o.from == "" {
		return errors.New("-make needs -docs and -from")
	}
	if _, err := os.Stat(o.make); err == nil {
		return fmt.Errorf("%s exists", o.make)
	}
	from, err := sources.Read(ctx, strings.Split(o.from, ","))
	if err != nil {
		return err
	}
	if _, err := sources.Build(from, o.files, o.make); err != nil {
		return err
	}
	code, err := definitions(o.make)
	if err != nil {
		return err
	}
	docs, err := corpus.Read(o.docs)
	if err != nil {
		return err
	}
	entries := corpus.Convert(repeated(docs, o.entries))
	corpus.Relate(entries, relationsOfEntry)
	titles := map[string]string{}
	for _, e := range entries {
		titles[e.Path] = e.Title
	}
	for i := range entries {
		entries[i].Body += tied(entries[i], titles, code, i)
	}
	return corpus.Write(filepath.Join(o.make, ".brv", "context-tree"), entries)
}

// repeated returns n documents: spread evenly over the set, or the whole set several
// times, the repetitions with a number in path and title.
func repeated(docs []corpus.Document, n int) []corpus.Document {
	out := make([]corpus.Document, 0, n)
	for i := range n {
		if n <= len(docs) {
			out = append(out, docs[i*len(docs)/n])
			continue
		}
		d := docs[i%len(docs)]
		if round := i / len(docs); round > 0 {
			ext := filepath.Ext(d.Path)
			d.Path = fmt.Sprintf("%s_v%d%s", d.Path[:len(d.Path)-len(ext)], round, ext)
			d.Title = fmt.Sprintf("%s v%d", d.Title, round)
		}
		out = append(out, d)
	}
	return out
}

// defined is a source file and a name it defines.
type defined struct{ path, name string }

// definitions finds in each source file of a folder the first name it defines.
func definitions(root string) (out []defined, err error) {
	err = filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if at := defines(text); at != nil {
			out = append(out, defined{filepath.ToSlash(rel), string(text[at[0]:at[1]])})
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: no source file defines anything", root)
	}
	return out, err
}

// tied returns the text that is added to an entry: the code that it names and the entries that it relates to.
func tied(e corpus.Entry, titles map[string]string, code []defined, number int) string {
	var b strings.Builder
	if strings.Count(e.Body, "```")%2 == 1 { // a text that was cut inside a fence, which may stand in a list
		open := e.Body[:strings.LastIndex(e.Body, "```")]
		b.WriteString("\n" + open[strings.LastIndexByte(open, '\n')+1:] + "```\n")
	}
	if strings.LastIndex(e.Body, "<!--") > strings.LastIndex(e.Body, "-->") { // or inside a comment
		b.WriteString("\n-->\n")
	}
	b.WriteString("\n\n## Raw Concept\n**Files:**\n")
	var symbols []string
	for i := range filesOfEntry {
		d := code[(number*filesOfEntry+i)%len(code)]
		fmt.Fprintf(&b, "- %s\n", d.path)
		symbols = append(symbols, "`"+d.name+"`")
	}
	fmt.Fprintf(&b, "\n## Narrative\n### Rules\n- See %s.\n\n## Links\n", strings.Join(symbols, " and "))
	for _, r := range e.Related {
		rel, err := filepath.Rel(path.Dir(e.Path), r)
		if err == nil {
			fmt.Fprintf(&b, "- [%s](%s)\n", strings.NewReplacer("[", "(", "]", ")").Replace(strings.Join(strings.Fields(titles[r]),
				" ")), filepath.ToSlash(rel))
		}
	}
	return b.String()
}

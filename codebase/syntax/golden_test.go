//go:build cgo

package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestGolden compares what each language's query file finds with a reviewed
// listing: testdata/<language>.txtar holds a source and its listing in turn.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < len(languages()) {
		t.Fatalf("%d golden files for %d languages: %v", len(paths), len(languages()), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := newParser()
	defer p.close()
	out := &txtar.Archive{Comment: archive.Comment}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".want") {
			continue
		}
		f := p.parse(Request{Path: file.Name, Language: LanguageFor(file.Name, file.Data), Source: file.Data}, killAfter)
		want := txtar.File{Name: file.Name + ".want", Data: []byte(listing(f, string(file.Data)))}
		out.Files = append(out.Files, file, want)
	}
	got := txtar.Format(out)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// listing writes a file down so that a reviewer can check it against the source.
func listing(f File, src string) string {
	var b strings.Builder
	if f.Partial != "" {
		fmt.Fprintf(&b, "partial: %s %v\n", f.Partial, f.Lost)
	}
	if f.Module != "" {
		fmt.Fprintf(&b, "module: %s\n", f.Module)
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "import %q", i.Spec)
		if len(i.Names) > 0 {
			fmt.Fprintf(&b, " names %s", names(i))
		}
		if i.Alias != "" {
			fmt.Fprintf(&b, " as %s", i.Alias)
		}
		if i.Kind != "" {
			fmt.Fprintf(&b, " (%s)", i.Kind)
		}
		b.WriteString("\n")
	}
	for _, s := range f.Symbols {
		name := s.Name
		if s.Container != "" {
			name = s.Container + "#" + name
		}
		mark := "-"
		if s.Exported {
			mark = "+"
		}
		fmt.Fprintf(&b, "%d: %s %s %s | %s | %s…%s\n", s.Line, mark, s.Kind, name, s.Signature,
			head(src[s.Range.Start:s.Range.End]), tail(src[s.Range.Start:s.Range.End]))
		if s.Doc != "" {
			fmt.Fprintf(&b, "   doc %q\n", s.Doc)
		}
	}
	for _, r := range f.References {
		name := r.Name
		if r.Qualifier != "" {
			name = r.Qualifier + "." + name
		}
		fmt.Fprintf(&b, "%d: %s %s\n", 1+strings.Count(src[:r.At.Start], "\n"), r.Kind, name)
	}
	for _, c := range f.Comments {
		fmt.Fprintf(&b, "%d: comment %s…%s\n", 1+strings.Count(src[:c.Start], "\n"), head(src[c.Start:c.End]), tail(src[c.Start:c.End]))
	}
	return b.String()
}

func names(i Import) string {
	var out []string
	for k, name := range i.Names {
		if bound := i.Bound(k); bound != name {
			name += " as " + bound
		}
		out = append(out, name)
	}
	return strings.Join(out, ",")
}

func head(s string) string { return firstLine(s)[:min(12, len(firstLine(s)))] }

func tail(s string) string {
	s = s[strings.LastIndexByte(s, '\n')+1:]
	return s[max(0, len(s)-6):]
}

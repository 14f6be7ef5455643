package edges_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/edges"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// TestGolden compares what files say and who uses what. The first folder of a path is the repository.
func TestGolden(t *testing.T) {
	pool := syntax.NewPool(syntax.Options{})
	defer pool.Close()
	goldentest.Archives(t, "testdata/*.txtar", func(files []txtar.File) string {
		var b strings.Builder
		var places []edges.Place
		repositories := map[string]int{}
		line := func(file int, at int) string {
			return fmt.Sprintf("%s:%d", files[file].Name, 1+strings.Count(string(files[file].Data[:at]), "\n"))
		}
		for i, f := range files {
			language := syntax.LanguageFor(f.Name, f.Data)
			var read syntax.File
			if language != "" {
				var err error
				if read, err = pool.Parse(t.Context(), syntax.Request{Path: f.Name, Language: language, Source: f.Data}); err != nil {
					t.Fatal(err)
				}
			}
			repository, rest, _ := strings.Cut(f.Name, "/")
			if _, known := repositories[repository]; !known {
				repositories[repository] = len(repositories)
			}
			facts := edges.Read(language, string(f.Data), &read)
			if language == syntax.Protobuf {
				facts = append(facts, edges.Fact{Kind: edges.Proto, Offers: true, Key: rest})
			}
			for _, fact := range facts {
				does := map[bool]string{true: "offers", false: "uses"}[fact.Offers]
				fmt.Fprintf(&b, "%s %s %s %s\n", line(i, fact.At), does, fact.Kind, fact.Key)
				places = append(places, edges.Place{Repository: repositories[repository], File: i, Fact: fact})
			}
		}
		b.WriteByte('\n')
		for _, e := range edges.Join(places) {
			fmt.Fprintf(&b, "%s -> %s: %s, %s\n", line(e.User.File, e.User.At), line(e.Used.File, e.Used.At), e.User.Key, e.Sure)
		}
		return b.String()
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"openapi: 3.0.0\npaths:\n  /a/{b}:\n    get:\n", `app.get("/a/:b", h)`, "service A {\n get: \"/a/b\"", "// source: a/b.proto\n",
		"@Get('x') '\\", "fetch(`${a}/b/${c ? `x` : y}`)", "[HttpGet(\"x\")]", `r := g.Group("/a"); r.GET("/b", h)`,
	} {
		f.Add(text)
	}
	languages := []syntax.Language{"", syntax.Go, syntax.TypeScript, syntax.Python, syntax.Rust, syntax.CSharp, syntax.Protobuf}
	f.Fuzz(func(t *testing.T, text string) {
		var places []edges.Place
		for i, language := range languages {
			for _, fact := range edges.Read(language, text, &syntax.File{Module: "m", Comments: []syntax.Span{{Start: -1, End: 3}}}) {
				if fact.At < 0 || fact.At > len(text) {
					t.Errorf("%s: %+v lies outside of the text", language, fact)
				}
				places = append(places, edges.Place{Repository: i % 2, File: i, Fact: fact})
			}
		}
		for _, e := range edges.Join(places) {
			if e.User.Repository == e.Used.Repository {
				t.Errorf("%+v: inside of one repository", e)
			}
		}
	})
}

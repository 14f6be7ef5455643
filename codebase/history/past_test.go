package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// put writes a file of several lines, so that renames with changes are seen as such.
func (p *project) put(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) past() *Past {
	p.t.Helper()
	repo, err := git.Open(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return NewPast(repo, p.read("", Options{}))
}

func day(n int64) time.Time { return time.Unix(firstDay+n*24*60*60, 0) }

func TestPastFollowsNames(t *testing.T) {
	p := newProject(t) // day 1
	long := strings.Repeat("one line of several\nanother one\n", 10)
	p.put("a.go", long)
	p.put("gone.go", "x\n")
	p.put("stays.go", "1\n")
	added := p.commit("add") // day 2
	p.move("a.go", "b/b.go")
	p.put("b/b.go", long+"more\n")
	p.commit("move with a change") // day 3
	p.git("rm", "-q", "gone.go")
	removed := p.commit("remove") // day 4
	p.move("b/b.go", "c.go")
	p.put("stays.go", "2\n")
	moved := p.commit("move again") // day 5

	past := p.past()
	got, err := past.At(t.Context(), []Ask{
		{Path: "a.go", When: day(2)},
		{Path: "gone.go", When: day(2)},
		{Path: "stays.go", When: day(4)},
		{Path: "stays.go", When: day(5)},
		{Path: "c.go", When: day(2)},
		{Path: "never.go", When: day(5)},
		{Path: "stays.go", When: day(0)},
		{Path: "b", When: day(3)},
		{Path: "line\nend", When: day(3)},
		{Path: "stays.go"},
		{Path: "stays.go", Neighbour: "stays.go"},
		{Path: "b/b.go", When: day(2), Neighbour: "b/b.go"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Version{
		{Known: true, There: true, Text: long, Then: "a.go", Now: "c.go", Event: Event{Hash: moved}, Commits: 2},
		{Known: true, There: true, Text: "x\n", Then: "gone.go", Event: Event{Hash: removed}, Commits: 1},
		{Known: true, There: true, Text: "1\n", Then: "stays.go", Now: "stays.go", Commits: 1},
		{Known: true, There: true, Text: "2\n", Then: "stays.go", Now: "stays.go"},
		{Known: true, There: true, Text: long, Then: "a.go", Now: "c.go", Event: Event{Hash: moved}, Commits: 2},
		{Known: true},
		{},
		{Known: true, There: true, Folder: true, Then: "b", Event: Event{Hash: moved}},
		{Known: true},
		{},
		{Known: true, There: true, Text: "2\n", Then: "stays.go", Now: "stays.go"},
		{Known: true, There: true, Text: long, Then: "a.go", Now: "c.go"},
	} {
		v := got[i]
		v.State, v.Event.Time = git.Moment{}, time.Time{}
		if i >= 10 {
			v.Event, v.Commits = Event{}, 0
		}
		if v != want {
			t.Errorf("%d: got %+v\nwant %+v", i, v, want)
		}
	}
	if got[0].State.Hash != added {
		t.Errorf("state %v, want %s", got[0].State, added)
	}
	files, err := past.Naming(t.Context(), Ask{When: day(3)}, []string{"another"}, 10)
	if err != nil || len(files) != 1 || files[0] != "b/b.go" {
		t.Errorf("files with the word: %q, %v", files, err)
	}
	if files, err := past.Naming(t.Context(), Ask{When: day(3)}, []string{"anoth", ""}, 10); err != nil || len(files) != 0 {
		t.Errorf("files with half a word: %q, %v", files, err)
	}
}

// Before the first commit nothing is known.
func TestPastWithoutCommits(t *testing.T) {
	p := &project{t: t, dir: t.TempDir()}
	p.git("init", "-q")
	past := p.past()
	ask := Ask{Path: "a.md", When: day(2), Neighbour: "entry.md"}
	if files, err := past.Naming(t.Context(), ask, []string{"word"}, 10); err != nil || len(files) != 0 {
		t.Errorf("named in %q, %v", files, err)
	}
	if got, err := past.At(t.Context(), []Ask{ask}); err != nil || len(got) != 1 || got[0].There {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPastKnowsCommitsOfAnySize: what is written on one day and committed on the next along
// with many files is compared with that commit, also where later ones changed other files.
func TestPastKnowsCommitsOfAnySize(t *testing.T) {
	p := newProject(t) // day 1
	p.put("code.go", "1\n")
	p.put("entry.md", "old\n")
	p.commit("add") // day 2
	p.put("code.go", "2\n")
	p.put("entry.md", "new\n")
	many := make([]string, maxFiles+1)
	for i := range many {
		many[i] = fmt.Sprintf("many/%d.go", i)
	}
	large := p.commit("large", many...) // day 3
	for i := range 5 {
		p.put("code.go", fmt.Sprintf("%d\n", 3+i))
		p.commit("code") // days 4 to 8
	}

	got, err := p.past().At(t.Context(), []Ask{
		{Path: "code.go", When: day(2).Add(time.Hour), Neighbour: "entry.md"},
		{Path: "code.go", When: day(2).Add(time.Hour)},
		{Path: "code.go", When: day(1).Add(time.Hour), Neighbour: "entry.md"},
		{Path: "code.go", When: day(0), Neighbour: "entry.md"},
		{Path: "code.go", When: day(5), Neighbour: "entry.md"},
		{Path: "code.go", Neighbour: "entry.md"},
		{Path: "code.go", When: day(5), Neighbour: "never.md"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2\n", "1\n", "", "", "4\n", "2\n", "4\n"} {
		if got[i].Text != want {
			t.Errorf("%d: %q at %v, want %q", i, got[i].Text, got[i].State, want)
		}
	}
	if got[0].State.Hash != large {
		t.Errorf("state %v, want %s", got[0].State, large)
	}
}

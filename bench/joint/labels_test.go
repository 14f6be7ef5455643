package main

import (
	"strings"
	"testing"
)

var somewhere = strings.Repeat("a", 40)

func TestArchiveErrorsNameTheirPlace(t *testing.T) {
	const whole = "text: x\nneed: a.go\nknow: a/b/c.md\n"
	head := "-- repository --\no/n " + somewhere + "\n"
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", "", "x.txtar: a section repository and at least one task are expected"},
		{"no task", head, "x.txtar: a section repository and at least one task"},
		{"no repository", "-- task a --\n" + whole, "x.txtar: a section repository"},
		{"short hash", "-- repository --\no/n abc\n", "x.txtar:1: -- repository --: one line"},
		{"no owner", "-- repository --\nn " + somewhere + "\n", "x.txtar:1: -- repository --: one line"},
		{"two repositories", head + head, "x.txtar:3: -- repository --: one line"},
		{"a path that leaves the tree", head + "-- tree/../c.md --\nx\n", "x.txtar:3: -- tree/../c.md --: the path of one entry"},
		{"no markdown", head + "-- tree/a/b/c.txt --\nx\n", "x.txtar:3: -- tree/a/b/c.txt --: the path of one entry"},
		{"an empty entry", head + "-- tree/a/b/c.md --\n\n", "x.txtar:3: -- tree/a/b/c.md --: the path of one entry"},
		{"an entry twice", head + "-- tree/a/b/c.md --\nx\n-- tree/a/b/c.md --\ny\n", "x.txtar:5: -- tree/a/b/c.md --"},
		{"another section", head + "-- note --\n", "x.txtar:3: -- note --: neither repository, nor tree/PATH, nor task ID"},
		{"a task's name", head + "-- task A b --\n" + whole, "x.txtar:3: -- task A b --: a task's name is of small letters"},
		{"a task twice", head + "-- task a --\n" + whole + "-- task a --\n" + whole, "x.txtar:7: -- task a --: there is another task"},
		{"no text", head + "-- task a --\nneed: a.go\nknow: a/b/c.md\n", "x.txtar:3: -- task a --: a text, a file that it needs"},
		{"no file", head + "-- task a --\ntext: x\nknow: a/b/c.md\n", "a text, a file that it needs"},
		{"no entry", head + "-- task a --\ntext: x\nneed: a.go\n", "and an entry that it needs are expected"},
		{"text twice", head + "-- task a --\ntext: y\n" + whole, "text: is given twice"},
		{"a file twice", head + "-- task a --\nneed: a.go\n" + whole, "need: a.go is given twice"},
		{"an unknown key", head + "-- task a --\nneeds: a.go\n" + whole, `"needs": the keys are`},
		{"an empty value", head + "-- task a --\nopen:\n" + whole, `"open:" says nothing`},
		{"no key", head + "-- task a --\nx\n" + whole, `"x" says nothing`},
		{"no number", head + "-- task a --\nopen: a.go\nline: 0\n" + whole, `line: "0" is no line`},
		{"a line of no file", head + "-- task a --\nline: 3\n" + whole, "line: has no open: beside it"},
	} {
		if _, err := parseSet("dir/x.txtar", tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestArchiveIsRead(t *testing.T) {
	s, err := parseSet("dir/x.txtar", "For people.\n\n-- repository --\n. "+somewhere+
		"\n-- tree/a/b/c.md --\n---\n-- \n-- task a-1 --\n# for people\r\ntext: what: x\r\nneed: b.go\nneed: a.go\nknow: "+
		"a/b/c.md\nopen: b.go\nline: 12\n")
	if err != nil {
		t.Fatal(err)
	}
	got := s.Tasks[0]
	switch {
	case s.Name != "x" || s.Repo != "." || s.Commit != somewhere || s.Tree["a/b/c.md"] != "---\n-- \n":
		t.Errorf("%+v", s)
	case got.ID != "a-1" || got.Text != "what: x" || strings.Join(got.Need, " ") != "b.go a.go" || got.Know[0] != "a/b/c.md" ||
		got.Open != "b.go" || got.Line != 12:
		t.Errorf("%+v", got)
	}
}

// The archives must read without the repositories that they are about.
func TestOurArchives(t *testing.T) {
	sets, err := readSets("testdata")
	if err != nil {
		t.Fatal(err)
	}
	tasks := 0
	for _, s := range sets {
		tasks += len(s.Tasks)
		if s.Repo != "." && len(s.Tree) < 25 {
			t.Errorf("%s: %d entries are few", s.Name, len(s.Tree))
		}
		if s.Repo == "." && len(s.Tree) > 0 {
			t.Errorf("%s: this project has a tree of its own", s.Name)
		}
		for _, task := range s.Tasks {
			for _, p := range task.Know {
				if s.Repo != "." && s.Tree[p] == "" {
					t.Errorf("%s/%s: no entry %s", s.Name, task.ID, p)
				}
			}
		}
	}
	if tasks < 60 {
		t.Errorf("%d tasks", tasks)
	}
}

func TestOnlyOne(t *testing.T) {
	sets := []set{{Name: "a", Tasks: []task{{ID: "x"}, {ID: "y"}}}, {Name: "b", Tasks: []task{{ID: "x"}}}}
	for only, want := range map[string]int{"": 3, "a": 2, "a/y": 1} {
		got, err := chosen(sets, only)
		n := 0
		for _, s := range got {
			n += len(s.Tasks)
		}
		if err != nil || n != want {
			t.Errorf("%s: %d tasks, %v", only, n, err)
		}
		sets[0].Tasks = []task{{ID: "x"}, {ID: "y"}}
	}
	for _, only := range []string{"c", "a/z"} {
		if _, err := chosen(sets, only); err == nil {
			t.Errorf("%s is no error", only)
		}
		sets[0].Tasks = []task{{ID: "x"}, {ID: "y"}}
	}
}

func FuzzParseSet(f *testing.F) {
	f.Add(archive(somewhere))
	f.Add("-- a --\n-- task --\n-- -- --\n")
	f.Fuzz(func(t *testing.T, data string) {
		s, err := parseSet("x.txtar", data)
		if err != nil {
			return
		}
		for _, task := range s.Tasks {
			if task.Text == "" || len(task.Need) == 0 || len(task.Know) == 0 || task.Line < 0 {
				t.Errorf("%+v", task)
			}
		}
	})
}

package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// variant is the client that an archive is run with.
type variant struct {
	name     string
	encoding string
	dynamic  bool   // has dynamic registration
	changes  bool   // has no documentChanges
	recorded string // file of a recorded initialize request, which decides instead
	turn     int    // which archives it is run with; see [variant.usual]
}

func variants(t *testing.T) (all []variant) {
	for _, changes := range []bool{false, true} {
		for _, dynamic := range []bool{false, true} {
			for turn, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
				v := variant{name: encoding, encoding: encoding, dynamic: dynamic, changes: changes, turn: turn}
				if dynamic {
					v.name += "-dynamic"
					v.turn++
				}
				if changes {
					v.name += "-changes"
					v.turn++
				}
				all = append(all, v)
			}
		}
	}
	recorded, err := filepath.Glob("testdata/initialize/*.json")
	if err != nil || len(recorded) == 0 {
		t.Fatal("no recorded clients", err)
	}
	for turn, path := range recorded {
		all = append(all, variant{name: strings.TrimSuffix(filepath.Base(path), ".json"), recorded: path, turn: turn})
	}
	return all
}

// usual are the archives that this client is run with: in a long run or for -update all of
// them, which are 504 runs, and otherwise 289.
//
// Of the twelve clients that are made up each archive has the six in which every two of
// encoding, registration and form of edits meet in every combination; the archives after
// and before it have the other six. A recorded client has archives until it was asked each
// kind of question, from another archive on than the client before it; and each archive
// has a recorded client.
func (v variant) usual(t *testing.T, archives []string) (due []string) {
	t.Helper()
	if long || *update {
		return archives
	}
	asked := map[string]bool{}
	for n := range archives {
		i := (n + v.turn*len(archives)/9) % len(archives)
		if v.recorded == "" {
			if (v.turn+i)%2 == 0 {
				due = append(due, archives[i])
			}
			continue
		}
		isNew := (v.turn+i)%9 == 0
		for _, verb := range questions(t, archives[i]) {
			isNew = isNew || !asked[verb]
			asked[verb] = true
		}
		if isNew {
			due = append(due, archives[i])
		}
	}
	return due
}

// questions are the kinds of what an archive asks, and how it asks.
func questions(t *testing.T, path string) (verbs []string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(section(archive, "do")) {
		if words := strings.Fields(line); len(words) > 0 {
			verbs = append(verbs, words[0])
		}
	}
	return verbs
}

// golden reports whether the answers of this variant are those that -update writes.
func (v variant) golden() bool { return v.encoding == "utf-8" && !v.dynamic }

// changesGolden names the answers to a client without documentChanges that differ.
const changesGolden = "want.changes"

func section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

var askedAgain = regexp.MustCompile(` #\d+$`)

// answers takes answers apart: each with its question before it. A question that is asked
// again gets a number.
func answers(text string) (out []string, byQuestion map[string]string) {
	byQuestion = map[string]string{}
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		part = strings.TrimSuffix(part, "\n")
		question, answer, _ := strings.Cut(part, "\n")
		again := question
		for n := 2; ; n++ {
			if _, asked := byQuestion[again]; !asked {
				break
			}
			again = fmt.Sprintf("%s #%d", question, n)
		}
		byQuestion[again] = answer
		out = append(out, again)
	}
	return out, byQuestion
}

// differences are the answers of got that are not those of want.
func differences(want, got string) string {
	_, wanted := answers(want)
	asked, given := answers(got)
	var out strings.Builder
	for _, q := range asked {
		if given[q] != wanted[q] {
			fmt.Fprintf(&out, "== %s\n%s\n", q, given[q])
		}
	}
	return out.String()
}

// override replaces the answers of want that differing has as well.
func override(want, differing string) string {
	asked, wanted := answers(want)
	_, other := answers(differing)
	var out strings.Builder
	for _, q := range asked {
		answer, ok := other[q]
		if !ok {
			answer = wanted[q]
		}
		fmt.Fprintf(&out, "== %s\n", askedAgain.ReplaceAllString(q, ""))
		if answer != "" {
			out.WriteString(answer + "\n")
		}
	}
	return out.String()
}

var errorAnswer = regexp.MustCompile(`(?m)^error (-\d+)`)

// noNewErrors checks that a recorded client gets no errors that others do not get, but for
// the word that it cannot do what is needed.
func noNewErrors(t *testing.T, want, got string) {
	t.Helper()
	_, wanted := answers(want)
	asked, given := answers(got)
	for _, q := range asked {
		for _, failed := range errorAnswer.FindAllStringSubmatch(given[q], -1) {
			if failed[1] != "-32803" && !strings.Contains(wanted[q], failed[0]) {
				t.Errorf("%s: %s", q, given[q])
			}
		}
	}
}

// rewrite puts new answers into the archive; none remove their section.
func rewrite(t *testing.T, path string, archive *txtar.Archive, name, want string) {
	t.Helper()
	out := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if f.Name != name {
			out.Files = append(out.Files, f)
		}
	}
	if want != "" {
		out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(want)})
	}
	if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

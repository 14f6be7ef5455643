package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// entryText is an entry that says a sentence and lists a file.
func entryText(sentence, file string) string {
	return "---\ntitle: Entry\n---\n## Raw Concept\n**Files:**\n- " + file + "\n\n## Narrative\n" + sentence + "\n"
}

// sayingOf reads of a text its last line.
func sayingOf(text string) *Saying {
	reads := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		return strings.TrimSpace(lines[len(lines)-1])
	}
	return &Saying{text, func() string { return reads(text) }, reads}
}

// TestSinceTellsWhatWasSaid: a change of where an entry belongs is none of what it says, what was
// said before and is said again counts from then, and the branch got a merged change with the merge.
func TestSinceTellsWhatWasSaid(t *testing.T) {
	p := &project{t: t, dir: t.TempDir()}
	p.git("init", "-q", "-b", "main")
	now := map[string]string{
		"first": entryText("One.", "a.go"), "followed": entryText("One.", "a.go"), "again": entryText("One.", "a.go"),
		"merged": entryText("One.", "a.go"), "edited": entryText("One.", "a.go"), "ends": entryText("One.", "a.go"),
		"gone": entryText("One.", "a.go"), "huge": entryText("One.", "a.go"),
	}
	write := func(name, text string) { now[name] = text; p.put("tree/"+name+".md", text) }
	for name, text := range now {
		write(name, text)
	}
	p.commit("all") // day 1, a first commit
	write("again", entryText("Two.", "a.go"))
	write("followed", entryText("Two.", "a.go"))
	p.commit("two") // day 2
	write("again", entryText("One.", "a.go"))
	p.commit("one again") // day 3
	for _, name := range []string{"again", "followed", "first"} {
		write(name, strings.ReplaceAll(now[name], "a.go", "b.go"))
	}
	p.git("rm", "-q", "tree/gone.md")
	p.commit("follow a rename") // day 4
	p.git("switch", "-q", "-c", "side")
	write("merged", entryText("Two.", "a.go"))
	p.commit("side") // day 5
	p.git("switch", "-q", "main")
	p.commit("main") // day 6
	p.day++
	p.git("merge", "-q", "--no-ff", "-m", "merge", "side") // day 7
	write("huge", entryText(strings.Repeat("word ", MaxText/5), "a.go"))
	p.commit("huge") // day 8
	write("edited", entryText("Not committed.", "a.go"))
	write("new", entryText("Not committed.", "a.go"))
	now["ends"] = strings.ReplaceAll(now["ends"], "\n", "\r\n") // as git may check it out

	want := map[string]int64{"first": 1, "followed": 2, "again": 3, "merged": 7, "huge": 8, "edited": 1, "ends": 1}
	past := p.past()
	for round := range 2 { // the second from memory
		var asks []Ask
		var names []string
		for name, text := range now {
			file := "tree/" + name + ".md"
			names, asks = append(names, name), append(asks, Ask{Neighbour: file, Saying: sayingOf(text)})
		}
		since, err := past.Since(t.Context(), asks)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, at := range since {
			if day := want[names[i]]; day == 0 && !at.IsZero() || day != 0 && !at.Equal(time.Unix(firstDay+day*24*60*60, 0)) {
				got = append(got, fmt.Sprintf("%s: day %v, want %d", names[i], at.Sub(day0).Hours()/24, day))
			}
		}
		slices.Sort(got)
		if len(got) > 0 {
			t.Errorf("round %d:\n%s", round, strings.Join(got, "\n"))
		}
	}
}

var day0 = time.Unix(firstDay, 0)

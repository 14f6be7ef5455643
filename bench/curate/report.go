package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/curate"
)

// report prints the run as a table with an empty column for the judgement.
func report(o options, rows []row, again second) error {
	var b strings.Builder
	landed, offered, nothing, known, named, asked, right := 0, 0, 0, 0, 0, 0, 0
	var times []time.Duration
	fmt.Fprintf(&b, "commits: non-merge, newest first, number ≡ %d mod %d; %s, %d processors\n\n", o.skip, o.every, runtime.Version(),
		runtime.NumCPU())
	b.WriteString(
		"| no. | commit | subject | proposed | topic | title | names a file | truth | sensible " +
			"|\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		times = append(times, r.took)
		if u := r.proposal.Undecided; len(u) > 0 {
			offered++
			fmt.Fprintf(&b, "| %d | %s | %s | choices | %s | %s | | %s | |\n", r.number, r.commit[:12], cell(r.subject),
				choices(u[0].Choices), cell(u[0].Title), strings.Join(r.truth, " "))
			continue
		}
		if len(r.proposal.Ops) == 0 {
			nothing++
			fmt.Fprintf(&b, "| %d | %s | %s | – | | %s | | | |\n", r.number, r.commit[:12], cell(r.subject),
				cell(strings.Join(r.proposal.Notes, "; ")))
			continue
		}
		landed++
		if !r.fresh {
			known++
		}
		if r.named {
			named++
		}
		if len(r.truth) > 0 {
			asked++
			if slices.Contains(r.truth, r.topics[0]) {
				right++
			}
		}
		op := r.proposal.Ops[0]
		kind := string(op.Type)
		if r.fresh {
			kind += " (new topic)"
		}
		title := op.Title
		if title == "" {
			title = "→ " + op.Path
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s | %s | %s | |\n", r.number, r.commit[:12], cell(r.subject), kind,
			strings.Join(r.topics, ", "),
			cell(title), yes(r.named), strings.Join(r.truth, " "))
		if r.text != "" {
			fmt.Fprintf(&b, "\n```diff\n%s```\n", r.text)
		}
	}
	slices.Sort(times)
	fmt.Fprintf(
		&b,
		"\n%d commits: %d drafts landed, %d offered with choices, %d with nothing to say; of those landed %d in a topic that was "+
			"there, %d beside an entry that names a file of theirs",
		len(rows), landed, offered, nothing, known, named)
	if asked > 0 {
		fmt.Fprintf(&b, "; %d of %d in a topic of the entries that the commit itself changed", right, asked)
	}
	if len(times) > 0 {
		fmt.Fprintf(&b, "; %s a draft (median), %s at most", times[len(times)/2].Round(time.Millisecond/10),
			times[len(times)-1].Round(time.Millisecond/10))
	}
	fmt.Fprintf(
		&b,
		".\nAll done one after another, in the likeliest topic where none was sure, and drafted again: %d entries added twice %v, "+
			"%d updates, %d titles of two entries %q.\n", again.added, again.again, again.updated, len(again.titles), again.titles)
	fmt.Print(b.String())
	if o.runs == "" {
		return nil
	}
	f, err := os.OpenFile(o.runs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(b.String() + "\n"); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// choices lists topics, those that are not there yet in brackets.
func choices(all []curate.Choice) string {
	var names []string
	for _, c := range all {
		if c.New {
			c.Topic = "(" + c.Topic + ")"
		}
		names = append(names, c.Topic)
	}
	return strings.Join(names, " ")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// cell is text in a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

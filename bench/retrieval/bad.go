package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// maxBad is the time limit for a senseless question, in milliseconds.
const maxBad = 50

// badInput is a senseless question.
type badInput struct {
	name string
	q    retrieval.Query
}

// badInputs are made with words of a set, so that the long ones find something.
func badInputs(set *dataset) []badInput {
	text := func(name, text string) badInput { return badInput{name, retrieval.Query{Text: text}} }
	known := set.questions[0].Text
	return []badInput{
		text("empty", ""),
		text("spaces", " \t\r\n\u00a0 "),
		text("one megabyte of one letter", strings.Repeat("a", 1<<20)),
		text("one megabyte of the set's words", megabyte(set)),
		text("punctuation", "?!… -- ,,, ((( ))) /// \\\\ :: ''"),
		text("stop words", "the of and to in is it that for on with as are this be"),
		text("invalid UTF-8", "\xff\xfe\xc0\xaf "+known+" \xed\xa0\x80"),
		text("control characters", "\x00\x01\x02\x1b[31m "+known+"\x7f\x00"),
		text("10,000 made-up words", madeUp(10_000)),
		text("10,000 of the set's words", vocabulary(set, 10_000)),
		text("a pattern", "(((((((((a*)*)*)*)*)*)*)*)*)* [[[[ **** ????"),
		{"a scope that is not there", retrieval.Query{Text: known, Scope: "no/such/folder"}},
		{"a scope outside the tree", retrieval.Query{Text: known, Scope: "../../etc"}},
		{"a scope with a NUL", retrieval.Query{Text: known, Scope: "a\x00b"}},
		{"a scope of one megabyte", retrieval.Query{Text: known, Scope: strings.Repeat("a/", 1<<19)}},
		{"a limit below zero", retrieval.Query{Text: known, Limit: -1}},
		{"a limit of a billion", retrieval.Query{Text: known, Limit: 1_000_000_000}},
	}
}

// megabyte is so much text of the set.
func megabyte(set *dataset) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		d := set.docs[i%len(set.docs)]
		b.WriteString(d.Title + "\n" + d.Path + "\n" + d.Text + "\n")
	}
	return b.String()[:1<<20]
}

// vocabulary is up to n different words of the set.
func vocabulary(set *dataset, n int) string {
	var words []string
	seen := map[string]bool{}
	for _, d := range set.docs {
		for w := range wordsOf(d.Text) {
			if !seen[w] && len(words) < n {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return strings.Join(words, " ")
}

// madeUp is n different words that no set has.
func madeUp(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "qzx%cv%cw%ck ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
	}
	return b.String()
}

// badRow is the result of one senseless question.
type badRow struct {
	Set      string `json:"set"`
	Question string `json:"question"`
	Result   string `json:"result"`
	Hits     int    `json:"hits"`
	spent
	Holds bool `json:"holds"`
}

// runBad asks the largest of some sets.
func runBad(ctx context.Context, c config, names []string, stdout io.Writer) error {
	var largest *dataset
	for _, name := range names {
		set, err := readSet(c.data, name)
		if err != nil {
			return err
		}
		if largest == nil || len(set.docs) > len(largest.docs) {
			largest = set
		}
	}
	rows, err := askBad(ctx, largest)
	if err != nil {
		return err
	}
	if c.json {
		lines := json.NewEncoder(stdout)
		for _, r := range rows {
			if err := lines.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	t := newTable("question", "result", "hits", "ms", "cpu ms", "holds")
	for _, r := range rows {
		holds := "yes"
		if !r.Holds {
			holds = "NO"
		}
		t.row(append(append([]string{r.Question, r.Result, fmt.Sprint(r.Hits)}, numbers("%.2f", r.Wall, r.CPU)...), holds)...)
	}
	_, err = fmt.Fprintf(stdout, "%s, %d documents; no question may take more than %d ms of processor time\n\n%s", largest.name,
		len(largest.docs), maxBad, t.text.String())
	return err
}

// askBad asks a set what no one should ask. An error of the engine is a result, too.
func askBad(ctx context.Context, set *dataset) ([]badRow, error) {
	o, err := openOurs(set)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if err := o.start(ctx); err != nil {
		return nil, err
	}
	if err := o.warmUp(ctx); err != nil {
		return nil, err
	}
	var out []badRow
	for _, in := range badInputs(set) {
		heap() // so that no collection that others made due falls into this question
		var a retrieval.Answer
		ask := o.asker()
		used, err := process.Timed(func() (err error) { a, err = ask(ctx, in.q); return err })
		out = append(out, badRow{set.name, in.name, classOf(a, err), len(a.Hits), used, used.CPU <= maxBad})
	}
	return out, nil
}

// classOf is the kind of a result.
func classOf(a retrieval.Answer, err error) string {
	switch {
	case err != nil:
		return "error: " + err.Error()
	case a.OutOfDomain:
		return "out of domain: " + firstLine(a.Text)
	case a.Tier == retrieval.TierDirect:
		return "direct answer" + noted(a)
	}
	return "passages" + noted(a)
}

// noted returns the first line of an answer's note after a colon, "" if it has none.
func noted(a retrieval.Answer) string {
	if a.Note == "" {
		return ""
	}
	return ": " + firstLine(a.Note)
}

// firstLine is the beginning of an answer, for a table.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == '|' {
			return ' '
		}
		return r
	}, line)
	if r := []rune(line); len(r) > 60 {
		line = string(r[:60]) + "…"
	}
	return line
}

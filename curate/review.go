package curate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxThreads is how many threads are looked at.
const maxThreads = 5_000

// hostThread is a review comment or thread in the forms that hosts' CLIs print: a comment of
// GitHub's REST API, a thread of its GraphQL API, a discussion of GitLab's.
type hostThread struct {
	Path     string
	Line     *int
	Original int    `json:"original_line"`
	Position *int   // of a comment: nil once the line was changed; of a note it is another thing
	ReplyTo  *int64 `json:"in_reply_to_id"`
	Body     string
	HTMLURL  string  `json:"html_url"`
	DiffHunk *string `json:"diff_hunk"` // only comments of reviews have it
	User     struct{ Type string }

	IsResolved, IsOutdated bool
	OriginalLine           int
	Comments               *struct {
		Nodes []struct {
			Body, URL string
			Author    struct {
				Type string `json:"__typename"`
			}
		}
	}

	Notes []struct {
		Body     string
		Resolved bool
		System   bool
		Position *struct {
			NewPath string `json:"new_path"`
			NewLine int    `json:"new_line"`
		}
	}
}

// ReadThreads reads review threads as a host's CLI prints them: the output of
// `gh api repos/O/R/pulls/N/comments --paginate`, of a GraphQL query for reviewThreads, or of
// `glab api projects/P/merge_requests/N/discussions`.
func ReadThreads(data []byte) (threads []Thread, err error) {
	in := json.NewDecoder(bytes.NewReader(markdown.WithoutMarks(words.UTF8(data))))
	for { // pages follow each other, or stand in one list
		var page json.RawMessage
		if err := in.Decode(&page); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("byte %d: %s", in.InputOffset(), jsonerr.Text(err))
		}
		if threads, err = readPage(page, threads, 0); err != nil {
			return nil, err
		}
	}
	if threads == nil {
		err = errors.New("there is no review comment in the input; give the output of `gh api repos/OWNER/REPO/pulls/N/comments`")
	}
	return threads, err
}

// readPage adds the threads of a page, or of a list of pages.
func readPage(page json.RawMessage, to []Thread, depth int) (_ []Thread, err error) {
	if trimmed := bytes.TrimSpace(page); depth < 3 && len(trimmed) > 0 && trimmed[0] == '[' {
		var items []json.RawMessage
		if err := json.Unmarshal(trimmed, &items); err != nil {
			return to, err
		}
		for _, item := range items {
			if to, err = readPage(item, to, depth+1); err != nil {
				return to, err
			}
		}
		if to == nil {
			to = []Thread{} // a list of none is one
		}
		return to, nil
	}
	var query struct {
		Data struct {
			Repository struct {
				PullRequest struct {
					ReviewThreads struct{ Nodes []hostThread }
				}
			}
		}
	}
	var one hostThread
	_ = json.Unmarshal(page, &query) // a note's position is no number: what fits counts
	_ = json.Unmarshal(page, &one)
	for _, t := range append(query.Data.Repository.PullRequest.ReviewThreads.Nodes, one) {
		if thread, ok := t.thread(); ok && len(to) < maxThreads {
			to = append(to, thread)
		}
	}
	return to, nil
}

// thread reads a host's form; ok is false for replies and other objects.
func (t hostThread) thread() (Thread, bool) {
	line := func(now *int, original int) int {
		if now != nil {
			return *now
		}
		return original
	}
	switch {
	case t.Comments != nil && len(t.Comments.Nodes) > 0:
		c := t.Comments.Nodes[0]
		return Thread{t.Path, line(t.Line, t.OriginalLine), c.Body, c.URL, t.IsResolved || t.IsOutdated, c.Author.Type == "Bot"}, true
	case len(t.Notes) > 0:
		n := t.Notes[0]
		if n.Position == nil || n.System {
			return Thread{}, false
		}
		return Thread{n.Position.NewPath, n.Position.NewLine, n.Body, "", n.Resolved, false}, true
	case t.DiffHunk != nil && t.ReplyTo == nil:
		settled := t.Position == nil && t.Line == nil
		return Thread{t.Path, line(t.Line, t.Original), t.Body, t.HTMLURL, settled, t.User.Type == "Bot"}, true
	}
	return Thread{}, false
}

// ofThreads are the ideas of the threads that a change settled and whose first comment says why: it
// has a paragraph of prose that is long enough for that, which is quoted.
func (d *drafting) ofThreads(threads []Thread) (ideas []idea) {
	open, short, lost := 0, 0, 0
	for _, t := range threads {
		said := ""
		for p := range strings.SplitSeq(strings.ReplaceAll(t.Text, "\r\n", "\n"), "\n\n") {
			if said = reasonIn("subject\n" + p); said != "" {
				break
			}
		}
		switch {
		case !t.Settled:
			open++
		case said == "" || t.Bot:
			short++
		case !fs.ValidPath(t.Path) || format.Hidden(t.Path):
			lost++
		default:
			ideas = append(ideas, d.ofThread(t, said))
		}
	}
	for _, left := range []struct {
		n   int
		why string
	}{{open, "neither resolved nor outdated"}, {short, "the first comment is by a bot, or gives no reason"},
		{lost, "not about a file in this folder"}} {
		if left.n > 0 {
			d.refuse("review threads not proposed: %d (%s)", left.n, left.why)
		}
	}
	return ideas
}

// ofThread quotes what a reviewer said, with its place and link.
func (d *drafting) ofThread(t Thread, said string) idea {
	k := converter{drafting: d}
	place := code(t.Path)
	if t.Line > 0 {
		place += fmt.Sprintf(", line %d", t.Line)
	}
	link := ""
	if strings.HasPrefix(t.Link, "https://") && !strings.ContainsAny(t.Link, " \t\n<>()[]`") {
		link = ": " + t.Link
	}
	quoted := k.convert(strings.Split(sized(said), "\n"))
	i := idea{
		title: shorten(firstSentence(quoted)), summary: firstSentence(quoted), home: t.Path, change: true,
		from: "review of " + t.Path, reason: "Drafted from a review of " + t.Path + ".",
		about: []part{{path: t.Path, share: 1}},
	}
	raw := format.RawConcept{Task: prose(i.title)}
	if d.exists(t.Path) {
		raw.Files = []string{listed(t.Path)}
	}
	i.content = format.Content{RawConcept: raw, Relations: k.relations,
		Narrative: format.Narrative{Highlights: quoted + "\n\nSaid in the review of " + place + link}}
	return i
}

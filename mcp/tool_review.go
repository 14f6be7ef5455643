package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

var reviewTool = tool{
	name: "brv_review", title: "Review proposals", writes: true, destroys: true,
	about: "Lists proposed knowledge that waits for review. approve, reject and edit ask the user, who decides. Not for code reviews.",
	params: []param{
		{name: "action", kind: kindChoice, required: true, choices: []string{"list", "approve", "reject", "edit"}},
		{name: "review", kind: kindNumber, min: 1, about: "list: shows its diffs"},
		{name: "paths", kind: kindTexts, about: "Only these entries"},
		{name: "text", kind: kindText, max: maxEdited, about: "edit: the new text"},
		{name: "reason", kind: kindText, max: 500},
		{name: "max_tokens", kind: kindNumber, min: leastTokens, max: mostTokens},
	},
	run: review,
}

// maxEdited bounds an edited text, in bytes, since a person has to read all of it.
const maxEdited = maxQuestion

func review(ctx context.Context, c *call) (answer, error) {
	r, err := curation.Reviews(ctx, c.ws, struct{}{})
	if err != nil {
		return answer{}, err
	}
	action, id := c.text("action"), c.number("review", 0)
	if action == "list" {
		if c.text("text")+c.text("reason") != "" {
			return answer{}, errors.New("text and reason are allowed only with a decision, not with list")
		}
		return waiting(r.Reviews, id, c.paths()), nil
	}
	which, err := c.chosen(r.Reviews)
	if err != nil {
		return answer{}, err
	}
	switch text := c.text("text"); {
	case action != "edit" && text != "":
		return answer{}, fmt.Errorf("text: allowed only with edit, not with %s", action)
	case action == "edit" && text == "":
		return answer{}, errors.New("text: required for edit: the new text of the entry")
	case sanitize.Visible(text) != text:
		return answer{}, errors.New(
			"text: contains control or invisible characters, so a person could not read it; remove them")
	case action == "edit" && (len(which.Items) != 1 || !which.Items[0].Held):
		return answer{}, errors.New("paths: give exactly one entry that waits for review")
	}
	command := byHand(action, which)
	if !canAsk(c.req) {
		return answer{failed: true,
			words: "Nothing was decided: only a person can decide, and this client cannot ask one. Tell the user: `brv-lsp review show " +
				fmt.Sprint(id) + "` shows the review. To decide, run " + command + ".\n"}, nil
	}
	text, rest := c.decision(action, &which)
	text, err = asking(text)
	if err != nil {
		return answer{failed: true, words: fmt.Sprintf("Nothing was decided: %v. Tell the user to run %s, or give fewer paths.\n",
			err, command)}, nil
	}
	return answer{ask: &question{
		text: text, many: len(which.Items) > 1,
		do: func(ctx context.Context, but string) (answer, error) {
			a, err := c.decide(ctx, action, which, but)
			if rest > 0 {
				a.words += fmt.Sprintf("Changes that still wait: %d. Call again to ask the user about the next.\n", rest)
			}
			return a, err
		},
		no: fmt.Sprintf(
			"Nothing was decided because the user did not agree. Review %d still waits. Do not ask again unless the user wants it.\n", id),
		none: fmt.Sprintf("Nothing was decided: the client did not ask the user, or its answer cannot be read."+
			" Review %d still waits. Tell the user to run %s.\n", id, command),
	}}, nil
}

// paths returns the tree paths of the call; results name entries by their workspace paths.
func (c *call) paths() []string {
	var out []string
	for _, p := range c.texts("paths") {
		out = append(out, strings.TrimPrefix(p, ".brv/"+tree.Dir+"/"))
	}
	return out
}

// chosen returns the review that the call names, with only the items that it names.
func (c *call) chosen(list []store.Review) (store.Review, error) {
	var numbers []string
	for _, r := range list {
		numbers = append(numbers, fmt.Sprint(r.Batch))
		if r.Batch != c.number("review", 0) {
			continue
		}
		for _, p := range c.paths() {
			if _, err := curation.Choose(r.Items, []string{p}); err != nil {
				return r, fmt.Errorf("paths: review %[2]d has no waiting change of %[1]s", sanitize.Line(p, 400), r.Batch)
			}
		}
		r.Items = only(r.Items, c.paths())
		return r, nil
	}
	if len(list) == 0 {
		return store.Review{}, errors.New("review: no review waits")
	}
	return store.Review{}, fmt.Errorf("review: give one of these numbers: %s", strings.Join(numbers, ", "))
}

// only returns the items that the paths name, by the rules of [curation.Choose]. Without paths, it returns all.
func only(items []plan.ReviewItem, paths []string) []plan.ReviewItem {
	var words []string
	for _, p := range paths {
		if _, err := curation.Choose(items, []string{p}); err == nil {
			words = append(words, p)
		}
	}
	if len(words) == 0 && len(paths) > 0 {
		return nil
	}
	chosen, _ := curation.Choose(items, words) // each path names some items
	return slices.Clone(chosen)
}

// maxWhole is how many items of a review are shown with their changes and listed one by one. In a larger review,
// each item has a line; if the call does not name the review, each folder has one.
const maxWhole = 12

// typable matches paths that can stand in a command for copying.
var typable = regexp.MustCompile(`^[\p{L}\p{N}_./-]+$`)

// byHand returns the command with which a person decides.
func byHand(action string, r store.Review) string {
	at := fmt.Sprint(r.Batch)
	if len(r.Items) == 1 && typable.MatchString(r.Items[0].Path) {
		at += ":" + r.Items[0].Path
	}
	if action == "edit" {
		return "`brv-lsp review approve " + at + " --text FILE`"
	}
	return "`brv-lsp review " + action + " " + at + "`"
}

// pageHead is the space above the items of a question, in bytes.
const pageHead = 2 << 10

// decision describes everything that a decision would do. If not all items fit into one question, it keeps the
// first ones, and rest is the number of the others.
func (c *call) decision(action string, r *store.Review) (text string, rest int) {
	// If a large review comes from a person and only adds entries, each has only a line: a person would not read
	// all texts in a question, and no existing entry changes.
	short := len(r.Items) > maxWhole && !slices.ContainsFunc(r.Items, func(i plan.ReviewItem) bool {
		return i.Op.Type.Normal() != plan.OpAdd || !i.Held || !r.Origin.Human()
	})
	var items strings.Builder
	all := r.Items
	for i, item := range all {
		told := c.told(action, item, short)
		if i > 0 && items.Len()+len(told) > maxQuestion-pageHead && apart(all, i) {
			r.Items, rest = all[:i], len(all)-i
			break
		}
		items.WriteString(told)
	}
	var b strings.Builder
	verb := map[string]string{"approve": "approve", "reject": "reject", "edit": "approve an edited version of"}[action]
	fmt.Fprintf(&b, "%s asks you to %s review %d (%s):\n", c.client, verb, r.Batch, origin(*r))
	if reason := c.text("reason"); reason != "" {
		fmt.Fprintf(&b, "Its reason: %s\n", sanitize.Line(reason, 500))
	}
	if rest > 0 {
		fmt.Fprintf(&b, "These are the first %d changes; %d more are not decided now.\n", len(r.Items), rest)
	}
	return b.String() + items.String(), rest
}

// apart reports whether no entry has items on both sides of an index, since all items of an entry are decided
// together.
func apart(items []plan.ReviewItem, at int) bool {
	return !slices.ContainsFunc(items[at:], func(i plan.ReviewItem) bool {
		return slices.ContainsFunc(items[:at], func(o plan.ReviewItem) bool { return o.Path == i.Path })
	})
}

// told returns an item's text in a question. With short set, it is one line.
func (c *call) told(action string, item plan.ReviewItem, short bool) string {
	at := sanitize.Line(item.Path, 400)
	if short {
		return fmt.Sprintf("%d %s: %s\n", item.Number, at, curation.Line(item))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d %s %s: %s\n%s\n", item.Number, item.Op.Type, at, sanitize.Line(item.Op.Reason, 300),
		sanitize.Line(item.Message, 300))
	switch {
	case action == "edit":
		before, name := "", ""
		if e, ok := c.view.Tree().Entry(item.Path); ok {
			before, name = e.Text, "a/"+item.Path
		}
		b.WriteString(markdown.Diff(name, before, "b/"+item.Path, c.text("text")))
	case !item.Held:
		b.WriteString("This change is already made; rejecting undoes it.\n")
	default:
		b.WriteString(item.Diff)
	}
	return b.String()
}

// origin tells who proposed a review, and when.
func origin(r store.Review) string {
	parts := []string{"by " + cmp.Or(sanitize.Line(r.Author, 100), "unknown"), r.Time.UTC().Format(time.DateTime)}
	if !r.Origin.Human() {
		parts = append(parts, strings.TrimSpace(string(r.Origin.Kind)+" "+sanitize.Line(r.Origin.Tool, 60)))
	}
	if r.Origin.Model != "" {
		parts = append(parts, "model "+sanitize.Line(r.Origin.Model, 60))
	}
	return strings.Join(parts, ", ")
}

// decide carries out the decision to which the person said yes, for exactly these items, without those that the
// person excluded.
func (c *call) decide(ctx context.Context, action string, r store.Review, but string) (answer, error) {
	req := curation.BatchRequest{Batch: r.Batch, Author: "the user of " + c.client, Reason: c.text("reason")}
	for _, item := range r.Items {
		req.Paths = append(req.Paths, item.Path)
	}
	req.But = strings.FieldsFunc(but, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if action == "edit" {
		req.Texts, req.Origin = map[string]string{r.Items[0].Path: c.text("text")},
			format.Origin{Kind: format.OriginAgent, Tool: c.client}
	}
	var report *plan.Report
	var err error
	if action == "reject" {
		report, err = curation.Reject(ctx, c.ws, req)
	} else {
		report, err = curation.Approve(ctx, c.ws, req)
	}
	if err != nil {
		return answer{}, err
	}
	a := outcome(report)
	a.words = fmt.Sprintf("The user agreed, and the decision was carried out: change %d. `brv-lsp undo %d` undoes it.\n",
		report.Batch, report.Batch)
	switch failed := report.Summary.Failed; {
	case report.Batch == 0:
		a.failed, a.words = true, "The user agreed, but nothing could be done: read the messages.\n"
	case failed > 0:
		a.words += words.Counted(failed, "operation", "operations") + " failed. Failed operations still wait: read the messages.\n"
	}
	return a, nil
}

// waiting lists reviews in short, or one review with its changes.
func waiting(list []store.Review, id int, paths []string) answer {
	type operation struct {
		Type   plan.OpType `json:"type"`
		Path   string      `json:"path"`
		Held   bool        `json:"held"`
		Reason string      `json:"reason"`
	}
	type one struct {
		Review     int               `json:"review"`
		Time       time.Time         `json:"time"`
		Author     string            `json:"author,omitempty"`
		Kind       format.OriginKind `json:"kind,omitempty"`
		Operations []operation       `json:"operations"`
	}
	parts := struct {
		Reviews []one `json:"reviews"`
	}{[]one{}}
	var b strings.Builder
	n, held := 0, 0
	for _, r := range list {
		if id != 0 && r.Batch != id {
			continue
		}
		entry := one{Review: r.Batch, Time: r.Time, Author: sanitize.Line(r.Author, 100), Kind: r.Origin.Kind, Operations: []operation{}}
		fmt.Fprintf(&b, "Review %d, %s\n", r.Batch, origin(r))
		items := only(r.Items, paths)
		for _, item := range items {
			if item.Held {
				held++
			}
		}
		if id == 0 && len(items) > maxWhole {
			n += len(items)
			for _, g := range curation.Groups(items) {
				fmt.Fprintf(&b, "%d in %s/\n", g.Count, sanitize.Line(g.Folder, 400))
			}
			parts.Reviews = append(parts.Reviews, entry)
			continue
		}
		for _, item := range items {
			if n++; n <= maxSources {
				entry.Operations = append(entry.Operations, operation{item.Op.Type, sanitize.Line(item.Path, 400), item.Held,
					sanitize.Line(item.Op.Reason, 300)})
			}
			if len(items) > maxWhole {
				fmt.Fprintf(&b, "%d %s %s: %s\n", item.Number, item.Op.Type, sanitize.Line(item.Path, 400), curation.Line(item))
				continue
			}
			state := "done"
			if item.Held {
				state = "held"
			}
			fmt.Fprintf(&b, "%s %s %s: %s\n", state, item.Op.Type, sanitize.Line(item.Path, 400), sanitize.Line(item.Op.Reason, 300))
			if item.Blocked != "" {
				fmt.Fprintf(&b, "You cannot approve it now: %s\n", sanitize.Line(item.Blocked, 300))
			}
			if id != 0 {
				b.WriteString(sanitize.Line(item.Message, 300) + "\n" + item.Diff)
			}
		}
		parts.Reviews = append(parts.Reviews, entry)
	}
	a := answer{data: b.String(), parts: parts, words: words.Counted(held, "operation", "operations") + " in " +
		words.Counted(len(parts.Reviews), "review", "reviews") + " for a person to decide, oldest first.\n"}
	if done := n - held; done > 0 {
		a.words += words.Counted(done, "operation is", "operations are") +
			" already done, for you to check: to undo one, reject it.\n"
	}
	if id == 0 {
		a.words += "Give a number as review to see its changes.\n"
	} else if n > maxWhole {
		a.words += "paths takes folders (a/b/), patterns (a/*) and numbers; give a few to see their changes.\n"
	}
	switch {
	case n == 0 && id != 0:
		a.data, a.words = "", fmt.Sprintf("Review %d has no waiting changes, or none for these paths.\n", id)
	case n == 0:
		a.data, a.words = "", "Nothing waits for a review.\n"
	}
	return a
}

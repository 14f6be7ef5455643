package curate

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// The complete set of tools for a model that curates: search and read_entry of the tree, read_source, and
// propose. None of them writes, opens a file or runs a program.

// maxRead is the most that read_source shows at once, in characters (paper, Table 7).
const maxRead = 8000

// maxExisting bounds the text of an entry that is in the way of an ADD, in characters.
const maxExisting = 2000

// item is one text of the material.
type item struct {
	Source
	word  string // the tag in which it is quoted
	text  string // all of it
	shown string // within its share
	how   string // the method by which it was shortened
}

func (s *item) name() string { return cmp.Or(s.Path, s.Entry, s.word) }

// gather makes items of the material. Sources over the limits are left out with a note.
func (c *composer) gather() error {
	for i, s := range c.material.Sources {
		if i == MaxSources {
			c.notes = append(c.notes, fmt.Sprintf("%d of %d sources were left out; the limit is %d", len(c.material.Sources)-i,
				len(c.material.Sources), MaxSources))
			break
		}
		if s.Cut(); strings.TrimSpace(s.Text) == "" {
			c.notes = append(c.notes, s.Path+" is empty")
			continue
		}
		if s.Note != "" {
			c.notes = append(c.notes, s.Path+": "+s.Note)
		}
		c.sources = append(c.sources, item{Source: s, word: "source", text: s.Text})
	}
	if ch := c.material.Changes; ch != nil {
		s := Source{Path: ch.Name, Kind: KindText, Text: differences(ch)}
		for _, f := range ch.Files {
			s.Symbols = append(s.Symbols, f.Symbols...)
		}
		s.Cut()
		if ch.Note != "" {
			c.notes = append(c.notes, ch.Name+": "+ch.Note)
		}
		if s.Note != "" {
			c.notes = append(c.notes, ch.Name+": "+s.Note)
		}
		c.sources = append(c.sources, item{Source: s, word: "changes", text: s.Text})
	}
	if len(c.sources) == 0 && strings.TrimSpace(c.material.Instruction) == "" {
		return errors.New("there is nothing to draft from: all sources are empty")
	}
	return nil
}

// differences writes a difference in the form in which people read one.
func differences(ch *Changes) string {
	var b strings.Builder
	if ch.Message != "" {
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(ch.Message))
	}
	for _, f := range ch.Files {
		word := map[byte]string{'A': "added", 'D': "deleted", 'R': "renamed"}[f.Status]
		fmt.Fprintf(&b, "%s %s", cmp.Or(word, "changed"), f.Path)
		if f.From != "" {
			fmt.Fprintf(&b, " from %s", f.From)
		}
		if f.Binary {
			b.WriteString(" (binary)")
		}
		if len(f.Symbols) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(f.Symbols, ", "))
		}
		b.WriteByte('\n')
		type run struct {
			sign byte
			Hunk
		}
		var runs []run
		for _, h := range f.Removed {
			runs = append(runs, run{'-', h})
		}
		for _, h := range f.Added {
			runs = append(runs, run{'+', h})
		}
		slices.SortStableFunc(runs, func(a, b run) int { return a.Line - b.Line })
		for _, h := range runs {
			for i, line := range strings.Split(strings.TrimSuffix(h.Text, "\n"), "\n") {
				fmt.Fprintf(&b, "%c%d: %s\n", h.sign, h.Line+i, line)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// quote quotes a text of an item.
func (c *composer) quote(i int, text string, more ...string) string {
	s := &c.sources[i]
	lines := ""
	if s.StartLine > 0 {
		lines = fmt.Sprintf("%d to %d", s.StartLine, max(s.StartLine, s.EndLine))
	}
	kind := string(s.Kind)
	if s.word == "changes" {
		kind = ""
	}
	attributes := []string{"number", fmt.Sprint(i + 1), "path", s.Path, "entry", s.Entry, "kind", kind, "lines", lines,
		"defines", strings.Join(s.Symbols[:min(12, len(s.Symbols))], ", "), "note", s.Note}
	if text == s.shown && s.how != "" {
		attributes = append(attributes, "part", s.how)
	}
	return c.look.Quote(s.word, text, append(attributes, more...)...)
}

// tools lists the tools that the model may call.
func (c *composer) tools() []llm.Tool {
	return append(c.look.Tools(),
		llm.NewTool(
			"read_source",
			"Shows the whole text of a source by its number, or of a project file by its path; at most 8000 characters at "+
				"once.", c.readSource),
		llm.Tool{
			Name: "propose",
			Description: "Says what a list of operations would do, and keeps it as the proposal if any of it can be done. Give " +
				"all operations each time. Nothing is written.",
			Parameters: schema,
			Run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
				text, _, err := c.try(ctx, arguments)
				return text, err
			},
		})
}

// see remembers a text that the model was shown beside the material and the entries. Do not pass it the
// model's own words that a tool repeats: the model could look up a name that occurs nowhere, and then write
// it.
func (c *composer) see(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen += text + "\n\n"
}

// ownMark matches this program's replacement for a credential.
var ownMark = lazyregexp.New(`\[REDACTED[^\]\n]*\]`)

// invents returns an error for each operation that names something that occurs neither in the material nor in
// anything else that the model was shown.
func (c *composer) invents(ops []plan.Op) error {
	c.mu.Lock()
	known := c.seen + c.look.Shown() + c.material.Instruction
	c.mu.Unlock()
	for _, s := range c.sources {
		known += "\n\n" + s.Path + "\n\n" + strings.Join(s.Symbols, " ") + "\n\n" + s.text
	}
	from, wrong := grounding.In(known), []error(nil)
	for i, op := range ops {
		op.Title, op.Reason = "", "" // these are in the model's own words
		text := ownMark().ReplaceAllString(textOf(&op), "")
		if err := from.CheckNames(strings.ReplaceAll(text, "\n", "\n\n")); err != nil {
			wrong = append(wrong, fmt.Errorf("operation %d: %w; use only facts from the material and the entries", i+1, err))
		}
	}
	return errors.Join(wrong...)
}

type readArguments struct {
	Number int    `json:"number,omitempty" about:"number of the material"`
	Path   string `json:"path,omitempty" about:"path of a file of the project, such as src/auth/rotate.ts, instead of a number"`
	From   int    `json:"from,omitempty" about:"first line; 1 without"`
	To     int    `json:"to,omitempty" about:"last line; the end without"`
}

func (c *composer) readSource(ctx context.Context, a readArguments) (string, error) {
	var s Source
	word, number := "source", ""
	switch {
	case (a.Number != 0) == (a.Path != ""):
		return "", errors.New("give a number of the material, or a path of the project")
	case a.Number < 0 || a.Number > len(c.sources):
		return "", fmt.Errorf("there is no number %d; the material has %d sources", a.Number, len(c.sources))
	case a.Number > 0:
		i := c.sources[a.Number-1]
		s, word, number = i.Source, i.word, fmt.Sprint(a.Number)
		s.Text = i.text
	default:
		if !isProjectPath(a.Path) {
			return "", fmt.Errorf("path '%s': give a path inside the project that is not hidden, such as src/auth/rotate.ts",
				c.look.Line(a.Path))
		}
		if c.project.Read == nil {
			return "", errors.New("files of the project cannot be read now")
		}
		var err error
		if s, err = c.project.Read(ctx, a.Path); err != nil {
			return "", errors.New(c.look.Line(err.Error()))
		}
		s.Path = a.Path
		s.Cut()
	}
	first := max(1, s.StartLine)
	lines := strings.SplitAfter(strings.TrimSuffix(s.Text, "\n"), "\n")
	from, to := max(a.From, first), a.To
	if to == 0 || to > first+len(lines)-1 {
		to = first + len(lines) - 1
	}
	if from > to {
		return "", fmt.Errorf("lines %d to %d do not exist; it has lines %d to %d", a.From, a.To, first, first+len(lines)-1)
	}
	text := strings.Join(lines[from-first:to-first+1], "")
	if cut := sanitize.First(text, maxRead); len(cut) < len(text) {
		text = cut
		to = from + strings.Count(text, "\n")
	}
	c.see(s.Path + "\n\n" + text)
	note := ""
	if last := first + len(lines) - 1; to < last {
		note = fmt.Sprintf("continues to line %d", last)
	}
	return c.look.Quote(word, text, "number", number, "path", s.Path, "lines", fmt.Sprintf("%d to %d", from, to), "note",
		cmp.Or(note, s.Note)), nil
}

// try makes a dry run of a batch, and keeps the batch if at least one operation can be done. said is the
// result for the model, and failed the number of operations to correct. err is set if no operation can be
// done.
func (c *composer) try(ctx context.Context, batch []byte) (said string, failed int, err error) {
	ops, notes, report, err := c.tried(ctx, batch)
	switch {
	case err != nil:
		err = errors.New("nothing was accepted: " + sanitize.First(c.look.Clean(err.Error()), maxExisting))
	case len(ops) > 0 && report.Summary.Failed == len(ops):
		err = errors.New("every operation failed:\n" + c.results(ctx, ops, report, notes))
	default:
		said, failed = c.results(ctx, ops, report, notes), report.Summary.Failed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.refused = err
	case len(ops) > 0 || c.accepted == nil:
		c.accepted = &accepted{ops, report, notes}
	}
	return said, failed, err
}

// moveTo puts new entries where somebody said that they go.
func (c *composer) moveTo(ops []plan.Op, topic string) {
	for i := range ops {
		if op := &ops[i]; op.Type == plan.OpAdd && topic != "" {
			if base := path.Base(op.Path); strings.HasSuffix(base, ".md") {
				op.Path = topic + "/" + base
			} else {
				op.Path = topic
			}
		}
	}
}

// tried decodes, checks and trims a batch, and makes a dry run of it.
func (c *composer) tried(ctx context.Context, batch []byte) (ops []plan.Op, notes []string, report *plan.Report, err error) {
	if ops, err = readOps(batch); err != nil {
		return nil, nil, nil, err
	}
	c.moveTo(ops, c.material.Topic)
	if err = checkOps(ops, c.project.Tree); err != nil {
		return nil, nil, nil, err
	}
	notes = c.trim(ops)
	if err = c.invents(ops); err != nil {
		return nil, nil, nil, err
	}
	if err = checkOps(ops, c.project.Tree); err != nil { // the rest must have the required form too
		return nil, nil, nil, err
	}
	if report, err = c.dryRun(ctx, ops); err == nil && len(report.Results) != len(ops) {
		err = errors.New("the tree did not report on each operation")
	}
	return ops, notes, report, err
}

// results describes the effect of each operation for the model.
func (c *composer) results(ctx context.Context, ops []plan.Op, report *plan.Report, notes []string) string {
	var b strings.Builder
	for i, r := range report.Results {
		status := "failed"
		switch {
		case r.Unchanged:
			status = "nothing to do"
		case r.Status != plan.StatusFailed:
			status = "can be done"
		}
		fmt.Fprintf(&b, "[%d] %s %s: %s: %s\n", i+1, r.Type, c.look.Line(r.Path), status, c.look.Line(plan.WhenApproved(r.Message)))
		if r.Existing != "" {
			existing := sanitize.First(scrubbed(r.Existing), maxExisting)
			c.see(existing)
			b.WriteString(c.look.Quote("entry", existing, "operation", fmt.Sprint(i+1), "note", "existing text"))
		}
		for _, l := range r.Losses[:min(5, len(r.Losses))] {
			if !l.Kept {
				c.see(l.Item)
				fmt.Fprintf(&b, "    the entry would no longer say this of %s: %s\n", l.Part, c.look.Line(l.Item))
			}
		}
		for _, d := range r.Dangling[:min(5, len(r.Dangling))] {
			fmt.Fprintf(&b, "    leads nowhere: %s\n", c.look.Line(d))
		}
		if ops[i].Type == plan.OpAdd && r.Status != plan.StatusFailed {
			b.WriteString(c.alike(ctx, ops[i]))
		}
	}
	for _, n := range notes {
		fmt.Fprintf(&b, "%s\n", c.look.Line(n))
	}
	switch s := report.Summary; {
	case len(ops) == 0:
		b.WriteString("The list is empty, so nothing is proposed.\n")
	case s.Failed == len(ops):
		b.WriteString("No operation can be done. The proposal that was accepted before, if any, is kept.\n")
	case s.Failed > 0:
		fmt.Fprintf(
			&b, "%d of %d operations failed and are not in the proposal. Correct them and propose all again, or end here.\n",
			s.Failed, len(ops))
	default:
		b.WriteString("Accepted. Finish here. If something is missing, propose all operations again, with the missing ones.\n")
	}
	return b.String()
}

// alike names the entries that may have the same subject as an ADD.
func (c *composer) alike(ctx context.Context, op plan.Op) string {
	found, err := c.project.Search(ctx, retrieval.Query{Text: op.Title + " " + op.Summary, Limit: 3, Now: c.project.Now})
	if err != nil || found.OutOfDomain {
		return ""
	}
	var out []string
	for _, h := range found.Hits {
		if h.Via == "" && h.Score >= alikeScore && path.Ext(h.Path) == ".md" {
			c.see(h.Path + "\n\n" + h.Title)
			out = append(out, fmt.Sprintf("%s (%s)", c.look.Line(h.Path), c.look.Line(h.Title)))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "    may be about the same: " + strings.Join(out, ", ") + "; UPDATE it instead if so\n"
}

// alikeScore is the score from which an entry probably has the same subject: it is more likely than not an
// answer to the new one's title and summary.
const alikeScore = 0.5

// jsonIn finds a batch in a model's text.
func jsonIn(text string) (batch []byte, ok bool) {
	return JSONIn(text, func(s string) bool {
		return strings.HasPrefix(s, "{") && strings.Contains(s, `"operations"`) || strings.HasPrefix(s, "[") &&
			strings.Contains(s, `"type"`) || s == "[]"
	})
}

// JSONIn finds JSON that may be what was asked for in a model's text: the text, or its last
// fenced block, or what is between the first and the last bracket.
func JSONIn(text string, fits func(text string) bool) (found []byte, ok bool) {
	text = strings.TrimSpace(text)
	tries := []string{text}
	block, in := "", false
	for line := range markdown.Lines(text) {
		switch line.Fence {
		case markdown.FenceOpen:
			block, in = "", true
		case markdown.FenceText:
			block += line.At.Of(text) + "\n"
		case markdown.FenceClose:
			in = false
		}
	}
	if block != "" && !in {
		tries = append(tries, strings.TrimSpace(block))
	}
	if start, end := strings.IndexAny(text, "{["), strings.LastIndexAny(text, "}]"); start >= 0 && end > start {
		tries = append(tries, text[start:end+1])
	}
	for _, s := range tries {
		if fits(s) && json.Valid([]byte(s)) {
			return []byte(s), true
		}
	}
	return []byte(text), false
}

// The prompts are files, prompts/*.md. Rules stand in the system prompt; what comes
// from files stands in the user's message, quoted as [retrieval.Look] does, before what
// the user says.

//go:embed prompts/*.md
var promptFiles embed.FS

var execute = llm.Prompts(promptFiles)

// composeAnswer is the longest turn of a model, in tokens. The 66 entries of this project's own tree have 356
// on average and 446 at the ninth decile, so that a batch of thirteen large ones fits; the paper's 2,048 are
// for answers to questions.
const composeAnswer = 6144

// Temperatures. A question may be answered in many ways (paper: 0.5 at most); a summary and a batch of JSON
// must keep to the material.
const (
	composeTemperature = 0.3
	compactTemperature = 0.1
)

// promptData is the data of the prompts' templates.
type promptData struct {
	Nonce                                 string
	Tools                                 bool
	Turns, Answer                         int
	MaxOps, MaxGone, MaxTitle, MaxSummary int

	Listing, Related, Sources string // quoted; "" if there is none
	Domains, Folders          int
	Instruction               string

	Terse bool
	Words int
}

// request puts the prompts of a curation into a request: with tools, or for one answer in the form of a batch.
func (d promptData) request(tools []llm.Tool) (llm.Request, error) {
	system, err := execute("system.md", d)
	if err != nil {
		return llm.Request{}, err
	}
	material, err := execute("material.md", d)
	r := llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.RoleUser, Text: material}}, Tools: tools,
		MaxTokens: d.Answer, Temperature: composeTemperature, Patience: Patience,
	}
	if len(tools) == 0 {
		r.Schema = &llm.Schema{Name: "operations", JSON: schema}
	}
	return r, err
}

// compaction is the request for a summary of the sources.
func (d promptData) compaction() (llm.Request, error) {
	system, err := execute("compact.md", d)
	return llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.RoleUser, Text: d.Sources}}, Temperature: compactTemperature,
	}, err
}

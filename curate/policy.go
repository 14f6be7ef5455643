package curate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Limits on a model's proposals. A batch is refused as a whole, with the reasons, if one operation violates
// this form; superfluous or untrue parts are left out with a note (trim). Applying has its own checks for
// every author.
const (
	maxOps     = plan.MaxProposed        // operations of one batch
	maxGone    = plan.MaxProposedDeletes // of them, those that remove an entry: DELETE and MERGE
	maxReason  = 500                     // characters
	maxContent = 20_000                  // characters of one operation's content: half of a source
	maxItems   = 50                      // of one list
	maxJSON    = 512 << 10
)

// proposed is an operation as a model states it. It has the keys of [plan.Op] that a model may set.
type proposed struct {
	Type             plan.OpType    `json:"type" enum:"ADD,UPDATE,UPSERT,MERGE,DELETE"`
	Path             string         `json:"path" about:"domain/topic or domain/topic/subtopic with title, or an entry's path with .md"`
	Title            string         `json:"title,omitempty"`
	Summary          string         `json:"summary,omitempty"`
	Reason           string         `json:"reason" about:"Why, for the log"`
	Content          format.Content `json:"content,omitempty"`
	Replace          []format.Part  `json:"replace,omitempty" about:"Parts of content to replace"`
	MergeTarget      string         `json:"mergeTarget,omitempty"`
	MergeTargetTitle string         `json:"mergeTargetTitle,omitempty"`
	Confidence       string         `json:"confidence,omitempty" enum:"high,low"`
	Impact           string         `json:"impact,omitempty" enum:"high,low"`
}

// operationKeys is added to the error about an unknown key.
const operationKeys = "the keys of an operation are type, path, title, summary, reason, content, replace, mergeTarget, " +
	"mergeTargetTitle, confidence, impact"

// schema is the JSON Schema of a batch.
var schema = llm.ListOf[proposed]("operations", maxOps)

// readOps reads a model's batch, an object with operations or a bare list, strictly.
func readOps(data []byte) ([]plan.Op, error) {
	if len(data) > maxJSON {
		return nil, fmt.Errorf("the batch has %d bytes, but the limit is %d", len(data), maxJSON)
	}
	var batch struct {
		Operations *[]json.RawMessage `json:"operations"`
	}
	into := any(&batch)
	if strings.HasPrefix(strings.TrimSpace(string(data)), "[") {
		batch.Operations = &[]json.RawMessage{}
		into = batch.Operations
	}
	if err := Strictly(data, into); err != nil {
		return nil, fmt.Errorf("%w; a batch is {\"operations\": [ … ]}", err)
	}
	if batch.Operations == nil {
		return nil, errors.New("operations are missing; write {\"operations\": [ … ]}")
	}
	if n := len(*batch.Operations); n > maxOps {
		return nil, fmt.Errorf("the batch has %d operations, but the limit is %d: propose the most important ones", n, maxOps)
	}
	var out []plan.Op
	var wrong []error
	for i, raw := range *batch.Operations {
		var p proposed
		if err := Strictly(raw, &p); err != nil {
			wrong = append(wrong, fmt.Errorf("operation %d: %w; %s", i+1, err, operationKeys))
			continue
		}
		out = append(out, plan.Op{Type: p.Type, Path: p.Path, Title: p.Title, Summary: p.Summary, Content: p.Content,
			Reason: p.Reason, Replace: p.Replace,
			MergeTarget: p.MergeTarget, MergeTargetTitle: p.MergeTargetTitle, Confidence: p.Confidence, Impact: p.Impact})
	}
	return out, errors.Join(wrong...)
}

// Strictly reads one JSON value of a model, whose keys must all be known.
func Strictly(data []byte, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errors.New(sanitize.First(jsonerr.Text(err), 200))
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("unexpected text after the JSON value")
	}
	return nil
}

// checkOps refuses a batch that a model may not propose. It brings types and paths into
// the tree's form.
func checkOps(ops []plan.Op, snap *tree.Snapshot) error {
	var wrong []error
	gone := 0
	for i := range ops {
		op := &ops[i]
		op.Type = plan.OpType(strings.ToUpper(strings.TrimSpace(string(op.Type))))
		if op.Type == plan.OpDelete || op.Type == plan.OpMerge {
			gone++
		}
		if err := checkOp(op, snap); err != nil {
			wrong = append(wrong, fmt.Errorf("operation %d: %w", i+1, err))
		}
	}
	if gone > maxGone {
		wrong = append(wrong, fmt.Errorf("%d operations remove an entry; a batch can have at most %d of them", gone, maxGone))
	}
	return errors.Join(wrong...)
}

func checkOp(op *plan.Op, snap *tree.Snapshot) (err error) {
	switch op.Type {
	case plan.OpAdd, plan.OpUpdate, plan.OpUpsert, plan.OpDelete:
		if op.MergeTarget != "" || op.MergeTargetTitle != "" {
			return fmt.Errorf("mergeTarget is for MERGE, not for %s", op.Type)
		}
	case plan.OpMerge:
		if op.MergeTarget, err = checkPlace(op.MergeTarget, op.MergeTargetTitle, snap); err != nil {
			return fmt.Errorf("mergeTarget: %w", err)
		}
	default:
		return fmt.Errorf("unknown operation %s; use ADD, UPDATE, UPSERT, MERGE or DELETE", quoted(string(op.Type)))
	}
	if op.Path, err = checkPlace(op.Path, op.Title, snap); err != nil {
		return err
	}
	if strings.TrimSpace(op.Reason) == "" {
		return errors.New("the reason is missing")
	}
	if op.Confidence != "" && op.Confidence != "high" && op.Confidence != "low" || op.Impact != "" && op.Impact != "high" &&
		op.Impact != "low" {
		return errors.New("confidence and impact must be high or low")
	}
	if len(op.Replace) > 0 && op.Type != plan.OpUpdate && op.Type != plan.OpUpsert {
		return fmt.Errorf("replace is for UPDATE and UPSERT, not for %s", op.Type)
	}
	return CheckContent(op)
}

// checkPlace is the path of an operation in the tree's form. One that is there may be
// spelled as it is; any other must be a good one.
func checkPlace(raw, title string, snap *tree.Snapshot) (string, error) {
	p := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(raw), "@"), ".brv/"+tree.Dir+"/")
	if p == "" {
		return "", errors.New("the path is missing")
	}
	if e, ok := snap.Entry(p); ok {
		if e.Role != format.RoleEntry {
			return "", fmt.Errorf("path %s is not an entry", quoted(raw))
		}
		return p, nil
	}
	if strings.HasSuffix(strings.ToLower(p), ".md") {
		if err := format.CheckEntryPath(p); err != nil {
			return "", fmt.Errorf("path %s: %w", quoted(raw), withoutPath(err, p))
		}
		return p, nil
	}
	p = strings.TrimSuffix(p, "/")
	if n := strings.Count(p, "/"); n < 1 || n > 2 {
		return "", fmt.Errorf("path %s: give domain/topic or domain/topic/subtopic with a title, or an entry's path with .md",
			quoted(raw))
	}
	if err := format.CheckFolderPath(p); err != nil {
		return "", fmt.Errorf("path %s: %w", quoted(raw), withoutPath(err, p))
	}
	if strings.TrimSpace(title) == "" {
		return "", fmt.Errorf("path %s is a folder; give the title of the entry too", quoted(raw))
	}
	return p, nil
}

// withoutPath is an error without the path in front of it.
func withoutPath(err error, p string) error {
	return errors.New(sanitize.First(strings.TrimPrefix(err.Error(), p+": "), 200))
}

// quoted shows a model's text in an answer to it.
func quoted(s string) string { return fmt.Sprintf("%q", sanitize.First(s, 80)) }

// CheckContent limits the content of a model's operation and its removals.
func CheckContent(op *plan.Op) error {
	if !utf8.ValidString(op.Title) {
		return errors.New("the title is not UTF-8")
	}
	n := 0
	eachText(op, func(s string) string { n += utf8.RuneCountInString(s); return s })
	if n > maxContent {
		return fmt.Errorf("the operation has %d characters, but the limit is %d. Write one subject per entry", n, maxContent)
	}
	c := op.Content
	most := len(c.Facts)
	for _, r := range format.Parts {
		if r.List != nil {
			most = max(most, len(*r.List(&c)))
		}
	}
	if most > maxItems {
		return fmt.Errorf("a list has %d items, but the limit is %d", most, maxItems)
	}
	if op.Type == plan.OpDelete || op.Type == plan.OpMerge {
		return nil
	}
	if op.Summary == "" && len(c.Parts()) == 0 && op.Title == "" {
		return fmt.Errorf("%s is empty; it needs a summary or content", op.Type)
	}
	for _, part := range op.Replace {
		if !slices.Contains(c.Parts(), part) {
			return fmt.Errorf("replace names %s, but content has no %[1]s; give the new text there",
				quoted(string(part)))
		}
	}
	return nil
}

// trim makes a checked batch harmless and removes untrue parts; the notes list them.
func (c *composer) trim(ops []plan.Op) (notes []string) {
	note := func(i int, format string, args ...any) {
		notes = append(notes, fmt.Sprintf("operation %d: ", i+1)+fmt.Sprintf(format, args...))
	}
	for i := range ops {
		here := func(format string, args ...any) { note(i, format, args...) }
		redacted := Tame(&ops[i], here)
		c.trimSources(&ops[i], here)
		if redacted > 0 {
			here("credentials were redacted: %d", redacted)
		}
	}
	c.trimRelations(ops, note)
	for i := range ops { // what is left out of content must not be a reason to drop what the entry has
		has := ops[i].Content.Parts()
		ops[i].Replace = slices.DeleteFunc(ops[i].Replace, func(p format.Part) bool { return !slices.Contains(has, p) })
	}
	return notes
}

// trimSources drops author and date, which the model must not set, and files that do not exist.
func (c *composer) trimSources(op *plan.Op, note func(format string, args ...any)) {
	r := &op.Content.RawConcept
	if r.Author != "" || r.Timestamp != "" {
		r.Author, r.Timestamp = "", ""
		note("author and timestamp were left out because a model cannot set them")
	}
	r.Files = slices.DeleteFunc(r.Files, func(file string) bool {
		gone := !c.hasFile(file)
		if gone {
			note("the missing file %s was left out", quoted(file))
		}
		return gone
	})
}

// hasFile reports whether a file that an entry names is part of the project. A line
// suffix such as ":12-30" does not matter.
func (c *composer) hasFile(file string) bool {
	p := strings.Trim(strings.TrimSpace(file), "`")
	if i := strings.LastIndexByte(p, ':'); i > 0 && strings.Trim(p[i+1:], "0123456789-") == "" {
		p = p[:i]
	}
	if !isProjectPath(p) {
		return false
	}
	for _, s := range c.sources {
		if s.Path == p {
			return true
		}
	}
	if c.material.Changes != nil {
		for _, f := range c.material.Changes.Files {
			if f.Path == p && f.Status != 'D' {
				return true
			}
		}
	}
	return c.project.Code != nil && c.project.Code.Exists(p)
}

// isProjectPath reports whether a path can be shown to a model: inside of the project,
// and not hidden.
func isProjectPath(p string) bool {
	return fs.ValidPath(p) && p != "." && !format.Hidden(p) && !strings.ContainsAny(p, "\\:\x00") && clean(p) == p
}

// trimRelations drops relations that lead nowhere, neither in the tree nor to an entry that the batch adds.
func (c *composer) trimRelations(ops []plan.Op, note func(i int, format string, args ...any)) {
	added := map[string]bool{}
	for _, op := range ops {
		if op.Type == plan.OpAdd || op.Type == plan.OpUpsert {
			at := op.Path
			if !strings.HasSuffix(at, ".md") {
				at = path.Join(at, format.Slug(op.Title)+".md")
			}
			added[at] = true
		}
	}
	for i := range ops {
		var kept []string
		for _, raw := range ops[i].Content.Relations {
			name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(raw), "@"), ".brv/"+tree.Dir+"/")
			r := c.project.Tree.Resolve("", format.FormRelated, name)
			to := r.Target
			if to == "" && added[name] {
				to = name
			}
			switch {
			case to == "" || r.Escapes:
				note(i, "broken relation to %s was left out", quoted(raw))
			case !slices.Contains(kept, to):
				kept = append(kept, to)
			}
		}
		ops[i].Content.Relations = kept
	}
}

// harmless makes a model's Markdown safe to show anywhere: the model may repeat a malicious text, which
// editors, hovers and prompts would show later.
func harmless(text string) string {
	return format.WithoutMarkers(sanitize.Disarm(secrets.Redact(clean(text))))
}

// plainWords is a model's text as a line of plain words.
func plainWords(text string) string {
	return strings.TrimSpace(harmless(strings.Join(strings.Fields(clean(text)), " ")))
}

// Tame makes all texts of a model's operation harmless and limits their length. note is called for removed
// parts, except credentials, which are counted.
func Tame(op *plan.Op, note func(format string, args ...any)) (redacted int) {
	redacted = len(secrets.Scan(textOf(op)))
	title := op.Title
	if op.Title = sanitize.First(plainWords(title), maxTitle); op.Title != strings.Join(strings.Fields(title), " ") {
		note("the title was changed to %q: it was too long, or had characters that a title cannot have", op.Title)
	}
	op.MergeTargetTitle = sanitize.First(plainWords(op.MergeTargetTitle), maxTitle)
	eachText(op, harmless)
	op.Reason = sanitize.First(plainWords(op.Reason), maxReason)
	if s := plainWords(op.Summary); utf8.RuneCountInString(s) > maxSummary {
		op.Summary = sanitize.Short(s, maxSummary)
		note("the summary was cut to %d characters", maxSummary)
	} else {
		op.Summary = s
	}
	tameFacts(op, note)
	for _, r := range format.WordLists {
		list := *r.List(&op.Content)
		for j := range list {
			list[j] = oneLine(list[j])
		}
	}
	return redacted
}

// Plain is a model's text as one harmless line of at most so many characters, for notes and
// reasons.
func Plain(text string, most int) string { return sanitize.First(plainWords(text), most) }

// textOf is all that an operation says.
func textOf(op *plan.Op) string {
	var b strings.Builder
	copied := *op
	b.WriteString(op.Title + "\n")
	eachText(&copied, func(s string) string { b.WriteString(s + "\n"); return s })
	return b.String()
}

// tameFacts leaves out facts without a statement, and of others categories that are none
// and values that are a credential by what stands before them.
func tameFacts(op *plan.Op, note func(format string, args ...any)) {
	n := len(op.Content.Facts)
	op.Content.Facts = slices.DeleteFunc(op.Content.Facts, func(f format.Fact) bool { return strings.TrimSpace(f.Statement) == "" })
	if gone := n - len(op.Content.Facts); gone > 0 {
		note("facts without a statement were left out: %d", gone)
	}
	for i := range op.Content.Facts {
		f := &op.Content.Facts[i]
		f.Subject, f.Statement, f.Value = plainWords(f.Subject), plainWords(f.Statement), plainWords(f.Value)
		if f.Category != "" && !slices.Contains(format.Categories, f.Category) {
			note("the unknown category %s was left out", quoted(f.Category))
			f.Category = ""
		}
		if len(secrets.Scan(f.Subject+" "+f.Statement+" = "+f.Value)) > 0 || len(secrets.Scan(f.Subject+"="+f.Value)) > 0 {
			f.Value = "[REDACTED]"
			note("the value of a fact was redacted")
		}
	}
}

// eachText calls f with each text of an operation that is no name, path or choice, and drops items of lists
// that become empty.
func eachText(op *plan.Op, f func(s string) string) {
	op.Texts(func(field, text string) string {
		whole, _, _ := strings.Cut(field, "[")
		if unsaid[whole] || strings.HasSuffix(field, "].category") {
			return text
		}
		return f(text)
	})
	for _, r := range format.Parts {
		if r.List != nil {
			*r.List(&op.Content) = slices.DeleteFunc(*r.List(&op.Content), func(s string) bool { return strings.TrimSpace(s) == "" })
		}
	}
}

// unsaid are the fields of an operation that name the entry or choose the action, and the title, which is one
// line.
var unsaid = map[string]bool{"type": true, "path": true, "title": true, "to": true, "replace": true, "mergeTarget": true,
	"mergeTargetTitle": true,
	"confidence":       true, "impact": true, "content.relations": true, "content.rawConcept.files": true, "synthesis.sources": true}

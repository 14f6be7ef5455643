package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ReviewItem is one operation that waits.
type ReviewItem struct {
	// Number is the operation's place in its batch, from 1. It stays the same when others are decided. It is not
	// stored.
	Number  int               `json:"number,omitempty"`
	Op      Op                `json:"operation"`
	Held    bool              `json:"held"` // the operation waits, and nothing changed yet; false: it is done, and rejecting undoes it
	Path    string            `json:"path"` // the path in the tree that names the item in decisions
	Message string            `json:"message"`
	Diff    string            `json:"diff,omitempty"` // the difference that a waiting operation would make
	Base    map[string]string `json:"base,omitempty"` // hashes of the entries of a waiting operation, at the time of the proposal
	Files   []string          `json:"files,omitempty"`
	// Losses lists statements of the entry that the operation removes or removed. They are not stored.
	Losses []format.Loss `json:"losses,omitempty"`
	// Blocked says why the waiting change cannot be approved now; "" if it can. It is not stored.
	Blocked string `json:"blocked,omitempty"`

	Unknown bool `json:"-"` // the journal has no such operation, so the file was not written by this program
}

// rejectIt ends the message for an operation that cannot be approved.
const rejectIt = "; reject it, and propose it again if you still want it"

// Key distinguishes operations about the same path.
func (op Op) Key(at string) string {
	data, err := json.Marshal(op)
	if err != nil {
		panic("an operation is plain data: " + err.Error()) // cannot happen: strings
	}
	return at + "\n" + string(data)
}

// Decision selects the parts of a review that are approved.
type Decision struct {
	Paths []string // tree paths; none: all that waits
	// Texts replace the proposed texts of entries, by tree path: of held
	// operations that write one entry ([ReviewItem.Editable]).
	Texts map[string]string
	// Origin is the author of the texts if it is not the person who approves: an agent acting for its user.
	Origin format.Origin
}

// Editable reports whether the item writes the text of the entry at its path, or asks whether it is still
// true, so that another text can be approved instead.
func (i ReviewItem) Editable() bool {
	switch i.Op.Type.Normal() {
	case OpAdd, OpUpdate, OpUpsert, OpMerge, OpConfirm:
		return i.Held
	}
	return false
}

// Check refuses texts for paths that are not decided, and texts that no entry can have.
func (d Decision) Check(id int, chosen []ReviewItem) error {
	for _, at := range slices.Sorted(maps.Keys(d.Texts)) {
		if !slices.ContainsFunc(chosen, func(i ReviewItem) bool { return i.Path == at && i.Editable() }) {
			return fmt.Errorf(
				"%s: batch %d has no addition, update, merge or confirmation of this entry, so its text cannot be replaced", at, id)
		}
		text := d.Texts[at]
		switch e := format.Parse(at, text); {
		case !utf8.ValidString(text):
			return fmt.Errorf("%s: the text is not UTF-8", at)
		case strings.TrimSpace(text) == "":
			return fmt.Errorf("%s: the text is empty; to drop the change, reject it", at)
		case len(text) > format.MaxFileSize:
			return fmt.Errorf("%s: the text has %d bytes; the limit is %d", at, len(text), format.MaxFileSize)
		default:
			for _, code := range []string{format.CodeConflict, format.CodeFrontmatter} {
				if p := firstProblem(e, code); p.Severity == format.SeverityError {
					return fmt.Errorf("%s:%d: %s", at, 1+strings.Count(text[:p.At.Start], "\n"), p.Message)
				}
			}
			if err := d.honest(at, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// honest returns an error if the text of an agent's decision has something that a person must not be led to
// approve: a credential, invisible characters, or links that run something.
func (d Decision) honest(at, text string) error {
	if d.Origin.Human() {
		return nil
	}
	line := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
	if found := secrets.Scan(text); len(found) > 0 {
		return fmt.Errorf("%s:%d: the text contains a credential; remove it", at, line(found[0].At.Start))
	}
	for c := range sanitize.Hidden(text) {
		return fmt.Errorf("%s:%d: the text contains an invisible %s; remove it", at, line(c.Start), c.What)
	}
	if found := sanitize.Unsafe(text); len(found) > 0 {
		return fmt.Errorf("%s:%d: the text contains %s; remove it", at, line(found[0].Start), found[0].What)
	}
	return nil
}

// earned are the frontmatter keys that an author cannot set by writing them.
var earned = []string{"importance", "recency", "maturity", "accessCount", "updateCount", "createdAt", format.ConfirmedKey,
	format.ProvenanceKey}

// instead replaces a planned entry's text with the one that a person wrote, or that an agent wrote for this
// person's approval.
func (p *Plan) instead(r *Result, text string, by format.Origin) {
	e := format.Parse(r.FilePath, text)
	if r.Type.Normal() == OpConfirm {
		e = p.looked(e)
	}
	who := format.Provenance{Origin: p.origin, ApprovedBy: p.approver, EditedBy: p.approver}
	if !by.Human() {
		if planned, ok := p.After.Entry(r.FilePath); ok {
			for _, key := range earned {
				was, _ := planned.LastField(key)
				if is, said := e.LastField(key); said && is.Value() != was.Value() {
					r.Status, r.Code, r.Message = StatusFailed, FailInvalid,
						fmt.Sprintf("%s: the text changes the %s; keep its proposed value", r.FilePath, key)
					return
				}
			}
		}
		who.Origin, who.EditedBy = by.Named(), ""
		if p.origin.Kind != by.Kind {
			who.First = cmp.Or(p.origin.Kind, format.OriginHuman)
		}
	}
	if said, ok := textProvenance(p.After, r.FilePath); ok && said.First != "" {
		who.First = said.First
	}
	if !who.Origin.Human() {
		e, _ = e.Signed(who) // its frontmatter was read: see Decision.check
	}
	if err := p.Inputs.CheckSaved(map[string]string{r.FilePath: e.Text}); err != nil {
		r.Status, r.Code, r.Message = StatusFailed, FailConflict, err.Error()
		return
	}
	was, _ := p.Before.Entry(r.FilePath)
	if planned, ok := p.After.Entry(r.FilePath); ok && was != nil {
		r.Message = strings.Replace(r.Message, format.AddedNote(was, planned), "", 1)
	}
	p.After = p.After.Update(map[string]*format.Entry{r.FilePath: e})
	p.Touched[r.FilePath] = true
	if u := p.Usage[r.FilePath]; u.Updated.Equal(p.Inputs.Now) {
		u.ContentID, u.Stated = e.ContentID(), e.Tier()
		p.count(map[string]*tree.Usage{r.FilePath: &u})
	}
	p.Edited = append(p.Edited, r.FilePath)
	r.Message = strings.Replace(r.Message, lossNote(r.Losses), "", 1) + "; edited before approval"
	r.Summary, r.Losses, r.Unchanged = e.Summary, nil, false
	if found := secrets.Scan(text); len(found) > 0 {
		r.Message += fmt.Sprintf("; line %d of the text looks like a credential: remove it, and revoke it if it was in use",
			1+strings.Count(text[:found[0].At.Start], "\n"))
	}
}

// looked returns the text that replaces a planned confirmation, with the date of that confirmation.
func (p *Plan) looked(e *format.Entry) *format.Entry {
	planned, ok := p.After.Entry(e.Path)
	if !ok {
		return e
	}
	f, _ := planned.LastField(format.ConfirmedKey)
	v := &format.Reviser{E: e}
	v.Field(e.FieldEdit(format.ConfirmedKey, f.Value()))
	return v.E.Uncounted()
}

func textProvenance(s *tree.Snapshot, at string) (format.Provenance, bool) {
	e, ok := s.Entry(at)
	if !ok {
		return format.Provenance{}, false
	}
	return e.Provenance()
}

// ChangedSince returns the path of an entry that has changed since the held item was proposed, or that the
// item would now change in addition, "" if there is none.
func (p *Plan) ChangedSince(item ReviewItem) string {
	for _, at := range slices.Sorted(maps.Keys(item.Base)) {
		if e, ok := p.Before.Entry(at); item.Base[at] != "" && (!ok || e.Hash != item.Base[at]) {
			return at
		}
	}
	st, err := p.state().effect(item.Op)
	if err != nil {
		return "" // its own failure is more precise
	}
	for _, at := range st.own {
		if _, known := item.Base[at]; !known {
			return at
		}
	}
	return ""
}

// Operations returns the operations of pending items.
func Operations(items []ReviewItem) []Op {
	out := make([]Op, len(items))
	for i, item := range items {
		out[i] = item.Op
	}
	return out
}

// TakesAway reports whether a plan removes files, for which comments of code are looked at.
func (p *Plan) TakesAway() bool {
	for at := range p.Touched {
		if _, there := p.After.Entry(at); !there {
			return true
		}
	}
	return false
}

// WithComments is a difference with the comments of code that another one of the same operation
// names: whoever lists reviews may not have read the code.
func WithComments(diff, stored string) string {
	for line := range strings.Lines(stored) {
		if strings.HasPrefix(line, strandedComment) && !strings.Contains(diff, line) {
			diff += line
		}
	}
	return diff
}

// Says returns a description of the operation's effect, independent of its reason.
func (op Op) Says() string {
	op.Reason = ""
	return op.Key("")
}

// Review plans waiting items, with their author and origin, as approved by the person by. Items that fail
// keep waiting. With show they are not approved yet, and the plan keeps the difference of each item.
func Review(s *tree.Snapshot, items []ReviewItem, author string, origin format.Origin, by string, d Decision, in Inputs,
	show bool) (p *Plan, again []ReviewItem) {
	p = New(s, Batch{}, in)
	p.origin, p.author, p.show = origin.Named(), ClearText(author), show
	if !show {
		p.approver = cmp.Or(format.Name(by), format.Somebody)
	}
	last := map[string]int{} // the item that writes a path last
	refused := ""            // an entry that cannot have the text of the decision
	for i, item := range items {
		if item.Editable() {
			last[item.Path] = i
		}
	}
	refuse := func(item ReviewItem, why string) {
		r := Result{Type: item.Op.Type, Path: item.Op.Path, Reason: item.Op.Reason, FilePath: item.Path, Status: StatusFailed,
			Code: FailConflict, Message: why + rejectIt}
		p.Results = append(p.Results, r)
		p.Summary.count(r, false)
	}
	for i, item := range items {
		if !item.Held && !item.Unknown {
			p.Results = append(p.Results, Result{Type: item.Op.Type, Path: item.Op.Path, Reason: item.Op.Reason,
				Status: StatusSuccess, FilePath: item.Path, Message: "Approved: " + item.Message})
			continue
		}
		op, found := item.Op.screen(p.origin) // it was once; the file may be anyone's by now
		item.Op = op
		if item.Unknown {
			refuse(item, "your journal has no record of this proposal, so somebody else may have written it; reject it")
		} else if changed := p.ChangedSince(item); changed != "" {
			why := changed + " changed since this was proposed"
			if e, ok := p.Before.Entry(changed); ok && e.Unmerged() != nil {
				why = e.Unmerged().Error()
			}
			refuse(item, why)
		} else {
			p.add(i, op, HoldNone, found)
		}
		result := &p.Results[len(p.Results)-1]
		if text, ok := d.Texts[item.Path]; ok && result.Status == StatusSuccess && last[item.Path] == i {
			if p.instead(result, text, d.Origin); result.Status == StatusFailed {
				refused = item.Path
			}
		}
		if result.Status == StatusFailed {
			again = append(again, item)
		} else {
			result.NeedsReview = false
		}
	}
	if refused != "" { // the operation must not be done instead with the text that was proposed
		p.withdraw()
		p.Summary = Counts{Failed: len(p.Results)}
		for i := range p.Results {
			r := &p.Results[i]
			if r.doneNothing(); r.Status != StatusFailed {
				r.Status, r.Code, r.Message = StatusFailed, FailAtomic, "not done because the text for "+refused+" was refused"
			}
		}
		return p, items
	}
	p.listDangling()
	return p, again
}

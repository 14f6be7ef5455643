package tree

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
)

// ReviewItem is one operation that waits.
type ReviewItem struct {
	Op      Op                `json:"operation"`
	Held    bool              `json:"held"` // nothing changed yet; false: done already, rejecting takes it back
	Path    string            `json:"path"` // tree path that names the item in decisions
	Message string            `json:"message"`
	Diff    string            `json:"diff,omitempty"` // of a held operation
	Base    map[string]string `json:"base,omitempty"` // of a held operation: hashes of its entries when it was planned
	Files   []string          `json:"files,omitempty"`
	// Losses are what the entry said and the operation would not say, or did not. They are not stored.
	Losses []Loss `json:"losses,omitempty"`
	// Blocked is why what is held cannot be approved as the tree is now, "" if it can. It is not stored.
	Blocked string `json:"blocked,omitempty"`

	Unknown bool `json:"-"` // the journal has no such operation: whoever wrote the file proposed nothing
}

// rejectIt ends the message of what cannot be approved.
const rejectIt = "; reject it, and propose it again if it is still wanted"

// key tells operations about a path apart.
func (op Op) key(at string) string {
	data, err := json.Marshal(op)
	if err != nil {
		panic("an operation is plain data: " + err.Error()) // cannot happen: strings
	}
	return at + "\n" + string(data)
}

// Decision says what of a review is approved.
type Decision struct {
	Paths []string // tree paths; none: all that waits
	// Texts are what entries shall say instead of what was proposed, by tree path: of held
	// operations that write one entry ([ReviewItem.Editable]).
	Texts map[string]string
	// Origin is who wrote the texts, where another than who approves: an agent for its user.
	Origin Origin
}

// Editable reports whether the item writes the text of the entry at its path, or asks whether it
// is still true, so that another can be approved instead.
func (i ReviewItem) Editable() bool {
	switch i.Op.Type.normal() {
	case OpAdd, OpUpdate, OpUpsert, OpMerge, OpConfirm:
		return i.Held
	}
	return false
}

// check refuses texts that are for nothing, or that no entry could be.
func (d Decision) check(id int, chosen []ReviewItem) error {
	for _, at := range slices.Sorted(maps.Keys(d.Texts)) {
		if !slices.ContainsFunc(chosen, func(i ReviewItem) bool { return i.Path == at && i.Editable() }) {
			return fmt.Errorf("%s: batch %d holds no addition, update, merge or confirmation for it, so there is no text to approve instead", at, id)
		}
		text := d.Texts[at]
		switch e := Parse(at, text); {
		case !utf8.ValidString(text):
			return fmt.Errorf("%s: the text is not UTF-8", at)
		case strings.TrimSpace(text) == "":
			return fmt.Errorf("%s: the text is empty; reject what you do not want", at)
		case len(text) > MaxFileSize:
			return fmt.Errorf("%s: the text has %d bytes, the limit is %d", at, len(text), MaxFileSize)
		default:
			for _, code := range []string{CodeConflict, CodeFrontmatter} {
				if p := firstProblem(e, code); p.Severity == SeverityError {
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

// honest refuses what an agent must not have a person approve: what that person cannot see, and
// what would act when it is shown.
func (d Decision) honest(at, text string) error {
	if d.Origin.Human() {
		return nil
	}
	line := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
	if found := secrets.Scan(text); len(found) > 0 {
		return fmt.Errorf("%s:%d: the text holds a credential", at, line(found[0].At.Start))
	}
	for c := range sanitize.Hidden(text) {
		return fmt.Errorf("%s:%d: the text holds a %s that nobody sees", at, line(c.Start), c.What)
	}
	if found := sanitize.Unsafe(text); len(found) > 0 {
		return fmt.Errorf("%s:%d: the text holds %s", at, line(found[0].Start), found[0].What)
	}
	return nil
}

// earned are the keys of frontmatter that nobody gives an entry by writing them.
var earned = []string{"importance", "recency", "maturity", "accessCount", "updateCount", "createdAt", ConfirmedKey, ProvenanceKey}

// instead gives the entry of a result that was planned the text that a person wrote, or an agent
// that this person's approval is asked for.
func (p *plan) instead(r *Result, text string, by Origin) {
	e := Parse(r.FilePath, text)
	if r.Type.normal() == OpConfirm {
		e = p.looked(e)
	}
	who := Provenance{Origin: p.origin, ApprovedBy: p.approver, EditedBy: p.approver}
	if !by.Human() {
		if planned, ok := p.tree.Entry(r.FilePath); ok {
			for _, key := range earned {
				was, _ := planned.lastField(key)
				if is, said := e.lastField(key); said && is.value() != was.value() {
					r.Status, r.Code, r.Message = StatusFailed, FailInvalid, fmt.Sprintf("%s: the text gives the entry another %s; leave it as proposed", r.FilePath, key)
					return
				}
			}
		}
		who.Origin, who.EditedBy = by.named(), ""
		if p.origin.Kind != by.Kind {
			who.First = cmp.Or(p.origin.Kind, OriginHuman)
		}
	}
	if said, ok := textProvenance(p.tree, r.FilePath); ok && said.First != "" {
		who.First = said.First
	}
	if !who.Origin.Human() {
		e, _ = e.signed(who) // its frontmatter was read: see Decision.check
	}
	if err := p.in.CheckSaved(map[string]string{r.FilePath: e.Text}); err != nil {
		r.Status, r.Code, r.Message = StatusFailed, FailConflict, err.Error()
		return
	}
	was, _ := p.base.Entry(r.FilePath)
	if planned, ok := p.tree.Entry(r.FilePath); ok && was != nil {
		r.Message = strings.Replace(r.Message, addedNote(was.extended(planned)), "", 1)
	}
	p.tree = p.tree.Update(map[string]*Entry{r.FilePath: e})
	p.touched[r.FilePath] = true
	if u := p.usage[r.FilePath]; u.Updated.Equal(p.in.Now) {
		u.Said, u.Stated = e.Said(), e.tier()
		p.count(map[string]*Usage{r.FilePath: &u})
	}
	p.edited = append(p.edited, r.FilePath)
	r.Message = strings.Replace(r.Message, lossNote(r.Losses), "", 1) + "; edited before approval"
	r.Summary, r.Losses, r.Unchanged = e.Summary, nil, false
	if found := secrets.Scan(text); len(found) > 0 {
		r.Message += fmt.Sprintf("; line %d of the text looks like a credential: remove it, and revoke it where it was in use", 1+strings.Count(text[:found[0].At.Start], "\n"))
	}
}

// looked is the text that is approved instead of a confirmation: looked at now, whatever it was
// made from.
func (p *plan) looked(e *Entry) *Entry {
	planned, ok := p.tree.Entry(e.Path)
	if !ok {
		return e
	}
	f, _ := planned.lastField(ConfirmedKey)
	v := &reviser{e: e}
	v.field(e.FieldEdit(ConfirmedKey, f.value()))
	return v.e.uncounted()
}

func textProvenance(s *Snapshot, at string) (Provenance, bool) {
	e, ok := s.Entry(at)
	if !ok {
		return Provenance{}, false
	}
	return e.Provenance()
}

// changedSince names an entry of a held item that is not what it was when the item
// was proposed, or that the item would now concern too; "" if none.
func (p *plan) changedSince(item ReviewItem) string {
	for _, at := range slices.Sorted(maps.Keys(item.Base)) {
		if e, ok := p.base.Entry(at); item.Base[at] != "" && (!ok || e.Hash != item.Base[at]) {
			return at
		}
	}
	st, err := p.effect(item.Op)
	if err != nil {
		return "" // its own failure says more
	}
	for _, at := range st.own {
		if _, known := item.Base[at]; !known {
			return at
		}
	}
	return ""
}

func operations(items []ReviewItem) []Op {
	out := make([]Op, len(items))
	for i, item := range items {
		out[i] = item.Op
	}
	return out
}

// takesAway reports whether a plan removes files, for which comments of code are looked at.
func (p *plan) takesAway() bool {
	for at := range p.touched {
		if _, there := p.tree.Entry(at); !there {
			return true
		}
	}
	return false
}

// withComments is a difference with the comments of code that another one of the same operation
// names: whoever lists reviews may not have read the code.
func withComments(diff, stored string) string {
	for line := range strings.Lines(stored) {
		if strings.HasPrefix(line, strandedComment) && !strings.Contains(diff, line) {
			diff += line
		}
	}
	return diff
}

// says is what an operation does, whatever its reason.
func (op Op) says() string {
	op.Reason = ""
	return op.key("")
}

// planReview plans items that wait, of the author and origin that proposed them, as the person by approves
// them. What cannot be done goes on waiting.
// With show nobody approves them yet, and the plan keeps the difference of each item.
func planReview(s *Snapshot, items []ReviewItem, author string, origin Origin, by string, d Decision, in Inputs, show bool) (p *plan, again []ReviewItem) {
	p = newPlan(s, Batch{}, in)
	p.origin, p.author, p.show = origin.named(), clearText(author), show
	if !show {
		p.approver = cmp.Or(name(by), somebody)
	}
	last := map[string]int{} // the item that writes a path last
	refused := ""            // an entry that cannot have the text of the decision
	for i, item := range items {
		if item.Editable() {
			last[item.Path] = i
		}
	}
	refuse := func(item ReviewItem, why string) {
		r := Result{Type: item.Op.Type, Path: item.Op.Path, Reason: item.Op.Reason, FilePath: item.Path, Status: StatusFailed, Code: FailConflict, Message: why + rejectIt}
		p.results = append(p.results, r)
		p.summary.count(r, false)
	}
	for i, item := range items {
		if !item.Held && !item.Unknown {
			p.results = append(p.results, Result{Type: item.Op.Type, Path: item.Op.Path, Reason: item.Op.Reason, Status: StatusSuccess, FilePath: item.Path, Message: "Approved: " + item.Message})
			continue
		}
		op, found := item.Op.screen(p.origin) // it was once; the file may be anyone's by now
		item.Op = op
		if item.Unknown {
			refuse(item, "the journal does not know that this was proposed")
		} else if changed := p.changedSince(item); changed != "" {
			why := changed + " changed since this was proposed"
			if e, ok := p.base.Entry(changed); ok && e.Unmerged() != nil {
				why = e.Unmerged().Error()
			}
			refuse(item, why)
		} else {
			p.add(i, op, HoldNone, found)
		}
		result := &p.results[len(p.results)-1]
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
	if refused != "" { // what was proposed for it must not be done instead
		p.withdraw()
		p.summary = Counts{Failed: len(p.results)}
		for i := range p.results {
			r := &p.results[i]
			if r.doneNothing(); r.Status != StatusFailed {
				r.Status, r.Code, r.Message = StatusFailed, FailAtomic, "not done: the text for "+refused+" was refused"
			}
		}
		return p, items
	}
	p.listDangling()
	return p, again
}

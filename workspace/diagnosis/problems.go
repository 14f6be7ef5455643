// Package diagnosis lists what is wrong with entries, with the comments in code that name them and with the
// project's settings: of one file, of all, or as the report of a check.
package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// codePartial is the code of a finding about a code file whose symbols are not completely known.
const codePartial = "code-partial"

// Grades holds the severities that a user chose, by code: error, warning, information, hint or off. Other codes,
// and codes with other values, have their own severity.
type Grades map[string]string

// gradeNames are the words for severities; the zero value hides a problem.
var gradeNames = map[string]format.Severity{
	"error": format.SeverityError, "warning": format.SeverityWarning, "information": format.SeverityInfo, "info": format.SeverityInfo,
	"hint": format.SeverityHint, "off": 0,
}

// check returns an error for unknown codes or severities in a request.
func (g Grades) check() error {
	for _, code := range slices.Sorted(maps.Keys(g)) {
		err := settings.CheckCode(code)
		if _, known := gradeNames[g[code]]; err == nil && !known {
			err = fmt.Errorf("must be error, warning, information, hint or off, not %q", workspace.Clipped(g[code]))
		}
		if err != nil {
			return fmt.Errorf("%w: key `severity`: %q: %v", workspace.ErrRequest, workspace.Clipped(code), err)
		}
	}
	return nil
}

// shows reports whether the user asks for problems of a code that is off by default.
func (g Grades) shows(code string) bool { return gradeNames[g[code]] != 0 }

// graded returns the problems that the user wants to see, with the user's severities. Each message is one line,
// since it may quote text from a stranger. The caller may change the list.
func (g Grades) graded(problems []format.Problem) []format.Problem {
	out := make([]format.Problem, 0, len(problems))
	for _, p := range problems {
		p.Message = secrets.Redact(format.ShownLine(p.Message))
		if grade, ok := gradeNames[g[p.Code]]; ok {
			p.Severity = grade
		}
		if p.Severity != 0 {
			out = append(out, p)
		}
	}
	return out
}

// Of lists the problems of one file as it is now. For an entry or the project's settings, these are its defects.
// For a code file, they are the comments that name no entry, once the code is read. For a document, they are names
// of things that are gone since its last commit, as hints.
//
// Drift of the entry or document is included if it is known soon enough; see [drift.Soon].
func Of(ctx context.Context, v *workspace.View, p string, grades Grades) []format.Problem {
	if p == settings.ProjectFile {
		text, _ := v.Text(p)
		return grades.graded(settingProblems(text))
	}
	entry, ok := v.EntryPath(p)
	if !ok {
		return grades.graded(append(looseProblems(ctx, v, p), pageProblems(ctx, v, p)...))
	}
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return grades.graded(skippedProblems(v, entry))
	}
	found, _ := drift.Soon(ctx, v, entry)
	return ofEntry(v, e, found, grades)
}

// ofEntry returns the problems of an entry with its drift, graded, in order of place.
func ofEntry(v *workspace.View, e *format.Entry, drifted []link.Drift, grades Grades) []format.Problem {
	out := slices.DeleteFunc(ofTree(v, e), func(p format.Problem) bool { return isStale(p, drifted) })
	if grades.shows(format.CodeReciprocal) {
		out = append(out, v.Tree().Unanswered(e.Path)...)
	}
	if e.Role.Generated() && len(e.Conflicts) == 0 && Edits(v, e) {
		out = append(out, format.GeneratedEdited(e))
	}
	for _, r := range v.Trees().Relations(e.Path) {
		if r.Other() == "" || !slices.Contains(workspace.OtherNames(v), r.Other()) {
			continue
		}
		if message := workspace.Unmet(v, r); message != "" {
			out = append(out, format.Problem{Code: format.CodeBroken, Severity: format.SeverityWarning, At: r.At, Message: message})
		}
	}
	out = append(out, secretProblems(e.Text)...)
	out = append(out, staleProblems(e, drifted)...)
	out = append(out, sourceProblems(v.Text, e)...)
	out = append(out, farHeadings(v, e)...)
	out = grades.graded(out)
	slices.SortStableFunc(out, func(a, b format.Problem) int { return a.At.Start - b.At.Start })
	return out
}

// ofTree returns the problems of an entry in its tree, and its links to missing files. A path behind an @ that
// leads to a file of the folder is no problem: agents write files in this form, and a domain may have the name of
// a folder.
func ofTree(v *workspace.View, e *format.Entry) []format.Problem {
	found := slices.DeleteFunc(slices.Clone(v.Tree().Problems(e.Path)), func(p format.Problem) bool {
		return p.Code == format.CodeBroken && slices.ContainsFunc(v.Tree().Relations(e.Path), func(r tree.Relation) bool {
			if r.At != p.At || r.Form != format.FormAt && r.Form != format.FormWiki || r.Escapes {
				return false
			}
			info, err := v.Files().Lstat(r.Raw)
			return err == nil && info.Mode().IsRegular()
		})
	})
	return append(found, deadLinks(v.Tree(), e, isThere(v))...)
}

// isStale reports whether a stale place explains a broken relation better, since it tells where the file is now.
func isStale(p format.Problem, drifted []link.Drift) bool {
	return p.Code == format.CodeBroken && slices.ContainsFunc(drifted, func(d link.Drift) bool { return p.At.Contains(d.At.Start) })
}

// isThere returns a function that reports whether the folder has a file. If that cannot be known, it reports true.
func isThere(v *workspace.View) func(p string) bool {
	return func(p string) bool {
		_, err := v.Files().Lstat(p)
		return !errors.Is(err, fs.ErrNotExist)
	}
}

// deadLinks reports the Markdown links of an entry to missing files. A target without an extension may be a page
// of a site, and so may a path from a root.
func deadLinks(t *tree.Snapshot, e *format.Entry, there func(p string) bool) (out []format.Problem) {
	if e.Role.Generated() || len(e.Conflicts) > 0 {
		return nil
	}
	for _, k := range tree.Outlinks(t, e) {
		to := k.Path()
		ext := path.Ext(to)
		if ext == "" || ext == ".html" || strings.HasPrefix(to, "/") && ext != ".md" || slices.ContainsFunc(k.Ways, there) {
			continue
		}
		out = append(out, format.Problem{Code: format.CodeBroken, Severity: format.SeverityWarning, At: k.At,
			Message: "the link to " + workspace.Clipped(k.Raw) + " leads nowhere: no such entry or file; correct the path"})
	}
	return out
}

// codeSetting is the code of a problem with the project's settings.
const codeSetting = "setting"

// settingsFile returns the project's settings on disk, with their problems.
func settingsFile(v *workspace.View) FileProblems {
	text, err := settings.ProjectBytes(v.Files())
	f := FileProblems{settings.ProjectFile, string(text), settingProblems(string(text))}
	if err != nil {
		f.Problems = []format.Problem{{Code: codeSetting, Severity: format.SeverityWarning, Message: "not read: " + err.Error()}}
	}
	return f
}

// settingProblems lists the ignored parts in the text of the project's settings.
func settingProblems(text string) (problems []format.Problem) {
	if text == "" {
		return nil
	}
	_, found := settings.Parse(settings.Project, []byte(text))
	for _, p := range found {
		problems = append(problems, format.Problem{
			Code: codeSetting, Severity: format.SeverityWarning, Message: p.Text(), At: markdown.Span{Start: p.Start, End: p.End},
		})
	}
	return problems
}

// Edits reports whether an open buffer of an entry differs from the disk.
func Edits(v *workspace.View, e *format.Entry) bool {
	text, open := v.Buffer(v.FilePath(e.Path))
	if !open {
		return false
	}
	onDisk, ok := v.Disk().Entry(e.Path)
	return ok && onDisk.Text != text
}

// MaxSecrets bounds the secrets that are reported for one entry, each at its place.
const MaxSecrets = 50

// secretProblems returns the places of credentials in a text. The messages do not repeat them.
func secretProblems(text string) []format.Problem {
	found := secrets.Veil(text).Found()
	out := make([]format.Problem, 0, len(found))
	for _, f := range found[:min(len(found), MaxSecrets)] {
		kind := strings.ReplaceAll(f.Rule, "-", " ")
		out = append(out, format.Problem{
			Code: format.CodeSecret, Severity: format.SeverityWarning, At: markdown.Span(f.At),
			Message: "this looks like a secret (" + kind +
				"), but entries are shared and shown to models; remove it, and revoke it if it was in use",
		})
	}
	return out
}

// skippedProblems returns why a file of the tree is not read.
func skippedProblems(v *workspace.View, entry string) []format.Problem {
	for _, k := range v.Tree().Skipped() {
		if k.Path == entry || strings.HasPrefix(entry, k.Path+"/") {
			return []format.Problem{k.Problem()}
		}
	}
	return nil
}

// looseProblem returns the problem of a comment that names no entry. placed tells whether its position is known.
func looseProblem(v *workspace.View, l link.Loose, placed bool) format.Problem {
	p := format.Problem{Code: format.CodeBroken, Severity: format.SeverityWarning, Message: l.Reason}
	if r := v.Tree().Resolve("", format.FormAt, l.Mark.Target); len(r.Candidates) > 0 && !r.Escapes {
		p.Code, p.Candidates = format.CodeAmbiguous, r.Candidates
		p.Message += "; write the full path"
	} else if !r.Escapes {
		p.Message += "; correct the path, or create the entry"
	}
	if placed {
		p.At = markdown.Span{Start: l.Mark.At.Start, End: l.Mark.At.End}
	}
	return p
}

// looseProblems returns the comments in the present text of a code file that name no entry. It waits only for a
// short parse, and returns none if the parse takes longer.
func looseProblems(ctx context.Context, v *workspace.View, p string) (problems []format.Problem) {
	text, ok := v.Text(p)
	if !ok || !strings.Contains(text, tree.MarkSign) || !v.HasTree() || !v.CodeRead() {
		return nil
	}
	v = v.ForFile(ctx, p)
	if mapped, err := v.Code().Read(p); err != nil || mapped != text {
		return nil
	}
	for _, l := range v.Links().Loose() {
		if l.Path == p && l.Mark.At.End <= len(text) {
			problems = append(problems, looseProblem(v, l, true))
		}
	}
	return problems
}

// pageProblems lists the names in a document whose files or symbols existed at its last commit and are gone or
// moved since. They are only hints, since no one has to maintain a document.
func pageProblems(ctx context.Context, v *workspace.View, p string) []format.Problem {
	problems := staleProblems(&format.Entry{}, drift.OfPageSoon(ctx, v, p))
	for i := range problems {
		problems[i].Severity = format.SeverityHint
	}
	return problems
}

// FileProblems are the problems of one file.
type FileProblems struct {
	Path     string // the path in the folder
	Text     string // the text of the positions; "" if it is not known
	Problems []format.Problem
}

// list lists the files with problems: entries by path, then code files, files that are not read, and the project's
// settings. drifts holds the drift of the entries.
func list(ctx context.Context, v *workspace.View, drifts map[string][]link.Drift, config FileProblems,
	grades Grades) ([]FileProblems, error) {
	var out []FileProblems
	for _, e := range v.Tree().Entries() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if problems := ofEntry(v, e, drifts[e.Path], grades); len(problems) > 0 {
			out = append(out, FileProblems{v.FilePath(e.Path), e.Text, problems})
		}
	}
	loose := len(out)
	for _, l := range v.Links().Loose() {
		if len(out) == loose || out[len(out)-1].Path != l.Path {
			text, _ := v.Code().Read(l.Path) // "" if it cannot be read any more
			out = append(out, FileProblems{Path: l.Path, Text: text})
		}
		f := &out[len(out)-1]
		f.Problems = append(f.Problems, looseProblem(v, l, l.Mark.At.End <= len(f.Text)))
	}
	for _, k := range v.Tree().Skipped() {
		out = append(out, FileProblems{v.FilePath(k.Path), "", []format.Problem{k.Problem()}})
	}
	for _, l := range v.Tree().LateSaves() {
		if _, ok := v.Tree().Entry(l.Path); !ok { // it has been deleted since
			out = append(out, FileProblems{v.FilePath(l.Path), "", []format.Problem{l.Problem()}})
		}
	}
	out = append(out, config)
	for i := loose; i < len(out); i++ {
		out[i].Problems = grades.graded(out[i].Problems)
	}
	return slices.DeleteFunc(out, func(f FileProblems) bool { return len(f.Problems) == 0 }), nil
}

// staleProblems returns the drift of an entry as problems. A missing file in the entry's Files list is a warning.
// All other drift is less severe, since the entry may still be true.
func staleProblems(e *format.Entry, found []link.Drift) []format.Problem {
	problems := make([]format.Problem, 0, len(found))
	for _, d := range found {
		p := format.Problem{Code: format.CodeStale, Severity: format.SeverityInfo, Message: d.Reason, At: d.At}
		if d.Kind != link.Changed && isSure(e, d.At) {
			p.Severity = format.SeverityWarning
		}
		problems = append(problems, p)
	}
	return problems
}

// sourceProblems reports that the document from which an entry was made has changed since. An imported folder may
// be deleted afterwards.
func sourceProblems(read func(string) (string, bool), e *format.Entry) []format.Problem {
	im, ok := format.ImportedBy(e)
	file, anchor := im.Source()
	if !ok || workspace.IsTreePath(file) || e.Role != format.RoleEntry {
		return nil
	}
	text, there := read(file)
	message := ""
	switch d := documents.Parse(file, text); {
	case !there && anchor == "":
	case !there:
		message = file + ", the source of this import, is gone"
	default:
		at, found := d.Whole(anchor)
		switch {
		case !found:
			message = "the section #" + anchor + " of " + file + ", the source of this import, is gone"
		case format.SourceHash(at.Of(d.Text)) != im.Hash:
			message = im.From + ", the source of this import, has changed: merge the two texts, and keep only one"
		}
	}
	if message == "" {
		return nil
	}
	from, _ := e.Field(format.ImportedFromKey)
	return []format.Problem{{Code: format.CodeStale, Severity: format.SeverityInfo, Message: message, At: from.At}}
}

// farHeadings reports the links of an entry to headings that a document of the folder does not have.
func farHeadings(v *workspace.View, e *format.Entry) (out []format.Problem) {
	known := map[string]*documents.Document{}
	find := func(p string) *documents.Document {
		if _, done := known[p]; !done {
			known[p] = workspace.DocumentAt(v, p)
		}
		return known[p]
	}
	for _, k := range tree.Outlinks(v.Tree(), e) {
		if i := slices.IndexFunc(k.Ways, isThere(v)); i >= 0 && !workspace.IsTreePath(k.Ways[i]) {
			out = append(out, unknownHeading(find, k.Ways[i], k.Heading, k.At)...)
		}
	}
	return out
}

// unknownHeading reports a link to a heading that a document does not have. Links to blocks and to pieces of text
// are not reported, since readers resolve them by themselves, and #top is the beginning of any page. If a document
// includes files, not all of its headings are known.
func unknownHeading(find func(p string) *documents.Document, p, heading string, at markdown.Span) []format.Problem {
	other := strings.HasPrefix(heading, "^") || strings.HasPrefix(heading, ":~:") || format.WithoutLines("#"+heading) == ""
	if heading == "" || other || strings.EqualFold(heading, "top") || tree.Climbs(p) || !(documents.Options{}).Wants(p) {
		return nil
	}
	d := find(p)
	if d == nil || d.Anchored(heading) != nil || slices.ContainsFunc(d.Sections, func(s documents.Section) bool { return len(s.Files) > 0 }) {
		return nil
	}
	return []format.Problem{{Code: format.CodeHeading, Severity: format.SeverityWarning, At: at,
		Message: p + " has no heading #" + workspace.Clipped(heading) + "; correct the heading in the link, or remove it"}}
}

// isSure reports whether a place of an entry certainly means a file: it is in the Files list, or is a link.
func isSure(e *format.Entry, at markdown.Span) bool {
	listed := func(f format.FileRef) bool { return f.At.Start < at.End && at.Start < f.At.End }
	return slices.ContainsFunc(e.Files, listed) || slices.ContainsFunc(e.Relations, func(m format.Mention) bool {
		return m.Form == format.FormMarkdown && m.At.Contains(at.Start)
	})
}

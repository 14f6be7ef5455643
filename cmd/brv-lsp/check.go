package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
)

// checkOptions are the command line of check.
type checkOptions struct {
	diagnosis.CheckRequest
	Format string   `flag:"format"`
	FailOn []string `flag:"fail-on,list"`
	Fix    bool     `flag:"fix"`
	fixed  string   // what became of the automatic fixes, for the text
}

func (o *checkOptions) declare(f *flags) { f.neighbours() }

// short names of codes, besides the codes themselves.
var shortCodes = map[string]string{"broken": "broken-relation", "secret": "secret-in-knowledge"}

// fails are the severities at which a check fails, gravest first.
var fails = []string{"error", "warning", "info"}

// checkFormats write a report in the formats other than text and JSON.
var checkFormats = map[string]func(*diagnosis.CheckReport) (string, error){
	"": nil, "text": nil, "json": nil, "sarif": sarifText, "github": annotations, "markdown": comment,
}

func check(ctx context.Context, f *flags, o *checkOptions, _ env) (answer, error) {
	if err := o.read(); err != nil {
		return answer{}, err
	}
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	o.Severity = settingsOf(w.Root()).Diagnostics.Severity
	if o.Fix {
		if err := o.repair(ctx, w); err != nil {
			return answer{}, err
		}
	}
	r, err := diagnosis.Check(ctx, w.View(), o.CheckRequest)
	if hint := workspace.ShellHint(err); hint != "" {
		err = fmt.Errorf("%w%s; `check --documents` checks the repository's documents", err, hint)
	}
	if err != nil {
		return answer{}, err
	}
	if f.json = f.json || o.Format == "json"; f.json {
		return answer{json: r, code: o.code(r)}, nil
	}
	text := o.fixed + checkText(r)
	if write := checkFormats[o.Format]; write != nil {
		if text, err = write(r); err != nil {
			return answer{}, err
		}
	}
	return answer{json: r, text: text, code: o.code(r), exact: o.Format == "github" || o.Format == "sarif"}, nil
}

// read completes the options. An error names the option that is wrong.
func (o *checkOptions) read() error {
	if _, ok := checkFormats[o.Format]; !ok {
		return fmt.Errorf("%w: --format %q: it must be text, json, sarif, github or markdown", errUsage, o.Format)
	}
	for i, kind := range o.FailOn {
		o.FailOn[i] = cmp.Or(shortCodes[kind], kind)
		if err := settings.CheckCode(o.FailOn[i]); err != nil && !slices.Contains(fails, kind) {
			return fmt.Errorf("%w: --fail-on %q: give error, warning, info or the code of a problem (%w)", errUsage, kind, err)
		}
	}
	if o.Fix && o.Base == "" {
		return fmt.Errorf("%w: check --fix needs --base REF: it updates names that changed since REF", errUsage)
	}
	return nil
}

// code returns the exit code. It is 1 if the check found something of the severity that it fails on (errors,
// without --fail-on), or if the user asked to fail on something that cannot be known here.
func (o *checkOptions) code(r *diagnosis.CheckReport) int {
	if len(o.FailOn) == 0 {
		if r.Errors > 0 {
			return exitFailed
		}
		return exitOK
	}
	if r.Unsure != "" {
		return exitFailed
	}
	for _, x := range r.Findings {
		grave := slices.Index(fails, x.Severity)
		for _, kind := range o.FailOn {
			if at := slices.Index(fails, kind); kind == x.Code || at >= 0 && grave >= 0 && grave <= at {
				return exitFailed
			}
		}
	}
	return exitOK
}

// repair updates entries for the renames in the change.
func (o *checkOptions) repair(ctx context.Context, w *workspace.Workspace) error {
	done, left, err := diagnosis.Repair(ctx, w, diagnosis.RepairRequest{Base: o.Base, Author: user()})
	if err != nil {
		return undoable(err)
	}
	for _, why := range left {
		o.fixed += textf("not fixed: %s\n", why)
	}
	if done == nil {
		o.fixed = cmp.Or(o.fixed, "No name was updated: nothing that entries name was renamed or moved.\n")
		return nil
	}
	for _, a := range done.Results {
		verb := map[plan.Status]string{plan.StatusFailed: "not fixed", plan.StatusPending: "held"}[a.Status]
		o.fixed += textf("%s: %s/%s: %s\n", cmp.Or(verb, "fixed"), workspace.TreeDir, a.Path, firstLine(a.Reason))
	}
	o.fixed += nextStep(done)
	return nil
}

// maxHints is how many hints a check prints. A young tree has many, and they would hide more important findings.
const maxHints = 10

func checkText(r *diagnosis.CheckReport) string {
	var text bytes.Buffer
	hints := 0
	for _, hint := range []bool{false, true} {
		for _, x := range r.Findings {
			if (x.Severity == "hint") != hint {
				continue
			}
			if hint {
				if hints++; hints > maxHints {
					continue
				}
			}
			sayf(&text, "%s:%d:%d: %s: %s [%s]\n", sanitize.Name(x.Path), x.Line, x.Column, x.Severity, x.Message, x.Code)
			if x.Drift != nil && x.Drift.Replace != "" {
				sayf(&text, "    write %s instead of %s\n", x.Drift.Replace, x.Drift.Was)
			}
		}
	}
	if hints > maxHints {
		sayf(&text, "%s more; --json lists them\n", words.Counted(hints-maxHints, "hint", "hints"))
	}
	if len(r.Read) > 0 {
		text.WriteString("Entries to read before you merge, most relevant first:\n")
	}
	for _, x := range workspace.FirstOf(r.Read, maxRead) {
		sayf(&text, "  %s: %s (%s)\n", x.Path, firstLine(x.Title), touched(x))
	}
	if more := max(0, len(r.Read)-maxRead) + r.Unlisted; more > 0 {
		sayf(&text, "  and %d more\n", more)
	}
	if len(r.Elsewhere) > 0 {
		text.WriteString("Removed or renamed here, but used in other repositories:\n")
	}
	drawSome(&text, r.Elsewhere, maxRead, "  and %d more; --json lists them", func(x elsewhere.Link) string { return "  " + goneText(x) })
	if r.Entries > 0 && slices.ContainsFunc(r.Findings, func(x diagnosis.Finding) bool { return x.Drift != nil }) {
		text.WriteString("Edit entries that are no longer true. If an entry is still true, confirm it: " +
			"`brv-lsp curate --op CONFIRM --path ENTRY --reason WHY`\n")
	}
	for _, note := range []string{r.Note, r.Unsure} {
		if note != "" {
			sayf(&text, "%s\n", note)
		}
	}
	if r.Base != "" {
		sayf(&text, "Since %s, %s changed. ", r.Base[:12], words.Counted(r.Changed, "file", "files"))
	}
	checked := words.Counted(r.Entries, "entry", "entries")
	if r.Documents > 0 {
		checked = words.Counted(r.Documents, "document", "documents") + " and " + checked
	}
	sayf(&text, "Checked %s: %s, %s\n", checked, words.Counted(r.Errors, "error", "errors"), words.Counted(r.Warnings, "warning", "warnings"))
	return text.String()
}

// goneText describes a place in another repository that uses something that the change removes.
func goneText(x elsewhere.Link) string {
	return textf("%s: %s uses `%s` of %s (%s, %s)", x.User.Repository, placeText(x.User), sanitize.Short(x.Name, 80), placeText(x.Used),
		x.Kind, x.Sure)
}

// maxRead is how many entries to read the report prints.
const maxRead = 20

// touched returns which of an entry's files a change touches.
func touched(x diagnosis.Reading) string {
	const most = 3
	return x.Reason + ": " + words.AtMost(x.Touches, most)
}

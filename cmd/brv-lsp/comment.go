package main

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// annotationWords maps our severities to GitHub's workflow commands.
var annotationWords = map[string]string{"error": "error", "warning": "warning", "info": "notice"}

// maxNotices is how many entries to read are annotated: GitHub shows ten notices for each step.
const maxNotices = 10

var (
	commandData  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotations returns the findings as GitHub's workflow commands, which GitHub shows at their lines. Hints are
// left out.
func annotations(r *diagnosis.CheckReport) (string, error) {
	var out strings.Builder
	add := func(word, path string, line, column int, title, message string) {
		fmt.Fprintf(&out, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", word, commandValue.Replace(path), line, column,
			commandValue.Replace(title), commandData.Replace(message))
	}
	for _, word := range []string{"error", "warning", "info"} { // GitHub shows few of them, so the most severe come first
		for _, x := range r.Findings {
			if x.Severity == word {
				add(annotationWords[word], x.Path, x.Line, x.Column, x.Code, x.Message)
			}
		}
	}
	for _, x := range workspace.FirstOf(r.Read, maxNotices) {
		add("notice", x.Path, 1, 1, "read before you merge", firstLine(x.Title)+" ("+touched(x)+")")
	}
	for _, note := range []string{r.Note, r.Unsure} {
		if note != "" {
			fmt.Fprintf(&out, "::warning title=brv-lsp::%s\n", commandData.Replace(note))
		}
	}
	return out.String(), nil
}

// commentMark begins the comment, so that a bot can find and replace its own comment.
const commentMark = "<!-- brv-lsp check -->"

// maxComment bounds a comment, in bytes. GitHub accepts 65,536 characters.
const maxComment = 60_000

// comment returns one Markdown comment about a change. Text from files cannot mention a user or make a link in it.
func comment(r *diagnosis.CheckReport) (string, error) {
	var left, others, diffs strings.Builder
	hints := 0
	for _, x := range r.Findings {
		at := fmt.Sprintf("`%s:%d`", inCode(sanitize.Name(x.Path)), x.Line)
		switch {
		case x.Severity == "hint":
			hints++
		case x.Drift == nil:
			fmt.Fprintf(&others, "- %s %s: %s\n", x.Severity, at, said(x.Message))
		default:
			fmt.Fprintf(&left, "- %s: %s", at, said(x.Message))
			if x.Drift.Replace != "" {
				fmt.Fprintf(&left, "; write %s", codeOf(x.Drift.Replace))
			}
			left.WriteString("\n")
			if x.Drift.Diff != "" && diffs.Len() < maxComment/2 {
				fmt.Fprintf(&diffs, "%s\n\n%s\n\n", codeOf(x.Drift.Old), markdown.Fenced("diff", strings.TrimRight(x.Drift.Diff, "\n")))
			}
		}
	}
	var out strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&out, "\n### %s\n\n%s", title, text)
		}
	}
	var read strings.Builder
	for _, x := range workspace.FirstOf(r.Read, maxRead) {
		fmt.Fprintf(&read, "- %s %s (%s)\n", codeOf(x.Path), said(firstLine(x.Title)), said(touched(x)))
	}
	if more := max(0, len(r.Read)-maxRead) + r.Unlisted; more > 0 {
		fmt.Fprintf(&read, "- and %d more\n", more)
	}
	section("Left behind", left.String())
	section("Problems", others.String())
	section("Read before you merge", read.String())
	var elsewhere strings.Builder
	for _, x := range workspace.FirstOf(r.Elsewhere, maxRead) {
		fmt.Fprintf(&elsewhere, "- %s\n", said(goneText(x)))
	}
	section("Used elsewhere", elsewhere.String())
	for _, note := range []string{r.Note, r.Unsure} {
		section("Note", note)
	}
	if out.Len() == 0 {
		out.WriteString("\nEvery entry still matches the code.\n")
	}
	text := commentMark + "\n## Knowledge\n" + out.String()
	if hints > 0 {
		text += fmt.Sprintf("\n%s not shown.\n", words.Counted(hints, "hint is", "hints are"))
	}
	if len(text) > maxComment {
		text = text[:strings.LastIndexByte(text[:maxComment], '\n')+1] +
			"\nThis report was cut. Run `brv-lsp check --base REF` to see all of it.\n"
	}
	if diffs.Len() > 0 && len(text)+diffs.Len() < maxComment {
		text += "\n<details><summary>What changed</summary>\n\n" + diffs.String() + "</details>\n"
	}
	return text, nil
}

// maxSaid bounds one message, in bytes.
const maxSaid = 300

// inCode makes a text safe for a code span of one backtick.
func inCode(text string) string { return strings.ReplaceAll(sanitize.Line(text, maxSaid), "`", "'") }

func codeOf(text string) string { return "`" + inCode(strings.Trim(text, "`")) + "`" }

var harmless = strings.NewReplacer("&", "&amp;", "<", "&lt;", "@", "&#64;", "[", "&#91;", "]", "&#93;", "!", "&#33;", "#", "&#35;",
	"://", ":&#47;/", "*", "&#42;", "_", "&#95;", "|", "&#124;", "~", "&#126;", "\\", "&#92;")

// said returns a message with its code spans kept. Outside of them, every character with a meaning in Markdown is
// escaped.
func said(message string) string {
	parts := strings.Split(sanitize.Line(message, maxSaid), "`")
	if len(parts)%2 == 0 || strings.Contains(message, "``") { // runs of other lengths delimit other spans
		return harmless.Replace(strings.Join(parts, "'"))
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = harmless.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

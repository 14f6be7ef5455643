package curate

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// render writes the entry.
func render(sel Selection, title string, related []string, now time.Time) string {
	c := tree.Content{Relations: related, Keywords: keywords(sel), RawConcept: &tree.RawConcept{Task: plainLine(title)}}
	if sel.Entry == "" {
		c.RawConcept.Files = []string{fileItem(sel)}
	}
	fence := fenceFor(sel.Text)
	c.Snippets = []string{fence + sel.Language + "\n" + strings.Trim(sel.Text, "\n") + "\n" + fence}
	reason := fmt.Sprintf("Kept from %s, %s.", code(sel.Path), lineRange(sel, "line ", "lines ", "–"))
	return tree.Render(tree.Header{Title: title, Reason: reason, CreatedAt: now, UpdatedAt: now}, c)
}

// keywords are the names that the entry should be found by.
func keywords(sel Selection) []string {
	if s := strings.TrimSpace(sel.Symbol); s != "" {
		return []string{s}
	}
	return nil
}

func lineRange(sel Selection, one, many, dash string) string {
	if sel.EndLine <= sel.StartLine {
		return fmt.Sprintf("%s%d", one, sel.StartLine)
	}
	return fmt.Sprintf("%s%d%s%d", many, sel.StartLine, dash, sel.EndLine)
}

// fileItem is the file with its lines; in backticks where the path alone could
// be read as a description.
func fileItem(sel Selection) string {
	item := sel.Path + ":" + lineRange(sel, "", "", "-")
	if plainPath.MatchString(sel.Path) {
		return item
	}
	return code(item)
}

// code is inline code; a backtick in a path becomes a quote, since no fence
// suits a list item.
func code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }

// plainLine keeps a title from being read as markup: no relation, link or label
// begins in it.
func plainLine(title string) string {
	return strings.NewReplacer("@", `\@`, "[", `\[`, "*", `\*`, "`", "\\`").Replace(title)
}

// fenceFor is longer than every run of backticks in the text.
func fenceFor(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// plainPath is a path that can only be read as one.
var plainPath = regexp.MustCompile(`^[\pL\pN_.][\pL\pN_./-]*$`)

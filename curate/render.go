package curate

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// render writes the entry. Keys and sections stand in the order in which the
// tree writes them.
func render(sel Selection, title string, related []string, now time.Time) string {
	var b strings.Builder
	stamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
	fmt.Fprintf(&b, "---\ntitle: %s\nsummary: ''\ntags: []\nrelated: %s\nkeywords: %s\ncreatedAt: '%s'\nupdatedAt: '%s'\n---\n",
		scalar(title), list(related), list(keywords(sel)), stamp, stamp)
	fmt.Fprintf(&b, "## Reason\nKept from %s, %s.\n\n## Raw Concept\n**Task:**\n%s\n\n", code(sel.Path), lineRange(sel, "line ", "lines ", "–"), plainLine(title))
	if sel.Entry == "" {
		fmt.Fprintf(&b, "**Files:**\n- %s\n\n", fileItem(sel))
	}
	fence := fenceFor(sel.Text)
	fmt.Fprintf(&b, "---\n\n%s%s\n%s\n%s\n", fence, sel.Language, strings.Trim(sel.Text, "\n"), fence)
	return b.String()
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

var (
	plain   = regexp.MustCompile(`^[\pL][\pL\pN _./()+-]*$`)
	keyword = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

// scalar writes a YAML string: plain where it can only be read as that string,
// else in single quotes.
func scalar(s string) string {
	if plain.MatchString(s) && !keyword.MatchString(s) && !strings.HasSuffix(s, " ") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func list(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = scalar(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

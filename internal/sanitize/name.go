package sanitize

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain reports whether a name or path can be shown as it is. Whoever makes a repository chooses the names in it, and a
// name stands on a line between words of the program. So it holds no control or hidden character, no byte that is not
// UTF-8, no back-tick, nothing that begins or ends a comment of HTML, and no workflow command of a CI runner: neither
// ##[name] and ##vso[name] anywhere, nor :: where it, or a name in a path, begins.
func Plain(name string) bool {
	if strings.Contains(name, "::") {
		for part := range strings.SplitSeq(name, "/") {
			if strings.HasPrefix(strings.TrimSpace(part), "::") {
				return false
			}
		}
	}
	for i, r := range name {
		if unprintable(name, i, r) || marks(name[i:]) {
			return false
		}
	}
	return true
}

// NotPlain is the reason reported for a file that is not read because its path is not [Plain].
const NotPlain = "its path has an invisible character, a backtick, or a marker of a comment or CI command; rename the file"

// Name is a name or path as it is shown: itself if it is [Plain], else one line in quotes, with escapes for what is not
// plain in it.
func Name(name string) string {
	if Plain(name) {
		return name
	}
	return `"` + escaping(name, func(rest string) bool {
		return rest[0] == '"' || rest[0] == '\\' || strings.HasPrefix(rest, "::") || marks(rest)
	}) + `"`
}

// OneLine is a text as a part of one line, with escapes for line ends, tabs, control and hidden characters, and for a
// workflow command that a CI runner would find inside a line. Other text is itself.
func OneLine(text string) string {
	if plain(text) && !strings.ContainsAny(text, "\n\t") && !strings.Contains(text, "##") {
		return text
	}
	return escaping(text, command)
}

// JSON is a text of JSON that means the same, with escapes for hidden characters, and for workflow commands of a CI runner.
func JSON(text string) string {
	if plain(text) && !strings.Contains(text, "##") {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '#' && command(text[i:]), r >= 0x7f && r <= 0xffff && unprintable(text, i, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case r > 0xffff && unprintable(text, i, r):
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Log is the visible part of a text of several lines, in which a CI runner finds no workflow command.
func Log(text string) string {
	text = Visible(text)
	if !strings.Contains(text, "##") && !strings.Contains(text, "::") {
		return text
	}
	var b strings.Builder
	fresh := true // nothing but blanks stands before on the line
	for i, r := range text {
		if r == '#' && command(text[i:]) || r == ':' && fresh && directive(text[i:]) {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
		fresh = r == '\n' || fresh && unicode.IsSpace(r)
	}
	return b.String()
}

// escaping is a text with escapes for all that shows nothing of its own, and for the first character of what also finds.
func escaping(text string, also func(rest string) bool) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unprintable(text, i, r), also(text[i:]):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape is a character as strings of Go have it where they escape it.
func escape(r rune) string {
	switch quoted := strconv.QuoteRuneToASCII(r); {
	case r == '"':
		return `\"`
	case quoted[1] == '\\':
		return quoted[1 : len(quoted)-1]
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// unprintable reports whether the character at text[i] shows nothing of its own, as a blank of Braille, or is no character.
func unprintable(text string, i int, r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	size := utf8.RuneLen(r)
	return r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") || unicode.IsControl(r) || r == 0xfeff ||
		r == '\u2800' || unicode.Is(unicode.Noncharacter_Code_Point, r) ||
		hidden(text, i, r, size) != ""
}

// marks reports whether a text begins with a sign that Markdown, HTML or a CI runner acts on wherever it stands.
func marks(rest string) bool {
	switch rest[0] {
	case '`':
		return true
	case '<':
		return strings.HasPrefix(rest, "<!--")
	case '-':
		return strings.HasPrefix(rest, "-->") || strings.HasPrefix(rest, "--!>")
	}
	return command(rest)
}

// command reports whether a text begins with a workflow command that counts anywhere on a line: ##[name] to GitHub's and
// Azure's runners, ##vso[name] to the latter, ##teamcity[name].
func command(rest string) bool {
	name, ok := strings.CutPrefix(rest, "##")
	return ok && strings.HasPrefix(strings.TrimLeftFunc(name, letter), "[")
}

// directive reports whether a line begins with a workflow command that counts there only: ::name.
func directive(line string) bool {
	name, ok := strings.CutPrefix(line, "::")
	return ok && name != "" && letter(rune(name[0]))
}

func letter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

package sanitize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of characters that people do not see.
const (
	bidi      = "bidirectional control"
	zeroWidth = "zero-width character"
	joiner    = "joiner outside a word"
	format    = "format character"
	blank     = "blank letter"
	hyphen    = "soft hyphen"
	separator = "line separator"
	selector  = "variation selector"
	tag       = "tag character"
)

// invisible are the characters that show nothing of their own, in order: those that Unicode 15 has ignored where they
// are not supported (Default_Ignorable_Code_Point), the controls of direction (Bidi_Control, all of
// them among those), the separators of lines and paragraphs, and the three of interlinear
// annotations. TestTheTableIsUnicodes compares it with package unicode.
var invisible = []struct {
	from, to rune
	what     string
}{
	{0xad, 0xad, hyphen}, {0x34f, 0x34f, zeroWidth}, {0x61c, 0x61c, bidi}, {0x115f, 0x1160, blank}, {0x17b4, 0x17b5, blank},
	{0x180b, 0x180d, selector}, {0x180e, 0x180e, zeroWidth}, {0x180f, 0x180f, selector},
	{0x200b, 0x200b, zeroWidth}, {0x200c, 0x200d, joiner}, {0x200e, 0x200f, bidi}, {0x2028, 0x2029, separator}, {0x202a, 0x202e, bidi},
	{0x2060, 0x2065, zeroWidth}, {0x2066, 0x2069, bidi}, {0x206a, 0x206f, format}, {0x3164, 0x3164, blank},
	{0xfe00, 0xfe0f, selector}, {0xfeff, 0xfeff, zeroWidth}, {0xffa0, 0xffa0, blank}, {0xfff0, 0xfffb, format},
	{0x1bca0, 0x1bca3, format}, {0x1d173, 0x1d17a, format}, {0xe0000, 0xe00ff, tag}, {0xe0100, 0xe01ef, selector},
	{0xe01f0, 0xe0fff, tag},
}

// kind names the class of a character that is invisible, or changes the order in which others are shown,
// independent of its neighbours; "" if it is visible.
func kind(r rune) string {
	if r < invisible[0].from {
		return ""
	}
	from, to := 0, len(invisible)
	for from < to {
		if middle := (from + to) / 2; invisible[middle].to < r {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from == len(invisible) || r < invisible[from].from {
		return ""
	}
	return invisible[from].what
}

// hidden names the class of the hidden character at s[i], "" if it is visible or legitimate there. Whether it
// is legitimate depends only on visible characters, and on selectors that are legitimate themselves: if all
// hidden characters are removed, a text has none left.
func hidden(s string, i int, r rune, size int) string {
	what := kind(r)
	switch {
	case what == joiner && joins(s, i, i+size), what == selector && varies(s, i, i+size, r), what == tag && inFlag(s, i),
		r == 0xfeff && i == 0:
		return ""
	}
	return what
}

// joining are the scripts in whose words a joiner changes how letters are drawn: those that are
// written joined, and those of India and its neighbours with their conjuncts (Unicode 16, section 23.2).
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Adlam, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Hanifi_Rohingya,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Thai, unicode.Lao, unicode.Balinese, unicode.Javanese,
	unicode.Sundanese, unicode.Chakma,
}

// joined reports whether a character is a letter, mark or number of such a script; the marks that
// several scripts share are of none.
func joined(r rune) bool {
	return r >= 0x600 && kind(r) == "" && (unicode.In(r, joining...) && !unicode.IsPunct(r) || r >= 0x64b && r <= 0x655 ||
		r == 0x670 || r >= 0x660 && r <= 0x669 || r >= 0x951 && r <= 0x954 || r >= 0x1cd0 && r <= 0x1cfa)
}

// joins reports whether a joiner stands inside a word of such a script, which may begin with
// another's letters (APIها with one before the ending), or between two emoji.
func joins(s string, start, end int) bool {
	before, size := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	if size == 0 {
		return false
	}
	if joined(before) || joined(after) {
		word := func(r rune) bool { return joined(r) || kind(r) == "" && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
		return word(before) && word(after)
	}
	if s[end-1] != 0x8d { // the last byte of U+200D; emoji have no other
		return false
	}
	if before == 0xfe0f {
		before, _ = utf8.DecodeLastRuneInString(s[:start-size])
	}
	return emoji(before) && emoji(after)
}

// emoji reports whether a character may be one, or a part: symbols, and the five colours of skin.
func emoji(r rune) bool {
	return unicode.Is(unicode.So, r) && r != utf8.RuneError || r >= 0x1f3fb && r <= 0x1f3ff || unicode.Is(unicode.Sm, r) && r >= 0x2190
}

// varies reports whether a variation selector stands behind what it can vary (Unicode 16, section 23.4, and
// its lists of variation sequences): U+FE0E and FE0F behind what may be an emoji, and in keycaps; the others up to
// FE0D behind mathematical signs, ideographs, wide punctuation and three scripts; Mongolian's own behind its letters, and those
// of the supplement, which can carry text, behind ideographs.
func varies(s string, start, end int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	switch {
	case r < 0x1900:
		return unicode.Is(unicode.Mongolian, before) && unicode.IsLetter(before)
	case r >= 0xe0100:
		return unicode.Is(unicode.Han, before)
	case r >= 0xfe0e:
		keycap := before >= '0' && before <= '9' || before == '#' || before == '*'
		return emoji(before) || slices.Contains([]rune{0x203c, 0x2049, 0x2139, 0x3030}, before) || keycap &&
			strings.HasPrefix(s[end:], "\u20e3")
	}
	return before >= utf8.RuneSelf && unicode.In(before, unicode.Sm, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean) ||
		before >= 0x3000 && unicode.IsPunct(before)
}

// flags are the tag sequences of the emoji that have one, behind U+1F3F4: the
// flags of England, Scotland and Wales.
var flags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

func tagged(s string) string {
	out := []rune("\U0001F3F4")
	for _, c := range s {
		out = append(out, 0xe0000+c)
	}
	return string(append(out, 0xe007f))
}

// inFlag reports whether the tag character at s[i] belongs to one of the flags.
func inFlag(s string, i int) bool {
	start := strings.LastIndex(s[max(0, i-len(flags[0])):i], "\U0001F3F4")
	if start < 0 {
		return false
	}
	from := max(0, i-len(flags[0])) + start
	for _, f := range flags {
		if strings.HasPrefix(s[from:], f) && i < from+len(f) {
			return true
		}
	}
	return false
}

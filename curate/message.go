package curate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
)

// message is a commit's message, taken apart.
type message struct {
	title   string   // the subject, without marks, numbers of issues and its full stop
	scope   string   // what stands in front of the subject: "completions" of "fix(completions): …"
	kind    string   // "fix", "" if the subject does not begin with such a word and a colon
	clauses []string // what a subject of several clauses says behind the first
	bullets []string // items of lists in the body
	said    []string // sentences of the body
}

var (
	// conventional subjects (conventionalcommits.org): "feat(x)!: …", and "package/file: …",
	// as Go's, git's and the kernel's do. Emoji and their codes stand before some.
	decoration  = pattern.Of(`^(?:\[[\w .#/-]{1,30}\]\s*|:[a-z0-9_+-]+:\s*|[\p{So}\x{fe0f}]\s*)+`)
	typed       = pattern.Of(`^(?i:(feat|feature|fix|bugfix|hotfix|perf|refactor|docs?|chore|tests?|ci|build|style|revert|deps|release|wip|misc|improvement))(?:\(([^()]{1,60})\))?!?:\s+`)
	pathed      = pattern.Of(`^([\w.-]+(?:/[\w.*{},-]+)*(?:, ?[\w./-]+)*):\s+`)
	issue       = pattern.Of(`\s*[(\[]\s*(?:(?i:fix(?:es|ed)?|close[sd]?|refs?|see|resolves?|gh|pr|issue)[ :]*)?(?:[\w.-]+/[\w.-]+)?#?(?:[A-Z][A-Z0-9]+-\d+|#?\d{1,7})\s*[)\]]`)
	trailingRef = pattern.Of(`(?i)[\s,;.:-]+(?:fix(?:es|ed)?|close[sd]?|refs?|see|resolves?)[ :]*(?:#\d+(?:[, ]+(?:and )?#\d+)*)\s*\.?$`)
	tracker     = pattern.Of(`^(?:(?i:fix(?:es|ed)?|close[sd]?|resolve[sd]?|issue|gh)[ -]?#?\d+\s*[:,-]\s+|(?:[A-Z][A-Z0-9]+-\d+|#\d+)\s*[:-]?\s+)`)
	refLine     = pattern.Of(`(?i)^(?:this reverts commit [0-9a-f]+|this (?:reverts|backports) #\d+)[.\s]*$|^[-*]?\s*(?:this )?(?:pr |commit )?(?:also )?(?:fix(?:es|ed)?|close[sd]?|refs?|references?|resolves?d?|relate[sd]? to|related|see(?: also)?|follow[- ]?up (?:on|to|of)|part of|issue|bug|updates?|cherry[- ]picked from|\(cherry picked from)[:\s]+(?:commit )?(?:#\d+|https?://\S+|[\w.-]+/[\w.-]+#\d+|[0-9a-f]{7,40}|[A-Z]+-\d+)(?:[,\s]+(?:and\s+|&\s*)?(?:[a-z]+\s+)?(?:#\d+|https?://\S+|[\w.-]+#\d+))*[).\s]*$`)
	trailer     = pattern.Of(`^(?i:[a-z]+(?:-[a-z]+)*-by|change-id|cc|bug|issue|pr-url|reviewed-on|see-also|git-svn-id|signed-off|version|release-note|backport|type|link|test plan|differential revision|reviewers|subscribers|tasks|[a-z]+-session|[a-z]+-url)\s*:\s*\S`)
	bullet      = pattern.Of(`^(\s*)(?:[-*+•]|\d{1,2}[.)])\s+(.*)$`)
	ruleLine    = pattern.Of(`^\s*[-=*_~+#]{3,}\s*$`)
	dangling    = pattern.Of(`(?i)[\s,;:(-]+(?:see(?: also)?)?:?$`)               // what led to an address that is left out
	pointer     = pattern.Of(`(?i)^(?:see|cf\.?|more|details)\b(?:\s+\S+){0,8}$`) // a sentence that only says where to look
	address     = pattern.Of(`^(?:https?://\S+|#\d+)[.,]?$`)
)

// What is read of a message, in bytes: people write less.
const (
	maxSubject = 1_000
	maxBody    = 8_000
)

// cutTo is a text of at most so many bytes.
func cutTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// readMessage takes a message apart.
func readMessage(text string) message {
	subject, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
	subject, body = cutTo(subject, maxSubject), cutTo(body, maxBody)
	// GitHub cuts long subjects and goes on in the body.
	if cut, ok := strings.CutSuffix(strings.TrimSpace(subject), "…"); ok {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(body), "…"); ok {
			line, more, _ := strings.Cut(rest, "\n")
			subject, body = cut+line, more
		}
	}
	var m message
	m.title, m.kind, m.scope = readSubject(subject)
	if all := strings.Split(m.title, "; "); len(all) > 1 && len(strings.Fields(all[0])) >= leastClause {
		m.title = all[0]
		for _, c := range all[1:] {
			if telling(c) && emptyWords(c) == "" {
				m.clauses = append(m.clauses, capital(strings.TrimSpace(c)))
			}
		}
	}
	m.readBody(body)
	return m
}

// leastClause is how many words the first clause of a subject needs to be a title.
const leastClause = 3

// readSubject cleans a subject, or an item that is one.
func readSubject(s string) (title, kind, scope string) {
	s = oneLine(s)
	s = decoration().ReplaceAllString(s, "")
	if parts := typed().FindStringSubmatch(s); parts != nil {
		kind, scope, s = strings.ToLower(parts[1]), parts[2], s[len(parts[0]):]
	} else if parts := pathed().FindStringSubmatch(s); parts != nil && len(parts[1]) <= 60 && (strings.ContainsAny(parts[1], "/._") || parts[1] == strings.ToLower(parts[1])) {
		scope, s = parts[1], s[len(parts[0]):]
	}
	s = tracker().ReplaceAllString(s, "")
	s = issue().ReplaceAllString(s, "")
	s = trailingRef().ReplaceAllString(s, "")
	return capital(strings.TrimRight(strings.TrimSpace(s), " .;,:")), kind, scope
}

// capital begins a title with a capital letter, unless its first word is a name of code.
func capital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	r, size := utf8.DecodeRuneInString(s)
	if !unicode.IsLower(r) || strings.ContainsAny(first, "._/()`:<>=-$@0123456789") || strings.IndexFunc(first, unicode.IsUpper) > 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Limits of what is taken from a body.
const (
	maxBullets   = 12
	maxSentences = 12
	maxItem      = 300 // runes of an item or a sentence
)

// readBody takes the items and the sentences of a body, without trailers, references to
// issues, addresses, quoted code and what is set off by indentation.
func (m *message) readBody(body string) {
	var paragraph []string
	item := -1 // the bullet that goes on
	flush := func() {
		for _, s := range sentences(strings.Join(paragraph, " ")) {
			if s = dangling().ReplaceAllString(s, "."); len(m.said) < maxSentences && telling(s) {
				m.said = append(m.said, shortenTo(s, maxItem))
			}
		}
		paragraph = nil
	}
	for l := range strings.SplitSeq(unfenced(body), "\n") {
		line := strings.TrimRight(l, " \t")
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || ruleLine().MatchString(bare), strings.HasPrefix(bare, "# "), strings.HasPrefix(bare, "##"):
			flush()
			item = -1
		case trailer().MatchString(bare), refLine().MatchString(bare), address().MatchString(bare):
			flush()
			item = -1
		case bullet().MatchString(line):
			flush()
			parts := bullet().FindStringSubmatch(line)
			item = -1
			if s := strings.TrimSpace(parts[2]); len(m.bullets) < maxBullets && !refLine().MatchString(s) && !trailer().MatchString(s) {
				m.bullets, item = append(m.bullets, s), len(m.bullets)
			}
		case item >= 0 && line != bare:
			m.bullets[item] += " " + bare
		case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(bare, ">") || strings.HasPrefix(bare, "$ "):
			flush()
		default:
			item = -1
			paragraph = append(paragraph, bare)
		}
	}
	flush()
	kept := m.bullets[:0]
	for _, b := range m.bullets {
		title, _, _ := readSubject(b)
		if telling(title) && emptyWords(title) == "" && !sameWords(title, m.title) {
			kept = append(kept, shortenTo(title, maxItem))
		}
	}
	m.bullets = kept
}

// telling reports whether a piece of a message is words at all.
func telling(s string) bool {
	return len(strings.Fields(s)) >= 2 && strings.ContainsFunc(s, unicode.IsLetter) && !address().MatchString(s) && !refLine().MatchString(s) && !pointer().MatchString(s)
}

// abbreviations end in a full stop that ends no sentence.
var abbreviations = map[string]bool{"e.g.": true, "i.e.": true, "etc.": true, "vs.": true, "cf.": true, "approx.": true, "resp.": true, "no.": true}

// sentences splits a paragraph: at a full stop behind which a new word begins large.
func sentences(text string) (out []string) {
	words := strings.Fields(text)
	start := 0
	for i, w := range words {
		end := strings.TrimRight(w, ")\"'`")
		last := i == len(words)-1
		if !last && (!strings.HasSuffix(end, ".") && !strings.HasSuffix(end, "!") && !strings.HasSuffix(end, "?") || abbreviations[strings.ToLower(strings.TrimLeft(end, "("))]) {
			continue
		}
		if !last {
			next, _ := utf8.DecodeRuneInString(strings.TrimLeft(words[i+1], "\"'`(*"))
			if unicode.IsLower(next) && !strings.HasPrefix(words[i+1], "`") {
				continue
			}
		}
		out = append(out, strings.Join(words[start:i+1], " "))
		start = i + 1
	}
	return out
}

// demands are the words by which a text states a rule.
var demands = pattern.Of(`(?i)\b(?:must|must not|never|always|shall|should (?:not|never|always)|do not|don't|required to|is required|are required|not allowed|forbidden|only (?:if|when|where|after|before)|no longer|mandatory|cannot|refuse[sd]?)\b`)

// rulesIn parts sentences into those that state a rule and the others.
func rulesIn(said []string) (rules, others []string) {
	for _, s := range said {
		if demands().MatchString(s) {
			rules = append(rules, s)
		} else {
			others = append(others, s)
		}
	}
	return rules, others
}

// nothing are subjects that say nothing worth knowing, with the reason.
var nothing = []struct {
	why string
	is  func(title string) bool
}{
	{"a merge", matches(`^merged? (?:branch|pull request|pr|remote|tag|upstream|commit|changes from|in |master|main|origin|back|release|'|"|#)\b?`)},
	{"a release or a new version", matches(`^(?:(?:release|prepare(?: for)?|bump(?:ed|ing)?|set|start|tag|update|increment|cut)(?: the)?(?: next)?(?: (?:release|version|development|dev|version number|changelog))*(?: (?:to|for|of|from))? ?v?\d+(?:\.\d+)+.*|v?\d+\.\d+(?:\.\d+)*\S*(?: release)?|(?:prepare|start)(?: the)?(?: next)? (?:release|development|dev version)\b.*|(?:bump|update)(?: the)? (?:version|changelog|change log|release notes)(?: number)?|version bump.*|(?:release )?version v?\d+(?:\.\w+)+|changelog(?: for.*| update.*)?)$`)},
	{"new versions of dependencies", matches(`^(?:pre-commit autoupdate|[\w./@-]+ v\d+(?:\.\d+)+|\[?(?:pre-commit\.ci|renovate|dependabot)\b.*|(?:bump|upgrade|update|pin|unpin)\b.* (?:from \S+ to \S+|to v?\d+(?:\.\d+)*\S*)(?: in \S+)?$|(?:bump|upgrade|update|refresh|pin|sync)(?: all| the| dev| development| project| docs| pinned| github| ci)* (?:dependenc\w+|deps|requirements|lock ?files?|packages|pre-commit(?: hooks?)?|submodules?|actions?|github actions?|hooks|workflows?|linters?|year|copyright(?: years?)?|versions?|constraints)\b.*|bump .* group.*|bump [\w@/.-]+(?: and [\w@/.-]+)?$)`)},
	{"a change of form only", matches(`^(?:(?:run|apply|reformat|format|auto-?format)\b.*\b(?:gofmt|goimports|black|prettier|isort|ruff|rustfmt|clang-format|formatter|formatting|format|linter|eslint)\b.*|(?:re)?format(?:ting|ted)?(?: code| fix(?:es)?| files?)?|gofmt.*|black|prettier|isort|lint(?:s|ing)?(?: fix(?:es)?| issues?)?|(?:fix|ignore|silence|address|appease)\b.*\b(?:lint(?:er|s|ing)?|whitespace|formatting|indentation|flake8|staticcheck|golangci(?:-lint)?)\b(?: (?:error|warning|issue|problem|check)s?)?|(?:remove|fix|trim|strip) (?:trailing |extra )?(?:white ?space|blank lines?|indentation).*|white ?space.*|(?:fix|silence|ignore)\b.*\b(?:ruff|pylint|[EWF]\d{3})\b.*|(?:convert|switch|refactor|migrate|move|port|rename|change)\b.*\b(?:rst|rest|restructuredtext|myst|markdown|md)|(?:add|update|fix|remove|bump)\b.*\b(?:licen[cs]e|copyright|spdx)\b.*\b(?:headers?|notices?|years?|identifiers?|texts?)\b.*|remove repetitive words|(?:more |enable |add |some |new )*lint(?:ing|ers?)(?: (?:rules?|checks?|config\w*))?|.*\b(?:golangci|gosec|staticcheck|codespell|flake8|pylint|pyright|mypy|shellcheck|pre-commit)\b.*|use\b.*\b(?:ruff|black|prettier|eslint|isort|gofumpt|myst|linters?|formatter)\b.*|(?:temporarily )?(?:disable|ignore|enable) [A-Z]{1,4}\d{3,4}\b.*|apply (?:automatic|auto|suggested|lint\w*) fix(?:es)?|sort imports.*|code style.*|cosmetic.*|style)$`)},
	{"a correction of spelling or wording", matches(`^(?:(?:fix|correct|minor|small|more|some|a few|various|doc|docs|documentation|comment|readme|grammar|spelling|clean ?up)\b.{0,40}\b(?:typos?|spelling|misspell\w*|grammar|wording|punctuation|grammatical)(?: (?:errors?|mistakes?|fix(?:es)?|issues?|and \w+))*(?: (?:in|of|from|on|for|at)\b.*)?|fix(?:ed|es)? (?:a |some |the )?typos?|typos?(?: (?:fix(?:es|ed)?|in|of|from|on|again)\b.*)?|spelling.*|grammar.*|wording.*|(?:fix|update|repair|correct|change|add)(?: the| a| some)?(?: broken| dead| new| cross| go doc| doc(?:s|umentation)?)* (?:links?|urls?|badges?|logos?)(?: (?:and|route|in|of|to|from|for)\b.*)?|(?:.* )?(?:new )?logo|(?:fix|correct)(?:ing|ed|s)? (?:grammar|mis-?spell\w*|spelling|wording|punctuation)\b.*)$`)},
	{"a change of tests only", matches(`^(?:add|improve|extend|rename|split|move|parametri[sz]e|fix|skip|update|clean up|redesign(?:ed)?|adjust|correct|enable|re-?enable|refactor|rough out|more|better|new)(?: (?:a|an|the|some|two|three|more|missing|new|unit|regression|integration|flaky|broken|failing|additional|extra|\w+ing|\w+))? (?:tests?|test (?:cases?|suite|coverage|docs?|race|data))(?: (?:cases?|docs?|race|changes|for|of|to|on|in|with|that|and|by)\b.*)?$`)},
	{vague, matches(`^(?:wip|tmp|temp|test|tests|fix(?:es|ed)?|update[sd]?|cleanups?|clean(?:ing)? up|tidy(?: up)?|misc\w*|minor(?: (?:fix(?:es)?|changes?|tweaks?|cleanups?|updates?))?|changes?|tweaks?|refactor(?:ing)?|polish|improvements?|more|stuff|progress|checkpoint|save|initial(?: commit)?|first commit|init|review(?: comments?| feedback| changes)?|address(?:ed)?\b.*\b(?:comments?|feedback|review)\b.*|(?:apply(?:ing)?|adjust(?:ments?|ed)?|changes)\b.*\b(?:suggestions?|review)\b.*|update \S+\.\w{1,5}|(?:fix|resolve)(?: the| merge)* conflicts?\b.*|update(?: all| the| project)* files|pr feedback|feedback|nits?|oops|done|fix(?:es|ed)? (?:tests?|build|ci|bugs?|issues?|it|things?|stuff|errors?|merge|conflicts?|docs?(?: and changelog)?|changelog|imports?)(?: again)?|update[sd]? (?:tests?|docs?|readme(?:\.md)?|documentation|comments?|code|files?|authors|contributors|license|todo|gitignore|\.gitignore|ci)|(?:add|more|improve|extend) (?:some |more |unit |missing )*(?:tests?|comments?|docs?|documentation)|remove (?:unused|dead)(?: (?:code|imports?|variables?|files?|stuff))?|clean up|cleanup|rename[sd]?|comments?|documentation|docs|ci|build|squash.*|fixup!.*|\.+)$`)},
}

// matches is a subject that fits a pattern, without letter case.
func matches(expr string) func(string) bool {
	re := pattern.Of("(?i)" + expr)
	return func(s string) bool { return re().MatchString(s) }
}

// emptyWords says why a subject says nothing, "" if it says something.
func emptyWords(title string) string {
	bare := strings.Trim(title, " .!…")
	if len(words(bare)) == 0 {
		return "its message has no words"
	}
	for _, n := range nothing {
		if n.is(bare) {
			return n.why
		}
	}
	return ""
}

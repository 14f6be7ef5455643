package curate

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
)

// chores are subjects of commits that keep a project in order and teach nothing of it. They
// are not [nothing]: a person may well file one, by naming the topic.
var chores = []struct {
	what string
	is   func(title string) bool
}{
	{"what nobody used is removed", matches(`^(?:remove|drop|delete|strip|clean|disallow)\w*\b.*\b(?:unused|unneeded|redundant|leftover|dead)\b.*\b(?:imports?|ignores?|variables?|parameters?|arguments?|methods?|functions?|attributes?|code|checks?|dependenc\w+|files?)\b.*`)},
	{"a version is set", matches(`^(?:(?:this is|now|back to|start\w*|begin) v?\d+\.\d+\S*|.*\bv?\d+(?:\.\d+)+[.-]?(?:dev|pre|alpha|beta|rc)\d*)$`)},
	{"a tool or a dependency is pinned or replaced by a newer one", matches(`^(?:un)?pin\w*\b.*[\w\]](?:[=<>~^]=?|@)[\d*].*$|^(?:upgrade|update|bump)\b.*\b(?:formatters?|linters?|type ?checkers?|hooks?)\b.*$|^(?:use \S+ to )?pin\w*\b.*\b(?:requirements|dependenc\w+|versions?)$`)},
	{"documents are put in another order", matches(`^(?:re-?work|re-?organi[sz]\w*|organi[sz]\w*|re-?structur\w*|re-?arrang\w*|re-?order|split)\b.*\b(?:docs?|documentation|documents)\b(?: structure| layout| pages?| along\b.*| into\b.*)?$|^(?:docs?|documentation) (?:re-?structur\w*|re-?organi[sz]\w*|re-?work\w*|clean-?up)$`)},
	{"references in documents are mended", matches(`^(?:fix|update|repair|correct|align|remove)\w*\b.*\b(?:(?:sections?|cross|broken|dead|internal|anchors?)[ -](?:references?|refs?|links?)|links?|header levels?|empty (?:h\d )?headers?)(?: \(.*\)|\s*->.*)?$|^(?:fix|update)\w*\b.*#\S* links? -> .*`)},
	{"a slip of the pen is mended", matches(`^(?:(?:\w+ ){0,3}typos?(?: fix\w*)?|(?:fix|correct)\w* (?:\w+ ){0,2}typos?\b[^.;,]*|.*\bsimple mistake)$`)},
	{"marks for a type checker or a linter", matches(`.*\btype:? ?ignore[sd]?\b.*|.*\b(?:complaints|warnings|errors|issues) (?:from|of|by) (?:golint|lint\w*|vet|ruff|mypy|pyright|eslint)\b.*|^(?:fix|correct)\w* (?:typing|type checking|lint\w*)(?: issues?| errors?| breakage)$`)},
	{"code is written in another way", matches(`^(?:(?:tiny|small|minor|some|internal|simple) (?:[\w-]+ )?(?:refactor|clean-?up)\w*|(?:replace|improve)\b.*\bcomprehensions?|tidy up .*\bnames?|move\w*\b.*\bfrom \S+\.\w+ to \S+\.\w+|reorder some\b.*)\b.*$`)},
	{"tests and what they cover", matches(`^(?:(?:increase|improve|add|more|full|100%)\b.*|exclude\b.*\bfrom )?\b(?:test )?coverage\b.*$|^exclude\b.*\bfrom coverage$|^more (?:\S+ )?tests$|^type check tests$`)},
	{"the log of changes", matches(`^(?:link to|add|update|fix|mend|shorten)\b.*\b(?:change ?log|change)(?: entr(?:y|ies))?$|.*\bchange(?: ?log)? entr(?:y|ies)\b.*`)},
	{"what the project says of itself to registries", matches(`^(?:update|add|fix|improve|complete)\w*(?: the)?(?: project| package)? metadata$|^(?:add|update)\w* manifest\.in$`)},
	{"an earlier change is put in order", matches(`^(?:reconcile|follow|amend|revert|redo|finish|continue|complete|backport|merge|adapt|address)\w* (?:[a-z]+ ){0,3}#\d+(?:(?:,| and| &)+ #\d+)*$|^(?:reduce|revert|undo|remove|drop)\w* (?:unnecessary|unrelated|accidental|needless) (?:changes?|edits?|diffs?)$|.*\bto reduce (?:the )?(?:noise|diff)$|^clean ?up changes\b.*`)},
}

// importLine is a line that brings names of other files in, or says that it does so on purpose.
var importLine = pattern.Of(`^(?:from\s+\S+\s+import\b.*|import\b.*|(?:const|let|var)\s.*=\s*require\(.*|#include\b.*|use\s+[\w:]+.*;|using\s+[\w.]+;|require(?:_relative)?\s+['"].*)$`)

// versionLine is a line that sets the version of a project.
var versionLine = pattern.Of(`(?i)^(?:__version__|['"]?version['"]?|(?:const|var|let)\s+version)\s*[:=]+\s*['"]?v?\d[^ ]*,?$`)

// What is moved has the same words before and after, but for so much of them; of fewer words
// nothing is told.
const (
	movedApart = 0.05
	movedWords = 150
)

// looksLikeUpkeep says what sort of upkeep a change seems to be, "" if none: by the subject
// where that is all the message says, or by all the lines that it changes.
func looksLikeUpkeep(c Changes) string {
	m := readMessage(c.Message)
	rules, _ := rulesIn(m.said)
	if givesReason(c.Message) || len(rules) > 0 {
		return ""
	}
	for _, k := range chores {
		if len(m.clauses) == 0 && k.is(strings.Trim(m.title, " .!…")) {
			return k.what
		}
	}
	bare := len(m.bullets)+len(m.said) == 0
	switch {
	case bare && (m.kind == "refactor" || choreKinds[m.kind]):
		return "its message calls it " + m.kind
	case onlyLines(c.Files, importLine().MatchString):
		return "imports alone change"
	case onlyLines(c.Files, versionLine().MatchString):
		return "a version is set"
	case bare && isMove(c.Files):
		return "what stood in one place stands in another"
	}
	return ""
}

// onlyLines reports whether all lines that a change adds to and removes from code and documents are of one sort.
func onlyLines(files []FileChange, is func(line string) bool) (any bool) {
	for _, f := range files {
		if sortOf(f.Path) > sortSettings {
			continue
		}
		if f.Left != "" {
			return false // nobody knows
		}
		for _, side := range [][]Hunk{f.Added, f.Removed} {
			for _, h := range side {
				for line := range strings.SplitSeq(h.Text, "\n") {
					if bare := strings.TrimSpace(line); bare != "" {
						if !is(bare) {
							return false
						}
						any = true
					}
				}
			}
		}
	}
	return any
}

// isMove reports whether what a change adds to some files is what it removes from others.
func isMove(files []FileChange) bool {
	count, all := map[string]int{}, 0
	for _, f := range files {
		if sortOf(f.Path) > sortDocument {
			continue
		}
		if f.Left != "" || f.Status == 'A' && isCode(f.Path) {
			return false // nobody knows; a new part of the program is no move
		}
		for k, side := range [][]Hunk{f.Added, f.Removed} {
			for _, h := range side {
				for _, w := range words(h.Text) {
					count[w] += 1 - 2*k
					all++
				}
			}
		}
	}
	apart := 0
	for _, n := range count {
		apart += max(n, -n)
	}
	return all >= movedWords && float64(apart) <= movedApart*float64(all)
}

package retrieval

// Who asks a tree of Python code how to sort a list in Python writes "python" for the
// sake of a web search. In the tree nearly no entry says so — all of it is Python —
// and the few that do would win on their rarest word. So the name of a programming
// language counts less, unless entries are about it: rust in a tree with a folder
// rust, or with entries that have it in their titles.
var languages = map[string]bool{
	"bash": true, "clojure": true, "cpp": true, "csharp": true, "elixir": true, "erlang": true,
	"fortran": true, "golang": true, "haskell": true, "java": true, "javascript": true, "js": true,
	"kotlin": true, "lua": true, "matlab": true, "perl": true, "php": true, "powershell": true,
	"py": true, "python": true, "python2": true, "python3": true, "ruby": true, "rust": true,
	"scala": true, "swift": true, "typescript": true,
}

// isSubject reports whether entries are about the word rather than merely in it.
func (c *clause) isSubject() bool {
	about := 0
	for _, m := range c.matches {
		if m.fields.has(fieldTitle) || m.fields.has(fieldPath) {
			about++
		}
	}
	return float64(about) >= subjectShare*float64(len(c.matches))
}

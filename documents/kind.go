package documents

import (
	"path"
	"slices"
	"strings"
)

// Kind says what a document is for.
type Kind string

// The kinds of documents.
const (
	Page         Kind = "page"
	Readme       Kind = "readme"
	Changelog    Kind = "changelog"
	Contributing Kind = "contributing"
	Security     Kind = "security"
	Decision     Kind = "decision" // an architecture decision record, or a proposal of one
	RuleFile     Kind = "rule"     // written for agents
	Memory       Kind = "memory"   // written by agents
)

// patterns are globs of the files that may be documents; [kindOf] decides.
var patterns = []string{
	"**/*.{md,markdown,mdx,mdc,rst,adoc,asciidoc,txt}",
	"**/{README,CHANGELOG,CHANGES,CONTRIBUTING,SECURITY}", "**/{.windsurfrules,.cursorrules,.clinerules}",
}

// The extensions of marked-up text. Plain text is a document only where its name or folder says so: most
// of it is data.
var markup = setOf(".md .markdown .mdx .mdc .rst .adoc .asciidoc")

// pages are folders that hold documents.
var pages = setOf("doc docs documentation")

// named are the documents that every project may have at its top or in any folder, by their name without extension.
var named = map[string]Kind{
	"readme": Readme, "changelog": Changelog, "changes": Changelog, "history": Changelog, "news": Changelog,
	"releasenotes": Changelog, "contributing": Contributing, "security": Security, "pullrequesttemplate": Page,
}

// decisions are folders of decision records, by the names that adr-tools, MADR and log4brains give, and of proposals.
var decisions = setOf("adr adrs decisions decision-records rfc rfcs")

// changes are folders of what was changed, one note each, as towncrier and its like have them.
var changes = setOf("changelog changelogs changelog.d newsfragments release-notes releasenotes")

// agents are files that agents read wherever they stand.
var agents = setOf("agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md crush.md warp.md " +
	".windsurfrules .cursorrules .clinerules")

// copilot is a file that agents read in a folder .github.
const copilot = "copilot-instructions.md"

// skill is a file that agents read when what its frontmatter describes is to be done, as .claude/skills/release/SKILL.md.
const skill = "skill.md"

// hiddenFolders are the folders with a dot whose documents are read.
var hiddenFolders = map[string]Kind{
	".agents/rules": RuleFile, ".claude/commands": RuleFile, ".claude/rules": RuleFile, ".cursor/rules": RuleFile, ".continue/rules": RuleFile,
	".github/instructions": RuleFile, ".serena/memories": Memory,
}

// data are folders of examples for tests, which say nothing about the project.
var data = setOf("testdata fixtures __fixtures__ __snapshots__")

// kindOf tells what kind of document a path names; ok is false where it is none.
func kindOf(p string) (kind Kind, ok bool) {
	lower := strings.ToLower(p)
	base, ext := path.Base(lower), path.Ext(lower)
	stem := strings.NewReplacer("-", "", "_", "").Replace(strings.TrimSuffix(base, ext))
	folders := strings.Split(path.Dir(lower), "/")
	kind, hidden := Page, false
	for i, name := range folders {
		if data[name] {
			return "", false
		}
		switch {
		case decisions[name]:
			kind = Decision
		case changes[name]:
			kind = Changelog
		}
		if !strings.HasPrefix(name, ".") || name == "." {
			continue
		}
		if hidden = true; i+1 < len(folders) {
			if k, known := hiddenFolders[name+"/"+folders[i+1]]; known {
				if !markup[ext] {
					return "", false
				}
				return k, true
			}
		}
	}
	switch {
	case agents[base], base == copilot && strings.HasSuffix(path.Dir(lower), ".github"):
		return RuleFile, true
	case hidden && base == skill:
		return RuleFile, true
	case hidden:
		_, known := named[stem] // .github/CONTRIBUTING.md
		return named[stem], known && markup[ext]
	case markup[ext]:
	case ext == ".txt" && (named[stem] != "" || slices.ContainsFunc(folders, func(name string) bool { return pages[name] })):
	case ext == "" && named[stem] != "":
	default:
		return "", false
	}
	switch k := named[stem]; {
	case stem == "license" || stem == "licence" || stem == "copying":
		return "", false
	case k != "":
		kind = k
	case kind == Decision && (stem == "index" || stem == "template"):
		kind = Page
	}
	return kind, true
}

func setOf(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

package documents

import (
	"path"
	"slices"
	"strings"
)

// Kind is the purpose of a document.
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

// patterns are globs for files that may be documents; [kindOf] decides.
var patterns = []string{
	"**/*.{md,markdown,mdx,mdc,rst,adoc,asciidoc,txt}",
	"**/{README,CHANGELOG,CHANGES,CONTRIBUTING,SECURITY}", "**/{.windsurfrules,.cursorrules,.clinerules}",
}

// The extensions of markup languages. Plain text is a document only if its name or folder says so, since most of
// it is data.
var markup = setOf(".md .markdown .mdx .mdc .rst .adoc .asciidoc")

// pages are folders that hold documents.
var pages = setOf("doc docs documentation")

// named holds documents that any project may have in any folder, by their name without extension.
var named = map[string]Kind{
	"readme": Readme, "changelog": Changelog, "changes": Changelog, "history": Changelog, "news": Changelog,
	"releasenotes": Changelog, "contributing": Contributing, "security": Security, "pullrequesttemplate": Page,
}

// decisions holds folders of decision records, as named by adr-tools, MADR and log4brains, and folders of
// proposals.
var decisions = setOf("adr adrs decisions decision-records rfc rfcs")

// changes holds folders with one note for each change, as used by towncrier and similar tools.
var changes = setOf("changelog changelogs changelog.d newsfragments release-notes releasenotes")

// agents holds files that agents read in any folder.
var agents = setOf("agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md crush.md warp.md " +
	".windsurfrules .cursorrules .clinerules")

// copilot is a file that agents read in the folder .github.
const copilot = "copilot-instructions.md"

// skill is a file that agents read when they do a task that its frontmatter describes, such as
// .claude/skills/release/SKILL.md.
const skill = "skill.md"

// hiddenFolders are the folders with a dot whose documents are read.
var hiddenFolders = map[string]Kind{
	".agents/rules": RuleFile, ".claude/commands": RuleFile, ".claude/rules": RuleFile, ".cursor/rules": RuleFile, ".continue/rules": RuleFile,
	".github/instructions": RuleFile, ".serena/memories": Memory,
}

// data holds folders with test data, which say nothing about the project.
var data = setOf("testdata fixtures __fixtures__ __snapshots__")

// joints removes the signs between the words of a file name: release-notes and RELEASE_NOTES are one name.
var joints = strings.NewReplacer("-", "", "_", "")

// kindOf returns the kind of a document by its path. ok is false if the path is not that of a document.
func kindOf(p string) (kind Kind, ok bool) {
	lower := strings.ToLower(p)
	base, ext := path.Base(lower), path.Ext(lower)
	stem := joints.Replace(strings.TrimSuffix(base, ext))
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

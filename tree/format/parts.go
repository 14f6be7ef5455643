package format

import (
	"strings"
	"time"
)

// Content is the content of an entry, in the parts that the format names. As an
// operation's argument, an absent part says nothing about that part. Its JSON is
// that of the reference system's operations.
type Content struct {
	Tags     []string `json:"tags,omitempty" flag:"tag"`
	Keywords []string `json:"keywords,omitempty" flag:"keyword"`
	// that the entry answers, as people ask them
	Questions []string `json:"questions,omitempty" flag:"question" about:"That it answers, as a newcomer would ask"`
	// of frontmatter `related`, without @
	Relations []string `json:"relations,omitempty" flag:"related" about:"Paths of entries"`

	RawConcept *RawConcept `json:"rawConcept,omitempty"`
	Narrative  *Narrative  `json:"narrative,omitempty"`
	Facts      []Fact      `json:"facts,omitempty"`
	Snippets   []string    `json:"snippets,omitempty" flag:"snippet,text"`
}

// RawConcept is where knowledge comes from.
type RawConcept struct {
	Task      string    `json:"task,omitempty" flag:"task,text"`
	Changes   []string  `json:"changes,omitempty" flag:"change"`
	Files     []string  `json:"files,omitempty" flag:"file" about:"Code it is about"`
	Flow      string    `json:"flow,omitempty" flag:"flow,text"`
	Timestamp string    `json:"timestamp,omitempty" about:"-"`
	Author    string    `json:"author,omitempty" about:"-"`
	Patterns  []Pattern `json:"patterns,omitempty" about:"-"`
}

// Pattern is a regular expression that belongs to the knowledge.
type Pattern struct {
	Pattern     string `json:"pattern"`
	Flags       string `json:"flags,omitempty"`
	Description string `json:"description"`
}

// Narrative explains the knowledge.
type Narrative struct {
	Structure    string    `json:"structure,omitempty" flag:"structure,text"`
	Dependencies string    `json:"dependencies,omitempty" flag:"dependencies,text"`
	Highlights   string    `json:"highlights,omitempty" flag:"highlights,text"` // read from "Features" too
	Rules        string    `json:"rules,omitempty" flag:"rules,text"`
	Examples     string    `json:"examples,omitempty" flag:"examples,text"`
	Diagrams     []Diagram `json:"diagrams,omitempty" about:"-"`
}

// Diagram is a drawing in text form.
type Diagram struct {
	Type    string `json:"type"` // mermaid, plantuml, ascii or other
	Title   string `json:"title,omitempty"`
	Content string `json:"content"`
}

// Header holds the frontmatter's fields beside the content, and the reason.
type Header struct {
	Title, Summary, Reason string
	CreatedAt, UpdatedAt   time.Time
	Provenance             *Provenance // written only where set
	Synthesis              *Synthesis  // of a new entry; the same
}

// Part names a part of an entry in operations and reports.
type Part string

// The parts, in the order in which they are written.
const (
	PartTitle        Part = "title"
	PartSummary      Part = "summary"
	PartTags         Part = "tags"
	PartRelations    Part = "relations"
	PartKeywords     Part = "keywords"
	PartQuestions    Part = "questions"
	PartTask         Part = "task"
	PartChanges      Part = "changes"
	PartFiles        Part = "files"
	PartFlow         Part = "flow"
	PartTimestamp    Part = "timestamp"
	PartAuthor       Part = "author"
	PartPatterns     Part = "patterns"
	PartStructure    Part = "structure"
	PartDependencies Part = "dependencies"
	PartHighlights   Part = "highlights"
	PartRules        Part = "rules"
	PartExamples     Part = "examples"
	PartDiagrams     Part = "diagrams"
	PartFacts        Part = "facts"
	PartSnippets     Part = "snippets"
	PartReason       Part = "reason" // why the entry was written: what replaces it is the operation's reason

	PartText Part = "text" // in losses only: text of a known section outside its parts
)

// NarrativeParts are the parts of the Narrative that are text, with the names
// of their headings; the first is the one that is written.
var NarrativeParts = []struct {
	Part  Part
	names []string
	Of    func(*Narrative) *string
}{
	{PartStructure, []string{"Structure"}, func(n *Narrative) *string { return &n.Structure }},
	{PartDependencies, []string{"Dependencies"}, func(n *Narrative) *string { return &n.Dependencies }},
	{PartHighlights, []string{"Highlights", "Features"}, func(n *Narrative) *string { return &n.Highlights }},
	{PartRules, []string{"Rules"}, func(n *Narrative) *string { return &n.Rules }},
	{PartExamples, []string{"Examples"}, func(n *Narrative) *string { return &n.Examples }},
}

// Parts lists the parts of which a content says something, in the order in which they are written.
func (c Content) Parts() (out []Part) {
	r, n := c.RawConcept, c.Narrative
	if r == nil {
		r = &RawConcept{}
	}
	if n == nil {
		n = &Narrative{}
	}
	add := func(p Part, has bool) {
		if has {
			out = append(out, p)
		}
	}
	add(PartTags, len(c.Tags) > 0)
	add(PartRelations, len(c.Relations) > 0)
	add(PartKeywords, len(c.Keywords) > 0)
	add(PartQuestions, len(c.Questions) > 0)
	add(PartTask, r.Task != "")
	add(PartChanges, len(r.Changes) > 0)
	add(PartFiles, len(r.Files) > 0)
	add(PartFlow, r.Flow != "")
	add(PartPatterns, len(r.Patterns) > 0)
	for _, p := range NarrativeParts {
		add(p.Part, strings.TrimSpace(*p.Of(n)) != "")
	}
	add(PartDiagrams, len(n.Diagrams) > 0)
	add(PartFacts, len(c.Facts) > 0)
	add(PartSnippets, len(c.Snippets) > 0)
	return out
}

// Texts returns the parts that hold text, without blank ones.
func (n *Narrative) Texts() (out []string) {
	for _, p := range NarrativeParts {
		if n != nil && strings.TrimSpace(*p.Of(n)) != "" {
			out = append(out, *p.Of(n))
		}
	}
	return out
}

// Synthesis marks an entry that a dream made of the patterns that several domains have in
// common (specification "Dreaming", Synthesize): four keys in front of the others, since files
// that were made before have them there. Beside them its values are written in double quotes
// and its times to the second, as the specification's example is. `related` stays free for
// what people add: where a synthesis comes from, its sources say.
type Synthesis struct {
	Confidence float64  `json:"confidence"` // 0–1
	Sources    []string `json:"sources"`    // entries, or the summaries of folders: domain/_index.md
}

// Provenance tells who wrote an entry, in the frontmatter key `provenance`: a
// list of phrases, each about one thing,
//
//	provenance: [by model, model gpt-5, via brv-lsp, commit 1a2b3c4d5e6f, first by human, approved by ada]
//
// so that people can read it, and names may hold anything. It is written where an operation
// of an agent or a model made or changed the entry, and kept up to date from then on; no
// operation can name it. A person's entry has none. What a file says is that file's word:
// whoever can write the file can write this.
type Provenance struct {
	Origin            // of the last change that was no person's
	First  OriginKind // whose entry it was before that, if another kind's
	// Who approved that change, and who changed the entry since.
	ApprovedBy, EditedBy string
}

// Types of diagrams, told by the language of their fence.
const (
	diagramMermaid  = "mermaid"
	diagramPlantUML = "plantuml"
	diagramASCII    = "ascii" // a fence without a language
	diagramOther    = "other" // any other language; written as "text"
)

// String writes the fact as an item of the Facts section, without the bullet.
func (f Fact) String() string {
	s := f.Statement
	if f.Value != "" {
		s = strings.TrimLeft(s+" = "+codeSpan(f.Value), " ")
	}
	if f.Subject != "" {
		s = strings.TrimRight("**"+f.Subject+"**: "+s, " ")
	}
	if f.Category != "" {
		s += " [" + f.Category + "]"
	}
	return s
}

// Loss is something that an entry said before a revision and that the revision
// does not say. Kept tells that it stays in the entry all the same.
type Loss struct {
	Part Part   `json:"part"`
	Item string `json:"item"`
	Kept bool   `json:"kept"`
	// Now is the same with other names, which the entry says instead: it is changed and not lost.
	Now string `json:"now,omitempty"`
}

package format

import (
	"slices"
	"strings"
	"time"
)

// Content is the content of an entry, in the parts of the format. An operation does not change parts that are missing
// in it. Its JSON keys are the same as in operations of the reference system.
type Content struct {
	Lists
	// the relations in `related`, without @
	Relations []string `json:"relations,omitempty" flag:"related" about:"Paths of entries"`

	RawConcept RawConcept `json:"rawConcept,omitzero"`
	Narrative  Narrative  `json:"narrative,omitzero"`
	Facts      []Fact     `json:"facts,omitempty"`
	Snippets   []string   `json:"snippets,omitempty" flag:"snippet,text"`
}

// Lists are the lists of words and sentences in an entry's frontmatter. A new one is a field here and a row of [Parts]:
// with these it is read, written, merged, cached, searched, completed, and proposed by models and on the command line.
type Lists struct {
	Tags     []string `json:"tags,omitempty" flag:"tag"`
	Keywords []string `json:"keywords,omitempty" flag:"keyword"`
	// questions that the entry answers, in the words of people who ask
	Questions []string `json:"questions,omitempty" flag:"question" about:"That it answers, as a newcomer would ask"`
}

// RawConcept says where the knowledge of an entry comes from.
type RawConcept struct {
	Task      string    `json:"task,omitempty" flag:"task,text"`
	Changes   []string  `json:"changes,omitempty" flag:"change"`
	Files     []string  `json:"files,omitempty" flag:"file" about:"Code it is about"`
	Flow      string    `json:"flow,omitempty" flag:"flow,text"`
	Timestamp string    `json:"timestamp,omitempty" about:"-"`
	Author    string    `json:"author,omitempty" about:"-"`
	Patterns  []Pattern `json:"patterns,omitempty" about:"-"`
}

// Pattern is a regular expression that the entry is about.
type Pattern struct {
	Pattern     string `json:"pattern"`
	Flags       string `json:"flags,omitempty"`
	Description string `json:"description"`
}

// Narrative explains the knowledge.
type Narrative struct {
	Structure    string    `json:"structure,omitempty" flag:"structure,text"`
	Dependencies string    `json:"dependencies,omitempty" flag:"dependencies,text"`
	Highlights   string    `json:"highlights,omitempty" flag:"highlights,text"` // also read from "Features"
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

// Header holds the frontmatter's fields besides the content, and the reason.
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
	PartReason       Part = "reason" // why the entry was written; it is replaced by the operation's reason

	PartText Part = "text" // in losses only: text of a known section outside its parts
)

// PartRow is a row of the table of parts: the place of a part in [Content] and in the file.
type PartRow struct {
	Part Part // its name in operations and in JSON

	Words func(*Lists) *[]string   // set for a list that is also a field of [Entry]
	List  func(*Content) *[]string // of any list of texts
	Text  func(*Content) *string   // of a text

	Doc       string // of a key of the frontmatter: what it means, in one sentence
	Sentences bool   // of Words: searched like headings and not like labels, and not offered for completion
	Ours      bool   // the reference system has no such key: it is left out if empty

	label    string   // in the Raw Concept
	line     bool     // the text is one line, behind its label
	Headings []string // in the Narrative; the first is written
}

// Parts is the table of parts, in the order in which they are written.
var Parts = withLists([]PartRow{
	{Part: PartTags, Words: func(l *Lists) *[]string { return &l.Tags }, Doc: "Words to group entries by."},
	{Part: PartRelations, List: func(c *Content) *[]string { return &c.Relations },
		Doc: "Paths of related entries, such as `domain/topic/file.md`."},
	{Part: PartKeywords, Words: func(l *Lists) *[]string { return &l.Keywords },
		Doc: "Words that people search for, if the text does not contain them."},
	{Part: PartQuestions, Words: func(l *Lists) *[]string { return &l.Questions }, Sentences: true, Ours: true,
		Doc: "Questions that the entry answers, in the words of people who ask. Search uses them."},
	{Part: PartTask, label: "Task", Text: func(c *Content) *string { return &c.RawConcept.Task }},
	{Part: PartChanges, label: "Changes", List: func(c *Content) *[]string { return &c.RawConcept.Changes }},
	{Part: PartFiles, label: "Files", List: func(c *Content) *[]string { return &c.RawConcept.Files }},
	{Part: PartFlow, label: "Flow", Text: func(c *Content) *string { return &c.RawConcept.Flow }},
	{Part: PartTimestamp, label: "Timestamp", line: true, Text: func(c *Content) *string { return &c.RawConcept.Timestamp }},
	{Part: PartAuthor, label: "Author", line: true, Text: func(c *Content) *string { return &c.RawConcept.Author }},
	{Part: PartPatterns, label: "Patterns"},
	{Part: PartStructure, Headings: []string{"Structure"}, Text: func(c *Content) *string { return &c.Narrative.Structure }},
	{Part: PartDependencies, Headings: []string{"Dependencies"}, Text: func(c *Content) *string { return &c.Narrative.Dependencies }},
	{Part: PartHighlights, Headings: []string{"Highlights", "Features"}, Text: func(c *Content) *string { return &c.Narrative.Highlights }},
	{Part: PartRules, Headings: []string{"Rules"}, Text: func(c *Content) *string { return &c.Narrative.Rules }},
	{Part: PartExamples, Headings: []string{"Examples"}, Text: func(c *Content) *string { return &c.Narrative.Examples }},
	{Part: PartDiagrams, Headings: []string{"Diagrams"}},
	{Part: PartFacts},
	{Part: PartSnippets, List: func(c *Content) *[]string { return &c.Snippets }},
})

// WordLists are the rows of [Lists], NarrativeParts those of the texts of the Narrative, and fieldRows those of the frontmatter.
var (
	fieldRows      = rowsOf(func(r PartRow) bool { return r.key() != "" })
	WordLists      = rowsOf(func(r PartRow) bool { return r.Words != nil })
	NarrativeParts = rowsOf(func(r PartRow) bool { return r.Headings != nil && r.Text != nil })
)

func rowsOf(is func(PartRow) bool) []PartRow {
	return slices.DeleteFunc(slices.Clone(Parts), func(r PartRow) bool { return !is(r) })
}

func withLists(rows []PartRow) []PartRow {
	for i, r := range rows {
		if r.Words != nil {
			rows[i].List = func(c *Content) *[]string { return r.Words(&c.Lists) }
		}
	}
	return rows
}

// row returns the part's row of [Parts], or an empty row.
func (p Part) row() PartRow {
	for _, r := range Parts {
		if r.Part == p {
			return r
		}
	}
	return PartRow{}
}

// key is the part's key in the frontmatter, "" if the part is not in the frontmatter.
func (r PartRow) key() string {
	switch {
	case r.Part == PartRelations:
		return "related"
	case r.Words != nil:
		return string(r.Part)
	}
	return ""
}

// Says reports whether a content has the part.
func (r PartRow) Says(c *Content) bool {
	switch {
	case r.Text != nil:
		return strings.TrimSpace(*r.Text(c)) != ""
	case r.List != nil:
		return len(*r.List(c)) > 0
	}
	return len(r.items(c)) > 0
}

// items returns the items of a part whose items are structures, in their written form.
func (r PartRow) items(c *Content) []string {
	switch r.Part {
	case PartPatterns:
		return texts(c.RawConcept.Patterns)
	case PartDiagrams:
		return texts(c.Narrative.Diagrams)
	}
	return texts(c.Facts)
}

// Parts lists the parts that a content has, in the order in which they are written.
func (c Content) Parts() (out []Part) {
	for _, r := range Parts {
		if r.Says(&c) {
			out = append(out, r.Part)
		}
	}
	return out
}

// Terms are the words of the lists, or their sentences, one a line.
func (l *Lists) Terms(sentences bool) string {
	var b strings.Builder
	for _, r := range WordLists {
		for _, s := range *r.Words(l) {
			if r.Sentences == sentences {
				b.WriteString(s)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// Texts returns the parts that hold text, without blank ones.
func (n Narrative) Texts() (out []string) {
	c := Content{Narrative: n}
	for _, r := range NarrativeParts {
		if r.Says(&c) {
			out = append(out, *r.Text(&c))
		}
	}
	return out
}

// Synthesis marks an entry that a dream made from what several domains have in common. Its four keys come before the
// others, as in ByteRover's files.
type Synthesis struct {
	Confidence float64  `json:"confidence"` // 0–1
	Sources    []string `json:"sources"`    // entries, or summaries of folders: domain/_index.md
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
	First  OriginKind // the author before that, if of another kind
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

// Loss is a statement of an entry that an operation does not repeat. Kept is true if the entry still has it.
type Loss struct {
	Part Part   `json:"part"`
	Item string `json:"item"`
	Kept bool   `json:"kept"`
}

package curate

import (
	"embed"

	"github.com/brv-lsp/brv-lsp/llm"
)

// The prompts are files, prompts/*.md. Rules stand in the system prompt; what comes
// from files stands in the user's message, quoted as [retrieval.Look] does, before what
// the user says.

//go:embed prompts/*.md
var promptFiles embed.FS

var execute = llm.Prompts(promptFiles)

// composeAnswer is the longest turn of a model, in tokens. The 66 entries of this project's own tree have 356
// on average and 446 at the ninth decile, so that a batch of thirteen large ones fits; the paper's 2,048 are
// for answers to questions.
const composeAnswer = 6144

// Temperatures. A question may be answered in many ways (paper: 0.5 at most); a summary and a batch of JSON
// must keep to the material.
const (
	composeTemperature = 0.3
	compactTemperature = 0.1
)

// promptData is the data of the prompts' templates.
type promptData struct {
	Nonce                                 string
	Tools                                 bool
	Turns, Answer                         int
	MaxOps, MaxGone, MaxTitle, MaxSummary int

	Listing, Related, Sources string // quoted; "" if there is none
	Domains, Folders          int
	Instruction               string

	Terse bool
	Words int
}

// request puts the prompts of a curation into a request: with tools, or for one answer in the form of a batch.
func (d promptData) request(tools []llm.Tool) (llm.Request, error) {
	system, err := execute("system.md", d)
	if err != nil {
		return llm.Request{}, err
	}
	material, err := execute("material.md", d)
	r := llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.RoleUser, Text: material}}, Tools: tools,
		MaxTokens: d.Answer, Temperature: composeTemperature, Patience: Patience,
	}
	if len(tools) == 0 {
		r.Schema = &llm.Schema{Name: "operations", JSON: schema}
	}
	return r, err
}

// compaction is the request for a summary of the sources.
func (d promptData) compaction() (llm.Request, error) {
	system, err := execute("compact.md", d)
	return llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.RoleUser, Text: d.Sources}}, Temperature: compactTemperature,
	}, err
}

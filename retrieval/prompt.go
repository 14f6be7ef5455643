package retrieval

import (
	"embed"

	"github.com/brv-lsp/brv-lsp/llm"
)

// The prompts of tiers 3 and 4 are files, prompts/*.md. Rules are in the system prompt; quoted text from the
// tree (quote.go) is in the user's message, before the question.

//go:embed prompts/*.md
var promptFiles embed.FS

var execute = llm.Prompts(promptFiles)

// notCovered is how a model begins an answer that says the tree does not cover the question.
const notCovered = "NOT COVERED:"

// promptData is the data of the prompts' templates.
type promptData struct {
	Nonce      string
	NotCovered string
	Tools      bool
	Short      bool // for a small context: only notes and the question, and the answer is a quotation
	Turns      int

	Listing, Structure, Found string // quoted; "" if there is none
	Domains, Folders          int
	Scope, Question           string
}

// request puts the prompts into a request.
func (d promptData) request(t reasonTier) (llm.Request, error) {
	rules := "system.md"
	if d.Short {
		rules = "quote.md"
	}
	system, err := execute(rules, d)
	if err != nil {
		return llm.Request{}, err
	}
	question, err := execute("question.md", d)
	return llm.Request{
		System:      system,
		Messages:    []llm.Message{{Role: llm.RoleUser, Text: question}},
		MaxTokens:   t.answer,
		Temperature: t.temperature,
	}, err
}

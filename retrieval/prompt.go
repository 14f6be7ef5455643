package retrieval

import (
	"embed"
	"strings"
	"sync"
	"text/template"

	"github.com/brv-lsp/brv-lsp/llm"
)

// The prompts of tiers 3 and 4 are files, prompts/*.md. Rules stand in the system
// prompt; what comes from the tree stands in the user's message, quoted (quote.go),
// before the question.

//go:embed prompts/*.md
var promptFiles embed.FS

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Option("missingkey=error").ParseFS(promptFiles, "prompts/*.md"))
})

// notCovered is how a model begins an answer that is none.
const notCovered = "NOT COVERED:"

// promptData is what the prompts are made of.
type promptData struct {
	Nonce      string
	NotCovered string
	Tools      bool
	Turns      int

	Listing, Structure, Found string // quoted; "" if there is none
	Domains, Folders          int
	Scope, Question           string
}

// request puts the prompts into a request.
func (d promptData) request(t reasonTier) (llm.Request, error) {
	var system, question strings.Builder
	if err := prompts().ExecuteTemplate(&system, "system.md", d); err != nil {
		return llm.Request{}, err
	}
	if err := prompts().ExecuteTemplate(&question, "question.md", d); err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		System:      system.String(),
		Messages:    []llm.Message{{Role: llm.RoleUser, Text: question.String()}},
		MaxTokens:   t.answer,
		Temperature: t.temperature,
	}, nil
}

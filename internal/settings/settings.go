// Package settings is what a user can set: one struct, from whose fields, tags and doc
// comments docs/settings.md, the configuration of the VS Code extension and the types for
// Neovim are generated (a test says when they are stale, and -update writes them).
//
// A value comes from one of three layers over [Default]: what the client says, below it the
// user's own file, [UserFile], which the command line and the tool server read too, and
// below that the project's, [ProjectFile]. Whoever wrote a repository wrote that file too,
// so that it can only tighten: it cannot set what names a program, a folder, an endpoint
// or a key, nor let more code be read or a larger pack be made. What it must not set is
// ignored, with a [Problem] that says so; see the tag `project` below.
//
// # Tags of a field
//
//	json      its key; the key of a setting is brv.<group>.<field>
//	enum      the values that a string, or each value of a map, may have
//	min, max  bounds of a number, both allowed
//	scope     of VS Code: resource (for each folder), or machine (user settings only)
//	project   what the project's file may say: "" any value, as a default for its users;
//	          adds: further items of a list; switchesOff: false; lowers: a smaller number;
//	          keeps: any but "off"; never: nothing
//	only      the editor that reads it, if the server does not
//
// A value for two users who need two values is the condition for a new field.
package settings

// Settings are all settings. The zero value is not the default; see [Default].
type Settings struct {
	Hover       Hover       `json:"hover"`
	CodeLens    CodeLens    `json:"codeLens"`
	InlayHints  InlayHints  `json:"inlayHints"`
	Diagnostics Diagnostics `json:"diagnostics"`
	Code        Code        `json:"code"`
	Documents   Documents   `json:"documents"`
	Pack        Pack        `json:"pack"`
	Model       Model       `json:"model"`
	Embedding   Embedding   `json:"embedding"`
	Dream       Dream       `json:"dream"`
	Server      Server      `json:"server"`
}

// Hover says where hovers answer.
type Hover struct {
	// Whether hovers answer in code: on symbols, selections and `@brv:` comments. Entries
	// have them in any case. Switch it off where another server's hovers are enough.
	Code bool `json:"code" scope:"resource"`
	// Language identifiers, such as `python`, whose files get no hover at all, unlike
	// `brv.hover.code`; `markdown` means entries too.
	Exclude []string `json:"exclude" scope:"resource" project:"adds"`
}

// CodeLens says which lenses are shown.
type CodeLens struct {
	// Whether a line over the title of an entry says how it is used and whether it still
	// fits the code.
	Entries bool `json:"entries" scope:"resource"`
	// Whether lines over a code file and over what entries name in it say which entries
	// those are, and whether they still fit. Where no entry names anything there is no line.
	Code bool `json:"code" scope:"resource"`
}

// InlayHints says which hints are shown.
type InlayHints struct {
	// Whether the title of the entry stands behind a relation.
	Titles bool `json:"titles" scope:"resource"`
	// Whether what a stored value has become by now (importance decays) stands behind it.
	Values bool `json:"values" scope:"resource"`
}

// Diagnostics says which problems are reported, and how.
type Diagnostics struct {
	// How problems are shown, by their code: `{"stale": "hint", "unknown-field": "off"}`.
	// Codes that are not named keep their own severity.
	Severity map[string]string `json:"severity" scope:"resource" enum:"error,warning,information,hint,off" project:"keeps"`
}

// Code says which files belong to the map.
type Code struct {
	// Whether code is read at all. Without it there are entries and their relations, but
	// nothing that leads from knowledge to code, no drift and no code in packs.
	Scan bool `json:"scan" scope:"resource" project:"switchesOff"`
	// Globs, with `**`, of the files that belong to the map, from the folder's root;
	// empty: all code. Files that git ignores never do.
	Include []string `json:"include" scope:"resource" project:"never"`
	// Globs, with `**`, of files and folders that do not belong to the map, besides those
	// that git ignores. See `brv.code.include`.
	Exclude []string `json:"exclude" scope:"resource" project:"adds"`
}

// Documents says which of the repository's own documents are knowledge.
type Documents struct {
	// Whether README, `docs/**`, decision records and rules for agents answer questions beside the
	// entries.
	Read bool `json:"read" scope:"resource" project:"switchesOff"`
	// Whether editors join documents and code: links from what a page names, hovers and references on
	// code that pages explain, and hints where a page names what is gone or renamed. Whether documents
	// answer questions is `brv.documents.read`.
	Editor bool `json:"editor" scope:"resource" project:"switchesOff"`
	// Globs, with `**`, of further files that are documents, from the folder's root. Files that git
	// ignores never are.
	Include []string `json:"include" scope:"resource" project:"never"`
	// Globs, with `**`, of files and folders that are no documents. See `brv.documents.include`.
	Exclude []string `json:"exclude" scope:"resource" project:"adds"`
}

// Pack says how packs are made where the request does not say.
type Pack struct {
	// The most tokens of a pack whose request names no budget.
	BudgetTokens int `json:"budgetTokens" scope:"resource" min:"256" max:"1000000" project:"lowers"`
	// The encoding in which tokens, as those of `brv.pack.budgetTokens`, are counted where the
	// request names none: that of the model that reads the pack.
	Tokenizer string `json:"tokenizer" scope:"resource" enum:"o200k_base,cl100k_base,bytes"`
}

// Model says which language model may be asked. Without one everything works, and nothing
// leaves the machine.
type Model struct {
	// Which model is asked: `off`; `openai`, any server that speaks OpenAI's chat
	// completions (OpenAI, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter); `anthropic`; or
	// `editor`, the editor's own model, which needs no key.
	Provider string `json:"provider" scope:"machine" enum:"off,openai,anthropic,editor" project:"never"`
	// Address of the server, up to and without `/chat/completions` or `/messages`; `https`,
	// or `http` on this machine. Empty: that of `brv.model.provider`.
	Endpoint string `json:"endpoint" scope:"machine" project:"never"`
	// The model's name, as `brv.model.provider` calls it. Empty with `editor`: the editor's choice.
	Name string `json:"name" scope:"machine" project:"never"`
	// Name of the environment variable that holds the key for `brv.model.endpoint`. Empty: `OPENAI_API_KEY` or
	// `ANTHROPIC_API_KEY`, which are sent to that provider's own address only. A key in the
	// editor's secret store comes first.
	KeyVariable string `json:"keyVariable" scope:"machine" project:"never"`
	// How long a model may say nothing, or next to nothing, before the passages that were
	// found are shown instead, in seconds. With `editor` at least 30: such a model answers as
	// a whole. A server on this machine has 60 where this is not set.
	PatienceSeconds int `json:"patienceSeconds" scope:"machine" min:"1" max:"300" project:"never"`
	// How many tokens the model takes, its answer included; what it is shown is chosen to fit.
	// 0: what its server says as it refuses more; before that 4,096 on this machine, 128,000
	// elsewhere. An editor's own model does not say: name what a small one has.
	ContextTokens int `json:"contextTokens" scope:"machine" min:"0" max:"2000000" project:"never"`
	// What is kept of each question that a model is asked, in the file `asked.jsonl` beside your own
	// settings: `hashes` of what was sent with its size, time and tokens, also the `texts`, or
	// nothing (`off`).
	Log string `json:"log" scope:"machine" enum:"off,hashes,texts" project:"never"`
}

// Embedding says which encoder tells what is alike in meaning. Without one everything works by words. With one the
// passages of entries and documents, once each, and questions are sent to its server: they leave this machine if its
// address is another one's. Credentials in them are taken out.
type Embedding struct {
	// Address of a server that speaks OpenAI's embeddings (llama.cpp's server, Ollama, vLLM, most hosts), up to and
	// without `/embeddings`; `https`, or `http` on this machine. Empty: there is no encoder.
	Endpoint string `json:"endpoint" scope:"machine" project:"never"`
	// The encoder's name, as the server of `brv.embedding.endpoint` calls it.
	Model string `json:"model" scope:"machine" project:"never"`
	// Name of the environment variable that holds the key for `brv.embedding.endpoint`; the rules are those of
	// `brv.model.keyVariable`.
	KeyVariable string `json:"keyVariable" scope:"machine" project:"never"`
	// What the encoder's maker wants before a question, such as `query: ` for E5 and `search_query: ` for nomic-embed-text.
	QueryPrefix string `json:"queryPrefix" scope:"machine" project:"never"`
	// What the encoder's maker wants before a passage, such as `passage: ` for E5.
	PassagePrefix string `json:"passagePrefix" scope:"machine" project:"never"`
}

// Dream says whether the tree is maintained by itself.
type Dream struct {
	// Whether the editor's server maintains the tree (a dream) by itself, once nothing
	// was done in the editor for five minutes: in a trusted folder, at most every 12 hours, and
	// only after three batches that you or an agent curated or approved. What takes something away waits
	// for your review, and all of it can be taken back (undo of the last dream).
	Auto bool `json:"auto" scope:"machine" project:"never"`
}

// Server says which program runs.
type Server struct {
	// Absolute path of the `brv-lsp` program. Empty: the one that came with the extension.
	// It is read from your user settings only, so that no project chooses which program
	// runs.
	Path string `json:"path" scope:"machine" project:"never" only:"VS Code"`
}

// Codes are the codes of problems that [Diagnostics] may grade, those of
// docs/diagnostics.md: those of workspace/diagnosis, in the order of its list. A test there says when they are not.
var Codes = []string{
	"broken-relation", "ambiguous-relation", "unknown-heading", "missing-reciprocal", "merge-conflict", "frontmatter-invalid",
	"unknown-field", "fact-category",
	"duplicate-section", "invisible-text", "unsafe-link", "generated-file-edited", "stale", "duplicate-title", "orphan",
	"secret-in-knowledge", "too-large",
	"case-twin", "too-deep", "name-invalid", "not-read", "late-save", "code-partial", "setting", "more-problems",
}

// DefaultPatience is the default of brv.model.patienceSeconds: the time of the
// specification's one-call tier.
const DefaultPatience = 5

// Default returns the settings of a user who set nothing.
func Default() Settings {
	return Settings{
		Hover:       Hover{Code: true, Exclude: []string{}},
		CodeLens:    CodeLens{Entries: true, Code: true},
		InlayHints:  InlayHints{Titles: true, Values: true},
		Diagnostics: Diagnostics{Severity: map[string]string{}},
		Code:        Code{Scan: true, Include: []string{}, Exclude: []string{}},
		Documents:   Documents{Read: true, Editor: true, Include: []string{}, Exclude: []string{}},
		Pack:        Pack{BudgetTokens: 8000, Tokenizer: "o200k_base"},
		Model:       Model{Provider: "off", PatienceSeconds: DefaultPatience, Log: "hashes"},
		Dream:       Dream{Auto: true},
	}
}

// Package settings defines the user's settings in one struct. docs/settings.md, the configuration of the VS
// Code extension and the types for Neovim are generated from its fields, tags and doc comments. A test fails
// when they are stale, and -update writes them.
//
// A value comes from one of three layers over [Default]. The first is the client. The second is the user's
// own file, [UserFile], which the command line and the tool server read too. The third is the project's file,
// [ProjectFile]. Its author is the author of the repository, so it can only tighten: it cannot name a
// program, a folder, an endpoint or a key, let more code be read or make a larger pack. A key that it must
// not set is ignored with a [Problem]; see the tag `project` below.
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
// A new field needs two users who need two different values.
package settings

// Settings are all settings. The zero value is not the default; see [Default].
type Settings struct {
	Hover        Hover        `json:"hover"`
	CodeLens     CodeLens     `json:"codeLens"`
	InlayHints   InlayHints   `json:"inlayHints"`
	Diagnostics  Diagnostics  `json:"diagnostics"`
	Code         Code         `json:"code"`
	Documents    Documents    `json:"documents"`
	Pack         Pack         `json:"pack"`
	Model        Model        `json:"model"`
	Embedding    Embedding    `json:"embedding"`
	Organisation Organisation `json:"organisation"`
	Trees        Trees        `json:"trees"`
	Dream        Dream        `json:"dream"`
	Server       Server       `json:"server"`
}

// Hover controls where hovers are shown.
type Hover struct {
	// Show hovers in code: on symbols, selections and `@brv:` comments. Entries always have hovers. Switch this off
	// if another server's hovers are enough.
	Code bool `json:"code" scope:"resource"`
	// Languages without any hover, as language identifiers such as `python`. `markdown` includes entries.
	Exclude []string `json:"exclude" scope:"resource" project:"adds"`
}

// CodeLens controls which lenses are shown.
type CodeLens struct {
	// Show a line above the title of an entry: how often it is used, and whether it still matches the code.
	Entries bool `json:"entries" scope:"resource"`
	// Show a line above code that entries refer to, with the entries and their state (fresh or stale).
	Code bool `json:"code" scope:"resource"`
}

// InlayHints controls which hints are shown.
type InlayHints struct {
	// Show the title of the entry behind a relation.
	Titles bool `json:"titles" scope:"resource"`
}

// Diagnostics sets the severity of problems.
type Diagnostics struct {
	// How problems are shown, by their code: `{"stale": "hint", "unknown-field": "off"}`. Other codes keep their own
	// severity.
	Severity map[string]string `json:"severity" scope:"resource" enum:"error,warning,information,hint,off" project:"keeps"`
}

// Code controls which code files brv-lsp reads.
type Code struct {
	// Read the code. Without this, brv-lsp has only entries and their relations: no links from knowledge to code, no
	// stale entries, and no code in packs.
	Scan bool `json:"scan" scope:"resource" project:"switchesOff"`
	// Globs, with `**`, of the code files to read, from the root of the folder. Empty: all code. Files that git
	// ignores are never read.
	Include []string `json:"include" scope:"resource" project:"never"`
	// Globs, with `**`, of code files and folders to leave out, besides those that git ignores. See
	// `brv.code.include`.
	Exclude []string `json:"exclude" scope:"resource" project:"adds"`
	// Absolute paths of other repositories on this machine, or paths that begin with `~/`. `brv-lsp deps`, hovers and
	// `check --base` show what those repositories use of this one, and what this one uses of those. You do not have
	// to name folders that are open together in the editor.
	Neighbours []string `json:"neighbours" scope:"machine" project:"never"`
}

// Documents controls which documents of the repository brv-lsp searches and checks.
type Documents struct {
	// Search README, `docs/**`, decision records and rules for agents, besides the entries.
	Read bool `json:"read" scope:"resource" project:"switchesOff"`
	// Connect documents and code in the editor: links from the names in a page, hovers and references on code that pages
	// explain, and hints for names that are gone or renamed. To search documents, see `brv.documents.read`.
	Editor bool `json:"editor" scope:"resource" project:"switchesOff"`
	// Globs, with `**`, of further files that count as documents, from the root of the folder. Files that git
	// ignores are never read.
	Include []string `json:"include" scope:"resource" project:"never"`
	// Globs, with `**`, of files and folders that do not count as documents. See `brv.documents.include`.
	Exclude []string `json:"exclude" scope:"resource" project:"adds"`
}

// Pack has the defaults for packs that your editor makes.
type Pack struct {
	// The most tokens in a pack that your editor makes, if the request has no budget.
	BudgetTokens int `json:"budgetTokens" scope:"resource" min:"256" max:"1000000" project:"lowers"`
	// The encoding that counts the tokens of `brv.pack.budgetTokens`, if the request names none. Choose the encoding of
	// the model that reads the pack.
	Tokenizer string `json:"tokenizer" scope:"resource" enum:"o200k_base,cl100k_base,bytes"`
}

// Model names the language model that brv-lsp may ask. By default, there is none: everything else works, and nothing leaves
// the machine.
type Model struct {
	// The language model: `off`; `openai`, any server with OpenAI's chat completions (OpenAI, Ollama, vLLM, LM
	// Studio, llama.cpp, OpenRouter); `anthropic`; or `editor`, the editor's own model, which needs no key.
	Provider string `json:"provider" scope:"machine" enum:"off,openai,anthropic,editor" project:"never"`
	// Address of the server, without `/chat/completions` or `/messages`; `https`, or `http` on this machine. Empty:
	// the address of `brv.model.provider`.
	Endpoint string `json:"endpoint" scope:"machine" project:"never"`
	// The model's name, as `brv.model.provider` calls it. Empty with `editor`: the model that the editor chooses.
	Name string `json:"name" scope:"machine" project:"never"`
	// Name of the environment variable that has the key for `brv.model.endpoint`. Empty: `OPENAI_API_KEY` or
	// `ANTHROPIC_API_KEY`, which are sent to that provider's own address only. A key in the editor's secret store
	// comes first.
	KeyVariable string `json:"keyVariable" scope:"machine" project:"never"`
	// How long a model may be silent or almost silent, in seconds. After that, the passages that were found are shown
	// instead. With `editor`, the time is at least 30, because such a model does not stream its answer. If this is
	// not set, a server on this machine has 60.
	PatienceSeconds int `json:"patienceSeconds" scope:"machine" min:"1" max:"300" project:"never"`
	// How many tokens the model takes, its answer included. The passages that it gets are chosen to fit. 0: 4,096 for a
	// server on this machine and 128,000 for others, until the server refuses a question and names its size. An editor's
	// own model does not name its size. Set a value if this model is small.
	ContextTokens int `json:"contextTokens" scope:"machine" min:"0" max:"2000000" project:"never"`
	// What to record of each question to a model, in the file `asked.jsonl` next to your own settings. `hashes`: a hash
	// of the question, with its size, time and tokens. `texts`: also the texts. `off`: nothing.
	Log string `json:"log" scope:"machine" enum:"off,hashes,texts" project:"never"`
}

// Embedding names the encoder that finds passages by meaning. By default, there is none, and passages are found by words. An
// encoder's server gets each passage of entries and documents once, and every question. They leave this machine if the
// server runs on another one. Credentials are removed first.
type Embedding struct {
	// Address of a server with OpenAI's embeddings (llama.cpp's server, Ollama, vLLM, most providers), without
	// `/embeddings`; `https`, or `http` on this machine. Empty: no encoder.
	Endpoint string `json:"endpoint" scope:"machine" project:"never"`
	// The encoder's name, as the server of `brv.embedding.endpoint` calls it.
	Model string `json:"model" scope:"machine" project:"never"`
	// Name of the environment variable that has the key for `brv.embedding.endpoint`. The rules of
	// `brv.model.keyVariable` apply.
	KeyVariable string `json:"keyVariable" scope:"machine" project:"never"`
	// The text that the encoder needs before a question, such as `query: ` for E5 and `search_query: ` for
	// nomic-embed-text.
	QueryPrefix string `json:"queryPrefix" scope:"machine" project:"never"`
	// The text that the encoder needs before a passage, such as `passage: ` for E5.
	PassagePrefix string `json:"passagePrefix" scope:"machine" project:"never"`
}

// Organisation names the gateway that knows the entries of your organisation's other repositories. By default, there is
// none. If you name one, it gets each question that you or an agent ask, without credentials. Hovers, completion and
// hooks send nothing to it.
type Organisation struct {
	// Address of the gateway (`brv-lsp serve-organisation`); `https`, or `http` on this machine. Empty: no gateway.
	Endpoint string `json:"endpoint" scope:"machine" project:"never"`
	// Name of the environment variable that has your token for `brv.organisation.endpoint`. A token in the editor's
	// secret store comes first.
	TokenVariable string `json:"tokenVariable" scope:"machine" project:"never"`
	// Absolute path of a file that has your token. Only you may read the file (mode 0600). It is used if
	// `brv.organisation.tokenVariable` gives no token.
	TokenFile string `json:"tokenFile" scope:"machine" project:"never"`
}

// Trees lists other trees that a project suggests.
type Trees struct {
	// Trees that the project suggests to its users, besides the folder's own. Each is the `NAME ADDRESS` of a repository.
	// brv-lsp reads a tree only after a person adds it; `brv-lsp tree list` shows the command.
	Suggested []string `json:"suggested" scope:"resource" project:"adds"`
}

// Dream controls whether your editor starts dreams.
type Dream struct {
	// Let the editor's server maintain the tree (a dream) when you have done nothing in the editor for five minutes.
	// A dream starts only in a trusted folder, at most every 12 hours, and only after people or agents have changed
	// the tree three times. Changes that remove text wait for your review. You can undo the whole dream.
	Auto bool `json:"auto" scope:"machine" project:"never"`
}

// Server names the program that the editor starts.
type Server struct {
	// Absolute path of the `brv-lsp` program. Empty: the program that came with the extension. It is read from your
	// user settings only, so that no project chooses which program runs.
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
		InlayHints:  InlayHints{Titles: true},
		Diagnostics: Diagnostics{Severity: map[string]string{}},
		Code:        Code{Scan: true, Include: []string{}, Exclude: []string{}, Neighbours: []string{}},
		Documents:   Documents{Read: true, Editor: true, Include: []string{}, Exclude: []string{}},
		Trees:       Trees{Suggested: []string{}},
		Pack:        Pack{BudgetTokens: 8000, Tokenizer: "o200k_base"},
		Model:       Model{Provider: "off", PatienceSeconds: DefaultPatience, Log: "hashes"},
		Dream:       Dream{Auto: true},
	}
}

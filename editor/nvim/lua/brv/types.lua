---@meta
-- Generated from internal/settings/settings.go: the types of
--   require('brv').config.settings = { brv = { … } } ---@type brv.Settings

--- Hover controls where hovers are shown.
---@class brv.Hover
---@field code? boolean Show hovers in code: on symbols, selections and `@brv:` comments. Entries always have hovers. Switch this off if another server's hovers are enough. (default: `true`)
---@field exclude? string[] Languages without any hover, as language identifiers such as `python`. `markdown` includes entries. (default: `[]`)

--- CodeLens controls which lenses are shown.
---@class brv.CodeLens
---@field entries? boolean Show a line above the title of an entry: how often it is used, and whether it still matches the code. (default: `true`)
---@field code? boolean Show a line above code that entries refer to, with the entries and their state (fresh or stale). (default: `true`)

--- InlayHints controls which hints are shown.
---@class brv.InlayHints
---@field titles? boolean Show the title of the entry behind a relation. (default: `true`)

--- Diagnostics sets the severity of problems.
---@class brv.Diagnostics
---@field severity? table<string, "error"|"warning"|"information"|"hint"|"off"> How problems are shown, by their code: `{"stale": "hint", "unknown-field": "off"}`. Other codes keep their own severity. (default: `{}`)

--- Code controls which code files brv-lsp reads.
---@class brv.Code
---@field scan? boolean Read the code. Without this, brv-lsp has only entries and their relations: no links from knowledge to code, no stale entries, and no code in packs. (default: `true`)
---@field include? string[] Globs, with `**`, of the code files to read, from the root of the folder. Empty: all code. Files that git ignores are never read. (default: `[]`)
---@field exclude? string[] Globs, with `**`, of code files and folders to leave out, besides those that git ignores. See `brv.code.include`. (default: `[]`)
---@field neighbours? string[] Absolute paths of other repositories on this machine, or paths that begin with `~/`. `brv-lsp deps`, hovers and `check --base` show what those repositories use of this one, and what this one uses of those. You do not have to name folders that are open together in the editor. (default: `[]`)

--- Documents controls which documents of the repository brv-lsp searches and checks.
---@class brv.Documents
---@field read? boolean Search README, `docs/**`, decision records and rules for agents, besides the entries. (default: `true`)
---@field editor? boolean Connect documents and code in the editor: links from the names in a page, hovers and references on code that pages explain, and hints for names that are gone or renamed. To search documents, see `brv.documents.read`. (default: `true`)
---@field include? string[] Globs, with `**`, of further files that count as documents, from the root of the folder. Files that git ignores are never read. (default: `[]`)
---@field exclude? string[] Globs, with `**`, of files and folders that do not count as documents. See `brv.documents.include`. (default: `[]`)

--- Pack has the defaults for packs that your editor makes.
---@class brv.Pack
---@field budgetTokens? integer The most tokens in a pack that your editor makes, if the request has no budget. (default: `8000`)
---@field tokenizer? "o200k_base"|"cl100k_base"|"bytes" The encoding that counts the tokens of `brv.pack.budgetTokens`, if the request names none. Choose the encoding of the model that reads the pack. (default: `"o200k_base"`)

--- Model names the language model that brv-lsp may ask. By default, there is none: everything else works, and nothing leaves the machine.
---@class brv.Model
---@field provider? "off"|"openai"|"anthropic"|"editor" The language model: `off`; `openai`, any server with OpenAI's chat completions (OpenAI, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter); `anthropic`; or `editor`, the editor's own model, which needs no key. (default: `"off"`)
---@field endpoint? string Address of the server, without `/chat/completions` or `/messages`; `https`, or `http` on this machine. Empty: the address of `brv.model.provider`. (default: `""`)
---@field name? string The model's name, as `brv.model.provider` calls it. Empty with `editor`: the model that the editor chooses. (default: `""`)
---@field keyVariable? string Name of the environment variable that has the key for `brv.model.endpoint`. Empty: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, which are sent to that provider's own address only. A key in the editor's secret store comes first. (default: `""`)
---@field patienceSeconds? integer How long a model may be silent or almost silent, in seconds. After that, the passages that were found are shown instead. With `editor`, the time is at least 30, because such a model does not stream its answer. If this is not set, a server on this machine has 60. (default: `5`)
---@field contextTokens? integer How many tokens the model takes, its answer included. The passages that it gets are chosen to fit. 0: 4,096 for a server on this machine and 128,000 for others, until the server refuses a question and names its size. An editor's own model does not name its size. Set a value if this model is small. (default: `0`)
---@field log? "off"|"hashes"|"texts" What to record of each question to a model, in the file `asked.jsonl` next to your own settings. `hashes`: a hash of the question, with its size, time and tokens. `texts`: also the texts. `off`: nothing. (default: `"hashes"`)

--- Embedding names the encoder that finds passages by meaning. By default, there is none, and passages are found by words. An encoder's server gets each passage of entries and documents once, and every question. They leave this machine if the server runs on another one. Credentials are removed first.
---@class brv.Embedding
---@field endpoint? string Address of a server with OpenAI's embeddings (llama.cpp's server, Ollama, vLLM, most providers), without `/embeddings`; `https`, or `http` on this machine. Empty: no encoder. (default: `""`)
---@field model? string The encoder's name, as the server of `brv.embedding.endpoint` calls it. (default: `""`)
---@field keyVariable? string Name of the environment variable that has the key for `brv.embedding.endpoint`. The rules of `brv.model.keyVariable` apply. (default: `""`)
---@field queryPrefix? string The text that the encoder needs before a question, such as `query: ` for E5 and `search_query: ` for nomic-embed-text. (default: `""`)
---@field passagePrefix? string The text that the encoder needs before a passage, such as `passage: ` for E5. (default: `""`)

--- Organisation names the gateway that knows the entries of your organisation's other repositories. By default, there is none. If you name one, it gets each question that you or an agent ask, without credentials. Hovers, completion and hooks send nothing to it.
---@class brv.Organisation
---@field endpoint? string Address of the gateway (`brv-lsp serve-organisation`); `https`, or `http` on this machine. Empty: no gateway. (default: `""`)
---@field tokenVariable? string Name of the environment variable that has your token for `brv.organisation.endpoint`. A token in the editor's secret store comes first. (default: `""`)
---@field tokenFile? string Absolute path of a file that has your token. Only you may read the file (mode 0600). It is used if `brv.organisation.tokenVariable` gives no token. (default: `""`)

--- Trees lists other trees that a project suggests.
---@class brv.Trees
---@field suggested? string[] Trees that the project suggests to its users, besides the folder's own. Each is the `NAME ADDRESS` of a repository. brv-lsp reads a tree only after a person adds it; `brv-lsp tree list` shows the command. (default: `[]`)

--- Dream controls whether your editor starts dreams.
---@class brv.Dream
---@field auto? boolean Let the editor's server maintain the tree (a dream) when you have done nothing in the editor for five minutes. A dream starts only in a trusted folder, at most every 12 hours, and only after people or agents have changed the tree three times. Changes that remove text wait for your review. You can undo the whole dream. (default: `true`)

---@class brv.Settings
---@field hover? brv.Hover
---@field codeLens? brv.CodeLens
---@field inlayHints? brv.InlayHints
---@field diagnostics? brv.Diagnostics
---@field code? brv.Code
---@field documents? brv.Documents
---@field pack? brv.Pack
---@field model? brv.Model
---@field embedding? brv.Embedding
---@field organisation? brv.Organisation
---@field trees? brv.Trees
---@field dream? brv.Dream

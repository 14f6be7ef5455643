---@meta
-- Generated from internal/settings/settings.go: the types of
--   require('brv').config.settings = { brv = { … } } ---@type brv.Settings

--- where hovers answer.
---@class brv.Hover
---@field code? boolean Whether hovers answer in code: on symbols, selections and `@brv:` comments. Entries have them in any case. Switch it off where another server's hovers are enough. (default: `true`)
---@field exclude? string[] Language identifiers, such as `python`, whose files get no hover at all, unlike `brv.hover.code`; `markdown` means entries too. (default: `[]`)

--- which lenses are shown.
---@class brv.CodeLens
---@field entries? boolean Whether a line over the title of an entry says how it is used and whether it still fits the code. (default: `true`)
---@field code? boolean Whether lines over a code file and over what entries name in it say which entries those are, and whether they still fit. Where no entry names anything there is no line. (default: `true`)

--- which hints are shown.
---@class brv.InlayHints
---@field titles? boolean Whether the title of the entry stands behind a relation. (default: `true`)
---@field values? boolean Whether what a stored value has become by now (importance decays) stands behind it. (default: `true`)

--- which problems are reported, and how.
---@class brv.Diagnostics
---@field severity? table<string, "error"|"warning"|"information"|"hint"|"off"> How problems are shown, by their code: `{"stale": "hint", "unknown-field": "off"}`. Codes that are not named keep their own severity. (default: `{}`)

--- which files belong to the map.
---@class brv.Code
---@field scan? boolean Whether code is read at all. Without it there are entries and their relations, but nothing that leads from knowledge to code, no drift and no code in packs. (default: `true`)
---@field include? string[] Globs, with `**`, of the files that belong to the map, from the folder's root; empty: all code. Files that git ignores never do. (default: `[]`)
---@field exclude? string[] Globs, with `**`, of files and folders that do not belong to the map, besides those that git ignores. See `brv.code.include`. (default: `[]`)

--- which of the repository's own documents are knowledge.
---@class brv.Documents
---@field read? boolean Whether README, `docs/**`, decision records and rules for agents answer questions beside the entries. (default: `true`)
---@field editor? boolean Whether editors join documents and code: links from what a page names, hovers and references on code that pages explain, and hints where a page names what is gone or renamed. Whether documents answer questions is `brv.documents.read`. (default: `true`)
---@field include? string[] Globs, with `**`, of further files that are documents, from the folder's root. Files that git ignores never are. (default: `[]`)
---@field exclude? string[] Globs, with `**`, of files and folders that are no documents. See `brv.documents.include`. (default: `[]`)

--- how packs are made where the request does not say.
---@class brv.Pack
---@field budgetTokens? integer The most tokens of a pack whose request names no budget. (default: `8000`)
---@field tokenizer? "o200k_base"|"cl100k_base"|"bytes" The encoding in which tokens, as those of `brv.pack.budgetTokens`, are counted where the request names none: that of the model that reads the pack. (default: `"o200k_base"`)

--- which language model may be asked. Without one everything works, and nothing leaves the machine.
---@class brv.Model
---@field provider? "off"|"openai"|"anthropic"|"editor" Which model is asked: `off`; `openai`, any server that speaks OpenAI's chat completions (OpenAI, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter); `anthropic`; or `editor`, the editor's own model, which needs no key. (default: `"off"`)
---@field endpoint? string Address of the server, up to and without `/chat/completions` or `/messages`; `https`, or `http` on this machine. Empty: that of `brv.model.provider`. (default: `""`)
---@field name? string The model's name, as `brv.model.provider` calls it. Empty with `editor`: the editor's choice. (default: `""`)
---@field keyVariable? string Name of the environment variable that holds the key for `brv.model.endpoint`. Empty: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, which are sent to that provider's own address only. A key in the editor's secret store comes first. (default: `""`)
---@field patienceSeconds? integer How long a model may say nothing, or next to nothing, before the passages that were found are shown instead, in seconds. With `editor` at least 30: such a model answers as a whole. A server on this machine has 60 where this is not set. (default: `5`)
---@field contextTokens? integer How many tokens the model takes, its answer included; what it is shown is chosen to fit. 0: what its server says as it refuses more; before that 4,096 on this machine, 128,000 elsewhere. An editor's own model does not say: name what a small one has. (default: `0`)
---@field log? "off"|"hashes"|"texts" What is kept of each question that a model is asked, in the file `asked.jsonl` beside your own settings: `hashes` of what was sent with its size, time and tokens, also the `texts`, or nothing (`off`). (default: `"hashes"`)

--- which encoder tells what is alike in meaning. Without one everything works by words. With one the passages of entries and documents, once each, and questions are sent to its server: they leave this machine if its address is another one's. Credentials in them are taken out.
---@class brv.Embedding
---@field endpoint? string Address of a server that speaks OpenAI's embeddings (llama.cpp's server, Ollama, vLLM, most hosts), up to and without `/embeddings`; `https`, or `http` on this machine. Empty: there is no encoder. (default: `""`)
---@field model? string The encoder's name, as the server of `brv.embedding.endpoint` calls it. (default: `""`)
---@field keyVariable? string Name of the environment variable that holds the key for `brv.embedding.endpoint`; the rules are those of `brv.model.keyVariable`. (default: `""`)
---@field queryPrefix? string What the encoder's maker wants before a question, such as `query: ` for E5 and `search_query: ` for nomic-embed-text. (default: `""`)
---@field passagePrefix? string What the encoder's maker wants before a passage, such as `passage: ` for E5. (default: `""`)

--- whether the tree is maintained by itself.
---@class brv.Dream
---@field auto? boolean Whether the editor's server maintains the tree (a dream) by itself, once nothing was done in the editor for five minutes: in a trusted folder, at most every 12 hours, and only after three batches that you or an agent curated or approved. What takes something away waits for your review, and all of it can be taken back (undo of the last dream). (default: `true`)

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
---@field dream? brv.Dream

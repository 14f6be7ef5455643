package main

import (
	"context"
	"slices"
	"strings"
)

const usage = `brv-lsp connects what a team knows (.brv/context-tree) with its code.

Usage:
  brv-lsp [--stdio]                      serve the language server protocol on stdin and stdout
  brv-lsp mcp                            serve tools to an agent (MCP) on stdin and stdout
  brv-lsp mcp --http 127.0.0.1:PORT      serve them to any number of agents of this machine
  brv-lsp init                           make an empty context tree; asks at a terminal
  brv-lsp query [--scope PATH] QUESTION  answer from the context tree
  brv-lsp search [--scope PATH] WORDS    list the entries that hold the words, best first
  brv-lsp pack TASK [--budget N]         knowledge and code for a task, within N tokens
  brv-lsp expand FILE... [--budget N]    the files around code files, along what depends on what
  brv-lsp map [--task TEXT] [--file PATH]
                                         the code: what there is, or what a task needs of it
  brv-lsp deps FILE                      what a code file depends on, and what depends on it
  brv-lsp symbols NAME                   definitions by name, or a part of one
  brv-lsp graph                          what is joined to what: entries, documents and the code that
                                         they name; --svg draws it
  brv-lsp check                          list broken relations and invalid entries
  brv-lsp check --base REF               what the work since REF does to the entries: what it
                                         leaves behind, what it breaks, what to read first
  brv-lsp status                         how the tree is: counts, what is stale, what waits
  brv-lsp doctor                         what is installed, found, trusted, slow or broken, and the mend
  brv-lsp curate [FILE]                  change the tree: operations as JSON, from FILE or stdin
  brv-lsp curate --op TYPE --path P ...  one operation, from options
  brv-lsp import DIR                     entries from notes of other programs: Obsidian, zk, Serena,
                                         memory banks, decision records, ByteRover, Markdown;
                                         shows what it would do, and asks at a terminal
  brv-lsp import FILE#HEADING            an entry from a section of a document, as it stands
  brv-lsp propose [FILE...]              draft changes of the tree from files, a folder, a part
                                         of a file or a difference of git, and hold them
  brv-lsp review [show ID[:PATH]]        what waits for a review
  brv-lsp review list [ID[:WHAT]...]     each in a line, with its number; WHAT is a path, a number,
                                         3-9, FOLDER/ or a pattern such as 'platform/*'
  brv-lsp review approve|reject ID[:WHAT]... | PATTERN...
                                         the decision, of one batch or of several
  brv-lsp review edit ID:WHAT            change what the entry would say in $EDITOR, and approve that
  brv-lsp undo [ID[:PATH]]               take a change or a decision back; without ID the last
  brv-lsp saved [--take NAME|--drop NAME]
                                         what another program saved into an entry as that was
                                         replaced: list it, put it there, or remove it
  brv-lsp log                            the changes of the tree, with their reasons
  brv-lsp archive [PATH...]              archive entries; without PATH list those that may be
  brv-lsp dream                          maintain the tree: merge, link, archive; what takes
                                         something away waits for a review
  brv-lsp install HOST                   put brv-lsp into the configuration of an agent's program or
                                         an editor; shows the change first
  brv-lsp export                         rule files for agents without tools: a block in AGENTS.md,
                                         and rules that load with the files they are about
  brv-lsp hook EVENT --host HOST         answer an event of an agent's program, as JSON on stdin
  brv-lsp trust [DIR]                    let the servers read git's history here, while
                                         .brv/config.json stays as it is
  brv-lsp model [--try]                  which language model is set up; --try asks it
  brv-lsp completion SHELL               complete commands and options: bash, zsh, fish, powershell
  brv-lsp version                        the version, commit, date and platform of this program
  brv-lsp help [COMMAND]                 print this text, or what is about one command

Options of every command:
  --root DIR       the folder to work in; else the nearest one that holds .brv, from
                   here up to the one that holds .git, else that, else this one
  --json           print the response as JSON, and an error as {"error": {"message", "exitCode"}}
Options of init:
  --yes            make it without asking
Options of query and search:
  --scope PATH     search only in this domain, topic or entry
  --limit N        most sources to list (8, at most 32)
  --explain        say how each score, and the answer, came about
Options of query:
  --tier-max N     the highest tier that may answer: 0 and 1 what is remembered, 2 the
                   tree itself, 3 one call of a model, 4 a model with tools
  --dry-run        print the request that a model would be sent, and send nothing
Options of pack:
  --task TEXT      the task, where it may not stand by itself
  --budget N       the most tokens that the pack may have (8000)
  --tokenizer NAME how they are counted (o200k_base)
  --file PATH      the file you are working in
  --line N         the line you are at in it
  --open FILE      a file that is open beside; may stand several times
  --boost X        what the file you are in counts beside the task (0.2)
  --include WHAT   only knowledge, or only code
  --strategy NAME  relevance_first (default), importance_first, breadth_first, depth_first
  --tests          consider test files too
  --no-types       leave out files that only define types
  --deadline MS    answer by then with the best so far
  --fill           use the whole budget, also for what is hardly needed
  --reasons        in the text each item says why it is there
  --explain        on stderr what was chosen and what just was not: tokens, form, score,
                   path and lines, reason
Options of expand:
  --budget N       the most tokens to add (8000)
  --direction WAY  dependencies, dependents or both (default)
  --tokenizer NAME how they are counted (o200k_base)
Options of map:
  --task TEXT      list the files that matter for this, best first
  --file PATH      the file you are working in; --line N the line you are at in it
  --budget N       the most tokens of the outline (2000)
  --limit N        most files to list (20, at most 200)
  --explain        say what each score is made of
Options of deps:
  --reverse        follow what depends on the file instead of what it depends on
  --depth N        how far to follow, as a tree (1, at most 10)
Options of symbols:
  --kind KIND      only function, method, class, interface, struct, enum, type, module,
                   constant, variable or macro
  --limit N        most definitions to list (50, at most 1000)
Options of graph:
  --svg            print the picture
  --around NAME    only this entry, domain, topic, document, code file or folder, and what is joined
                   to it
  --kinds KIND,... only these kinds: entry, document, code
  --limit N        most nodes, those with the most links first (2000, at most 5000)
Options of check:
  --code           also list code files that were left out or read only in part
  --base REF       a branch, tag or commit: only what the work since it parted from REF does,
                   committed or not
  --documents      also what the repository's own documents name and that is gone or elsewhere
                   since they were last committed; with --base what the work took away of that,
                   as without this option
  --fix            with --base: write the new names of what the work renamed into the entries
                   of which nothing else is left behind; undo takes that back
  --format NAME    text (default), json, sarif (2.1.0), github (workflow commands), markdown
                   (one comment, which begins with <!-- brv-lsp check -->)
  --fail-on WHAT   exit with 1 where this is found instead of errors: error, warning, info (or
                   graver), or the code of a problem, such as stale; broken and secret are
                   short for broken-relation and secret-in-knowledge; may stand several times.
                   In a shallow clone, where it is not known, without --base too
Options of curate:
  --dry-run        print the diff, change nothing
  --atomic         one failed operation fails all
  --hold WHICH     what waits for a review: risky (default: deletes, merges, changes of
                   core entries), all, none
  --author NAME    who does it, for the audit log ($USER)
  --agent NAME     an agent writes this, and not a person: all of it is held
  --op TYPE        ADD, UPDATE, UPSERT, MERGE, DELETE, MOVE, CONFIRM (still true)
  --path PATH      domain/topic[/subtopic] with --title, or an entry's path with .md
  --title, --summary, --reason, --impact, --to (MOVE), --merge-target, --merge-target-title
  --tag, --keyword, --related, --file, --change, --snippet, --replace PART
                   may stand several times
  --fact 'SUBJECT: STATEMENT [CATEGORY]'
                   may stand several times
  --task, --flow, --structure, --dependencies, --highlights, --rules, --examples
                   texts; \n is the end of a line
Options of import:
  --write          do it: one change, which undo takes back
  --map FOLDER=DOMAIN/TOPIC
                   where the notes of a folder, and of those in it, go; "." is DIR itself; may
                   stand several times
  --dialect NAME   obsidian, zk, serena, memory-bank, adr, byterover, markdown; else
                   what the folder looks like
  --topic DOMAIN/TOPIC
                   of FILE#HEADING: where the entry goes
  --hold all       the entries wait for a review
Options of propose:
  FILE...          at most 5: text, code, Markdown
  --folder DIR     the telling files in DIR
  --selection FILE:START-END
                   lines of one file
  --changes WHICH  worktree, staged, or a commit as git names it; --staged and --commit REV
                   say the same
  --review FILE.json
                   threads of a review that a change settled, as the host's CLI prints them:
                   gh api repos/OWNER/REPO/pulls/N/comments --paginate
  --instruction TEXT
                   what to look for, for a model
  --topic DOMAIN/TOPIC
                   where the new entries go; without it they go where entries are linked
                   to the same, and where none are the topics to choose from are listed
  --any-topic      without a model: the likeliest of those topics
  --no-model       by rules alone, also where a model is set up
  --dry-run        print the diff, hold nothing; --dry-run=request prints what a model would be
                   sent instead, and sends nothing
Options of review:
  --text           show ID:PATH --text prints what the entry would say, and nothing else
  --text FILE      approve ID:PATH --text FILE: with this text instead; - is stdin
  --but WHAT,...   approve and reject: all that is named but these
  --reason TEXT    reject: why, for the audit log
Options of undo and archive:
  --reason TEXT    why, for the audit log
Options of saved:
  --take NAME      put this text into its entry, as a change that can be undone
  --drop NAME      remove this text for good
Options of log:
  --limit N        how many changes to list (20)
Options of archive:
  --eligible       archive all that may be
  --restore        bring the archived PATHs back
  --show           print the full text of an archived PATH
  --dry-run        print the diff, change nothing
Options of dream:
  --force          also within 12 h of the last dream, after fewer than 3 changes, or while
                   something is under way
  --dry-run        print what it would do, write nothing; --dry-run=request as of propose
  --no-model       by rules alone, also where a model is set up
  --detach         dream in the background; --list says how it ends
  --cancel ID      stop a dream of the command line with its present step; what it did stays
  --undo           take the last dream back that left anything, approvals included;
                   again, what stayed of it since it was changed, or the one before
  --list           the dreams of this tree, and whether one would run now
Options of model:
  --try            ask the model four short things: how fast it is, its context, tools, JSON of a form; or what is wrong
Options of install:
  --user           the user's own configuration, not the project's
  --yes            write it without asking
  --remove         take it out again: the file is as it was
  --check          write nothing; exit 1 where something is missing or outdated
  --command PATH   how the program is started (brv-lsp where that is this one, else its path);
                   --remove knows it, unless the folder was moved
Options of export:
  --for HOST,...   whose rule files are written: claude-code, cursor, copilot (those that have a
                   folder here)
  --check          write nothing; exit 1 where a file is not as the tree has it
  --yes            put the block into a file of yours without asking; without a terminal
                   it is needed the first time
  --remove         take away all that export wrote; what you wrote stays as it was
Options of hook:
  --host HOST      claude-code, codex, cursor, copilot, gemini
  --max-tokens N   the most tokens of the answer (1200)
  --deadline MS    no answer after that (300; 1000 as a session starts)
Options of trust:
  --list           list the trusted folders
  --revoke         trust the folder no more

Exit codes:
  0    done, or a dream was skipped
  1    the command failed, an operation of a batch failed, a dream ended early or stays in part, check found
       errors or what --fail-on names, a file is not as export or install would have it, nothing was
       written without a yes, or the model that is set up cannot be asked, doctor found something wrong;
       any mistake of hook, which never exits with 2
  2    the command line is wrong
  3    the context tree does not cover the question, no symbol fits, or nothing has to do
       with the task of a pack
  130  interrupted
`

func help(_ context.Context, _ []string, e env) (int, error) { return exitOK, e.print("%s", usage) }

func helpAbout(_ context.Context, args []string, e env) (int, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return exitOK, e.print("%s", usage)
	}
	return exitOK, e.print("%s", usageOf(args[0]))
}

// usageOf is the part of usage that is about a verb, all of it where there is none.
func usageOf(verb string) string {
	var about, options, shared strings.Builder
	within, into := false, (*strings.Builder)(nil)
	for line := range strings.Lines(usage) {
		bare := strings.TrimRight(line, "\n")
		if verbs, ok := strings.CutPrefix(strings.TrimSuffix(bare, ":"), "Options of "); ok {
			if into = nil; verbs == "every command" {
				into = &shared
			} else if slices.Contains(strings.FieldsFunc(verbs, func(r rune) bool { return r == ' ' || r == ',' }), verb) {
				into = &options
			}
		} else if !strings.HasPrefix(line, " ") {
			within, into = bare == "Usage:", nil
		} else if words := strings.Fields(line); within && words[0] == "brv-lsp" {
			if into = nil; len(words) > 1 && words[1] == verb {
				into = &about
			}
		}
		if into != nil {
			into.WriteString(line)
		}
	}
	if about.Len() == 0 {
		return usage
	}
	return "Usage:\n" + about.String() + "\n" + options.String() + shared.String() +
		"\n'brv-lsp help' prints all commands and the exit codes.\n"
}

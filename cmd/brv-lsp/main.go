// Command brv-lsp is the language server, and the same answers on the command
// line. Without a verb it serves the language server protocol on standard input
// and output; see [usage] for the verbs and the exit codes. Each verb opens the
// folder, calls one function of it and prints what that returned, as text for
// people or with --json for machines.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/host"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// speaks holds the verbs whose standard output is a protocol or a screen.
var speaks = map[string]bool{"": true, "serve": true, "mcp": true, "ui": true, "serve-organisation": true, syntax.WorkerArg: true}

// oneBatch is the message of commands that need the name of one batch.
const oneBatch = "one batch: ID or ID:PATH"

// verbs are the program's commands, by the first argument.
func verbs() map[string]verb {
	return map[string]verb{
		"mcp": verbOf(serveTools), "serve-organisation": verbOf(serveOrganisation), "model": verbOf(model), "version": verbOf(version),
		"--version": verbOf(version), "ui": verbOf(showPages), "hook": verbOf(answerHook).any(),
		"init": printed(initTree), "query": printed(query).takes(1, math.MaxInt, "a question"),
		"search": printed(search).takes(1, math.MaxInt, "a question"), "pack": printed(packTask).any(), "check": printed(check),
		"expand": printed(expand).takes(1, math.MaxInt, "a FILE"), "map": printed(mapCode), "deps": printed(deps).takes(1, 1, "one FILE"),
		"symbols": printed(symbols).takes(1, math.MaxInt, "a name or a part of one"), "graph": printed(drawGraph),
		"curate": printed(curateTree).takes(0, 1, "at most one file of operations"), "propose": printed(proposeTree).any(),
		"review":      printed(listReviews).takes(0, 0, "list, show, approve, reject or edit"),
		"review list": printed(listWaiting).any(), "review show": printed(showReview).takes(1, 1, oneBatch),
		"review approve": printed(approve).takes(1, math.MaxInt, "one or more batches: ID or ID:PATH"),
		"review reject":  printed(reject).takes(1, math.MaxInt, "one or more batches: ID or ID:PATH"),
		"review edit":    printed(editReview).takes(1, 1, oneBatch), "undo": printed(undo).takes(0, 1, oneBatch),
		"log": printed(log), "archive": printed(archiveEntries).any(), "dream": printed(dreamTree), "status": printed(status),
		"doctor": printed(doctor), "cache": printed(showCache), "completion": printed(completion).any(),
		"export":    printed(exportRules),
		"install":   printed(install).takes(1, 1, "one NAME of "+strings.Join(host.Names(nil), ", ")),
		"uninstall": printed(uninstall), "index": printed(index).any(),
		"trust": printed(trustFolder).takes(0, 1, "one folder"), "tree": printed(trees).any(),
		"import": printed(importNotes).takes(1, 1, "one folder, or FILE#HEADING"), "help": verbOf(help).any(), "-h": verbOf(help),
		"--help": verbOf(help),
	}
}

func main() {
	os.Exit(run(os.Args[1:], env{os.Stdin, os.Stdout, os.Stderr}))
}

// plain holds the verbs that parse their arguments themselves.
var plain = map[string]func(context.Context, []string, env) (int, error){
	"": serve, "serve": serve,
	syntax.WorkerArg: func(_ context.Context, _ []string, e env) (int, error) {
		return syntax.WorkerMain(e.stdin, e.stdout), nil
	},
}

// parted splits the verb from its arguments. Options that every command has may stand before the verb too.
func parted(args []string) (verb string, rest []string) {
	if before := newFlags(""); before.Parse(args) == nil && before.NArg() > 0 {
		at := len(args) - before.NArg()
		return args[at], append(args[:at:at], args[at+1:]...)
	}
	if len(args) == 0 || args[0] == "--stdio" || args[0] == "-stdio" {
		return "", args
	}
	return args[0], args[1:]
}

func run(args []string, e env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	verb, args := parted(args)
	if sub, rest := parted(args); verbs()[verb+" "+sub].declare != nil {
		verb, args = verb+" "+sub, rest
	}
	out := &screen{out: e.stdout}
	if e.stderr = (&screen{out: e.stderr}); !speaks[verb] {
		e.stdout = out
	}
	do, ok := plain[verb]
	if v, is := verbs()[verb]; is {
		ok, do = true, func(ctx context.Context, args []string, e env) (int, error) {
			do, err := v.read(newFlags(verb), args)
			if err != nil {
				return exitFailed, err
			}
			return do(ctx, e)
		}
	}
	if !ok {
		wrong := textf("unknown command %q", verb)
		if strings.HasPrefix(verb, "-") {
			wrong = textf("expected a command, not %q; only --root, --tree and --json can come before the command", verb)
		}
		sayf(e.stderr, "brv-lsp: %s\nRun `brv-lsp help` to list the commands.\n", passage(wrong))
		return exitUsage
	}
	if !speaks[verb] && verb != "dream" { // a dream may run for long, next to other work
		// A verb ends before garbage collection pays off: at 24,000 entries, collection took a tenth of the time.
		// The first read of a large tree takes longer; above the memory limit, collection starts.
		debug.SetGCPercent(1000)
		debug.SetMemoryLimit(verbMemory)
	} else if verb != syntax.WorkerArg {
		debug.SetGCPercent(serverGC)
	}
	code, err := do(ctx, args, e)
	text, hint := "", ""
	if err != nil {
		text = errorText(err)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(e.stdout, usageOf(verb))
		return exitOK
	case ctx.Err() != nil && !speaks[verb]:
		code, text = exitInterrupted, "interrupted"
	case verb != "hook" && (errors.Is(err, errUsage) || errors.Is(err, workspace.ErrRequest)):
		first, _, _ := strings.Cut(verb, " ")
		code, hint = exitUsage, textf("Run `%s` to list the options.\n", strings.TrimSpace("brv-lsp help "+first))
		text = strings.Replace(strings.TrimPrefix(text, errUsage.Error()+": "), workspace.ErrRequest.Error()+": ", "", 1)
	case err != nil:
		code = exitFailed
		text, hint = denied(text+workspace.ShellHint(err), err)
		if advice := (*advised)(nil); errors.As(err, &advice) {
			hint = advice.advice
		}
	default:
		return code
	}
	sayf(e.stderr, "brv-lsp: %s\n%s", passage(text), passage(hint))
	if !speaks[verb] && !out.wrote && wantsJSON(args) {
		_ = printJSON(e.stdout, failureOf(text, code, err)) // if this fails, only the exit code reports the error
	}
	return code
}

// denied returns where a file lies that may not be used, and a hint. Paths of the store begin inside .brv.
func denied(text string, err error) (said, hint string) {
	if !errors.Is(err, fs.ErrPermission) {
		return text, ""
	}
	for _, dir := range []string{tree.StateDir, tree.Dir} {
		if strings.HasPrefix(text, dir+"/") || strings.HasPrefix(text, dir+":") {
			return ".brv/" + text, "The file or folder belongs to another user or is write-protected (`ls -l`). Ask the owner for " +
				"access to .brv.\n"
		}
	}
	return text, ""
}

// wantsJSON reports whether arguments ask for JSON, even if they are otherwise wrong.
func wantsJSON(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "--json" || a == "-json" || a == "--json=true" })
}

// failed is the JSON form of an error.
type failed struct {
	Error failure `json:"error"`
}

type failure struct {
	Message  string               `json:"message"`
	ExitCode int                  `json:"exitCode"`
	Batch    int                  `json:"batch,omitempty"`     // of an undo that is not possible
	Files    []store.ConflictFile `json:"conflicts,omitempty"` // the files that prevent it
}

func failureOf(text string, code int, err error) failed {
	f := failure{Message: text, ExitCode: code}
	if c := (*store.UndoConflict)(nil); errors.As(err, &c) {
		f.Message, f.Batch, f.Files = c.Error(), c.Batch, c.Files
	}
	return failed{f}
}

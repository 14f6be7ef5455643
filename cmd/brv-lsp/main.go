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
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// speaks holds the verbs whose standard output is a protocol, or a terminal's.
var speaks = map[string]bool{"": true, "serve": true, "mcp": true, "ui": true, "serve-organisation": true, syntax.WorkerArg: true}

// verbs are the program's commands, by the first argument.
func verbs() map[string]verb {
	return map[string]verb{
		"": serve, "serve": serve, "mcp": serveTools, "serve-organisation": serveOrganisation,
		"model": model, "version": version, "--version": version,
		"ui": showPages, "hook": answerHook, "help": helpAbout, "-h": help, "--help": help,
		"init": printed("init", initTree), "query": printed("query", query), "search": printed("search", search),
		"pack": printed("pack", packTask), "check": printed("check", check), "expand": printed("expand", expand),
		"map": printed("map", mapCode), "deps": printed("deps", deps), "symbols": printed("symbols", symbols),
		"graph":  printed("graph", drawGraph),
		"curate": printed("curate", curateTree), "propose": printed("propose", proposeTree),
		"review": printed("review", review),
		"undo":   printed("undo", undo), "saved": printed("saved", saved), "log": printed("log", log),
		"archive": printed("archive", archiveEntries), "dream": printed("dream", dreamTree),
		"status": printed("status", status), "doctor": printed("doctor", doctor), "cache": printed("cache", showCache),
		"completion": printed("completion", completion),
		"export":     printed("export", exportRules), "install": printed("install", install),
		"index": printed("index", index), "trust": printed("trust", trustFolder), "tree": printed("tree", trees),
		"import": printed("import", importNotes),
		syntax.WorkerArg: func(_ context.Context, _ []string, e env) (int, error) {
			return syntax.WorkerMain(e.stdin, e.stdout), nil
		},
	}
}

func main() {
	os.Exit(run(os.Args[1:], env{os.Stdin, os.Stdout, os.Stderr}))
}

func run(args []string, e env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	verb := ""
	if len(args) > 0 && args[0] != "--stdio" && args[0] != "-stdio" {
		verb, args = args[0], args[1:]
	}
	out := &screen{out: e.stdout}
	if e.stderr = (&screen{out: e.stderr}); !speaks[verb] {
		e.stdout = out
	}
	f, ok := verbs()[verb]
	if !ok && strings.HasPrefix(verb, "-") {
		sayf(e.stderr, "brv-lsp: %s stands before the command; options come behind it\nRun 'brv-lsp help' for the commands.\n",
			verb)
		return exitUsage
	}
	if !ok {
		sayf(e.stderr, "brv-lsp: unknown command %q\nRun 'brv-lsp help' for the commands.\n", verb)
		return exitUsage
	}
	if !speaks[verb] && verb != "dream" { // which takes as long as it must, beside other work
		// A verb is over before collecting pays: at 24,000 entries a tenth of its time.
		// The first read of a large tree is no such verb: from the limit on it pays.
		debug.SetGCPercent(1000)
		debug.SetMemoryLimit(verbMemory)
	} else if verb != syntax.WorkerArg {
		debug.SetGCPercent(serverGC)
	}
	code, err := f(ctx, args, e)
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
	case errors.Is(err, errUsage), errors.Is(err, workspace.ErrRequest):
		code, hint = exitUsage, textf("Run '%s' for the options.\n", strings.TrimSpace("brv-lsp help "+verb))
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
		_ = printJSON(e.stdout, failureOf(text, code, err)) // where that cannot be written, the exit code tells
	}
	return code
}

// denied says where a file is that may not be used, and what to do about it; paths of the store begin inside .brv.
func denied(text string, err error) (said, hint string) {
	if !errors.Is(err, fs.ErrPermission) {
		return text, ""
	}
	for _, dir := range []string{tree.StateDir, tree.Dir} {
		if strings.HasPrefix(text, dir+"/") || strings.HasPrefix(text, dir+":") {
			return ".brv/" + text, "It belongs to another user, or is protected (`ls -l`): ask its owner for access to .brv.\n"
		}
	}
	return text, ""
}

// wantsJSON reports whether arguments ask for JSON, also where they are wrong otherwise.
func wantsJSON(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "--json" || a == "-json" || a == "--json=true" })
}

// failed is an error as --json prints it.
type failed struct {
	Error failure `json:"error"`
}

type failure struct {
	Message  string               `json:"message"`
	ExitCode int                  `json:"exitCode"`
	Batch    int                  `json:"batch,omitempty"`     // of an undo that is not possible
	Files    []store.ConflictFile `json:"conflicts,omitempty"` // the files that stand against it
}

func failureOf(text string, code int, err error) failed {
	f := failure{Message: text, ExitCode: code}
	if c := (*store.UndoConflict)(nil); errors.As(err, &c) {
		f.Message, f.Batch, f.Files = c.Error(), c.Batch, c.Files
	}
	return failed{f}
}

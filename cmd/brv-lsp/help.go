package main

import (
	"context"
	_ "embed"
	"slices"
	"strings"
)

// usage is the text of help: parts under headings, those of single commands are headed "Options of" and "Examples of".
//
//go:embed help.txt
var usage string

func help(_ context.Context, _ []string, e env) (int, error) {
	return exitOK, e.print("%s", usageOf(""))
}

func helpAbout(ctx context.Context, args []string, e env) (int, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return help(ctx, nil, e)
	}
	return exitOK, e.print("%s", usageOf(args[0]))
}

// usageOf returns the usage of a verb, and of all where there is no such verb.
func usageOf(verb string) string {
	var all, about, options, examples strings.Builder
	var into *strings.Builder // where a line goes besides all
	within, general := false, true
	for line := range strings.Lines(usage) {
		words := strings.Fields(line)
		switch kind, verbs, ok := strings.Cut(strings.TrimRight(line, ":\n"), " of "); {
		case strings.HasPrefix(line, " "):
			if within && words[0] == "brv-lsp" {
				into = nil
				if len(words) > 1 && words[1] == verb {
					into = &about
				}
			}
		case len(words) == 0:
			into = nil
		default:
			into, within, general = nil, words[0] == "Usage:", true
			if ok && (kind == "Options" || kind == "Examples") {
				general = verbs == "every command"
				if kind == "Examples" {
					line = "Examples:\n"
				}
				switch mine := general || slices.Contains(strings.Fields(verbs), verb); {
				case mine && kind == "Examples":
					into = &examples
				case mine:
					into = &options
				}
			}
		}
		if into != nil {
			into.WriteString(line)
		}
		if general {
			all.WriteString(line)
		}
	}
	if about.Len() == 0 {
		return all.String()
	}
	return "Usage:\n" + about.String() + "\n" + options.String() + "\n" + examples.String() +
		"\n`brv-lsp help` lists all commands and the exit codes.\n"
}

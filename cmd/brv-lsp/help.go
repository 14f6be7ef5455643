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

func help(_ context.Context, f *flags, o *struct{ Man bool }, e env) (int, error) {
	if o.Man {
		return exitOK, e.print("%s", manual())
	}
	return exitOK, e.print("%s", usageOf(strings.Join(f.words[:min(1, len(f.words))], "")))
}

// manual is the usage as a page of man: its headings, and its lines as they stand.
func manual() string {
	about, rest, _ := strings.Cut(strings.TrimPrefix(usage, "brv-lsp "), "\n")
	text := ".TH BRV-LSP 1\n.SH NAME\nbrv-lsp \\- " + about + "\n"
	for line := range strings.Lines(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(rest)) {
		if heading, ok := strings.CutSuffix(line, ":\n"); ok && line[0] != ' ' {
			line = ".SH " + heading + "\n.nf\n"
		}
		text += line
	}
	return text
}

// usageOf returns the usage of a verb, and of all where there is no such verb.
func usageOf(verb string) string {
	verb, _, _ = strings.Cut(verb, " ") // a verb's first word may say what it does
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
				general = strings.HasPrefix(verbs, "every command")
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

package main

import (
	"context"
	_ "embed"
	"regexp"
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

// manual returns the usage as a man page. Its headings become the page's, and its lines stay as they are.
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

// parts matches the parts of the usage about certain commands, or about every command.
var parts = regexp.MustCompile(`(?m)^(Options|Examples) of ([^:]+):\n((?: .*\n)+)\n*`)

// usageOf returns a verb's usage, or the whole usage if there is no such verb.
func usageOf(verb string) string {
	verb, _, _ = strings.Cut(verb, " ") // the first word after the verb may be an action
	options, examples := "", ""
	all := parts.ReplaceAllStringFunc(usage, func(part string) string {
		m := parts.FindStringSubmatch(part)
		every := strings.HasPrefix(m[2], "every command")
		switch mine := every || slices.Contains(strings.Fields(m[2]), verb); {
		case mine && m[1] == "Examples":
			examples = "Examples:\n" + m[3]
		case mine:
			options += m[1] + " of " + m[2] + ":\n" + m[3]
		}
		if every {
			return part
		}
		return ""
	})
	_, synopsis, _ := strings.Cut(all, "\nUsage:\n")
	synopsis, _, _ = strings.Cut(synopsis, "\n\n")
	about := regexp.MustCompile(`(?m)^  brv-lsp `+regexp.QuoteMeta(verb)+`(?: .*)?\n(?:    .*\n)*`).FindAllString(synopsis+"\n", -1)
	if verb == "" || about == nil {
		return all
	}
	return "Usage:\n" + strings.Join(about, "") + "\n" + options + "\n" + examples +
		"\n`brv-lsp help` lists all commands and the exit codes.\n"
}

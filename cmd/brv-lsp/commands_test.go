package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

// TestCommandsPage compares docs/commands.md with the help. With -update it writes the page.
func TestCommandsPage(t *testing.T) {
	at := filepath.Join("..", "..", "docs", "commands.md")
	page := commandsPage(usage)
	if goldentest.Updating() {
		if err := os.WriteFile(at, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != page {
		t.Error("docs/commands.md is not what the help says: run go test ./cmd/brv-lsp -run CommandsPage -update")
	}
	for verb := range verbs() {
		if verb, _, _ = strings.Cut(verb, " "); verb[0] != '-' && !strings.Contains(page, "\n## "+verb+"\n") {
			t.Errorf("docs/commands.md has no part about %s", verb)
		}
	}
	for verb := range verbs() {
		_, examples, _ := strings.Cut(usageOf(verb), "Examples:\n")
		if examples, _, _ = strings.Cut(examples, "\n\n"); verb[0] != '-' && strings.Count(examples, "brv-lsp") < 2 {
			t.Errorf("brv-lsp help %s has less than two examples", verb)
		}
	}
}

// helpPart matches a part of the help: its heading, and the lines below it.
var helpPart = regexp.MustCompile(`(?m)^([A-Z].*):\n((?: .*\n?)+)`)

// commandsPage writes the help as a page: for each command its forms, options and examples.
func commandsPage(help string) string {
	var out strings.Builder
	out.WriteString("<!-- Made of cmd/brv-lsp/help.txt: go test ./cmd/brv-lsp -run CommandsPage -update -->\n# Commands\n\n" +
		"This page has the texts of `brv-lsp help`. To see the part of one command in the terminal, run `brv-lsp help COMMAND`.\n")
	body := map[string]string{}
	var common []string
	for _, part := range helpPart.FindAllStringSubmatch(help, -1) {
		kind, of, about := strings.Cut(part[1], " of ")
		if about && !strings.HasPrefix(of, "every command") {
			for _, verb := range strings.Split(of, " and ") {
				body[kind+verb] += part[2]
			}
		} else if part[1] == "Usage" {
			body["Usage"] = part[2]
		} else if part[1] != "Start here" {
			common = append(common, "\n## "+part[1]+"\n\n"+items(part[2]))
		}
	}
	forms, order := map[string]string{}, []string{}
	for _, row := range rows(body["Usage"]) {
		verb := strings.Trim(strings.Fields(row[0] + " .")[1], "[]")
		if verb = strings.TrimPrefix(verb, "--"); verb == "stdio" {
			verb = "serve"
		}
		if forms[verb] == "" {
			order = append(order, verb)
		}
		forms[verb] += item(row)
	}
	for _, verb := range order {
		fmt.Fprintf(&out, "\n## %s\n\n%s", verb, forms[verb])
		if options := body["Options"+verb]; options != "" {
			out.WriteString("\nOptions:\n\n" + items(options))
		}
		out.WriteString("\n```sh\n" + script(body["Examples"+verb]) + "```\n")
	}
	slices.Reverse(common) // the exit codes stand last in the help
	return out.String() + strings.Join(common, "")
}

// filling matches an option that fills its column, so that one space follows.
var filling = regexp.MustCompile(`^ +--\S+ [A-Z]+(,\.\.\.)? $`)

// rows reads two columns: a line begins a row, and what stands further in goes on with its second column.
func rows(text string) (out [][2]string) {
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if begin := len("  --tokenizer NAME "); !ok && len(line) > begin && filling.MatchString(line[:begin]) {
			left, right = strings.TrimSpace(line[:begin]), line[begin:]
		}
		if strings.HasPrefix(line, "     ") && len(out) > 0 {
			out[len(out)-1][1] += " " + strings.TrimSpace(line)
		} else {
			out = append(out, [2]string{left, strings.TrimSpace(right)})
		}
	}
	return out
}

func items(text string) string {
	var out strings.Builder
	for _, row := range rows(text) {
		out.WriteString(item(row))
	}
	return out.String()
}

// item writes a row as an item of a list. A row that is a sentence stays one.
func item(row [2]string) string {
	left, right := row[0], strings.ReplaceAll(strings.TrimSpace(row[1]), "<", "&lt;")
	if _, said, ok := strings.Cut(left, ": "); ok && strings.HasPrefix(said, "{") {
		return "\n```text\n" + left + row[1] + "\n```\n"
	}
	if right == "" {
		return "- `" + left + "`\n"
	}
	return "- `" + left + "`: " + right + "\n"
}

// remark matches what the help says about an example.
var remark = regexp.MustCompile(`(?m)(\S {2,})(\S.*)$`)

// script writes examples as a shell reads them.
func script(examples string) string {
	return remark.ReplaceAllString(strings.ReplaceAll(strings.TrimPrefix(examples, "  "), "\n  ", "\n"), "$1# $2")
}

package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// completions holds a script for each shell. Each script asks the installed program for the words, so that they
// match its version.
var completions = map[string]string{
	"bash": `_brv_lsp() {
  local of=
  [ "$COMP_CWORD" -lt 2 ] || of=${COMP_WORDS[1]}
  COMPREPLY=($(compgen -W "$(brv-lsp completion words -- $of 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _brv_lsp brv-lsp
`,
	"zsh": `#compdef brv-lsp
_brv_lsp() {
  local -a found
  found=(${(f)"$(brv-lsp completion words -- ${words[2,CURRENT-1][1]} 2>/dev/null)"})
  compadd -a found
  (( CURRENT == 2 )) || _files
}
compdef _brv_lsp brv-lsp
`,
	"fish": `complete -c brv-lsp -n __fish_use_subcommand -f -a '(brv-lsp completion words 2>/dev/null)'
complete -c brv-lsp -n 'not __fish_use_subcommand' -a '(brv-lsp completion words -- (commandline -opc)[2] 2>/dev/null)'
`,
	"powershell": `Register-ArgumentCompleter -Native -CommandName brv-lsp -ScriptBlock {
  param($word, $line)
  $of = if ($line.CommandElements.Count -gt 2 -or ($line.CommandElements.Count -eq 2 -and $word -eq '')) { "$($line.CommandElements[1])" }
  brv-lsp completion words -- $of 2>$null | Where-Object { $_ -like "$word*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}

// completion prints a shell's script. With "words" it prints the commands, or the options of one command, one a
// line.
func completion(_ context.Context, f *flags, _ *none, _ env) (answer, error) {
	words := f.words
	if len(words) > 0 && words[0] == "words" {
		found := completed(strings.Join(words[1:], " "))
		return answer{json: found, text: strings.Join(found, "\n") + "\n", exact: true}, nil
	}
	if len(words) != 1 || completions[words[0]] == "" {
		return answer{}, fmt.Errorf("%w: completion needs a SHELL, one of %s", errUsage,
			strings.Join(slices.Sorted(maps.Keys(completions)), ", "))
	}
	script := completions[words[0]]
	return answer{json: script, text: script, exact: true}, nil
}

// completed lists the commands, or one command's options and first words.
func completed(of string) (found []string) {
	if strings.HasPrefix(of, "-") { // an option that every command has; the command follows
		of = ""
	}
	for name, v := range verbs() {
		first, word, _ := strings.Cut(name, " ")
		if of == "" && first[0] != '-' {
			found = append(found, first)
		} else if of == first {
			f := newFlags(name)
			v.declare(f)
			f.VisitAll(func(x *flag.Flag) { found = append(found, "--"+x.Name) })
			found = append(found, strings.Fields(word)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/llm"
)

// Parse reads a script; the form is in the package comment. An error names the line.
func Parse(script string) ([]Turn, error) {
	var turns []Turn
	for i, line := range strings.Split(script, "\n") {
		line = strings.TrimRight(line, " \t\r")
		word, rest, _ := strings.Cut(line, " ")
		if word == "" || word[0] == '#' {
			continue
		}
		if word == "turn" && rest == "" {
			turns = append(turns, Turn{})
			continue
		}
		if len(turns) == 0 {
			return nil, fmt.Errorf("line %d: stands before the first turn", i+1)
		}
		if err := turns[len(turns)-1].read(word, rest); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return turns, nil
}

// read parses one line of a turn.
func (t *Turn) read(word, rest string) error {
	switch word {
	case "want":
		return t.readWant(rest)
	case "call":
		tool, arguments, _ := strings.Cut(rest, " ")
		if tool == "" {
			return errors.New("call NAME ARGUMENTS")
		}
		id := fmt.Sprintf("c%d", len(t.Say.Calls)+1)
		t.Say.Calls = append(t.Say.Calls, llm.Call{ID: id, Tool: tool, Arguments: json.RawMessage(arguments)})
	case "say", "|":
		t.Say.Text += rest + "\n"
	case "usage":
		in, out, _ := strings.Cut(rest, " ")
		input, err1 := strconv.Atoi(in)
		output, err2 := strconv.Atoi(out)
		if err1 != nil || err2 != nil {
			return errors.New("usage INPUT OUTPUT")
		}
		t.Say.Usage = llm.Usage{Input: input, Output: output}
	case "fail":
		t.Err = errors.New(rest)
	default:
		return fmt.Errorf("%q is no part of a turn", word)
	}
	return nil
}

func (t *Turn) readWant(rest string) error {
	var w Want
	rest, w.Not = strings.CutPrefix(rest, "not ")
	in, text, ok := strings.Cut(rest, ":")
	w.In, w.Text = in, strings.TrimSpace(text)
	if !ok || !slices.Contains([]string{"system", "last", "any", "tools", "calls"}, in) {
		return fmt.Errorf("%q: want [not] system, last, any, tools or calls, a colon and a text", rest)
	}
	t.Want = append(t.Want, w)
	return nil
}

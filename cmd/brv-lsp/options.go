package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// flags are the options that the verbs share.
type flags struct {
	*flag.FlagSet
	root   string
	tree   string // the name of one of the user's other trees, whose folder stands for root
	json   bool
	with   []string       // absolute paths of other repositories
	checks []func() error // of values, once all options are read
}

func newFlags(verb string) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(verb, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.StringVar(&f.root, "root", "", "")
	f.StringVar(&f.tree, "tree", "", "")
	f.BoolVar(&f.json, "json", false, "")
	return f
}

// parse reads options and words in any order.
func (f *flags) parse(args []string) (words []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %s: %v", errUsage, f.Name(), err)
		}
		if f.NArg() == 0 {
			break
		}
		words, args = append(words, f.Arg(0)), f.Args()[1:]
	}
	for _, check := range f.checks {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// parseOnly reads options where a verb takes no words.
func (f *flags) parseOnly(args []string) error {
	words, err := f.parse(args)
	if err == nil && len(words) > 0 {
		err = fmt.Errorf("%w: %s takes no %q", errUsage, f.Name(), words[0])
	}
	return err
}

// unbounded is the upper bound of a number that has none here.
const unbounded = math.MaxInt

// whole is an option with a number from 1 to most.
func (f *flags) whole(n *int, name string, standard, most int) {
	f.IntVar(n, name, standard, "")
	f.checks = append(f.checks, func() error {
		switch {
		case *n >= 1 && *n <= most:
			return nil
		case most == unbounded:
			return fmt.Errorf("%w: --%s must be 1 or more", errUsage, name)
		}
		return fmt.Errorf("%w: --%s is 1 to %d", errUsage, name, most)
	})
}

// line is --line, nil without it.
func (f *flags) line(n **int) {
	f.Func("line", "", func(s string) error {
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 {
			return errors.New("must be 1 or more")
		}
		*n = &v
		return nil
	})
}

// neighbours is --with, which names another repository.
func (f *flags) neighbours() {
	f.Func("with", "", func(s string) error {
		info, err := os.Stat(s)
		if err == nil && !info.IsDir() {
			err = errors.New("is no folder")
		}
		if err != nil {
			return err
		}
		s, err = filepath.Abs(s)
		f.with = append(f.with, s)
		return err
	})
}

// Exit codes; usage documents them.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitOutOfDomain
	exitInterrupted = 130 // as shells report it
)

// answer is the output of a verb: the response itself for --json, a text for people, and how it exits.
type answer struct {
	json  any
	text  string
	code  int
	exact bool // the text is for another program, byte for byte
}

// printed makes a verb of a function that says something.
func printed(name string, do func(context.Context, *flags, []string, env) (answer, error)) verb {
	return func(ctx context.Context, args []string, e env) (int, error) {
		f := newFlags(name)
		a, err := do(ctx, f, args, e)
		if err != nil {
			return exitFailed, err
		}
		if f.tree != "" && !a.exact && strings.Contains(a.text, "`brv-lsp ") {
			a.text += ofTree(f.tree)
		}
		return a.print(f, e)
	}
}

// print prints an answer, and returns its code.
func (a answer) print(f *flags, e env) (int, error) {
	switch {
	case f.json:
		return a.code, printJSON(e.stdout, a.json)
	case a.text == "": // whoever started this may have closed the output
		return a.code, nil
	case a.exact:
		return a.code, exactly(e.stdout, a.text)
	}
	return a.code, e.print("%s", a.text)
}

// verb is something that the program does. Of an error its kind says how the program exits.
type verb func(context.Context, []string, env) (exitCode int, err error)

// env holds a verb's streams, folder and clock; tests replace it.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// print writes text for people, whose values are whole texts.
func (e env) print(format string, args ...any) error {
	_, err := fmt.Fprintf(e.stdout, format, args...)
	return err
}

// errUsage marks a wrong command line.
var errUsage = errors.New("usage")

func printJSON(out io.Writer, v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return exactly(out, sanitize.JSON(text.String()))
}

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
	"reflect"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// flags are the options and words of a command line.
type flags struct {
	*flag.FlagSet
	root   string
	tree   string // the name of one of the user's other trees; its folder is used instead of root
	json   bool
	opts   workspace.Options                  // parts that the verb does not need, or always needs
	words  []string                           // the arguments that are not options
	opened []func(*workspace.Workspace) error // steps that complete the options once the folder is open
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
func (f *flags) parse(args []string) error {
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return fmt.Errorf("%w: %s: %s", errUsage, f.Name(), flagWords.Replace(err.Error()))
		}
		if f.NArg() == 0 {
			return nil
		}
		f.words, args = append(f.words, f.Arg(0)), f.Args()[1:]
	}
}

// flagWords writes the errors of the package flag in the words of the help.
var flagWords = strings.NewReplacer("flag provided but not defined: -", "unknown option --", "flag needs an argument: -",
	"no value after --", "invalid value", "wrong value", "invalid boolean value", "wrong value", " for flag -", " for --", " for -", " for --")

// declare adds an option for each field of a struct with the tag flag:"name" or flag:"name,kind", and for each
// such field of an embedded struct type, whose texts are lists. See [option] for the types and kinds. A field's
// present value is the default. For an Offset, the user types a line of the file that Path names.
func (f *flags) declare(of any) {
	options := reflect.ValueOf(of).Elem()
	for _, field := range reflect.VisibleFields(options.Type()) {
		name, kind, _ := strings.Cut(field.Tag.Get("flag"), ",")
		if options.Type().Name() == "" {
			name, kind = strings.ToLower(field.Name), "list"
		}
		switch at := options.FieldByIndex(field.Index); {
		case name == "":
		case field.Name == "Offset":
			path, line := options.FieldByName("Path").Addr().Interface().(*string), 0
			f.Var(option{reflect.ValueOf(&line).Elem(), kind}, name, "")
			f.opened = append(f.opened, func(w *workspace.Workspace) (err error) {
				*path, *at.Addr().Interface().(**int), err = place(w, *path, line)
				return err
			})
		default:
			f.Var(option{at, kind}, name, "")
		}
	}
}

// option is a field that an option sets: a switch, a text, a number from 1 (any number for a pointer), or a list
// of texts that grows with each use. The kind "list" is a list separated by commas. In the kind "text", \n is the
// end of a line, since that is hard to type in a shell. The kind "filled" must not be blank.
type option struct {
	at   reflect.Value
	kind string
}

func (o option) String() string   { return "" }
func (o option) IsBoolFlag() bool { return o.at.Kind() == reflect.Bool }

// Set reads the option's value.
func (o option) Set(s string) (err error) {
	var b bool
	var n int
	switch o.kind {
	case "text":
		s = strings.ReplaceAll(s, `\n`, "\n")
	case "filled":
		if strings.TrimSpace(s) == "" {
			return errors.New("it is empty")
		}
	}
	switch o.at.Kind() {
	case reflect.Bool:
		b, err = strconv.ParseBool(s)
		o.at.SetBool(b)
	case reflect.Int:
		if n, err = strconv.Atoi(s); err != nil || n < 1 {
			return errors.New("must be 1 or more")
		}
		o.at.SetInt(int64(n))
	case reflect.Pointer:
		n, err = strconv.Atoi(s)
		o.at.Set(reflect.ValueOf(&n))
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(s, 64)
		o.at.SetFloat(x)
	case reflect.Slice:
		all := []string{s}
		if o.kind == "list" {
			all = strings.Split(s, ",")
		}
		for _, one := range all {
			o.at.Set(reflect.Append(o.at, reflect.ValueOf(one).Convert(o.at.Type().Elem())))
		}
	default:
		o.at.SetString(s)
	}
	if err != nil {
		return errors.New(map[bool]string{true: "must be true or false", false: "must be a number"}[o.IsBoolFlag()])
	}
	return nil
}

// neighbours declares --with, which names another repository.
func (f *flags) neighbours() {
	f.Func("with", "", func(s string) error {
		at, _ := filepath.Abs(s)
		dir, err := filepath.EvalSymlinks(at)
		if info, why := os.Stat(dir); err != nil || why != nil || !info.IsDir() {
			return errors.New("must be a readable folder")
		}
		f.opts.Neighbours = append(f.opts.Neighbours, dir)
		f.opened = append(f.opened, func(w *workspace.Workspace) error {
			if workspace.SameRepository(w, dir) {
				sayf(&screen{out: os.Stderr}, "brv-lsp: --with %s was ignored: it is the same repository as this one\n", s)
			}
			return nil
		})
		return nil
	})
}

// Exit codes; usage documents them.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitOutOfDomain
	exitInterrupted = 130 // as shells report an interrupt
)

// answer is the output of a verb: the response for --json, the text for people, and the exit code.
type answer struct {
	json  any
	text  string
	code  int
	exact bool // the text is for another program, byte for byte
}

// verb is one command: how its options are parsed, what it does, and how many words it takes. The kind of its
// error determines the exit code.
type verb struct {
	declare     func(*flags) func(context.Context, env) (exitCode int, err error)
	least, most int
	needs       string // names the words that it needs at least
}

// takes sets how many words a verb takes.
func (v verb) takes(least, most int, needs string) verb {
	v.least, v.most, v.needs = least, most, needs
	return v
}

// any is for verbs that check the number of their words themselves.
func (v verb) any() verb { return v.takes(0, math.MaxInt, "") }

// read parses a command line and returns the action of the verb.
func (v verb) read(f *flags, args []string) (do func(context.Context, env) (int, error), err error) {
	do = v.declare(f)
	takes := "no"
	if v.needs != "" {
		takes = v.needs + ", not"
	}
	switch err := f.parse(args); {
	case err != nil:
		return nil, err
	case len(f.words) < v.least:
		return nil, fmt.Errorf("%w: %s needs %s", errUsage, f.Name(), v.needs)
	case len(f.words) > v.most:
		return nil, fmt.Errorf("%w: %s takes %s %q", errUsage, f.Name(), takes, f.words[v.most])
	}
	return do, nil
}

// verbOf makes a verb from a function. The fields of a struct are the options, as [flags.declare] reads them. If
// the struct has a method declare, it runs first and adds what fields cannot express.
func verbOf[Options any](do func(context.Context, *flags, *Options, env) (int, error)) verb {
	return verb{declare: func(f *flags) func(context.Context, env) (int, error) {
		o := new(Options)
		if own, ok := any(o).(interface{ declare(*flags) }); ok {
			own.declare(f)
		}
		f.declare(o)
		return func(ctx context.Context, e env) (int, error) { return do(ctx, f, o, e) }
	}}
}

// printed makes a verb from a function that returns an answer.
func printed[Options any](do func(context.Context, *flags, *Options, env) (answer, error)) verb {
	return verbOf(func(ctx context.Context, f *flags, o *Options, e env) (int, error) {
		a, err := do(ctx, f, o, e)
		if err != nil {
			return exitFailed, err
		}
		if f.tree != "" && !a.exact && strings.Contains(a.text, "`brv-lsp ") {
			a.text += ofTree(f.tree)
		}
		return a.print(f, e)
	})
}

// none are the options of a verb without any.
type none struct{}

// print prints an answer, and returns its code.
func (a answer) print(f *flags, e env) (int, error) {
	switch {
	case f.json:
		return a.code, printJSON(e.stdout, a.json)
	case a.text == "": // the process that reads the output may have closed it
		return a.code, nil
	case a.exact:
		return a.code, exactly(e.stdout, a.text)
	}
	return a.code, e.print("%s", a.text)
}

// env holds a verb's streams, folder and clock; tests replace it.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// print writes text for people. Each value may have several lines.
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

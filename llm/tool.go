package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// NewTool makes a tool of a function. Its arguments are the fields of the struct T:
// strings, ints and bools with a json tag; those without omitempty must be given.
// The tag about says to the model what a field is. Arguments are read strictly: an
// unknown name, a wrong type or a missing one is an error that says what would be
// right. NewTool panics if T is no such struct.
func NewTool[T any](name, description string, run func(ctx context.Context, arguments T) (string, error)) Tool {
	fields := fieldsOf(reflect.TypeFor[T]())
	return Tool{
		Name: name, Description: description, Parameters: schemaOf(fields),
		Run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
			var a T
			if err := fill(reflect.ValueOf(&a).Elem(), fields, arguments); err != nil {
				return "", fmt.Errorf("%w; %s takes %s", err, name, describe(fields))
			}
			return run(ctx, a)
		},
	}
}

// field is one argument of a tool.
type field struct {
	name, about string
	kind        string // of JSON Schema
	optional    bool
}

func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Bool: "boolean"}
		kind, ok := kinds[f.Type.Kind()]
		if !ok || name == "" {
			panic(fmt.Sprintf("llm.NewTool: %s.%s is no argument", t, f.Name))
		}
		out = append(out, field{name, f.Tag.Get("about"), kind, options == "omitempty"})
	}
	return out
}

// schemaOf is the JSON Schema of an object with these fields, in their order.
func schemaOf(fields []field) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		about, _ := json.Marshal(f.about)
		fmt.Fprintf(&b, `%q:{"type":%q,"description":%s}`, f.name, f.kind, about)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	names, _ := json.Marshal(required)
	fmt.Fprintf(&b, `},"required":%s,"additionalProperties":false}`, names)
	return b.Bytes()
}

// fill reads arguments into a struct.
func fill(into reflect.Value, fields []field, arguments json.RawMessage) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil || given == nil {
		return errors.New("the arguments are no JSON object")
	}
	for i, f := range fields {
		raw, ok := given[f.name]
		delete(given, f.name)
		switch {
		case ok && string(raw) == "null":
			ok = false
		case ok && json.Unmarshal(raw, into.Field(i).Addr().Interface()) != nil:
			return fmt.Errorf("argument %s: %.60s is no %s", f.name, raw, f.kind)
		}
		if !ok && !f.optional {
			return fmt.Errorf("argument %s is missing", f.name)
		}
	}
	if len(given) > 0 {
		return fmt.Errorf("there is no argument %.60q", slices.Min(slices.Collect(maps.Keys(given))))
	}
	return nil
}

// describe lists the arguments for whoever got them wrong.
func describe(fields []field) string {
	var out []string
	for _, f := range fields {
		s := f.name + " (" + f.kind
		if f.optional {
			s += ", optional"
		}
		out = append(out, s+")")
	}
	if len(out) == 0 {
		return "no arguments"
	}
	return strings.Join(out, ", ")
}

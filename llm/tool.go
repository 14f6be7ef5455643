package llm

import (
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
		Name: name, Description: description, Parameters: json.RawMessage(schemaOf(reflect.TypeFor[T](), "")),
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
	name, kind string // the kind is that of JSON Schema
	optional   bool
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
		out = append(out, field{name, kind, options == "omitempty"})
	}
	return out
}

// ListOf is the JSON Schema of an object with a list of at most so many T under a name.
func ListOf[T any](name string, most int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%q:{"type":"array","maxItems":%d,"items":%s}},"required":[%q],"additionalProperties":false}`,
		name, most, schemaOf(reflect.TypeFor[T](), ""), name))
}

// schemaOf is the JSON Schema of a type: of a struct with its fields in their order, of which those without omitempty must be
// there. The tag about says to the model what a field is, enum which values it has, and about:"-" leaves it out. A fraction
// is one from 0 to 1.
func schemaOf(t reflect.Type, tag reflect.StructTag) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := map[reflect.Kind]string{reflect.String: `"type":"string"`, reflect.Int: `"type":"integer"`, reflect.Bool: `"type":"boolean"`,
		reflect.Float64: `"type":"number","minimum":0,"maximum":1`}[t.Kind()]
	switch t.Kind() {
	case reflect.Slice:
		s = `"type":"array","items":` + schemaOf(t.Elem(), "")
	case reflect.Struct:
		properties, required := []string{}, []string{}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" || f.Tag.Get("about") == "-" {
				continue
			}
			properties = append(properties, fmt.Sprintf("%q:%s", name, schemaOf(f.Type, f.Tag)))
			if options == "" {
				required = append(required, name)
			}
		}
		s = `"type":"object","properties":{` + strings.Join(properties, ",") + `}`
		if len(required) > 0 {
			s += `,"required":["` + strings.Join(required, `","`) + `"]`
		}
		s += `,"additionalProperties":false`
	}
	if values, ok := tag.Lookup("enum"); ok {
		list, _ := json.Marshal(strings.Split(values, ","))
		s += `,"enum":` + string(list)
	}
	if about := tag.Get("about"); about != "" {
		s += fmt.Sprintf(`,"description":%q`, about)
	}
	return "{" + s + "}"
}

// fill reads arguments into a struct.
func fill(into reflect.Value, fields []field, arguments json.RawMessage) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil || given == nil {
		return errors.New("the arguments are not a JSON object")
	}
	for i, f := range fields {
		raw, ok := given[f.name]
		delete(given, f.name)
		switch {
		case ok && string(raw) == "null":
			ok = false
		case ok && json.Unmarshal(raw, into.Field(i).Addr().Interface()) != nil:
			return fmt.Errorf("argument %s: %.60s is not of type %s", f.name, raw, f.kind)
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

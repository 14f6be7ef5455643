package workspace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// DecodeRequest reads a request's JSON object into req, a pointer to a struct. Unknown
// keys are errors, so that a misspelt option does not pass silently. No object and null
// leave req as it is. Errors are [ErrRequest] and speak of keys, not of Go.
func DecodeRequest(raw json.RawMessage, req any) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(req)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("%w: %sexpected %s, got %s", ErrRequest, keyOf(wrong.Field), expected(wrong.Type), given(wrong.Value))
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		keys := cmp.Or(strings.Join(Keys(reflect.TypeOf(req).Elem()), ", "), "none")
		return fmt.Errorf("%w %s; there are %s", ErrUnknownKey, clipped(strings.ReplaceAll(key, `"`, "`")), keys)
	}
	return fmt.Errorf("%w: %s", ErrRequest, strings.TrimPrefix(err.Error(), "json: "))
}

// keyOf names a key in front of what is wrong with it. Embedded structs, which stand in
// the path by their Go names, are no keys; nor is the request itself.
func keyOf(field string) string {
	keys := slices.DeleteFunc(strings.Split(field, "."), func(s string) bool { return s == "" || 'A' <= s[0] && s[0] <= 'Z' })
	if len(keys) == 0 {
		return ""
	}
	return "key `" + strings.Join(keys, ".") + "`: "
}

// expected says what JSON value a Go type is read from.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}

// given says what JSON value there was, in the words of [json.UnmarshalTypeError].
func given(value string) string {
	switch kind, number, _ := strings.Cut(value, " "); kind {
	case "number":
		return strings.TrimSpace("the number " + clipped(number))
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a string"
}

// Keys lists the JSON keys of a struct, those of embedded structs among them, in the
// order of the fields.
func Keys(t reflect.Type) []string {
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && key != "" && key != "-" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

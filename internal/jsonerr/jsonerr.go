// Package jsonerr explains errors in JSON that people and programs wrote, in JSON's own terms; the errors of
// encoding/json name Go types.
package jsonerr

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// maxQuoted bounds what is quoted of the JSON, in characters.
const maxQuoted = 200

// Text explains a decoder's error: the key, the values that it may have, and the value that was there.
func Text(err error) string { return At("", err) }

// At is [Text] for the value at a key, "" for none.
func At(key string, err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%sexpected %s, got %s", keyOf(key+"."+wrong.Field), expected(wrong.Type), given(wrong.Value))
	}
	if unknown, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return keyOf(key) + "unknown key " + sanitize.Short(strings.ReplaceAll(unknown, `"`, "`"), maxQuoted)
	}
	return keyOf(key) + strings.TrimPrefix(err.Error(), "json: ")
}

// keyOf puts the key in front of an error. Embedded structs, whose Go names are in the path, are not keys,
// and neither is the request itself.
func keyOf(field string) string {
	keys := slices.DeleteFunc(strings.Split(field, "."), func(s string) bool { return s == "" || 'A' <= s[0] && s[0] <= 'Z' })
	if len(keys) == 0 {
		return ""
	}
	return "key `" + strings.Join(keys, ".") + "`: "
}

// expected returns the name of the JSON value that a Go type is read from.
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
	if t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		return "a whole number from 0"
	}
	return "a whole number"
}

// given returns the name of the JSON value that was there. value is in the words of
// [json.UnmarshalTypeError].
func given(value string) string {
	switch kind, number, _ := strings.Cut(value, " "); kind {
	case "number":
		if number == "" {
			return "a number"
		}
		return "the number " + sanitize.Short(number, maxQuoted)
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a string"
}

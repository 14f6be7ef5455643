package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// ErrUnknownKey marks a request with a key that there is not; it is a [workspace.ErrRequest].
var ErrUnknownKey = fmt.Errorf("%w: unknown key", workspace.ErrRequest)

// Decode reads a request's JSON object, a struct. Unknown keys are errors, so that a misspelt
// option does not pass silently. No object and null are the request without any key. Errors are
// [workspace.ErrRequest] and speak of keys, not of Go.
func Decode[Req any](raw json.RawMessage) (req Req, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return req, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&req); err == nil {
		return req, nil
	}
	if key, ok := jsonerr.UnknownKey(err); ok {
		keys := cmp.Or(strings.Join(Keys(reflect.TypeFor[Req]()), ", "), "none")
		return req, fmt.Errorf("%w %s; there are %s", ErrUnknownKey, key, keys)
	}
	return req, fmt.Errorf("%w: %s", workspace.ErrRequest, jsonerr.Text(err))
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

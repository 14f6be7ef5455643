package workspace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
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
	if err == nil {
		return nil
	}
	if key, ok := jsonerr.UnknownKey(err); ok {
		keys := cmp.Or(strings.Join(Keys(reflect.TypeOf(req).Elem()), ", "), "none")
		return fmt.Errorf("%w %s; there are %s", ErrUnknownKey, key, keys)
	}
	return fmt.Errorf("%w: %s", ErrRequest, jsonerr.Text(err))
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

// ErrUnknownKey marks a request with a key that there is not; it is an [ErrRequest].
var ErrUnknownKey = fmt.Errorf("%w: unknown key", ErrRequest)

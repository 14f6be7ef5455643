package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// CodeRequestFailed is LSP's RequestFailed (3.17): the request was understood,
// but could not be carried out. The protocol library does not name it.
const CodeRequestFailed jsonrpc2.Code = -32803

// Params returns the request's parameters. Missing ones become an empty object.
func Params(req *jsonrpc2.Request) jsonrpc2.RawMessage {
	if p := req.Params(); len(p) > 0 {
		return p
	}
	return jsonrpc2.RawMessage("{}")
}

// Decode reads parameters into v.
func Decode(raw jsonrpc2.RawMessage, v any) error {
	if err := protocol.Unmarshal(raw, v); err != nil {
		why := fault("", json.RawMessage(raw), reflect.TypeOf(v), false)
		if !json.Valid(raw) {
			why = "not JSON"
		}
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, "invalid parameters: "+
			cmp.Or(why, strings.TrimPrefix(err.Error(), "protocol: ")))
	}
	return nil
}

// fault explains why some JSON does not fit a type, "" if it finds no reason. With required, it looks for a
// missing key; otherwise for a value of the wrong JSON type. A field is required unless its tag has an option,
// such as omitempty, or it is a slice or a bool. Values that may have several types are not checked.
func fault(key string, raw json.RawMessage, t reflect.Type, required bool) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var err error
	switch t.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		err = json.Unmarshal(raw, &members)
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			name = cmp.Or(name, strings.ToLower(f.Name))
			at, member := strings.TrimPrefix(key+"."+name, "."), members[name]
			switch {
			case !f.IsExported() || f.Anonymous:
			case len(member) > 0 && string(member) != "null":
				if why := fault(at, member, f.Type, required); why != "" {
					return why
				}
			case required && err == nil && options == "" && f.Type.Kind() != reflect.Slice && f.Type.Kind() != reflect.Bool:
				return "key `" + at + "` is missing"
			}
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // raw JSON
			return ""
		}
		var items []json.RawMessage
		err = json.Unmarshal(raw, &items)
		for i, item := range items {
			if why := fault(fmt.Sprintf("%s[%d]", key, i), item, t.Elem(), required); why != "" {
				return why
			}
		}
	case reflect.String, reflect.Bool, reflect.Uint32, reflect.Float64, reflect.Int32:
		err = json.Unmarshal(raw, reflect.New(t).Interface())
	}
	if err == nil || required {
		return ""
	}
	return jsonerr.At(key, err)
}

// DecodeMembers decodes a JSON object in one pass. Each member goes into the field with that key in one of two
// structs; shared has the fields that all requests have. Other keys are errors, so that a misspelt option does not
// pass silently.
func DecodeMembers(raw []byte, own, shared any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if open, _ := dec.Token(); open != json.Delim('{') {
		return errors.New("the request is not a JSON object")
	}
	fields := map[string]any{}
	there := fmt.Sprintf("the keys are %s; every request can also have %s", members(own, fields), members(shared, fields))
	for dec.More() {
		token, _ := dec.Token()
		key, _ := token.(string)
		field, ok := fields[key]
		if !ok {
			return fmt.Errorf("unknown key `%s`; %s", sanitize.Line(key, maxKey), there)
		}
		if err := dec.Decode(field); err != nil {
			return errors.New(jsonerr.At(key, err))
		}
	}
	return nil
}

// maxKey bounds the quoted part of an unknown key, in characters.
const maxKey = 200

// members adds the fields of a struct to fields by key, and returns a list of the keys.
func members(of any, fields map[string]any) string {
	var keys []string
	v := reflect.ValueOf(of).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || key == "" || key == "-" || fields[key] != nil {
			continue
		}
		fields[key] = v.FieldByIndex(f.Index).Addr().Interface()
		keys = append(keys, key)
	}
	return cmp.Or(strings.Join(keys, ", "), "none")
}

// DecodeRequired decodes the parameters of a request into v, and refuses them if a required key is missing: a
// missing position does not mean the beginning of the document. Lists and switches may be missing, and are then
// empty or off.
func DecodeRequired(raw jsonrpc2.RawMessage, v any) error {
	if err := Missing(raw, v); err != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid parameters: %v", err)
	}
	return Decode(raw, v)
}

// Missing refuses parameters without a key that DecodeRequired requires.
func Missing(raw []byte, v any) error {
	if why := fault("", raw, reflect.TypeOf(v), true); why != "" {
		return errors.New(why)
	}
	return nil
}

// ItemData decodes the data that one of our items brought back from the client. what names the item in errors.
func ItemData(what string, data protocol.LSPAny, v any) error {
	if len(data) == 0 || DecodeRequired(jsonrpc2.RawMessage(data), v) != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s.data is not from this server; request the item again", what)
	}
	return nil
}

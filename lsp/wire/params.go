package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// CodeRequestFailed is LSP's RequestFailed (3.17): the request was understood,
// but could not be carried out. The protocol library does not name it.
const CodeRequestFailed jsonrpc2.Code = -32803

// Params returns the request's parameters; absent ones read as an empty object.
func Params(req *jsonrpc2.Request) jsonrpc2.RawMessage {
	if p := req.Params(); len(p) > 0 {
		return p
	}
	return jsonrpc2.RawMessage("{}")
}

// Decode reads parameters into v.
func Decode(raw jsonrpc2.RawMessage, v any) error {
	if err := protocol.Unmarshal(raw, v); err != nil {
		why := Mismatch("", json.RawMessage(raw), reflect.TypeOf(v))
		if !json.Valid(raw) {
			why = "not JSON"
		}
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, "invalid parameters: "+
			cmp.Or(why, strings.TrimPrefix(err.Error(), "protocol: ")))
	}
	return nil
}

// Mismatch says which key of some JSON is not what a type is read from, "" where it finds
// none; it does not look into what may be of several types.
func Mismatch(key string, raw json.RawMessage, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	raw = bytes.TrimSpace(raw)
	var want string
	var ok bool
	switch t.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		want, ok = "an object", json.Unmarshal(raw, &members) == nil
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			if member, given := members[name]; given && f.IsExported() && !f.Anonymous && string(member) != "null" {
				if why := Mismatch(strings.TrimPrefix(key+"."+name, "."), member, f.Type); why != "" {
					return why
				}
			}
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // raw JSON
			return ""
		}
		var items []json.RawMessage
		want, ok = "a list", json.Unmarshal(raw, &items) == nil
		for i, item := range items {
			if why := Mismatch(fmt.Sprintf("%s[%d]", key, i), item, t.Elem()); why != "" {
				return why
			}
		}
	case reflect.String:
		want, ok = "a string", len(raw) > 0 && raw[0] == '"'
	case reflect.Bool:
		want, ok = "true or false", string(raw) == "true" || string(raw) == "false"
	case reflect.Uint32:
		want, ok = "a whole number from 0", json.Unmarshal(raw, new(uint32)) == nil
	case reflect.Float64:
		want, ok = "a number", json.Unmarshal(raw, new(float64)) == nil
	case reflect.Int32:
		want, ok = "a whole number", json.Unmarshal(raw, new(int32)) == nil
	default:
		return ""
	}
	if ok || len(raw) == 0 {
		return ""
	}
	if key != "" {
		key = "key `" + key + "`: "
	}
	return key + "expected " + want + ", got " + jsonKind(raw)
}

// jsonKind says what a JSON value is; a number is told as it is.
func jsonKind(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	}
	return string(raw[:min(len(raw), 30)])
}

// DecodeRequired reads the parameters of a request into v, and refuses those that lack what the protocol
// requires: a position that is not there is not the beginning of the document. Lists and switches may be
// missing, which says none and no.
func DecodeRequired(raw jsonrpc2.RawMessage, v any) error {
	if key := missing("", json.RawMessage(raw), reflect.TypeOf(v)); key != "" {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid parameters: key `%s` is missing", key)
	}
	return Decode(raw, v)
}

// missing is the first key that some JSON lacks of what a type requires, which are the fields that are
// not left out when they are zero; "" for none.
func missing(key string, raw json.RawMessage, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return "" // a type that reads itself
		}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || f.Anonymous {
				continue
			}
			at, member := strings.TrimPrefix(key+"."+name, "."), members[name]
			if len(member) > 0 && string(member) != "null" {
				if lacks := missing(at, member, f.Type); lacks != "" {
					return lacks
				}
			} else if options == "" && f.Type.Kind() != reflect.Slice && f.Type.Kind() != reflect.Bool {
				return at
			}
		}
	case reflect.Slice:
		var items []json.RawMessage
		if t.Elem().Kind() == reflect.Uint8 || json.Unmarshal(raw, &items) != nil {
			return "" // raw JSON
		}
		for i, item := range items {
			if lacks := missing(fmt.Sprintf("%s[%d]", key, i), item, t.Elem()); lacks != "" {
				return lacks
			}
		}
	}
	return ""
}

// ItemData reads what an item of ours took through the client; the item is called what.
func ItemData(what string, data protocol.LSPAny, v any) error {
	if len(data) == 0 || DecodeRequired(jsonrpc2.RawMessage(data), v) != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s.data is not what the server sent; ask for it again", what)
	}
	return nil
}

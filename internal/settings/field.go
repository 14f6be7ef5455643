package settings

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Prefix begins the key of each setting, and is the section that clients are asked for.
const Prefix = "brv"

// The values of a field's project tag; see the package comment.
const (
	projectAny         = ""
	projectAdds        = "adds"
	projectSwitchesOff = "switchesOff"
	projectLowers      = "lowers"
	projectKeeps       = "keeps"
	projectNever       = "never"
)

// machineScope marks settings that only the user's own settings may contain.
const machineScope = "machine"

// field is one setting as its tags describe it.
type field struct {
	key      string // group.field
	group    string // Go names of the group's type and of the field, which lead to the comment
	name     string
	index    []int // in Settings
	kind     reflect.Type
	enum     []string
	min, max int // of a number
	scope    string
	project  string
	only     string
}

// fields are all settings, in the order of the struct.
var fields = sync.OnceValue(func() []field {
	var all []field
	groups := reflect.TypeFor[Settings]()
	for i := range groups.NumField() {
		group := groups.Field(i)
		for j := range group.Type.NumField() {
			f := group.Type.Field(j)
			x := field{
				key: group.Tag.Get("json") + "." + f.Tag.Get("json"), group: group.Type.Name(), name: f.Name,
				index: []int{i, j}, kind: f.Type,
				scope: f.Tag.Get("scope"), project: f.Tag.Get("project"), only: f.Tag.Get("only"),
			}
			if enum := f.Tag.Get("enum"); enum != "" {
				x.enum = strings.Split(enum, ",")
			}
			x.min, _ = strconv.Atoi(f.Tag.Get("min")) // none: 0, and only numbers have one
			x.max, _ = strconv.Atoi(f.Tag.Get("max"))
			all = append(all, x)
		}
	}
	return all
})

// fieldOf finds a setting by its key.
func fieldOf(key string) (field, bool) {
	for _, f := range fields() {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// isGroup reports whether settings stand below a key.
func isGroup(key string) bool {
	for _, f := range fields() {
		if key == Prefix || strings.HasPrefix(f.key, key+".") {
			return true
		}
	}
	return false
}

// in is the field's value in s.
func (f field) in(s *Settings) reflect.Value { return reflect.ValueOf(s).Elem().FieldByIndex(f.index) }

// initial is the field's default.
func (f field) initial() any {
	s := Default()
	return f.in(&s).Interface()
}

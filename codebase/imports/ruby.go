package imports

import (
	"strings"
	"unicode"
)

// rubyTarget resolves a path that starts at the file's folder, or at a folder of the load path: it is the closest
// file whose path ends in it. By convention, the files of Elixir's modules have the modules' names.
func rubyTarget(r *Resolver, f *File, rel string) Target {
	rel = strings.Replace(rel, ".rb.rb", ".rb", 1)
	if p, ok := joinInside(dirOf(f.Path), rel); ok && r.has(p) {
		return Target{Paths: []string{p}}
	}
	if p := r.pathsBySuffix().only(f.Path, rel); p != "" {
		return Target{Paths: []string{p}}
	}
	return Target{Reason: External}
}

// snakeCase returns the path of an Elixir module: shop/order_line for Shop.OrderLine.
func snakeCase(module string) string {
	var b strings.Builder
	for i, c := range module {
		if unicode.IsUpper(c) && i > 0 && module[i-1] != '.' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.ReplaceAll(b.String(), ".", "/")
}

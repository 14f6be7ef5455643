package imports

import (
	"strings"
	"unicode"
)

// rubyTarget resolves a path that starts beside the file, or at a folder of those that a program is given: the
// file that ends so and stands closest. Elixir's modules stand in files that are called as they are.
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

// snakeCase makes the path of an Elixir module: Shop.OrderLine is shop/order_line.
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

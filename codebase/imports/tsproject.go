package imports

import (
	"path"
	"slices"
	"strings"
)

// projectOf returns the configuration for a file: the nearest one that includes it, itself or through a reference,
// as editors choose; or else the nearest one.
func (r *Resolver) projectOf(p string) *scriptConfig {
	var first *scriptConfig
	for dir := range upwards(dirOf(p)) {
		if c, ok := r.scripts.configs[dir]; ok {
			if first == nil {
				first = c
			}
			if found := c.including(p); found != nil {
				return found
			}
		}
	}
	return first
}

// including returns the project that includes p: c itself, or one that it references.
func (c *scriptConfig) including(p string) *scriptConfig {
	if c.includes(p) {
		return c
	}
	if len(c.references) == 0 {
		return nil
	}
	seen := map[*scriptConfig]bool{c: true}
	queue := []*scriptConfig{c}
	for i := 0; i < len(queue); i++ {
		if queue[i].includes(p) {
			return queue[i]
		}
		for _, ref := range queue[i].references {
			if !seen[ref] {
				seen[ref] = true
				queue = append(queue, ref)
			}
		}
	}
	return nil
}

func (c *scriptConfig) includes(p string) bool {
	if slices.Contains(c.files, p) {
		return true
	}
	if c.include == nil && c.files != nil {
		return false
	}
	if c.include == nil {
		if _, ok := under(p, c.dir); !ok {
			return false
		}
	} else if !slices.ContainsFunc(c.include, func(g string) bool { return includesPath(g, p) }) {
		return false
	}
	return !slices.ContainsFunc(c.exclude, func(g string) bool { return includesPath(g, p) })
}

// includesPath matches an include pattern. A folder matches everything in it.
func includesPath(pattern, p string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		_, ok := under(p, pattern)
		return ok
	}
	return fits(pattern, p) || fits(pattern+"/**", p)
}

// overlaid returns the other places that rootDirs gives to a path.
func (c *scriptConfig) overlaid(p string) []string {
	var out []string
	best, rest := -1, ""
	for i, root := range c.rootDirs {
		if s, ok := under(p, root); ok && (best < 0 || len(root) > len(c.rootDirs[best])) {
			best, rest = i, s
		}
	}
	for i, root := range c.rootDirs {
		if best >= 0 && i != best {
			out = append(out, path.Join(root, rest))
		}
	}
	return out
}

// lookup returns the places that the project's paths give to a specifier. ok reports whether a pattern matches.
func (c *scriptConfig) lookup(spec string) ([]string, bool) { return lookupMapping(c.paths, spec) }

func lookupMapping(mappings []pathMapping, spec string) ([]string, bool) {
	for _, m := range mappings {
		if !m.star && spec == m.prefix {
			return m.targets, true
		}
		if !m.star || len(spec) < len(m.prefix)+len(m.suffix) ||
			!strings.HasPrefix(spec, m.prefix) || !strings.HasSuffix(spec, m.suffix) {
			continue
		}
		middle := spec[len(m.prefix) : len(spec)-len(m.suffix)]
		out := make([]string, len(m.targets))
		for i, t := range m.targets {
			out[i] = path.Clean(strings.Replace(t, "*", middle, 1))
		}
		return out, true
	}
	return nil, false
}

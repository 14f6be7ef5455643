package edges

import "strings"

// Sure describes in words the evidence that one place uses another.
type Sure string

// The ways, the surest first.
const (
	SameRoute  Sure = "same method and path"
	SameRoad   Sure = "same path"               // one of them does not state the method
	SameEnd    Sure = "the paths end alike"     // the call's path may be preceded by more
	SameFile   Sure = "generated from the file" // as its head says
	SameRemote Sure = "same service name"
)

// Place is a fact of a file of a repository, both by number.
type Place struct {
	Repository, File int
	Fact
}

// Edge is a use of what another repository offers.
type Edge struct {
	User, Used Place
	Sure       Sure
}

// Join finds uses of other repositories. If two repositories offer the same, it is not joined, and neither is
// a use of the repository's own offer.
func Join(places []Place) (edges []Edge) {
	offers := map[string][]Place{} // by kind and key, of routes without the method
	ends := map[string][]Place{}   // routes by the end of the path
	for _, p := range places {
		if !p.Offers {
			continue
		}
		if p.Kind == Proto { // the generator is run in some folder above it
			for rest, more := p.Key, true; more && strings.Contains(rest, "/"); _, rest, more = strings.Cut(rest, "/") {
				offers[string(Proto)+rest] = append(offers[string(Proto)+rest], p)
			}
			continue
		}
		if p.Kind != Route {
			offers[string(p.Kind)+p.Key] = append(offers[string(p.Kind)+p.Key], p)
			continue
		}
		path := p.path()
		if strings.Count(path, "/") < 2 || fixed(path) == 0 {
			continue
		}
		offers[path] = append(offers[path], p)
		for rest := path; ; {
			i := strings.IndexByte(rest[1:], '/')
			if i < 0 {
				break
			}
			if rest = rest[1+i:]; fixed(rest) >= 2 {
				ends[rest] = append(ends[rest], p)
			}
		}
	}
	for _, user := range places {
		if user.Offers {
			continue
		}
		sure := map[Kind]Sure{Proto: SameFile, Service: SameRemote}[user.Kind]
		found := offers[string(user.Kind)+user.Key]
		if user.Kind == Route {
			if found, sure = offers[user.path()], SameRoad; len(found) == 0 {
				if found, sure = ends[user.path()], SameEnd; !alike(found, Place.path) {
					continue
				}
			}
		}
		one := alike(found, func(p Place) int { return p.Repository })
		if !one || user.Kind == Proto && len(found) > 1 || found[0].Repository == user.Repository {
			continue
		}
		for _, used := range found {
			switch how, same := verbs(user.Key, used.Key); {
			case user.Kind != Route:
				edges = append(edges, Edge{user, used, sure})
			case !same:
			case sure == SameRoad && how:
				edges = append(edges, Edge{user, used, SameRoute})
			default:
				edges = append(edges, Edge{user, used, sure})
			}
		}
	}
	return edges
}

// verbs compares the methods of two routes: whether both are stated, and whether they can be the same.
func verbs(a, b string) (both, same bool) {
	v, _, _ := strings.Cut(a, " ")
	w, _, _ := strings.Cut(b, " ")
	return v != "*" && w != "*", v == w || v == "*" || w == "*"
}

// alike reports whether there are places and they all agree.
func alike[T comparable](found []Place, of func(Place) T) bool {
	for _, p := range found {
		if of(p) != of(found[0]) {
			return false
		}
	}
	return len(found) > 0
}

// path is the path of a route.
func (p Place) path() string {
	_, path, _ := strings.Cut(p.Key, " ")
	return path
}

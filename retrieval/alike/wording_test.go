package alike

import "testing"

func TestSingularTakesOffThePluralOnly(t *testing.T) {
	for plural, want := range map[string]string{
		"tokens": "token", "policies": "policy", "queries": "query", "ids": "id", "indices": "index", "children": "child",
		"https": "https", "aws": "aws", "dns": "dns", "class": "class", "status": "status", "analysis": "analysis",
		"windows": "windows", "williams": "williams", "settings": "setting", "set": "set", "authority": "authority", "news": "news",
	} {
		if got := singular(plural); got != want {
			t.Errorf("%s: %s, want %s", plural, got, want)
		}
	}
	for one, many := range map[string]string{
		"cache": "caches", "class": "classes", "box": "boxes", "branch": "branches", "cookie": "cookies", "case": "cases",
		"alias": "aliases", "status": "statuses", "database": "databases", "process": "processes", "movie": "movies", "size": "sizes",
	} {
		if singular(one) != singular(many) {
			t.Errorf("%s: %s, but %s: %s", one, singular(one), many, singular(many))
		}
	}
	for a, b := range map[string]string{"pip": "pipe", "strip": "stripe", "http": "https", "io": "ios", "new": "news", "bus": "buss"} {
		if singular(a) == singular(b) {
			t.Errorf("%s and %s are one", a, b)
		}
	}
}

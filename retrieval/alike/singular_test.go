package alike

import "testing"

func TestSingularTakesOffThePluralOnly(t *testing.T) {
	for plural, want := range map[string]string{
		"tokens": "token", "policies": "policy", "caches": "cache",
		"classes": "class", "boxes": "box", "databases": "database",
		"branches": "branch", "settings": "setting", "sizes": "size",
		"https": "https", "ios": "ios", "aws": "aws", "dns": "dns", "css": "css", "class": "class", "status": "status",
		"windows": "windows", "news": "news", "does": "does",
		"this": "this", "authority": "authority",
	} {
		if got := singular(plural); got != want {
			t.Errorf("%s: %s, want %s", plural, got, want)
		}
	}
}

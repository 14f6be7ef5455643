package documents

import (
	"path"
	"strings"

	"golang.org/x/text/language"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// languageTag matches a part of a path that names a language: fr, zh-hant, pt_BR. Codes of three letters are words more often.
var languageTag = lazyregexp.New(`^([a-z]{2})(?:[-_](?:[a-z]{2,4}|[A-Z]{2}|[A-Z][a-z]{3}))?$`)

// translations are the languages of the documents that say in another language what one of the others does. Nothing
// but the paths is looked at: a folder beside one called en (docs/fr/intro.md and docs/en/intro.md), a folder of
// i18n, and the name of a file that stands without the language too (README.fr.md, README_fr.md and README.md).
func translations(paths []string) map[string]string {
	there := make(map[string]bool, len(paths))
	english := map[string]bool{} // folders that hold a folder en
	for _, p := range paths {
		there[p] = true
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if path.Base(dir) == "en" {
				english[path.Dir(dir)] = true
			}
		}
	}
	out := map[string]string{}
	for _, p := range paths {
		if l := translated(p, there, english); l != "" {
			out[p] = l
		}
	}
	return out
}

func translated(p string, there, english map[string]bool) string {
	folders := strings.Split(path.Dir(p), "/")
	for i, name := range folders {
		above := path.Join(folders[:i]...)
		if above == "" {
			above = "."
		}
		foreign := name != "en" && isLanguage(name)
		if foreign && (i > 0 && folders[i-1] == "i18n" || english[above]) {
			return name
		}
	}
	ext := path.Ext(p)
	stem := strings.TrimSuffix(p, ext)
	for i := len(stem) - 1; i > 0 && len(stem)-i <= 8 && stem[i] != '/'; i-- {
		if tag := stem[i+1:]; strings.IndexByte("._-", stem[i]) < 0 || !isLanguage(tag) || !there[stem[:i]+ext] {
			continue
		} else if name := path.Base(stem[:i]); stem[i] == '.' || name == strings.ToUpper(name) { // use-js.md is no translation
			return tag
		}
	}
	return ""
}

// isLanguage reports whether a name begins with a code of ISO 639-1.
func isLanguage(name string) bool {
	m := languageTag().FindStringSubmatch(name)
	if m == nil {
		return false
	}
	_, err := language.ParseBase(m[1])
	return err == nil
}

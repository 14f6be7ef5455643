package documents

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// languageTag matches a part of a path that may name a language: fr, zh-hant, pt_BR, ckb-IR. A code of three
// letters without a region is usually another word (how-to).
var languageTag = lazyregexp.New(`^[a-z]{2}(?:[-_](?:[a-z]{2}|[A-Z]{2}|[a-zA-Z]{4}|[0-9]{3}))?(?:[-_][A-Z]{2})?$|^[a-z]{3}[-_][A-Z]{2}$`)

// isLanguage reports whether a name is a tag of BCP 47 that begins with a code of ISO 639.
func isLanguage(name string) bool {
	if !languageTag().MatchString(name) {
		return false
	}
	_, err := language.Parse(name)
	return err == nil
}

// isCapitalTag is isLanguage for a name in capitals (README_EN), which may also name a country (README_CN). Codes
// of countries with the Latin script are more often other words (CI, AI).
func isCapitalTag(name string) bool {
	if len(name) != 2 || name != strings.ToUpper(name) {
		return false
	}
	country, err := language.Parse("und-" + name)
	script, _ := country.Script()
	return isLanguage(strings.ToLower(name)) || err == nil && script.String() != "Latn"
}

// twin tells that a document is the translation of another.
type twin struct {
	language string // as in the path
	of       string // the path of the original; "" if it is not known
}

// part is a part of a path that names a language.
type part struct {
	path, language string
	folder         string // the folder with that name; "" if the file's name ends in it
	sure           bool   // the name cannot be another word
}

// translations returns the documents that are translations. It looks only at paths. Paths that differ only in a
// language tag form a family; its original is the one without a tag, or else the English one. A tag is a folder
// (docs/fr/intro.md) or the end of a file's name (README.fr.md, README_fr.md). A short tag may be another word
// (io, is). It counts next to en, in a folder of documents or of i18n, in capitals, or if others have a tag in the
// same place. A folder of translations must have originals for most of its pages; then everything in it is in that
// language.
func translations(paths []string) map[string]twin {
	there, families := make(map[string]bool, len(paths)), map[string][]part{}
	for _, p := range paths {
		there[p] = true
		folders := strings.Split(path.Dir(p), "/")
		for i, name := range folders {
			if !isLanguage(name) {
				continue
			}
			above := ""
			if i > 0 {
				above = folders[i-1]
			}
			key := path.Join(path.Join(folders[:i]...), path.Join(folders[i+1:]...), path.Base(p))
			families[key] = append(families[key], part{p, name, path.Join(folders[:i+1]...), len(name) > 2 || above == i18n || pages[above]})
		}
		ext := path.Ext(p)
		stem := strings.TrimSuffix(p, ext)
		for i := len(stem) - 1; i > 0 && stem[i] != '/'; i-- {
			if strings.IndexByte("._-", stem[i]) < 0 {
				continue
			}
			name, tag := path.Base(stem[:i]), stem[i+1:]
			capitals := name == strings.ToUpper(name)
			if isLanguage(tag) || capitals && isCapitalTag(tag) {
				families[stem[:i]+ext] = append(families[stem[:i]+ext], part{p, tag, "", len(tag) > 2 || stem[i] == '.' || capitals})
			}
		}
	}
	out, mirrors := map[string]twin{}, map[string]int{} // by folder: twice the pages with an original, minus all pages
	for key, parts := range families {
		of := key
		if i := slices.IndexFunc(parts, part.english); !there[key] && i >= 0 {
			of = parts[i].path
		} else if !there[key] {
			continue
		}
		for _, p := range parts {
			switch {
			case p.path == of:
			case p.sure, p.folder == "" && len(parts) > 1, p.folder != "" && (of != key || !anywhere(key)):
				out[p.path] = twin{p.language, of}
				mirrors[p.folder] += 2
			}
		}
	}
	byName := map[string][]string{}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if _, ok := mirrors[dir]; ok {
				mirrors[dir]--
			}
		}
		if !slices.Contains(strings.Split(path.Dir(p), "/"), i18n) {
			byName[path.Base(p)] = append(byName[path.Base(p)], p)
		}
	}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			name, inI18n := path.Base(dir), path.Base(path.Dir(dir)) == i18n
			over, mirrored := mirrors[dir]
			switch {
			case mirrored && over < 0 && !inI18n:
				if out[p].language == name {
					delete(out, p)
				}
			case out[p].language != "":
			case inI18n && name != "en" && isLanguage(name):
				out[p] = twin{name, ending(strings.TrimPrefix(p, dir+"/"), byName[path.Base(p)])}
			case mirrored:
				out[p] = twin{language: name}
			}
		}
	}
	return out
}

// i18n is the folder for translations in site generators.
const i18n = "i18n"

func (p part) english() bool {
	tag := strings.ToLower(p.language)
	return tag == "en" || strings.HasPrefix(tag, "en-") || strings.HasPrefix(tag, "en_")
}

// anywhere reports whether a file's name occurs in any folder, so that it does not identify a page.
func anywhere(p string) bool {
	stem := strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p)))
	return named[stem] != "" || stem == "index"
}

// ending returns the only path among those with the same name that shares most of its last folders with p, or "".
func ending(p string, among []string) (of string) {
	for ; of == ""; p = p[strings.IndexByte(p, '/')+1:] {
		for _, o := range among {
			if (o == p || strings.HasSuffix(o, "/"+p)) && (strings.Contains(p, "/") || !anywhere(p)) {
				if of != "" {
					return ""
				}
				of = o
			}
		}
		if !strings.Contains(p, "/") {
			break
		}
	}
	return of
}

// wordsOf returns the words of a text in lower case. In scripts without spaces, each character is a word.
func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		w = strings.ToLower(w)
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) }) {
			for _, r := range w {
				out[string(r)] = true
			}
			continue
		}
		out[w] = true
	}
	return out
}

package documents

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// languageTag matches a part of a path that may name a language: fr, zh-hant, pt_BR, ckb-IR. A code of three letters
// is a word more often (how-to).
var languageTag = lazyregexp.New(`^[a-z]{2}(?:[-_](?:[a-z]{2}|[A-Z]{2}|[a-zA-Z]{4}|[0-9]{3}))?(?:[-_][A-Z]{2})?$|^[a-z]{3}[-_][A-Z]{2}$`)

// isLanguage reports whether a name is a tag of BCP 47 that begins with a code of ISO 639.
func isLanguage(name string) bool {
	if !languageTag().MatchString(name) {
		return false
	}
	_, err := language.Parse(name)
	return err == nil
}

// isCapitalTag is isLanguage of a name in capitals (README_EN), which may be that of a country too (README_CN). Those of
// countries that write as English does are other words more often (CI, AI).
func isCapitalTag(name string) bool {
	if len(name) != 2 || name != strings.ToUpper(name) {
		return false
	}
	country, err := language.Parse("und-" + name)
	script, _ := country.Script()
	return isLanguage(strings.ToLower(name)) || err == nil && script.String() != "Latn"
}

// twin says that a document says in a language what another one does.
type twin struct {
	language string // as the path has it
	of       string // the path of the original; "" where it is not known
}

// part is where a path names a language.
type part struct {
	path, language string
	folder         string // that is called so; "" where the file's name ends with it
	sure           bool   // the name is no other word's
}

// translations are the documents that say in another language what one of the others does, a family each: of paths that
// differ in a language's tag alone the one without a tag is the original, else the English one. Nothing but the paths is
// looked at. A tag is a folder (docs/fr/intro.md), or ends a file's name (README.fr.md, README_fr.md). A short one may
// be another word (io, is), and counts where it is beside en, in a folder of documents or of i18n, where names are in capitals,
// or where others have a tag in the same place. Of most of what a folder of translations holds the original is there; all that
// it holds is in that language.
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
	out, mirrors := map[string]twin{}, map[string]int{} // by folder: how many originals its pages have beyond half of them
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

// i18n is the folder of translations that generators of sites have.
const i18n = "i18n"

func (p part) english() bool {
	tag := strings.ToLower(p.language)
	return tag == "en" || strings.HasPrefix(tag, "en-") || strings.HasPrefix(tag, "en_")
}

// anywhere reports whether a file's name stands in any folder, and so tells nothing.
func anywhere(p string) bool {
	stem := strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p)))
	return named[stem] != "" || stem == "index"
}

// ending is the one path among those of a name that has most of the last folders of another; "" without any.
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

// wordsOf are the words of a text, folded; of scripts without spaces each sign is one.
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

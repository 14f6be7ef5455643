package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source is a package with message catalogues.
type source struct {
	file, sha256 string
	licence      string
	read         func(files map[string][]byte, english map[string]string, emit func(language, english, foreign string))
}

// tags are the names that catalogues have for a language.
var tags = map[string][]string{
	"de": {"de"}, "fr": {"fr"}, "es": {"es"}, "pt-br": {"pt-br", "pt_br", "pt-BR", "pt_BR", "pt"},
	"zh": {"zh-hans", "zh-Hans", "zh_Hans", "zh-CN", "zh_CN", "zh-cn", "zh"}, "ja": {"ja"},
}

func languageOf(tag string) string {
	for language, names := range tags {
		if slices.Contains(names, tag) {
			return language
		}
	}
	return ""
}

// pair is a message and what it is in English.
type pair struct{ foreign, english string }

// readPackages reads the messages of all packages, by language, each once, in a fixed order.
func readPackages(dir string) (map[string][]pair, error) {
	found := map[string]map[pair]bool{}
	english := map[string]string{} // of Visual Studio Code, by number
	for _, s := range sources {
		data, err := os.ReadFile(filepath.Join(dir, s.file))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != s.sha256 {
			return nil, fmt.Errorf("%s: its SHA-256 is %s", s.file, got)
		}
		files, err := unpack(s.file, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
		s.read(files, english, func(language, english, foreign string) {
			if language == "" || english == foreign || english == "" || foreign == "" || len(english) > maxMessage {
				return
			}
			if found[language] == nil {
				found[language] = map[pair]bool{}
			}
			found[language][pair{foreign, english}] = true
		})
	}
	out := map[string][]pair{}
	for language, pairs := range found {
		out[language] = slices.SortedFunc(maps.Keys(pairs), func(a, b pair) int {
			return strings.Compare(a.english+"\x00"+a.foreign, b.english+"\x00"+b.foreign)
		})
	}
	return out, nil
}

// maxMessage is the length of the longest message used, in bytes: in long ones words stand beside too many others.
const maxMessage = 400

// unpack reads the files of an archive that may be catalogues.
func unpack(name string, data []byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	keep := func(p string, open func() (io.ReadCloser, error)) error {
		if !slices.Contains([]string{".json", ".js", ".po", ".properties"}, path.Ext(p)) {
			return nil
		}
		in, err := open()
		if err != nil {
			return err
		}
		defer in.Close()
		out[p], err = io.ReadAll(in)
		return err
	}
	if strings.HasSuffix(name, ".tgz") {
		plain, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		for in := tar.NewReader(plain); ; {
			h, err := in.Next()
			if err == io.EOF {
				return out, nil
			}
			if err != nil {
				return nil, err
			}
			if err := keep(h.Name, func() (io.ReadCloser, error) { return io.NopCloser(in), nil }); err != nil {
				return nil, err
			}
		}
	}
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	for _, f := range in.File {
		if err := keep(f.Name, f.Open); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type emit = func(language, english, foreign string)

var numbered = regexp.MustCompile(`localize2?\(\s*(\d+),\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)

// readNumbers reads the English messages of Visual Studio Code.
func readNumbers(files map[string][]byte, english map[string]string, _ emit) {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		for _, m := range numbered.FindAllSubmatch(files[p], -1) {
			english[string(m[1])] = unquoted(string(m[2]))
		}
	}
}

// unquoted is a string of JavaScript.
func unquoted(s string) string {
	body := strings.NewReplacer(`\'`, `'`, `\n`, " ", `\\`, `\`, `\"`, `"`).Replace(s[1 : len(s)-1])
	return body
}

// readPack reads a language pack of Visual Studio Code.
func readPack(language string) func(map[string][]byte, map[string]string, emit) {
	return func(files map[string][]byte, english map[string]string, emit emit) {
		for p, data := range files {
			if strings.HasSuffix(p, "main.i18n.json.js") {
				text := string(data)
				text = text[strings.Index(text, "[")+1:]
				n := 0
				for line := range strings.Lines(text) {
					line = strings.TrimSuffix(strings.TrimSpace(line), ",")
					if strings.HasPrefix(line, "]") {
						break
					}
					if line == "" {
						continue
					}
					if said, err := strconv.Unquote(line); err == nil {
						emit(language, english[strconv.Itoa(n)], said)
					}
					n++
				}
				continue
			}
			var extension struct {
				Contents struct{ Bundle map[string]string }
			}
			if json.Unmarshal(data, &extension) == nil {
				for key, said := range extension.Contents.Bundle {
					emit(language, key, said)
				}
			}
		}
	}
}

var numberBehind = regexp.MustCompile(`_\d+$`)

// readDiagnostics reads the messages of TypeScript, whose keys are English.
func readDiagnostics(files map[string][]byte, _ map[string]string, emit emit) {
	for p, data := range files {
		if path.Base(p) != "diagnosticMessages.generated.json" {
			continue
		}
		var all map[string]string
		if json.Unmarshal(data, &all) == nil {
			for key, said := range all {
				emit(languageOf(path.Base(path.Dir(p))), strings.ReplaceAll(numberBehind.ReplaceAllString(key, ""), "_", " "), said)
			}
		}
	}
}

// readTwins reads catalogues of which there is one for each language, with the same keys: JSON or properties.
func readTwins(files map[string][]byte, _ map[string]string, emit emit) {
	originals := map[string]map[string]string{}
	twins := func(each func(p, family, tag string)) {
		for p := range files {
			parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
			base := strings.TrimSuffix(parts[len(parts)-1], path.Ext(p))
			for i, part := range append(parts[:len(parts)-1:len(parts)-1], base) { // a folder, a name, or the end or beginning of one
				for tag := range knownTags {
					var rest string
					switch {
					case part == tag:
						rest = "*"
					case i == len(parts)-1 && strings.HasSuffix(part, "_"+tag):
						rest = strings.TrimSuffix(part, tag)
					case i == len(parts)-1 && hashed.MatchString(part) && part[:len(part)-33] == tag:
						rest = "*"
					default:
						continue
					}
					family := slices.Clone(parts)
					if family[i] = rest; i == len(parts)-1 {
						family[i] += path.Ext(p)
					}
					each(p, strings.Join(family, "/"), tag)
				}
			}
		}
	}
	twins(func(p, family, tag string) {
		if tag == "en" {
			originals[family] = flat(p, files[p])
		}
	})
	twins(func(p, family, tag string) {
		if original := originals[family]; original != nil && tag != "en" {
			for key, said := range flat(p, files[p]) {
				emit(languageOf(tag), original[key], said)
			}
		}
	})
}

var (
	hashed    = regexp.MustCompile(`-[0-9a-f]{32}$`)
	knownTags = func() map[string]bool {
		out := map[string]bool{"en": true}
		for _, names := range tags {
			for _, name := range names {
				out[name] = true
			}
		}
		return out
	}()
)

// flat reads messages by their keys.
func flat(p string, data []byte) map[string]string {
	out := map[string]string{}
	if path.Ext(p) == ".properties" {
		for line := range strings.Lines(strings.ReplaceAll(string(data), "\\\n", "")) {
			if key, said, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
				said = strings.TrimSpace(said)
				if text, err := strconv.Unquote(`"` + strings.NewReplacer(`"`, `\"`, `\:`, ":", `\=`, "=", `\!`, "!", `\#`, "#").Replace(said) + `"`); err == nil {
					said = text
				}
				out[strings.TrimSpace(key)] = said
			}
		}
		return out
	}
	var tree any
	if json.Unmarshal(data, &tree) != nil {
		return out
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			out[key] = v
		case map[string]any:
			for k, inner := range v {
				walk(key+"\x00"+k, inner)
			}
		}
	}
	walk("", tree)
	return out
}

// readGettext reads catalogues whose keys are the English messages: .po files, and JSON of Jupyter.
func readGettext(files map[string][]byte, _ map[string]string, emit emit) {
	for p, data := range files {
		_, below, ok := strings.Cut(p, "locale/")
		if !ok {
			_, below, ok = strings.Cut(p, "translations/")
		}
		tag, _, _ := strings.Cut(below, "/")
		language := languageOf(tag)
		if language == "" {
			language = languageOf(strings.Split(tag, "_")[0])
			if tag == "zh_TW" || tag == "zh_Hant" || tag == "pt" || strings.HasPrefix(tag, "es_") && tag != "es_ES" {
				language = ""
			}
		}
		if !ok || language == "" {
			continue
		}
		if path.Ext(p) == ".po" {
			readPO(string(data), func(english, said string) { emit(language, english, said) })
			continue
		}
		var all map[string]any
		if json.Unmarshal(data, &all) == nil {
			for key, v := range all {
				if said, ok := v.([]any); ok && len(said) > 0 {
					if s, ok := said[0].(string); ok {
						_, english, found := strings.Cut(key, "\x04")
						if !found {
							english = key
						}
						emit(language, english, s)
					}
				}
			}
		}
	}
}

func readPO(text string, emit func(english, said string)) {
	var id, said string
	var into *string
	fuzzy := false
	flush := func() {
		if id != "" && said != "" && !fuzzy {
			emit(id, said)
		}
		id, said, into, fuzzy = "", "", nil, false
	}
	for line := range strings.Lines(text + "\n\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			flush()
			continue
		case strings.HasPrefix(line, "#,"):
			fuzzy = strings.Contains(line, "fuzzy")
			continue
		case strings.HasPrefix(line, "msgid "):
			into = &id
		case strings.HasPrefix(line, "msgstr "), strings.HasPrefix(line, "msgstr[0] "):
			into = &said
		case !strings.HasPrefix(line, `"`):
			into = nil
		}
		if at := strings.IndexByte(line, '"'); at >= 0 && into != nil {
			if part, err := strconv.Unquote(line[at:]); err == nil {
				*into += part
			}
		}
	}
}

// sources are the packages, named as their registries name the files. The licences permit to use what is derived from them.
var sources = []source{
	{"codingame-monaco-vscode-api-25.1.2.tgz", "45efa38de0932d51215ecb74c9cfb446332ce24d1ffd65497df2ed0ca7270fd1",
		"MIT", readNumbers},
	{"apache_airflow_core-3.3.2-py3-none-any.whl", "99258922bccec15be4700ff89f3c942b8acd93407e263c287ce863e671bb3c50",
		"Apache-2.0", readTwins},
	{"apache_superset-6.1.0-py3-none-any.whl", "4b5886b2d6389a32df790aeae2532ad72529bce1af93b6edf2d1b2a8bf658748",
		"Apache-2.0", readGettext},
	{"codingame-monaco-vscode-language-pack-de-25.1.2.tgz", "ff572e9f8677b33f31c656892acf3ddabf1268dc2387933236ae124021b95675",
		"MIT", readPack("de")},
	{"codingame-monaco-vscode-language-pack-es-25.1.2.tgz", "1ca1f39231b9d8dbed64330849b0cbc338e92cb474a583cd4446ddede18b8b34",
		"MIT", readPack("es")},
	{"codingame-monaco-vscode-language-pack-fr-25.1.2.tgz", "2f79d6bf395908bb2b199e068bcffb442fba31897384b601c181dcac66dce660",
		"MIT", readPack("fr")},
	{"codingame-monaco-vscode-language-pack-ja-25.1.2.tgz", "1209aff226c15007203c17d758dedbcefc9797943147c8f4c0fd839e4fe5c894",
		"MIT", readPack("ja")},
	{"codingame-monaco-vscode-language-pack-pt-br-25.1.2.tgz", "09093ecd09b4b987d8c96f278a2e698f77bddda9103660ecf4e3f9b259c3fb76",
		"MIT", readPack("pt-br")},
	{"codingame-monaco-vscode-language-pack-zh-hans-25.1.2.tgz", "a8a44de3dbebad4396cac5a1ef4be1b678d4f53127e5522853dd556e44b4dc33",
		"MIT", readPack("zh")},
	{"django-5.2.19-py3-none-any.whl", "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
		"BSD-3-Clause", readGettext},
	{"home_assistant_frontend-20250109.2-py3-none-any.whl", "8c4f3e4336147ed405b86809baf15823367d0ec105a0da4f4bde168e693bdd2b",
		"Apache-2.0", readTwins},
	{"homeassistant-2024.3.3-py3-none-any.whl", "6e1ec2c07441d63fdcfb8acd2c4bbb6f68bc97330855784d3623d10c38fe3577",
		"Apache-2.0", readTwins},
	{"jupyterlab_language_pack_de_de-4.5.post3-py2.py3-none-any.whl", "b716b56f7e0c884f42152d5e36c253ea0f32ca41f99097d842d3934f4a4bc7fb",
		"BSD-3-Clause", readGettext},
	{"jupyterlab_language_pack_es_es-4.5.post3-py2.py3-none-any.whl", "8b315de006bc48d5798988cff6141f00694e411265011ea21570b4f459070381",
		"BSD-3-Clause", readGettext},
	{"jupyterlab_language_pack_fr_fr-4.5.post3-py2.py3-none-any.whl", "9f6ce9d4e64b367ff084a2313af29d6ad8a02d1d08000f3e6c53e2856fa9a11f",
		"BSD-3-Clause", readGettext},
	{"jupyterlab_language_pack_ja_jp-4.5.post3-py2.py3-none-any.whl", "f3fe9d9228f79fa5b289bb271564e106b75c21be79e7874a658ad2aa50901299",
		"BSD-3-Clause", readGettext},
	{"jupyterlab_language_pack_pt_br-4.5.post3-py2.py3-none-any.whl", "15bad442fd7180d05f99f89b452cf493a3f6ec51454f81d3a5531954e39439b6",
		"BSD-3-Clause", readGettext},
	{"jupyterlab_language_pack_zh_cn-4.5.post3-py2.py3-none-any.whl", "47cdb0c41c6b066e795c867786c9c29fde527e2bf15aa6b3e9b2bab9929304b5",
		"BSD-3-Clause", readGettext},
	{"keycloak-admin-ui-26.0.0.jar", "7c1f17e0f9366c1705da5515902626f49f5c913573f411058e0a8f8f13513017",
		"Apache-2.0", readTwins},
	{"keycloak-themes-26.0.0.jar", "07775944375e6577c90cd67dabef69f181a67cca58ef36dae88998d864fd8af9",
		"Apache-2.0", readTwins},
	{"typescript-5.9.3.tgz", "10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3",
		"Apache-2.0", readDiagnostics},
}

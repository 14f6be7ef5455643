package markdown

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/yuin/goldmark" // its module brings the examples of CommonMark
)

// example is one of the examples of the CommonMark specification, with the HTML that it asks for.
type example struct {
	Markdown, HTML, Section string
	Example                 int
}

// commonMark reads the examples that goldmark's module brings.
func commonMark(t *testing.T) (examples []example) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	return examples
}

var (
	renderedLink    = regexp.MustCompile(`<(?:a href|img src)="([^"]*)"`)
	renderedHeading = regexp.MustCompile(`<h([1-6])>`)
	renderedCode    = regexp.MustCompile(`(?s)<pre><code[^>]*>(.*?)</code></pre>`)
	autolink        = regexp.MustCompile(`<[a-zA-Z][a-zA-Z0-9+.-]+:[^<>\s]*>|<[^<>\s@]+@[^<>\s]+>`)
)

// different has the examples that this package reads otherwise, by the reason.
var different = map[string][]int{
	"a line far to the right goes on with a paragraph":                      {70, 87},
	"an underline makes a heading of one line, of more than three letters":  {81, 82, 83, 91, 95, 96, 215, 216},
	"a tag is read on its own line, with its links":                         {182, 344, 617, 622, 624, 632, 642, 643},
	"a definition is read on its own line, whatever its title":              {197, 201, 213},
	"a label is of one line, without escaped brackets, in plain lower case": {194, 540, 541, 549},
	"what nearly is a link is read as one, so that its target is checked":   {345, 493, 508},
	"links in the text of a picture lead somewhere as well":                 {520, 574, 575},
	"two brackets are a wiki link, and (…) behind a text is a target":       {559, 568},
}

// The links, headings and code of the examples of CommonMark, but for those that differ on purpose.
func TestCommonMark(t *testing.T) {
	reasons := map[int]string{}
	for reason, examples := range different {
		for _, n := range examples {
			reasons[n] = reason
		}
	}
	for _, x := range commonMark(t) {
		want, got := x.rendered(), x.read()
		switch reason := reasons[x.Example]; {
		case want != got && reason == "":
			t.Errorf("%d (%s) %q\n want %s\n got  %s", x.Example, x.Section, x.Markdown, want, got)
		case want == got && reason != "":
			t.Errorf("%d is read as CommonMark has it: it is not different any more (%s)", x.Example, reason)
		}
	}
}

// rendered lists the links, headings and lines of blocks of code in the HTML of the example.
func (x example) rendered() string {
	var links, headings, code []string
	for _, m := range renderedLink.FindAllStringSubmatch(x.HTML, -1) {
		if to := html.UnescapeString(m[1]); !strings.HasPrefix(to, "mailto:") {
			links = append(links, comparable(to))
		}
	}
	for _, m := range renderedHeading.FindAllStringSubmatch(x.HTML, -1) {
		headings = append(headings, m[1])
	}
	for _, m := range renderedCode.FindAllStringSubmatch(x.HTML, -1) {
		code = append(code, strings.Fields(html.UnescapeString(m[1]))...)
	}
	slices.Sort(links)
	return fmt.Sprint(slices.Compact(links), headings, code)
}

// read lists the same as this package reads it.
func (x example) read() string {
	var links, headings, code []string
	defined, definitions := map[string]string{}, map[int]bool{}
	found := Links(x.Markdown, 0)
	for _, l := range found {
		if l.Kind == LinkDefiner {
			definitions[l.Start] = true
			label, _, _ := strings.Cut(x.Markdown[l.Start+1:l.To.Start], "]:")
			if _, twice := defined[labelKey(label)]; !twice {
				defined[labelKey(label)] = l.Target(x.Markdown).Of(x.Markdown)
			}
		}
	}
	for _, l := range found {
		to := l.Target(x.Markdown).Of(x.Markdown)
		switch l.Kind {
		case LinkDefiner, WikiLink:
			continue
		case LinkUse:
			var ok bool
			if to, ok = defined[labelKey(to)]; !ok || definitions[l.Start] {
				continue
			}
		}
		if l.Kind != LinkAttribute {
			to = Unescaped(to)
		}
		links = append(links, comparable(to))
	}
	for _, m := range autolink.FindAllString(Said(x.Markdown, 0), -1) {
		if !strings.Contains(m, "@") || strings.Contains(m, ":") {
			links = append(links, comparable(m[1:len(m)-1]))
		}
	}
	for _, h := range Headings(x.Markdown, 0) {
		headings = append(headings, fmt.Sprint(h.Level))
	}
	for l := range Lines(x.Markdown) {
		switch {
		case l.Fence == FenceText:
			code = append(code, strings.Fields(strings.TrimPrefix(l.At.Of(x.Markdown), "> "))...)
		case l.Fence == Indented:
			code = append(code, strings.Fields(x.Markdown[l.text:l.At.End])...)
		}
	}
	slices.Sort(links)
	return fmt.Sprint(slices.Compact(links), headings, code)
}

// comparable is a destination without percent signs and entities.
func comparable(to string) string {
	if plain, err := url.PathUnescape(html.UnescapeString(to)); err == nil {
		return plain
	}
	return to
}

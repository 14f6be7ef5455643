package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two! Three? Four":                        "One.|Two!|Three?|Four",
		"Use e.g. `a. B` or v1.2. Then stop.":          "Use e.g. `a. B` or v1.2.|Then stop.",
		"See net.Dial. it is lower. J. Smith wrote it": "See net.Dial. it is lower.|J. Smith wrote it",
		"無線は起きる。すぐに眠る。":                                "無線は起きる。|すぐに眠る。",
		"A sentence (etc.) here. 42 follows.":          "A sentence (etc.) here.|42 follows.",
		"**First.** *Then* it\ngoes on.\nNext":         "**First.** *Then* it\ngoes on.|Next",
		"":                                             "",
	} {
		if diff := cmp.Diff(want, strings.Join(Sentences(text), "|")); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

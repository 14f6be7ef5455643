package curate

import (
	"strings"
	"testing"
)

// Whatever a file of review comments holds, reading it ends, in few threads of its own text.
func TestMarksBeforeThreadsAreNoPartOfThem(t *testing.T) {
	const comment = `[{"path": "a.go", "diff_hunk": "@@", "body": "Never do this."}]`
	plain, err := ReadThreads([]byte(comment))
	marked, wrong := ReadThreads([]byte("\ufeff\ufeff" + comment))
	if err != nil || wrong != nil || len(plain) != 1 || len(marked) != 1 {
		t.Errorf("%v, %v: %v, %v", err, wrong, plain, marked)
	}
}

func FuzzReadThreads(f *testing.F) {
	for _, text := range []string{
		`[{"path": "a.go", "line": null, "position": null, "diff_hunk": "@@", "body": "x"}] []`,
		`{"data": {"repository": {"pullRequest": {"reviewThreads": {"nodes": [{"isResolved": true, "comments": {"nodes": [{"body": "y"}]}}]}}}}}`,
		`[[{"notes": [{"body": "z", "resolved": true, "position": {"new_path": "a", "new_line": 1}}]}]]`,
		"[", "{}", strings.Repeat("[", 1000), `{"notes": [{}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		threads, err := ReadThreads(data)
		if err != nil && err.Error() == "" {
			t.Error("an error without a word")
		}
		if len(threads) > maxThreads {
			t.Errorf("%d threads", len(threads))
		}
	})
}

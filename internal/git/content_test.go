package git

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestContentsOfPlaces(t *testing.T) {
	w := newRepo(t)
	first := w.commit("first", "sub/a.go", "package a\n")
	w.write("sub/deep/b.go", "Word here\n")
	w.write("sub/big", strings.Repeat("x", 100))
	w.write("out.go", "Word\n")
	w.git("add", "-A")
	head := w.record("second")
	for _, c := range []struct{ dir, prefix string }{{"", "sub/"}, {"sub", ""}} {
		r := open(t, filepath.Join(w.dir, c.dir))
		places := []Place{
			{first, c.prefix + "a.go"}, {first, c.prefix + "big"}, {head, c.prefix + "big"}, {head, c.prefix + "deep"},
			{head, "x\n" + head + ":out.go"}, {head, "../out.go"}, {head, "/out.go"}, {head, ""}, {"HEAD", c.prefix + "a.go"},
			{head, c.prefix + "no such file"},
		}
		found, err := r.Objects(t.Context(), places)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range found {
			if there := o.Hash != ""; there != (i == 0 || i == 2 || i == 3) || o.Folder != (i == 3) {
				t.Errorf("%q: %+v", places[i], o)
			}
		}
		texts := map[string]string{}
		err = r.Contents(t.Context(), []string{found[2].Hash, found[3].Hash, strings.Repeat("0", 40), found[0].Hash}, 50,
			func(hash string, text []byte) {
				texts[hash] = string(text)
			})
		if err != nil || len(texts) != 1 || texts[found[0].Hash] != "package a\n" {
			t.Errorf("texts %q, %v", texts, err)
		}
		if err := r.Contents(t.Context(), []string{"--batch"}, 50, nil); err == nil {
			t.Error("an option was taken for a hash")
		}
	}
	sub := open(t, filepath.Join(w.dir, "sub"))
	files, err := sub.Files(t.Context(), head, 10)
	if err != nil || len(files) != 3 || files[0].Path != "a.go" || files[1].Size != 100 || files[2].Path != "deep/b.go" {
		t.Errorf("files %v, %v", files, err)
	}
	for word, want := range map[string][]string{"Word": {"deep/b.go"}, "Wor": nil, "-e": nil, "": nil, ".": nil} {
		if files, err := sub.Grep(t.Context(), head, []string{word}, 10); err != nil || !slices.Equal(files, want) {
			t.Errorf("%q in %q, %v", word, files, err)
		}
	}
	if line, err := sub.Mainline(t.Context(), head, 10); err != nil || len(line) != 2 || line[0].Hash != head ||
		line[0].Time <= line[1].Time {
		t.Errorf("line %v, %v", line, err)
	}
}

package host

import (
	"encoding/json"
	"strings"
)

// Text is a file's text; There is false, and the text "", where no file is.
type Text struct {
	There bool
	Text  string
}

// Install is a configuration with all that is to stand in it for brv-lsp, which is run as command. One that has it all
// stays as it is. copied is the file as it was before anything of ours, nil where no copy is.
func (f *File) Install(now Text, copied *Text, command string) (Text, error) {
	if ok, err := f.stands(now.Text, command); ok || err != nil {
		return now, err
	}
	plain, err := f.cut(now)
	if before, ok := f.unchanged(now, copied, command); ok {
		plain, err = f.cut(before)
	}
	if err != nil {
		return now, err
	}
	after, _, err := f.put(plain, command)
	return after, err
}

// Holds reports whether anything of ours stands in a configuration.
func (f *File) Holds(now Text) bool {
	plain, err := f.cut(now)
	return err == nil && plain != now
}

// Remove is a configuration without what was installed. Where nobody else changed the file, it is as it was before;
// where somebody did, what was put in is taken out of it; and without a copy, or where that does not do, the block or
// the keys are. A file that was made for this goes.
func (f *File) Remove(now Text, copied *Text, command string) (Text, error) {
	if before, ok := f.unchanged(now, copied, command); ok {
		return before, nil
	}
	if copied != nil && f.style == nil && !f.Holds(*copied) {
		if _, pieces, err := f.put(*copied, command); err == nil {
			if text, ok := without(now.Text, pieces); ok {
				return Text{true, text}, nil
			}
		}
	}
	return f.cut(now)
}

// unchanged is the file as it was before, where nothing but what is ours was changed since: what is left without that
// is then the same.
func (f *File) unchanged(now Text, copied *Text, command string) (before Text, ok bool) {
	if copied != nil {
		before = *copied
	}
	plain, err := f.cut(before)
	if err != nil {
		return before, false
	}
	after, _, err := f.put(plain, command)
	if err != nil || after == now {
		return before, err == nil
	}
	was, err := f.cut(after)
	is, wrong := f.cut(now)
	return before, err == nil && wrong == nil && was == is
}

// without takes pieces out of a text in which each stands once, the last first.
func without(text string, pieces []piece) (string, bool) {
	for i := len(pieces) - 1; i >= 0; i-- {
		p := pieces[i].text
		if p != "" && strings.Count(text, p) != 1 {
			return "", false
		}
		text = strings.Replace(text, p, "", 1)
	}
	return text, true
}

// stands reports whether all that is to stand in a configuration does.
func (f *File) stands(text, command string) (bool, error) {
	if f.style != nil {
		body, ok := f.style.Body(text)
		return ok && strings.TrimRight(body, "\n") == fill(f.body, command), nil
	}
	for _, e := range f.edits {
		e.value = fill(e.value, command)
		if ok, err := e.stands(text); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// put puts in what is to stand in a configuration, and says what that was.
func (f *File) put(now Text, command string) (after Text, pieces []piece, err error) {
	text := now.Text
	if f.style != nil {
		if !now.There {
			text = f.head
		}
		text, err = f.style.Put(text, fill(f.body, command))
		return Text{true, text}, nil, err
	}
	for _, e := range f.edits {
		e.value = fill(e.value, command)
		p, err := e.put(text)
		if err != nil {
			return now, nil, err
		}
		pieces, text = append(pieces, p), p.into(text)
	}
	return Text{true, text}, pieces, nil
}

// cut takes out what is ours by its marks.
func (f *File) cut(now Text) (after Text, err error) {
	after = now
	if f.style != nil {
		if after.Text, err = f.style.Cut(now.Text); after.Text != now.Text && after.Text == f.head {
			return Text{}, err
		}
		return after, err
	}
	for i := len(f.edits) - 1; i >= 0 && err == nil; i-- {
		after.Text, err = f.edits[i].cut(after.Text)
	}
	return after, err
}

// fill puts the command into a value, as a part of a string. As the beginning of a shell's command it is quoted where
// it needs to be.
func fill(value, command string) string {
	shell := command
	if strings.ContainsAny(command, " \t'()&$`\\") {
		shell = `"` + command + `"`
	}
	return strings.NewReplacer("$BRV", inside(command), "$HOOK", inside(shell)).Replace(value)
}

// inside is a text as a part of a JSON string, which is also one of TOML's, YAML's, Lua's and Lisp's.
func inside(s string) string {
	out, _ := json.Marshal(s) // a string marshals
	return string(out[1 : len(out)-1])
}

// CopyOf is where the copy of a file as it was before lies.
func CopyOf(file string) string { return file + ".before-brv-lsp" }

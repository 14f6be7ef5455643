package host

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
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
	if err := errors.Join(checkCommand(command, runtime.GOOS), f.standsApart(now)); err != nil {
		return now, err
	}
	plain, err := f.cut(now, command)
	if err != nil {
		return now, err
	}
	after, _, err := f.put(plain, command)
	if err == nil {
		err = f.confirm(plain, after, command)
	}
	if err != nil || f.same(now, after) {
		return now, err
	}
	if before, ok := f.unchanged(now, copied, command); ok {
		plain, _ = f.cut(before, command)
		if after, _, err = f.put(plain, command); err == nil {
			err = f.confirm(plain, after, command)
		}
	}
	if err != nil {
		return now, err
	}
	return after, nil
}

// same reports whether two texts say the same, however they are laid out.
func (f *File) same(a, b Text) bool {
	if f.style != nil || a == b {
		return a == b
	}
	left, err := plain(a.Text)
	right, wrong := plain(b.Text)
	return err == nil && wrong == nil && left == right
}

// Holds reports whether anything of ours stands in a configuration.
func (f *File) Holds(now Text, command string) bool {
	plain, err := f.cut(now, command)
	return err == nil && plain != now
}

// Remove is a configuration without what was installed. Where nobody else changed the file, it is as it was before;
// where somebody did, what was put in is taken out of it; and without a copy, or where that does not do, the block or
// the keys are. A file that was made for this goes.
func (f *File) Remove(now Text, copied *Text, command string) (Text, error) {
	if err := f.standsApart(now); err != nil {
		return now, err
	}
	after, err := f.without(now, copied, command)
	if err == nil {
		err = f.confirmRest(now, after, command)
	}
	if err != nil {
		return now, err
	}
	return after, nil
}

// without is Remove before what it gives is read back.
func (f *File) without(now Text, copied *Text, command string) (Text, error) {
	if before, ok := f.unchanged(now, copied, command); ok {
		return before, nil
	}
	if copied != nil && f.style == nil && !f.Holds(*copied, command) {
		if _, pieces, err := f.put(*copied, command); err == nil {
			if text, ok := takenOut(now.Text, pieces); ok {
				return Text{true, text}, nil
			}
		}
	}
	return f.cut(now, command)
}

// unchanged is the file as it was before, where nothing but what is ours was changed since: what is left without that
// is then the same.
func (f *File) unchanged(now Text, copied *Text, command string) (before Text, ok bool) {
	if copied != nil {
		before = *copied
	}
	plain, err := f.cut(before, command)
	if err != nil {
		return before, false
	}
	after, _, err := f.put(plain, command)
	if err != nil || after == now {
		return before, err == nil
	}
	was, err := f.cut(after, command)
	is, wrong := f.cut(now, command)
	return before, err == nil && wrong == nil && was == is
}

// takenOut is a text without pieces that each stand in it once, the last one first.
func takenOut(text string, pieces []string) (string, bool) {
	for _, p := range slices.Backward(pieces) {
		if p != "" && strings.Count(text, p) != 1 {
			return "", false
		}
		text = strings.Replace(text, p, "", 1)
	}
	return text, true
}

// put puts in what is to stand in a configuration, and says what that was.
func (f *File) put(now Text, command string) (after Text, pieces []string, err error) {
	text := now.Text
	if f.style != nil {
		rest := ""
		if !now.There {
			text = f.head
		} else if err := f.fits(text); err != nil {
			return now, nil, err
		} else if first := strings.Index(text, "\n") + 1; f.Runs() && first > 0 {
			text, rest = text[:first], text[first:] // a program may end before its end
		}
		return Text{true, f.style.Put(text, fill(f.body, command)) + rest}, nil, nil
	}
	for _, e := range f.edits {
		piece := ""
		e.value = fill(e.value, command)
		if text, piece, err = e.put(text); err != nil {
			return now, nil, err
		}
		pieces = append(pieces, piece)
	}
	return Text{true, text}, pieces, nil
}

// maxOwn bounds how many hooks of ours are taken out of a list; as a rule there is one.
const maxOwn = 10

// cut takes out what is ours by its marks.
func (f *File) cut(now Text, command string) (after Text, err error) {
	after = now
	if f.style != nil {
		if extra := f.extra(now.Text); len(extra) > 0 {
			return now, fmt.Errorf("lines that brv-lsp did not write stand in its block: %q; move them out of it", extra)
		}
		if after.Text = f.style.Cut(now.Text); after.Text != now.Text && after.Text == f.head {
			return Text{}, nil
		}
		return after, nil
	}
	for _, e := range slices.Backward(f.edits) {
		for range maxOwn {
			was := after.Text
			if after.Text, err = e.cut(was, command); err != nil {
				return now, err
			} else if after.Text == was || e.mark == "" {
				break
			}
		}
	}
	return after, nil
}

// fits reports what in a text, which has no block, keeps one from standing in it.
func (f *File) fits(text string) error {
	line, _, _ := strings.Cut(text, "\n")
	program, runs := strings.CutPrefix(line, "#!")
	shell := func(word string) bool { return slices.Contains([]string{"sh", "bash", "dash"}, path.Base(word)) }
	if f.Runs() && !(runs && slices.ContainsFunc(strings.Fields(program), shell)) {
		return fmt.Errorf("its first line, %q, does not name sh or bash; have it run `brv-lsp check` yourself", line)
	}
	if strings.HasSuffix(f.Path, ".yaml") { // no block can be added to a mapping that may have its keys
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				return fmt.Errorf("%q stands in it, and brv-lsp needs this file for itself; move that to another file", line)
			}
		}
	}
	return nil
}

// extra are the lines of a text's block, and of a second one, that are not of it, whatever the command.
func (f *File) extra(text string) (lines []string) {
	var bodies strings.Builder
	for start, end := f.style.Span(text); start >= 0; start, end = f.style.Span(text) {
		body, _ := f.style.Body(text)
		bodies.WriteString(body)
		text = text[end:]
	}
	for line := range strings.SplitSeq(bodies.String(), "\n") {
		ours := func(o string) bool {
			before, behind, command := strings.Cut(strings.Replace(o, inScript, inString, 1), inString)
			return line == o || command && len(line) >= len(before)+len(behind) &&
				strings.HasPrefix(line, before) && strings.HasSuffix(line, behind)
		}
		if strings.TrimSpace(line) != "" && !slices.ContainsFunc(strings.Split(f.body, "\n"), ours) {
			lines = append(lines, line)
		}
	}
	return lines
}

package host

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Install is a configuration with all that is to stand in it for brv-lsp, which is run as command. One that has it all
// stays as it is. copied is the file as it was before anything of ours, nil where no copy is.
func (f *File) Install(now Text, copied *Text, command string) (Text, error) {
	if err := checkCommand(command, runtime.GOOS); err != nil {
		return now, err
	}
	if f.isTOML() {
		after, err := f.installTables(now, command)
		if err != nil {
			return now, err
		}
		return after, nil
	}
	if _, err := f.cut(now, command); err != nil {
		return now, err
	}
	after, _, err := f.with(now, command)
	if err == nil {
		err = f.confirm(now, now, after, command)
	}
	if err != nil || after == now {
		return now, err
	}
	if before, ok := f.unchanged(now, copied, command); ok {
		kept := after.Text
		if after, _, err = f.with(before, command); err == nil {
			for _, e := range f.edits {
				after.Text = e.moved(after.Text, kept)
			}
			err = f.confirm(now, before, after, command)
		}
	}
	if err != nil {
		return now, err
	}
	return after, nil
}

// with is a configuration with what is to stand in it, and the pieces that were put in for that.
func (f *File) with(now Text, command string) (after Text, pieces []string, err error) {
	rest, err := f.outdated(now, command)
	if err != nil {
		return now, nil, err
	}
	return f.put(rest, command)
}

// outdated is a configuration without what is ours and not as it should be: of JSON the rest of ours stays in its place,
// however it is laid out.
func (f *File) outdated(now Text, command string) (rest Text, err error) {
	if f.style != nil {
		return f.cut(now, command)
	}
	rest = now
	for _, e := range slices.Backward(f.edits) {
		rest.Text = e.renamed(rest.Text, command, f.Wrote)
		if e.mark == "" {
			continue
		}
		without, err := f.cutEdit(e, rest.Text, command)
		if err != nil {
			return now, err
		}
		e.value = fill(e.value, command)
		again, _, _ := e.put(without) // an error ends the real one too
		if is, err := plain(rest.Text); err != nil {
			return now, err
		} else if should, err := plain(again); err != nil || is != should {
			rest.Text = without
		}
	}
	return rest, nil
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
	for _, e := range f.edits {
		if copied == nil && f.Wrote == "" && e.grown(now.Text, command) {
			return now, fmt.Errorf("%s has content that brv-lsp did not write, and you did not run `install` for "+
				"this file; remove it yourself", strings.Join(e.at, "."))
		}
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
	if copied == nil {
		return f.cut(now, command)
	}
	if rest, err := f.outdated(*copied, command); err == nil && f.style == nil && rest == *copied {
		if _, pieces, err := f.put(*copied, command); err == nil {
			if text, ok := takenOut(now.Text, pieces); ok {
				return Text{true, text}, nil
			}
		}
	}
	if f.isTOML() && f.Holds(*copied, command) { // nothing but the program was written
		return f.renewedAs(now, *copied), nil
	}
	after, err := f.cut(now, command)
	if err != nil {
		return now, err
	}
	return f.restored(after, *copied, command)
}

// restored is a configuration, which has nothing of ours, with what a copy has of it.
func (f *File) restored(now, copied Text, command string) (Text, error) {
	was := *f
	was.edits = nil
	for _, e := range f.edits {
		if e.value = e.held(copied.Text, command, f.Wrote); e.value != "" {
			was.edits = append(was.edits, e)
		}
	}
	body, ok := "", false
	if f.style != nil {
		body, ok = f.style.Body(copied.Text)
		was.body = body
	}
	if !ok && len(was.edits) == 0 {
		return now, nil
	}
	after, _, err := was.put(now, command)
	return after, err
}

// unchanged is the file as it was before, where nothing but what is ours was changed since: what is left without that
// is then the same.
func (f *File) unchanged(now Text, copied *Text, command string) (before Text, ok bool) {
	if copied != nil {
		before = *copied
	}
	after, err := before, error(nil)
	if f.isTOML() {
		after, err = f.installTables(before, command)
	} else {
		after, _, err = f.with(before, command)
	}
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
	if f.isTOML() {
		if after.Text = f.cutTables(now.Text, command, f.Wrote); after.Text != now.Text && after.Text == "" {
			return Text{}, nil
		}
		return after, nil
	}
	if f.style != nil {
		if extra := f.extra(now.Text); len(extra) > 0 {
			return now, fmt.Errorf(notOurs, extra)
		}
		if after.Text = f.style.Cut(now.Text); after.Text != now.Text && after.Text == f.head {
			return Text{}, nil
		}
		return after, nil
	}
	for _, e := range slices.Backward(f.edits) {
		if after.Text, err = f.cutEdit(e, after.Text, command); err != nil {
			return now, err
		}
	}
	return after, nil
}

// cutEdit takes out all that is of one edit.
func (f *File) cutEdit(e edit, text, command string) (string, error) {
	for range maxOwn {
		after, err := e.cut(text, command, f.Wrote)
		if err != nil || after == text || e.mark == "" {
			return after, err
		}
		text = after
	}
	return text, nil
}

// fits reports what in a text, which has no block, keeps one from standing in it.
func (f *File) fits(text string) error {
	line, _, _ := strings.Cut(text, "\n")
	program, runs := strings.CutPrefix(line, "#!")
	shell := func(word string) bool { return slices.Contains([]string{"sh", "bash", "dash"}, path.Base(word)) }
	if f.Runs() && runs && !slices.ContainsFunc(strings.Fields(program), shell) { // without such a line git has sh run it
		return fmt.Errorf("its first line, %q, does not name sh or bash; add `brv-lsp check` to it yourself", line)
	}
	if strings.HasSuffix(f.Path, ".yaml") { // no block can be added to a mapping that may have its keys
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				return fmt.Errorf("it already contains %q, but brv-lsp needs this file for itself; move that to another file", line)
			}
		}
	}
	return nil
}

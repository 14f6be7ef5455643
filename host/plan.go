package host

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Install returns a configuration with all parts of brv-lsp, which is started as command. A complete configuration
// stays as it is. copied is the file as it was before the first install, or nil if there is no copy.
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

// with returns a configuration with our parts, and the pieces that were inserted.
func (f *File) with(now Text, command string) (after Text, pieces []string, err error) {
	rest, err := f.outdated(now, command)
	if err != nil {
		return now, nil, err
	}
	return f.put(rest, command)
}

// outdated returns a configuration without our outdated parts. In JSON, those that are up to date stay in their
// place and layout.
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
		again, _, _ := e.put(without) // the real call fails with the same error
		if is, err := plain(rest.Text); err != nil {
			return now, err
		} else if should, err := plain(again); err != nil || is != should {
			rest.Text = without
		}
	}
	return rest, nil
}

// Holds reports whether a configuration contains any parts of ours.
func (f *File) Holds(now Text, command string) bool {
	plain, err := f.cut(now, command)
	return err == nil && plain != now
}

// Remove returns a configuration without our parts. If only our parts changed since the install, the file is as it
// was before. Otherwise the inserted pieces are removed. If there is no copy, or if that fails, the block or the
// keys are cut out. A file that was created by the install is deleted.
func (f *File) Remove(now Text, copied *Text, command string) (Text, error) {
	for _, e := range f.edits {
		if copied == nil && f.Wrote == "" && e.grown(now.Text, command) {
			return now, fmt.Errorf("%s has content that brv-lsp did not write, and there is no record of `install` for "+
				"this file; remove that content yourself", strings.Join(e.at, "."))
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

// without is Remove without the final check.
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
	if f.isTOML() && f.Holds(*copied, command) { // the install only changed the name of the program
		return f.renewedAs(now, *copied), nil
	}
	after, err := f.cut(now, command)
	if err != nil {
		return now, err
	}
	return f.restored(after, *copied, command)
}

// restored returns a configuration that has no parts of ours, with those that a copy contains.
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

// unchanged returns the file as it was before the install, if only our parts changed since. That is so if removing
// them gives the same text.
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

// takenOut removes pieces from a text, last one first. Each piece must occur exactly once.
func takenOut(text string, pieces []string) (string, bool) {
	for _, p := range slices.Backward(pieces) {
		if p != "" && strings.Count(text, p) != 1 {
			return "", false
		}
		text = strings.Replace(text, p, "", 1)
	}
	return text, true
}

// put inserts our parts into a configuration, and returns the inserted pieces.
func (f *File) put(now Text, command string) (after Text, pieces []string, err error) {
	text := now.Text
	if f.style != nil {
		rest := ""
		if !now.There {
			text = f.head
		} else if err := f.fits(text); err != nil {
			return now, nil, err
		} else if first := strings.Index(text, "\n") + 1; f.Runs() && first > 0 {
			text, rest = text[:first], text[first:] // a script may exit before its last line
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

// maxOwn bounds how many of our hooks are removed from a list; usually there is one.
const maxOwn = 10

// cut removes our parts by their marks.
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

// cutEdit removes all parts that belong to one edit.
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

// fits returns an error if a text without a block cannot get one.
func (f *File) fits(text string) error {
	line, _, _ := strings.Cut(text, "\n")
	program, runs := strings.CutPrefix(line, "#!")
	shell := func(word string) bool { return slices.Contains([]string{"sh", "bash", "dash"}, path.Base(word)) }
	if f.Runs() && runs && !slices.ContainsFunc(strings.Fields(program), shell) { // without such a line, git runs the file with sh
		return fmt.Errorf("its first line, %q, does not name sh or bash; add `brv-lsp check` to the file yourself", line)
	}
	if strings.HasSuffix(f.Path, ".yaml") { // a block would repeat keys that the mapping may have
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				return fmt.Errorf("it already contains %q, but brv-lsp needs this file for itself; move that line to another file", line)
			}
		}
	}
	return nil
}

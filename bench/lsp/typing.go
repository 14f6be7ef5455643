package main

import (
	"sync"
	"time"
)

// pause is the time between two keys: ten a second, a fast typist.
const pause = 100 * time.Millisecond

// typist types into one open document: a sentence with a link, key by key, at the
// document's end, and when it is whole takes it back with one edit.
type typist struct {
	d    document
	text string // what is typed
	at   object // where

	mu      sync.Mutex // guards the fields below
	version int
	done    int // keys typed of text
}

// newTypist prepares to type behind the last line of a document.
func newTypist(d document, text string) *typist {
	line, _ := lineOf(d.text, len(d.text))
	if d.text == "" || d.text[len(d.text)-1] != '\n' {
		line++ // the first edit makes a line of its own
	}
	return &typist{d: d, text: text, at: object{"line": line, "character": 0}}
}

// open is the notification that opens the document.
func (t *typist) open() notification {
	text := t.d.text
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	return notification{"textDocument/didOpen", object{"textDocument": object{
		"uri": uri(t.d.file), "languageId": t.d.language, "version": 0, "text": text,
	}}}
}

// key is the next edit.
func (t *typist) key() notification {
	t.mu.Lock()
	defer t.mu.Unlock()
	change := object{"range": object{"start": t.place(t.done), "end": t.place(t.done)}, "text": ""}
	if t.done < len(t.text) {
		change["text"] = t.text[t.done : t.done+1]
		t.done++
	} else {
		change["range"] = object{"start": t.at, "end": t.place(t.done)}
		t.done = 0
	}
	t.version++
	return notification{"textDocument/didChange", object{
		"textDocument": object{"uri": uri(t.d.file), "version": t.version}, "contentChanges": []object{change},
	}}
}

// cursor is where the typist is, and what stands before it in the line.
func (t *typist) cursor() (place object, typed string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.place(t.done), t.text[:t.done]
}

func (t *typist) place(n int) object { return object{"line": t.at["line"], "character": n} }

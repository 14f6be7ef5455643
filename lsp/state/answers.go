package state

import (
	"strconv"
	"sync"
)

// maxAnswers is how many answers of a session can be shown again.
const maxAnswers = 16

// Answers holds the last answers that were shown.
type Answers struct {
	mu    sync.Mutex // guards the fields below
	last  int        // number of the newest answer
	texts [maxAnswers]string
}

// Keep stores a text and returns its number.
func (a *Answers) Keep(text string) (id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	a.texts[a.last%maxAnswers] = text
	return strconv.Itoa(a.last)
}

// Text returns a text by its number.
func (a *Answers) Text(id string) (string, bool) {
	n, err := strconv.Atoi(id)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || n < 1 || n > a.last || n <= a.last-maxAnswers {
		return "", false
	}
	return a.texts[n%maxAnswers], true
}

package format

import (
	"fmt"
	"strconv"
	"time"
)

// Keys of a synthesis, in the order in which they are written.
const (
	confidenceKey    = "confidence"
	sourcesKey       = "sources"
	synthesizedAtKey = "synthesized_at"
	typeKey          = "type"
	synthesisType    = "synthesis"
)

// synthesisTime is how a synthesis writes times.
const synthesisTime = "2006-01-02T15:04:05Z"

// MaxSources bounds the sources of one synthesis.
const MaxSources = 50

// Synthesis returns the four keys of an entry that was synthesized, and when it was; ok is
// false for any other entry.
func (e *Entry) Synthesis() (s Synthesis, at time.Time, ok bool) {
	f, ok := e.LastField(typeKey)
	if !ok || f.Value() != synthesisType {
		return Synthesis{}, time.Time{}, false
	}
	if f, ok := e.LastField(sourcesKey); ok {
		s.Sources = f.values()
	}
	if f, ok := e.LastField(confidenceKey); ok {
		if v, err := strconv.ParseFloat(f.Value(), 64); err == nil && v >= 0 && v <= 1 {
			s.Confidence = v
		}
	}
	if f, ok := e.LastField(synthesizedAtKey); ok {
		at, _ = time.Parse(time.RFC3339Nano, f.Value())
	}
	return s, at, true
}

// markers are the four keys with their values.
func (s *Synthesis) markers(now time.Time) []fieldChange {
	return []fieldChange{
		{key: confidenceKey, values: []string{number(s.Confidence)}},
		{key: sourcesKey, values: s.Sources, list: true},
		{key: synthesizedAtKey, values: []string{now.UTC().Format(synthesisTime)}},
		{key: typeKey, values: []string{synthesisType}},
	}
}

// Into returns an entry that is a synthesis with new values for its four keys, each in its place.
func (s *Synthesis) Into(e *Entry, now time.Time) (*Entry, error) {
	if _, _, ok := e.Synthesis(); !ok {
		return nil, fmt.Errorf("%s is not a synthesis: `type` is not %s", e.Path, synthesisType)
	}
	for _, c := range s.markers(now) {
		var ok bool
		if e, ok = (fieldEditor{e}).changed(c); !ok {
			return nil, fmt.Errorf("%s: %s could not be written; correct its frontmatter first (`brv-lsp check`)", e.Path, c.key)
		}
	}
	return e, nil
}

package main

import (
	"errors"
	"testing"
)

// TestGccAnswersByItsSearchOrder uses the folders that are listed for leveldb:
// the top and include.
func TestGccAnswersByItsSearchOrder(t *testing.T) {
	dir := checkout(t, "google+leveldb", `
-- db/a.cc --
#include <string.h>
#include "a.h"
#  include "db/b.h"
#include <lib/c.h>
#include "gone.h"
#ifdef NEVER
#include "hidden.h"
#endif
// #include "comment.h"
-- db/a.h --
-- db/b.h --
#include "a.h"
-- include/lib/c.h --
#include "d.h"
-- include/lib/d.h --
-- hidden.h --
#error "not meant to be read"
`)
	answers, err := cAnswers(t.Context(), dir)
	if errors.Is(err, errAbsent) {
		t.Skip("no gcc")
	}
	if err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, answers, `
db/a.cc: a.h => db/a.h
db/a.cc: db/b.h => db/b.h
db/a.cc: gone.h => 
db/a.cc: hidden.h => hidden.h
db/a.cc: lib/c.h => include/lib/c.h
db/a.cc: string.h => 
db/b.h: a.h => db/a.h
include/lib/c.h: d.h => include/lib/d.h
`)
}

func TestUnlistedCheckoutsAreNotAnswered(t *testing.T) {
	dir := checkout(t, "unknown", "-- a.c --\n#include \"b.h\"\n-- b.h --\n")
	if answers, err := cAnswers(t.Context(), dir); len(answers) > 0 || err != nil {
		t.Error(answers, err)
	}
}

//go:build cgo

#ifndef BRV_SYNTAX_PARSE_H
#define BRV_SYNTAX_PARSE_H

#include <stddef.h>
#include <stdint.h>

// What ended a read. Everything but READ_DONE leaves a reason for the file.
enum read_end {
  READ_DONE = 0,
  READ_STOPPED,     // the stop flag was set
  READ_TOO_DEEP,    // the broken part is nested deeper than max_depth
  READ_TOO_BROAD,   // a node with more than max_children children
  READ_TOO_MANY,    // more than max_matches matches
  READ_BROKEN,      // over half of the bytes lie in error nodes
  READ_PARTLY,      // some bytes lie in error nodes
  READ_NO_TREE,     // the grammar does not fit the runtime
  READ_NO_MEMORY,
};

// A reader parses files of one language, one at a time. Its buffer of records is
// kept from file to file.
typedef struct reader reader;

// reader_new returns NULL if there is no memory or the language is refused.
reader *reader_new(const void *language, const void *query);
void reader_free(reader *r);

// reader_stop is the flag that ends a running read when it is not zero. It is the
// only part of a reader that another thread may touch.
size_t *reader_stop(reader *r);

typedef struct {
  uint32_t max_children, max_depth, max_matches;
} read_limits;

// A capture is one named node of a match.
typedef struct {
  uint32_t match;  // counted from 0; captures of one match follow each other
  uint32_t index;  // of the capture's name in the query
  uint32_t start, end;
} read_capture;

// A read_span is a part of the source.
typedef struct {
  uint32_t start, end;
} read_span;

// reader_broken is what the last read could not parse: the first parts, in order of position.
const read_span *reader_broken(const reader *r, size_t *count);

// reader_lost weighs what the last read could not parse: bytes in error nodes, and one for each
// such node and each token that the parser made up.
size_t reader_lost(const reader *r);

// reader_read parses len bytes of source and runs the query. The captures lie
// in *out until the next call; none of them leave the source.
enum read_end reader_read(reader *r, const char *source, uint32_t len, read_limits limits,
                          const read_capture **out, size_t *count);

#endif

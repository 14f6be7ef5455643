//go:build cgo

#include "parse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The part of tree-sitter's C interface that is used here, as its public header
// states it (runtime 0.22). The functions themselves are in the Go binding's
// objects: they are weak here, so that this package alone links too.
#define RUNTIME extern __attribute__((weak))

typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct { TSNode node; uint32_t index; } TSQueryCapture;
typedef struct {
  uint32_t id;
  uint16_t pattern_index, capture_count;
  const TSQueryCapture *captures;
} TSQueryMatch;

RUNTIME void *ts_parser_new(void);
RUNTIME void ts_parser_delete(void *);
RUNTIME bool ts_parser_set_language(void *, const void *language);
RUNTIME void ts_parser_set_cancellation_flag(void *, const size_t *);
RUNTIME void *ts_parser_parse_string(void *, const void *old, const char *, uint32_t);
RUNTIME void ts_parser_reset(void *);
RUNTIME void ts_tree_delete(void *);
RUNTIME TSNode ts_tree_root_node(const void *);
RUNTIME uint32_t ts_node_start_byte(TSNode);
RUNTIME uint32_t ts_node_end_byte(TSNode);
RUNTIME uint32_t ts_node_child_count(TSNode);
RUNTIME bool ts_node_has_error(TSNode);
RUNTIME bool ts_node_is_error(TSNode);
RUNTIME bool ts_node_is_missing(TSNode);
RUNTIME TSTreeCursor ts_tree_cursor_new(TSNode);
RUNTIME void ts_tree_cursor_delete(TSTreeCursor *);
RUNTIME TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
RUNTIME bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
RUNTIME bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
RUNTIME bool ts_tree_cursor_goto_parent(TSTreeCursor *);
RUNTIME void *ts_query_cursor_new(void);
RUNTIME void ts_query_cursor_delete(void *);
RUNTIME void ts_query_cursor_exec(void *, const void *query, TSNode);
RUNTIME bool ts_query_cursor_next_match(void *, TSQueryMatch *);

struct reader {
  void *parser, *cursor;
  const void *query;
  size_t stop;
  read_capture *captures;
  size_t count, capacity;
  uint32_t matches;
  read_span broken[20]; // more are told by nobody
  size_t broken_count, lost;
};

reader *reader_new(const void *language, const void *query) {
  reader *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->query = query;
  r->parser = ts_parser_new();
  r->cursor = ts_query_cursor_new();
  if (!r->parser || !r->cursor || !ts_parser_set_language(r->parser, language)) {
    reader_free(r);
    return NULL;
  }
  ts_parser_set_cancellation_flag(r->parser, &r->stop);
  return r;
}

void reader_free(reader *r) {
  if (!r) return;
  if (r->cursor) ts_query_cursor_delete(r->cursor);
  if (r->parser) ts_parser_delete(r->parser);
  free(r->captures);
  free(r);
}

size_t *reader_stop(reader *r) { return &r->stop; }

static bool stopped(reader *r) { return __atomic_load_n(&r->stop, __ATOMIC_RELAXED) != 0; }

// grow makes room for n more captures.
static bool grow(reader *r, size_t n) {
  if (r->count + n <= r->capacity) return true;
  size_t capacity = (r->count + n) * 2 + 1024;
  read_capture *more = realloc(r->captures, capacity * sizeof *more);
  if (!more) return false;
  r->captures = more;
  r->capacity = capacity;
  return true;
}

// check walks the parts of the tree that hold syntax errors: they decide whether
// the matcher can be let loose on it, and how much of it is no valid syntax. The
// walk is linear and not recursive.
static enum read_end check(reader *r, TSNode root, read_limits limits, bool *broken) {
  TSTreeCursor walk = ts_tree_cursor_new(root);
  enum read_end end = READ_DONE;
  uint64_t covered = 0;
  uint32_t depth = 0, outer = 0; // outer: end of the last error node counted
  for (bool more = true; more;) {
    TSNode n = ts_tree_cursor_current_node(&walk);
    if (ts_node_is_missing(n)) r->lost++;
    if (ts_node_is_error(n)) {
      r->lost++;
      if (ts_node_child_count(n) > limits.max_children) {
        end = READ_TOO_BROAD;
        break;
      }
      if (ts_node_end_byte(n) > outer) { // not inside an error node counted before
        covered += ts_node_end_byte(n) - ts_node_start_byte(n);
        r->lost += ts_node_end_byte(n) - ts_node_start_byte(n);
        outer = ts_node_end_byte(n);
        if (outer > ts_node_start_byte(n) && r->broken_count < sizeof r->broken / sizeof *r->broken) {
          r->broken[r->broken_count++] = (read_span){ts_node_start_byte(n), outer};
        }
      }
    }
    if (ts_node_has_error(n) && ts_tree_cursor_goto_first_child(&walk)) {
      if (++depth > limits.max_depth) {
        end = READ_TOO_DEEP;
        break;
      }
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&walk)) {
      if (depth == 0 || !ts_tree_cursor_goto_parent(&walk)) {
        more = false;
        break;
      }
      depth--;
    }
  }
  ts_tree_cursor_delete(&walk);
  *broken = covered > (uint64_t)(ts_node_end_byte(root) - ts_node_start_byte(root)) / 2;
  return end;
}

// match runs the query on one node.
static enum read_end match(reader *r, TSNode node, read_limits limits) {
  TSQueryMatch m;
  ts_query_cursor_exec(r->cursor, r->query, node);
  while (ts_query_cursor_next_match(r->cursor, &m)) {
    if (!grow(r, m.capture_count)) return READ_NO_MEMORY;
    for (uint16_t i = 0; i < m.capture_count; i++) {
      TSNode n = m.captures[i].node;
      r->captures[r->count++] = (read_capture){
          r->matches, m.captures[i].index, ts_node_start_byte(n), ts_node_end_byte(n)};
    }
    if (++r->matches >= limits.max_matches) return READ_TOO_MANY;
    if (stopped(r)) return READ_STOPPED;
  }
  return READ_DONE;
}

// collect runs the query on the root, or on each of its children if there are too
// many for the matcher, which is quadratic in them. No pattern needs the root or
// two of its children at once.
static enum read_end collect(reader *r, TSNode root, read_limits limits) {
  if (ts_node_child_count(root) <= limits.max_children) return match(r, root, limits);
  TSTreeCursor walk = ts_tree_cursor_new(root);
  enum read_end end = READ_DONE;
  for (bool more = ts_tree_cursor_goto_first_child(&walk); more && end == READ_DONE;
       more = ts_tree_cursor_goto_next_sibling(&walk)) {
    TSNode n = ts_tree_cursor_current_node(&walk);
    end = ts_node_child_count(n) > limits.max_children ? READ_TOO_BROAD : match(r, n, limits);
  }
  ts_tree_cursor_delete(&walk);
  return end;
}

const read_span *reader_broken(const reader *r, size_t *count) {
  *count = r->broken_count;
  return r->broken;
}

size_t reader_lost(const reader *r) { return r->lost; }

enum read_end reader_read(reader *r, const char *source, uint32_t len, read_limits limits,
                          const read_capture **out, size_t *count) {
  r->count = r->matches = r->broken_count = r->lost = 0;
  void *tree = ts_parser_parse_string(r->parser, NULL, source, len);
  if (!tree) {
    ts_parser_reset(r->parser); // else the next parse resumes this file
    return stopped(r) ? READ_STOPPED : READ_NO_TREE;
  }
  TSNode root = ts_tree_root_node(tree);
  bool broken = false;
  enum read_end end = READ_DONE;
  if (ts_node_has_error(root)) end = check(r, root, limits, &broken);
  if (end == READ_DONE) end = collect(r, root, limits);
  if (end == READ_DONE && r->broken_count > 0) end = broken ? READ_BROKEN : READ_PARTLY;
  ts_tree_delete(tree);
  *out = r->captures;
  *count = r->count;
  return end;
}

; Elixir: definitions. All are calls; the word says which are, and of what kind.

(call
  target: (identifier) @word
  (arguments
    .
    [
      (alias) @name
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)])
    ])
  (do_block)? @body) @definition.word

(anonymous_function) @local
(comment) @doc

; Elixir: references

(call target: (identifier) @reference.call)
(call
  target: (dot
    left: (alias) @qualifier
    right: (identifier) @reference.call))
(alias) @reference.type

; Elixir: imports

(call
  target: (identifier) @require
  (arguments . (alias) @import.spec)) @import

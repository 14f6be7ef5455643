; Ruby: definitions

(module
  name: [(constant) (scope_resolution)] @name
  body: (body_statement)? @body) @definition.module

(class
  name: [(constant) (scope_resolution)] @name
  body: (body_statement)? @body) @definition.class

(method
  name: (_) @name
  body: (_)? @body) @definition.function

(singleton_method
  name: (_) @name
  body: (_)? @body) @definition.function

(assignment left: (constant) @name) @definition.constant

; Point = Struct.new(:x) do … end
(assignment
  left: (constant) @name
  right: (call
    receiver: (constant)
    block: (do_block body: (body_statement) @body))) @definition.class

(comment) @doc

; Ruby: references

(call method: (identifier) @reference.call)
(call
  receiver: (constant) @qualifier
  method: (identifier) @reference.call)
(superclass (constant) @reference.base)
(superclass (scope_resolution name: (constant) @reference.base))
(constant) @reference.type

; Ruby: imports

(call
  method: (identifier) @require
  arguments: (argument_list . (string (string_content) @import.spec))) @import

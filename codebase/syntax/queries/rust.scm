; Rust: definitions

(function_item
  (visibility_modifier)? @public
  name: (identifier) @name
  body: (block) @body) @definition.function

(function_signature_item
  (visibility_modifier)? @public
  name: (identifier) @name) @definition.function

(struct_item
  (visibility_modifier)? @public
  name: (type_identifier) @name
  body: (_)? @body) @definition.struct

(union_item
  (visibility_modifier)? @public
  name: (type_identifier) @name
  body: (_) @body) @definition.struct

(enum_item
  (visibility_modifier)? @public
  name: (type_identifier) @name
  body: (enum_variant_list) @body) @definition.enum

(trait_item
  (visibility_modifier)? @public
  name: (type_identifier) @name
  body: (declaration_list) @body) @definition.interface

(type_item
  (visibility_modifier)? @public
  name: (type_identifier) @name) @definition.type

(mod_item
  (visibility_modifier)? @public
  name: (identifier) @name
  body: (declaration_list) @body) @definition.module

(const_item
  (visibility_modifier)? @public
  name: (identifier) @name) @definition.constant

(static_item
  (visibility_modifier)? @public
  name: (identifier) @name) @definition.variable

(macro_definition name: (identifier) @name) @definition.macro

(impl_item
  !trait
  type: [
    (type_identifier) @scope.name
    (generic_type type: (type_identifier) @scope.name)
    (scoped_type_identifier name: (type_identifier) @scope.name)
    (reference_type type: (type_identifier) @scope.name)
  ]) @scope

(impl_item
  trait: (_)
  type: [
    (type_identifier) @scope.name
    (generic_type type: (type_identifier) @scope.name)
    (scoped_type_identifier name: (type_identifier) @scope.name)
    (reference_type type: (type_identifier) @scope.name)
  ]) @scope.public

; what may hold items between its braces
(macro_invocation macro: (_) @macro (token_tree) @macro.body)
(macro_invocation macro: (_) @macro (token_tree (token_tree) @macro.branch))

(closure_expression) @local
(attribute_item) @skip
(line_comment) @doc
(block_comment) @doc

; Rust: references

(call_expression function: (identifier) @reference.call)
(call_expression
  function: (scoped_identifier
    path: (identifier) @qualifier
    name: (identifier) @reference.call))
(call_expression
  function: (scoped_identifier name: (identifier) @reference.call))
(call_expression
  function: (field_expression field: (field_identifier) @reference.call))
(call_expression
  function: (generic_function function: (identifier) @reference.call))
(macro_invocation macro: (identifier) @reference.call)
(scoped_identifier
  path: (identifier) @qualifier
  name: (identifier) @reference.use)
(type_identifier) @reference.type
(impl_item trait: (type_identifier) @reference.base)
(impl_item trait: (generic_type type: (type_identifier) @reference.base))
(impl_item trait: (scoped_type_identifier name: (type_identifier) @reference.base))
(trait_bounds (type_identifier) @reference.base)
(attribute (identifier) @reference.decorator)

; Rust: imports

(use_declaration
  (visibility_modifier)? @public
  argument: (_) @import.spec) @import
(mod_item
  !body
  name: (identifier) @import.spec) @import.mod
(macro_invocation
  macro: (identifier) @require
  (token_tree . (string_literal) @import.spec .)) @import.file

; What C and C++ have in common: definitions

(struct_specifier
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(union_specifier
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(enum_specifier
  name: (type_identifier) @name
  body: (enumerator_list) @body) @definition.enum

(enumerator name: (identifier) @name) @definition.constant

(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type

(type_definition
  type: [
    (struct_specifier name: (_) body: (_) @body)
    (union_specifier name: (_) body: (_) @body)
    (enum_specifier name: (_) body: (_) @body)
  ]
  declarator: (type_identifier) @name) @definition.type

(type_definition
  type: (struct_specifier !name body: (field_declaration_list) @body)
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (union_specifier !name body: (field_declaration_list) @body)
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (enum_specifier !name body: (enumerator_list) @body)
  declarator: (type_identifier) @name) @definition.enum

; without a value it is an include guard
(preproc_def
  name: (identifier) @name
  value: (preproc_arg)) @definition.constant

(preproc_function_def
  name: (identifier) @name
  value: (preproc_arg)? @body) @definition.macro

(comment) @doc

; references

(call_expression function: (identifier) @reference.call)
(call_expression
  function: (field_expression
    argument: (identifier) @qualifier
    field: (field_identifier) @reference.call))
(call_expression
  function: (field_expression field: (field_identifier) @reference.call))
(type_identifier) @reference.type
(initializer_pair value: (identifier) @reference.use)

; imports

(preproc_include path: (string_literal) @import.spec) @import
(preproc_include path: (system_lib_string) @import.spec) @import.system

; a macro before the name is read as the name: struct EXPORT Widget { … }
(function_definition
  type: [(struct_specifier) (union_specifier) (enum_specifier)]
  declarator: (identifier)) @suspect

; Go: definitions

(package_clause (package_identifier) @module)

(function_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @container
        (generic_type type: (type_identifier) @container)
        (pointer_type (type_identifier) @container)
        (pointer_type (generic_type type: (type_identifier) @container))
        (parenthesized_type (type_identifier) @container)
      ]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (type_identifier) @name
  type: (interface_type) @body) @definition.interface

(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(method_elem name: (field_identifier) @name) @definition.method

(const_spec (identifier) @name) @definition.constant
(var_spec name: (identifier) @name) @definition.variable

; a declaration of one thing belongs to it with its keyword
(type_declaration . [(type_spec) (type_alias)] @wrapped .) @wrap
(const_declaration . (const_spec) @wrapped .) @wrap
(var_declaration . (var_spec) @wrapped .) @wrap

(func_literal) @local
(comment) @doc

; Go: references

(call_expression function: (identifier) @reference.call)
(call_expression
  function: (selector_expression
    operand: (identifier) @qualifier
    field: (field_identifier) @reference.call))
(call_expression
  function: (selector_expression
    operand: (_)
    field: (field_identifier) @reference.call))
(selector_expression
  operand: (identifier) @qualifier
  field: (field_identifier) @reference.use)
(type_identifier) @reference.type
(qualified_type
  package: (package_identifier) @qualifier
  name: (type_identifier) @reference.type)
(field_declaration !name type: (type_identifier) @reference.base)
(field_declaration !name
  type: (qualified_type
    package: (package_identifier) @qualifier
    name: (type_identifier) @reference.base))

; Go: imports

(import_spec
  name: (_)? @import.alias
  path: (_) @import.spec) @import

; //go:embed
(comment) @import.text

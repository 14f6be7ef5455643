; TypeScript and TSX: definitions

(class_declaration
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(abstract_class_declaration
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(interface_declaration
  name: (type_identifier) @name
  body: (_) @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (enum_body) @body) @definition.enum

(type_alias_declaration name: (type_identifier) @name) @definition.type

(internal_module
  name: (_) @name
  body: (statement_block) @body) @definition.module

(module
  name: (_) @name
  body: (statement_block) @body) @definition.module

(function_signature name: (identifier) @name) @definition.function
(method_signature name: (property_identifier) @name) @definition.method
(abstract_method_signature name: (property_identifier) @name) @definition.method

(method_definition
  (accessibility_modifier) @private
  name: (property_identifier) @name) @definition.method

(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method

(ambient_declaration (_) @wrapped) @wrap

; references

(type_identifier) @reference.type
(nested_type_identifier
  module: (identifier) @qualifier
  name: (type_identifier) @reference.type)
(extends_clause value: (identifier) @reference.base)
(extends_clause
  value: (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.base))
(extends_type_clause type: (type_identifier) @reference.base)
(extends_type_clause type: (generic_type name: (type_identifier) @reference.base))
(implements_clause (type_identifier) @reference.base)
(implements_clause (generic_type name: (type_identifier) @reference.base))

; imports

(import_statement
  (import_require_clause (identifier) @import.alias source: (string) @import.spec)) @import

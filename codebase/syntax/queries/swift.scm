; Swift: definitions

(class_declaration
  declaration_kind: "class"
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(class_declaration
  declaration_kind: "actor"
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(class_declaration
  declaration_kind: "struct"
  name: (type_identifier) @name
  body: (class_body) @body) @definition.struct

(class_declaration
  declaration_kind: "enum"
  name: (type_identifier) @name
  body: (enum_class_body) @body) @definition.enum

(class_declaration
  declaration_kind: "extension"
  name: [
    (user_type (type_identifier) @scope.name . (type_arguments)? .)
    [(array_type) (dictionary_type) (optional_type)] @scope.name
  ]) @scope.public

(protocol_declaration
  name: (type_identifier) @name
  body: (protocol_body) @body) @definition.interface

; a function or an operator; the wildcards save seconds of the binding's analysis of the query
(_
  "func" . name: _ @name
  body: (function_body) @body) @definition.function

(_
  name: "init" @name
  body: (function_body) @body) @definition.method

(macro_declaration . (modifiers)? . (simple_identifier) @name) @definition.macro
(protocol_function_declaration "func" . name: _ @name) @definition.method
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(operator_declaration (custom_operator) @name) @definition.function
(precedence_group_declaration . (simple_identifier) @name) @definition.type
(typealias_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.constant

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (computed_property)? @body) @definition.variable

[(lambda_literal) (computed_property) (deinit_declaration) (willset_didset_block)] @local
(attribute) @decorator
[(comment) (multiline_comment)] @doc

; Swift: references

(call_expression . (simple_identifier) @reference.call)
(call_expression
  .
  (_ suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(_
  target: (simple_identifier) @qualifier
  suffix: (navigation_suffix suffix: (simple_identifier) @reference.use))
(type_identifier) @reference.type
(inheritance_specifier
  inherits_from: (user_type (type_identifier) @reference.base))
(attribute (user_type (type_identifier) @reference.decorator))

; Swift: imports

(import_declaration) @import.text

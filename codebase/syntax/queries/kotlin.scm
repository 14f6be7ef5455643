; Kotlin: definitions

(package_header (identifier) @module)

(class_declaration
  "class"
  (type_identifier) @name
  (class_body)? @body) @definition.class

(class_declaration
  "interface"
  (type_identifier) @name
  (class_body)? @body) @definition.interface

(class_declaration
  "enum"
  (type_identifier) @name
  (enum_class_body) @body) @definition.enum

(object_declaration
  (type_identifier) @name
  (class_body)? @body) @definition.class

(enum_entry . (simple_identifier) @name) @definition.constant
(type_alias . (type_identifier) @name) @definition.type

(function_declaration
  (simple_identifier) @name
  (function_value_parameters)
  (function_body)? @body) @definition.function

; an extension belongs to its receiver
(function_declaration
  [
    (user_type (type_identifier) @container)
    (nullable_type (user_type (type_identifier) @container))
  ]
  .
  (simple_identifier) @name
  (function_value_parameters)
  (function_body)? @body) @definition.function

(property_declaration
  (variable_declaration . (simple_identifier) @name)) @definition.variable

(class_declaration
  (type_identifier) @container
  (primary_constructor
    (class_parameter
      (binding_pattern_kind)
      (simple_identifier) @name) @definition.variable))

[(lambda_literal) (anonymous_initializer) (anonymous_function) (object_literal) (getter) (setter)] @local
(secondary_constructor) @local
(annotation) @decorator
[(line_comment) (multiline_comment)] @doc

; Kotlin: references

(call_expression . (simple_identifier) @reference.call)
(call_expression
  .
  (navigation_expression
    .
    (simple_identifier) @qualifier
    (navigation_suffix (simple_identifier) @reference.call)))
(call_expression
  .
  (navigation_expression
    (navigation_suffix (simple_identifier) @reference.call)))
(navigation_expression
  .
  (simple_identifier) @qualifier
  (navigation_suffix (simple_identifier) @reference.use))
(callable_reference (simple_identifier) @reference.call .)
(type_identifier) @reference.type
(delegation_specifier (user_type (type_identifier) @reference.base))
(delegation_specifier
  (constructor_invocation (user_type (type_identifier) @reference.base)))
(explicit_delegation (user_type (type_identifier) @reference.base))
(annotation (user_type (type_identifier) @reference.decorator))
(annotation
  (constructor_invocation (user_type (type_identifier) @reference.decorator)))

; Kotlin: imports

(import_header) @import.text

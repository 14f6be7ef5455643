; Kotlin: definitions

(package_header (qualified_identifier) @module)

(class_declaration
  "class"
  name: (identifier) @name
  (class_body)? @body) @definition.class

(class_declaration
  "interface"
  name: (identifier) @name
  (class_body)? @body) @definition.interface

(class_declaration
  "class"
  name: (identifier) @name
  (enum_class_body) @body) @definition.enum

(object_declaration
  name: (identifier) @name
  (class_body)? @body) @definition.class

; one without a name only encloses
(companion_object
  name: (identifier) @name
  (class_body)? @body) @definition.class

(enum_entry (identifier) @name) @definition.constant
(type_alias type: (identifier) @name) @definition.type

(function_declaration
  name: (identifier) @name
  (function_value_parameters)
  (function_body)? @body) @definition.function

; an extension belongs to its receiver
(function_declaration
  [
    (user_type) @container
    (nullable_type (user_type) @container)
  ]
  .
  name: (identifier) @name
  (function_value_parameters)
  (function_body)? @body) @definition.function

(property_declaration
  (variable_declaration . (identifier) @name)) @definition.variable

(class_declaration
  name: (identifier) @container
  (primary_constructor
    (class_parameters
      (class_parameter
        ["val" "var"]
        (identifier) @name) @definition.variable)))

[(lambda_literal) (anonymous_initializer) (anonymous_function) (object_literal) (getter) (setter)] @local
(secondary_constructor) @local
(annotation) @decorator
[(line_comment) (block_comment)] @doc

; a declaration that is read as an expression
(source_file (annotated_expression) @suspect)
(source_file (assignment (annotated_expression) @suspect))
; a body that is read as the last argument of what the type delegates to
(explicit_delegation (call_expression (annotated_lambda)) @suspect)

; Kotlin: references

(call_expression . (identifier) @reference.call)
(call_expression
  .
  (navigation_expression
    .
    (identifier) @qualifier
    (identifier) @reference.call .))
(call_expression
  .
  (navigation_expression
    (identifier) @reference.call .))
(navigation_expression
  .
  (identifier) @qualifier
  ["." "?."]
  (identifier) @reference.use .)
(navigation_expression . (identifier) @reference.type "::")
(callable_reference (identifier) @reference.call .)
(user_type (identifier) @reference.type)
(delegation_specifier (user_type (identifier) @reference.base))
(delegation_specifier
  (constructor_invocation (user_type (identifier) @reference.base)))
(explicit_delegation (user_type (identifier) @reference.base))
(annotation (user_type (identifier) @reference.decorator))
(annotation
  (constructor_invocation (user_type (identifier) @reference.decorator)))

; Kotlin: imports

(import) @import.text

; C++: definitions beside those of C

(namespace_definition
  name: (_) @name
  body: (declaration_list) @body) @definition.module

(class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier) @name
  ]
  body: (field_declaration_list) @body) @definition.class

; a specialization
(struct_specifier
  name: [
    (template_type name: (type_identifier) @name)
    (qualified_identifier) @name
  ]
  body: (field_declaration_list) @body) @definition.struct
(union_specifier
  name: (template_type) @name
  body: (field_declaration_list) @body) @definition.struct

(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.interface

(function_definition
  declarator: [
    (function_declarator
      declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)] @name)
    (pointer_declarator
      declarator: (function_declarator
        declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)] @name))
    (reference_declarator
      (function_declarator
        declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)] @name))
  ]
  body: (_)? @body) @definition.function

(field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name)
    (function_declarator declarator: (operator_name) @name)
    (pointer_declarator
      declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator
      (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.method

(declaration
  declarator: [
    (function_declarator
      declarator: [(identifier) (destructor_name) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
  ]) @definition.function

(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
        (array_declarator declarator: (identifier) @name)
      ])
  ]) @definition.variable

; static members
(field_declaration
  (storage_class_specifier)
  declarator: (field_identifier) @name) @definition.variable

(template_declaration
  [
    (class_specifier) (struct_specifier) (union_specifier) (function_definition)
    (declaration) (alias_declaration) (concept_definition) (field_declaration)
  ] @wrapped) @wrap

; the sections of a class
(field_declaration_list (access_specifier) @access) @access.list

(lambda_expression) @local
(attribute_declaration) @decorator

; references

(call_expression
  function: (qualified_identifier
    scope: (namespace_identifier) @qualifier
    name: (identifier) @reference.call))
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier
      scope: (namespace_identifier) @qualifier
      name: (identifier) @reference.call)))
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier
      name: (qualified_identifier
        scope: (namespace_identifier) @qualifier
        name: (identifier) @reference.call))))
(template_function name: (identifier) @reference.call)
(template_method name: (field_identifier) @reference.call)
(new_expression type: (type_identifier) @reference.call)
(new_expression type: (template_type name: (type_identifier) @reference.call))
(qualified_identifier
  scope: (namespace_identifier) @qualifier
  name: (identifier) @reference.use)
(qualified_identifier
  scope: (namespace_identifier) @qualifier
  name: (type_identifier) @reference.type)
(base_class_clause (type_identifier) @reference.base)
(base_class_clause (template_type name: (type_identifier) @reference.base))
(base_class_clause
  (qualified_identifier
    scope: (namespace_identifier) @qualifier
    name: (type_identifier) @reference.base))

(function_definition type: (class_specifier) declarator: (identifier)) @suspect
(declaration type: (class_specifier !body) declarator: (identifier)) @suspect
; import a; and module a; as declarations
(translation_unit (declaration type: (type_identifier) @word declarator: (identifier)) @suspect)

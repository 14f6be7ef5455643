; PHP: definitions

(namespace_definition name: (namespace_name) @module)

(class_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.class

(trait_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.class

(interface_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.interface

(enum_declaration
  name: (name) @name
  body: (enum_declaration_list) @body) @definition.enum

(enum_case name: (name) @name) @definition.constant

(function_definition
  name: (name) @name
  body: (compound_statement) @body) @definition.function

(method_declaration
  name: (name) @name
  body: (compound_statement)? @body) @definition.method

(const_declaration (const_element . (name) @name)) @definition.constant

(property_declaration
  (property_element (variable_name (name) @name))
  (property_hook_list)? @body) @definition.variable

(anonymous_class) @local
(anonymous_function) @local
(property_hook_list) @local
(attribute_list) @decorator
(comment) @doc

; PHP: references

(function_call_expression function: (name) @reference.call)
(function_call_expression function: (qualified_name (name) @reference.call))
(scoped_call_expression
  scope: (name) @qualifier
  name: (name) @reference.call)
(scoped_call_expression
  scope: (qualified_name (name) @qualifier)
  name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(member_call_expression
  object: (variable_name (name) @qualifier)
  name: (name) @reference.call)
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(object_creation_expression . (name) @reference.call)
(object_creation_expression . (qualified_name (name) @reference.call))
(scoped_call_expression scope: (name) @reference.type)
(scoped_call_expression scope: (qualified_name (name) @reference.type))
(class_constant_access_expression . (name) @reference.type)
(class_constant_access_expression . (qualified_name (name) @reference.type))
(class_constant_access_expression . (name) @qualifier (name) @reference.use)
(binary_expression operator: "instanceof" right: (name) @reference.type)
(named_type (name) @reference.type)
(named_type (qualified_name (name) @reference.type))
(type_list (named_type (name) @reference.type))
(base_clause (name) @reference.base)
(base_clause (qualified_name (name) @reference.base))
(class_interface_clause (name) @reference.base)
(class_interface_clause (qualified_name (name) @reference.base))
(use_declaration (name) @reference.base)
(use_declaration (qualified_name (name) @reference.base))
(attribute . (name) @reference.decorator)
(attribute . (qualified_name (name) @reference.decorator))

; PHP: imports

(namespace_use_declaration) @import.text
(include_expression) @import.text
(include_once_expression) @import.text
(require_expression) @import.text
(require_once_expression) @import.text

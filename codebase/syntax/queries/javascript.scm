; JavaScript: what TypeScript's grammar spells differently

(class_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.class

(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method

(class_heritage (identifier) @reference.base)
(class_heritage
  (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.base))

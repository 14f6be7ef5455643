; JSX elements are uses of components

(jsx_opening_element name: (identifier) @reference.jsx)
(jsx_self_closing_element name: (identifier) @reference.jsx)
(jsx_opening_element
  name: (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.jsx))
(jsx_self_closing_element
  name: (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.jsx))

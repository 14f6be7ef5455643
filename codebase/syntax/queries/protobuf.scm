; Protocol buffers: definitions

(package (full_ident) @module)

(message
  (message_name (identifier) @name)
  (message_body) @body) @definition.struct

(enum
  (enum_name (identifier) @name)
  (enum_body) @body) @definition.enum

(enum_field . (identifier) @name) @definition.constant
(service (service_name (identifier) @name)) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method

(comment) @doc

; Protocol buffers: references

(message_or_enum_type) @reference.type

; Protocol buffers: imports

(import path: (string) @import.spec) @import
(import "public" @public) @import

; What Go text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

(package_clause (package_identifier) @name) @package

; --- scopes
(function_declaration name: (identifier) @name parameters: (_) @parameters result: (_)? @result body: (_)? @body) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))])) @parameters
  name: (_) @name parameters: (_) @parameters result: (_)? @result body: (_)? @body) @function
(type_spec name: (_) @name type: (struct_type (_) @body) (#set! kind "struct")) @class
(type_spec name: (_) @name type: (interface_type) @body (#set! kind "interface")) @class
(type_spec name: (_) @name type: [(type_identifier) (qualified_type) (pointer_type) (array_type) (slice_type) (map_type)
  (channel_type) (function_type) (generic_type)] @body (#set! kind "type")) @class
(method_elem name: (_) @name parameters: (_) @parameters result: (_)? @result) @function
(field_declaration !name type: (_) @base) @inherit
(interface_type (type_elem . (_) @base .) @inherit)
(func_literal parameters: (_) @parameters) @closure

; --- control flow
(if_statement consequence: (_) @branch)
(if_statement alternative: (_) @branch)
(for_statement body: (_) @loop)
(expression_case) @branch
(type_case) @branch
(communication_case) @branch

; --- bindings
(type_alias name: (_) @target type: (_) @value) @assign
(const_spec name: (identifier) @target type: (_)? @type value: (_)? @value (#set! kind "constant")) @assign
(var_spec name: (identifier) @target type: (_)? @type value: (_)? @value) @assign
(field_declaration name: (_) @target type: (_) @type) @assign
(field_declaration !name type: (type_identifier) @target @type) @assign
(short_var_declaration left: (_) @target right: (_) @value) @assign
(assignment_statement left: (_) @target right: (_) @value (#set! kind "set")) @assign
(range_clause left: (expression_list (_) . (_) @target) right: (_) @iterable) @iterate
(type_switch_statement alias: (expression_list (identifier) @target) (type_case type: (_) @type @assign))

; --- imports
(import_spec !name path: (_) @module) @import
(import_spec name: (package_identifier) @alias path: (_) @module) @import
(import_spec name: (dot) @star path: (_) @module) @import

; --- values that leave a scope
(return_statement (_) @value) @return
(call_expression) @call

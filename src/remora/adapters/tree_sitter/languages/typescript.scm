; What TypeScript text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- annotations
(class_body (decorator (_) @note) @annotated . (method_definition) @definition)
(class_body (decorator (_) @note) @annotated . (decorator) . (method_definition) @definition)
(class_body (decorator (_) @note) @annotated . (decorator) . (decorator) . (method_definition) @definition)
((class_declaration decorator: (decorator (_) @note)) @definition @annotated)
(export_statement decorator: (decorator (_) @note) @annotated declaration: (class_declaration) @definition)

; --- scopes
(function_declaration name: (identifier) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @function
(generator_function_declaration name: (identifier) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @function
(variable_declarator name: (identifier) @name value: (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (statement_block) @body) @as) @function
(variable_declarator name: (identifier) @name value: (arrow_function parameter: (identifier) @parameters body: (statement_block) @body) @as) @function
(variable_declarator name: (identifier) @name value: (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (expression) @body @value) @as) @function
(variable_declarator name: (identifier) @name value: (arrow_function parameter: (identifier) @parameters body: (expression) @body @value) @as) @function
(variable_declarator name: (identifier) @name value: [
  (function_expression parameters: (_) @parameters return_type: (_)? @result body: (_) @body)
  (generator_function parameters: (_) @parameters return_type: (_)? @result body: (_) @body)] @as) @function
(class_body (method_definition name: (_) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @function)
(public_field_definition name: (_) @name value: [
  (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (_) @body)
  (function_expression parameters: (_) @parameters return_type: (_)? @result body: (_) @body)] @as) @function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @owner
  property: (property_identifier) @_prototype) property: (property_identifier) @name)
  right: (function_expression parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @as (#eq? @_prototype "prototype")) @function
(class_declaration name: (_) @name body: (_) @body) @class
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body (#set! kind "interface")) @class
(enum_declaration name: (_) @name body: (_) @body (#set! kind "enum")) @class
(internal_module name: (_) @name body: (_) @body (#set! kind "namespace")) @class
(module name: (_) @name body: (_) @body (#set! kind "namespace")) @class
(type_alias_declaration name: (_) @name (#set! kind "type")) @class
(extends_clause value: (_) @base) @inherit
(implements_clause (_) @base) @inherit
(extends_type_clause type: (_) @base) @inherit
(abstract_method_signature name: (_) @name parameters: (_) @parameters return_type: (_)? @result) @function
(interface_body (method_signature name: (_) @name parameters: (_) @parameters return_type: (_)? @result) @function)
(ambient_declaration (class_declaration body: (class_body
  (method_signature name: (_) @name parameters: (_) @parameters return_type: (_)? @result) @function)))
(ambient_declaration (abstract_class_declaration body: (class_body
  (method_signature name: (_) @name parameters: (_) @parameters return_type: (_)? @result) @function)))
(ambient_declaration (function_signature name: (_) @name parameters: (_) @parameters return_type: (_)? @result) @function)
(variable_declarator name: (identifier) @name value: (class body: (_) @body) @as) @class
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
  right: (object (pair key: (property_identifier) @name value: (function_expression parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @as) @function)
  (#eq? @_prototype "prototype"))
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
  right: (object (method_definition name: (property_identifier) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @as @function)
  (#eq? @_prototype "prototype"))
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
  right: (call_expression function: (member_expression property: (property_identifier) @_create)
    arguments: (arguments . (member_expression object: (_) @base property: (property_identifier) @_of)))
  (#eq? @_prototype "prototype") (#eq? @_create "create") (#eq? @_of "prototype")) @extension
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
  right: (new_expression constructor: (_) @base) (#eq? @_prototype "prototype")) @extension
(call_expression function: [(identifier) @_inherits (member_expression property: (property_identifier) @_inherits)]
  arguments: (arguments . (identifier) @owner . (_) @base .) (#any-of? @_inherits "inherits" "setPrototypeOf")) @extension
(call_expression function: (member_expression property: (property_identifier) @_inherits)
  arguments: (arguments . (member_expression object: (identifier) @owner) . (member_expression object: (_) @base) .)
  (#eq? @_inherits "setPrototypeOf")) @extension
(export_statement "default" @name value: (class body: (_) @body) @class)
(class name: (_) @name body: (_) @body) @class
(class "class" @name body: (_) @body) @class
(assignment_expression left: (member_expression object: (_) @this) @name right: (function_expression parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @closure)
(assignment_expression left: (member_expression) @name right: (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (statement_block) @body) @closure)
(assignment_expression left: (member_expression) @name right: (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (expression) @body @value) @closure)
((object (pair key: [(property_identifier) (string) (computed_property_name (string))] @name
  value: (function_expression parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @closure)) @this)
(pair key: [(property_identifier) (string) (computed_property_name (string))] @name value: (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (statement_block) @body) @closure)
(pair key: [(property_identifier) (string) (computed_property_name (string))] @name value: (arrow_function parameters: (_) @parameters return_type: (_)? @result body: (expression) @body @value) @closure)
((object (method_definition name: (_) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @closure) @this)
(arrow_function parameters: (_) @parameters return_type: (_)? @result body: (statement_block)) @closure
(arrow_function parameters: (_) @parameters return_type: (_)? @result body: (expression) @value) @closure
(arrow_function parameter: (identifier) @parameters body: (statement_block)) @closure
(arrow_function parameter: (identifier) @parameters body: (expression) @value) @closure
(function_expression name: (identifier) @name parameters: (_) @parameters body: (_) @body) @closure
(function_expression parameters: (_) @parameters) @closure
(generator_function parameters: (_) @parameters) @closure

; --- control flow
(if_statement consequence: (_) @branch)
(else_clause (_) @branch)
(switch_case) @branch
(try_statement body: (_) @branch)
(catch_clause) @branch
(for_statement body: (_) @loop)
(for_in_statement body: (_) @loop)
(while_statement body: (_) @loop)
(do_statement body: (_) @loop)

; --- bindings
(variable_declarator name: (_) @target type: (_)? @type value: (_)? @value) @assign
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign
(public_field_definition name: (_) @target type: (_)? @type value: (_)? @value) @assign
(interface_body (property_signature name: (_) @target type: (_)? @type) @assign)
(enum_body name: (_) @target) @assign
(enum_assignment name: (_) @target) @assign
(for_in_statement left: (_) @target right: (_) @iterable) @iterate
(catch_clause parameter: (identifier) @target) @assign

; --- imports and exports
(import_statement (import_clause (identifier) @alias) source: (string) @module (#set! kind "default")) @import
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier name: _ @name alias: (_)? @alias)))
  source: (string) @module) @import
(import_statement . source: (string) @module) @import
(import_statement (import_require_clause (identifier) @alias source: (string) @module)) @import
(export_statement "*" @star source: (string) @module) @import
(export_statement (namespace_export (_) @alias) source: (string) @module) @export
(export_statement (export_clause (export_specifier name: _ @name alias: (_)? @alias)) source: (string) @module) @export
(export_statement (export_clause (export_specifier name: _ @name alias: (_)? @alias)) !source) @export
(export_statement "default" declaration: (_ name: (_) @name) (#set! kind "default")) @export
(export_statement "default" value: (_) @value (#set! kind "default")) @export

; --- values that leave a scope, and uses
(return_statement (_) @value) @return
(yield_expression (_) @value) @yield
(call_expression) @call
(new_expression) @call

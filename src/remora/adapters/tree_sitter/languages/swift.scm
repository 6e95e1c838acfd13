; What Swift text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- scopes
(class_declaration "struct" name: (type_identifier) @name body: (_) @body (#set! kind "struct")) @class
(class_declaration "enum" name: (type_identifier) @name body: (_) @body (#set! kind "enum")) @class
(class_declaration "extension" name: (user_type) @owner) @extension
(class_declaration name: (type_identifier) @name body: (_) @body) @class
(protocol_declaration name: (_) @name body: (_) @body (#set! kind "protocol")) @class
(inheritance_specifier inherits_from: (_) @base) @inherit
(function_declaration name: (simple_identifier) @name (parameter)* @parameters [(user_type) (optional_type) (array_type)]? @result body: (_)? @body) @function
(protocol_function_declaration name: (simple_identifier) @name (parameter)* @parameters [(user_type) (optional_type) (array_type)]? @result) @function
(init_declaration "init" @name (parameter)* @parameters body: (_)? @body) @function
(lambda_literal) @closure

; --- control flow
(if_statement (statements) @branch)
(guard_statement (statements) @branch)
(switch_entry) @branch
(for_statement (statements) @loop)
(while_statement (statements) @loop)

; --- bindings
(property_declaration name: (pattern bound_identifier: (_) @target) (type_annotation (_) @type)? value: (_)? @value) @assign
(protocol_property_declaration name: (pattern bound_identifier: (_) @target) (type_annotation (_) @type)?) @assign
(assignment target: (directly_assignable_expression (_) @target) result: (_) @value (#set! kind "set")) @assign
(enum_entry name: (simple_identifier) @target (#set! kind "enumerator")) @assign
(if_statement bound_identifier: (_) @target condition: [(navigation_expression) (call_expression) (simple_identifier)] @value @assign)
(guard_statement bound_identifier: (_) @target condition: [(navigation_expression) (call_expression) (simple_identifier)] @value @assign)
(for_statement item: (pattern bound_identifier: (_) @target) collection: (_) @iterable) @iterate
(typealias_declaration name: (type_identifier) @target (user_type) @value) @assign

; --- imports
(import_declaration (identifier) @module @star) @import

; --- values that leave a scope
(control_transfer_statement "return" result: (_) @value) @return
(call_expression) @call

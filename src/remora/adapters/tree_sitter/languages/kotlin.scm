; What Kotlin text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

(package_header (_) @name) @package
((function_declaration (modifiers (annotation (user_type) @mark))) @definition @marked)

((function_declaration (modifiers (annotation (_) @note))) @definition @annotated)
((class_declaration (modifiers (annotation (_) @note))) @definition @annotated)

; --- scopes
(class_declaration "interface" name: (_) @name (class_body)? @body (#set! kind "interface")) @class
(class_declaration name: (_) @name (enum_class_body) @body (#set! kind "enum")) @class
(class_declaration name: (_) @name (primary_constructor (class_parameters) @parameters) (class_body)? @body) @class
(class_declaration name: (_) @name (class_body)? @body) @class
(object_declaration name: (_) @name (class_body)? @body (#set! kind "object")) @class
(delegation_specifier [(user_type) @base (constructor_invocation (user_type) @base)]) @inherit
(function_declaration (user_type) @owner name: (_) @name (function_value_parameters) @parameters
  [(user_type) (nullable_type)]? @result (function_body)? @body) @function
(function_declaration name: (_) @name (function_value_parameters) @parameters [(user_type) (nullable_type)]? @result
  (function_body)? @body) @function
(secondary_constructor (function_value_parameters) @parameters (block)? @body) @closure
(lambda_literal (lambda_parameters)? @parameters) @closure

; --- control flow
(if_expression (block) @branch)
(when_entry) @branch
(try_expression (block) @branch)
(catch_block) @branch
(for_statement (block) @loop)
(while_statement (block) @loop)

; --- bindings
(property_declaration (modifiers (property_modifier "const")) (variable_declaration (identifier) @target (_)? @type) (_)? @value (#set! kind "constant")) @assign
(property_declaration (variable_declaration (identifier) @target (_)? @type) (expression)? @value) @assign
(assignment left: (_) @target right: (_) @value (#set! kind "set")) @assign
(enum_entry (identifier) @target (#set! kind "enumerator")) @assign
(for_statement (variable_declaration (identifier) @target) . (_) @iterable) @iterate
(type_alias type: (identifier) @target (_) @value) @assign

; --- imports
(import) @text @import

; --- values that leave a scope
(return_expression (_) @value) @return
(function_body (expression) @value) @return
(call_expression) @call

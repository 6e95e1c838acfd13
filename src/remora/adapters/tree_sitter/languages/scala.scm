; What Scala text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

(package_clause name: (_) @name) @package
((function_definition (annotation name: (_) @mark)) @definition @marked)

; --- scopes
(class_definition name: (_) @name class_parameters: (_)? @parameters body: (_)? @body) @class
(trait_definition name: (_) @name body: (_)? @body (#set! kind "trait")) @class
(object_definition name: (_) @name body: (_)? @body (#set! kind "object")) @class
(enum_definition name: (_) @name body: (_)? @body (#set! kind "enum")) @class
(extends_clause [(type_identifier) (stable_type_identifier) (generic_type)] @base @inherit)
(function_definition name: (_) @name parameters: (_)? @parameters return_type: (_)? @result body: (block (_) @value .) @body) @function
(function_definition name: (_) @name parameters: (_)? @parameters return_type: (_)? @result body: (_) @body @value) @function
(function_declaration name: (_) @name parameters: (_)? @parameters return_type: (_)? @result) @function
(lambda_expression parameters: (_) @parameters (_) @value .) @closure

; --- control flow
(if_expression consequence: (_) @branch)
(if_expression alternative: (_) @branch)
(case_clause) @branch
(while_expression body: (_) @loop)
(for_expression body: (_) @loop)

; --- bindings
(val_definition pattern: (_) @target type: (_)? @type value: (_) @value) @assign
(var_definition pattern: (_) @target type: (_)? @type value: (_) @value) @assign
(val_declaration name: (_) @target type: (_) @type) @assign
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign
(simple_enum_case name: (_) @target (#set! kind "enumerator")) @assign
(typed_pattern pattern: (_) @target type: (_) @type) @assign
(enumerator . (_) @target . (_) @iterable) @iterate
(type_definition name: (_) @target type: (_) @value) @assign

; --- imports
(import_declaration) @text @import

; --- values that leave a scope
(return_expression (_) @value) @return
(call_expression) @call
(instance_expression) @call

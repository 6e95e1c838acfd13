; What Java text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

(package_declaration (_) @name) @package
((method_declaration (modifiers [(marker_annotation name: (_) @mark) (annotation name: (_) @mark)])) @definition @marked)

((method_declaration (modifiers [(marker_annotation) (annotation)] @note)) @definition @annotated)
((class_declaration (modifiers [(marker_annotation) (annotation)] @note)) @definition @annotated)
((interface_declaration (modifiers [(marker_annotation) (annotation)] @note)) @definition @annotated)

; --- scopes
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body (#set! kind "interface")) @class
(enum_declaration name: (_) @name body: (_) @body (#set! kind "enum")) @class
(record_declaration name: (_) @name parameters: (_) @parameters body: (_) @body (#set! kind "record")) @class
(annotation_type_declaration name: (_) @name body: (_) @body (#set! kind "interface")) @class
(superclass (_) @base) @inherit
(super_interfaces (type_list (_) @base)) @inherit
(extends_interfaces (type_list (_) @base)) @inherit
(method_declaration type: (_) @result name: (_) @name parameters: (_) @parameters body: (_)? @body) @function
(constructor_declaration name: (_) @name parameters: (_) @parameters body: (_) @body (#set! kind "constructor")) @function
(compact_constructor_declaration name: (_) @name body: (_) @body (#set! kind "constructor")) @function
(annotation_type_element_declaration type: (_) @result name: (_) @name) @function
(lambda_expression parameters: (_) @parameters body: (block)) @closure
(lambda_expression parameters: (_) @parameters body: (expression) @value) @closure

; --- control flow
(if_statement consequence: (_) @branch)
(if_statement alternative: (_) @branch)
(switch_block_statement_group) @branch
(switch_rule) @branch
(try_statement body: (_) @branch)
(catch_clause) @branch
(while_statement body: (_) @loop)
(for_statement body: (_) @loop)
(enhanced_for_statement body: (_) @loop)

; --- bindings
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @target value: (_)? @value)) @assign
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @target value: (_)? @value) (#set! kind "constant")) @assign
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @target value: (_)? @value)) @assign
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign
(enum_constant name: (_) @target (#set! kind "enumerator")) @assign
(enhanced_for_statement type: (_) @type name: (_) @target value: (_) @iterable) @iterate
(resource type: (_) @type name: (_) @target value: (_) @value) @assign
(catch_formal_parameter (catch_type (_) @value) name: (_) @target) @caught
(instanceof_expression right: (_) @type name: (_) @target) @assign
(type_pattern (_) @type (identifier) @target) @assign

; --- imports
(import_declaration (scoped_identifier scope: (_) @module name: (_) @name) .) @import
(import_declaration (_) @module (asterisk) @star) @import

; --- values that leave a scope
(return_statement (_) @value) @return
(method_invocation) @call
(object_creation_expression) @call
(explicit_constructor_invocation) @call

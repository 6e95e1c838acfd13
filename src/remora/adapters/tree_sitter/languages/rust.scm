; What Rust text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

((attribute_item (attribute) @mark) @marked . (function_item) @definition)
((attribute_item (attribute) @mark) @marked . (attribute_item) . (function_item) @definition)

((attribute_item (attribute) @note) @annotated . [(function_item) (struct_item) (mod_item) (enum_item)] @definition)
((attribute_item (attribute) @note) @annotated . (attribute_item) . [(function_item) (struct_item) (mod_item) (enum_item)] @definition)
((attribute_item (attribute) @note) @annotated . (attribute_item) . (attribute_item) . [(function_item) (struct_item)] @definition)

; --- scopes
(function_item name: (_) @name parameters: (_) @parameters return_type: (_) @result body: (block (_) @value .) @body) @function
(function_item name: (_) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @function
(function_signature_item name: (_) @name parameters: (_) @parameters return_type: (_)? @result) @function
(macro_definition name: (_) @name (#set! kind "macro")) @function
(struct_item name: (_) @name body: (_)? @body (#set! kind "struct")) @class
(union_item name: (_) @name body: (_) @body (#set! kind "struct")) @class
(enum_item name: (_) @name body: (_) @body (#set! kind "enum")) @class
(trait_item name: (_) @name body: (_) @body (#set! kind "trait")) @class
(mod_item name: (_) @name body: (_) @body (#set! kind "namespace")) @class
(trait_item bounds: (trait_bounds (_) @base) @inherit)
(impl_item !trait type: (_) @owner body: (_)) @extension
(impl_item trait: (_) @base type: (_) @owner body: (_)) @extension
(closure_expression parameters: (_) @parameters body: (block)) @closure
(closure_expression parameters: (_) @parameters body: (_) @value) @closure

; --- control flow
(if_expression consequence: (_) @branch)
(else_clause (_) @branch)
(match_arm value: (_) @branch)
(while_expression body: (_) @loop)
(for_expression body: (_) @loop)
(loop_expression body: (_) @loop)

; --- bindings
(const_item name: (_) @target type: (_) @type value: (_)? @value (#set! kind "constant")) @assign
(static_item name: (_) @target type: (_) @type value: (_)? @value (#set! kind "constant")) @assign
(type_item name: (_) @target type: (_) @value) @assign
(field_declaration name: (_) @target type: (_) @type) @assign
(enum_variant name: (_) @target (#set! kind "enumerator")) @assign
(let_declaration pattern: (_) @target type: (_)? @type value: (_)? @value) @assign
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign
(let_condition pattern: (tuple_struct_pattern type: (identifier) @_wrap . (_) @target .) value: (_) @value
  (#any-of? @_wrap "Some" "Ok")) @assign
(match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern
  (tuple_struct_pattern type: (identifier) @_wrap . (_) @target .) @assign))) (#any-of? @_wrap "Some" "Ok"))
(for_expression pattern: (_) @target value: (_) @iterable) @iterate

; --- imports
(use_declaration argument: (_) @tree) @import
(mod_item name: (_) @module !body) @import

; --- values that leave a scope
(return_expression (_) @value) @return
(call_expression) @call
(token_tree (identifier) @callee . (token_tree "(") @invoked)

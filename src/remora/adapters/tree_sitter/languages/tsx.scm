; What TypeScript's query does not know: elements use their components.
(jsx_opening_element name: (_) @value) @use
(jsx_self_closing_element name: (_) @value) @use

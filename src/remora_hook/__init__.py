"""The hook's own small house: standard library only, and built-in modules alone until there is something to do."""

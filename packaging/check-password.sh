#!/bin/sh
# Refuse a password that is empty, short, or one of those that stand in examples. It is read from the environment alone.
set -eu
password="${NEO4J_PASSWORD:-}"
refuse() {
  echo "NEO4J_PASSWORD $1; make one with: openssl rand -hex 24" >&2
  exit 1
}
[ -n "$password" ] || refuse "is empty"
[ "${#password}" -ge 12 ] || refuse "is shorter than 12 characters"
lower=$(printf '%s' "$password" | tr '[:upper:]' '[:lower:]')
case "$lower" in
  *change*me* | *password* | *passw0rd* | *secret* | *example* | *neo4j* | *remora* | *letmein* | *123456789*)
    refuse "is a sample or holds a common word" ;;
esac
case "$password" in
  */* | *[[:space:]]*) refuse "holds a slash or a space, which NEO4J_AUTH cannot carry" ;;
esac

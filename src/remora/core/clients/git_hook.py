"""The block in git hooks that records what was committed, and how it gets into hooks that others wrote."""

import re
import shlex
from collections.abc import Sequence
from typing import Literal

from remora.core.clients.marked_block import HASH, cut_block, find_block, put_block
from remora.core.errors import InvalidInput

HookName = Literal["post-commit", "post-merge", "post-rewrite"]
HOOK_NAMES: tuple[HookName, ...] = ("post-commit", "post-merge", "post-rewrite")
CHAINED = ".remora-chained"
"""Suffix of a hook in another language, which ours runs in its place."""

_FIRST_LINE = "#!/bin/sh\n"
_SHELL = re.compile(r"#!\s*(?:\S*/env\s+(?:-\S+\s+)*)?(?:\S*/)?(?:ba|da|z|k|mk|a)?sh(?:\s|\Z)")
_UNDER_WAY = {
    "post-commit": "rebase-merge rebase-apply sequencer CHERRY_PICK_HEAD MERGE_HEAD",
    "post-merge": "rebase-merge rebase-apply",
    "post-rewrite": "",
}
"""What git keeps while a longer operation goes on; after it, the range since the last recorded commit is ingested."""

# Builtins only before the background begins: a commit pays for one more fork of the shell and nothing else.
_BODY = """\
# Records what was committed, in the background. Written by remora, which can also take it out again.
remora_record() {
  %(guard)sremora_dir=${GIT_DIR:-.git}
  [ -d "$remora_dir" ] || remora_dir=$(git rev-parse --git-dir 2>/dev/null) || return 0
  for remora_state in %(states)s; do
    [ ! -e "$remora_dir/$remora_state" ] || return 0
  done
  remora_common=$remora_dir
  remora_home=.remora
  if [ -f "$remora_dir/commondir" ]; then
    IFS= read -r remora_common <"$remora_dir/commondir" || :
    case $remora_common in
      ../..) remora_common=${remora_dir%%/worktrees/*} ;;
      /*) ;;
      *) remora_common=$remora_dir/$remora_common ;;
    esac
    remora_home=
    case $remora_common in */.git) remora_home=${remora_common%%/.git}/.remora ;; esac
  fi
  if [ ! -d "$remora_home" ]; then
    remora_home=$remora_common/remora
    [ -d "$remora_home/cache" ] || return 0
  fi
  REMORA_COMMIT=
  remora_head=
  [ ! -f "$remora_dir/HEAD" ] || IFS= read -r remora_head <"$remora_dir/HEAD" || :
  case $remora_head in
    "ref: "*)
      remora_head=$remora_common/${remora_head#ref: }
      [ ! -f "$remora_head" ] || IFS= read -r REMORA_COMMIT <"$remora_head" || : ;;
    *) REMORA_COMMIT=$remora_head ;;
  esac
  case $REMORA_COMMIT in
    '' | *[!0-9a-f]*) REMORA_COMMIT=$(git rev-parse HEAD 2>/dev/null) || return 0 ;;
  esac
  (
    set +eu
    trap '' HUP
    umask 077
    for remora_name in $(env | sed -n 's/^\\(GIT_[A-Za-z0-9_]*\\)=.*/\\1/p'); do unset "$remora_name"; done
    remora_run() {
      if [ -x %(program)s ]; then %(command)s "$@"; else remora "$@"; fi
    }
    remora_cache=$remora_home/cache
    mkdir -p "$remora_cache" || exit 0
    echo "$REMORA_COMMIT" >>"$remora_cache/git-hook.todo"
    [ -z "$(find "$remora_cache/git-hook.lock" -prune -mmin +60 2>/dev/null)" ] || rmdir "$remora_cache/git-hook.lock"
    if [ "$(wc -c <"$remora_cache/git-hook.log" 2>/dev/null || echo 0)" -gt 262144 ]; then
      mv -f "$remora_cache/git-hook.log" "$remora_cache/git-hook.log.1"
    fi
    exec >>"$remora_cache/git-hook.log" 2>&1
    while [ -s "$remora_cache/git-hook.todo" ]; do
      mkdir "$remora_cache/git-hook.lock" 2>/dev/null || exit 0
      mv -f "$remora_cache/git-hook.todo" "$remora_cache/git-hook.now"
      remora_run update
      sort -u "$remora_cache/git-hook.now" | (
        remora_status=0
        while IFS= read -r REMORA_COMMIT; do
          export REMORA_COMMIT
          remora_run records ingest --catch-up "$REMORA_COMMIT" </dev/null || remora_status=1
        done
        exit "$remora_status"
      ) && mkdir -p "$remora_cache/hooks" && touch "$remora_cache/hooks/git.commit"
      remora_run records refresh
      rm -f "$remora_cache/git-hook.now"
      rmdir "$remora_cache/git-hook.lock"
    done
  ) </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
}
remora_record "$@" || :
"""


def hook_body(name: HookName, command: Sequence[str]) -> str:
    """The block's lines for one hook. `command` starts the CLI; its first word is an absolute path."""
    return _BODY % {
        "guard": '[ "${1:-}" != amend ] || return 0\n  ' if name == "post-rewrite" else "",
        "states": _UNDER_WAY[name],
        "program": shlex.quote(command[0]),
        "command": shlex.join(command),
    }


def is_shell_script(text: str) -> bool:
    """Whether a hook is a script that our lines may stand in; without a first `#!` git runs it by the shell."""
    return bool(_SHELL.match(text)) if text.startswith("#!") else "\0" not in text


def install_hook(text: str | None, body: str) -> str:
    """The hook with our block after its first line, so that an `exit` further down does not keep it from running."""
    if text is None or find_block(text, HASH) is not None:
        return put_block(text, HASH, body, gap=False, first_line=_FIRST_LINE)
    head, rest = ("", text)
    if text.startswith("#!"):
        first, newline, rest = text.partition("\n")
        head = first + newline
    block = put_block(head, HASH, body, gap=False)
    return block + rest


def uninstall_hook(text: str) -> str | None:
    """The hook without our block, to the byte; None when the file was ours alone."""
    return cut_block(text, HASH, gap=False, first_line=_FIRST_LINE)


def chaining_hook(body: str) -> str:
    """A hook of ours that ends as the one it stands for: same arguments, input and status."""
    return install_hook(None, body) + f'exec "$0{CHAINED}" "$@"\n'


def is_chaining(text: str) -> bool:
    """Whether a hook is the one of `chaining_hook`, and nobody wrote anything else into it."""
    try:
        return uninstall_hook(text) == f'{_FIRST_LINE}exec "$0{CHAINED}" "$@"\n'
    except InvalidInput:
        return False

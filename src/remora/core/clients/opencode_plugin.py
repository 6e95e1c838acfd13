"""The OpenCode plugin: OpenCode runs no commands on its events, so a small module calls the same hook for it."""

import json
from collections.abc import Sequence

from remora.core.clients.settings import Patch
from remora.core.errors import InvalidInput

_HEAD = "// Written by remora; `remora mcp hooks --remove` takes it away."
_BODY = """
import { spawn } from "node:child_process"

const COMMAND = %s
const DEADLINE_MS = 10000
const MESSAGES_MAX = 400

// One JSON object in, at most one out. The hook never fails and is silent in a repository without `remora init`.
function hook(event, payload, cwd) {
  return new Promise((resolve) => {
    let out = ""
    const done = () => { try { resolve(out.trim() ? JSON.parse(out) : {}) } catch { resolve({}) } }
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), "--event", event],
        { cwd, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill(), DEADLINE_MS)
      child.on("error", () => { clearTimeout(timer); resolve({}) })
      child.on("close", () => { clearTimeout(timer); done() })
      child.stdout.on("data", (piece) => { out += piece })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, cwd, ...payload }))
    } catch { resolve({}) }
  })
}

const isText = (part) => part?.type === "text" && !part.synthetic
const textOf = (parts) => (parts ?? []).filter(isText).map((part) => part.text).join("\\n")

export const Remora = async ({ client, directory }) => {
  const started = new Map()
  const waiting = new Map()
  const start = (session) => {
    if (!started.has(session)) started.set(session, hook("session.created", { session_id: session }, directory))
    return started.get(session)
  }
  return {
    event: async ({ event }) => {
      const session = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (event?.type === "session.compacted" && session) {
        started.delete(session)
        await hook("session.compacted", { session_id: session }, directory)
      }
      if (event?.type === "session.deleted" && session) { started.delete(session); waiting.delete(session) }
    },
    "chat.message": async (input, output) => {
      const session = input?.sessionID
      if (!session) return
      const first = await start(session)
      const answer = await hook("chat.message", { session_id: session, prompt: textOf(output?.parts) }, directory)
      waiting.set(session, [first.context, answer.context].filter(Boolean))
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const text of waiting.get(input?.sessionID) ?? []) output.system.push(text)
    },
    "experimental.session.compacting": async (input) => {
      const session = input?.sessionID
      if (!session) return
      let messages = []
      try {
        const answer = await client.session.messages({ path: { id: session } })
        messages = (answer?.data ?? []).slice(-MESSAGES_MAX)
          .map((message) => ({ id: message?.info?.id, role: message?.info?.role, content: textOf(message?.parts) }))
          .filter((message) => message.content)
      } catch {}
      await hook("experimental.session.compacting", { session_id: session, messages }, directory)
    },
  }
}
"""


def plugin_source(words: Sequence[str]) -> str:
    """The module, calling the hook by this command line (to which the event is added)."""
    return f"{_HEAD}\n{_BODY.lstrip() % json.dumps(list(words))}"


def install_plugin(text: str | None, words: Sequence[str]) -> Patch:
    """Our module; a file of that name that is not ours is refused."""
    if text is not None and not text.startswith(_HEAD):
        raise InvalidInput("plugin", "a plugin of this name is already there and is not ours", allowed="our own file")
    return Patch(plugin_source(words))


def uninstall_plugin(text: str) -> Patch:
    """Nothing, when the file is ours; else the file as it is."""
    return Patch(None if text.startswith(_HEAD) else text)

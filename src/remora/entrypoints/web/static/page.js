// The page's own behaviour: keys, focus, the drawer, the theme. Everything else is links, forms and htmx.
(() => {
  "use strict";
  const one = (query, root = document) => root.querySelector(query);
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const base = document.body.dataset.base || "";
  const overlaid = matchMedia("(max-width: 75rem)");
  let opener = "";
  let fresh = -1;
  let held = "";

  // --- The list: one row can be reached by Tab, the others by arrows ---
  const links = () => all("#rows .row-link");
  const settle = (wanted) => {
    const rows = links();
    const chosen = rows.includes(wanted) ? wanted : rows.find((row) => row.tabIndex === 0) || rows[0];
    for (const row of rows) row.tabIndex = row === chosen ? 0 : -1;
  };
  const step = (by) => {
    const rows = links();
    if (!rows.length) return;
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? rows.find((row) => row.tabIndex === 0) || rows[0] : rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    settle(next);
    next.focus();
  };

  // --- The drawer ---
  const drawer = () => one("#drawer");
  const isOpen = () => drawer()?.classList.contains("open");
  const mark = () => {
    const item = isOpen() ? drawer().dataset.item : "";
    for (const row of all(".row.current")) row.classList.remove("current");
    if (item) document.getElementById(`row-${item}`)?.classList.add("current");
    for (const part of all(".board > main, .board > form, .top")) part.inert = Boolean(item) && overlaid.matches;
  };
  const close = () => {
    if (!isOpen()) return;
    const item = drawer().dataset.item;
    const empty = document.createElement("aside");
    empty.id = "drawer";
    empty.className = "drawer";
    empty.hidden = true;
    drawer().replaceWith(empty);
    history.pushState({}, "", base + location.search);
    here = place();
    mark();
    const row = one(`#row-${CSS.escape(item)} .row-link`) || one(`[data-item="${CSS.escape(opener)}"]`) || links()[0];
    if (row) { settle(row); row.focus(); } else one("#main")?.focus();
  };

  // --- Keys ---
  const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const help = one("#help");
    if (help?.open) return;
    if (event.key === "Escape") {
      const menu = one("details.menu[open]");
      if (menu) { menu.open = false; one("summary", menu).focus(); return; }
      if (isOpen()) { event.preventDefault(); close(); return; }
      if (event.target.id === "q") { event.target.blur(); step(0); }
      return;
    }
    if (typing(event.target)) {
      if (event.target.id === "q" && event.key === "ArrowDown") { event.preventDefault(); step(0); }
      return;
    }
    const inDrawer = event.target.closest?.("#drawer");
    const act = {
      "/": () => { const box = one("#q"); if (box) { box.focus(); box.select(); } },
      "?": () => help?.showModal(),
      u: () => all("[data-undo]").at(-1)?.click(),
      j: () => step(1),
      k: () => step(-1),
      ArrowDown: () => inDrawer || step(1),
      ArrowUp: () => inDrawer || step(-1),
      Home: () => inDrawer || (links()[0] && (settle(links()[0]), links()[0].focus())),
      End: () => inDrawer || (links().at(-1) && (settle(links().at(-1)), links().at(-1).focus())),
    }[event.key];
    if (!act || (inDrawer && /^(Arrow|Home|End)/.test(event.key))) return;
    if (/^(Arrow|Home|End)/.test(event.key) && !event.target.closest("#rows") && event.target !== document.body && event.target.id !== "main") return;
    event.preventDefault();
    act();
  });

  // --- Clicks ---
  document.addEventListener("click", (event) => {
    const target = event.target.closest?.("[data-close], [data-dismiss], [data-help], [data-theme-switch], .row-link");
    for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
    if (!target) return;
    if (target.matches("[data-close]")) { event.preventDefault(); close(); }
    if (target.matches("[data-dismiss]")) { target.closest(".toast").remove(); one("#main")?.focus(); }
    if (target.matches("[data-help]")) one("#help").showModal();
    if (target.matches(".row-link[data-item]")) { opener = target.dataset.item; settle(target); }
    if (target.matches("[data-theme-switch]")) {
      const root = document.documentElement;
      const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
      document.cookie = `remora_theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
      document.dispatchEvent(new Event("theme-changed"));
    }
  });

  // --- What htmx put in place ---
  // A notice that something was done makes room for the next and goes by itself; what was erased is told until dismissed.
  const passing = (notice) => {
    for (const other of all(".toast.done")) if (other !== notice) other.remove();
    setTimeout(() => { if (!notice.matches(":hover, :focus-within")) notice.remove(); }, 8000);
  };
  document.addEventListener("htmx:load", (event) => {
    const made = event.detail.elt;
    if (made?.matches?.(".toast.done")) passing(made);
    if (made?.id === "drawer") {
      if (isOpen()) one("#drawer-title")?.focus();
      else { const row = links().find((link) => link.tabIndex === 0) || links()[0]; row ? row.focus() : one("#main")?.focus(); }
    }
    if (made?.id === "results" && held) {  // the list was drawn anew under the reader's feet
      const row = one(`#row-${CSS.escape(held)} .row-link`) || links()[0];
      settle(row);
      (row || one("#main"))?.focus();
      held = "";
    }
    settle();
    if (fresh >= 0 && links()[fresh]) { settle(links()[fresh]); links()[fresh].focus(); fresh = -1; }
    mark();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.id === "results") held = document.activeElement?.closest("#rows .row-link")?.dataset.item || "";
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target?.id === "more") fresh = all("#rows .row-link[data-item]").length;
  });
  document.addEventListener("htmx:sendError", () => {
    const note = document.createElement("div");
    note.className = "toast failed";
    note.setAttribute("role", "alert");
    note.textContent = "The server does not answer. It may have ended; start it again with remora serve.";
    one("#toasts")?.replaceChildren(note);
  });
  const place = () => location.pathname + location.search;
  let here = place();
  document.addEventListener("htmx:pushedIntoHistory", () => { here = place(); });
  document.addEventListener("htmx:replacedInHistory", () => {  // the answer may be older than the drawer's last move
    if (drawer()) history.replaceState(history.state, "", base + (isOpen() ? `/items/${drawer().dataset.item}` : "") + location.search);
    here = place();
  });
  window.addEventListener("popstate", () => { if (place() !== here) location.reload(); });  // not for a mere #fragment
  overlaid.addEventListener("change", mark);

  // --- Begin ---
  const fold = one(".facet-fold");
  if (fold && matchMedia("(max-width: 56rem)").matches) fold.open = false;
  settle();
  mark();
  if (isOpen()) one("#drawer-title")?.focus();
})();

// Draws the graph that the server laid out. Names go to a canvas and into text nodes, never into markup.
(() => {
  "use strict";
  const stage = document.getElementById("graph");
  if (!stage) return;
  const base = document.body.dataset.base;
  const card = document.getElementById("node");
  const kinds = { entity: "entity", encounter: "encounter", component: "source", citation: "source" };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = () => ({
    entity: colour("--facts"), thought: colour("--encounters"), source: colour("--muted"), encounter: colour("--records"),
    line: colour("--line-strong"), faint: colour("--line"), edge: colour("--edge"), text: colour("--text"), focus: colour("--bad"), ground: colour("--ground"),
  });
  let colours = palette();
  let near = null;

  const label = (context, data, settings) => {
    if (!data.label) return;
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    context.direction = "ltr";
    const x = data.x + data.size + 3, y = data.y + settings.labelSize / 3;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = colours.ground;
    context.strokeText(data.label, x, y);
    context.fillStyle = colours.text;
    context.fillText(data.label, x, y);
  };

  const begin = (data) => {
    const graph = new graphology.MultiGraph({ allowSelfLoops: true });
    const focus = new Set(data.focus);
    const many = data.dots.length > 1000;
    data.dots.forEach(([id, name, kind, x, y, degree], at) => {
      const short = name.length > 36 ? `${name.slice(0, 35)}…` : name;
      graph.addNode(String(at), { id, name, kind, x, y: -y, degree, label: short, group: kinds[kind] || "thought", centre: focus.has(at),
        size: Math.min(many ? 8 : 14, (many ? 1.6 : 4) + Math.sqrt(degree) * (many ? 0.7 : 1.6)) + (focus.has(at) ? 3 : 0) });
    });
    for (const [from, to, name] of data.lines) graph.addEdge(String(from), String(to), { name, size: many ? 0.5 : 1 });
    const drawn = new Sigma(graph, stage, {
      allowInvalidContainer: true, hideEdgesOnMove: many, hideLabelsOnMove: many, renderEdgeLabels: false, labelDensity: many ? 0.35 : 1,
      labelGridCellSize: many ? 160 : 90, labelRenderedSizeThreshold: many ? 5 : 4, labelFont: "system-ui, sans-serif", labelSize: 12, labelWeight: "500",
      minCameraRatio: 0.02, maxCameraRatio: 4, zIndex: false, defaultDrawNodeLabel: label, defaultDrawNodeHover: label,
      nodeReducer: (node, data) => {
        const dim = near && !near.has(node);
        return { ...data, color: dim ? colours.faint : data.centre ? colours.focus : colours[data.group], label: dim ? "" : data.label, forceLabel: data.centre || (near ? near.has(node) && near.size < 40 : false) };
      },
      edgeReducer: (edge, data) => {
        const lit = !near || (near.has(graph.source(edge)) && near.has(graph.target(edge)));
        return { ...data, color: lit ? (near ? colours.line : many ? colours.faint : colours.edge) : colours.faint, hidden: Boolean(near) && !lit };
      },
    });
    const show = (node) => {
      const held = graph.getNodeAttributes(node);
      card.hidden = false;
      card.querySelector("h2").textContent = held.name;
      card.querySelector("p").textContent = `${held.kind}, ${held.degree} neighbour${held.degree === 1 ? "" : "s"}`;
      const about = held.kind === "entity" ? `${base}?family=facts&q=${encodeURIComponent(held.name)}` : `${base}/items/${held.id}`;
      card.querySelector("[data-open]").href = about;
      card.querySelector("[data-open]").textContent = held.kind === "entity" ? "Its facts" : "Open";
      card.querySelector("[data-centre]").href = `${base}/graph?focus=${encodeURIComponent(held.id)}`;
      near = new Set([node, ...graph.neighbors(node)]);
      drawn.refresh({ skipIndexation: true });
    };
    const clear = () => { near = null; card.hidden = true; drawn.refresh({ skipIndexation: true }); };
    drawn.on("clickNode", ({ node }) => show(node));
    drawn.on("clickStage", clear);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && near) clear(); });
    document.addEventListener("theme-changed", () => { colours = palette(); drawn.refresh({ skipIndexation: true }); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours = palette(); drawn.refresh({ skipIndexation: true }); });
    const camera = drawn.getCamera();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150;
    const moves = { in: () => camera.animatedZoom({ duration: still }), out: () => camera.animatedUnzoom({ duration: still }), fit: () => camera.animatedReset({ duration: still }) };
    for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => moves[button.dataset.zoom]());
    stage.dataset.drawn = String(graph.order);
    window.remoraGraph = { graph, drawn, camera, show };
  };

  fetch(stage.dataset.source, { headers: { accept: "application/json" } })
    .then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); return answer.json(); })
    .then(begin)
    .catch((error) => {
      const note = document.createElement("p");
      note.className = "problem";
      note.setAttribute("role", "alert");
      note.textContent = `The graph cannot be drawn here (${error.message}). The list below names its nodes.`;
      stage.replaceChildren(note);
      document.querySelector(".nodes").open = true;
    });
})();

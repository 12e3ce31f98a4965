// A program as a graph in a pane: boxes for tensors, to be moved and zoomed.
// Read makePane, then Graph.show and Graph.draw.

const NEAR = 60, MOST = 4000, FAR = 0.42, SMALLEST = 0.006;

function clip(text, n) {
  return text.length > n ? text.slice(0, n - 1) + "…" : text;
}

function makePane(page, name) {
  const side = page.model.sides[name], { report } = page.model;
  const graph = new Graph(page, side);
  page.graphs[name] = graph;
  const button = (text, label, act) => element("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  return element("div", { class: "card pane", id: name },
    element("header", {}, element("h2", {}, name === "before" ? "Sequential" : `On each of ${plural(page.model.ranks, "rank")}`),
      element("span", { class: "file soft", title: report[name] }, report[name].slice(report[name].lastIndexOf("/") + 1),
        `, ${plural(side.nodes.length, "tensor")}`),
      element("span", { class: "zoom" },
        button("−", "zoom out", () => graph.zoom(1 / 1.4)), button("+", "zoom in", () => graph.zoom(1.4)),
        button("⤢", "show all", () => graph.fit()), button("⌂", "go to where it began", () => graph.home()))),
    graph.svg, graph.note);
}

class Graph {
  constructor(page, side) {
    this.page = page;
    this.side = side;
    this.boxes = new Map();
    this.world = drawn("g");
    const id = `arrow-${side.name}`;
    const arrow = drawn("marker", { id, viewBox: "0 0 9 8", refX: 0, refY: 4, markerWidth: 9, markerHeight: 8, markerUnits: "userSpaceOnUse",
      orient: "auto" }, drawn("path", { d: "M0,0L9,4L0,8z", fill: "context-stroke" }));
    this.svg = drawn("svg", {
      class: "graph", tabindex: "0", role: "application",
      "aria-label": `graph of the ${side.name === "before" ? "sequential" : "distributed"} program; arrow keys go from tensor to tensor`,
    }, drawn("defs", {}, arrow), this.world);
    this.note = element("p", { class: "note" });
    this.at = { x: 0, y: 0, k: 1 };
    this.pointers = new Map();
    this.listen();
  }

  // ---- what is shown ----

  show(view) {
    const { nodes, data } = this.side, focus = data.focus.map((i) => nodes[i]), selected = this.page.selected;
    const results = nodes.filter((n) => n.result);
    let list = data.start.map((i) => nodes[i]);
    if (view === "all") {
      list = nodes.length <= MOST ? nodes : nearest(focus.length ? focus : results, MOST);
    } else if (view === "near") {
      const around = !selected ? focus : selected.side === this.side ? [selected] : selected.twins;
      list = nearest(around.length ? around : results, NEAR);
    }
    const ready = view === "start" && data.layout ? parsePlain(data.layout) : null;
    const layout = ready && list.every((n) => ready.at.has(n.id)) ? ready : list.length ? ownLayout(list, this.page.model.data.box) : null;
    const part = list.length < nodes.length ? `${list.length} of ${nodes.length} tensors. ` : "";
    const why = view !== "start" || !layout || layout === ready ? "" :
      `${data.why_no_layout || "Graphviz did not say where all boxes go"}; the page laid it out by itself.`;
    this.note.textContent = part + why;
    this.note.hidden = !this.note.textContent;
    this.draw(list, layout);
  }

  draw(list, layout) {
    this.layout = layout;
    this.boxes.clear();
    this.wires = [];
    this.world.replaceChildren();
    if (!layout) {
      return;
    }
    for (const { from, to, path } of layout.wires) {
      const line = drawn("path", { class: "wire", d: path, "marker-end": `url(#arrow-${this.side.name})` });
      this.wires.push({ from, to, line });
      this.world.append(line);
    }
    for (const node of list) {
      const g = this.box(node, layout.at.get(node.id));
      this.boxes.set(node, g);
      this.world.append(g);
    }
  }

  box(node, { x, y }) {
    const [w, h] = this.page.model.data.box, cuts = node.known && node.kind === "shard" ? node.known.cuts : [];
    const flag = node.fault ? "FAULT" : node.result ? "result" : null, chars = 21 - 2.4 * cuts.length;
    return drawn("g", {
      class: `box k-${node.kind}${node.fault ? " fault" : ""}${node.stopped ? " stopped" : ""}`,
      transform: `translate(${(x - w / 2).toFixed(1)},${(y - h / 2).toFixed(1)})`,
      onclick: () => this.moved || this.page.select(node, false),
    },
    drawn("title", {}, [`${node.name} = ${node.op} ${node.shape}`, node.known && node.known.relation && `= ${node.known.relation}`,
      node.op_name, place(node)].filter(Boolean).join("\n")),
    drawn("rect", { class: "body", width: w, height: h, rx: 5 }),
    drawn("rect", { class: "bar", width: 5, height: h, rx: 2 }),
    drawn("text", { x: 12, y: 19 }, clip((node.loop ? "↻ " : "") + ownName(node.name), chars)),
    drawn("text", { class: "what", x: 12, y: 35 }, clip(`${node.op} ${node.shape}`, flag ? 16 : 24)),
    cuts.map((cut, i) => drawn("g", { class: "chip", transform: `translate(${w - 17 * (cuts.length - i) - 3},5)` }, chipParts(cut.coordinate, cut.dim))),
    flag ? [drawn("rect", { class: "flagged", x: w - 50, y: h - 20, width: 46, height: 15, rx: 3 }),
      drawn("text", { class: "flag", x: w - 27, y: h - 9 }, flag)] : null);
  }

  mark(node) {
    for (const [other, g] of this.boxes) {
      g.classList.toggle("selected", other === node);
      g.classList.toggle("twin", Boolean(node) && other.side !== node.side && node.twins.includes(other));
    }
    for (const wire of this.wires || []) {
      const mine = node && node.side === this.side;
      wire.line.classList.toggle("into", Boolean(mine) && wire.to === node.id);
      wire.line.classList.toggle("outof", Boolean(mine) && wire.from === node.id);
    }
  }

  light(test) {
    this.svg.classList.toggle("dimmed", Boolean(test));
    this.boxes.forEach((g, node) => g.classList.toggle("lit", Boolean(test) && test(node)));
  }

  // ---- moving and zooming ----

  size() {
    const box = this.svg.getBoundingClientRect();
    return { w: box.width || 600, h: box.height || 500 };
  }

  move(x, y, k) {
    this.at = { x, y, k: Math.min(3, Math.max(SMALLEST, k)) };
    this.world.setAttribute("transform", `translate(${this.at.x.toFixed(2)},${this.at.y.toFixed(2)}) scale(${this.at.k.toFixed(4)})`);
    this.svg.classList.toggle("far", this.at.k < FAR);
  }

  zoom(factor, px, py) {
    const { w, h } = this.size(), { x, y, k } = this.at, to = Math.min(3, Math.max(SMALLEST, k * factor));
    const cx = px === undefined ? w / 2 : px, cy = py === undefined ? h / 2 : py;
    this.move(cx - (cx - x) * to / k, cy - (cy - y) * to / k, to);
  }

  fit() {
    if (this.layout) {
      const { w, h } = this.size(), { width, height } = this.layout;
      const k = Math.min(1, w / (width + 16), h / (height + 16));
      this.move((w - width * k) / 2, (h - height * k) / 2, k);
    }
  }

  // A graph larger than its pane fills it.
  look(node, k) {
    const { w, h } = this.size(), p = this.layout.at.get(node.id), { width, height } = this.layout;
    const clamp = (at, view, whole) => (whole * k < view ? (view - whole * k) / 2 : Math.max(view - whole * k - 20, Math.min(20, at)));
    this.move(clamp(w / 2 - p.x * k, w, width), clamp(h / 2 - p.y * k, h, height), k);
  }

  // All, where that can be read; else the focus at reading size.
  home() {
    if (!this.layout) {
      return;
    }
    this.fit();
    if (this.at.k < 0.7) {
      const shown = [...this.boxes.keys()], focus = this.side.data.focus.map((i) => this.side.nodes[i]).filter((n) => this.boxes.has(n));
      this.look(focus[0] || shown.find((n) => n.result) || shown[0], 0.85);
    }
  }

  center(node) {
    if (!this.boxes.has(node)) {
      return;
    }
    const { w, h } = this.size(), p = this.layout.at.get(node.id), k = Math.max(this.at.k, 0.55);
    const sx = p.x * k + this.at.x, sy = p.y * k + this.at.y;
    if (k !== this.at.k || sx < 60 || sy < 30 || sx > w - 60 || sy > h - 30) {
      this.look(node, k);
    }
  }

  listen() {
    const { svg } = this;
    svg.addEventListener("wheel", (event) => {
      if (event.ctrlKey || document.activeElement === svg) {
        event.preventDefault();
        const r = svg.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - r.left, event.clientY - r.top);
      }
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, event);
      this.moved = false;
    });
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      svg.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  drag(event) {
    const was = this.pointers.get(event.pointerId);
    if (!was) {
      return;
    }
    const dx = event.clientX - was.clientX, dy = event.clientY - was.clientY;
    if (this.pointers.size === 2) {
      const other = [...this.pointers.values()].find((p) => p.pointerId !== event.pointerId), r = this.svg.getBoundingClientRect();
      const far = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
      this.zoom(far(event) / far(was), (event.clientX + other.clientX) / 2 - r.left, (event.clientY + other.clientY) / 2 - r.top);
    } else if (this.moved || Math.hypot(dx, dy) > 3) {
      if (!this.moved) {
        this.svg.setPointerCapture(event.pointerId);
      }
      this.moved = true;
      this.move(this.at.x + dx, this.at.y + dy, this.at.k);
    } else {
      return;
    }
    this.pointers.set(event.pointerId, event);
  }

  key(event) {
    const act = {
      "+": () => this.zoom(1.3), "=": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), 0: () => this.fit(),
      Escape: () => this.page.deselect(), Enter: () => this.page.details.focus(),
      ArrowUp: () => this.step((n) => n.operands), ArrowDown: () => this.step((n) => n.users),
      ArrowLeft: () => this.aside(-1), ArrowRight: () => this.aside(1),
    }[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  }

  // The selected tensor, or one to begin with.
  current() {
    const { selected } = this.page, shown = [...this.boxes.keys()];
    return this.boxes.has(selected) ? selected : null || shown.find((n) => n.fault || n.stopped) || shown.find((n) => n.result) || shown[0];
  }

  step(next) {
    const here = this.current(), to = this.boxes.has(this.page.selected) ? next(here).find((n) => this.boxes.has(n)) : here;
    if (to) {
      this.page.select(to, false);
    }
  }

  // The next box in the same row.
  aside(direction) {
    const here = this.current(), at = this.layout && this.layout.at;
    if (!here || !at) {
      return;
    }
    const a = at.get(here.id), gap = (n) => (at.get(n.id).x - a.x) * direction;
    const row = [...this.boxes.keys()].filter((n) => Math.abs(at.get(n.id).y - a.y) < 5 && gap(n) > 1).sort((m, n) => gap(m) - gap(n));
    if (row.length) {
      this.page.select(row[0], false);
    }
  }
}

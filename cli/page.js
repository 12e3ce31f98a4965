// The page of `shardproof check --html`. Read start, at the end; it makes the
// sections from top to bottom. page_details.js says what is known of a tensor,
// page_graph.js draws a program, page_layout.js places its boxes,
// page_pictures.js draws tensors. Texts of programs become text nodes only.
"use strict";

// ---- making elements ----

function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

function facts(rows, attributes) {
  const shown = rows.filter(([, value]) => value || value === 0);
  return element("dl", attributes, shown.map(([name, value, kind]) =>
    [element("dt", {}, name), element("dd", { class: kind }, value)]));
}

function plural(n, word) {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

// ---- the model: the report, and both graphs by name ----

const KINDS = {
  replicate: ["Replicate", "every rank holds the whole sequential tensor"],
  shard: ["Shard(d)", "a rank holds a block of the sequential tensor; the small squares say which dimension is cut, and by which mesh axis"],
  partial: ["Partial", "ranks hold addends: a collective reduces them to the sequential tensor"],
  map: ["index map", "elements of sequential tensors, rearranged"],
  formula: ["formula", "computed from sequential tensors, indices or constants"],
  none: ["no relation of its own", "looked at through the tensors that use it"],
};

function isFault(report, side, node) {
  return Boolean(report.fault) && report.fault.side === side && ownName(node.name) === report.fault.operator;
}

function makeModel(data) {
  const report = data.report;
  const model = { data, report, ranks: data.ranks, coordinates: report.coordinates || [], known: new Map(), sides: {} };
  for (const tensor of report.tensors || []) {
    model.known.set(tensor.name, tensor);
  }
  for (const name of ["before", "after"]) {
    model.sides[name] = makeSide(name, data[name]);
  }
  const frontier = new Set(report.verdict === "UNPROVEN" ? report.frontier.map((t) => t.name) : []);
  const { before, after } = model.sides;
  after.nodes.forEach((node) => {
    node.known = model.known.get(node.name);
    node.kind = node.known ? node.known.kind : "none";
    node.stopped = frontier.has(node.name);
    node.fault = isFault(report, "after", node);
    node.twins = [];
    const known = node.known;
    for (const source of known ? (known.sequential ? [known.sequential] : known.sources) : []) {
      const twin = before.find(source);
      if (twin) {
        node.twins.push(twin);
        twin.twins.push(node);
      }
    }
  });
  before.nodes.forEach((node) => {
    node.kind = kindOfSequential(node);
    node.fault = isFault(report, "before", node);
  });
  return model;
}

function makeSide(name, data) {
  const side = { name, data, byName: new Map() };
  side.nodes = data.nodes.map((node, id) => ({
    ...node, id, side, operands: [], users: [], twins: [], op: node.operator.replace(/^[a-z]+:/, ""),
  }));
  // Within loops the report has names as the dump does; a result may be one of several.
  [(name) => name, ownName, (name) => name.replace(/#0$/, "")].forEach((key) => side.nodes.forEach((node) =>
    side.byName.has(key(node.name)) || side.byName.set(key(node.name), node)));
  side.find = (name) => side.byName.get(name);
  for (let i = 0; i < data.edges.length; i += 2) {
    const from = side.nodes[data.edges[i]], to = side.nodes[data.edges[i + 1]];
    to.operands.push(from);
    from.users.push(to);
  }
  return side;
}

// As the dump names it, without the loops around it.
function ownName(name) {
  return name.slice(name.lastIndexOf("/") + 1);
}

// How the distributed program holds a sequential tensor.
function kindOfSequential(node) {
  const kinds = node.twins.filter((t) => t.twins.length === 1).map((t) => t.kind);
  return ["shard", "replicate", "map"].find((k) => kinds.includes(k)) || "none";
}

function place(node) {
  return node.file ? `${node.file}${node.line ? ":" + node.line : ""}` : "";
}

// ---- sections ----

const MEANING = {
  REFINES: "Every result of the distributed program holds, on every rank and for all inputs, what the sequential program computes. " +
    "Each step below was proved by the solver Z3.",
  VIOLATION: "The two programs compute different things. Both were run on the same inputs, and an element came out different: " +
    "the difference is certain. Where the fault is, is the best explanation found.",
  UNPROVEN: "Neither a proof nor a difference was found. The program may well be right; the proof got no further than the tensors " +
    "listed below, so look there first.",
};

function faultSection(page) {
  const { report } = page.model, { fault, counterexample: c } = report;
  const cards = [];
  if (fault) {
    cards.push(element("div", { class: "card", id: "fault" },
      element("h2", {}, "What seems to be wrong"),
      element("p", {}, fault.sentence),
      facts([
        ["operator", page.link(fault.side, fault.operator)],
        ["kind", element("code", {}, fault.op)],
        ["source", fault.file && `${fault.file}:${fault.line}`],
        ["op_name", fault.op_name],
        ["line in the dump", fault.dump_line],
        ["nearest sequential", fault.nearest],
      ])));
  }
  if (c) {
    cards.push(element("div", { class: "card", id: "witness" },
      element("h2", {}, "Where it shows"),
      element("p", {}, `Result ${c.output}, `, page.link("after", c.name), `, on rank ${c.rank}:`),
      facts([
        ["index on the rank", c.local_index.length > 0 && `[${c.local_index.join(", ")}]`],
        ["in the sequential result", c.global_index.length > 0 && `[${c.global_index.join(", ")}]`],
        ["expected", valueText(c, c.expected)],
        ["got", valueText(c, c.got), "got"],
      ], { class: "values" }),
      c.level === "operator" ? element("p", { class: "soft" }, "At operator level: a function whose values are not known was given " +
        "some, the same in both programs.") : null,
      c.sampled ? element("p", { class: "soft" }, "The programs are too large to be run whole: only as much was run as this element needs.") : null,
      element("p", { class: "soft" }, `Inputs: ${c.inputs}, seed ${c.seed}. --repro DIR writes them to files.`)));
  }
  return cards.length ? element("section", { class: "columns" }, cards) : null;
}

/* Predicates are 0 and 1 in the report. */
function valueText(c, value) {
  return c.dtype === "pred" ? String(Boolean(value)) : String(value);
}

function mapSection(page) {
  const c = page.model.report.counterexample;
  if (!c || !c.window) {
    return null;
  }
  return element("section", { class: "card", id: "maps" }, element("h2", {}, `Result ${c.output} by its values`), heatMaps(c));
}

function frontierSection(page) {
  const { report } = page.model;
  if (report.verdict !== "UNPROVEN" || !report.frontier.length) {
    return null;
  }
  return element("section", { class: "card", id: "frontier" },
    element("h2", {}, "Where the proof stopped"),
    element("ul", {}, report.frontier.slice(0, 12).map((t) => element("li", {}, page.link("after", t.name),
      ` ${t.operator.replace(/^[a-z]+:/, "")} ${t.shape}`, t.file ? ` (${t.file}:${t.line})` : "",
      t.why ? element("div", { class: "soft" }, t.why, t.nearest ? `; nearest: ${t.nearest}` : "") : null))),
    report.frontier.length > 12 ? element("p", { class: "soft" }, `and ${report.frontier.length - 12} more`) : null,
    report.not_run ? element("p", { class: "soft" }, `No counterexample was looked for: ${report.not_run}`) : null);
}

function errorSection(page) {
  const { error } = page.model.report;
  return error ? element("section", { class: "card", id: "error" }, facts([
    ["where", error.file && [error.file, error.line, error.column].filter(Boolean).join(":")],
    ["byte", error.byte],
    ["hint", error.hint],
  ])) : null;
}

function resultSection(page) {
  const { report } = page.model;
  if (!report.outputs.length) {
    return null;
  }
  const rows = report.outputs.map((o) => element("tr", {},
    element("td", {}, String(o.index)),
    element("td", {}, page.link("after", o.name)),
    element("td", {}, element("code", {}, o.shape)),
    element("td", {}, element("code", {}, o.promised || "")),
    element("td", {}, element("code", {}, o.relation || "—")),
    element("td", { class: o.status }, o.status === "proved" ? "proved" : "not proved",
      o.why ? element("div", { class: "soft" }, o.why) : null)));
  return element("section", { class: "card", id: "results" },
    element("h2", {}, "Results"),
    element("div", { class: "scroll" }, element("table", {},
      element("tr", {}, ["", "on a rank", "shape", "promised", "found", "status"].map((h) => element("th", {}, h))), rows)));
}

function legend(page) {
  const { model } = page;
  const after = model.sides.after.nodes;
  const entries = Object.keys(KINDS).map((k) => [k, ...KINDS[k], (n) => n.kind === k]);
  entries.push(["fault", "the fault", "what seems to be wrong", (n) => n.fault]);
  entries.push(["stopped", "the proof stopped here", "no relation was found, on the way to a result", (n) => n.stopped]);
  const buttons = entries.map(([kind, name, help, test]) => {
    const count = after.filter(test).length;
    return count === 0 && (kind === "fault" || kind === "stopped") ? null : element("button", {
      type: "button", class: `k-${kind}`, title: help, "aria-pressed": "false",
      onclick: (event) => page.light(event.currentTarget, test),
    }, element("span", { class: "swatch" }), name, element("span", { class: "count" }, String(count)));
  });
  const axes = model.coordinates.map((c, i) => element("span", { class: "axis" }, axisChip(i, "d"), "cut by ",
    element("code", {}, c.text)));
  return element("div", { class: "legend", id: "legend", role: "group", "aria-label": "colours: relations of tensors" }, buttons, axes);
}

function searchBox(page) {
  const hits = element("ul", { class: "hits", hidden: true });
  const close = () => { hits.hidden = true; };
  const look = () => {
    const found = page.find(input.value.trim().toLowerCase());
    hits.replaceChildren(...found.map((node) => element("li", {}, element("button", {
      type: "button", onclick: () => { close(); page.select(node, true); },
    }, `${node.name} = ${node.op} ${node.shape}`, element("span", { class: "soft" },
      ` ${node.side.name === "before" ? "sequential" : "on a rank"} ${place(node)}`)))));
    hits.hidden = found.length === 0;
  };
  const input = element("input", {
    type: "search", id: "search", placeholder: "search: tensor, operator, op_name, source (press /)",
    "aria-label": "search tensors", oninput: look, onfocus: look,
    onkeydown: (event) => {
      const first = hits.querySelector("button");
      if (event.key === "Escape") {
        close();
      } else if (first && event.key === "Enter") {
        first.click();
      } else if (first && event.key === "ArrowDown") {
        event.preventDefault();
        first.focus();
      }
    },
  });
  const box = element("div", { class: "search" }, input, hits);
  box.addEventListener("focusout", (event) => box.contains(event.relatedTarget) || close());
  hits.addEventListener("keydown", (event) => {
    const item = event.target.closest("li"), step = { ArrowDown: "nextSibling", ArrowUp: "previousSibling" }[event.key];
    if (event.key === "Escape") {
      close();
      input.focus();
    } else if (item && step) {
      event.preventDefault();
      (item[step] ? item[step].firstChild : input).focus();
    }
  });
  return box;
}

function viewButtons(page) {
  const whole = ["before", "after"].every((s) => page.model.data[s].start.length === page.model.data[s].nodes.length);
  const first = page.model.report.fault ? "near the fault" : page.model.report.verdict === "UNPROVEN" ? "near where it stopped" :
    "near the results";
  const views = [["start", whole ? "everything" : first], ["all", "everything"], ["near", "near the selection"]];
  const buttons = views.filter(([view]) => view !== "all" || !whole).map(([view, text]) => element("button", {
    type: "button", "data-view": view, "aria-pressed": String(view === "start"), onclick: () => page.view(view),
  }, text));
  return element("div", { class: "tools", role: "group", "aria-label": "what to show" }, "show ", buttons);
}

function programSection(page) {
  if (!page.model.sides.before.nodes.length) {
    return null;
  }
  page.details = element("aside", { class: "card details", id: "details", tabindex: "-1", "aria-live": "polite", "aria-label": "the selected tensor" });
  const panes = ["before", "after"].map((name) => makePane(page, name));
  return element("section", { id: "programs" },
    element("div", { class: "tools" }, searchBox(page), viewButtons(page)),
    legend(page),
    element("div", { class: "programs" }, panes, page.details));
}

function tensorSection(page) {
  const body = element("tbody");
  let shown = 0;
  const all = page.model.report.tensors || [];
  const more = element("button", { type: "button", onclick: () => add() }, "show more");
  const add = () => {
    for (const t of all.slice(shown, shown + 300)) {
      body.append(element("tr", {}, element("td", {}, page.link("after", t.name)), element("td", {}, t.operator.replace(/^[a-z]+:/, "")),
        element("td", {}, element("code", {}, t.shape)), element("td", {}, element("span", { class: `pill k-${t.kind}` }, KINDS[t.kind][0])),
        element("td", {}, element("code", {}, t.relation || t.why || ""))));
    }
    shown += 300;
    more.hidden = shown >= all.length;
  };
  const box = element("details", { class: "card", ontoggle: () => shown || add() },
    element("summary", {}, `All ${all.length} tensors of the distributed program, as a list`),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {},
      ["tensor", "operator", "shape", "relation", "to the sequential program"].map((h) => element("th", {}, h)))), body)), more);
  return all.length ? element("section", {}, box) : null;
}

function noteSection(page) {
  const { report } = page.model, s = report.stats;
  return report.error ? null : element("section", { class: "columns" },
    element("div", { class: "card" }, element("h2", {}, "Taken for granted"),
      element("ul", {}, report.assumptions.map((a) => element("li", {}, a)))),
    element("div", { class: "card" }, element("h2", {}, "In numbers"), facts([
      ["tensors", `${s.sequential_tensors} sequential, ${s.distributed_tensors} distributed`],
      ["of these", `${s.matched} matched, ${s.views} views, ${s.unrelated} without a relation of their own`],
      ["obligations", `${s.obligations}: ${s.distinct} given to Z3, ${s.cached} equal to earlier ones`],
      ["time", `${s.seconds.toFixed(2)} s, of it ${s.solver_seconds.toFixed(2)} s in Z3`],
      ["shardproof", report.version],
    ])));
}

// ---- the page ----

class Page {
  constructor(model) {
    this.model = model;
    this.graphs = {}; // by side; none where no program was read
    this.selected = null;
  }

  link(side, name) {
    const node = this.model.sides[side].find(name);
    return node ? element("button", { type: "button", class: "link", onclick: () => this.select(node, true) }, name) :
      element("code", {}, name);
  }

  // Tensors whose texts contain all words, names before other texts.
  find(text) {
    const words = text.split(/\s+/).filter(Boolean), found = [];
    const { after, before } = this.model.sides;
    for (const node of words.length ? after.nodes.concat(before.nodes) : []) {
      const name = node.name.toLowerCase();
      const all = `${name} ${node.op} ${node.shape} ${node.op_name || ""} ${place(node)}`.toLowerCase();
      if (words.every((w) => all.includes(w))) {
        const rank = name === text ? 0 : name.includes(text) ? 1 : node.op.includes(text) ? 2 : 3;
        found.push({ node, rank });
      }
    }
    return found.sort((a, b) => a.rank - b.rank).slice(0, 40).map((f) => f.node);
  }

  // Shows a tensor in its graph, its counterparts in the other, and what is
  // known of it. reveal: scroll there as well.
  select(node, reveal) {
    this.selected = node;
    for (const graph of Object.values(this.graphs)) {
      graph.mark(node);
    }
    this.graphs[node.side.name].center(node);
    if (node.twins.length) {
      this.graphs[node.twins[0].side.name].center(node.twins[0]);
    }
    this.details.replaceChildren(...tensorDetails(this, node));
    this.details.classList.add("open");
    this.details.scrollTop = 0;
    if (reveal) {
      document.getElementById("programs").scrollIntoView({ block: "start" });
    }
  }

  deselect() {
    this.selected = null;
    Object.values(this.graphs).forEach((graph) => graph.mark(null));
    this.details.classList.remove("open");
    this.details.replaceChildren(...welcome());
  }

  light(button, test) {
    const on = button.getAttribute("aria-pressed") !== "true";
    document.querySelectorAll("#legend button").forEach((b) => b.setAttribute("aria-pressed", "false"));
    button.setAttribute("aria-pressed", String(on));
    Object.values(this.graphs).forEach((graph) => graph.light(on ? test : null));
  }

  view(view) {
    document.querySelectorAll("[data-view]").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.view === view)));
    const graphs = Object.values(this.graphs), tall = window.innerWidth > 700 ? 640 : 400;
    graphs.forEach((graph) => graph.show(view));
    const height = Math.max(...graphs.map((graph) => (graph.layout ? graph.layout.height : 0))) + 40;
    graphs.forEach((graph) => {
      graph.svg.style.height = `${Math.max(240, Math.min(tall, height))}px`;
      graph.home();
    });
    if (this.selected) {
      this.select(this.selected, false);
    }
  }
}

function start() {
  const page = new Page(makeModel(JSON.parse(document.getElementById("data").textContent)));
  const { report } = page.model;
  document.getElementById("meaning").textContent = MEANING[report.verdict] || "The programs were not compared.";
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = getComputedStyle(root).colorScheme === "dark" ||
      (getComputedStyle(root).colorScheme === "light dark" && matchMedia("(prefers-color-scheme: dark)").matches);
    root.style.colorScheme = dark ? "light" : "dark";
  });
  const sections = [faultSection, mapSection, frontierSection, errorSection, resultSection, programSection, tensorSection, noteSection];
  document.getElementById("main").replaceChildren(...sections.map((make) => make(page)).filter(Boolean));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) {
      event.preventDefault();
      document.getElementById("search").focus();
    }
  });
  if (!page.details) {
    return;
  }
  page.details.replaceChildren(...welcome());
  page.view("start");
  const { nodes } = page.model.sides.after;
  const first = nodes.find((n) => n.fault) || nodes.find((n) => n.stopped) || nodes.find((n) => n.result);
  if (first && window.innerWidth > 700) {
    page.select(first, false);
  }
}

document.addEventListener("DOMContentLoaded", start);

// What is known of one tensor. Read tensorDetails.

function welcome() {
  return [element("h2", {}, "A tensor"),
    element("p", {}, "Choose a box to see how the tensor is related to the sequential program, and what was proved of it."),
    element("p", { class: "soft" }, "Drag to move; click a graph, then scroll to zoom. Keys in a graph: arrows go along the " +
      "edges (left and right to neighbours), + and - zoom, 0 shows all, Enter reads on here, / searches.")];
}

// How a relation was found, in more words than the report has.
const HOW = {
  input: "It is an input; the shardings in the modules say how it is cut.",
  given: "It is given so: by the spec file.",
  view: "With what is known of its operands put in, its definition only picks or moves elements: that is its relation.",
  matched: "Its elements were found among those of one sequential tensor, and proved equal to them.",
};

// Rules of the prover (docs/proof.md) in words.
const RULES = {
  "index map in bounds": "the indices stay inside the sequential tensor",
  equal: "both elements are equal",
  "equal given equal reductions": "both elements are equal, as the reductions in them are",
  "equal given bounds of maxima": "both elements are equal, as no element is above the maximum",
  "re-index: map in range": "a reduction in another order: its indices stay in range",
  "re-index: map injective": "a reduction in another order: no element is taken twice",
  "index or condition simplified": "a simpler index or condition says the same",
  "one-hot: other terms are zero": "of a sum, only one term is not zero",
};

function buttons(page, nodes) {
  const shown = nodes.slice(0, 12).map((n) => [page.link(n.side.name, n.name), element("br")]);
  return nodes.length ? element("div", {}, shown, nodes.length > 12 ? `and ${nodes.length - 12} more` : null) : null;
}

function obligationList(known) {
  const list = known.obligations.map((o) => element("li", {},
    element("div", {}, RULES[o.rule] || o.rule, o.given ? element("span", { class: "soft" }, `, given ${plural(o.given, "proved fact")}`) : null),
    element("code", { class: "formula" }, o.goal)));
  const stepped = known.why === "view" || known.why === "matched";
  if (known.like) {
    return [element("h3", {}, "What Z3 proved"), element("p", { class: "soft" }, `As of ${known.like} in an equal layer, with other names.`)];
  }
  const same = stepped && known.obligations.every((o) => o.rule === "index map in bounds");
  return !list.length && !same ? null : [element("h3", {}, "What Z3 proved"), list.length ? element("ul", { class: "obligations" }, list) : null,
    same ? element("p", { class: "soft" }, "Of the elements nothing was left to ask: both sides came out as one and the same term, " +
      "or an equal step had been proved before.") : null];
}

function relationPart(page, node) {
  const { known } = node;
  if (!known) {
    return [];
  }
  const kind = node.fault ? "fault" : node.stopped ? "stopped" : known.kind;
  const name = node.fault ? "the fault seems to be here" : node.stopped ? "the proof stopped here" : KINDS[known.kind][0];
  const twin = node.twins.length === 1 ? node.twins[0] : null;
  return [
    element("p", {}, element("span", { class: `pill k-${kind}` }, name), " ",
      known.partial ? `reduced by ${known.partial}` : ""),
    node.fault ? element("p", {}, page.model.report.fault.sentence) : null,
    known.relation ? [element("h3", {}, "On a rank, element [i0, i1, ...] is"), element("code", { class: "formula" }, known.relation)] : null,
    element("p", { class: "soft" }, HOW[known.why] || known.why || ""),
    known.nearest && !known.relation ? element("p", { class: "soft" }, `Nearest: ${known.nearest}`) : null,
    tensorPicture(page.model, node, twin),
    obligationList(known),
  ];
}

function tensorDetails(page, node) {
  const sequential = node.side.name === "before";
  return [
    element("button", { type: "button", class: "close", onclick: () => page.deselect(), "aria-label": "close" }, "✕"),
    element("h2", {}, node.name),
    element("p", {}, element("code", {}, `${node.operator} ${node.shape}`), node.result ? " (a result)" : ""),
    facts([
      ["in the loop", node.loop && page.link(node.side.name, node.loop)],
      ["source", place(node)],
      ["op_name", node.op_name && element("code", {}, node.op_name)],
      ["line in the dump", node.dump_line],
      ["sharding", sequential && node.sharding && element("code", {}, node.sharding)],
    ]),
    sequential ? element("p", {}, element("span", { class: `pill k-${node.kind}` },
      node.kind === "none" ? "no distributed tensor holds it by itself" : `held as ${KINDS[node.kind][0]}`)) : relationPart(page, node),
    node.twins.length ? [element("h3", {}, sequential ? "Held by" : "Of the sequential program"), buttons(page, node.twins)] : null,
    node.operands.length ? [element("h3", {}, "Operands"), buttons(page, node.operands)] : null,
    node.users.length ? [element("h3", {}, "Used by"), buttons(page, node.users)] : null,
  ].flat(Infinity).filter(Boolean);
}

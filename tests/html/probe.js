// Runs in a page of `check --html` (tests/html/run.py puts it there): looks at
// it, uses it, and leaves what it found as JSON in a pre element, #probe.
"use strict";
(() => {
  const errors = [];
  addEventListener("error", (event) => errors.push(String(event.message)));
  addEventListener("securitypolicyviolation", (event) => errors.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (selector) => all(selector).map((e) => e.textContent.trim());
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const selected = () => all(".box.selected").map((box) => box.querySelector("text").textContent);

  function overflow() {
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  }

  // Boxes in a pane, and how many of them are in view.
  function graph(id) {
    const svg = document.querySelector(`#${id} svg.graph`);
    if (!svg) {
      return null;
    }
    const pane = svg.getBoundingClientRect();
    const visible = [...svg.querySelectorAll(".box")].filter((box) => {
      const r = box.getBoundingClientRect();
      return r.right > pane.left && r.left < pane.right && r.bottom > pane.top && r.top < pane.bottom;
    });
    return { boxes: svg.querySelectorAll(".box").length, wires: svg.querySelectorAll(".wire").length, visible: visible.length,
      note: text(`#${id} .note`)[0] };
  }

  function look() {
    return {
      verdict: text("h1")[0], sentence: text(".sentence")[0], meaning: text("#meaning")[0], overflow: overflow(),
      before: graph("before"), after: graph("after"), legend: text("#legend button"), axes: text("#legend .axis"),
      faults: text(".box.fault text"), stopped: text(".box.stopped text"), details: text("#details")[0], selected: selected(),
      maps: all("#maps figure canvas").length, results: text("#results td"), error: text("#error")[0], witness: text("#witness")[0],
    };
  }

  // Everything that can be pressed; what goes wrong is an error event.
  function use() {
    const found = {};
    if (!document.getElementById("search")) {
      return found;
    }
    const input = document.getElementById("search"), graphs = all("svg.graph");
    press(document.body, "/");
    found.slash = document.activeElement === input;
    input.value = "param";
    input.dispatchEvent(new Event("input"));
    found.hits = all(".hits button").length;
    press(input, "Enter");
    found.afterSearch = selected();
    graphs.forEach((svg) => {
      svg.focus();
      ["+", "-", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "0"].forEach((key) => press(svg, key));
    });
    found.afterKeys = selected();
    all("#legend button").forEach((button) => button.click());
    found.lit = all(".dimmed .box.lit").length;
    all("#legend button").slice(-1).forEach((button) => button.click());
    for (const view of all("[data-view]")) {
      view.click();
      found[view.dataset.view] = { before: graph("before"), after: graph("after") };
    }
    all(".pane header button").forEach((button) => button.click());
    all(".ranks button").forEach((button) => button.click());
    const boxes = all("#after .box");
    boxes.slice(0, 200).forEach((box) => {
      box.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      if (overflow() > 0) {
        errors.push(`too wide with ${box.textContent}`);
      }
    });
    found.details = text("#details")[0];
    found.pictures = all("#details .picture").length;
    all("details").forEach((d) => { d.open = true; });
    document.getElementById("theme").click();
    press(graphs[1], "Escape");
    found.overflow = overflow();
    return found;
  }

  addEventListener("load", () => setTimeout(() => {
    const seen = look(), used = use();
    setTimeout(() => {
      const pre = document.createElement("pre");
      pre.id = "probe";
      pre.textContent = JSON.stringify({ errors, seen, used });
      document.body.append(pre);
    }, 50);
  }, 50));
})();

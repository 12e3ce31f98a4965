// Pictures of tensors: which rank holds which block (tensorPicture), and the
// values of a wrong result (heatMaps).

// ---- mesh axes ----

const AXES = ["#2f6fde", "#c2571a", "#7a4fc4", "#12855f", "#b03a6f", "#6b7a12"];

function chipParts(coordinate, text) {
  return [drawn("rect", { width: 15, height: 15, rx: 3, fill: AXES[coordinate % AXES.length] }), drawn("text", { x: 7.5, y: 11.5 }, String(text))];
}

function axisChip(coordinate, text) {
  return drawn("svg", { width: 15, height: 15, class: "box", "aria-hidden": "true" }, drawn("g", { class: "chip" }, chipParts(coordinate, text)));
}

// ---- blocks ----

function sizes(shape) {
  const inner = /\[([\d,]*)\]/.exec(shape);
  return inner && inner[1] ? inner[1].split(",").map(Number) : [];
}

function rankColor(rank, ranks) {
  return `hsl(${(rank * 360 / ranks + (rank % 2) * 12).toFixed(0)} 62% 74%)`;
}

// [0, 1, 2, 5] as "0-2, 5"
function ranges(list) {
  const out = [];
  for (const r of list) {
    const last = out[out.length - 1];
    if (last && last[1] === r - 1) {
      last[1] = r;
    } else {
      out.push([r, r]);
    }
  }
  return out.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}-${b}`)).join(", ");
}

const SIDE = 280, TALL = 150, BLOCKS = 64;

// The tensor as a rectangle: of its dimensions those that are cut, at most two.
function tensorPicture(model, node, twin) {
  const { known } = node;
  if (!known || !twin || (known.kind !== "shard" && known.kind !== "replicate")) {
    return known && known.kind === "partial" ? addendPicture(model) : null;
  }
  const whole = sizes(twin.shape), { cuts } = known;
  if (cuts.some((c) => !model.coordinates[c.coordinate].by_rank || c.parts > BLOCKS)) {
    return element("p", {}, cuts.map((c) => `Dimension ${c.dim} of ${twin.name}, ${whole[c.dim]}, is cut into ${c.parts} blocks; a rank has ` +
      `number ${model.coordinates[c.coordinate].text}. `));
  }
  const blocks = new Map();
  for (let rank = 0; rank < model.ranks; rank++) {
    const key = cuts.map((c) => model.coordinates[c.coordinate].by_rank[rank]);
    const id = key.join();
    blocks.has(id) ? blocks.get(id).ranks.push(rank) : blocks.set(id, { key, ranks: [rank] });
  }
  const down = cuts.length > 1 ? 0 : -1, across = cuts.length > 1 ? 1 : cuts.length ? 0 : -1;
  const rows = down < 0 ? 1 : cuts[0].parts, columns = across < 0 ? 1 : cuts[across].parts;
  const w = SIDE / columns, h = (rows > 1 ? TALL : 46) / rows;
  const parts = [...blocks.values()].filter(({ key }) => key.slice(2).every((k) => k === 0)).map(({ key, ranks }) => {
    const x = across < 0 ? 0 : key[across] * w, y = down < 0 ? 0 : key[down] * h;
    const text = ranks.length === model.ranks ? "all ranks" : ranges(ranks);
    return [drawn("rect", { x: x + 18, y: y + 18, width: w, height: h, fill: rankColor(ranks[0], model.ranks), stroke: "#0006" },
      drawn("title", {}, `rank ${ranges(ranks)}`)),
      w > 7 * text.length && h > 12 ? drawn("text", { x: x + 18 + w / 2, y: y + 18 + h / 2 }, text) : null];
  });
  const label = (i) => (i < 0 ? "" : `dimension ${cuts[i].dim}: ${whole[cuts[i].dim]} in ${cuts[i].parts} blocks`);
  return [element("h3", {}, `Which rank holds what of ${twin.name}`),
    drawn("svg", { class: "picture", width: SIDE + 24, height: h * rows + 22, viewBox: `0 0 ${SIDE + 24} ${h * rows + 22}`, role: "img",
      "aria-label": known.relation }, parts,
    drawn("text", { class: "outside", x: 18 + SIDE / 2, y: 8 }, label(across)),
    down < 0 ? null : drawn("text", { class: "outside", x: 0, y: 0, transform: `translate(8,${18 + h * rows / 2}) rotate(-90)` }, label(down))),
    cuts.length > 2 ? element("p", { class: "soft" }, "Cut along more than two dimensions: the first blocks along the others.") : null];
}

function addendPicture(model) {
  const n = Math.min(model.ranks, 4);
  const parts = Array.from({ length: n }, (_, i) => [
    drawn("rect", { x: 4 + i * 66, y: 4, width: 46, height: 36, fill: rankColor(i, model.ranks), stroke: "#0006" }),
    drawn("text", { x: 27 + i * 66, y: 22 }, `${i}`),
    drawn("text", { class: "outside", x: 60 + i * 66, y: 22 }, i + 1 < n ? "+" : model.ranks > n ? "+ ..." : "")]);
  return [element("h3", {}, "Every rank holds an addend, of full size"),
    drawn("svg", { class: "picture", width: 290, height: 44, viewBox: "0 0 290 44", role: "img", "aria-label": "addends on each rank" }, parts)];
}

// ---- values ----

function number(v) {
  return typeof v === "number" ? v : v === "inf" ? Infinity : v === "-inf" ? -Infinity : NaN;
}

// Blue below zero, red above, white at it; grey: no value.
function heat(v, most) {
  if (Number.isNaN(v)) {
    return "#999";
  }
  const t = Math.min(1, Math.abs(v) / (most || 1)), low = Math.round(255 - 205 * t), mid = Math.round(255 - 140 * t);
  return v < 0 ? `rgb(${low},${mid},255)` : `rgb(255,${mid},${low})`;
}

function largest(rows) {
  return Math.max(1e-300, ...rows.flat().filter(Number.isFinite).map(Math.abs));
}

function extent(rows) {
  const values = rows.flat().filter(Number.isFinite), text = (v) => String(Number(v.toPrecision(4))).replace("-", "−");
  return values.length ? `${text(Math.min(...values))} to ${text(Math.max(...values))}` : "no numbers";
}

// One matrix; the marked cell has a frame. `say` gets the text under the mouse.
function matrix(name, rows, most, cell, marked, say) {
  const height = rows.length, width = rows[0].length;
  const canvas = element("canvas", { width: width * cell, height: height * cell, role: "img", "aria-label": name });
  const pen = canvas.getContext("2d");
  rows.forEach((row, i) => row.forEach((v, j) => {
    pen.fillStyle = heat(v, most);
    pen.fillRect(j * cell, i * cell, cell, cell);
  }));
  if (marked) {
    pen.lineWidth = 2;
    pen.strokeStyle = "#000";
    pen.strokeRect(marked[1] * cell + 1, marked[0] * cell + 1, cell - 2, cell - 2);
  }
  if (say) {
    canvas.addEventListener("mousemove", (event) => {
      const r = canvas.getBoundingClientRect();
      const i = Math.floor((event.clientY - r.top) / r.height * height), j = Math.floor((event.clientX - r.left) / r.width * width);
      say(i, j);
    });
  }
  return canvas;
}

function heatMaps(c) {
  const ranks = c.window.ranks.map((r) => {
    const expected = r.expected.map((row) => row.map(number)), got = r.got.map((row) => row.map(number));
    const wrong = got.map((row, i) => row.map((v, j) => v - expected[i][j]));
    return { rank: r.rank, expected, got, wrong, most: largest(wrong) };
  }).sort((a, b) => a.rank - b.rank);
  const scale = Math.max(...ranks.map((r) => largest(r.expected)), ...ranks.map((r) => largest(r.got)));
  const worst = Math.max(...ranks.map((r) => r.most));
  const n = c.local_index.length, { row, column } = c.window;
  const marked = [n > 1 ? c.local_index[n - 2] - row : 0, n > 0 ? c.local_index[n - 1] - column : 0];
  const show = element("div", { class: "maps" }), under = element("p", { class: "mono" }, " ");
  const other = n > 2 ? `, the indices before them: ${c.local_index.slice(0, n - 2).join(", ")}` : "";
  const draw = (r) => {
    const cell = Math.max(7, Math.min(24, Math.floor(400 / r.got[0].length)));
    const say = (i, j) => {
      if (r.got[i] && j < r.got[i].length) {
        under.textContent = `[${[...c.local_index.slice(0, Math.max(0, n - 2)), ...(n > 1 ? [row + i] : []), ...(n ? [column + j] : [])].join(", ")}]: ` +
          `expected ${r.expected[i][j]}, got ${r.got[i][j]}`;
      }
    };
    const mark = r.rank === c.rank ? marked : null;
    const figures = [["expected", r.expected, scale], ["got", r.got, scale], ["got − expected", r.wrong, worst]];
    show.replaceChildren(...figures.map(([name, rows, most]) => element("figure", {}, matrix(name, rows, most, cell, mark, say),
      element("figcaption", {}, `${name}: ${extent(rows)}`))));
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(Number(b.dataset.rank) === r.rank)));
    under.textContent = " ";
  };
  const buttons = ranks.map((r) => {
    const bad = r.most > 1e-4 * scale;
    const small = matrix("", r.wrong, worst, Math.max(1, Math.floor(32 / r.wrong[0].length)), null, null);
    return element("button", { type: "button", "data-rank": String(r.rank), onclick: () => draw(r) }, small,
      element("span", { class: bad ? "wrong" : "" }, `rank ${r.rank}${bad ? "" : ": right"}`));
  });
  draw(ranks.find((r) => r.rank === c.rank));
  return [element("p", { class: "soft" }, `Rows and columns are the last two dimensions${other}. Blue is below zero, red above; ` +
    "the frame is the element above."),
    element("div", { class: "ranks", role: "group", "aria-label": "rank" }, buttons), show, under];
}

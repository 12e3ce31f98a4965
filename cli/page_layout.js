// Where boxes go. Graphviz did it for what is shown first (parsePlain); the
// page itself lays out everything else, faster and plainer (ownLayout). Both
// give {width, height, at: Map of node id to {x, y} (centres), wires}.

// Graphviz's plain format: inches, y upwards.
function parsePlain(text) {
  const out = { at: new Map(), wires: [], width: 0, height: 0 };
  for (const line of text.split("\n")) {
    const f = line.split(" ");
    if (f[0] === "graph") {
      [out.width, out.height] = [72 * f[2], 72 * f[3]];
    } else if (f[0] === "node") {
      out.at.set(Number(f[1]), { x: 72 * f[2], y: out.height - 72 * f[3] });
    } else if (f[0] === "edge") {
      const p = f.slice(4, 4 + 2 * f[3]).map((v, i) => (i % 2 ? out.height - 72 * v : 72 * v).toFixed(1));
      out.wires.push({ from: Number(f[1]), to: Number(f[2]), path: `M${p[0]},${p[1]}C${p.slice(2).join(" ")}` });
    }
  }
  return out;
}

// Layers by the longest way from the inputs; what has no operands stands just
// above its first user.
function layersOf(nodes, inside) {
  const level = new Map(), open = new Map(), ready = [];
  for (const node of nodes) {
    const n = node.operands.filter((o) => inside.has(o)).length;
    open.set(node, n);
    level.set(node, 0);
    if (n === 0) {
      ready.push(node);
    }
  }
  for (let i = 0; i < ready.length; i++) {
    for (const user of ready[i].users.filter((u) => inside.has(u))) {
      level.set(user, Math.max(level.get(user), level.get(ready[i]) + 1));
      open.set(user, open.get(user) - 1);
      if (open.get(user) === 0) {
        ready.push(user);
      }
    }
  }
  const layers = [];
  for (const node of nodes) {
    const users = node.users.filter((u) => inside.has(u)).map((u) => level.get(u));
    if (!node.operands.some((o) => inside.has(o)) && users.length) {
      level.set(node, Math.max(0, Math.min(...users) - 1));
    }
    (layers[level.get(node)] ||= []).push(node);
  }
  return layers.filter(Boolean);
}

function mean(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

// One sweep: every layer in the order, and near the places, of its neighbours
// in the layers before it.
function sweep(layers, at, neighbours, step) {
  for (const layer of layers) {
    for (const node of layer) {
      const xs = neighbours(node).filter((n) => at.has(n)).map((n) => at.get(n));
      node.wish = xs.length ? mean(xs) : at.get(node);
    }
    layer.sort((a, b) => a.wish - b.wish);
    let x = -Infinity;
    const xs = layer.map((node) => (x = Math.max(x + step, node.wish)));
    const shift = mean(layer.map((node, i) => node.wish - xs[i]));
    layer.forEach((node, i) => at.set(node, xs[i] + shift));
  }
}

function ownLayout(nodes, box) {
  const inside = new Set(nodes), layers = layersOf(nodes, inside), at = new Map();
  const step = box[0] + 22, rise = box[1] + 40;
  layers.forEach((layer) => layer.forEach((node, i) => at.set(node, (i - layer.length / 2) * step)));
  for (let round = 0; round < 4; round++) {
    sweep(layers, at, (n) => n.operands, step);
    sweep([...layers].reverse(), at, (n) => n.users, step);
  }
  sweep(layers, at, (n) => n.operands.concat(n.users), step);
  const left = Math.min(...at.values()) - box[0] / 2 - 8, out = { at: new Map(), wires: [] };
  layers.forEach((layer, i) => layer.forEach((node) => out.at.set(node.id, { x: at.get(node) - left, y: i * rise + box[1] / 2 + 8 })));
  out.width = Math.max(...at.values()) - left + box[0] / 2 + 8;
  out.height = layers.length * rise;
  for (const node of nodes) {
    for (const from of node.operands.filter((o) => inside.has(o))) {
      const a = out.at.get(from.id), b = out.at.get(node.id), y0 = a.y + box[1] / 2, y1 = b.y - box[1] / 2 - 9, bend = (y1 - y0) / 2;
      out.wires.push({ from: from.id, to: node.id,
        path: `M${a.x.toFixed(1)},${y0}C${a.x.toFixed(1)},${y0 + bend} ${b.x.toFixed(1)},${y1 - bend} ${b.x.toFixed(1)},${y1}` });
    }
  }
  return out;
}

// The nodes nearest to some, edges taken both ways, at most `limit`.
function nearest(starts, limit) {
  const found = new Set(starts.slice(0, limit));
  for (const node of found) {
    for (const other of [...node.operands, ...node.users]) {
      if (found.size < limit) {
        found.add(other);
      }
    }
  }
  return [...found].sort((a, b) => a.id - b.id);
}

// The page that moves: two sliders, three maps, and a worker for each map that is drawn. A position that was drawn before is shown as it
// was, until "Draw anew".

import { element } from "../../../src/sordino/service/client/dom.js";
import { totalVariation } from "./collect.js";

/** The edge of a cell on the canvas. */
const CELL = 12;

/** From a few people to most, on white: lightness falls all the way, so that it is read without colours too. */
const COLOURS = [[255, 255, 255], [199, 221, 240], [110, 168, 214], [39, 103, 163], [8, 36, 82]];

const at = (id) => document.getElementById(id);
const status = at("status");

function colour(part) {
  const place = Math.min(part, 1) * (COLOURS.length - 1);
  const low = Math.min(Math.floor(place), COLOURS.length - 2);
  const mixed = COLOURS[low].map((from, i) => Math.round(from + (place - low) * (COLOURS[low + 1][i] - from)));
  return `rgb(${mixed.join()})`;
}

/** One of the maps: a heading, a picture, what it is called by who does not see it, and how far its reports are. */
class Picture {
  constructor(name, { rows, columns }) {
    Object.assign(this, { name, rows, columns });
    this.canvas = element("canvas", { width: columns * CELL, height: rows * CELL, role: "img", "aria-label": name });
    this.note = element("span", { class: "hint" }, "\u00a0");
    this.bar = element("progress", { max: 1, value: 0, "aria-label": `${name}: reports drawn`, class: "idle" });
    this.below = element("p", { class: "hint" });
    const caption = element("figcaption", {}, element("strong", {}, name), this.note);
    this.figure = element("figure", {}, caption, this.canvas, this.bar, this.below);
  }

  /** Shares of cells from the south-west on, relative to the largest one of the truth; lines every `block` cells. */
  draw(shares, most, block) {
    const paper = this.canvas.getContext("2d");
    shares.forEach((share, cell) => {
      // Square roots, so that thinly populated cells are seen beside New York.
      paper.fillStyle = colour(Math.sqrt(Math.max(share, 0) / most));
      paper.fillRect((cell % this.columns) * CELL, (this.rows - 1 - Math.floor(cell / this.columns)) * CELL, CELL, CELL);
    });
    if (!block) return;
    paper.strokeStyle = "rgb(120 130 145 / 0.55)";
    paper.beginPath();
    for (let column = block; column < this.columns; column += block) {
      paper.moveTo(column * CELL, 0);
      paper.lineTo(column * CELL, this.rows * CELL);
    }
    for (let row = block; row < this.rows; row += block) {
      paper.moveTo(0, row * CELL);
      paper.lineTo(this.columns * CELL, row * CELL);
    }
    paper.stroke();
  }

  say(text) {
    this.note.textContent = text;
    this.canvas.setAttribute("aria-label", `${this.name}: ${text}`);
  }

  /** How far a collection is, from 0 to 1; null where none is under way. */
  progress(share) {
    this.figure.setAttribute("aria-busy", String(share !== null));
    this.bar.classList.toggle("idle", share === null);
    this.bar.value = share ?? 0;
  }
}

/** Collections of one kind, one at a time: the latest that was asked for, each drawn once. */
class Collections {
  #found = new Map();
  #worker = null;

  constructor(texts, people) {
    Object.assign(this, { texts, people });
  }

  /** What came of a plan by its name; null where another was asked for in the meantime. */
  get(name, progress) {
    this.#worker?.stop();
    this.#worker = null;
    if (this.#found.has(name)) return Promise.resolve(this.#found.get(name));
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      const end = (settle, found) => {
        worker.terminate();
        settle(found);
      };
      this.#worker = { stop: () => end(resolve, null) };
      worker.addEventListener("error", () => end(reject, new Error("the worker of this page could not be started")));
      worker.addEventListener("message", ({ data: { share, found, problem } }) => {
        if (share !== undefined) progress(share);
        if (problem !== undefined) end(reject, new Error(problem));
        if (found === undefined) return;
        this.#found.set(name, found);
        end(resolve, found);
      });
      worker.postMessage({ text: this.texts[name], people: this.people });
    });
  }

  forget() {
    this.#found.clear();
  }
}

const round = (number) => number.toFixed(2);

/** An epsilon as a number: "3/2" is 1.5. */
const amount = (text) => text.split("/").map(Number).reduce((a, b) => a / b);

async function start() {
  status.textContent = "Fetching the plans\u00a0…";
  const { grid, people, blocks, epsilons, plans } = await (await fetch("plans.json")).json();
  const n = people.reduce((a, b) => a + b, 0);
  const truth = people.map((count) => count / n);
  const most = Math.max(...truth);
  const pictures = Object.fromEntries(["The truth", "Uniform protection", "Sordino"].map((name) => [name, new Picture(name, grid)]));
  const [real, uniform, own] = Object.values(pictures);
  at("maps").replaceChildren(...Object.values(pictures).map(({ figure }) => figure));
  real.draw(truth, most);
  real.say(`${n.toLocaleString("en")} people in ${people.length} cells`);
  const collections = { uniform: new Collections(plans.uniform, people), own: new Collections(plans.blocks, people) };

  async function show(picture, kind, name, block) {
    picture.progress(0);
    picture.say("drawing reports\u00a0…");
    const hear = (share) => {
      picture.progress(share);
      if (share === 1) picture.say("estimating\u00a0…");
    };
    const found = await collections[kind].get(name, hear).catch((error) => {
      picture.progress(null);
      picture.say("not drawn");
      throw error;
    });
    // Another position was asked for, whose collection shows itself.
    if (found === null) return null;
    picture.progress(null);
    picture.draw(found.fitted, most, block);
    picture.below.textContent = `People read: “${found.reveals.join(" ")}”`;
    const distance = totalVariation(found.fitted, truth);
    picture.say(`total variation ${round(distance)}`);
    return distance;
  }

  let latest = 0;
  async function update() {
    const turn = (latest += 1);
    const [block, epsilon] = [blocks[at("block").value], epsilons[at("epsilon").value]];
    const texts = {
      block: `${block} x ${block} cells, some ${Math.round((block * 116) / 10) * 10} km high`,
      epsilon: `${amount(epsilon)}: odds change by at most ${Math.exp(amount(epsilon)).toFixed(1)} times`,
    };
    for (const [id, text] of Object.entries(texts)) {
      at(`${id}-text`).textContent = text;
      at(id).setAttribute("aria-valuetext", text);
    }
    status.className = "";
    status.textContent = `Drawing ${n.toLocaleString("en")} reports for each map\u00a0…`;
    try {
      const found = await Promise.all([show(uniform, "uniform", epsilon), show(own, "own", `${block} ${epsilon}`, block)]);
      if (turn !== latest || found.includes(null)) return;
      status.textContent = `At epsilon ${amount(epsilon)}: for the map to be true, ${Math.round(100 * found[0])} % of people would have to move with uniform protection, and ${Math.round(100 * found[1])} % with Sordino and blocks of ${block} x ${block} cells.`;
    } catch (error) {
      if (turn !== latest) return;
      status.className = "wrong";
      status.textContent = `The reports could not be drawn: ${error.message}.`;
    }
  }

  for (const [id, list, first] of [["block", blocks, 1], ["epsilon", epsilons, epsilons.indexOf("1")]]) {
    at(id).max = list.length - 1;
    at(id).value = first;
    at(id).addEventListener("input", update);
  }
  at("again").addEventListener("click", () => {
    collections.uniform.forget();
    collections.own.forget();
    update();
  });
  await update();
}

try {
  await start();
} catch (error) {
  status.className = "wrong";
  status.textContent = `The page could not start: ${error.message}. Serve the whole repository: python -m http.server`;
}

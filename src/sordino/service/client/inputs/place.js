// A place: written in degrees, marked on a map, or the device's own position. All three stay on the page; what is asked of a
// place is the cell that is marked.

import { element } from "../dom.js";
import { Written } from "./written.js";

const SVG = "http://www.w3.org/2000/svg";

/** Width of the map in its own units; its height follows, within limits. */
const WIDTH = 640;
const [FLATTEST, TALLEST] = [0.35, 1.25];

/** How far one can go into the map, and by how much at a time. */
const [CLOSEST, CLOSER] = [64, 2];

/** Pixels that a finger may slip between pressing and lifting, and still mark a place. */
const SLIP = 6;

/** Digits of a degree that are written: a hundred metres. */
const DIGITS = 3;

/** Sides of a cell below which it is marked by a cross alone, in units of the map. */
const SMALLEST = 3;

/** The outline of land and of countries, fetched once for all maps of a page. */
let outline;
const fetchOutline = () => (outline ??= fetch(new URL("../outline.json", import.meta.url), { credentials: "omit", redirect: "error" }).then((answer) => answer.json()));

function drawn(name, attributes = {}, ...within) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...within);
  return made;
}

/** The lines of an outline as points in degrees: each is held as its distance from the one before, in hundredths. */
export function lines(outline) {
  return outline.map((line) => {
    let [x, y] = [0, 0];
    return Array.from({ length: line.length / 2 }, (_, i) => {
      [x, y] = [x + line[2 * i], y + line[2 * i + 1]];
      return [x / 100, y / 100];
    });
  });
}

/** Whether a line may lie in a grid, by its own box. */
function isNear(line, { south, north, west, east }) {
  const [x, y] = [line.map((point) => point[0]), line.map((point) => point[1])];
  const least = (list) => list.reduce((a, b) => Math.min(a, b));
  const most = (list) => list.reduce((a, b) => Math.max(a, b));
  return least(x) <= east && most(x) >= west && least(y) <= north && most(y) >= south;
}

/** A map's plane: degrees to its units and back, a mile as long across as along at the middle latitude. */
export class Plane {
  constructor(grid) {
    this.grid = grid;
    const { south, north, west, east } = grid;
    const ratio = (north - south) / ((east - west) * Math.cos((((south + north) / 2) * Math.PI) / 180));
    this.height = Math.round(WIDTH * Math.min(Math.max(ratio, FLATTEST), TALLEST));
    this.width = WIDTH;
  }

  /**
   * @param {number[]} position
   * @returns {[number, number]}
   */
  at([longitude, latitude]) {
    const { south, north, west, east } = this.grid;
    return [((longitude - west) / (east - west)) * this.width, ((north - latitude) / (north - south)) * this.height];
  }

  /** @param {number[]} point */
  degrees([x, y]) {
    const { south, north, west, east } = this.grid;
    return { latitude: north - (y / this.height) * (north - south), longitude: west + (x / this.width) * (east - west) };
  }

  /** The corner and the sides of the cell that holds a place. */
  cell({ latitude, longitude }) {
    const { south, north, west, east, rows, columns } = this.grid;
    const step = (position, low, high, cells) => Math.min(Math.max(Math.floor(((position - low) / (high - low)) * cells), 0), cells - 1);
    const [row, column] = [step(latitude, south, north, rows), step(longitude, west, east, columns)];
    const [wide, high] = [this.width / columns, this.height / rows];
    return { x: column * wide, y: this.height - (row + 1) * high, width: wide, height: high };
  }

  holds({ latitude, longitude }) {
    const { south, north, west, east } = this.grid;
    return latitude >= south && latitude <= north && longitude >= west && longitude <= east;
  }

  path(points, close) {
    return `M${points.map((point) => this.at(point).map((one) => one.toFixed(1)).join(" ")).join("L")}${close ? "Z" : ""}`;
  }
}

/** The part of the plane that is shown: a corner, and how much closer than the whole. */
class View {
  constructor(plane) {
    this.plane = plane;
    this.x = 0;
    this.y = 0;
    this.scale = 1;
  }

  get box() {
    return [this.x, this.y, this.plane.width / this.scale, this.plane.height / this.scale];
  }

  move(x, y) {
    const { width, height } = this.plane;
    this.x = Math.min(Math.max(x, 0), width - width / this.scale);
    this.y = Math.min(Math.max(y, 0), height - height / this.scale);
  }

  /**
   * Closer or further, around a point of the plane.
   * @param {number} factor
   * @param {number[]} point
   */
  zoom(factor, [x, y]) {
    const before = this.scale;
    this.scale = Math.min(Math.max(before * factor, 1), CLOSEST);
    this.move(x - ((x - this.x) * before) / this.scale, y - ((y - this.y) * before) / this.scale);
  }

  /**
   * Move until a point is in it.
   * @param {number[]} point
   */
  show([x, y]) {
    const [left, top, wide, high] = this.box;
    if (x < left || x > left + wide || y < top || y > top + high) this.move(x - wide / 2, y - high / 2);
  }
}

export class Place {
  need = "need_place";

  constructor(id, grid, described, speech) {
    this.speech = speech;
    this.grid = grid;
    const field = (key, own, low, high) => ({ id: own, label: speech.say(key), hint: speech.say("hint_degrees", { low, high }) });
    this.written = new Written([field("latitude", id, grid.south, grid.north), field("longitude", `${id}-east`, grid.west, grid.east)], described, true);
    this.inputs = this.written.inputs;
    this.plane = new Plane(grid);
    this.view = new View(this.plane);
    this.note = element("span", { class: "hint", "aria-live": "polite" });
    this.parts = [this.#drawnMap(id), this.#buttons(), this.note, ...this.written.parts];
    for (const input of this.inputs) input.addEventListener("input", () => this.#mark());
    this.#mark();
  }

  #drawnMap(id) {
    this.land = drawn("path", { class: "land" });
    this.borders = drawn("path", { class: "borders" });
    this.cell = drawn("rect", { class: "cell" });
    this.cross = drawn("path", { class: "cross" });
    this.svg = drawn("svg", { class: "map", id: `${id}-map`, role: "application", tabindex: "0", "aria-label": this.speech.say("map_label") }, this.land, this.borders, this.cell, this.cross);
    this.svg.addEventListener("pointerdown", (event) => this.#pressed(event));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.#look();
    // A place can be marked and written without it, too.
    fetchOutline().then((found) => this.#outline(found)).catch(() => {});
    return this.svg;
  }

  #outline({ land, borders }) {
    const near = (all) => lines(all).filter((line) => isNear(line, this.grid));
    this.land.setAttribute("d", near(land).map((line) => this.plane.path(line, true)).join(""));
    this.borders.setAttribute("d", near(borders).map((line) => this.plane.path(line, false)).join(""));
  }

  #buttons() {
    /** @type {(box: number[]) => number[]} */
    const middle = ([x, y, wide, high]) => [x + wide / 2, y + high / 2];
    const zoom = (factor) => () => {
      this.view.zoom(factor, this.marked ? this.plane.at([this.marked.longitude, this.marked.latitude]) : middle(this.view.box));
      this.#look();
    };
    const button = (key, click) => element("button", { type: "button", class: "plain", click }, this.speech.say(key));
    const own = globalThis.navigator?.geolocation ? [button("own_position", () => this.#locate())] : [];
    return element("div", { class: "tools" }, button("map_closer", zoom(CLOSER)), button("map_further", zoom(1 / CLOSER)), ...own);
  }

  #look() {
    this.svg.setAttribute("viewBox", this.view.box.map((one) => one.toFixed(2)).join(" "));
    this.svg.classList.toggle("close", this.view.scale > 1);
    this.#cross();
  }

  /** The point of the plane under the pointer. */
  #under({ clientX, clientY }) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    const [x, y, wide, high] = this.view.box;
    return [x + ((clientX - left) / width) * wide, y + ((clientY - top) / height) * high];
  }

  /** Pressing marks a place, and dragging moves the map. */
  #pressed(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const [first, corner] = [[event.clientX, event.clientY], [this.view.x, this.view.y]];
    const scale = this.view.box[2] / this.svg.getBoundingClientRect().width;
    let isDragged = false;
    /** @type {(event: any) => void} */
    const moved = ({ clientX, clientY }) => {
      const [across, along] = [clientX - first[0], clientY - first[1]];
      isDragged ||= Math.hypot(across, along) > SLIP;
      if (!isDragged || this.view.scale === 1) return;
      this.view.move(corner[0] - across * scale, corner[1] - along * scale);
      this.#look();
    };
    const ended = (last) => {
      for (const [name, own] of Object.entries(following)) globalThis.removeEventListener(name, own);
      if (last.type === "pointerup" && !isDragged) this.#choose(this.plane.degrees(this.#under(last)));
    };
    const following = { pointermove: moved, pointerup: ended, pointercancel: ended };
    for (const [name, own] of Object.entries(following)) globalThis.addEventListener(name, own);
  }

  /** Arrows move the mark by a cell, plus and minus go closer and further. */
  #key(event) {
    const steps = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const { south, north, west, east, rows, columns } = this.grid;
    const zoom = { "+": CLOSER, "=": CLOSER, "-": 1 / CLOSER }[event.key];
    if (!Object.hasOwn(steps, event.key) && !zoom) return;
    event.preventDefault();
    const start = this.marked ?? { latitude: (south + north) / 2, longitude: (west + east) / 2 };
    if (zoom) {
      this.view.zoom(zoom, this.plane.at([start.longitude, start.latitude]));
      this.#look();
      return;
    }
    const [across, along] = this.marked ? steps[event.key] : [0, 0];
    const within = (value, low, high) => Math.min(Math.max(value, low), high);
    this.#choose({
      latitude: within(start.latitude + (along * (north - south)) / rows, south, north),
      longitude: within(start.longitude + (across * (east - west)) / columns, west, east),
    });
  }

  /** The device's own position, which it is asked for when the person presses the button, and never sent. */
  #locate() {
    this.note.textContent = this.speech.say("own_position_waits");
    globalThis.navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const found = { latitude: coords.latitude, longitude: coords.longitude };
        this.note.textContent = this.plane.holds(found) ? this.speech.say("own_position_found") : this.speech.say("own_position_outside");
        if (this.plane.holds(found)) this.#choose(found);
      },
      () => (this.note.textContent = this.speech.say("own_position_unknown")),
      { timeout: 15_000 },
    );
  }

  #choose({ latitude, longitude }) {
    const { south, north, west, east } = this.grid;
    // Rounding must not take it out of the map.
    const digits = (value, low, high) => {
      const text = value.toFixed(DIGITS);
      return String(Number(text) < low || Number(text) > high ? value : Number(text));
    };
    this.state = [digits(latitude, south, north), digits(longitude, west, east)];
    for (const input of this.inputs) input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** Mark what is written. */
  #mark() {
    const found = this.written.answer;
    const place = found?.every((one) => typeof one === "number") ? { latitude: found[0], longitude: found[1] } : undefined;
    this.marked = place && this.plane.holds(place) ? place : undefined;
    if (this.marked) {
      for (const [key, value] of Object.entries(this.plane.cell(this.marked))) this.cell.setAttribute(key, value.toFixed(3));
      this.view.show(this.plane.at([this.marked.longitude, this.marked.latitude]));
      this.svg.setAttribute("viewBox", this.view.box.map((one) => one.toFixed(2)).join(" "));
    }
    const text = this.marked ? this.speech.say("map_marked", { latitude: found[0], longitude: found[1] }) : this.speech.say("map_unmarked");
    this.svg.setAttribute("aria-description", text);
    this.#cross();
  }

  #cross() {
    const isMarked = this.marked !== undefined;
    this.cell.style.display = isMarked ? "" : "none";
    this.cross.style.display = isMarked ? "" : "none";
    if (!isMarked) return;
    const { width, height } = this.plane.cell(this.marked);
    const [x, y] = this.plane.at([this.marked.longitude, this.marked.latitude]);
    const arm = 9 / this.view.scale;
    if (Math.min(width, height) * this.view.scale < SMALLEST) this.cell.style.display = "none";
    this.cross.setAttribute("d", `M${x - arm} ${y}H${x + arm}M${x} ${y - arm}V${y + arm}`);
  }

  get answer() {
    return this.written.answer;
  }

  get thousands() {
    return null;
  }

  get state() {
    return this.written.state;
  }

  set state(texts) {
    this.written.state = texts;
    this.#mark();
  }

  clear() {
    this.written.clear();
    this.#mark();
  }
}

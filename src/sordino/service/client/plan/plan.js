// A plan from its bytes: canonical JSON under its own hash, with the fields of docs/plan-format.md and no others.

/** What is wrong with a plan: a rule, what was found, and a next step. */
export class PlanError extends Error {
  constructor(rule, found, step = "Get the original from whoever asks you, and answer no other.") {
    super(`${rule}; found ${found}. ${step}`);
    Object.assign(this, { rule, found, step });
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f\u007f-\uffff]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"/y;
const NAMES = [["true", true], ["false", false]];

/** Reads one JSON value in canonical form: sorted keys, no spaces, ASCII, each value in its one spelling. */
class Canonical {
  #at = 0;

  constructor(text) {
    this.text = text;
  }

  whole() {
    const found = this.#value();
    if (this.text.slice(this.#at) !== "\n") this.#refuse();
    return found;
  }

  #refuse() {
    throw new PlanError("a plan must be the canonical bytes of its document", "another spelling, or a part");
  }

  #take(text) {
    if (!this.text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #need(text) {
    if (!this.#take(text)) this.#refuse();
  }

  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (!found) this.#refuse();
    this.#at += found[0].length;
    return found[0];
  }

  #value() {
    const next = this.text[this.#at];
    if (next === "{") return this.#object();
    if (next === "[") return this.#list();
    if (next === '"') return this.#string();
    for (const [name, value] of NAMES) if (this.#take(name)) return value;
    const text = this.#match(NUMBER);
    if (spelled(Number(text)) !== text) this.#refuse();
    return Number(text);
  }

  #string() {
    const text = this.#match(STRING);
    const value = JSON.parse(text);
    const again = JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    if (again !== text) this.#refuse();
    return value;
  }

  #list() {
    const found = [];
    this.#need("[");
    if (this.#take("]")) return found;
    do found.push(this.#value());
    while (this.#take(","));
    this.#need("]");
    return found;
  }

  #object() {
    const found = {};
    let last = null;
    this.#need("{");
    if (this.#take("}")) return found;
    do {
      const key = this.#string();
      if (last !== null && !before(last, key)) this.#refuse();
      this.#need(":");
      // A key of any name is a field like others.
      Object.defineProperty(found, key, { value: this.#value(), enumerable: true });
      last = key;
    } while (this.#take(","));
    this.#need("}");
    return found;
  }
}

/** Whether a key comes before another, by code points. */
function before(one, other) {
  const [a, b] = [[...one], [...other]];
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    if (a[i] !== b[i]) return a[i].codePointAt(0) < b[i].codePointAt(0);
  }
  return a.length < b.length;
}

/** The canonical spelling of a number: whole numbers in digits; else the shortest digits that give the double. */
function spelled(number) {
  if (Number.isInteger(number)) return Object.is(number, -0) ? "0" : BigInt(number).toString();
  const [digits, power] = number.toExponential().split("e");
  if (power >= -4) return String(number);
  const places = String(Math.abs(power)).padStart(2, "0");
  return `${digits}e-${places}`;
}

const text = (found) => typeof found === "string";
const truth = (found) => typeof found === "boolean";
const real = (found) => typeof found === "number";
const whole = (least, most = Number.MAX_SAFE_INTEGER) => (found) =>
  Number.isInteger(found) && found >= least && found <= most;
const listOf = (kind, least = 0) => (found) => Array.isArray(found) && found.length >= least && found.every(kind);
const isTable = (found) => typeof found === "object" && found !== null && !Array.isArray(found);
const tableOf = (kind) => (found) => isTable(found) && Object.values(found).every(kind);
/** A table of such fields; those whose names end in "?" may be left out. */
const fields = (kinds) => (found) => {
  if (!isTable(found)) return false;
  const known = new Set(Object.keys(kinds).map((name) => name.replace("?", "")));
  return (
    Object.keys(found).every((name) => known.has(name)) &&
    Object.entries(kinds).every(([name, kind]) => {
      const own = name.replace("?", "");
      return Object.hasOwn(found, own) ? kind(found[own]) : name.endsWith("?");
    })
  );
};
const exactlyOne = (names) => (found) => names.filter((name) => Object.hasOwn(found, name)).length === 1;
const both = (...kinds) => (found) => kinds.every((kind) => kind(found));
const anyOf = (...kinds) => (found) => kinds.some((kind) => kind(found));

const PROTECT = both(
  fields({
    "epsilon?": text,
    "bounds?": listOf(listOf(text, 1), 1),
    "blocks?": both(
      fields({ "of?": listOf(whole(0)), "run?": whole(1), "tiles?": both(listOf(whole(1)), (t) => t.length === 2) }),
      exactlyOne(["of", "run", "tiles"]),
    ),
    "sensitive?": listOf(whole(0), 1),
    "metric?": both(
      fields({
        "per?": text,
        "positions?": listOf(text, 1),
        "tree?": tableOf(listOf(text)),
        "lengths?": tableOf(text),
        "map?": fields({ per: text, unit: text, row_step: text, column_step: text }),
      }),
      exactlyOne(["per", "positions", "tree", "map"]),
    ),
  }),
  exactlyOne(["epsilon", "bounds"]),
  (found) => ["blocks", "sensitive", "metric", "bounds"].filter((name) => Object.hasOwn(found, name)).length <= 1,
);

/** A part of the people, as a decimal text. */
const PART = /^0\.\d{0,11}[1-9]$/;

/** An end of a number's range: far enough from the largest double that nothing overflows. */
const END = (found) => real(found) && Math.abs(found) <= 1e60;

const ATTRIBUTE = both(
  fields({
    "labels?": listOf(text, 1),
    "numbers?": whole(1, 2 ** 22),
    "grid?": both(
      fields({ south: real, north: real, west: real, east: real, rows: whole(1, 2 ** 22), columns: whole(1, 2 ** 22) }),
      ({ south, north }) => -90 <= south && south < north && north <= 90,
      ({ west, east }) => -180 <= west && west < east && east <= 180,
    ),
    "number?": both(fields({ low: END, high: END, clip: truth }), (found) => found.low < found.high),
    columns: listOf(text, 1),
    "missing?": text,
    "protect?": PROTECT,
    "delta?": text,
  }),
  exactlyOne(["labels", "numbers", "grid", "number"]),
  ({ labels, missing, number }) => missing === undefined || (number ? PART.test(missing) : labels?.includes(missing)),
  (found) => !(found.number && found.protect),
);

const unlike = (found) => new Set(found).size === found.length;
const ascends = (found) => found.every((number, i) => i === 0 || found[i - 1] < number);
const WEIGHT = whole(1, 2 ** 20);
const QUESTION = anyOf(
  fields({ histogram: text, weight: WEIGHT, subtract_totals: truth, mechanism: isTable }),
  both(
    fields({ table: listOf(text, 2), weight: WEIGHT, subtract_totals: truth, mechanism: isTable, "epsilon?": text }),
    ({ table }) => table.length <= 8 && unlike(table),
  ),
  both(
    fields({
      distribution: text,
      weight: WEIGHT,
      epsilon: text,
      "bins?": whole(2, 512),
      "edges?": both(listOf(real, 3), ascends),
      mechanism: isTable,
      "spikes?": (found) => found === true,
      quantiles: listOf(text),
      ranges: listOf(both(listOf(real, 2), (pair) => pair.length === 2, ascends)),
    }),
    exactlyOne(["bins", "edges"]),
  ),
  fields({
    // What is told of a number by one answer and by another one adds up, whatever is known of other attributes.
    numbers: both(listOf(text, 1), unlike),
    asked: (found) => ["mean", "covariance", "regression"].includes(found),
    "base?": tableOf(text),
    weight: WEIGHT,
    queries: fields({
      statistics: listOf(Array.isArray, 1),
      mechanisms: listOf(isTable, 1),
      through: listOf(anyOf(whole(0), listOf(whole(0), 1)), 1),
      weights: listOf(whole(1), 1),
    }),
  }),
);

/** One promise for all: bounds for each attribute and for the whole record, or about the values of each that is counted. */
function promises({ epsilon, attributes, dependence, queries }) {
  const own = Object.values(attributes);
  if (epsilon !== undefined) return own.every(({ delta }) => delta !== undefined);
  return !dependence && own.every(({ delta }) => delta === undefined) && queries.every(({ histogram, table }) => histogram ?? table);
}

const PLAN = both(
  fields({
    format: (found) => found === "sordino plan",
    version: (found) => found === 2,
    hash: text,
    people: whole(1),
    "epsilon?": text,
    "dependence?": fields({
      rest: tableOf(text),
      statistics: listOf(fields({ attribute: text, statistic: listOf(text, 1), bound: text })),
      "tables?": listOf(fields({ attribute: text, table: listOf(text, 2), bound: text })),
      "thresholds?": listOf(fields({ attribute: text, number: text, bound: text })),
      "bins?": tableOf(whole(1)),
      ground: listOf(text),
    }),
    attributes: tableOf(ATTRIBUTE),
    queries: listOf(QUESTION, 1),
  }),
  promises,
);

/** SHA-256 of a text, as a plan's hash is written. */
export async function hashOf(content) {
  if (!globalThis.crypto?.subtle) {
    const step = "Open the page over https, in a browser of our days.";
    throw new PlanError("the browser must be able to check the plan's hash", "no WebCrypto here", step);
  }
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
  return `sha256:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The plan of a text, under its own hash, and under the one that was asked for; throws PlanError. */
export async function readPlan(content, asked) {
  const plan = new Canonical(content).whole();
  if (plan.format !== "sordino plan") throw new PlanError("a plan must be one of Sordino", "another document");
  if (plan.version !== 2) {
    const step = "Get the page of the same age as the plan.";
    throw new PlanError("a plan must be of version 2", "another version", step);
  }
  if (!PLAN(plan) || !asks(plan)) throw new PlanError("a plan must have its fields, and no others", "others");
  if (!coversAll(plan)) throw new PlanError("a promise must be about each value of its attribute", "some, or others");
  const spelling = `"hash":"${plan.hash}",`;
  const place = content.lastIndexOf(spelling);
  const own = await hashOf(content.slice(0, place) + content.slice(place + spelling.length).trimEnd());
  if (place < 0 || own !== plan.hash) throw new PlanError("a plan must be as it was frozen", "changed contents");
  if (asked !== undefined && asked !== plan.hash) {
    throw new PlanError("the plan must be the one of the address", "another plan");
  }
  return plan;
}

/** Whether the bins of a distribution go from end to end of its number. */
function covers({ edges }, ends) {
  return Boolean(ends) && (!edges || (edges[0] === ends.low && edges.at(-1) === ends.high));
}

/** Whether questions are about attributes of their kinds; of numbers that may be missing means and distributions are asked. */
function asks(plan) {
  return plan.queries.every((part) => {
    const own = (name) => (Object.hasOwn(plan.attributes, name) ? plan.attributes[name] : {});
    const fits = ({ number, missing }) => number && (missing === undefined || part.asked === "mean" || part.distribution !== undefined);
    if (part.base) return asksRegression(part, own, fits);
    if (part.numbers) return part.numbers.every((name) => fits(own(name)));
    if (part.distribution !== undefined) return fits(own(part.distribution)) && covers(part, own(part.distribution).number);
    if (part.table) return asksCells(plan, part, part.table.map(own));
    return Boolean(own(part.histogram).protect);
  });
}

/** Whether a regression's features with a base have categories, that one among them, and all else is a number. */
function asksRegression({ asked, base, numbers }, own, fits) {
  const features = numbers.slice(0, -1);
  const names = Object.keys(base);
  const inside = ({ labels, numbers: k }, label) => labels?.includes(label) || (k !== undefined && /^(?:0|[1-9]\d*)$/.test(label) && Number(label) < k);
  return (
    asked === "regression" &&
    names.length > 0 &&
    names.every((name) => features.includes(name) && inside(own(name), base[name])) &&
    numbers.every((name) => Object.hasOwn(base, name) || fits(own(name)))
  );
}

/** Values of an attribute, or cells of a table, at most. */
const LARGEST_DOMAIN = 2 ** 22;

const sizeOf = ({ labels, numbers, grid }) => labels?.length ?? numbers ?? grid.rows * grid.columns;

/** Whether a table's attributes have values, few enough, and a promise: each its own, or one for all cells alike. */
function asksCells(plan, part, attributes) {
  if (!attributes.every((own) => own.labels || own.numbers || own.grid)) return false;
  if (attributes.reduce((all, own) => all * sizeOf(own), 1) > LARGEST_DOMAIN) return false;
  return plan.epsilon === undefined ? part.epsilon === undefined && attributes.every((own) => own.protect) : part.epsilon !== undefined;
}

/** Whether what is promised about each attribute that is asked is about all of its values, and about no others. */
function coversAll(plan) {
  const asked = plan.queries.flatMap((part) => part.table ?? (part.histogram === undefined ? [] : [part.histogram]));
  return asked.every((name) => coversValues(plan.attributes[name]));
}

function coversValues(attribute) {
  const { labels, protect: { bounds, blocks, sensitive, metric } = {} } = attribute;
  const k = sizeOf(attribute);
  const one = (list) => list === undefined || list.length === k;
  if (labels && new Set(labels).size !== k) return false;
  if (!one(bounds) || bounds?.some((row) => row.length !== k) || !one(blocks?.of) || !one(metric?.positions)) return false;
  if (sensitive && (sensitive.some((value) => value >= k) || new Set(sensitive).size >= k)) return false;
  return !metric?.tree || isTreeOf(labels ?? [], metric.tree);
}

/** Whether names stand on one tree, each below one other, that holds all labels. */
function isTreeOf(labels, tree) {
  const listed = Object.values(tree).flat();
  const below = new Set(listed);
  const names = new Set([...Object.keys(tree), ...listed]);
  const reached = [...names].filter((name) => !below.has(name));
  if (reached.length !== 1 || below.size !== listed.length) return false;
  // Each name stands below one other, so that none is reached twice.
  for (const name of reached) if (Object.hasOwn(tree, name)) reached.push(...tree[name]);
  return reached.length === names.size && labels.length > 0 && labels.every((label) => names.has(label));
}

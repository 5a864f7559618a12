// A record: whether it answers a plan, and its values as the mechanisms take them. Nothing is drawn before all of it
// was found right, so that a refusal does not depend on the question that is drawn.

import { isAsked, unaskedValue, withConditions } from "./choices.js";
import { ENGLISH } from "../catalogue/speech.js";
import { size } from "../channel/promised.js";

/** What an answer must be: a sentence of the catalogue by its key, never with the answer itself. */
export class AnswerError extends Error {
  /**
   * @param {string} name
   * @param {string} key
   * @param {Record<string, any>} [values]
   */
  constructor(name, key, values = {}) {
    super(`${name}: ${ENGLISH.say(key, values)}`);
    this.attribute = name;
    this.key = key;
    this.values = values;
  }
}

/** The names of the attributes that a question is about. */
export const about = (part) => part.numbers ?? part.table ?? [part.histogram ?? part.distribution ?? part.above ?? part.several];

/**
 * The names of the attributes that a plan asks for, each after those that decide whether it is asked.
 * @param {import("../index.js").Plan} plan
 * @returns {string[]}
 */
export function asked(plan) {
  return withConditions(plan.queries.flatMap(about), plan.attributes);
}

/** The values of all that is asked, which `names` says; throws AnswerError. */
export function values(plan, record, names = asked(plan)) {
  const sent = (plan.public ?? []).map((column) => column.name);
  for (const name of Object.keys(record)) {
    if (!Object.hasOwn(plan.attributes, name) && !sent.includes(name)) {
      throw new AnswerError(name, "not_asked");
    }
  }
  const own = (name) => (Object.hasOwn(record, name) ? record[name] : undefined);
  const found = new Map();
  for (const name of names) {
    const attribute = plan.attributes[name];
    const answer = own(name) === null ? undefined : own(name);
    const says = attribute.not_asked !== undefined && answer === attribute.not_asked;
    const isUnasked = !isAsked(attribute, plan.attributes, found);
    if (isUnasked ? answer !== undefined && !says : says) {
      throw new AnswerError(name, "need_earlier");
    }
    found.set(name, isUnasked ? unaskedValue(attribute) : value(name, attribute, answer));
  }
  return found;
}

/** The value of one answer; of a number that is missing and may be, NaN. */
export function value(name, attribute, answer) {
  if (answer === undefined || answer === null) {
    if (attribute.missing !== undefined && attribute.number) return NaN;
    if (attribute.missing !== undefined && attribute.several !== undefined) return [];
    if (attribute.missing !== undefined) return attribute.labels.indexOf(attribute.missing);
    throw new AnswerError(name, attribute.number ? "need_number" : attribute.grid ? "need_place" : "need_choice");
  }
  if (attribute.several !== undefined) return chosen(name, attribute, answer);
  if (attribute.labels) return label(name, attribute.labels, answer);
  if (attribute.number) return number(name, attribute.number, answer);
  if (typeof answer === "number") return whole(name, size(attribute), answer);
  if (attribute.grid) return cell(name, attribute.grid, answer);
  throw new AnswerError(name, "need_whole", { high: size(attribute) - 1 });
}

function label(name, labels, answer) {
  const place = typeof answer === "string" ? labels.indexOf(answer) : -1;
  if (place < 0) throw new AnswerError(name, "need_choice");
  return place;
}

/** The places of the categories that apply, ascending. */
function chosen(name, { labels, several, none }, answer) {
  const places = answer === none ? [] : Array.isArray(answer) ? answer.map((own) => (typeof own === "string" ? labels.indexOf(own) : -1)) : [-1];
  if (places.includes(-1) || new Set(places).size < places.length || places.length > several) {
    throw new AnswerError(name, "need_several", { count: several });
  }
  return places.sort((a, b) => a - b);
}

function whole(name, k, answer) {
  if (!Number.isInteger(answer) || answer < 0 || answer >= k) {
    throw new AnswerError(name, "need_whole", { high: k - 1 });
  }
  return answer;
}

function number(name, { low, high, clip }, answer) {
  if (typeof answer !== "number" || !Number.isFinite(answer)) throw new AnswerError(name, "need_digits");
  if (!clip && (answer < low || answer > high)) throw new AnswerError(name, "need_within", { low, high });
  return Math.min(Math.max(answer, low), high);
}

/** A number between its ends as one of -1 to 1, in doubles and in this order. */
export function scaled(number, low, high) {
  return Math.min(Math.max((number - low - (high - number)) / (high - low), -1), 1);
}

/** Where the bins of a number begin, and where the last one ends: doubles, in this order. */
export function edgesOf({ bins, edges }, { low, high }) {
  return edges ?? Array.from({ length: bins + 1 }, (_, i) => (i === bins ? high : i * ((high - low) / bins) + low));
}

/** The bin of a number between its ends, the last one that does not begin above it. */
export function bin(number, edges) {
  return starts(number, edges.length - 1, (i) => edges[i]);
}

function cell(name, grid, answer) {
  const { latitude, longitude, ...rest } = answer;
  const given = [latitude, longitude].every((degrees) => typeof degrees === "number" && Number.isFinite(degrees));
  if (!given || Object.keys(rest).length) {
    throw new AnswerError(name, "need_place");
  }
  const { south, north, west, east, rows, columns } = grid;
  if (latitude < south || latitude > north || longitude < west || longitude > east) {
    throw new AnswerError(name, "need_place_within", { south, north, west, east });
  }
  return line(latitude, south, north, rows) * columns + line(longitude, west, east, columns);
}

/** The last of some cells of one size whose lower edge is not above a position. */
function line(position, low, high, cells) {
  const step = (high - low) / cells;
  return starts(position, cells, (i) => i * step + low);
}

/** The last of some cells that does not begin above a position: by halves, as many for each position. */
function starts(position, cells, start) {
  let [found, width] = [0, cells];
  while (width > 1) {
    const half = Math.ceil(width / 2);
    if (found + half < cells && !(position < start(found + half))) found += half;
    width = half;
  }
  return found;
}

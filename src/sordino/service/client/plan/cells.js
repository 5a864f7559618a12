// A table's cells, a value of each of its attributes, the last one's runs fastest; and what is promised about them, as if
// they were the values of one attribute.

import { blocks, sensitive, size } from "../channel/promised.js";
import { requires } from "../channel/entries.js";
import { NOTHING, amount, atMost, sum, written } from "../channel/fraction.js";
import { LARGEST_MATRIX } from "./fields.js";
import { bin } from "./record.js";
import { hasHidden, protectedPairs } from "./pairs.js";

/** Cells that have names of their own, at most. */
const NAMED = 64;

/** No two values are told apart by more, however far they lie apart. */
const FARTHEST = { rational: [100n, 1n], ratio: [1n, 1n] };

const least = (one, other) => (atMost(one, other) ? one : other);
const most = (one, other) => (atMost(one, other) ? other : one);

/** One name of several, as the package joins them: what could be read otherwise stands in quotes, doubled within. */
export const joinNames = (parts) => parts.map((part) => (isPlain(part) ? part : `"${part.replaceAll('"', '""')}"`)).join(", ");

const isPlain = (part) => part !== "" && !/^ | $|"|, /.test(part);

/** How many cells attributes have together. */
export const countCells = (attributes) => attributes.reduce((all, attribute) => all * size(attribute), 1);

/** The cell of a value of each attribute, of a number the bin in which it lies. */
export const cellOf = (attributes, values) => values.reduce((cell, value, i) => cell * size(attributes[i]) + placeOf(attributes[i], value), 0);

/** The place of a value among those by which a table counts it: of none, the one after the bins. */
function placeOf({ number }, value) {
  if (!number) return value;
  return Number.isNaN(value) ? number.edges.length - 1 : bin(value, number.edges);
}

/** A number in twelve digits at most. */
const plain = (number) => String(Number(number.toPrecision(12)));

/** From where to where a bin goes; where all edges are halfway between whole numbers, from which of these to which. */
function binLabel(edges, place) {
  const [low, high] = edges.slice(place, place + 2);
  const half = edges.every((edge) => Number.isInteger(edge - 0.5)) ? 0.5 : 0;
  const [first, last] = [plain(low + half), plain(high - half)];
  return half && first === last ? first : `${first} to ${last}`;
}

/** The name of a value; of a map's cell its centre, degrees north, then east; of a number's bin its ends. */
export function labelOf({ labels, grid, number }, value) {
  if (grid) {
    const { south, north, west, east, rows, columns } = grid;
    const latitude = south + ((Math.floor(value / columns) + 0.5) * (north - south)) / rows;
    const longitude = west + (((value % columns) + 0.5) * (east - west)) / columns;
    return [latitude, longitude].map((degrees) => String(Number(degrees.toPrecision(6)))).join(",");
  }
  if (number) return value < number.edges.length - 1 ? binLabel(number.edges, value) : "missing";
  return labels?.[value] ?? String(value);
}

/** The values in each cell. */
function rowsOf(attributes) {
  const values = attributes.map((attribute) => Array.from({ length: size(attribute) }, (_, value) => value));
  return joined(values, (row, value) => [...row, value], []);
}

/** The cells as the values of one attribute; `epsilon` where all are protected alike, whatever their attributes promise. */
export function cells(attributes, epsilon) {
  const protect = epsilon === undefined ? together(attributes) : { epsilon };
  const k = countCells(attributes);
  if (k > NAMED) return { numbers: k, protect };
  return { labels: rowsOf(attributes).map((row) => joinNames(row.map((value, i) => labelOf(attributes[i], value)))), protect };
}

function together(attributes) {
  const kinds = new Set(attributes.map(kind));
  const only = (...known) => [...kinds].every((one) => known.includes(one));
  const epsilon = () => attributes.map(({ protect }) => protect.epsilon).reduce((a, b) => (atMost(amount(a), amount(b)) ? a : b));
  if (only("whole")) return { epsilon: epsilon() };
  if (only("whole", "blocks")) return { epsilon: epsilon(), blocks: { of: blockOfCells(attributes) } };
  if (only("whole", "sensitive")) {
    const found = sensitiveCells(attributes);
    return found.length < countCells(attributes) ? { epsilon: epsilon(), sensitive: found } : { epsilon: epsilon() };
  }
  return only("metric") ? { metric: { of: attributes } } : { bounds: listed(attributes) };
}

/** What an attribute's promise is like. */
function kind(attribute) {
  if (hasHidden(attribute)) return "bounds";
  return ["blocks", "sensitive", "metric", "bounds"].find((name) => attribute.protect[name] !== undefined) ?? "whole";
}

/**
 * The largest bound of two cells that differ in some attributes and in no other; null where one has no bound.
 * @param {{protect: any}} whole the cells, or the one attribute, as the values of one attribute
 * @param {any[]} attributes of which the cells are
 * @param {number[]} places of the attributes in which the cells may differ
 */
export function largestBound(whole, attributes, places) {
  const { epsilon, blocks: tiled, sensitive: named, metric, bounds } = whole.protect;
  // Some cell that is not sensitive may be ruled out, or shown; distances are not looked at.
  if (named || metric) return null;
  if (!tiled && !bounds) return amount(epsilon);
  const kept = keptOf(attributes, places);
  if (!bounds) {
    const block = blocks(whole);
    const known = new Map(block.map((own, cell) => [kept[cell], own]));
    return block.every((own, cell) => known.get(kept[cell]) === own) ? amount(epsilon) : null;
  }
  // Of a table each bound is along the shortest way already.
  const matrix = attributes.length > 1 ? bounds.map((row) => row.map((bound) => (bound === "inf" ? null : amount(bound)))) : closed(whole);
  const found = matrix.flatMap((row, cell) => row.filter((_, other) => other !== cell && kept[other] === kept[cell]));
  return found.includes(null) ? null : found.reduce(most, NOTHING);
}

/** What each cell has of the attributes that are not at some places, as a number. */
function keptOf(attributes, places) {
  const parts = attributes.map((own) => Array.from({ length: size(own) }, (_, value) => value));
  const counts = new Map(parts.map((own, place) => [own, places.includes(place) ? 0 : own.length]));
  return joined(parts, (before, value, own) => (counts.get(own) ? before * counts.get(own) + value : before), 0);
}

/** What is said of each value of each attribute, joined for each cell. */
const joined = (parts, join, first) =>
  parts.reduce((found, own) => found.flatMap((before) => own.map((value) => join(before, value, own))), [first]);

function blockOfCells(attributes) {
  const numbered = (own) => {
    const places = new Map([...new Set(own)].map((block, place) => [block, place]));
    return own.map((block) => places.get(block));
  };
  const parts = attributes.map((own) => (own.protect.blocks ? numbered(blocks(own)) : new Array(size(own)).fill(0)));
  const counts = new Map(parts.map((own) => [own, new Set(own).size]));
  return joined(parts, (before, block, own) => before * counts.get(own) + block, 0);
}

function sensitiveCells(attributes) {
  const parts = attributes.map((own) => {
    const high = own.protect.sensitive && new Set(sensitive(own));
    return Array.from({ length: size(own) }, (_, value) => high?.has(value) ?? true);
  });
  return joined(parts, (before, high) => before || high, false).flatMap((high, cell) => (high ? [cell] : []));
}

/** The bound of each two cells, as a plan would write it: the sum over their values, but no more than the largest. */
function listed(attributes) {
  requires(countCells(attributes) <= LARGEST_MATRIX, `cells that are protected in unlike ways must be at most ${LARGEST_MATRIX}`, "more");
  const matrices = attributes.map(closed);
  const cap = attributes.map((attribute, i) => largest(attribute, matrices[i])).reduce(most);
  const known = new Map();
  const bound = (row, other) => {
    const key = row.map((value, i) => `${value} ${other[i]}`).join();
    if (!known.has(key)) known.set(key, added(matrices, row, other, cap));
    return known.get(key);
  };
  const rows = rowsOf(attributes);
  return rows.map((row) => rows.map((other) => bound(row, other)));
}

function added(matrices, row, other, cap) {
  const parts = row.flatMap((value, i) => (value === other[i] ? [] : [matrices[i][value][other[i]]]));
  if (parts.includes(null)) return "inf";
  return parts.length ? written(least(least(parts.reduce(sum), cap), FARTHEST)) : "0";
}

function largest({ protect: { epsilon, metric } }, matrix) {
  if (epsilon && !metric) return amount(epsilon);
  return matrix.flatMap((row, value) => row.filter((bound, other) => bound !== null && other !== value)).reduce(most, NOTHING);
}

/** What each two values of an attribute may be told apart by at most, null without limit: along the shortest way. */
function closed(attribute) {
  const k = size(attribute);
  const found = Array.from({ length: k }, () => new Array(k).fill(null));
  for (const [value, other, bound] of protectedPairs(attribute)) found[value][other] = least(bound, FARTHEST);
  // Blocks and sensitive values need no ways, nor does what is protected as a whole.
  if (!attribute.protect.metric && !attribute.protect.bounds) return found;
  for (let by = 0; by < k; by += 1) {
    for (let value = 0; value < k; value += 1) {
      for (let other = 0; other < k; other += 1) {
        const [first, second, direct] = [found[value][by], found[by][other], found[value][other]];
        if (value === other || !first || !second) continue;
        const way = sum(first, second);
        if (direct === null || !atMost(direct, way)) found[value][other] = way;
      }
    }
  }
  return found;
}

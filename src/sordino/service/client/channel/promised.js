// What a plan promises about an attribute, worked out: how many values it has, their blocks, those that are sensitive, the
// lines and trees that they stand on.

import { requires } from "./entries.js";
import { amount, compare, fraction, minus, scaled, times } from "./fraction.js";

/** How many values an attribute has; of a number its bins, and that it is missing where it may be. */
export function size(attribute) {
  if (attribute.labels) return attribute.labels.length;
  if (attribute.number) return attribute.number.edges.length - 1 + Number(attribute.missing !== undefined);
  return attribute.numbers ?? attribute.grid.rows * attribute.grid.columns;
}

/** The names of an attribute's categories. */
export const labelsOf = ({ labels, numbers }) => labels ?? Array.from({ length: numbers }, (_, value) => String(value));

/** The block of each value. */
export function blocks(attribute) {
  const k = size(attribute);
  const { bounds, blocks: found } = attribute.protect;
  const values = Array.from({ length: k }, (_, value) => value);
  if (bounds) {
    const block = [...values];
    for (const one of values) {
      for (const other of values) {
        if (bounds[one][other] === "inf" || block[one] === block[other]) continue;
        const from = block[other];
        block.forEach((own, value) => own === from && (block[value] = block[one]));
      }
    }
    return block;
  }
  if (found.of) return found.of;
  if (found.run) return values.map((value) => Math.floor(value / found.run));
  const [height, width] = found.tiles;
  const { columns } = attribute.grid;
  const across = Math.ceil(columns / width);
  return values.map((v) => Math.floor(Math.floor(v / columns) / height) * across + Math.floor((v % columns) / width));
}

/** The values that are sensitive, ascending. */
export function sensitive(attribute) {
  const { sensitive: named, bounds } = attribute.protect;
  if (named) return [...named].sort((a, b) => a - b);
  const protectedFrom = (row, value) => row.some((bound, other) => other !== value && bound !== "inf");
  return bounds.flatMap((row, value) => (protectedFrom(row, value) ? [value] : []));
}

/** Values in an order in which each stands next to the next, by where they stand on a line. */
function line(places) {
  const order = places.map((_, value) => value).sort((a, b) => compare(places[a], places[b]));
  const steps = order.slice(1).map((upper, i) => [order[i], upper, minus(places[upper], places[order[i]])]);
  requires(steps.every(([, , length]) => length[0] > 0n), "values on a line must lie apart", "two at one place");
  return steps;
}

/** How far a name of a tree is from the one above it. */
export function stepLength({ lengths = {} }, name) {
  const length = fraction(Object.hasOwn(lengths, name) ? lengths[name] : "1");
  requires(length[0] > 0n, "a length must be above 0", "another");
  return length;
}

/** Values on a line at most. */
const LARGEST_LINE = 2 ** 16;

/** The axes of a metric: how many values each has, and its steps as [value, value, length]. */
export function axes(attribute) {
  const { metric } = attribute.protect;
  // Of a table's attributes each has its own, one after the other.
  if (metric.of) return metric.of.flatMap((own) => axes(own).map((axis) => ({ nats: own.protect.epsilon, ...axis })));
  const k = size(attribute);
  const longest = metric.map ? Math.max(attribute.grid.rows, attribute.grid.columns) : k;
  requires(metric.tree || longest <= LARGEST_LINE, `a line must have at most ${LARGEST_LINE} values`, "more");
  const numbered = (length) => Array.from({ length: length - 1 }, (_, i) => [i, i + 1, [1n, 1n]]);
  if (metric.tree) {
    const places = new Map(labelsOf(attribute).map((name, place) => [name, place]));
    const at = (name) => places.get(name) ?? -1;
    const steps = Object.entries(metric.tree).flatMap(([above, under]) =>
      under.map((name) => [at(above), at(name), stepLength(metric, name)]),
    );
    return [{ k, steps }];
  }
  if (metric.map) {
    const { rows, columns } = attribute.grid;
    return [
      { k: rows, steps: numbered(rows), nats: metric.map.row_step },
      { k: columns, steps: numbered(columns), nats: metric.map.column_step },
    ];
  }
  if (metric.positions) return [{ k, steps: line(metric.positions.map(fraction)) }];
  const per = fraction(metric.per);
  requires(per[0] > 0n, "a distance must be above 0", "another");
  const steps = attribute.labels ? line(attribute.labels.map(fraction)) : numbered(k);
  return [{ k, steps: steps.map(([one, other, length]) => [one, other, times(length, [per[1], per[0]])]) }];
}

/** The loss that each step of an axis may have, in nats. */
export function stepLoss(axis, epsilon, length) {
  return scaled(amount(axis.nats ?? epsilon), length);
}

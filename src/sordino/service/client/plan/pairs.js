// The pairs of an attribute's values that are protected from each other, and by how much.

import { axes, blocks, labelsOf, sensitive, size, stepLength, stepLoss } from "../channel/promised.js";
import { requires } from "../channel/entries.js";
import { NOTHING, amount, atMost, plus, scaled } from "../channel/fraction.js";

/** [value, other, amount] of each pair that is protected by itself; all others follow from these. */
export function* protectedPairs(attribute) {
  const { epsilon, bounds, blocks: tiled, sensitive: named, metric } = attribute.protect;
  const k = size(attribute);
  if (metric) {
    yield* alongSteps(attribute);
    return;
  }
  const whole = bounds ? null : amount(epsilon);
  const block = tiled ? blocks(attribute) : null;
  const high = named ? new Set(sensitive(attribute)) : null;
  for (let value = 0; value < k; value += 1) {
    for (let other = 0; other < k; other += 1) {
      if (value === other) continue;
      if (bounds && bounds[value][other] !== "inf") yield [value, other, amount(bounds[value][other])];
      if (!bounds && (!block || block[value] === block[other]) && (!high || high.has(value))) yield [value, other, whole];
    }
  }
}

/** Whether some names of an attribute's tree are nobody's answer. */
export const hasHidden = (attribute) => Boolean(attribute.protect.metric?.tree) && size(attribute) < treeNames(attribute.protect.metric).size;

const treeNames = (metric) => new Set([...Object.keys(metric.tree), ...Object.values(metric.tree).flat()]);

function lossOf(found) {
  requires(found !== null, "an epsilon with a logarithm needs whole distances");
  return found;
}

/** What two values that are next to each other on an axis may be told apart by. */
export function stepBound(axis, epsilon, length) {
  const found = lossOf(stepLoss(axis, epsilon, length));
  requires(!atMost(found, NOTHING), "a distance between two values must be above 0, or they would be the same value", "0");
  return found;
}

/** Values that are next to each other; what holds along each step holds along every way. */
function* alongSteps(attribute) {
  const { epsilon } = attribute.protect;
  if (hasHidden(attribute)) {
    yield* alongTree(attribute);
    return;
  }
  const lines = axes(attribute);
  const k = size(attribute);
  for (const [i, axis] of lines.entries()) {
    const stride = lines.slice(i + 1).reduce((all, later) => all * later.k, 1);
    for (const [one, other, length] of axis.steps) {
      const loss = stepBound(axis, epsilon, length);
      for (let rest = 0; rest < k; rest += 1) {
        // All values whose digit of this axis is 0, moved along it.
        if (Math.floor(rest / stride) % axis.k) continue;
        const ends = [rest + one * stride, rest + other * stride];
        yield [...ends, loss];
        yield [ends[1], ends[0], loss];
      }
    }
  }
}

/** All pairs, where some names of the tree are nobody's answer. */
function* alongTree(attribute) {
  const { epsilon, metric } = attribute.protect;
  const labels = labelsOf(attribute);
  /** @type {(entry: [string, any]) => [string, string][]} */
  const below = ([name, under]) => under.map((one) => [one, name]);
  const above = new Map(Object.entries(metric.tree).flatMap(below));
  const way = (name) => {
    /** @type {[string, import("../channel/fraction.js").Fraction][]} */
    const found = [[name, [0n, 1n]]];
    for (let at = name; above.has(at); at = above.get(at)) found.push([above.get(at), plus(found.at(-1)[1], stepLength(metric, at))]);
    return found;
  };
  for (const [value, label] of labels.entries()) {
    const own = new Map(way(label));
    for (const [other, name] of labels.entries()) {
      if (value === other) continue;
      const [meet, there] = way(name).find(([node]) => own.has(node));
      yield [value, other, lossOf(scaled(amount(epsilon), plus(own.get(meet), there)))];
    }
  }
}

// What a report can reveal, in plain words, before it leaves. Factors are rounded up, never down.

import { blocks, sensitive } from "./channel/promised.js";
import { amount, factor, upward } from "./channel/fraction.js";
import { larger } from "./promise/audit.js";
import { rests } from "./promise/promise.js";
import { about } from "./plan/record.js";

const FEW = 6;
const quoted = (name) => `“${name}”`;

function listed(names) {
  const shown = names.slice(0, FEW).map(quoted).join(", ");
  return names.length > FEW ? `${shown} and ${names.length - FEW} more` : shown;
}

/** What a question asks for. */
export function topic(part) {
  if (part.distribution !== undefined) return `in which range ${quoted(part.distribution)} lies`;
  if (part.above !== undefined) return `whether ${quoted(part.above)} is ${part.threshold} or above`;
  if (part.table) return `${part.table.map(quoted).join(" and ")} together`;
  if (!part.numbers) return quoted(part.histogram ?? part.several);
  return `the ${part.asked} of ${part.numbers.map(quoted).join(" and ")}`;
}

/** Sentences in the order in which they matter: what leaves, what it can reveal, and what is not promised. */
export function sentences({ plan, questions, verdicts }) {
  const bits = (questions.outputs - 1n).toString(2).length;
  const said = [`Your answers stay on this page. What leaves is one code of ${bits} bit${bits === 1 ? "" : "s"}, drawn at random.`];
  const several = plan.queries.length > 1;
  if (several) {
    said.push(
      `The code is about one of ${plan.queries.length} questions. Which one is drawn here, without looking at any answer, ` +
        "and the code tells it.",
    );
  }
  const told = plan.queries.map((part, place) => revealed(plan, part, verdicts[place], questions.asked[place].attribute)).flat();
  said.push(...alike(told));
  said.push(...plan.queries.flatMap(ofDrawn), ...Object.entries(plan.attributes).flatMap(ofCondition));
  said.push(...example(verdicts));
  if (several || plan.epsilon !== undefined) said.push(...aboutOthers(plan, verdicts));
  said.push("A second code multiplies these factors, so this browser keeps the one that it draws, and sends the same one again if it got lost.");
  return [...new Set(said)];
}

/** Of several categories, one of which is drawn. */
function ofDrawn({ several, way }) {
  return way === "category" ? [`Of the answers to ${quoted(several)} one is drawn here, without looking at any. The code tells which, not whether it applies.`] : [];
}

/** What is asked only because of earlier answers. */
function ofCondition([name, { only_if: conditions, not_asked: unasked, number }]) {
  if (conditions === undefined) return [];
  const said = number ? "that it is missing" : quoted(unasked);
  return [`${quoted(name)} is asked because of ${listed(Object.keys(conditions))}. Whoever is not asked answers ${said}, which is protected as every answer is.`];
}

/** Sentences that differ in the attribute only, [start, name, end], said once about all of them. */
function alike(told) {
  const names = new Map();
  for (const [start, name, end] of told.filter(Array.isArray)) {
    const key = JSON.stringify([start, end]);
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  const once = [...names].map(([key, own]) => {
    const [start, end] = JSON.parse(key);
    const every = own.length > 1 ? `${own.slice(0, -1).join(", ")} or ${own.at(-1)}` : own[0];
    return `${start} ${every} ${end}`;
  });
  return [...once, ...told.filter((one) => !Array.isArray(one))];
}

function revealed(plan, part, { ratio }, attribute) {
  if (!attribute) {
    const pair = part.base ? "sets of answers" : part.numbers?.length > 1 ? "sets of numbers" : "numbers";
    return [`A code about ${topic(part)} changes the odds between any two ${pair} by a factor of at most ${said(ratio)}.`];
  }
  const attributes = about(part).map((name) => [name, plan.attributes[name]]);
  const missing = attributes.flatMap(([name, own]) => ofMissing(own, part.table ? ` to ${quoted(name)}` : ""));
  const promise = attribute.protect.metric?.of ? ofDistances(part, attributes) : ofProtect(attribute, topic(part), ratio);
  return [...promise, ...(part.table ? ofCells(attribute.protect, attributes) : []), ...missing];
}

/** What a cell tells of its attributes. */
function ofCells({ blocks: tiled, sensitive: named, bounds }, attributes) {
  const said = ["An answer is a combination of values, and the code is about all of them at once: whatever it tells of the combination, it may tell of any one of them."];
  if (tiled) said.push("Combinations are in one group if their values are, of each attribute.");
  if (named) said.push(`A combination is sensitive if one of its values is: ${attributes.map(([name, own]) => `${listed(sensitiveNames(own))} of ${quoted(name)}`).join(", ")}.`);
  if (bounds) said.push("Between two combinations it may tell what it may tell between their values, together, but never more than the most that it may tell of one of them.");
  return said;
}

/** Of a table whose attributes are all protected by distances. */
function ofDistances(part, attributes) {
  const each = attributes.map(([name, own]) => ofDistance(topic(part), own, ` to ${quoted(name)}`));
  return [...each, "Where several values differ, these factors multiply."];
}

/** A factor in digits; null has no limit. */
const said = (ratio) => (ratio ? upward(ratio) : "any size");

const START = "Whatever else somebody knows, a code";
const bounded = ({ epsilon }) => said(factor(amount(epsilon)));

function ofProtect(attribute, name, ratio) {
  const { protect } = attribute;
  const bound = () => bounded(protect);
  if (protect.metric) return [ofDistance(name, attribute, "")];
  if (protect.blocks) {
    const most = ratio ? said(ratio) : bound();
    return [
      `${START} about ${name} changes the odds between two answers of the same group by a factor of at most ${most}.`,
      `It tells for certain which group your answer is in${groups(attribute)}.`,
    ];
  }
  if (protect.sensitive) {
    const names = sensitiveNames(attribute);
    return [
      `${START} raises the odds that your answer about ${name} is a sensitive one (${listed(names)}), over any other, by a factor of at most ${bound()}.`,
      "If your answer is none of these, the code may tell it as it is.",
    ];
  }
  if (protect.bounds) return [ofBounds(attribute, protect.bounds, name)];
  return [[`${START} changes the odds between any two answers about`, name, `by a factor of at most ${ratio ? said(ratio) : bound()}.`]];
}

const sensitiveNames = (attribute) => sensitive(attribute).map((value) => attribute.labels?.[value] ?? value);

function ofDistance(name, { protect }, whose) {
  const far = distance(protect.metric, whose);
  return `${START} about ${name} changes the odds between ${far} by a factor of at most ${bounded(protect)}, by less if they are nearer, and by more if they are further apart.`;
}

function distance({ per, positions, tree, map }, whose) {
  if (map) return `two places${whose} that are ${map.per} ${map.unit} apart`;
  if (tree) return `two answers${whose} that are one step apart on the tree of answers`;
  return positions ? `two answers${whose} that are one unit apart` : `two answers${whose} that are ${per} apart`;
}

function groups(attribute) {
  if (!attribute.labels || attribute.labels.length > 3 * FEW) return "";
  const members = new Map();
  blocks(attribute).forEach((block, value) => members.set(block, [...(members.get(block) ?? []), attribute.labels[value]]));
  return `: ${[...members.values()].map((names) => names.map(quoted).join(", ")).join(" or ")}`;
}

function ofBounds(attribute, bounds, name) {
  const label = (value) => quoted(attribute.labels?.[value] ?? value);
  const pairs = bounds.flatMap((row, value) => row.flatMap((bound, other) => (value === other ? [] : [[value, other, bound]])));
  const most = (bound) => (bound === "inf" ? "without limit" : `at most ${said(factor(amount(bound)))}`);
  if (bounds.length <= 4) {
    const each = pairs.map(([value, other, bound]) => `${label(value)} over ${label(other)} ${most(bound)}`);
    return `A code about ${name} raises the odds of one answer over another by a factor: ${each.join("; ")}.`;
  }
  const finite = pairs.filter(([, , bound]) => bound !== "inf");
  const largest = finite.map(([, , bound]) => factor(amount(bound))).reduce(larger, [1n, 1n]);
  const open = pairs.length - finite.length;
  return (
    `A code about ${name} raises the odds of one answer over another by a factor of at most ${upward(largest)}, ` +
    `less for some${open ? `; ${open} of ${pairs.length} pairs are not protected` : ""}.`
  );
}

function ofMissing({ missing }, whose) {
  return missing === undefined ? [] : [`No answer${whose} counts as ${quoted(missing)}.`];
}

/** What the largest factor makes of a suspicion of one in ten. */
function example(verdicts) {
  const ratios = verdicts.map((verdict) => verdict.ratio);
  if (!ratios.every(Boolean)) return [];
  const [a, b] = ratios.reduce(larger);
  // Odds of 1 to 9 times a / b are a to 9 b: 1 in 1 + 9 b / a, cut after two digits.
  const hundredths = 100n + (900n * b) / a;
  const one = `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, "0")}`.replace(/\.?0+$/, "");
  return [`Who thought an answer of yours as likely as 1 in 10 can then think it at most as likely as 1 in ${one}.`];
}

function aboutOthers(plan, verdicts) {
  const names = rests(plan);
  if (plan.epsilon === undefined) {
    return ["A code about one question tells of the others too, to somebody who knows how they depend on each other, by no larger factor."].filter(
      () => verdicts.every((verdict) => verdict.ratio),
    );
  }
  const whole = `Taken together, a code changes the odds between any two sets of all your answers by a factor of at most ${said(factor(amount(plan.epsilon)))}.`;
  const less = names.map((name) => `${quoted(name)} ${said(factor(amount(plan.attributes[name].delta)))}`);
  if (!less.length) return [whole];
  return [
    whole,
    `The plan promises less about some, if answers depend on each other no more than it states: at most ${less.slice(0, FEW).join(", ")}` +
      `${less.length > FEW ? ` and ${less.length - FEW} more` : ""}. Whether they do cannot be checked on this page.`,
  ];
}


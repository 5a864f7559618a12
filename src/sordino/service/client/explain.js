// What a report can reveal, in plain words of any language of the catalogue, before it leaves. Factors and chances are
// rounded up, never down.

import { ENGLISH } from "./catalogue/speech.js";
import { blocks, sensitive } from "./channel/promised.js";
import { amount, ceil, factor, upward } from "./channel/fraction.js";
import { larger } from "./promise/audit.js";
import { weakerReports } from "./promise/conditions.js";
import { rests } from "./promise/promise.js";
import { publicColumns } from "./plan/public.js";
import { askedColumns } from "./series/series.js";
import { about } from "./plan/record.js";

const FEW = 6;

/** The chance that a page's example begins with, in per cent. */
const BEFORE = 10n;

/** Names in one sentence, a few of them. */
function listed(names, speech, type = "conjunction") {
  if (names.length <= FEW) return speech.list(names, type);
  return speech.say("and_more", { names: names.slice(0, FEW).join(", "), count: names.length - FEW });
}

/** An attribute by the words that people know it by, in quotation marks. */
const named = (name, speech) => speech.quoted(speech.attribute(name));

/** A value of an attribute, likewise. */
function valued(name, attribute, value, speech) {
  const own = attribute.labels?.[value] ?? value;
  return speech.quoted(speech.label(name, own) ?? own);
}

/** What a question asks for. */
export function topic(part, speech = ENGLISH) {
  const names = speech.list(about(part).map((name) => named(name, speech)));
  if (part.distribution !== undefined) return speech.say("topic_bins", { name: names });
  if (part.above !== undefined) return speech.say("topic_above", { name: named(part.above, speech), threshold: part.threshold });
  if (part.table) return speech.say("topic_together", { names });
  return part.numbers ? speech.say(`topic_${part.asked}`, { names }) : names;
}

/** A factor in digits; null has no limit. */
function said(ratio, speech) {
  if (!ratio) return speech.say("any_size");
  const [digits, ...power] = upward(ratio).split(" x ");
  return [speech.decimal(digits), ...power].join(" x ");
}

const bounded = ({ epsilon }, speech) => said(factor(amount(epsilon)), speech);

/** What a chance of `BEFORE` per cent can become at most, in whole per cent. */
function afterwards([a, b]) {
  return ceil(100n * BEFORE * a, BEFORE * a + (100n - BEFORE) * b);
}

/** How answers to a question are protected from each other: all alike, or in one of the ways of an attribute. */
function way(attribute) {
  const protect = attribute?.protect;
  return ["metric", "blocks", "sensitive", "bounds"].find((name) => protect?.[name]) ?? "whole";
}

/** The most that a report changes the odds that an example is about; null where nothing limits it. */
function exampleRatio(kind, attribute, { ratio }) {
  if (ratio !== undefined && kind !== "metric") return ratio;
  const { epsilon, bounds, metric } = attribute?.protect ?? {};
  // Of a table's cells the steps have no single length.
  if (metric?.of) return null;
  if (bounds) return bounds.flat().filter((bound) => bound !== "inf").map((bound) => factor(amount(bound))).reduce(larger, [1n, 1n]);
  return epsilon === undefined ? null : factor(amount(epsilon));
}

const LIMITS = { whole: "limit_none", blocks: "limit_group", sensitive: "limit_sensitive", metric: "limit_distance", bounds: "limit_bounds" };
const EXAMPLES = { whole: "example", blocks: "example_group", sensitive: "example_sensitive", metric: "example_distance", bounds: null };

/**
 * Two sentences about what a report can reveal, and what a picture shows of them: a chance before and the largest
 * afterwards, in whole per cent; null where no single number says it.
 */
export function summary({ plan, questions, verdicts }, speech = ENGLISH) {
  const kinds = plan.queries.map((_, place) => way(questions.asked[place].attribute));
  const only = new Set(kinds).size === 1 ? kinds[0] : null;
  const places = plan.queries.map((_, place) => place).filter((place) => only !== null || kinds[place] === "whole");
  const ratio = places.map((place) => exampleRatio(kinds[place], questions.asked[place].attribute, verdicts[place])).reduce(larger, [1n, 1n]);
  const distances = places.map((place) => distance(questions.asked[place].attribute?.protect?.metric, speech));
  const key = only === null ? "example_some" : EXAMPLES[only];
  const isOne = places.length > 0 && ratio !== null && key !== null && new Set(distances).size === 1;
  const limit = speech.say(only === null ? "limit_mixed" : LIMITS[only]);
  if (!isOne) return { sentences: [speech.say("example_differs"), only === "whole" ? speech.say("limit_mixed") : limit], before: null, after: null };
  const [before, after] = [BEFORE, afterwards(ratio)];
  const example = speech.say(key, { before: speech.percent(before), after: speech.percent(after), distance: distances[0] });
  return { sentences: [example, limit], before, after };
}

/**
 * What else a page says above the list, where reports reveal more of whether the person was asked than an answer does: a sentence about
 * those that can show it for certain, and one about all others.
 */
export function aboutAsking({ plan, questions }, speech = ENGLISH) {
  const reports = [...weakerReports(questions)].flatMap(([name, weaker]) => weaker.map((one) => ({ name, ...one })));
  const [certain, bounded] = [reports.filter(({ bound }) => bound === null), reports.filter(({ bound }) => bound !== null)];
  const either = (all, say) => listed([...new Set(all.map(say))], speech, "disjunction");
  const words = (all) => ({ topic: either(all, ({ place }) => topic(plan.queries[place], speech)), name: either(all, ({ name }) => named(name, speech)) });
  const largest = bounded.map(({ bound }) => factor(bound)).reduce(larger, [1n, 1n]);
  const [before, after] = [BEFORE, afterwards(largest)].map((chance) => speech.percent(chance));
  return [
    ...(certain.length ? [speech.say("asked_shown", words(certain))] : []),
    ...(bounded.length ? [speech.say("asked_most", { ...words(bounded), factor: said(largest, speech), before, after })] : []),
  ];
}

/**
 * A sentence that answers stay where they are: of a plan with public columns the one that excepts these, by name.
 * @param {"lead" | "stays"} key
 */
export function unlessInClear(key, plan, speech) {
  const names = askedColumns(plan).map(({ name }) => named(name, speech));
  const except = { lead: "lead_in_clear", stays: "stays_in_clear" };
  return names.length ? speech.say(except[key], { count: names.length, names: speech.list(names) }) : speech.say(key);
}

/**
 * Sentence that a form draws its question first; null where it asks all, or has one question.
 * @param {any} plan
 * @param {import("./catalogue/speech.js").Speech} speech
 */
export const drawnFirst = ({ words, queries }, speech) => (words?.ask === "drawn" && queries.length > 1 ? speech.say("drawn_first", { count: queries.length }) : null);

/**
 * All sentences in the order in which they matter: what leaves, what it can reveal, and what is not promised.
 * @param {import("./index.js").Found} found
 * @param {import("./catalogue/speech.js").Speech} [speech]
 * @returns {string[]}
 */
export function sentences({ plan, questions, verdicts }, speech = ENGLISH) {
  const lines = [unlessInClear("stays", plan, speech), speech.say("one_report", { count: (questions.outputs - 1n).toString(2).length })];
  if (plan.series) lines.push(speech.say("series_once", { count: plan.series.periods }));
  const several = plan.queries.length > 1;
  if (several) lines.push(speech.say("of_several", { count: plan.queries.length }));
  lines.push(...[drawnFirst(plan, speech)].filter(Boolean));
  lines.push(...alike(plan.queries.flatMap((part, place) => revealed(plan, part, verdicts[place], questions.asked[place].attribute, speech)), speech));
  lines.push(...plan.queries.flatMap((part, place) => ofDrawn(part, questions.asked[place], speech)), ...ofConditions(plan, questions, speech));
  if (several || plan.epsilon !== undefined) lines.push(...aboutOthers(plan, verdicts, speech));
  lines.push(speech.say("second"));
  return [...new Set(lines)];
}

/** Of several categories, one of which is drawn, or a set of them and of dummies. */
function ofDrawn({ several, way: asked }, { mechanism }, speech) {
  if (asked === "meeting") return [speech.say("meeting", { name: named(several, speech), count: mechanism.set.size })];
  return asked === "category" ? [speech.say("drawn", { name: named(several, speech) })] : [];
}

/** What is asked only because of earlier answers, and each report that reveals more of that than the answer does. */
function ofConditions(plan, questions, speech) {
  const weaker = weakerReports(questions);
  return Object.entries(plan.attributes).flatMap(([name, own]) => [...ofCondition([name, own], speech), ...ofWeaker(plan, name, weaker.get(name) ?? [], speech)]);
}

/** Those by which one attribute was asked, with equal factors in one sentence. */
function ofWeaker(plan, name, weaker, speech) {
  const topics = new Map();
  for (const { place, bound, level } of weaker) {
    const sentence = bound === null ? ["asked_shown"] : ["asked_odds", said(factor(bound), speech), said(factor(level), speech)];
    const key = JSON.stringify(sentence);
    topics.set(key, { sentence, own: [...(topics.get(key)?.own ?? []), topic(plan.queries[place], speech)] });
  }
  return [...topics.values()].map(({ sentence: [key, most, own], own: all }) =>
    speech.say(key, { topic: speech.list(all, "disjunction"), name: named(name, speech), factor: most, own }),
  );
}

/** What is asked only because of earlier answers. */
function ofCondition([name, { only_if: conditions, not_asked: unasked, number }], speech) {
  if (conditions === undefined) return [];
  const names = listed(Object.keys(conditions).map((other) => named(other, speech)), speech);
  const value = number ? "" : speech.quoted(speech.label(name, unasked) ?? unasked);
  return [speech.say(number ? "asked_number" : "asked_because", { name: named(name, speech), names, value })];
}

/** Sentences that differ in their topic only, said once about all of them. */
function alike(found, speech) {
  const topics = new Map();
  for (const one of found) {
    const { topic: own, ...rest } = one.values;
    const key = JSON.stringify([one.key, rest]);
    topics.set(key, { ...one, topics: [...(topics.get(key)?.topics ?? []), own] });
  }
  return [...topics.values()].map(({ key, values, topics: own }) => speech.say(key, own[0] === undefined ? values : { ...values, topic: listed([...new Set(own)], speech, "disjunction") }));
}

function revealed(plan, part, { ratio }, attribute, speech) {
  const own = topic(part, speech);
  if (!attribute) {
    const things = part.base ? "odds_sets" : part.numbers?.length > 1 ? "odds_sets" : "odds_numbers";
    return [{ key: things, values: { topic: own, factor: said(ratio, speech) } }];
  }
  const attributes = about(part).map((name) => [name, plan.attributes[name]]);
  const missing = attributes.flatMap(([name, each]) => ofMissing(name, each, speech));
  const promise = attribute.protect.metric?.of ? ofDistances(attributes, speech) : ofProtect(part, attribute, own, ratio, speech);
  return [...promise, ...(part.table ? ofCells(attribute.protect, attributes, speech) : []), ...missing];
}

/** What a cell reveals about its attributes. */
function ofCells({ blocks: tiled, sensitive: some, bounds }, attributes, speech) {
  const lines = [{ key: "combination", values: {} }];
  if (tiled) lines.push({ key: "combination_groups", values: {} });
  if (some) {
    const names = attributes.map(([name, own]) => speech.say("values_of", { values: sensitiveNames(name, own, speech), name: named(name, speech) }));
    lines.push({ key: "combination_sensitive", values: { names: names.join(", ") } });
  }
  if (bounds) lines.push({ key: "combination_bounds", values: {} });
  return lines;
}

/** Of a table whose attributes are all protected by distances. */
function ofDistances(attributes, speech) {
  return [...attributes.map(([name, own]) => ofDistance(own, named(name, speech), speech)), { key: "factors_multiply", values: {} }];
}

function ofProtect(part, attribute, own, ratio, speech) {
  const { protect } = attribute;
  const most = ratio ? said(ratio, speech) : protect.epsilon === undefined ? null : bounded(protect, speech);
  switch (way(attribute)) {
    case "metric":
      return [ofDistance(attribute, own, speech)];
    case "blocks":
      return [{ key: "odds_group", values: { topic: own, factor: most } }, ofGroups(part, attribute, speech)];
    case "sensitive": {
      const names = sensitiveNames(part.histogram, attribute, speech);
      return [{ key: "odds_sensitive", values: { topic: own, names, factor: bounded(protect, speech) } }, { key: "shows_others", values: {} }];
    }
    case "bounds":
      return [ofBounds(part, attribute, own, speech)];
    default:
      return [{ key: "odds", values: { topic: own, factor: most } }];
  }
}

const sensitiveNames = (name, attribute, speech) => listed(sensitive(attribute).map((value) => valued(name, attribute, value, speech)), speech);

/** Whether each step of a tree counts as one: where steps have lengths, epsilon is for one unit of them. */
const hasEqualSteps = (metric) => metric?.tree !== undefined && metric.lengths === undefined;

/** How far apart the values are that a metric's epsilon is about. */
function distance(metric, speech) {
  if (metric?.map) return `${speech.decimal(metric.map.per)}\u00a0${metric.map.unit}`;
  if (hasEqualSteps(metric)) return speech.say("distance_one_step");
  return metric?.per === undefined ? speech.say("distance_one") : metric.per;
}

function ofDistance({ protect }, own, speech) {
  const key = protect.metric.map ? "odds_map" : hasEqualSteps(protect.metric) ? "odds_tree" : "odds_line";
  return { key, values: { topic: own, distance: distance(protect.metric, speech), factor: bounded(protect, speech) } };
}

function ofGroups(part, attribute, speech) {
  if (!attribute.labels || part.table || attribute.labels.length > 3 * FEW) return { key: "shows_group", values: {} };
  const members = new Map();
  blocks(attribute).forEach((block, value) => members.set(block, [...(members.get(block) ?? []), valued(part.histogram, attribute, value, speech)]));
  return { key: "shows_group_of", values: { groups: speech.list([...members.values()].map((names) => names.join(", ")), "disjunction") } };
}

function ofBounds(part, attribute, own, speech) {
  const { bounds } = attribute.protect;
  const label = (value) => valued(part.histogram, attribute, value, speech);
  const pairs = bounds.flatMap((row, value) => row.flatMap((bound, other) => (value === other ? [] : [[value, other, bound]])));
  if (bounds.length <= 4) {
    const each = pairs.map(([value, other, bound]) => {
      const [one, another] = [label(value), label(other)];
      return bound === "inf"
        ? speech.say("pair_unbounded", { one, other: another })
        : speech.say("pair_bounded", { one, other: another, factor: said(factor(amount(bound)), speech) });
    });
    return { key: "odds_pairs", values: { topic: own, pairs: each.join("; ") } };
  }
  const finite = pairs.filter(([, , bound]) => bound !== "inf");
  const largest = finite.map(([, , bound]) => factor(amount(bound))).reduce(larger, [1n, 1n]);
  const open = pairs.length - finite.length;
  return { key: open ? "odds_bounds_open" : "odds_bounds", values: { topic: own, factor: said(largest, speech), open, count: pairs.length } };
}

function ofMissing(name, attribute, speech) {
  const { labels, missing } = attribute;
  if (missing === undefined || !labels) return [];
  return [{ key: "missing", values: { name: named(name, speech), value: valued(name, attribute, labels.indexOf(missing), speech) } }];
}

function aboutOthers(plan, verdicts, speech) {
  if (plan.epsilon === undefined) return verdicts.every((verdict) => verdict.ratio) ? [speech.say("related")] : [];
  const whole = speech.say("whole", { factor: said(factor(amount(plan.epsilon)), speech) });
  const less = rests(plan).map((name) => `${named(name, speech)} ${said(factor(amount(plan.attributes[name].delta)), speech)}`);
  return less.length ? [whole, speech.say(publicColumns(plan).length ? "less_in_clear" : "less", { factors: listed(less, speech) })] : [whole];
}

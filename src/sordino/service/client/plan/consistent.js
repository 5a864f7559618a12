// What the parts of a plan must be together, rule by rule: the package refuses whatever breaks one of them.

import { hasPeriods } from "../series/series.js";
import { labelsOf, size } from "../channel/promised.js";
import { amount, atMost } from "../channel/fraction.js";
import { MOST_COMBINATIONS, countCombinations, countItems, withConditions } from "./choices.js";
import { Dependence } from "./dependence.js";
import { LARGEST_DOMAIN, LARGEST_MATRIX } from "./fields.js";
import { isAboutAttributes } from "./questionnaire.js";
import { about, edgesOf } from "./record.js";

/** Values of all questions together at most. */
const MOST_VALUES = 2 ** 24;

const unlike = (found) => new Set(found).size === found.length;
const same = (one, other) => one.length === other.length && one.every((name) => other.includes(name));

const isCounted = ({ number }) => number === undefined;
const isCountable = ({ number }) => number?.edges !== undefined || number === undefined;
const own = ({ attributes }, names) => names.map((name) => attributes[name]);
const categorical = ({ base }) => Object.keys(base ?? {});

/** The attributes that a question about numbers reads as such. */
const numbersOf = (part) => (part.numbers ?? []).filter((name) => !categorical(part).includes(name));

/** The questions of each kind. */
const asked = ({ queries }, word) => queries.filter((part) => Object.hasOwn(part, word));

const isKnown = (plan) => plan.queries.flatMap(about).every((name) => Object.hasOwn(plan.attributes, name));

function isAskedOnce(plan) {
  const tables = asked(plan, "table").map(({ table }) => JSON.stringify([...table].sort()));
  const sides = asked(plan, "above").map(({ above, threshold }) => JSON.stringify([above, threshold]));
  return [sides, asked(plan, "histogram").map((part) => part.histogram), asked(plan, "distribution").map((part) => part.distribution), asked(plan, "several").map((part) => part.several), tables].every(unlike);
}

/** Whether tables in place of histograms are of categories that nothing else asks about. */
function isJoinedAlone(plan) {
  const joined = new Set(asked(plan, "together").flatMap(({ table }) => table));
  const alone = plan.queries.filter((part) => part.together === undefined).flatMap(about);
  return [...joined].every((name) => isCounted(plan.attributes[name])) && !alone.some((name) => joined.has(name));
}

/** Whether questions are about attributes of their kinds. */
function fitsKinds(plan) {
  return plan.queries.every((part) => {
    const hasSeveral = (attribute) => attribute.several !== undefined;
    if (part.several !== undefined) return hasSeveral(plan.attributes[part.several]) && plan.attributes[part.several].protect !== undefined;
    if (own(plan, about(part)).some(hasSeveral)) return false;
    if (part.table) return own(plan, part.table).every(isCountable);
    if (part.histogram !== undefined) return isCounted(plan.attributes[part.histogram]) && plan.attributes[part.histogram].protect !== undefined;
    const numbers = part.numbers ? numbersOf(part) : about(part);
    return numbers.every((name) => !isCounted(plan.attributes[name]));
  });
}

/** Whether categories with a base are features of a regression, and the base one of them. */
function hasBases(plan) {
  const inside = ({ labels, numbers: k }, label) => labels?.includes(label) || (k !== undefined && /^(?:0|[1-9]\d*)$/.test(label) && Number(label) < k);
  return asked(plan, "base").every((part) => {
    const names = categorical(part);
    const features = part.numbers.slice(0, -1);
    return part.asked === "regression" && names.length > 0 && names.every((name) => features.includes(name) && inside(plan.attributes[name], part.base[name]));
  });
}

/** Whether the bins of a distribution go from end to end of its number, and ranges from edge to edge. */
function coversNumber(plan) {
  return asked(plan, "distribution").every((part) => {
    const { low, high } = plan.attributes[part.distribution].number;
    const edges = edgesOf(part, { low, high });
    const ascend = edges.every((edge, i) => i === 0 || edges[i - 1] < edge);
    return ascend && edges[0] === low && edges.at(-1) === high && part.ranges.flat().every((end) => edges.includes(end));
  });
}

/** Whether numbers have the edges of bins where a table asks for them, and only there, from end to end. */
function countsNumbers(plan) {
  const counted = new Set(asked(plan, "table").flatMap(({ table }) => table));
  return Object.entries(plan.attributes).every(([name, { number }]) => {
    if (number?.edges === undefined) return true;
    return counted.has(name) && number.edges[0] === number.low && number.edges.at(-1) === number.high;
  });
}

/** Whether thresholds cut the range of a number that everybody has. */
function cutsNumber(plan) {
  return asked(plan, "above").every(({ above, threshold }) => {
    const { missing, number: { low, high } } = plan.attributes[above];
    return missing === undefined && low < threshold && threshold < high;
  });
}

function isFew(plan) {
  const sizes = plan.queries.map((part) => {
    if (part.distribution !== undefined) return (part.edges?.length ?? part.bins + 1) - 1;
    // Of sets of items none is listed: what is, are the items.
    if (part.several !== undefined) return { category: () => 2, combination: countCombinations, meeting: countItems }[part.way](plan.attributes[part.several]);
    if (part.above !== undefined) return 2;
    const names = part.table ?? (part.histogram === undefined ? [] : [part.histogram]);
    return names.length && own(plan, names).reduce((all, each) => all * size(each), 1);
  });
  return sizes.every((k) => k <= LARGEST_DOMAIN) && sizes.reduce((a, b) => a + b, 0) <= MOST_VALUES;
}

function isAskedOrBounded({ attributes, queries }) {
  const names = new Set([...queries.flatMap(about), ...Object.values(attributes).flatMap(({ only_if: own }) => Object.keys(own ?? {}))]);
  return Object.entries(attributes).every(([name, { delta }]) => names.has(name) || delta !== undefined);
}

/** Whether nothing is promised about an attribute that no question names. */
function protectsAsked({ attributes, queries }) {
  const names = new Set(queries.flatMap(about));
  return Object.entries(attributes).every(([name, { protect }]) => protect === undefined || names.has(name));
}

/** Names that a table, or a reader, takes for one. */
const looks = (column) => column.toLowerCase().normalize("NFC").replace(/\p{Cf}/gu, "").trim().split(/\s+/).join(" ");

function hasOwnColumns({ attributes }) {
  const all = Object.values(attributes).flatMap(({ columns }) => [...new Set(columns.map(looks))]);
  return unlike(all);
}

/** One promise for all: bounds for each attribute and for the whole record, or about the values of each that is counted. */
function promises(plan) {
  const { epsilon, attributes, dependence } = plan;
  const each = Object.values(attributes);
  if (epsilon !== undefined) return each.every(({ delta }) => delta !== undefined);
  return !dependence && each.every(({ delta }) => delta === undefined) && plan.queries.filter(readsNumbers).every((part) => keepsLevels(plan, part));
}

const readsNumbers = (part) => part.numbers !== undefined || part.distribution !== undefined || part.above !== undefined;

/** Whether what a question reads as numbers, or with them, has an epsilon, and no larger one is declared for its channel. */
function keepsLevels(plan, part) {
  const levels = own(plan, about(part)).map(({ protect }) => (protect?.metric === undefined ? protect?.epsilon : undefined));
  return levels.every((level) => level !== undefined && (part.epsilon === undefined || atMost(amount(part.epsilon), amount(level))));
}

/** Whether numbers have a delta or an epsilon of their own, not both. */
const protectsNumbersOnce = ({ epsilon, attributes }) => epsilon === undefined || !Object.values(attributes).some(({ number, protect }) => number && protect);

/** How some values of an attribute are protected less than others. */
const WAYS = ["blocks", "sensitive", "metric", "bounds"];

/** The level of an answer counts for all values of its attribute alike. */
function protectsAsWhole({ epsilon, attributes }) {
  return epsilon === undefined || Object.values(attributes).every(({ protect = {} }) => !WAYS.some((way) => Object.hasOwn(protect, way)));
}

/** Whether no question declares that it tells more than a report may tell of the whole record. */
function declaresWithin({ epsilon, attributes, queries }) {
  const declared = (part) => part.epsilon ?? attributes[part.histogram ?? part.several]?.protect.epsilon ?? "0";
  return epsilon === undefined || queries.every((part) => atMost(amount(declared(part)), amount(epsilon)));
}

/** Whether cells of tables have a promise: each attribute its own, or one for all cells alike. */
function promisesCells(plan) {
  const fits = (part) => (plan.epsilon === undefined ? part.epsilon === undefined && own(plan, part.table).every(({ protect }) => protect) : part.epsilon !== undefined);
  return asked(plan, "table").every(fits);
}

/** Whether what bounds on dependence are about is asked. */
function dependsOnAsked(plan) {
  const { tables = [], category_signs: signs = [], thresholds = [] } = plan.dependence ?? {};
  const pairs = asked(plan, "base").flatMap((part) => categorical(part).flatMap((name, i, names) => names.slice(i + 1).map((other) => [name, other])));
  // A table with a number is of no such bound.
  const counted = asked(plan, "table").map(({ table }) => table).filter((names) => own(plan, names).every(isCounted));
  const known = [...counted, ...pairs];
  const distributions = asked(plan, "distribution").map(({ distribution }) => distribution);
  const together = ({ category, number }) => asked(plan, "base").some((part) => categorical(part).includes(category) && numbersOf(part).includes(number));
  return tables.every(({ table }) => known.some((names) => same(names, table))) && signs.every(together) && thresholds.every(({ number }) => distributions.includes(number));
}

const bounds = (plan) => plan.dependence === undefined || Dependence.isWhole(plan.dependence, Object.keys(plan.attributes));

/** Whether what is promised about each attribute that is asked is about all of its values, and about no others. */
function coversAll(plan) {
  const names = plan.queries.flatMap((part) => part.table ?? (part.histogram === undefined ? categorical(part) : [part.histogram]));
  return names.every((name) => plan.attributes[name].protect === undefined || coversValues(plan.attributes[name]));
}

function coversValues(attribute) {
  const { grid, protect: { bounds: rows, blocks, sensitive, metric } } = attribute;
  const k = size(attribute);
  const one = (list) => list === undefined || list.length === k;
  if (!one(rows) || !one(blocks?.of) || !one(metric?.positions)) return false;
  if ((blocks?.tiles || metric?.map) && !grid) return false;
  if (grid && (metric?.per || metric?.tree)) return false;
  if (sensitive && (sensitive.some((value) => value >= k) || !unlike(sensitive) || sensitive.length >= k)) return false;
  return !metric?.tree || isTreeOf(labelsOf(attribute), metric);
}

/** Whether names stand on one tree, each below one other, that holds all labels; lengths are of names below another. */
function isTreeOf(labels, { tree, lengths = {} }) {
  const listed = Object.values(tree).flat();
  const below = new Set(listed);
  const known = new Set(labels);
  const names = new Set([...Object.keys(tree), ...listed]);
  const reached = [...names].filter((name) => !below.has(name));
  if (reached.length !== 1 || below.size !== listed.length) return false;
  // Each name stands below one other, so that none is reached twice.
  for (const name of reached) for (const under of Object.hasOwn(tree, name) ? tree[name] : []) reached.push(under);
  const ends = [...names].filter((name) => !Object.hasOwn(tree, name) || tree[name].length === 0);
  return (
    reached.length === names.size &&
    labels.every((label) => names.has(label)) &&
    ends.every((name) => known.has(name)) &&
    Object.keys(lengths).every((name) => below.has(name)) &&
    // Where other names are in it, all pairs have a bound of their own.
    (names.size === labels.length || labels.length <= LARGEST_MATRIX)
  );
}

/** What columns and fields of reports are called that are no public values. */
const OWN_NAMES = ["plan", "code", "id", "question"];

/** Whether what is sent in clear is no attribute, reads no column of one, and each has a name and a column of its own. */
function sendsNothingProtected({ attributes, public: sent = [] }) {
  const names = [...Object.keys(attributes).map(looks), ...OWN_NAMES, "", ...sent.map(({ name }) => looks(name))];
  const columns = [...Object.values(attributes).flatMap((one) => [...new Set(one.columns.map(looks))]), ...sent.map((one) => looks(one.columns[0]))];
  return sent.every(({ name, columns: [column] }) => {
    const once = (all, found) => all.filter((one) => one === looks(found)).length === 1;
    return once(names, name) && once(columns, column);
  });
}

/** Whether combinations that are values of a channel are few. */
const combinesFew = (plan) =>
  asked(plan, "several").every(({ several, way }) => way !== "combination" || countCombinations(plan.attributes[several]) <= MOST_COMBINATIONS);

/** Whether conditions are about categories of other attributes, and lead nowhere back. */
function decidesBefore({ attributes }) {
  return Object.entries(attributes).every(([name, { only_if: conditions = {} }]) => {
    const known = ([other, labels]) => {
      const found = Object.hasOwn(attributes, other) ? attributes[other] : {};
      return found.labels !== undefined && found.several === undefined && labels.every((label) => found.labels.includes(label));
    };
    return Object.entries(conditions).every(known) && !withConditions(Object.keys(conditions), attributes).includes(name);
  });
}

/** All attributes that a bound below 1 is about. */
function boundedNames({ rest, statistics, tables = [], category_signs: signs = [], thresholds = [] }) {
  const below = Object.keys(rest).filter((name) => rest[name] !== "1");
  const named = [...statistics, ...tables, ...signs, ...thresholds];
  return [...below, ...named.flatMap(({ attribute, statistic = [], table = [], category = [], number = [] }) => [attribute, statistic, table, category, number].flat())];
}

/** Whether what tells for certain of another attribute is protected as well as that, and nothing bounds what it tells. */
function protectsDeciding({ attributes, dependence }) {
  const related = Object.entries(attributes).flatMap(([name, { only_if: own }]) => (own ? [name, ...Object.keys(own)] : []));
  if (dependence && boundedNames(dependence).some((name) => related.includes(name))) return false;
  return Object.entries(attributes).every(([name, { protect }]) =>
    // Also what decides whether that is asked, which may have no promise of its own: nobody asks about it.
    withConditions([name], attributes).every((other) => {
      const deciding = attributes[other].protect;
      if (!protect || !deciding || other === name) return true;
      return !deciding.metric && !deciding.bounds && atMost(amount(protect.epsilon), amount(deciding.epsilon));
    }),
  );
}

/** Each rule, and whether a plan whose fields are right keeps it: later ones may rest on earlier ones. */
/** @type {[string, (plan: any) => boolean][]} */
export const RULES = [
  ["a question must be about the plan's attributes", isKnown],
  ["a histogram, a distribution, a threshold and a table must be asked once", isAskedOnce],
  ["what is asked together in place of histograms must be of categories that nothing else asks about", isJoinedAlone],
  ["a histogram must be of protected values, a table of categories or numbers in bins, everything else of numbers", fitsKinds],
  ["what is asked only because of earlier answers must depend on categories of other attributes, and not on itself", decidesBefore],
  ["what tells for certain of another attribute must be protected as well, and nothing may bound what it tells", protectsDeciding],
  [`at most ${MOST_COMBINATIONS} combinations may be values of one channel`, combinesFew],
  ["categories must be features of a regression, each with a base that is one of them", hasBases],
  ["the bins of a distribution must cover its number, and its ranges begin and end at their edges", coversNumber],
  ["edges of a number must cover it, and a table must ask for it", countsNumbers],
  ["a threshold must lie within the range of a number that everybody has", cutsNumber],
  [`attributes and tables must have at most ${LARGEST_DOMAIN} values, all questions together ${MOST_VALUES}`, isFew],
  ["each attribute must be asked for, or have a delta", isAskedOrBounded],
  ["what is promised about an attribute must be about one that is asked", protectsAsked],
  ["each attribute must read a different column", hasOwnColumns],
  ["a public column must be no attribute, and read no column of one", sendsNothingProtected],
  ["a plan with an epsilon must have a delta for each attribute, and one without must have an epsilon for each number, at least what its questions declare", promises],
  ["a number must have a delta or an epsilon of its own, not both", protectsNumbersOnce],
  ["attributes with deltas must be protected as a whole", protectsAsWhole],
  ["no question may declare a larger epsilon than the plan", declaresWithin],
  ["a table must have an epsilon where attributes have deltas, and else be of protected values", promisesCells],
  ["a bound on dependence must be about a table, a category with a number or a distribution that is asked", dependsOnAsked],
  ["a plan's dependence must be about its attributes, one bound for each, and leave what is about one alone at 1", bounds],
  ["a promise must be about each value of its attribute, and about no others", coversAll],
  ["the last public column of a plan with a series must be the first days of its periods", hasPeriods],
  ["words must be about the plan's attributes and public columns, each attribute in one section", isAboutAttributes],
];

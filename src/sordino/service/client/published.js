// What a collector publishes, for whoever checks a plan: the estimates that this page works out of the tally, beside the
// collector's own.

import { element } from "./dom.js";
import { estimates, readTally } from "./estimate/estimates.js";
import { topic } from "./explain.js";
import { joinNames } from "./plan/cells.js";

/** Rows of a question that are shown at most: the largest. */
const SHOWN = 12;

/** How far the same sums may be off, by the order of additions, in standard errors. */
const SAME = 1e-6;

/** Standard errors between the limits of a normal interval of 95 %. */
const WIDTH = 3.919927969;

/** What a collector makes of a distribution's bins, by its rows' values: this page compares the bins themselves. */
const MADE_OF_BINS = ["mean", "standard deviation"];

class UntoldError extends Error {}

/** The text of what a collector publishes. */
async function fetched(name) {
  const answer = await fetch(name, { credentials: "omit", redirect: "error", cache: "no-store" }).catch(() => null);
  if (!answer) throw new UntoldError("The collector could not be reached.");
  if (answer.ok) return answer.text();
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 401) throw new UntoldError("Only the analyst can see this tally, and can compute the estimates again with sordino estimate.");
  throw new UntoldError(`There is no tally yet: ${told.detail ?? `the collector answered with status ${answer.status}`}.`);
}

/** What the results of a question are called in the collector's rows. */
function isAbout(part, { attribute, attributes }) {
  if (part.table) return attributes?.join("\n") === part.table.join("\n");
  if (part.numbers) return attribute === nameOf(part);
  if (part.above !== undefined) return attribute === `${part.above} from ${part.threshold}`;
  return attribute === (part.histogram ?? part.distribution ?? part.several);
}

function nameOf({ asked, numbers }) {
  if (asked !== "regression") return `${asked} of ${joinNames(numbers)}`;
  return `regression of ${numbers.at(-1)} on ${joinNames(numbers.slice(0, -1))}`;
}

/** The collector's rows of each question, in their order. */
function rowsOf(queries, rows) {
  let at = 0;
  return queries.map((part, place) => {
    const first = at;
    while (at < rows.length && isAbout(part, rows[at]) && !(at > first && isNext(queries[place + 1], part, rows, first, at))) at += 1;
    return rows.slice(first, at);
  });
}

/** The rows of a question that this page works out too. */
const comparable = ({ distribution }, rows) => (distribution === undefined ? rows : rows.filter(({ value }) => !MADE_OF_BINS.includes(value)));

/** Whether a row begins another question of the same name. */
const isNext = (next, part, rows, first, at) => next !== undefined && isAbout(next, rows[at]) && rows[at].value === rows[first].value;

/** The part of the page about what is published. */
export async function published({ plan, questions }) {
  const card = (...within) => element("section", { class: "card", id: "published" }, element("h2", {}, "Estimates from the published tally"), ...within);
  try {
    const tally = readTally(await fetched("aggregate"));
    // Every period of a series is worked out for whoever asks for it, and nothing here compares it.
    const told = JSON.parse(await fetched(plan.series ? "estimates?series=false" : "estimates"));
    const found = estimates(questions, tally);
    const theirs = rowsOf(plan.queries, told.rows).map((rows, i) => comparable(plan.queries[i], rows));
    const apart = found.filter((one, i) => one.rows && !isTold(one, theirs[i], hasMap(questions.asked[i])));
    const alike = apart.length
      ? "The collector's estimates differ. If reports arrived in between, reload the page; otherwise something is wrong."
      : found.some(({ rows }) => rows) ? "The collector's estimates are the same." : "";
    return card(
      element("p", {}, `Computed on this page from ${told.n} reports and the plan's integers: unbiased estimates with one standard error. ${alike}`),
      ...found.flatMap((one, i) => [element("h3", {}, heading(plan.queries[i], one)), shown(one, theirs[i], hasMap(questions.asked[i]))]),
    );
  } catch (error) {
    return card(element("p", {}, error instanceof TypeError || error instanceof SyntaxError ? "The collector's publication cannot be read." : error.message));
  }
}

const heading = (part, { n }) => `${topic(part)[0].toUpperCase()}${topic(part).slice(1)}${n === undefined ? "" : `, ${n} reports`}`;

/** Names of a map's cells are rounded, and not alike everywhere; bins of a table's numbers may be dates. */
const hasMap = ({ attribute, attributes = [attribute] }) => attributes.some((own) => own?.grid || (attribute && own?.number));

/** What a row of the collector's is called; of a table it has a value of each attribute. */
const labelIn = ({ value }) => (Array.isArray(value) ? joinNames(value) : value);

/** Whether a row of the collector's says the same, of the same: by what it is called, where that is a name. */
function isSame(row, other, unnamed) {
  if (other === undefined) return false;
  const names = unnamed || other.value === undefined || labelIn(other) === row.label;
  const off = SAME * (row.stderr + Math.abs(row.estimate));
  // Of few reports a collector's standard error is what its interval says, where that is more.
  const errors = [row.stderr, Math.max(row.stderr, (other.high - other.low) / WIDTH)];
  return names && Math.abs(row.estimate - other.estimate) <= off && errors.some((error) => Math.abs(error - other.stderr) <= SAME * (error + 1e-12));
}

/** Whether a quantile of the collector's lies within its interval, and that holds the least that reports leave open. */
function isAround({ label, low, high }, other) {
  if (other === undefined || label !== `quantile ${other.quantile}`) return false;
  return other.low <= low && high <= other.high && other.low <= other.estimate && other.estimate <= other.high;
}

function isTold({ rows, quantiles = [] }, theirs, unnamed) {
  if (theirs.length !== rows.length + quantiles.length) return false;
  return rows.every((row, x) => isSame(row, theirs[x], unnamed)) && quantiles.every((one, x) => isAround(one, theirs[rows.length + x]));
}

function shown({ rows, why, unsaid = [], quantiles = [] }, theirs, unnamed) {
  if (!rows) return element("p", {}, `Not computed: ${why}.`);
  const order = rows.map((_, x) => x);
  if (rows.length > SHOWN) order.sort((a, b) => rows[b].estimate - rows[a].estimate);
  const cell = (row) => (row ? written(row) : "none");
  const lines = order.slice(0, SHOWN).map((x) => [rows[x].label, written(rows[x]), isSame(rows[x], theirs[x], unnamed) ? "the same" : cell(theirs[x])]);
  const within = quantiles.map((one, x) => [one.label, `from ${short(one.low)} to ${short(one.high)}`, around(theirs[rows.length + x])]);
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...["Answer", "Computed here", "The collector's"].map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...[...lines, ...within].map(([label, ...rest]) => element("tr", {}, element("th", { scope: "row" }, label), ...rest.map((text) => element("td", {}, text))))),
  );
  const hints = rows.length > SHOWN ? [`The ${SHOWN} largest of ${rows.length}; all were compared.`] : [];
  if (quantiles.length) hints.push("The interval of a quantile covers at least this range, from each bin edge by itself. Its place within the range comes from a fitted curve, which this page does not compute.");
  if (unsaid.length) hints.push(`Not computed: ${unsaid.join("; ")}.`);
  return element("div", {}, table, ...hints.map((hint) => element("p", { class: "hint" }, hint)));
}

const short = (number) => String(Number(number.toPrecision(6)));

/** A quantile of the collector's, with its interval. */
const around = (row) => (row ? `${short(row.estimate)}, from ${short(row.low)} to ${short(row.high)}` : "none");

/** An estimate with two digits of its standard error. */
function written({ estimate, stderr }) {
  if (!(stderr > 0)) return short(estimate);
  const places = Math.min(Math.max(1 - Math.floor(Math.log10(stderr)), 0), 12);
  return `${estimate.toFixed(places)} ±\u00a0${stderr.toFixed(places)}`;
}

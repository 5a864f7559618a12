// The words of a plan: what people read when they are asked. Whether they are as docs/plan-format.md says, and what is read
// of them in a language.

import { askedColumns } from "../series/series.js";
import { anyOf, both, named, settings, tableOf, text, unlike } from "./shapes.js";

const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Of a slider. */
const MOST_STEPS = 10_000;

/** The first and the last date of four digits, in days since 1970-01-01. */
const [FIRST_DAY, LAST_DAY] = [-719_162, 2_932_896];

/** What stands among the labels of a number that may be missing. */
export const MISSING = "missing";

const isFilled = (found) => Object.keys(found).length > 0;

/** A text in all languages, or one in each. */
const WORDS = anyOf(named, both(tableOf(named), isFilled));

function isDay(found) {
  const [, year, month, day] = (text(found) && DAY.exec(found)) || [];
  if (year === undefined || year === "0000") return false;
  const date = new Date(`${found}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

const ABOUT = ["title", "by", "purpose", "contact", "reports", "consent"];

function* texts({ sections, attributes, ...about }) {
  for (const name of ABOUT) yield about[name];
  for (const section of sections) yield* [section.title, section.text];
  for (const own of Object.values(attributes)) yield* [own.text, own.help, own.unit, ...Object.values(own.labels ?? {})];
}

/** Whether each text that is by language has each language of the survey, and no other. */
function isInEach(found) {
  const whole = (words) => Object.keys(words).length === found.languages.length && found.languages.every((language) => Object.hasOwn(words, language));
  return [...texts(found)].every((words) => words === undefined || text(words) || whole(words));
}

/** What must hold of the words of a plan by themselves, beside their fields. */
export const WORDS_OF_PLAN = {
  SurveySectionPart: [settings({ title: WORDS, text: WORDS })],
  WordingPart: [
    settings({ text: WORDS, help: WORDS, labels: tableOf(WORDS), unit: WORDS }),
    ({ input, step }) => (input === "slider") === (step !== undefined),
  ],
  QuestionnairePart: [
    settings({
      languages: both((found) => found.every((language) => LANGUAGE.test(language)), unlike),
      ...Object.fromEntries(ABOUT.map((name) => [name, WORDS])),
      until: isDay,
    }),
    isInEach,
  ],
};

const order = ({ sections }) => sections.flatMap(({ attributes }) => attributes);

/** Whether what has a label is a value of the attribute, that none of several applies, or that its number is missing. */
function isLabelled({ labels, numbers, number, missing, none }, label) {
  if (labels) return labels.includes(label) || label === none;
  if (numbers !== undefined) return /^(0|[1-9]\d*)$/.test(label) && Number(label) < numbers;
  return number !== undefined && missing !== undefined && label === MISSING;
}

function isStep(step, { low, high }) {
  const steps = (high - low) / step;
  return step > 0 && 1 <= steps && steps <= MOST_STEPS && Math.abs(steps - Math.round(steps)) <= 1e-6;
}

const areDays = ({ low, high }) => Number.isInteger(low) && Number.isInteger(high) && FIRST_DAY <= low && high <= LAST_DAY;

function fits(attribute, { labels = {}, unit, input, step }) {
  const { number } = attribute;
  if (!Object.keys(labels).every((label) => isLabelled(attribute, label))) return false;
  if (number === undefined) return unit === undefined && input === undefined;
  return (step === undefined || isStep(step, number)) && (input !== "date" || areDays(number));
}

/** Whether the words of a plan, if it has some, are about its attributes, each of which stands in one section, and about its
 * public columns, each in one at most. */
export function isAboutAttributes(plan) {
  const { attributes, words } = plan;
  if (words === undefined) return true;
  const columns = askedColumns(plan);
  const names = order(words);
  const asked = new Map(Object.entries(attributes));
  for (const column of columns) asked.set(column.name, column);
  return (
    unlike(names) &&
    names.every((name) => asked.has(name)) &&
    Object.keys(attributes).every((name) => names.includes(name)) &&
    Object.entries(words.attributes).every(([name, wording]) => asked.has(name) && fits(asked.get(name), wording))
  );
}

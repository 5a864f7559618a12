// The series of a plan: its periods with their days, of which a person answers in one, and whether they are its last public
// column. Days are texts as 2026-01-05, of UTC, which stand in the order of time.

import { below } from "../channel/words.js";
import { fields, listOf, settings, text, whole } from "../plan/shapes.js";

const DAY = 86_400_000;
const DAYS = { day: 1, week: 7 };
const MONTHS = { month: 1, quarter: 3, year: 12 };
const MOST_PERIODS = 1000;
/** Of every month. */
const LAST_SHARED_DAY = 28;

/** The public column of periods. */
export const PERIOD = "period";

/** A day, by its year, its month from 0 and beyond 11, and its day of the month and beyond. */
function dayOf(year, month, day) {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date;
}

const written = (date) => date.toISOString().slice(0, 10);

/** Year, month from 0, and day of a text. */
function parts(day) {
  const [year, month, own] = day.split("-").map(Number);
  return [year, month - 1, own];
}

function isDay(found) {
  return text(found) && /^(?!0000)\d{4}-\d\d-\d\d$/.test(found) && written(dayOf(...parts(found))) === found;
}

/** The first day so many periods after the start. */
function dayAfter({ every, start }, periods) {
  const [year, month, day] = parts(start);
  return Object.hasOwn(DAYS, every) ? dayOf(year, month, day + periods * DAYS[every]) : dayOf(year, month + periods * MONTHS[every], day);
}

/** Whether the fields of a series are possible, each by itself. */
export const isSeries = settings({
  periods: whole(2, MOST_PERIODS),
  every: (found) => Object.hasOwn(DAYS, found) || Object.hasOwn(MONTHS, found),
  start: isDay,
  season: whole(2),
});

/** The first day of each period, and of what comes after the last. */
export const firstDays = (series) => Array.from({ length: series.periods + 1 }, (_, i) => written(dayAfter(series, i)));

/**
 * Whether a plan's series, if it has one, is possible, and its last public column has its periods and nothing else.
 * @param {{series?: any, public?: any[]}} plan
 */
export function hasPeriods({ series, public: columns = [] }) {
  if (series === undefined) return true;
  const { periods, every, start, season = 2 } = series;
  // A year of five digits is written with a sign before it.
  if (dayAfter(series, periods).getUTCFullYear() > 9999) return false;
  if (Object.hasOwn(MONTHS, every) && parts(start)[2] > LAST_SHARED_DAY) return false;
  if (series.season !== undefined && 2 * season > periods) return false;
  const labels = firstDays(series).slice(0, -1);
  const own = { name: (found) => found === PERIOD, columns: listOf((found) => found === PERIOD), labels: listOf(text) };
  const last = columns.at(-1);
  return fields(own)(last) && last.labels.length === periods && labels.every((label, i) => last.labels[i] === label);
}

/**
 * The public columns that people are asked for: not their period.
 * @param {{series?: any, public?: any[]}} plan
 */
export const askedColumns = ({ series, public: columns = [] }) => (series === undefined ? columns : columns.slice(0, -1));

/** The period of one person by fresh words, from 0: each with the same probability. */
export const drawPeriod = ({ periods }, random) => Number(below(BigInt(periods), random));

/** The day of this device's clock, as a text. */
export const today = (now = Date.now()) => written(new Date(Math.floor(now / DAY) * DAY));

/** Whether a period is still to come, has begun, or is over, on a day. */
export function when(series, period, day) {
  const days = firstDays(series);
  if (day < days[period]) return "later";
  return day < days[period + 1] ? "now" : "over";
}

/** The last day of a period. */
export function lastDay(series, period) {
  return written(new Date(dayAfter(series, period + 1).getTime() - DAY));
}

/** A day in days since 1970-01-01. */
export const daysSince = (day) => dayOf(...parts(day)).getTime() / DAY;

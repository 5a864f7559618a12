// The public columns of a plan: what every report says in clear, beside its code, as the number of a cell.

import { value } from "./record.js";

/** The public columns, in their order. */
/** @type {(plan: {public?: any[]}) => any[]} */
export const publicColumns = ({ public: columns = [] }) => columns;

/** How many cells there are. */
const cellCount = (plan) => publicColumns(plan).reduce((all, { labels }) => all * BigInt(labels.length), 1n);

/** Cells at most, and what they have with codes together. */
const [MOST_CELLS, MOST_NUMBERS] = [2n ** 32n, 2n ** 64n - 1n];

/** Whether a cell and a code of so many fit into a report's number. */
export function fitsBeside(plan, outputs) {
  const cells = cellCount(plan);
  return publicColumns(plan).length === 0 || (cells <= MOST_CELLS && cells * outputs <= MOST_NUMBERS);
}

/** Bytes of a cell in a packed upload; none without public columns. */
export function cellBytes(plan) {
  const last = cellCount(plan) - 1n;
  return last === 0n ? 0 : Math.ceil(last.toString(2).length / 8);
}

/** The cell of a record: the places of its public values, the last column counting fastest; throws AnswerError. */
export function publicCell(plan, record) {
  const own = (name) => (Object.hasOwn(record, name) ? record[name] : undefined);
  return publicColumns(plan).reduce(
    (cell, column) => cell * BigInt(column.labels.length) + BigInt(value(column.name, column, own(column.name))),
    0n,
  );
}

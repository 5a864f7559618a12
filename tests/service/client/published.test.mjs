// What a page says of a tally and of the collector's estimates: the same, or not, and of which answer.

import assert from "node:assert/strict";
import test from "node:test";

import { changed } from "./golden.mjs";
import { all } from "./paper.mjs";
import { estimates, inspect } from "../../../src/sordino/service/client/index.js";
import { joinNames } from "../../../src/sordino/service/client/plan/cells.js";
import { published } from "../../../src/sordino/service/client/published.js";

/** A plan, its tally, and the rows of a collector that tells what the page works out. */
async function collected(name, counts, change = () => {}) {
  const found = await inspect(changed(name, change));
  const tally = { format: "sordino aggregate", version: 1, plan: found.plan.hash, counts };
  const rows = estimates(found.questions, tally).flatMap(({ rows, quantiles = [] }, i) => {
    const { histogram, distribution } = found.plan.queries[i];
    const own = { attribute: histogram ?? distribution };
    const around = quantiles.map(({ label, low, high }) => ({ ...own, quantile: label.split(" ")[1], low, high, estimate: (low + high) / 2 }));
    return [...rows.map(({ label, estimate, stderr }) => ({ ...own, value: label, estimate, stderr })), ...around];
  });
  return { found, tally, rows };
}

/** What the page shows where a collector answers so, and what it was asked for. */
async function shown(t, { found, tally, rows }, status = 200) {
  const asked = [];
  t.mock.method(globalThis, "fetch", async (name, options) => {
    asked.push([name, options.credentials, options.redirect, options.cache]);
    return new Response(JSON.stringify(name === "aggregate" ? tally : { n: 1, rows }), { status });
  });
  const card = await published(found);
  return { said: card.textContent, cells: all(card, "td").map((cell) => cell.textContent), names: all(card, "th").map((cell) => cell.textContent), asked };
}

const verdict = ({ said }) => [/The collector's estimates are the same\./.test(said), /The collector's estimates differ/.test(said)];

test("a collector that tells the same is told to, one that differs in any row is not", async (t) => {
  const right = await collected("randomized_two.json", [600, 400]);
  const first = await shown(t, right);
  assert.deepEqual(verdict(first), [true, false]);
  assert.equal(first.cells.filter((text) => text === "the same").length, 2);
  for (const name of ["aggregate", "estimates"]) assert.ok(first.asked.some((one) => one.join() === `${name},omit,error,no-store`));
  const [row, other] = right.rows;
  const apart = [
    [{ ...row, estimate: row.estimate + row.stderr / 1000 }, other],
    [row, { ...other, estimate: other.estimate - other.stderr / 1000 }],
    [{ ...row, stderr: row.stderr * 1.001 }, other],
    [{ ...row, stderr: row.stderr / 1.001 }, other],
    [{ ...row, value: other.value }, { ...other, value: row.value }],
    [row],
    [row, other, { ...other, value: "another" }],
    [{ ...row, attribute: "another" }, other],
    [],
  ];
  for (const rows of apart) assert.deepEqual(verdict(await shown(t, { ...right, rows })), [false, true], JSON.stringify(rows));
  // Sums in another order.
  const near = [{ ...row, estimate: row.estimate * (1 + 1e-14) }, other];
  assert.deepEqual(verdict(await shown(t, { ...right, rows: near })), [true, false]);
  // Of few reports a standard error is what the interval says, where that is more, and nothing else.
  const wide = { ...row, low: 0, high: 0.8, stderr: 0.8 / 3.919927969 };
  assert.deepEqual(verdict(await shown(t, { ...right, rows: [wide, other] })), [true, false]);
  for (const stderr of [wide.stderr * 1.001, wide.stderr / 1.001]) {
    assert.deepEqual(verdict(await shown(t, { ...right, rows: [{ ...wide, stderr }, other] })), [false, true]);
  }
});

test("a quantile is the same where its interval holds what reports leave open", async (t) => {
  const counts = Array.from({ length: 49 }, (_, code) => 1000 + 40 * code * (49 - code));
  const right = await collected("distribution.json", counts, ({ queries: [part] }) => (part.quantiles = ["0.5"]));
  assert.deepEqual(verdict(await shown(t, right)), [true, false]);
  const own = right.rows.at(-1);
  const wide = { ...own, low: own.low - 0.1, high: own.high + 0.1 };
  assert.deepEqual(verdict(await shown(t, { ...right, rows: [...right.rows.slice(0, -1), wide] })), [true, false]);
  for (const other of [{ low: own.low + 0.01 }, { high: own.high - 0.01 }, { estimate: own.high + 0.01 }, { estimate: own.low - 0.01 }, { quantile: "0.25" }]) {
    const rows = [...right.rows.slice(0, -1), { ...own, ...other }];
    assert.deepEqual(verdict(await shown(t, { ...right, rows })), [false, true], JSON.stringify(other));
  }
  assert.deepEqual(verdict(await shown(t, { ...right, rows: right.rows.slice(0, -1) })), [false, true]);
});

test("of many answers the largest are shown, and all are compared", async (t) => {
  const counts = Array.from({ length: 40 }, (_, code) => 100 + ((code * 7) % 40));
  const right = await collected("projective.json", counts);
  const many = right.rows.length;
  assert.ok(many > 12);
  const least = right.rows.reduce((a, b) => (a.estimate < b.estimate ? a : b));
  const rows = right.rows.map((row) => (row === least ? { ...row, estimate: row.estimate - row.stderr } : row));
  const { said, cells, names } = await shown(t, { ...right, rows });
  assert.deepEqual(verdict({ said }), [false, true]);
  assert.equal(cells.filter((text) => text === "the same").length, 12);
  const largest = [...right.rows].sort((a, b) => b.estimate - a.estimate).slice(0, 12);
  assert.deepEqual(names.slice(3), largest.map(({ value }) => value));
  assert.match(said, new RegExp(`The 12 largest of ${many}; all were compared`));
});

test("what is not published is said, and nothing is worked out of another plan's tally", async (t) => {
  const right = await collected("randomized_two.json", [600, 400]);
  assert.match((await shown(t, right, 401)).said, /Only the analyst can see this tally/);
  assert.match((await shown(t, { ...right, tally: { detail: "too few" } }, 404)).said, /There is no tally yet: too few\./);
  assert.match((await shown(t, { ...right, tally: { ...right.tally, plan: "sha256:0" } })).said, /The tally belongs to a different plan/);
  const nothing = right.rows.map((row) => ({ ...row, estimate: null }));
  for (const rows of [undefined, null, 7, nothing]) assert.match((await shown(t, { ...right, rows })).said, /cannot be read/);
  t.mock.method(globalThis, "fetch", async () => { throw new TypeError("offline"); });
  assert.match((await published(right.found)).textContent, /could not be reached/);
});

test("names of several parts are joined as the package joins them", () => {
  const names = [
    [["old", "yes"], "old, yes"],
    [["25.5,-130", "1,000"], "25.5,-130, 1,000"],
    [["x, y", "z"], '"x, y", z'],
    [["x", "y, z"], 'x, "y, z"'],
    [['5" or more', "z"], '"5"" or more", z'],
    [[" x", "z ", ""], '" x", "z ", ""'],
  ];
  for (const [parts, name] of names) assert.equal(joinNames(parts), name);
});

// What reports reveal of whether somebody was asked, beside what a report about the answer itself does.

import assert from "node:assert/strict";
import test from "node:test";

import { read, sealed } from "./golden.mjs";
import { factor, upward } from "../../../src/sordino/service/client/channel/fraction.js";
import { aboutAsking } from "../../../src/sordino/service/client/explain.js";
import { inspect, sentences } from "../../../src/sordino/service/client/index.js";
import { largestBound, cells } from "../../../src/sordino/service/client/plan/cells.js";
import { weakerReports } from "../../../src/sordino/service/client/promise/conditions.js";

const UNASKED = "not asked";
const HALF = String(2n ** 62n);
const d = (protect) => ({ columns: ["d"], labels: ["a", "b", "c"], protect });
const because = (name, only_if, epsilon) => ({ columns: [name], labels: ["x", UNASKED], not_asked: UNASKED, only_if, protect: { epsilon } });

/** A plan of histograms and tables, whatever their channels keep. */
async function plan(attributes, asked) {
  const { format, version, people } = JSON.parse(read("randomized.json").plan);
  const k = (names) => names.reduce((all, name) => all * attributes[name].labels.length, 1);
  const queries = asked.map((names) => ({
    ...(names.length > 1 ? { table: names } : { histogram: names[0] }),
    weight: 1,
    subtract_totals: false,
    mechanism: { name: "randomized", k: k(names), threshold: HALF },
  }));
  // Nothing is promised about what no question names.
  const promised = ([name, { protect, ...rest }]) => [name, asked.flat().includes(name) ? { ...rest, protect } : rest];
  return inspect(sealed({ format, version, people, attributes: Object.fromEntries(Object.entries(attributes).map(promised)), queries }));
}

/** Of whose asking, by which question, and the factor, null of a report that can show it. */
const told = ({ questions }) => [...weakerReports(questions)].flatMap(([name, own]) => own.map(({ place, bound }) => [name, place, bound && upward(factor(bound))]));

test("reports about what decides, and about what else it decides, may reveal more of who was asked", async () => {
  const p = because("p", { d: ["a"] }, "1/4");
  const of = async (protect, asked = [["p"], ["d"]], more = {}) => told(await plan({ d: d(protect), p, ...more }, asked));
  assert.deepEqual(await of({ epsilon: "1/4" }), []);
  assert.deepEqual(await of({ epsilon: "2" }), [["p", 1, "7.39"]]);
  assert.deepEqual(await of({ epsilon: "2" }, [["p"]]), []);
  assert.deepEqual(await of({ epsilon: "1/4", blocks: { of: [0, 0, 1] } }), [["p", 1, null]]);
  assert.deepEqual(await of({ epsilon: "1/4", blocks: { of: [0, 0, 0] } }), []);
  assert.deepEqual(await of({ epsilon: "1/4", sensitive: [0] }), [["p", 1, null]]);
  const q = because("q", { d: ["b"] }, "1");
  assert.deepEqual(await of({ epsilon: "2" }, [["p"], ["q"]], { q }), [["p", 1, "2.72"]]);
  const s = because("s", { d: ["c"] }, "1/2");
  assert.deepEqual(await of({ epsilon: "1" }, [["p"], ["q"], ["s"]], { q, s }), [["p", 1, "2.72"], ["p", 2, "1.65"], ["s", 1, "2.72"]]);
  const r = because("r", { p: ["x"] }, "1/8");
  assert.deepEqual(await of({ epsilon: "1" }, [["p"], ["r"], ["d"]], { r }), [["p", 2, "2.72"], ["r", 0, "1.29"], ["r", 2, "2.72"]]);
});

test("of a table two cells count that differ in what says something of it", () => {
  const free = { labels: ["u", "v"], protect: { epsilon: "1/8", metric: { positions: ["0", "1"] } } };
  const own = [d({ epsilon: "2" }), free];
  const texts = (whole, attributes) => [[0], [1], [0, 1]].map((places) => {
    const bound = largestBound(whole, attributes, places);
    return bound && upward(factor(bound));
  });
  assert.deepEqual(texts(cells(own), own), ["7.39", "1.14", "7.39"]);
  const blocks = [d({ epsilon: "1", blocks: { of: [0, 0, 1] } }), { labels: ["u", "v"], protect: { epsilon: "2" } }];
  assert.deepEqual(texts(cells(blocks), blocks), [null, "2.72", null]);
  assert.deepEqual([[0], [1]].map((places) => largestBound(cells(blocks, "1"), blocks, places)), Array(2).fill({ rational: [1n, 1n], ratio: [1n, 1n] }));
  const open = [{ labels: ["a", "b"], protect: { bounds: [["0", "inf"], ["1", "0"]] } }, { labels: ["u", "v"], protect: { epsilon: "2" } }];
  assert.deepEqual(texts(cells(open), open), [null, "7.39", null]);
});

test("the card says it together, the list report by report, and neither without a reason", async () => {
  const p = because("p", { d: ["a"] }, "1/4");
  const one = await plan({ d: d({ epsilon: "2" }), p }, [["p"], ["d"]]);
  assert.deepEqual(aboutAsking(one), ["A report about “d” changes the odds of whether you were asked “p” by a factor of up to 7.39: someone who gave that a 10% chance could afterwards give it at most 46%."]);
  const own = "A report about “d” changes the odds of whether you were asked “p” by a factor of up to 7.39, which is more than a report about “p” itself does: 1.29.";
  assert.ok(sentences(one).includes(own));
  const shown = await plan({ d: d({ epsilon: "1/4", blocks: { of: [0, 0, 1] } }), p, q: because("q", { d: ["b"] }, "1/4") }, [["p"], ["d"], ["q"]]);
  assert.deepEqual(aboutAsking(shown), ["A report about “d” can show for certain whether you were asked “p” or “q”."]);
  assert.ok(sentences(shown).includes("A report about “d” can show for certain whether you were asked “q”."));
  const alike = await plan({ d: d({ epsilon: "1/4" }), p }, [["p"], ["d"]]);
  assert.deepEqual(aboutAsking(alike), []);
  assert.ok(!sentences(alike).some((line) => line.includes("whether you were asked")));
});

test("a factor is never below what it stands for, and exact where that is rational", () => {
  const said = (rational, ratio) => upward(factor({ rational, ratio }));
  assert.equal(said([0n, 1n], [4n, 1n]), "4");
  assert.equal(said([0n, 1n], [3n, 2n]), "1.5");
  assert.equal(said([-1n, 1n], [8n, 1n]), "2.95");
  assert.equal(said([46n, 10n], [1n, 1n]), "99.49");
  assert.equal(said([7n, 1n], [1n, 1n]), "1096.64");
  assert.equal(said([20n, 1n], [1n, 1n]), "4.86 x 10^8");
  assert.equal(upward([999_999_999n, 1000n]), "1 x 10^6");
  assert.equal(upward([1n, 3n]), "0.334");
});

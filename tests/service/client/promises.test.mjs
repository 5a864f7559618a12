// What the client promises to whoever answers, each by a test of its own: planted faults (tests/mutants) must fail them.

import assert from "node:assert/strict";
import test from "node:test";

import { below, either } from "../../../src/sordino/service/client/channel/words.js";
import { ofCompleteCases } from "../../../src/sordino/service/client/estimate/given.js";
import { quantilesOf } from "../../../src/sordino/service/client/estimate/ranges.js";
import { STATISTICS } from "../../../src/sordino/service/client/plan/statistics.js";
import { hashOf } from "../../../src/sordino/service/client/plan/plan.js";
import { AnswerError, PlanError, Questions, TallyError, estimates, inspect, open, readTally } from "../../../src/sordino/service/client/index.js";
import { GivenWords } from "./given_words.mjs";
import { changed, read } from "./golden.mjs";

const WORD = 1n << 64n;
const kept = async (text) => (await inspect(text)).verdicts.every(({ holds }) => holds === true);
/** A threshold that odds allow, if just so. */
const threshold = (odds) => String(BigInt(Math.trunc((odds / (1 + odds)) * (1 - 1e-12) * 2 ** 53)) << 11n);

test("a plan that was changed after it was frozen is refused", async () => {
  const { plan } = read("table.json");
  await assert.rejects(open(plan.replace('"people":1000', '"people":1001')), /must be unchanged/);
  const other = changed("table.json", (found) => (found.people = 1001));
  await open(other);
  await assert.rejects(open(other, JSON.parse(plan).hash), /the one in the address/);
});

test("fields that nobody knows, and keys that stand twice, are refused", async () => {
  const { plan } = read("table.json");
  const resealed = async (bare) => `{"hash":"${await hashOf(bare.trimEnd())}",${bare.slice(1)}`;
  const bare = plan.replace(/"hash":"[^"]*",/, "");
  const twice = await resealed(bare.replace('"people":1000', '"people":1000,"people":1000'));
  const hashed = await resealed(bare.replace('"people":1000', '"hash":"sha256:0","people":1000'));
  for (const text of [
    twice,
    hashed,
    changed("table.json", (found) => (found.attributes.x.secret = "1")),
    changed("table.json", (found) => (found.queries[0].mechanism.draw = "weights")),
    plan.replace('"people":1000', '"people": 1000'),
  ]) {
    await assert.rejects(open(text), PlanError);
  }
});

test("a unit in 2^64 more than epsilon is broken, whichever of two answers is favoured", async () => {
  const told = (change) => changed("randomized_two.json", ({ queries: [{ mechanism }] }) => (mechanism.threshold = change(BigInt(mechanism.threshold)).toString()));
  assert.equal(await kept(told((found) => found)), true);
  assert.equal(await kept(told((found) => found + 1n)), false);
  assert.equal(await kept(told((found) => WORD - found)), true);
  assert.equal(await kept(told((found) => WORD - found - 1n)), false);
});

test("each pair of values has its bound, in both orders", async () => {
  const rows = (one, other) => changed("table.json", (plan) => {
    plan.attributes.x = { columns: ["x"], labels: ["a", "b"], protect: { bounds: [["0", one], [other, "0"]] } };
    plan.queries[0].mechanism = { name: "table", weights: [["3", "7"], ["1", "9"]] };
  });
  // Code 0 favours a by 3, code 1 favours b by 9 / 7.
  assert.equal(await kept(rows("ln 3", "ln 9/7")), true);
  assert.equal(await kept(rows("ln 2", "ln 9/7")), false);
  assert.equal(await kept(rows("ln 3", "ln 8/7")), false);
});

test("sensitive values hide among others by exactly as many", async () => {
  const hidden = (more) => changed("high_low_randomized.json", ({ queries: [{ mechanism }] }) => (mechanism.hidden = String(BigInt(mechanism.hidden) + more)));
  assert.equal(await kept(hidden(0n)), true);
  assert.equal(await kept(hidden(-1n)), false);
});

test("a product tells each of its numbers, however little all others do", async () => {
  const told = (delta) => changed("product_of_numbers.json", (plan) => {
    const [{ queries }] = plan.queries;
    queries.mechanisms = [Math.exp(0.5), Math.exp(2)].map((odds) => ({ name: "randomized", k: 2, threshold: threshold(odds) }));
    queries.through = [0, 1, 0, 1, 1];
    plan.attributes.age.delta = delta;
    plan.dependence = { ground: ["declared"], rest: { age: "0", pay: "1" }, statistics: [] };
  });
  assert.equal(await kept(told("2")), true);
  assert.equal(await kept(told("1")), false);
});

test("a code that rises and falls from bin to bin tells twice what a threshold does", async () => {
  const told = (delta) => changed("distribution_thresholds.json", (plan) => {
    Object.assign(plan.queries[0], { epsilon: "2", mechanism: { name: "window", k: 8, threshold: threshold((3 * Math.exp(2)) / 7), window: 3 } });
    plan.attributes.x.delta = delta;
  });
  // ln(1 + 2 (e^2 - 1) / 10) = 0.823.
  assert.equal(await kept(told("83/100")), true);
  assert.equal(await kept(told("41/50")), false);
});

test("the sign of a number that is known by its bin may go with others", async () => {
  const told = (delta) => changed("signs_flips.json", (plan) => {
    plan.queries[0].queries.mechanisms[0].table = [8n, 3n, 1n, 4n].map((weight) => String(weight << 60n));
    plan.epsilon = plan.attributes.age.delta = "ln 8";
    plan.attributes.pay.delta = delta;
    plan.dependence = { bins: { pay: 2 }, ground: ["declared"], rest: { age: "1", pay: "1/2" }, statistics: [] };
  });
  // With the other sign of age it weighs 1 or 4, whichever suits a belief: (4 / 2 + 8 / 2) / (1 / 2 + 1 / 2) is 6.
  assert.equal(await kept(told("ln 6")), true);
  assert.equal(await kept(told("ln 5")), false);
});

test("no bound for a category with a sign serves complete cases", async () => {
  const told = (rest) => changed("number_complete_category.json", (plan) => {
    for (const name of ["age", "income"]) delete plan.attributes[name];
    plan.attributes.z.delta = "1/10";
    const queries = { mechanisms: [{ name: "randomized", k: 13, threshold: threshold(Math.exp(2) / 12) }], statistics: [["complete-category-sign", 1, 1, 0, 6, 1]], through: [0], weights: [1] };
    plan.queries = [{ ...plan.queries[0], base: { x: "c" }, numbers: ["x", "pay"], queries }];
    const signs = [{ attribute: "z", bound: "1/1000", category: "x", number: "pay" }];
    plan.dependence = { category_signs: signs, ground: ["declared"], rest: { pay: "1", x: "1", z: rest }, statistics: [] };
  });
  assert.equal(await kept(told("1/1000")), true);
  assert.equal(await kept(told("1")), false);
});

test("whoever lacks a number is read as the last value, by the words of all others", () => {
  for (const [name, places, all] of [["complete-product", [2, 0, 1, 0, 1], [1, 1]], ["complete-number", [1, 1, 0, 2], [1, 0.5]]]) {
    const { read: value, size } = STATISTICS[name];
    const [own, lacking] = [all, [all[0], Number.NaN]].map((numbers) => {
      const given = words(0, 0);
      return [value(numbers, places, given), given.drawn];
    });
    assert.deepEqual([own, lacking], [[1, 1], [size(places) - 1, 1]]);
  }
});

test("moments among complete cases are quotients", () => {
  const names = ["0,complete 0 1", "complete 0 1"];
  const { found, share } = ofCompleteCases({ names, means: [0.2, -0.5], covariance: [[1e-4, 0], [0, 4e-4]] });
  assert.deepEqual([found.names, found.means, share], [["0"], [0.8], { estimate: 0.25, stderr: 0.01 }]);
  // (1e-4 + .8^2 1e-4) / .25^2.
  assert.ok(Math.abs(found.covariance[0][0] - 2.624e-3) < 1e-12);
  assert.throws(() => ofCompleteCases({ names, means: [0, -0.99], covariance: [[1e-4, 0], [0, 4e-4]] }), RangeError);
});

test("what is answered together adds up", async () => {
  const told = (delta) => changed("number_together.json", (plan) => (plan.attributes.age.delta = delta));
  assert.equal(await kept(told("2")), true);
  assert.equal(await kept(told("19/10")), false);
});

const words = (...halves) => new GivenWords(halves.map((half) => BigInt(half) << 32n));

test("words that would favour a choice are rejected", () => {
  // Of 2^32 upper halves three choices have one too many: the first.
  const drawn = words(0, 1);
  assert.equal(below(3n, drawn), 0n);
  assert.equal(drawn.drawn, 2);
  const large = (1n << 63n) + 1n;
  const wide = new GivenWords([large, 5n]);
  assert.equal(below(large, wide), 5n);
  assert.equal(wide.drawn, 2);
});

test("which of two bounds counts does not change how many words are drawn", () => {
  for (const heads of [true, false]) {
    const drawn = words(0, 7);
    // Two bounds: the first word is rejected by 3 and not by 4.
    either(3n, 4n, heads, drawn);
    assert.equal(drawn.drawn, 2);
  }
});

test("values that are told and those that hide draw as many words", () => {
  const questions = new Questions(JSON.parse(read("high_low_randomized.json").plan));
  const drawn = ["a", "b", "c", "d", "e", "f"].map((x) => {
    // The second word is rejected by a choice of three, of those that hide, and by no choice of two.
    const given = words(0, 0, 2 ** 31, 7, 11, 13);
    questions.draw({ x }, given);
    return given.drawn;
  });
  assert.equal(new Set(drawn).size, 1);
});

test("nothing is drawn for a record of which any part is wrong", () => {
  const questions = new Questions(JSON.parse(read("several_questions.json").plan));
  const right = { x: "a", y: 0, age: 20, pay: 5 };
  for (const wrong of [{ x: "z" }, { y: 24 }, { y: { latitude: 99, longitude: -100 } }, { age: 17 }, { age: NaN }, { pay: "5" }, { other: 1 }]) {
    assert.throws(() => questions.draw({ ...right, ...wrong }, new GivenWords([])), AnswerError);
  }
});

const tally = (hash, counts) => ({ format: "sordino aggregate", version: 1, plan: hash, counts });

test("a tally is worked out as by hand", async () => {
  const text = changed("randomized_two.json", ({ queries: [{ mechanism }] }) => (mechanism.threshold = String(3n << 62n)));
  const { questions, plan } = await inspect(text);
  const [{ n, rows }] = estimates(questions, tally(plan.hash, [600, 400]));
  // Of 1,000 reports 600 say the first: (.6 - .25) / (.75 - .25), and sqrt(.6 .4 / 1,000) / .5.
  assert.equal(n, 1000);
  assert.ok(Math.abs(rows[0].estimate - 0.7) < 1e-12 && Math.abs(rows[1].estimate - 0.3) < 1e-12);
  assert.ok(Math.abs(rows[0].stderr - Math.sqrt(0.24 / 1000) / 0.5) < 1e-12);
});

test("a tally of another plan, or of no counts, is refused", async () => {
  const { questions, plan } = await inspect(read("randomized_two.json").plan);
  assert.equal(estimates(questions, tally(plan.hash, [6, 4])).length, 1);
  for (const found of [tally("sha256:0", [6, 4]), tally(plan.hash, [6, -4]), tally(plan.hash, [6.5, 4]), tally(plan.hash, [6, 4, 0]), null]) {
    assert.throws(() => estimates(questions, found), TallyError);
  }
});

test("a tally's numbers are whole ones in digits", () => {
  const text = JSON.stringify({ ...tally("a plan of 3e0", [6, 4]), source: '\\"3.5' });
  assert.deepEqual(readTally(text).counts, [6, 4]);
  for (const wrong of ["6.0", "6e0", "60e-1", "9007199254740993"]) assert.throws(() => readTally(text.replace("[6", `[${wrong}`)), TallyError, wrong);
  assert.throws(() => readTally(text.replace("[6", "[06")), TallyError);
});

test("a quantile lies where the unbiased share below an edge leaves it", () => {
  const reading = { k: 2, axes: [{ rows: [[0.75, 0.25], [0.25, 0.75]], adds: [[1.5, -0.5], [-0.5, 1.5]] }] };
  // Below the edge at 3 are .7 of the people, give or take .031, of whom 95 % of intervals hold .061.
  const found = quantilesOf(reading, [600, 400], [1, 3, 10], [0.63, 0.65, 0.75, 0.77]);
  assert.deepEqual(found.map(({ low, high }) => [low, high]), [[1, 3], [1, 10], [1, 10], [3, 10]]);
});

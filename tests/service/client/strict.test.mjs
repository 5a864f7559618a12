// What the package refuses as no plan, the page refuses too, by a rule in words: other spellings, mechanisms that a question
// is not asked through, parts that do not fit each other, and what would take for ever to look at.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import { PlanError, open } from "../../../src/sordino/service/client/index.js";
import { changed, read, sealed } from "./golden.mjs";

const HALF = String(1n << 63n);
const refused = (text, rule) => assert.rejects(open(text), (error) => error instanceof PlanError && rule.test(error.rule), text.slice(0, 400));
const of = (name, rule, ...changes) => Promise.all(changes.map((change) => refused(changed(name, change), rule)));

test("an integer of a channel has one spelling", async () => {
  const rule = /must be a text of digits, up to 2\^64 and without leading zeros/;
  for (const spelling of ["03", " 3", "3 ", "+3", "0x3", "3.0", "3e0", "", true, ["3"], String((1n << 64n) + 1n)]) {
    await of("table.json", rule, (plan) => (plan.queries[0].mechanism.weights[0][0] = spelling));
  }
  await of("binary.json", rule, (plan) => (plan.queries[0].mechanism.first = `0${plan.queries[0].mechanism.first}`));
  await of("tree.json", rule, (plan) => (plan.queries[0].mechanism.factors[0] = `0${plan.queries[0].mechanism.factors[0]}`));
});

test("a number has the package's spelling", async () => {
  const spelled = (text, right) => {
    const [, content] = /^[^,]*,(.*)\n$/.exec(changed("number_sign.json", (plan) => (plan.attributes.age.number.high = 777777)));
    const own = `{${content.replace("777777", text)}`;
    const plan = `{"hash":"sha256:${createHash("sha256").update(own).digest("hex")}",${own.slice(1)}\n`;
    return right ? open(plan) : refused(plan, /must be the canonical bytes/);
  };
  for (const right of ["90", "90.5", "1234567890123.4568", "4503599627370497", "9007199254740994", String(2n ** 64n)]) await spelled(right, true);
  for (const wrong of ["90.0", "90e0", "9e1", "90.50", "1E2", "9007199254740993", String(2n ** 64n + 2048n * 2n), "1".padEnd(400, "0"), "+90", "090", ".5", "90.", "0x5a", "NaN", "Infinity"]) await spelled(wrong, false);
});

test("an amount of loss has one spelling, and lies from 0 to 100 nats", async () => {
  for (const amount of ["2.0", "4/2", "02", " 2", "2 + 0", "0 + 2", "ln 4/2", "1 + ln 1", "-1", "101", "ln 0", "1e0", "2/1", "9".repeat(402)]) {
    await of("randomized.json", /its fields/, (plan) => (plan.attributes.x.protect.epsilon = amount));
  }
  await of("tree_line.json", /its fields/, (plan) => (plan.attributes.x.protect.metric.per = "05"), (plan) => (plan.attributes.x.protect.metric.per = "ln 5"));
});

test("operations are named by texts, and parts are those of their draws", async () => {
  const draw = (own) => (plan) => (plan.queries[0].mechanism.draw = own);
  await of("table.json", /an operation must be one that this client knows/, draw([["pick"], "weights"]), draw(["no", 1]), draw([["sides"], "k", ["run", "v", "k", 1]]));
  await of("randomized.json", /codes must be of one of run, masks, points, translates/, draw(["sides", "threshold", ["set", "v", "k", 1]]));
  await of("table.json", /what a draw names must be a list of its record/, draw(["pick", "k"]), draw(["pick", "toString"]));
  await of("blockwise.json", /a draw's parts must be of its record/, draw(["blocks", ["list", 0, 1, 0, 1, 0, 2], "parts"]));
  await of("blockwise.json", /one inner mechanism for each block size/, ({ queries: [{ mechanism }] }) => mechanism.inner.push({ name: "randomized", k: 50, threshold: HALF }));
});

test("queries about numbers have one spelling, and tell all that is asked", async () => {
  const asked = (change) => ({ queries: [{ queries }] }) => change(queries);
  await of(
    "number_window.json",
    /as they were frozen/,
    asked((queries) => (queries.statistics[0] = [queries.statistics[0]]) && (queries.through[0] = [queries.through[0]])),
    asked((queries) => queries.mechanisms.push({ name: "randomized", k: 2, threshold: HALF })),
  );
  await of("product_of_numbers.json", /every moment/, asked((queries) => [queries.statistics, queries.through, queries.weights].forEach((list) => list.pop())));
  await of("number_category.json", /every moment/, asked((queries) => [queries.statistics, queries.through, queries.weights].forEach((list) => list.shift())));
});

test("the parts of a plan fit each other", async () => {
  await of("table.json", /must be asked once/, (plan) => plan.queries.push(plan.queries[0]));
  await of("table.json", /asked for, or have a delta/, (plan) => (plan.attributes.y = { columns: ["y"], labels: ["a"] }));
  await of("table_of_two.json", /a different column/, (plan) => (plan.attributes.y.columns = [" X"]));
  await of("table_of_deltas.json", /must be protected as a whole/, (plan) => (plan.attributes.x.protect = { epsilon: "1", blocks: { run: 1 } }));
  await of("distribution.json", /a larger epsilon than the plan/, (plan) => (plan.queries[0].epsilon = "3"));
  await of("distribution.json", /must cover its number/, (plan) => plan.queries[0].ranges.push([0.1234, 0.2]));
  const bounds = (change) => (plan) => {
    const rest = Object.fromEntries(Object.keys(plan.attributes).map((name) => [name, "1/2"]));
    plan.dependence = { ground: ["declared"], rest, statistics: [] };
    change(plan.dependence);
  };
  await of(
    "several_questions.json",
    /must be about its attributes, one bound for each/,
    bounds(({ rest }) => delete rest.x),
    bounds(({ statistics }) => statistics.push({ attribute: "x", statistic: ["x"], bound: "1/2" })),
    bounds(({ statistics }) => [1, 2].forEach((n) => statistics.push({ attribute: "x", statistic: ["y"], bound: `1/${n + 1}` }))),
    bounds((found) => (found.bins = { nobody: 3 })),
  );
  const signed = (change) => ({ dependence }) => change(dependence.category_signs[0], dependence.category_signs);
  await of("number_category_bounds.json", /must be about a table, a category with a number/, signed((bound) => (bound.category = "x")), signed((bound) => (bound.number = "z")));
  await of(
    "number_category_bounds.json",
    /must be about its attributes, one bound for each/,
    signed((bound) => (bound.attribute = bound.number)),
    signed((bound) => (bound.attribute = bound.category)),
    signed((bound) => (bound.attribute = "nobody")),
    signed((bound, all) => all.push({ ...bound, bound: "1/3" })),
  );
});

const map = (rows, columns) => ({ columns: ["north", "east"], grid: { south: 0, north: 10, west: 0, east: 10, rows, columns } });
const about = (attribute, protect, mechanism) =>
  changed("table.json", (plan) => {
    plan.attributes.x = { columns: ["x"], ...attribute, protect };
    plan.queries[0].mechanism = mechanism;
  });

test("what is large is refused, or looked at, at once", async () => {
  await refused(about(map(2 ** 15, 2 ** 16), { epsilon: "1", blocks: { tiles: [5, 5] } }, { name: "blockwise", k: 1, codes: "1", draw: "v" }), /its fields/);
  await refused(about({ labels: ["a", "b"] }, { epsilon: "9".repeat(1_000_000) }, { name: "randomized", k: 2, threshold: HALF }), /its fields/);
  const far = { epsilon: "ln 1000001/1000000", metric: { positions: ["0", "65000"] } };
  await refused(about({ labels: ["a", "b"] }, far, { name: "randomized", k: 2, threshold: HALF }), /only so often that its digits can be written/);
  await refused(about({ numbers: 9000 }, { epsilon: "1", metric: { per: "1" } }, { name: "tree", factors: [HALF] }), /possible to check on a page/);
  // Two groups of very many values, and twelve signs together.
  await open(about({ numbers: 2 ** 20 }, { epsilon: "1", blocks: { run: 2 ** 19 } }, { name: "blockwise", inner: [{ name: "randomized", k: 2 ** 19, threshold: String(1n << 45n) }] }));
  const names = Array.from({ length: 11 }, (_, i) => `n${String(i).padStart(2, "0")}`);
  const signs = { statistics: [["signs", ...names.map((_, i) => i)]], mechanisms: [{ name: "flips", table: Array(2 ** 11).fill(String(1n << 53n)) }], through: [0], weights: [1] };
  const attributes = Object.fromEntries(names.map((name) => [name, { columns: [name], number: { low: 0, high: 1, clip: true }, delta: "1" }]));
  const { format, version, people } = JSON.parse(read("table.json").plan);
  await open(sealed({ format, version, people, epsilon: "1", attributes, queries: [{ asked: "mean", numbers: names, weight: 1, queries: signs }] }));
});

test("tables within each other are counted", () => refused(`${"[".repeat(65)}${"]".repeat(65)}\n`, /at most 64 tables and lists within each other/));

test("a kind of question that the page does not know is refused", async () => {
  await of("above.json", /its fields/, (plan) => {
    const { above, ...rest } = plan.queries[0];
    plan.queries[0] = { ...rest, beyond: above };
  });
});

test("a threshold cuts the range of a number that everybody has, once", async () => {
  for (const threshold of [0, 1, 7, -0.5]) await of("above.json", /within the range/, (plan) => (plan.queries[0].threshold = threshold));
  await of("above.json", /within the range/, (plan) => (plan.attributes.part.missing = "0.1"));
  await of("above_beside.json", /asked once/, (plan) => (plan.queries[1].threshold = plan.queries[0].threshold));
  await of("above_beside.json", /of numbers/, (plan) => (plan.queries[1].above = "x"));
});

test("a side of a threshold is not linear in its number: what is known of means, or at edges of bins, bounds nothing of it", async () => {
  await of("above_beside.json", /keep what it promises/, (plan) => {
    plan.dependence.rest.x = "1";
    plan.dependence.statistics = [{ attribute: "x", statistic: ["age"], bound: "1/5" }];
    plan.dependence.thresholds = [];
  });
  await of("above_beside.json", /keep what it promises/, (plan) => (plan.queries[0].epsilon = "2") && (plan.attributes.age.delta = "1/10"));
});

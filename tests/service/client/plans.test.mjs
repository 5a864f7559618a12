// Plans of the golden vectors: the ones that may be answered, those that may not, and channels that are one unit beyond
// what they promise.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { PlanError, inspect, open, sentences } from "../../../src/sordino/service/client/index.js";

const FOLDER = new URL("../../vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
const NAMES = readdirSync(FOLDER).filter((name) => name !== "refused_plans.json");

/** JSON with sorted keys: what the documents here need of the canonical form. */
function canonical(found) {
  if (Array.isArray(found)) return `[${found.map(canonical)}]`;
  if (typeof found !== "object" || found === null) return JSON.stringify(found);
  const parts = Object.keys(found).sort().map((key) => `${JSON.stringify(key)}:${canonical(found[key])}`);
  return `{${parts}}`;
}

/** The text of a plan under a hash of its own. */
function sealed({ hash, ...content }) {
  const own = createHash("sha256").update(canonical(content)).digest("hex");
  return `${canonical({ ...content, hash: `sha256:${own}` })}\n`;
}

/** Everywhere in a document: each table with where it stands. */
function* tables(found) {
  if (typeof found !== "object" || found === null) return;
  if (!Array.isArray(found)) yield found;
  for (const part of Object.values(found)) yield* tables(part);
}

for (const name of NAMES) {
  test(`${name}: keeps what it promises, and says so in words`, async () => {
    const text = read(name).plan;
    const { hash } = JSON.parse(text);
    const found = await open(text, hash);
    assert.ok(found.verdicts.every(({ holds }) => holds === true));
    for (const line of sentences(found)) assert.match(line, /^[^]*[.]$/);
    await assert.rejects(open(text, hash.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))), PlanError);
  });

  // Thresholds are the largest that their inequality allows; one more is a promise that is broken by one unit in 2^64.
  test(`${name}: a unit more is told`, async () => {
    const plan = JSON.parse(read(name).plan);
    assert.equal(sealed(plan), read(name).plan);
    // Made for half of what it may lose.
    if (name === "subset_64.json") plan.attributes.x.protect.epsilon = "1";
    for (const mechanism of tables(plan.queries)) {
      const [field] = ["threshold", "first"].filter((key) => typeof mechanism[key] === "string");
      // One value alone is told from no other.
      if (!field || mechanism.k === 1) continue;
      const own = mechanism[field];
      mechanism[field] = String(BigInt(own) + 1n);
      const { verdicts } = await inspect(sealed(plan));
      assert.ok(verdicts.some(({ holds }) => holds === false), `${mechanism.name} of ${own}`);
      await assert.rejects(open(sealed(plan)), PlanError);
      mechanism[field] = own;
    }
  });
}

for (const { plan, why } of read("refused_plans.json")) {
  test(`no plan: ${why}`, () => assert.rejects(open(plan), PlanError));
}

test("a table of several attributes is refused in words", async () => {
  const folder = new URL("../../table_vectors/", import.meta.url);
  for (const name of readdirSync(folder)) {
    const { plan } = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    await assert.rejects(open(plan), /a table of several attributes[.] Answer it by/);
  }
});

const changed = (name, change) => {
  const plan = JSON.parse(read(name).plan);
  change(plan);
  return sealed(plan);
};

const BROKEN = {
  "a table whose rows are unlike": ["table.json", (plan) => (plan.queries[0].mechanism.weights[0][0] = "4")],
  "a table that tells more": ["table.json", (plan) => (plan.attributes.x.protect.epsilon = "1")],
  "a code that one value alone sends": ["table.json", (plan) => (plan.queries[0].mechanism.weights = [["5", "0", "0"], ["0", "5", "0"], ["0", "0", "5"]])],
  "a step that tells more": ["tree_line.json", (plan) => (plan.attributes.x.protect.epsilon = "39/100")],
  "a map's row that tells more": ["product.json", (plan) => (plan.attributes.x.protect.metric.map.row_step = "1")],
  "hidden too seldom": ["high_low_subset.json", (plan) => (plan.queries[0].mechanism.hidden = "1")],
  "flips that are no chances": ["signs_flips.json", (plan) => (plan.queries[0].queries.mechanisms[0].table[0] = "1")],
  "several that tell more together": ["number_together.json", (plan) => (plan.epsilon = "3/2")],
  "more of an attribute than its delta": ["several_questions.json", (plan) => (plan.attributes.x.delta = "1/2")],
  "a statistic of other values": ["number_window.json", (plan) => (plan.queries[0].queries.statistics[0][2] = 6)],
  "an attribute that is not there": ["table.json", (plan) => (plan.queries[0].histogram = "toString")],
  "an amount that is none": ["table.json", (plan) => (plan.attributes.x.protect.epsilon = "much")],
  "a block that is not protected alike": ["blockwise.json", (plan) => (plan.attributes.x.protect = { epsilon: "2" })],
};
for (const [why, [name, change]] of Object.entries(BROKEN)) {
  test(`not answered: ${why}`, () => assert.rejects(open(changed(name, change)), PlanError));
}

// Plans that ask for a number's distribution: read, checked and explained as any other.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { sentences } from "../../../src/sordino/service/client/explain.js";
import { hashOf, readPlan } from "../../../src/sordino/service/client/plan/plan.js";
import { verdicts } from "../../../src/sordino/service/client/promise/promise.js";
import { Questions } from "../../../src/sordino/service/client/index.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), "utf8")).plan;

async function sealed(content) {
  const document = content.replace(/"hash":"[^"]*",/, "");
  const hash = await hashOf(document.trimEnd());
  return content.replace(/"hash":"[^"]*"/, `"hash":"${hash}"`);
}

const KINDS = ["distribution", "distribution_edges", "distribution_spikes", "distribution_thresholds", "distribution_optional", "distribution_optional_levels"];
for (const name of KINDS.map((kind) => `${kind}.json`)) {
  test(`${name}: the plan keeps its promise, and says what a code can reveal`, async () => {
    const plan = await readPlan(read(name));
    const questions = new Questions(plan);
    const found = verdicts(questions);
    assert.ok(found.every((verdict) => verdict.holds === true));
    assert.match(sentences({ plan, questions, verdicts: found }).join(" "), /the range in which “(part|pay|change)” lies (or .*)?changes the odds/);
  });
}

test("a plan whose bins tell more than their question says is found out", async () => {
  const text = await sealed(read("distribution.json").replace('"epsilon":"2","mechanism"', '"epsilon":"1","mechanism"'));
  assert.notEqual(text, read("distribution.json"));
  assert.equal(verdicts(new Questions(await readPlan(text)))[0].holds, false);
});

test("bins that do not cover the number, or stand beside edges, are no plan", async () => {
  for (const [old, changed] of [
    ['"edges":[0,', '"edges":[1,'],
    ['"edges":[0,12000,12000.5', '"edges":[0,12000.5,12000'],
    ['"distribution":', '"bins":4,"distribution":'],
  ]) {
    const before = read("distribution_edges.json");
    assert.ok(before.includes(old), old);
    const text = await sealed(before.replace(old, changed));
    await assert.rejects(readPlan(text), /fields|cover its number/);
  }
});

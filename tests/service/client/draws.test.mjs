// A million reports by the browser's own generator: how long they take, and that their codes come as often as the
// channel's integers say.

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import { FreshWords, Outbox, Questions, StorageError, pack } from "../../../src/sordino/service/client/index.js";

// Node 18 has it under another name.
if (!globalThis.crypto) Object.defineProperty(globalThis, "crypto", { value: webcrypto });

const planOf = (name) => JSON.parse(JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8")).plan);
const MILLION = 1_000_000;

test("a million reports", (t) => {
  const plan = planOf("randomized");
  const questions = new Questions(plan);
  const words = new FreshWords();
  const counts = new Array(6).fill(0);
  const record = { x: "b" };
  const start = performance.now();
  for (let i = 0; i < MILLION; i += 1) counts[Number(questions.draw(record, words).code)] += 1;
  t.diagnostic(`a million reports in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const told = Number(plan.queries[0].mechanism.threshold) / 2 ** 64;
  counts.forEach((count, code) => {
    const chance = code === 1 ? told : (1 - told) / 5;
    const spread = Math.sqrt(MILLION * chance * (1 - chance));
    assert.ok(Math.abs(count - MILLION * chance) < 7 * spread, `code ${code}: ${count}`);
  });
});

test("words of the generator differ, and have all 64 bits", () => {
  const words = new FreshWords();
  const drawn = Array.from({ length: 10_000 }, () => words.next());
  assert.equal(new Set(drawn).size, drawn.length);
  for (let bit = 0n; bit < 64n; bit += 1n) {
    const set = drawn.filter((word) => (word >> bit) & 1n).length;
    assert.ok(Math.abs(set - 5000) < 7 * 50, `bit ${bit}: ${set}`);
  }
});

test("a report is packed with as many bytes as the largest code needs", () => {
  const { codeBytes } = new Questions(planOf("several_questions"));
  assert.equal(codeBytes, 4);
  assert.match(pack(0x1020304n, codeBytes), /^[0-9a-f]{32}01020304$/);
  assert.match(pack(5n, codeBytes), /^[0-9a-f]{32}00000005$/);
  assert.notEqual(pack(5n, codeBytes), pack(5n, codeBytes));
});

/** What a browser keeps. */
class Kept extends Map {
  async change(key, job) {
    const made = job(this.get(key));
    this.set(key, made);
    return made;
  }
}

const answered = (body, status = 200) => new Response(JSON.stringify(body), { status });

test("what is kept is sent as it is until it is acknowledged, and never drawn anew", async (t) => {
  const shelf = new Kept();
  const sent = [];
  const answers = [
    () => { throw new TypeError("offline"); },
    () => answered({ detail: "full" }, 507),
    () => answered({ accepted: 0, repeated: 0, failed: [] }),
    () => new Response("<p>a proxy's page</p>"),
    () => answered({ accepted: 0, repeated: 1, failed: [] }),
  ];
  t.mock.method(globalThis, "fetch", async (_, { body }) => {
    sent.push(Buffer.from(body).toString("hex"));
    return answers[sent.length - 1]();
  });
  const outbox = () => new Outbox("sha256:0", "https://collector.example/plans/sha256:0", null, shelf);
  let draws = 0;
  const draw = () => pack(BigInt((draws += 1)), 4);
  for (let i = 0; i < answers.length; i += 1) {
    await outbox().reserve(draw);
    assert.equal((await outbox().send()).done, i === answers.length - 1);
  }
  await outbox().reserve(draw);
  assert.deepEqual(await outbox().send(), { done: true, state: "acknowledged" });
  assert.equal(draws, 1);
  assert.equal(sent.length, answers.length);
  assert.equal(new Set(sent).size, 1);
});

test("where nothing can be kept nothing is drawn nor sent, and why is said", async (t) => {
  t.mock.method(globalThis, "fetch", () => assert.fail("it was sent"));
  const outbox = new Outbox("sha256:0", "https://collector.example/plans/sha256:0");
  await assert.rejects(outbox.reserve(() => assert.fail("it was drawn")), StorageError);
  await assert.rejects(outbox.send(), /must be on this device's disk before it is sent.*no IndexedDB here/);
  await assert.rejects(new Outbox("sha256:0", "https://collector.example/plans/sha256:0", null, new Kept()).send(), /storage was cleared/);
});

test("a question that is drawn first needs its own attributes alone, and gives the code of one draw by the same words", () => {
  const plan = planOf("only_if");
  const questions = new Questions(plan);
  const { reports } = JSON.parse(readFileSync(new URL("../../vectors/only_if.json", import.meta.url), "utf8"));
  const fresh = new FreshWords();
  const seen = new Set();
  for (let i = 0; i < 2000; i += 1) {
    const given = [];
    const { record } = reports[i % reports.length];
    const whole = questions.draw(record, { next: () => given[given.push(fresh.next()) - 1] });
    let place = 0;
    const again = { next: () => given[place++] };
    const question = questions.drawQuestion(again);
    const own = questions.namesOf(question);
    const part = Object.fromEntries(Object.entries(record).filter(([name]) => own.includes(name)));
    assert.deepEqual(questions.drawAbout(question, part, again), whole);
    assert.equal(place, given.length);
    seen.add(question);
  }
  assert.equal(seen.size, plan.queries.length);
});

// What is kept on a device: on the disk before it counts, by one window at a time, or why not in words.

import assert from "node:assert/strict";
import test from "node:test";

import { Disk } from "./disk.mjs";
import { load } from "../../../src/sordino/service/client/catalogue/speech.js";
import { Shelf, StorageError } from "../../../src/sordino/service/client/shelf.js";

await load("en");

test("what is kept counts once it is on the disk", async () => {
  const disk = new Disk();
  let settle;
  disk.settle = new Promise((resolve) => (settle = resolve));
  let kept = false;
  const change = new Shelf(disk).change("plan", () => "code").then(() => (kept = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([kept, disk.stored.size], [false, 0]);
  settle();
  await change;
  assert.deepEqual([kept, disk.stored.get("plan")], [true, "code"]);
  assert.deepEqual(disk.modes, ["readwrite, strict"]);
  assert.equal(await new Shelf(disk).get("plan"), "code");
  assert.equal(await new Shelf(disk).get("another"), undefined);
  assert.equal(disk.opened, 0);
});

test("of two windows at once one draws, and both have its code", async () => {
  const disk = new Disk();
  let draws = 0;
  const draw = (found) => found ?? `code ${(draws += 1)}`;
  const codes = await Promise.all([1, 2, 3].map(() => new Shelf(disk).change("plan", draw)));
  assert.deepEqual([codes, draws], [["code 1", "code 1", "code 1"], 1]);
});

test("what a job throws is thrown, and nothing is changed", async () => {
  const disk = new Disk();
  await new Shelf(disk).change("plan", () => "code");
  const wrong = new Error("an answer is wrong");
  await assert.rejects(new Shelf(disk).change("plan", () => { throw wrong; }), (error) => error === wrong);
  assert.deepEqual([disk.stored.get("plan"), disk.opened], ["code", 0]);
});

test("a browser that does not say when something is on the disk keeps nothing", async () => {
  const disk = new Disk({ durable: false });
  const drawn = new Shelf(disk).change("plan", () => assert.fail("it was drawn"));
  await assert.rejects(drawn, (error) => error instanceof StorageError && /does not say when it is/.test(error.message));
  assert.deepEqual([disk.stored.size, disk.opened], [0, 0]);
  await assert.rejects(new Shelf(null).get("plan"), /no IndexedDB here/);
});

test("a disk that is full, and storage that does not answer, are told in words", async (t) => {
  const full = new Disk({ fails: new DOMException("", "QuotaExceededError") });
  await assert.rejects(new Shelf(full).change("plan", () => "code"), (error) => error instanceof StorageError && /does not store it.*\(QuotaExceededError\)/.test(error.message));
  assert.deepEqual([full.stored.size, full.opened], [0, 0]);
  const waited = [];
  t.mock.method(globalThis, "setTimeout", (job, wait) => waited.push(wait) && setImmediate(job));
  await assert.rejects(new Shelf(new Disk({ answers: false })).get("plan"), (error) => error instanceof StorageError && /does not answer/.test(error.message));
  assert.deepEqual(waited, [15_000]);
});

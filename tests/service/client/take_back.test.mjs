// A report that a person takes back: it is sent no more, the collector deletes it by its id, and no other is drawn.

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import test from "node:test";

import { Disk } from "./disk.mjs";
import { Outbox, StorageError, pack } from "../../../src/sordino/service/client/index.js";
import { Shelf } from "../../../src/sordino/service/client/shelf.js";

// Node 18 has it under another name.
if (!globalThis.crypto) Object.defineProperty(globalThis, "crypto", { value: webcrypto });

const HASH = "sha256:0";
const ADDRESS = `https://collector.example/plans/${HASH}`;
const ACCEPTED = { accepted: 1, repeated: 0, failed: [] };

/** A collector that answers each route by turns, and what it was asked. */
function collector(t, answers) {
  const asked = [];
  t.mock.method(globalThis, "fetch", async (address, { body, headers }) => {
    const route = address.slice(ADDRESS.length);
    asked.push([route, typeof body === "string" ? JSON.parse(body).id : Buffer.from(body).toString("hex"), headers]);
    const [status, told] = await answers[route].shift()();
    return new Response(JSON.stringify(told), { status });
  });
  return asked;
}

/** A window, and what all of them keep. */
const windowOf = (disk) => new Outbox(HASH, ADDRESS, null, new Shelf(disk));
const drawn = async (disk) => {
  await windowOf(disk).reserve(() => pack(3n, 1));
  return (await windowOf(disk).kept()).upload;
};
const ok = () => [200, ACCEPTED];
const erased = () => [200, { outcome: "no code is kept under this id" }];

test("a report that arrived is deleted by its id, once, and no other is drawn", async (t) => {
  const disk = new Disk();
  const asked = collector(t, { "/reports": [ok], "/erase": [erased] });
  const upload = await drawn(disk);
  assert.deepEqual(await windowOf(disk).send(), { done: true, state: "acknowledged", upload });
  assert.deepEqual(await windowOf(disk).kept(), { state: "acknowledged", id: upload.slice(0, 32) });
  for (let i = 0; i < 2; i += 1) assert.deepEqual(await windowOf(disk).takeBack(), { done: true, state: "withdrawn" });
  assert.deepEqual(asked.map(([route, body]) => [route, body]), [["/reports", upload], ["/erase", upload.slice(0, 32)]]);
  assert.deepEqual(await windowOf(disk).kept(), { state: "withdrawn" });
  assert.equal(await windowOf(disk).reserve(() => assert.fail("it was drawn")), false);
  assert.deepEqual(await windowOf(disk).send(), { done: true, state: "withdrawn" });
});

test("what never arrived is sent no more, and is deleted once the collector can be asked", async (t) => {
  const disk = new Disk();
  const lost = () => { throw new TypeError("offline"); };
  const asked = collector(t, { "/reports": [lost], "/erase": [lost, () => [503, { detail: "busy" }], () => [404, {}], () => [200, "a proxy's page"], erased] });
  const upload = await drawn(disk);
  assert.equal((await windowOf(disk).send()).done, false);
  const outcomes = [await windowOf(disk).takeBack(), await windowOf(disk).send(), await windowOf(disk).takeBack(), await windowOf(disk).takeBack(), await windowOf(disk).send()];
  assert.deepEqual(outcomes.map(({ done, wait, detail }) => [done, wait, detail]), [
    [false, true, ""],
    [false, true, "busy"],
    [false, false, ""],
    [false, false, ""],
    [true, undefined, undefined],
  ]);
  assert.deepEqual(asked.slice(1).map(([route, id]) => [route, id]), Array(5).fill(["/erase", upload.slice(0, 32)]));
});

test("a report that is on its way while another window takes it back is deleted once it has arrived", async (t) => {
  const disk = new Disk();
  let arrive;
  const slow = new Promise((resolve) => (arrive = resolve));
  const asked = collector(t, { "/reports": [() => slow], "/erase": [erased, erased] });
  await drawn(disk);
  const sending = windowOf(disk).send();
  while (!asked.length) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await windowOf(disk).takeBack()).state, "withdrawn");
  arrive(ok());
  assert.deepEqual(await sending, { done: true, state: "withdrawn" });
  assert.deepEqual(asked.map(([route]) => route), ["/reports", "/erase", "/erase"]);
  assert.deepEqual(await windowOf(disk).kept(), { state: "withdrawn" });
});

test("the request holds the id alone, and the link as the report's does, which may still be on its way", async (t) => {
  const disk = new Disk();
  const asked = collector(t, { "/reports": [ok], "/erase": [erased] });
  const outbox = new Outbox(HASH, ADDRESS, "f".repeat(32), new Shelf(disk));
  await outbox.reserve(() => pack(3n, 1));
  await outbox.send();
  await outbox.takeBack();
  assert.deepEqual(asked[1][2], { "Content-Type": "application/json", "Sordino-Invitation": "f".repeat(32) });
});

test("where nothing is kept nothing is asked", async (t) => {
  const asked = collector(t, {});
  await assert.rejects(windowOf(new Disk()).takeBack(), StorageError);
  const full = new Disk();
  await drawn(full);
  full.fails = new DOMException("", "QuotaExceededError");
  await assert.rejects(windowOf(full).takeBack(), StorageError);
  assert.deepEqual(asked, []);
});

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
const HOST = "collector.example";
const ADDRESS = `https://${HOST}/plans/${HASH}`;
const LINK = "f".repeat(32);
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
  assert.deepEqual(await windowOf(disk).kept(), { state: "acknowledged", host: HOST, id: upload.slice(0, 32) });
  for (let i = 0; i < 2; i += 1) assert.deepEqual(await windowOf(disk).takeBack(), { done: true, state: "withdrawn" });
  assert.deepEqual(asked.map(([route, body]) => [route, body]), [["/reports", upload], ["/erase", upload.slice(0, 32)]]);
  assert.deepEqual(await windowOf(disk).kept(), { state: "withdrawn", host: HOST });
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
  assert.deepEqual(await windowOf(disk).kept(), { state: "withdrawn", host: HOST });
});

test("the request holds the id alone, and the link as the report's does, which may still be on its way", async (t) => {
  const disk = new Disk();
  const asked = collector(t, { "/reports": [ok], "/erase": [erased] });
  const outbox = new Outbox(HASH, ADDRESS, LINK, new Shelf(disk));
  await outbox.reserve(() => pack(3n, 1));
  await outbox.send();
  await outbox.takeBack();
  assert.deepEqual(asked[1][2], { "Content-Type": "application/json", "Sordino-Invitation": LINK });
});

test("what may still come by a link is taken back by a link alone, and what arrived from any address of the collector", async (t) => {
  const disk = new Disk();
  const lost = () => { throw new TypeError("offline"); };
  const asked = collector(t, { "/reports": [lost, ok], "/erase": [lost, erased] });
  const [byLink, bare] = [() => new Outbox(HASH, ADDRESS, LINK, new Shelf(disk)), () => windowOf(disk)];
  await byLink().reserve(() => pack(3n, 1));
  await byLink().send();
  const before = await bare().kept();
  assert.equal(before.mayComeByLink, true);
  const refused = async (job) => assert.deepEqual((({ done, wait, reason }) => [done, wait, reason.key])(await job), [false, false, "problem_take_back_link"]);
  await refused(bare().takeBack());
  // It may be sent again, by the link.
  assert.deepEqual([await bare().kept(), asked.length], [before, 1]);
  assert.equal((await byLink().takeBack()).done, false);
  assert.equal((await bare().kept()).state, "withdrawing");
  await refused(bare().takeBack());
  await refused(bare().send());
  assert.equal(asked.length, 2);
  assert.equal((await byLink().send()).state, "withdrawn");
  const another = new Disk();
  const [sending, later] = [LINK, null].map((link) => new Outbox(HASH, ADDRESS, link, new Shelf(another)));
  await sending.reserve(() => pack(3n, 1));
  await sending.send();
  collector(t, { "/erase": [erased] });
  assert.deepEqual(await later.takeBack(), { done: true, state: "withdrawn" });
});

test("what arrives by a link while it is taken back needs no link from then on", async (t) => {
  const disk = new Disk();
  let arrive;
  const slow = new Promise((resolve) => (arrive = resolve));
  const lost = () => { throw new TypeError("offline"); };
  const asked = collector(t, { "/reports": [() => slow], "/erase": [lost, lost, erased] });
  const byLink = () => new Outbox(HASH, ADDRESS, LINK, new Shelf(disk));
  await byLink().reserve(() => pack(3n, 1));
  const sending = byLink().send();
  while (!asked.length) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await byLink().takeBack()).done, false);
  assert.equal((await windowOf(disk).takeBack()).reason.key, "problem_take_back_link");
  arrive(ok());
  assert.equal((await sending).done, false);
  assert.deepEqual(await windowOf(disk).takeBack(), { done: true, state: "withdrawn" });
});

test("a report is not sent where its storage was cleared meanwhile", async (t) => {
  const asked = collector(t, {});
  const shelf = new Shelf(new Disk());
  const outbox = new Outbox(HASH, ADDRESS, LINK, { get: async () => ({ state: "kept", host: HOST, upload: "00" }), change: (key, job) => shelf.change(key, job) });
  await assert.rejects(outbox.send(), StorageError);
  assert.deepEqual(asked, []);
});

test("a link is noted before the report leaves by it, and nothing leaves where that cannot be kept", async (t) => {
  const disk = new Disk();
  const asked = collector(t, {});
  const outbox = new Outbox(HASH, ADDRESS, LINK, new Shelf(disk));
  await outbox.reserve(() => pack(3n, 1));
  disk.fails = new DOMException("", "QuotaExceededError");
  await assert.rejects(outbox.send(), StorageError);
  assert.deepEqual(asked, []);
});

test("a report goes to the host that it was drawn for, whatever the port, and no other host hears of it", async (t) => {
  for (const state of ["kept", "acknowledged", "withdrawn"]) {
    const disk = new Disk();
    const asked = collector(t, { "/reports": [ok], "/erase": [erased] });
    const upload = await drawn(disk);
    if (state !== "kept") await windowOf(disk).send();
    if (state === "withdrawn") await windowOf(disk).takeBack();
    const before = [await windowOf(disk).kept(), asked.length];
    assert.equal(before[0].state, state);
    for (const host of ["other.example", "collector.example.other", "xn--cllector-n4a.example"]) {
      const other = new Outbox(HASH, `https://${host}/plans/${HASH}`, null, new Shelf(disk));
      assert.equal(other.otherHost(await other.kept()), HOST);
      assert.equal(await other.reserve(() => assert.fail("it was drawn")), false);
      for (const job of [other.send(), other.takeBack()]) {
        const { done, wait, reason } = await job;
        assert.deepEqual([done, wait, reason], [false, false, { key: "problem_elsewhere", values: { host: HOST } }]);
      }
    }
    assert.deepEqual([await windowOf(disk).kept(), asked.length], before);
    for (const same of [`https://COLLECTOR.example:8443/plans/${HASH}`, `http://collector.example./x/plans/${HASH}`]) {
      const own = new Outbox(HASH, same, null, new Shelf(disk));
      assert.equal(own.otherHost(await own.kept()), null);
    }
    assert.equal(upload.length, 34);
  }
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

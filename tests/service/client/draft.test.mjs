// What is kept of answers before they are sent: by whom, for how long, and of which surveys.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { Draft } from "../../../src/sordino/service/client/form/draft.js";

// No hour is waited for.
mock.timers.enable({ apis: ["Date", "setTimeout"], now: 0 });

class Kept {
  texts = new Map();
  getItem = (key) => this.texts.get(key) ?? null;
  setItem = (key, text) => this.texts.set(key, text);
  removeItem = (key) => this.texts.delete(key);
}

const plan = { hash: "sha256:1", attributes: { a: { labels: ["x", "y"] } } };
const field = (name, state) => ({ name, state });

test("what was answered is filled in where it was asked", () => {
  const storage = new Kept();
  const draft = Draft.of(plan, () => storage);
  draft.want(true, [field("a", [1, false]), field("b", ["x", true])]);
  const [first, other] = [field("a", null), field("c", null)];
  draft.restore([first, other]);
  assert.deepEqual([first.state, other.state], [[1, false], null]);
  assert.equal(Draft.of({ ...plan, hash: "sha256:2" }, () => storage).restore([first]), undefined);
  draft.erase();
  assert.equal(storage.texts.size, 0);
});

test("nothing is kept unless a person asks for it", () => {
  const storage = new Kept();
  const draft = Draft.of(plan, () => storage);
  draft.restore([]);
  draft.save([field("a", [1, false])]);
  assert.equal(storage.texts.size, 0);
  draft.want(true, [field("a", [1, false])]);
  assert.equal(storage.texts.size, 1);
  draft.want(false, [field("a", [1, false])]);
  draft.save([field("a", [0, false])]);
  assert.equal(storage.texts.size, 0);
});

test("nothing is kept where a value is sensitive or the browser refuses", () => {
  const storage = new Kept();
  const sensitive = { ...plan, attributes: { ...plan.attributes, b: { labels: ["x", "y"], protect: { sensitive: [0] } } } };
  assert.equal(Draft.of(sensitive, () => storage), null);
  assert.equal(Draft.of(plan, undefined), null);
  const refuse = () => {
    throw new DOMException("no", "SecurityError");
  };
  assert.equal(Draft.of(plan, refuse), null);
});

test("what is older than an hour or cannot be read is erased", () => {
  const storage = new Kept();
  const draft = Draft.of(plan, () => storage);
  draft.want(true, [field("a", [1, false])]);
  const [key, text] = [...storage.texts][0];
  mock.timers.setTime(3_599_999);
  const found = field("a", null);
  draft.restore([found]);
  assert.deepEqual(found.state, [1, false]);
  mock.timers.setTime(3_600_000);
  for (const wrong of [text, text.slice(1), "null", "7"]) {
    storage.texts.set(key, wrong);
    const other = field("a", null);
    draft.restore([other]);
    assert.deepEqual([other.state, storage.texts.size], [null, 0], wrong);
  }
});

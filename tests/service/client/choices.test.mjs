// Categories of which several apply, and fields that earlier answers show: in the form, and in what it sends.

import assert from "node:assert/strict";
import test from "node:test";

import "./paper.mjs";
import { Field } from "../../../src/sordino/service/client/fields.js";
import { followConditions } from "../../../src/sordino/service/client/inputs/conditions.js";
import { appliesTo, combinationOf, combinationsOf, countCombinations, marksOf } from "../../../src/sordino/service/client/plan/choices.js";
import { AnswerError, asked, values } from "../../../src/sordino/service/client/plan/record.js";

const SYMPTOMS = { labels: ["cough", "fever", "pain", "rash"], several: 2, none: "none of them" };

/** A tick, as a person makes it. */
function tick(field, place) {
  const { way: boxes } = field;
  boxes.inputs[place].checked = !boxes.inputs[place].checked;
  const followed = boxes.inputs[place] === boxes.none ? boxes.boxes : [boxes.none];
  if (boxes.inputs[place].checked) for (const other of followed) other.checked = false;
}

test("several are ticked, or that none applies; nothing ticked is no answer", () => {
  const field = new Field("symptoms", SYMPTOMS, 0);
  assert.equal(field.answer, undefined);
  assert.equal(field.check(), false);
  tick(field, 2);
  tick(field, 0);
  assert.deepEqual(field.answer, ["cough", "pain"]);
  assert.equal(field.check(), true);
  tick(field, 4);
  assert.deepEqual(field.answer, []);
  assert.equal(field.check(), true);
});

test("no more can be ticked than apply, and none of them goes with no other", () => {
  const { way: boxes } = new Field("symptoms", SYMPTOMS, 0);
  const [cough, fever, pain, , none] = boxes.inputs;
  boxes.state = [true, true, false, false, false];
  assert.deepEqual(boxes.boxes.map((box) => Boolean(box.disabled)), [false, false, true, true]);
  boxes.state = [true, false, false, false, false];
  assert.equal(Boolean(pain.disabled), false);
  assert.deepEqual(boxes.state, [true, false, false, false, false]);
  assert.deepEqual([cough, fever, none].map((box) => box.type), ["checkbox", "checkbox", "checkbox"]);
});

test("every combination has a number of its own, by its size first", () => {
  for (const attribute of [SYMPTOMS, { ...SYMPTOMS, not_asked: "not asked" }, { ...SYMPTOMS, several: 4 }]) {
    const all = combinationsOf(attribute);
    assert.equal(all.length, countCombinations(attribute));
    assert.deepEqual(all.map((value) => combinationOf(attribute, value)), all.map((_, number) => number));
    for (const value of all) assert.equal(appliesTo(attribute, value).length, marksOf(attribute).length);
  }
  assert.deepEqual(appliesTo({ ...SYMPTOMS, not_asked: "not asked" }, null), [false, false, false, false, false, true]);
});

const PLAN = {
  attributes: {
    packs: { labels: ["1", "2", "not asked"], not_asked: "not asked", only_if: { smoker: ["yes"] } },
    smoker: { labels: ["yes", "no"] },
    brand: { labels: ["a", "b", "not asked"], not_asked: "not asked", only_if: { packs: ["2"] } },
    pay: { number: { low: 0, high: 9, clip: false }, missing: "0.5", only_if: { smoker: ["yes"] } },
  },
  queries: [{ histogram: "brand" }, { numbers: ["pay"] }],
};

test("earlier answers decide what is asked, and what contradicts them is refused", () => {
  assert.deepEqual(asked(PLAN), ["smoker", "packs", "brand", "pay"]);
  const found = (record) => [...values(PLAN, record).values()];
  assert.deepEqual(found({ smoker: "no" }), [1, 2, 2, NaN]);
  assert.deepEqual(found({ smoker: "no", packs: "not asked" }), [1, 2, 2, NaN]);
  assert.deepEqual(found({ smoker: "yes", packs: "1", pay: 3 }), [0, 0, 2, 3]);
  assert.deepEqual(found({ smoker: "yes", packs: "2", brand: "a" }), [0, 1, 0, NaN]);
  for (const record of [{}, { smoker: "yes" }, { smoker: "yes", packs: "2" }, { smoker: "no", packs: "1" }, { smoker: "no", pay: 3 }, { smoker: "yes", packs: "not asked" }]) {
    assert.throws(() => values(PLAN, record), AnswerError, JSON.stringify(record));
  }
});

test("a form shows what is asked, and nothing else", () => {
  const sentInClear = new Field("region", { labels: ["north", "south"], isPublic: true }, 9);
  const fields = asked(PLAN).map((name, i) => new Field(name, PLAN.attributes[name], i));
  const shown = () => fields.filter((field) => !field.element.hidden).map((field) => field.name);
  followConditions([...fields, sentInClear]);
  const choose = (field, place) => {
    field.inputs.forEach((input, i) => (input.checked = i === place));
    field.inputs[0].listeners.change();
  };
  assert.deepEqual(shown(), ["smoker"]);
  choose(fields[0], 0);
  assert.deepEqual(shown(), ["smoker", "packs", "pay"]);
  choose(fields[1], 1);
  assert.deepEqual(shown(), ["smoker", "packs", "brand", "pay"]);
  // What is not asked has no choice of that name.
  assert.equal(fields[1].inputs.length, 2);
  choose(fields[0], 1);
  assert.deepEqual(shown(), ["smoker"]);
  assert.ok(fields.slice(1).every((field) => field.check()));
});

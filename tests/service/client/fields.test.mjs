// The fields of a form: which answer stands in them, and what is said of one that is none.

import assert from "node:assert/strict";
import test from "node:test";

import { all } from "./paper.mjs";
import { Field } from "../../../src/sordino/service/client/fields.js";

const NUMBER = { number: { low: 0, high: 100_000, clip: false } };
const GRID = { grid: { south: 40, north: 50, west: -10, east: 10, rows: 2, columns: 2 } };

/** The answer of a field in which texts were written, or null where it says that they are none. */
function written(attribute, ...texts) {
  const field = new Field("pay", attribute, 0);
  texts.forEach((text, i) => (field.inputs[i].value = text));
  return field.check() ? field.answer : null;
}

test("a number is written in digits, with a point or a comma", () => {
  for (const [text, number] of [["7", 7], [" 7.5 ", 7.5], ["7,5", 7.5], ["+.5", 0.5], ["007", 7], ["0,125", 0.125]]) {
    assert.equal(written(NUMBER, text), number, text);
  }
  for (const text of ["1e3", "0x10", "Infinity", "NaN", "1_000", "1 000", "7;5", "1,000,000", "1.2.3", "٧", "-", ".", "seven"]) {
    assert.equal(written(NUMBER, text), null, text);
  }
});

test("a comma that may set off thousands is asked about", () => {
  assert.equal(written(NUMBER, "12,345"), null);
  assert.equal(written({ numbers: 20_000 }, "12,345"), null);
  // Of so many there are none: it is a decimal comma.
  assert.equal(written({ number: { low: 0, high: 100, clip: false } }, "12,345"), 12.345);
  assert.deepEqual(written(GRID, "45,125", "1,125"), { latitude: 45.125, longitude: 1.125 });
});

test("an empty field is no answer, but of a number that may be missing", () => {
  for (const attribute of [NUMBER, { numbers: 9 }, GRID]) assert.equal(new Field("pay", attribute, 0).answer, undefined);
  assert.equal(written(NUMBER, " "), null);
  const optional = new Field("pay", { ...NUMBER, missing: "0.1" }, 0);
  assert.equal(optional.answer, undefined);
  assert.equal(optional.check(), false);
  optional.inputs.at(-1).checked = true;
  assert.equal(optional.answer, null);
  assert.ok(optional.check());
  assert.equal(written(GRID, "45", ""), null);
});

test("nothing is chosen before somebody chooses, and a label is no word of the form", () => {
  const few = ["none", "0", ""].map((label) => `${label}`);
  const many = Array.from({ length: 13 }, (_, i) => (i === 3 ? "none" : `choice ${12 - i}`));
  for (const labels of [few, many]) {
    const field = new Field("pay", { labels, missing: labels[1] }, 0);
    assert.equal(field.answer, undefined);
    assert.equal(field.check(), false);
    // What stands for no answer comes last.
    const order = [...labels.filter((label) => label !== labels[1]), labels[1]];
    order.forEach((label, place) => {
      field.state = [place, false];
      assert.equal(field.answer, label);
      assert.ok(field.check());
    });
    if (labels === few) assert.match(all(field.element, "span").map((one) => one.textContent).join("\n"), /Prefer not to say \(counts as “0”\)/);
  }
});

test("a message that is taken back keeps its room until the next submission", () => {
  const field = new Field("pay", NUMBER, 0);
  const [input] = field.inputs;
  input.value = "secret";
  field.check();
  const room = `${field.error.textContent.length}px`;
  for (const text of ["27182", "secret", "31415"]) {
    input.value = text;
    input.listeners.change();
    assert.deepEqual([field.error.textContent, field.error.style.minHeight], ["", room]);
  }
  field.check();
  assert.deepEqual([field.error.textContent, field.error.style.minHeight], ["", ""]);
});

test("what is wrong stands beside the field, without the answer, until it is right", () => {
  const field = new Field("pay", NUMBER, 0);
  const [input] = field.inputs;
  for (const text of ["271828182", "-31415", "secret"]) {
    input.value = text;
    assert.equal(field.check(), false);
    assert.match(field.error.textContent, text === "secret" ? /^Please write the number in digits[.]$/ : /^Please give a number from 0 to 100,000[.]$/);
    assert.ok(!field.error.textContent.includes(text));
    assert.equal(input.attributes["aria-invalid"], "true");
  }
  input.value = "27182";
  input.listeners.change();
  assert.equal(field.error.textContent, "");
  assert.equal(input.attributes["aria-invalid"], undefined);
  // A browser that fills fields in, or keeps them, tells others who use it.
  for (const attribute of [NUMBER, GRID, { labels: ["a", "b"] }, { labels: Array.from("abcdefghijklm") }]) {
    for (const own of new Field("pay", attribute, 0).inputs) assert.equal(own.attributes.autocomplete, "off");
  }
});

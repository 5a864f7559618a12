// The fields of a form: which answer stands in them, and what is said of one that is none.

import assert from "node:assert/strict";
import test from "node:test";

import { all } from "./paper.mjs";
import { Speech, load } from "../../../src/sordino/service/client/catalogue/speech.js";
import { Field } from "../../../src/sordino/service/client/fields.js";

await load("en");
await load("de");

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

/** A field in words of its own. */
const worded = (attribute, wording) => new Field("pay", attribute, 0, new Speech("en", { languages: ["en"], sections: [], attributes: { pay: wording } }));

test("a slider stops at the numbers of a whole-number scale, whose bins go from half to half", () => {
  const attributes = (low, high, step) => {
    const field = worded({ number: { low, high } }, { input: "slider", step });
    const { min, max, step: by, value } = field.inputs[0].attributes;
    return [min, max, by, value];
  };
  assert.deepEqual(attributes(-0.5, 10.5, 1), ["0", "10", "1", "5"]);
  assert.deepEqual(attributes(0.5, 5.5, 1), ["1", "5", "1", "3"]);
  assert.deepEqual(attributes(-0.5, 10.5, 0.5), ["-0.5", "10.5", "0.5", "5"]);
  assert.deepEqual(attributes(0, 10, 1), ["0", "10", "1", "5"]);
  assert.deepEqual(attributes(0.5, 1.5, 1).slice(0, 2), ["0.5", "1.5"]);
});

test("a slider that was not moved is no answer", () => {
  const field = worded(NUMBER, { input: "slider", step: 500, unit: "dollars" });
  const [slider, number] = field.inputs;
  assert.equal(field.answer, undefined);
  assert.equal(field.check(), false);
  assert.equal(field.error.textContent, "Please move the slider, or write the number.");
  slider.value = "27500";
  slider.listeners.input();
  assert.deepEqual([field.answer, number.value, slider.attributes["aria-valuetext"]], [27500, "27500", "27,500 dollars"]);
  // What is written need not be a step of it.
  number.value = "27182";
  number.listeners.input();
  assert.deepEqual([field.answer, slider.value], [27182, "27182"]);
  number.value = "271828";
  assert.equal(field.check(), false);
});

test("a date is days since 1970", () => {
  const field = worded({ number: { low: -366, high: 20_000, clip: false } }, { input: "date" });
  const [input] = field.inputs;
  assert.deepEqual([input.attributes.min, input.attributes.max], ["1968-12-31", "2024-10-04"]);
  for (const [text, days] of [["1970-01-01", 0], ["1969-12-31", -1], ["2024-02-29", 19_782]]) {
    input.value = text;
    assert.equal(field.answer, days);
    assert.ok(field.check());
  }
  for (const [text, said] of [["", "Please give a date."], ["1950-01-01", "Please give a date from 31 December 1968 to 4 October 2024."]]) {
    input.value = text;
    assert.equal(field.check(), false);
    assert.equal(field.error.textContent, said);
  }
});

test("a box takes the place of a number, and a number that of the box", () => {
  const field = worded({ ...NUMBER, missing: "0.1" }, { labels: { missing: "I have none" } });
  const [number, none] = field.inputs;
  assert.match(field.element.textContent, /I have none/);
  number.value = "7";
  none.checked = true;
  none.listeners.change();
  assert.deepEqual([number.value, field.answer], ["", null]);
  number.value = "8";
  number.listeners.input();
  assert.deepEqual([none.checked, field.answer], [false, 8]);
});

test("numbered values with words are chosen by them", () => {
  const field = worded({ numbers: 3 }, { text: "How?", labels: { 0: "badly", 2: "well" } });
  assert.deepEqual(all(field.element, "span").map((one) => one.textContent).slice(0, 4), ["How?", "badly", "1", "well"]);
  field.state = [2, false];
  assert.equal(field.answer, 2);
  assert.ok(field.check());
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

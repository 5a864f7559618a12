// The form's own sentences: each language has all of them, with the same places to fill in, and no others; and every one is said.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { CATALOGUES, ENGLISH, LANGUAGES, Speech, chosen, load, offered } from "../../../src/sordino/service/client/catalogue/speech.js";

const CLIENT = new URL("../../../src/sordino/service/client/", import.meta.url);

await Promise.all(LANGUAGES.map(load));

/** The places to fill in, of each form. */
const places = (sentence) => Object.values(typeof sentence === "string" ? { other: sentence } : sentence).map((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort().join());

test("each file of the catalogue is offered", () => {
  const files = readdirSync(new URL("catalogue/", CLIENT)).filter((name) => name !== "speech.js");
  assert.deepEqual(files.sort(), LANGUAGES.map((language) => `${language}.js`).sort());
});

for (const [language, sentences] of Object.entries(CATALOGUES)) {
  test(`${language} lacks no sentence, and fills in the same`, () => {
    const lacking = Object.keys(CATALOGUES.en).filter((key) => !Object.hasOwn(sentences, key));
    assert.deepEqual(lacking, [], `${language} lacks`);
    assert.deepEqual(Object.keys(sentences).filter((key) => !Object.hasOwn(CATALOGUES.en, key)), []);
    for (const [key, sentence] of Object.entries(sentences)) {
      const own = new Set(places(sentence));
      // "One answer" may leave its count out.
      const counted = typeof sentence === "object";
      if (counted) assert.ok(Object.hasOwn(sentence, "other"), key);
      if (!counted) assert.equal(own.size, 1, key);
      assert.equal(places(sentence).at(-1), places(CATALOGUES.en[key]).at(-1), `${language}.${key}`);
      for (const form of counted ? Object.values(sentence) : [sentence]) assert.ok(form.trim() === form && form !== "", key);
    }
  });

  test(`${language} has a form for each count`, () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, sentence] of Object.entries(sentences)) {
      if (typeof sentence === "string") continue;
      // Millions are "many" in some languages, and as others here.
      for (const form of forms.filter((name) => name !== "many")) assert.ok(Object.hasOwn(sentence, form), `${key}: ${form}`);
    }
  });
}

test("every sentence is said by some module", () => {
  const modules = ["", "form/", "inputs/", "plan/", "series/", "catalogue/"].flatMap((room) => readdirSync(new URL(room, CLIENT)).filter((name) => name.endsWith(".js")).map((name) => room + name));
  const texts = modules.filter((name) => !Object.keys(CATALOGUES).some((language) => name === `catalogue/${language}.js`)).map((name) => readFileSync(new URL(name, CLIENT), "utf8")).join("\n");
  const made = ["topic_mean", "topic_covariance", "topic_regression"];
  const unsaid = Object.keys(CATALOGUES.en).filter((key) => !made.includes(key) && !new RegExp(`["']${key}["']`).test(texts));
  assert.deepEqual(unsaid, []);
});

test("a person's language is taken where it is offered, by its first part too", () => {
  const all = ["en", "de", "pt-BR"];
  assert.equal(chosen(all, ["fr", "de-AT", "en"]), "de");
  assert.equal(chosen(all, ["pt"]), "pt-BR");
  assert.equal(chosen(all, ["PT-br", "de"]), "pt-BR");
  assert.equal(chosen(all, ["ja"]), "en");
  assert.deepEqual(offered({}), LANGUAGES);
  assert.deepEqual(offered({ words: { languages: ["it"] } }), ["it"]);
});

test("numbers, lists and dates are written as the language has them", () => {
  const speech = (language) => new Speech(language);
  assert.equal(speech("de").number(1234.5), "1.234,5");
  assert.equal(speech("de").decimal("7.39"), "7,39");
  assert.equal(speech("en").decimal("7.390"), "7.390");
  assert.equal(speech("fr").percent(46n).replace(/\s/, " "), "46 %");
  assert.equal(speech("en").date(0), "1 January 1970");
  assert.equal(speech("es").date(-1), "31 de diciembre de 1969");
  assert.equal(speech("en").list(["a", "b", "c"], "disjunction"), "a, b or c");
  assert.equal(speech("de").say("matches", { count: 1 }), "1 Antwort passt.");
  assert.equal(speech("de").say("matches", { count: 1200 }), "1.200 Antworten passen.");
});

test("another language has the form's sentences in English, and its own direction", () => {
  const words = { languages: ["ar", "en"], title: { ar: "عنوان", en: "Title" }, sections: [], attributes: { a: { text: "Once", labels: { 0: { ar: "صفر", en: "Zero" } } } } };
  const speech = new Speech("ar", words);
  assert.deepEqual([speech.own, speech.direction, speech.isWhole], ["en", "rtl", false]);
  assert.deepEqual([speech.text(words.title), speech.attribute("a"), speech.attribute("b"), speech.label("a", 0), speech.label("a", 1)], ["عنوان", "Once", "b", "صفر", undefined]);
  assert.deepEqual([ENGLISH.own, ENGLISH.direction, ENGLISH.isWhole], ["en", "ltr", true]);
  for (const name of ["toString", "constructor"]) assert.deepEqual([speech.attribute(name), speech.label(name, name)], [name, undefined]);
});

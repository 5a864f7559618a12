// The golden vectors of plans, word by word: node --test tests/service/client

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { AnswerError, Questions, drawPeriod, firstDays } from "../../../src/sordino/service/client/index.js";
import { GivenWords } from "./given_words.mjs";

const FOLDER = new URL("../../vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && name !== "refused_plans.json");

for (const name of NAMES) {
  test(`${name}: the same words give the same code`, () => {
    const found = read(name);
    const questions = new Questions(JSON.parse(found.plan));
    for (const vector of found.reports) {
      const words = new GivenWords(vector.words.map((word) => BigInt(`0x${word}`)));
      const { code, cell } = questions.draw(vector.record, words);
      assert.equal(String(code), vector.code);
      assert.equal(cell, BigInt(vector.cell ?? 0));
      assert.equal(words.drawn, vector.words.length);
    }
    for (const record of found.refused) {
      assert.throws(() => questions.draw(record, new GivenWords([])), AnswerError, JSON.stringify(record));
    }
  });
}

test("the same words give the same period of a series", () => {
  const { plan, periods } = read("series.json");
  const { series } = JSON.parse(plan);
  for (const vector of periods) {
    const words = new GivenWords(vector.words.map((word) => BigInt(`0x${word}`)));
    assert.equal(firstDays(series)[drawPeriod(series, words)], vector.period);
    assert.equal(words.drawn, vector.words.length);
  }
  assert.ok(periods.some(({ words }) => words.length > 1));
});

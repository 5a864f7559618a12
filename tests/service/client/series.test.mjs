// A series in the browser: its days, when it is a person's turn, and a period that is chosen once.

import assert from "node:assert/strict";
import test from "node:test";

import { LANGUAGES, Speech, load } from "../../../src/sordino/service/client/catalogue/speech.js";
import { drawPeriod, firstDays, lastDay, today, when } from "../../../src/sordino/service/client/series/series.js";
import { Turn, periodOf } from "../../../src/sordino/service/client/series/turn.js";
import { GivenWords } from "./given_words.mjs";

await Promise.all(LANGUAGES.map(load));

const WEEKS = { periods: 4, every: "week", start: "2026-12-21" };
const PLAN = { hash: "sha256:0", series: WEEKS };

/** What is kept in memory, as a page keeps it on the device. */
class Memory {
  found = new Map();

  async change(key, job) {
    this.found.set(key, job(this.found.get(key)));
    return this.found.get(key);
  }
}

test("days follow the calendar", () => {
  assert.deepEqual(firstDays(WEEKS), ["2026-12-21", "2026-12-28", "2027-01-04", "2027-01-11", "2027-01-18"]);
  assert.deepEqual(firstDays({ periods: 3, every: "month", start: "2023-12-28" }), ["2023-12-28", "2024-01-28", "2024-02-28", "2024-03-28"]);
  assert.deepEqual(firstDays({ periods: 2, every: "quarter", start: "2023-11-05" }), ["2023-11-05", "2024-02-05", "2024-05-05"]);
  assert.deepEqual(firstDays({ periods: 2, every: "year", start: "0098-01-01" }), ["0098-01-01", "0099-01-01", "0100-01-01"]);
  assert.deepEqual(firstDays({ periods: 2, every: "day", start: "2024-02-28" }), ["2024-02-28", "2024-02-29", "2024-03-01"]);
  assert.equal(lastDay(WEEKS, 1), "2027-01-03");
  assert.equal(today(Date.UTC(2026, 11, 27, 23, 59)), "2026-12-27");
});

test("a turn is later, now or over, by whole days", () => {
  const days = { "2026-12-27": "later", "2026-12-28": "now", "2027-01-03": "now", "2027-01-04": "over" };
  for (const [day, state] of Object.entries(days)) assert.equal(when(WEEKS, 1, day), state, day);
});

test("a period is chosen once, whatever comes later", async () => {
  const shelf = new Memory();
  const words = (n) => new GivenWords([BigInt(n) << 62n]);
  assert.equal(drawPeriod(WEEKS, words(3)), 3);
  const own = await Turn.own(PLAN, null, false, shelf, words(3));
  assert.deepEqual([own.label, own.period], ["2027-01-11", 3]);
  assert.equal((await Turn.own(PLAN, null, false, shelf, words(0))).period, 3);
  assert.equal((await Turn.own(PLAN, "2027-01-11", true, shelf, words(0))).period, 3);
  await assert.rejects(Turn.own(PLAN, "2026-12-28", true, shelf, words(0)), { key: "problem_turn_stays" });
  assert.equal((await Turn.own({ ...PLAN, hash: "sha256:1" }, "2026-12-28", true, shelf, words(0))).period, 1);
  assert.equal(await Turn.own({ hash: "sha256:2" }, null, false, shelf), null);
});

test("a link names one of the periods, and comes with one", async () => {
  for (const [assigned, invited] of [["2026-12-29", true], [null, true], ["2026-12-28", false], ["", true]]) {
    const shelf = new Memory();
    await assert.rejects(Turn.own(PLAN, assigned, invited, shelf), { key: "problem_turn_link" });
    assert.equal(shelf.found.size, 0);
  }
  assert.equal(periodOf("#invitation=00&period=2026-12-28"), "2026-12-28");
  assert.equal(periodOf("#invitation=00"), null);
});

test("every language says when it is, and all of it", () => {
  for (const language of LANGUAGES) {
    const speech = new Speech(language);
    for (const every of ["day", "week", "month"]) {
      const turn = new Turn({ ...WEEKS, every }, "2026-12-21");
      for (const state of ["later", "now", "over"]) {
        const sentence = turn.sentence(speech, state);
        assert.match(sentence, /2026/);
        assert.doesNotMatch(sentence, /[{}]|undefined|Invalid/);
      }
    }
  }
  assert.match(new Turn(WEEKS, "2026-12-28").sentence(new Speech("en"), "later"), /^Your turn is the week from 28 December 2026 to 3 January 2027; this page will ask you then[.]/);
});

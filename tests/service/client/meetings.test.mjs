// Sets of items that meet a person's set: what is drawn, what that reveals, and what a tally of it says. Sets are counted here by going
// through them.

import assert from "node:assert/strict";
import test from "node:test";

import { sealed } from "./golden.mjs";
import { GivenWords } from "./given_words.mjs";
import { amount, within } from "../../../src/sordino/service/client/channel/fraction.js";
import { Mechanism } from "../../../src/sordino/service/client/channel/mechanism.js";
import { Meeting } from "../../../src/sordino/service/client/channel/sets.js";
import { comb, rank, ranked } from "../../../src/sordino/service/client/channel/subsets.js";
import { readingOf, sharesOf } from "../../../src/sordino/service/client/estimate/reading.js";
import { PlanError, estimates, inspect, open, sentences } from "../../../src/sordino/service/client/index.js";
import { itemsOfMarks, setOf } from "../../../src/sordino/service/client/plan/choices.js";

const WORD = 1n << 64n;
const CASES = [[4, 1, 1, 1], [5, 2, 1, 1], [6, 2, 3, 1], [6, 3, 3, 2], [7, 2, 5, 2], [7, 4, 2, 2], [8, 3, 4, 3]];

/** All sets of so many of some items, each by its ascending places. */
function setsOf(items, members, from = 0) {
  if (members === 0) return [[]];
  const first = Array.from({ length: Math.max(0, items - from) }, (_, i) => from + i);
  return first.flatMap((place) => setsOf(items, members - 1, place + 1).map((rest) => [place, ...rest]));
}

const shared = (one, other) => one.filter((place) => other.includes(place)).length;

/** How many codes share enough with a set, and how many do not. */
function sides(items, chosen, size, least) {
  const of = (j) => comb(chosen, j) * comb(items - chosen, size - j);
  const all = Array.from({ length: Math.min(chosen, size) + 1 }, (_, j) => of(j));
  const sum = (some) => some.reduce((a, b) => a + b, 0n);
  return [sum(all.slice(least)), sum(all.slice(0, least))];
}

/** The largest threshold that an epsilon allows. */
function largest(epsilon, on, off) {
  const bound = amount(epsilon);
  let [low, high] = [1n, WORD];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (within([off * middle, on * (WORD - middle)], bound)) low = middle;
    else high = middle;
  }
  return low;
}

const recordOf = ([items, chosen, size, least], threshold) => ({
  name: "meeting",
  k: Number(comb(items, chosen)),
  items,
  chosen,
  size,
  least,
  threshold: String(threshold),
  codes: String(comb(items, size)),
  draw: ["sides", "threshold", ["meeting", "v", "items", "chosen", "size", "least"]],
});

/** A plan about so many names; `change` changes its mechanism, `less` its threshold. */
function planOf(names, several, [size, least], { epsilon = "1", change = () => {}, threshold = (most) => most, attribute = {}, others = {}, way = "meeting" } = {}) {
  const labels = Array.from({ length: names }, (_, i) => `n${i}`);
  const sizes = [names + several + Number(attribute.not_asked !== undefined), several, size, least];
  const [on, off] = sides(...sizes);
  const mechanism = recordOf(sizes, threshold(largest(epsilon, on, off), on, off));
  change(mechanism);
  const attributes = { x: { columns: ["x"], labels, several, none: "none of them", protect: { epsilon }, ...attribute }, ...others };
  return sealed({ format: "sordino plan", version: 4, people: 1000, attributes, queries: [{ weight: 1, several: "x", way, subtract_totals: false, mechanism }] });
}

test("sets have numbers of their own, in the order of their masks", () => {
  for (const [items, members] of [[1, 1], [5, 0], [6, 2], [7, 7], [9, 4]]) {
    const masks = setsOf(items, members).map((places) => [places.reduce((all, place) => all + 2 ** place, 0), places]);
    masks.sort(([one], [other]) => one - other);
    assert.deepEqual(masks.map(([, places]) => rank(places)), masks.map((_, number) => BigInt(number)));
    assert.deepEqual(masks.map((_, number) => ranked(BigInt(number), items, members)), masks.map(([, places]) => places));
    assert.equal(comb(items, members), BigInt(masks.length));
  }
  assert.equal(comb(5003, 3), (5003n * 5002n * 5001n) / 6n);
  assert.equal(comb(3, 5), 0n);
  assert.deepEqual(ranked(comb(5003, 5) - 1n, 5003, 5), [4998, 4999, 5000, 5001, 5002]);
});

test("each choice leads to a code of its own, on its side of the value's set", () => {
  for (const sizes of CASES) {
    const [items, chosen, size, least] = sizes;
    const set = new Meeting(...sizes.map(BigInt));
    const codes = setsOf(items, size);
    for (const own of setsOf(items, chosen)) {
      const value = Number(rank(own));
      for (const off of [false, true]) {
        const expected = codes.filter((code) => shared(own, code) >= least !== off).map(rank);
        assert.equal(BigInt(expected.length), set.bounds[Number(off)]);
        const found = expected.map((_, choice) => set.code(value, BigInt(choice), off));
        assert.deepEqual(new Set(found), new Set(expected));
        for (const code of expected) assert.equal(set.holds(value, code), !off);
      }
    }
  }
});

test("people have as many items, and each mark is an item of its own", () => {
  const attribute = { labels: ["a", "b", "c", "d"], several: 3, none: "none" };
  for (const unasked of [undefined, "not asked"]) {
    const own = { ...attribute, not_asked: unasked };
    const items = 7 + Number(unasked !== undefined);
    const values = [...[0, 1, 2, 3].flatMap((size) => setsOf(4, size)), ...(unasked ? [null] : [])];
    const sets = values.map((value) => ranked(BigInt(setOf(own, value)), items, 3));
    assert.equal(new Set(sets.map(String)).size, values.length);
    const marks = itemsOfMarks(own);
    values.forEach((value, i) => {
      const applies = [0, 1, 2, 3].map((place) => value !== null && value.includes(place));
      assert.deepEqual(marks.map((item) => sets[i].includes(item)), [...applies, value?.length === 0, ...(unasked ? [value === null] : [])]);
    });
  }
});

test("the promise of sets that are too many to be listed is kept to a unit in 2^64", async () => {
  for (const [names, several, sizes] of [[20, 3, [2, 1]], [60, 9, [4, 2]], [60, 10, [1, 1]], [30, 12, [9, 3]]]) {
    const verdictOf = async (threshold) => (await inspect(planOf(names, several, sizes, { threshold }))).verdicts[0];
    const found = await verdictOf((most) => most);
    assert.equal(found.holds, true);
    assert.ok(found.ratio[0] * 1000n > found.ratio[1] * 2718n);
    assert.equal((await verdictOf((most) => most + 1n)).holds, false);
    // As far on the other side: codes that share enough are less likely.
    const least = (_, on, off) => WORD - largest("1", off, on);
    assert.equal((await verdictOf(least)).holds, true);
    assert.equal((await verdictOf((...given) => least(...given) - 1n)).holds, false);
  }
});

test("sets that are not the question's are no plan", async () => {
  const refused = (pattern, change, more = {}) => assert.rejects(open(planOf(20, 3, [2, 1], { change, ...more })), (error) => error instanceof PlanError && pattern.test(error.message));
  const resized = (sizes) => (found) => Object.assign(found, recordOf(sizes, found.threshold));
  await open(planOf(20, 3, [2, 1]));
  await refused(/must be about 1771 values/, resized([24, 3, 2, 1]));
  await refused(/must be about 1771 values/, resized([23, 2, 2, 1]));
  // As many sets, of the items that each person lacks.
  await refused(/sets must be of 23 items, 3 of which each person has/, resized([23, 20, 2, 1]));
  await refused(/codes must be as many as a draw has/, (found) => (found.codes = "254"));
  await refused(/some codes must share enough/, resized([23, 3, 21, 1]));
  for (const [name, other] of [["least", 0], ["least", 3], ["size", 0], ["size", 23], ["chosen", 0], ["items", 2 ** 20]]) await refused(/whole number/, (found) => (found[name] = other));
  await refused(/each value must have a set of codes/, (found) => (found.k = 1772));
  await refused(/have its arguments/, (found) => found.draw[2].pop());
  await refused(/must be about 2 values/, () => {}, { way: "category" });
  await refused(/must be about|must be of/, (found) => Object.assign(found, { name: "randomized", draw: ["sides", "threshold", ["run", "v", "k", 1]], codes: "1771" }));
  // Nobody has another set than of as many dummies as labels may apply.
  await refused(/must be about 10626 values/, () => {}, { attribute: { several: 4 } });
  await refused(/must fit in 53 bits/, (found) => Object.assign(found, recordOf([70, 30, 2, 1], found.threshold), { k: 1771 }));
});

test("shares of marks are unbiased, and their errors those of counts", () => {
  for (const sizes of CASES) {
    const [items, chosen, size, least] = sizes;
    const [on, off] = sides(...sizes);
    const threshold = largest("2", on, off);
    const mechanism = new Mechanism(recordOf(sizes, threshold));
    const people = setsOf(items, chosen).slice(0, 5);
    const told = Number(threshold) / 2 ** 64;
    const counts = new Array(items + 1).fill(0);
    for (const own of people) {
      for (const code of setsOf(items, size)) {
        const chance = shared(own, code) >= least ? told / Number(on) : (1 - told) / Number(off);
        for (const place of [...code, items]) counts[place] += chance;
      }
    }
    const { n, value, stderr } = sharesOf(readingOf(mechanism), counts, false);
    assert.ok(Math.abs(n - people.length) < 1e-9);
    const [adds, lacks] = ["on", "off"].map((side) => readingOf(mechanism)[side][0]);
    value.forEach((share, item) => {
      assert.ok(Math.abs(share - people.filter((own) => own.includes(item)).length / people.length) < 1e-9);
      const held = counts[item] / n;
      const error = (adds - lacks) * Math.sqrt((held * (1 - held)) / n);
      assert.ok(stderr[item] >= error * (1 - 1e-9) && stderr[item] < 2 * error, `${stderr[item]} and ${error}`);
    });
  }
});

test("a tally has a count for each item, and the marks are read off theirs", async () => {
  const { plan, questions } = await open(planOf(60, 9, [2, 1], { epsilon: "3" }));
  const counts = [...Array.from({ length: 69 }, (_, item) => 100 + item), 5000];
  const [found] = estimates(questions, { format: "sordino aggregate", version: 1, plan: plan.hash, counts });
  assert.equal(found.n, 5000);
  assert.deepEqual(found.rows.map(({ label }) => label), [...plan.attributes.x.labels, "none of them"]);
  const { value } = sharesOf(readingOf(questions.asked[0].mechanism), counts, false);
  assert.deepEqual(found.rows.map(({ estimate }) => estimate), [...value.slice(0, 60), value[68]]);
});

test("what a report of sets reveals is said", async () => {
  const found = await open(planOf(60, 9, [4, 2]));
  const said = sentences(found).join("\n");
  assert.match(said, /the report names 4, drawn at random: groups that share enough with yours/);
  assert.match(said, /a factor of at most 2\.72/);
  assert.match(sentences(await open(planOf(60, 9, [1, 1]))).join("\n"), /the report names 1, drawn at random: one of yours/);
});

test("sets of people who were not asked are protected as all others, however many there are", async () => {
  const smoker = { columns: ["smoker"], labels: ["yes", "no"] };
  const attribute = { not_asked: "not asked", only_if: { smoker: ["yes"] } };
  const found = await open(planOf(60, 9, [4, 2], { attribute, others: { smoker } }));
  assert.match(sentences(found).join("\n"), /is asked because of/);
  const words = Array.from({ length: 40 }, (_, i) => (BigInt(i) * 0x9e3779b97f4a7c15n) % WORD);
  const codes = [{ smoker: "no" }, { smoker: "yes", x: [] }].map((record) => found.questions.draw(record, new GivenWords(words)).code);
  assert.equal(codes.every((code) => code < comb(70, 4)), true);
  await assert.rejects(open(planOf(60, 9, [4, 2], { attribute, others: { smoker }, threshold: (most) => most + 1n })), /must keep what it promises/);
});

test("records of few and of many give codes of one length by as many words", async () => {
  const { questions } = await open(planOf(60, 9, [4, 2]));
  const words = Array.from({ length: 40 }, (_, i) => (BigInt(i) * 0x9e3779b97f4a7c15n) % WORD);
  const drawn = [[], ["n3"], ["n0", "n59", "n7"], "none of them"].map((x) => {
    const given = new GivenWords(words);
    questions.draw({ x }, given);
    return given.drawn;
  });
  assert.equal(new Set(drawn).size, 1);
});

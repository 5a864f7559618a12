// What the page says of whether people were asked: node weaker.mjs < TEXTS, a JSON list of plans (see test_asked_because.py).

import { readFileSync } from "node:fs";

import { upward, factor } from "../../../src/sordino/service/client/channel/fraction.js";
import { Speech } from "../../../src/sordino/service/client/catalogue/speech.js";
import { aboutAsking } from "../../../src/sordino/service/client/explain.js";
import { open, sentences } from "../../../src/sordino/service/client/index.js";
import { weakerReports } from "../../../src/sordino/service/client/promise/conditions.js";

const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const plan = await open(text);
  const digits = (bound) => (bound === null ? null : upward(factor(bound)));
  const reports = [...weakerReports(plan.questions)].flatMap(([name, own]) => own.map(({ place, bound, level }) => [name, place, digits(bound), digits(level)]));
  const told = Object.fromEntries(["en", "de", "fr", "es"].map((language) => {
    const speech = new Speech(language, plan.plan.words);
    return [language, { short: aboutAsking(plan, speech), all: sentences(plan, speech) }];
  }));
  found.push({ reports, told });
}
console.log(JSON.stringify(found));

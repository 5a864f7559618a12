// Whether the page answers plans: node opened.mjs < TEXTS, a JSON list (see test_same_verdict.py).

import { readFileSync } from "node:fs";

import { PlanError, open, sentences } from "../../../src/sordino/service/client/index.js";

const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    sentences(await open(text));
    found.push(true);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    found.push(false);
  }
}
console.log(JSON.stringify(found));

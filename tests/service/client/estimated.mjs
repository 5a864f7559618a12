// Works tallies out: node estimated.mjs < PAIRS, a JSON list of a plan's text and a tally's document (see test_estimates.py).

import { readFileSync } from "node:fs";

import { estimates, inspect } from "../../../src/sordino/service/client/index.js";

const found = [];
for (const [text, tally] of JSON.parse(readFileSync(0, "utf8"))) {
  const { questions } = await inspect(text);
  found.push(estimates(questions, tally));
}
console.log(JSON.stringify(found));

// Works tallies out: node estimated.mjs < PAIRS, a JSON list of the texts of a plan and a tally (see test_estimates.py).

import { readFileSync } from "node:fs";

import { estimates, inspect, readTally } from "../../../src/sordino/service/client/index.js";

const found = [];
for (const [text, tally] of JSON.parse(readFileSync(0, "utf8"))) {
  const { questions } = await inspect(text);
  found.push(estimates(questions, readTally(tally)));
}
console.log(JSON.stringify(found));

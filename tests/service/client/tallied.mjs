// Whether the page takes tallies of a plan: node tallied.mjs < [TEXT, TALLIES], of texts (see test_estimates.py).

import { readFileSync } from "node:fs";

import { TallyError, estimates, inspect, readTally } from "../../../src/sordino/service/client/index.js";

const [plan, tallies] = JSON.parse(readFileSync(0, "utf8"));
const { questions } = await inspect(plan);
const found = tallies.map((text) => {
  try {
    estimates(questions, readTally(text));
    return true;
  } catch (error) {
    if (!(error instanceof TallyError)) throw error;
    return false;
  }
});
console.log(JSON.stringify(found));

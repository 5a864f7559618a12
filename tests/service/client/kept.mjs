// Whether plans keep what they promise: node kept.mjs < TEXTS, a JSON list (see test_deltas.py).

import { readFileSync } from "node:fs";

import { inspect } from "../../../src/sordino/service/client/index.js";

const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const { verdicts } = await inspect(text);
  found.push(verdicts.every(({ holds }) => holds));
}
console.log(JSON.stringify(found));

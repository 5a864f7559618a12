// What the form says in two sentences of each golden plan: node short.mjs.

import { NAMES, read } from "./golden.mjs";
import { summary } from "../../../src/sordino/service/client/explain.js";
import { open } from "../../../src/sordino/service/client/index.js";

const found = {};
for (const name of NAMES) {
  const { sentences, after } = summary(await open(read(name).plan));
  found[name] = { sentences, after: after === null ? null : Number(after) };
}
console.log(JSON.stringify(found));

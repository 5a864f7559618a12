// Draws sets that meet others with given words, and compares the codes: node same_sets.mjs FILE (see test_same_sets.py).

import { readFileSync } from "node:fs";

import { Mechanism } from "../../../src/sordino/service/client/channel/mechanism.js";
import { GivenWords } from "./given_words.mjs";

let alike = 0;
for (const { record, draws } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const mechanism = new Mechanism(record);
  for (const { value, words, code } of draws) {
    const given = new GivenWords(words.map((word) => BigInt(`0x${word}`)));
    const found = String(mechanism.code(value, given));
    if (found === code && given.drawn === words.length) alike += 1;
    else console.error(`value ${value} of ${JSON.stringify(record)}: ${found} instead of ${code}, by ${given.drawn} of ${words.length} words`);
  }
}
console.log(`${alike} alike`);

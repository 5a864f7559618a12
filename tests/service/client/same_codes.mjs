// Answers with given words, and compares the codes: node same_codes.mjs FOLDER (see test_same_codes.py).

import { readFileSync } from "node:fs";

import { Questions } from "../../../src/sordino/service/client/index.js";
import { GivenWords } from "./given_words.mjs";

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
const { records, codes, drawn } = read("reports");
const bytes = readFileSync(`${folder}/words.bin`);
const questions = new Questions(read("plan"));
let [place, alike] = [0, 0];
for (const [i, record] of records.entries()) {
  const words = new GivenWords(Array.from({ length: drawn[i] }, (_, n) => bytes.readBigUInt64LE(8 * (place + n))));
  place += drawn[i];
  const { code } = questions.draw(record, words);
  if (String(code) === codes[i] && words.drawn === drawn[i]) alike += 1;
  else console.error(`report ${i}: ${code} instead of ${codes[i]}, by ${words.drawn} of ${drawn[i]} words`);
}
console.log(`${alike} alike`);

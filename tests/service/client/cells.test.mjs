// What a cell is called: of a number's bins the whole numbers in them, or their ends.

import assert from "node:assert/strict";
import test from "node:test";

import { labelOf } from "../../../src/sordino/service/client/plan/cells.js";

const names = (edges) => edges.slice(1).map((_, value) => labelOf({ number: { edges } }, value));

test("bins of whole numbers are called by these", () => {
  assert.deepEqual(names([-0.5, 0.5, 1.5, 2.5]), ["0", "1", "2"]);
  assert.deepEqual(names([-0.5, 29.5, 30.5, 99.5]), ["0 to 29", "30", "31 to 99"]);
});

test("other bins are called by their ends", () => {
  assert.deepEqual(names([0, 30, 60]), ["0 to 30", "30 to 60"]);
  assert.deepEqual(names([-0.5, 29.5, 30]), ["-0.5 to 29.5", "29.5 to 30"]);
});

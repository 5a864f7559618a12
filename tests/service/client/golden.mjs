// The golden vectors, and plans that are made of theirs, each under a hash of its own.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

import { drawn } from "./drawn.mjs";

const FOLDER = new URL("../../vectors/", import.meta.url);
export const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
export const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && name !== "refused_plans.json");

/** JSON with sorted keys: what the documents here need of their form. */
function canonical(found) {
  if (Array.isArray(found)) return `[${found.map(canonical)}]`;
  if (typeof found !== "object" || found === null) return JSON.stringify(found);
  const parts = Object.keys(found).sort().map((key) => `${JSON.stringify(key)}:${canonical(found[key])}`);
  return `{${parts}}`;
}

/** A question through mechanisms with their draws. */
function asked(part, attributes) {
  const { mechanism, queries, histogram } = part;
  if (mechanism) return { ...part, mechanism: drawn(mechanism, attributes[histogram]) };
  return queries ? { ...part, queries: { ...queries, mechanisms: queries.mechanisms?.map((one) => drawn(one)) } } : part;
}

/** The text of a plan under a hash of its own. */
export function sealed({ hash, ...content }) {
  content.queries = content.queries.map((part) => asked(part, content.attributes));
  const own = createHash("sha256").update(canonical(content)).digest("hex");
  return `{"hash":"sha256:${own}",${canonical(content).slice(1)}\n`;
}

/** The text of a golden plan with a change in its document. */
export const changed = (name, change) => {
  const plan = JSON.parse(read(name).plan);
  change(plan);
  return sealed(plan);
};

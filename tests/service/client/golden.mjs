// The golden vectors, and plans that are made of theirs, each under a hash of its own.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const FOLDER = new URL("../../vectors/", import.meta.url);
export const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
export const NAMES = readdirSync(FOLDER).filter((name) => name !== "refused_plans.json");

/** JSON with sorted keys: what the documents here need of the canonical form. */
function canonical(found) {
  if (Array.isArray(found)) return `[${found.map(canonical)}]`;
  if (typeof found !== "object" || found === null) return JSON.stringify(found);
  const parts = Object.keys(found).sort().map((key) => `${JSON.stringify(key)}:${canonical(found[key])}`);
  return `{${parts}}`;
}

/** The text of a plan under a hash of its own. */
export function sealed({ hash, ...content }) {
  const own = createHash("sha256").update(canonical(content)).digest("hex");
  return `${canonical({ ...content, hash: `sha256:${own}` })}\n`;
}

/** The text of a golden plan with a change in its document. */
export const changed = (name, change) => {
  const plan = JSON.parse(read(name).plan);
  change(plan);
  return sealed(plan);
};

// A plan from its bytes: canonical JSON under its own hash, with the fields of docs/plan-format.md and no others.

import { Canonical, PlanError } from "./canonical.js";
import { RULES } from "./consistent.js";
import { PLAN } from "./fields.js";

/** SHA-256 of a text, as a plan's hash is written. */
export async function hashOf(content) {
  if (!globalThis.crypto?.subtle) {
    const step = "Open the page over https, in a browser of our days.";
    throw new PlanError("the browser must be able to check the plan's hash", "no WebCrypto here", step);
  }
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
  return `sha256:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The plan of a text, under its own hash, and under the one that was asked for; throws PlanError.
 * @param {string} content
 * @param {string} [asked]
 * @returns {Promise<import("../index.js").Plan>}
 */
export async function readPlan(content, asked) {
  const plan = new Canonical(content).whole();
  if (plan.format !== "sordino plan") throw new PlanError("a plan must be a plan of Sordino", "a different document");
  if (plan.version !== 4) {
    const step = "Get the page of the same age as the plan.";
    throw new PlanError("a plan must be of version 4", "another version", step);
  }
  if (!PLAN(plan)) throw new PlanError("a plan must have exactly its fields", "missing or unknown fields");
  for (const [rule, holds] of RULES) if (!holds(plan)) throw new PlanError(rule, "a value that breaks the rule");
  // The hash is the first member, of the bytes that are left when it is cut out, but for the line feed at their end.
  const first = `{"hash":"${plan.hash}",`;
  const own = await hashOf(`{${content.slice(first.length, -1)}`);
  if (!content.startsWith(first) || own !== plan.hash) throw new PlanError("a plan must be unchanged", "contents that do not match its hash");
  if (asked !== undefined && asked !== plan.hash) {
    throw new PlanError("the plan must be the one in the address", "a different plan");
  }
  return plan;
}

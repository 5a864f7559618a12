// A plan from its text, with what draws its reports and whether its promises are kept.

import { RuleError } from "./channel/entries.js";
import { PlanError } from "./plan/canonical.js";
import { Questions } from "./plan/draw.js";
import { readPlan } from "./plan/plan.js";
import { requireKept, verdicts } from "./promise/promise.js";

/**
 * A plan's text read, and the verdict about each question; throws PlanError. `hash` is the one that was asked for.
 * @param {string} text
 * @param {string} [hash]
 * @returns {Promise<import("./index.js").Found>}
 */
export async function inspect(text, hash) {
  try {
    const plan = await readPlan(text, hash);
    const questions = new Questions(plan);
    return { plan, questions, verdicts: verdicts(questions) };
  } catch (error) {
    if (error instanceof RuleError) throw new PlanError(error.message, error.found);
    // What no rule here is about, however it is wrong.
    if (!(error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new PlanError("a plan must have channels that this client knows", "parts that do not fit each other");
  }
}

/**
 * The same of a plan that may be answered: none of its promises is broken.
 * @param {string} text
 * @param {string} [hash]
 */
export async function open(text, hash) {
  const found = await inspect(text, hash);
  requireKept(found.verdicts);
  return found;
}

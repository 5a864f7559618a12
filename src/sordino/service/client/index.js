// The browser client of Sordino: everything that a device needs to answer a plan, and a stranger to check one.
// docs/plan-format.md says what it does. Whole numbers are BigInts; floats are in the rounding of numbers only.

import { RuleError } from "./channel/entries.js";
import { Questions } from "./plan/draw.js";
import { readPlan } from "./plan/plan.js";
import { PlanError } from "./plan/canonical.js";
import { requireKept, verdicts } from "./promise/promise.js";

export { TallyError, estimates, readTally } from "./estimate/estimates.js";
export { sentences } from "./explain.js";
export { Outbox, invitationOf, pack } from "./outbox.js";
export { StorageError } from "./shelf.js";
export { AnswerError, asked, values } from "./plan/record.js";
export { Speech } from "./catalogue/speech.js";
export { publicColumns } from "./plan/public.js";
export { askedColumns, drawPeriod, firstDays } from "./series/series.js";
export { isSigned, keyOf, leadsTo, signedBy } from "./signature.js";
export { FreshWords } from "./channel/words.js";
export { PlanError, Questions, readPlan };

/**
 * A plan as docs/plan-format.md describes it, checked by `readPlan`.
 * @typedef {{hash: string, attributes: Record<string, any>, queries: any[], public?: any[], words?: any} & Record<string, any>} Plan
 *
 * What is known of the promise about a question: whether it is kept, null where that could not be checked, and what was found; and the
 * most by which a report changes odds, null where nothing limits it, undefined where that depends on the two answers.
 * @typedef {{holds: boolean | null, found?: string, names: string[], ratio: [bigint, bigint] | null | undefined}} Verdict
 *
 * A plan that was read, what draws its reports, and a verdict about each question.
 * @typedef {{plan: Plan, questions: Questions, verdicts: Verdict[]}} Found
 */

/**
 * A plan's text read, and the verdict about each question; throws PlanError. `hash` is the one that was asked for.
 * @param {string} text
 * @param {string} [hash]
 * @returns {Promise<Found>}
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

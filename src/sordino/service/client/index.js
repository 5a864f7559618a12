// The browser client of Sordino: everything that a device needs to answer a plan, and a stranger to check one.
// docs/plan-format.md says what it does. Whole numbers are BigInts; floats are in the rounding of numbers only.

import de from "./catalogue/de.js";
import en from "./catalogue/en.js";
import es from "./catalogue/es.js";
import fr from "./catalogue/fr.js";
import { CATALOGUES } from "./catalogue/speech.js";

export { inspect, open } from "./checked_plan.js";
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
export { PlanError } from "./plan/canonical.js";
export { Questions } from "./plan/draw.js";
export { readPlan } from "./plan/plan.js";

// A program waits for no language; a form loads the one that it shows.
Object.assign(CATALOGUES, { de, en, es, fr });

/**
 * A plan as docs/plan-format.md describes it, checked by `readPlan`.
 * @typedef {{hash: string, attributes: Record<string, any>, queries: any[], public?: any[], words?: any} & Record<string, any>} Plan
 *
 * What is known of the promise about a question: whether it is kept, null where that could not be checked, and what was found; and the
 * most by which a report changes odds, null where nothing limits it, undefined where that depends on the two answers.
 * @typedef {{holds: boolean | null, found?: string, names: string[], ratio: [bigint, bigint] | null | undefined}} Verdict
 *
 * A plan that was read, what draws its reports, and a verdict about each question.
 * @typedef {{plan: Plan, questions: import("./plan/draw.js").Questions, verdicts: Verdict[]}} Found
 */

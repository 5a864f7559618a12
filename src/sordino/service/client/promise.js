// Whether a whole plan keeps what it promises, question by question.

import { broken, keeps, larger, worst } from "./audit.js";
import { amount, times, within } from "./fraction.js";
import { PlanError } from "./plan.js";
import { about } from "./record.js";

/**
 * The verdict about each question: `holds` is true, false, or null where it could not be gone through; `ratio` is how far
 * a report about it changes odds at most, as [numerator, denominator], null without limit, and undefined if not known.
 */
export function verdicts(questions) {
  const { plan } = questions;
  return questions.asked.map((asked, place) => {
    const part = plan.queries[place];
    const names = about(part);
    const attribute = part.histogram === undefined ? null : plan.attributes[part.histogram];
    const wrong = asked.mechanisms.map((one) => broken(one, attribute)).find(Boolean);
    if (wrong) return { names, holds: false, found: wrong };
    try {
      if (attribute) return ofShares(plan, asked.mechanism, attribute, names);
      return part.numbers ? ofNumbers(plan, asked, names) : ofBins(plan, asked.mechanism, part);
    } catch (error) {
      if (error instanceof RangeError) return { names, holds: null, found: error.message };
      throw error;
    }
  });
}

function ofShares(plan, mechanism, attribute, names) {
  const kept = keeps(mechanism, attribute);
  const ratio = attribute.protect.epsilon && !attribute.protect.metric ? limited(mechanism, attribute) : undefined;
  const whole = plan.epsilon === undefined || isWithin(worst(mechanism), plan.epsilon);
  const holds = kept && whole && !beyondDeltas(plan, worst(mechanism), names);
  return { names, holds, ratio, found: holds ? null : "integers that tell more than is promised" };
}

/** The most that a report tells of two values that are protected from each other. */
function limited(mechanism, { protect }) {
  if (mechanism.parts) return mechanism.parts.map((part) => worst(part.inner)).reduce(larger, [1n, 1n]);
  if (protect.sensitive || protect.blocks) return undefined;
  return worst(mechanism);
}

function ofBins(plan, mechanism, part) {
  const ratio = worst(mechanism);
  const kept = isWithin(ratio, part.epsilon) && isWithin(ratio, plan.epsilon);
  const holds = kept && !beyondDeltas(plan, ratio, [part.distribution]);
  return { names: [part.distribution], holds, ratio, found: holds ? null : "integers that tell more than is promised" };
}

function ofNumbers(plan, asked, names) {
  const ratio = asked.queries
    .map((query) => query.map((one) => worst(one.mechanism)).reduce((a, b) => (a && b ? times(a, b) : null), [1n, 1n]))
    .reduce(larger, [1n, 1n]);
  const holds = isWithin(ratio, plan.epsilon) && !beyondDeltas(plan, ratio, names);
  return { names, holds, ratio, found: holds ? null : "integers that tell more than is promised" };
}

/** Whether a question by itself tells more of what it asks for than its attribute's delta; of bins that is not known. */
function beyondDeltas(plan, ratio, names) {
  if (names.length > 1 || plan.dependence?.bins) return false;
  const { delta } = plan.attributes[names[0]];
  return delta !== undefined && !isWithin(ratio, delta);
}

function isWithin(ratio, text) {
  return ratio !== null && text !== undefined && within(ratio, amount(text));
}

/** The attributes whose delta rests on how attributes depend on each other, which integers do not show. */
export function rests(plan) {
  if (plan.epsilon === undefined) return [];
  const names = Object.keys(plan.attributes);
  return names.length < 2 ? [] : names.filter((name) => plan.attributes[name].delta !== plan.epsilon);
}

/** Throws PlanError where some question does not keep what is promised. */
export function requireKept(found) {
  const wrong = found.find((verdict) => verdict.holds === false);
  if (wrong) {
    const rule = `a plan must keep what it promises about ${wrong.names.join(" and ")}`;
    throw new PlanError(rule, wrong.found, "Do not answer it, and tell whoever asks you.");
  }
}

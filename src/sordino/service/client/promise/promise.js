// Whether a whole plan keeps what it promises, question by question.

import { UncheckedError } from "../channel/law.js";
import { broken, differentParts, keeps, larger, worst } from "./audit.js";
import { beyondDeltas } from "./deltas.js";
import { keepsDistances } from "./distances.js";
import { amount, times, within } from "../channel/fraction.js";
import { PlanError } from "../plan/canonical.js";
import { about } from "../plan/record.js";

/**
 * The verdict about each question: `holds` is true, false, or null where that would take too long; `ratio` is how far
 * a report about it changes odds at most, as [numerator, denominator], null without limit, and undefined if not known.
 */
export function verdicts(questions) {
  const { plan } = questions;
  return questions.asked.map((asked, place) => {
    const part = plan.queries[place];
    const names = about(part);
    // Of a table its cells.
    const attribute = asked.attribute ?? null;
    try {
      const wrong = asked.mechanisms.map((one) => broken(one, attribute)).find(Boolean);
      if (wrong) return { names, holds: false, found: wrong };
      const found = attribute ? ofShares(plan, attribute, asked) : part.numbers ? ofNumbers(asked) : ofBins(asked.mechanism, part);
      const whole = attribute && plan.epsilon === undefined ? true : levels(plan, names).every((level) => isWithin(found.whole, level));
      const holds = found.kept && whole && !beyondDeltas(plan, part, asked).length;
      return { names, holds, ratio: found.ratio, found: holds ? null : "integers that tell more than is promised" };
    } catch (error) {
      if (error instanceof UncheckedError) return { names, holds: null, found: error.message };
      throw error;
    }
  });
}

/** What no two records may exceed in a report: the plan's epsilon; without one that of each attribute that is read. */
const levels = ({ epsilon, attributes }, names) => (epsilon === undefined ? names.map((name) => attributes[name].protect.epsilon) : [epsilon]);

/** Whether the promise about an attribute's values is kept, and how far odds change: of protected pairs, and of any. */
function ofShares(plan, attribute, { mechanism, attributes = [attribute] }) {
  const ratio = attribute.protect.epsilon && !attribute.protect.metric ? limited(mechanism, attribute) : undefined;
  return { kept: keeps(mechanism, attribute) && attributes.every(keepsDistances), ratio, whole: plan.epsilon === undefined ? null : worst(mechanism) };
}

/** The most that a report tells of two values that are protected from each other. */
function limited(mechanism, { protect }) {
  if (mechanism.parts) return differentParts(mechanism).map(worst).reduce(larger, [1n, 1n]);
  if (protect.sensitive || protect.blocks) return undefined;
  return worst(mechanism);
}

function ofBins(mechanism, part) {
  const ratio = worst(mechanism);
  return { kept: isWithin(ratio, part.epsilon), ratio, whole: ratio };
}

function ofNumbers(asked) {
  const ratio = asked.queries
    .map((query) => query.map((one) => worst(one.mechanism)).reduce((a, b) => (a && b ? times(a, b) : null), [1n, 1n]))
    .reduce(larger, [1n, 1n]);
  return { kept: true, ratio, whole: ratio };
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

/** Throws PlanError where some question does not keep what is promised, or could not be gone through. */
export function requireKept(found) {
  const wrong = found.find((verdict) => verdict.holds === false);
  if (wrong) {
    const rule = `a plan must keep what it promises about ${wrong.names.join(" and ")}`;
    throw new PlanError(rule, wrong.found, "Do not answer it, and tell the collector.");
  }
  const unsure = found.find((verdict) => verdict.holds === null);
  if (unsure) {
    const rule = `what a plan promises about ${unsure.names.join(" and ")} must be possible to check on a page`;
    throw new PlanError(rule, unsure.found, "Answer with `sordino answer`, which checks everything.");
  }
}

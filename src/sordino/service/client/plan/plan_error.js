/** What is wrong with a plan: a rule, what was found, and a next step. */
export class PlanError extends Error {
  constructor(rule, found, step = "Get the original from whoever asks you, and answer no other.") {
    super(`${rule}; found ${found}. ${step}`);
    Object.assign(this, { rule, found, step });
  }
}

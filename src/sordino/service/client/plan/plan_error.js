/** What is wrong with a plan: a rule, what was found, and a next step. */
export class PlanError extends Error {
  /**
   * @param {string} rule
   * @param {string} found
   * @param {string} [step]
   */
  constructor(rule, found, step = "Get the original from whoever asks you, and answer no other.") {
    super(`${rule}; found ${found}. ${step}`);
    this.rule = rule;
    this.found = found;
    this.step = step;
  }
}

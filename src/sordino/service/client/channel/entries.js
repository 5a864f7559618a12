// What a plan writes of a channel, each entry in its one spelling: nothing is converted, and nothing else is taken.

const MOST = 1n << 64n;
const DIGITS = /^(?:0|[1-9]\d{0,19})$/;

/** A rule that a plan breaks, and what was found; `inspect` says it as a PlanError. */
export class RuleError extends RangeError {
  constructor(rule, found = "others") {
    super(rule);
    this.found = found;
  }
}

/** Throws RuleError unless a condition holds. */
export function requires(holds, rule, found) {
  if (!holds) throw new RuleError(rule, found);
}

/** An integer of 0 to 2^64, which stands as a text of digits. */
export function integer(entry) {
  const found = typeof entry === "string" && DIGITS.test(entry) ? BigInt(entry) : -1n;
  requires(found >= 0n && found <= MOST, "an integer of a channel must be a text of digits, up to 2^64 and without leading zeros", "a different spelling");
  return found;
}

/** A whole number between two others. */
export function whole(entry, least, most, what) {
  requires(Number.isInteger(entry) && entry >= least && entry <= most, `${what} must be a whole number from ${least} to ${most}`, "another");
  return entry;
}

/** A list, of such entries. */
export function listOf(entries, read, what) {
  requires(Array.isArray(entries), `${what} must be a list`, "something else");
  return entries.map((entry) => read(entry));
}

/** How many codes there are, where they fit into a report. */
export function codes(count) {
  requires(count <= MOST, "a report must fit in 64 bits", "more");
  return count;
}

// The browser client of Sordino: everything that a device needs to answer a plan, and a stranger to check one.
// docs/plan-format.md says what it does. Whole numbers are BigInts; floats are in the rounding of numbers only.

export { Questions } from "./draw.js";
export { AnswerError, asked, values } from "./record.js";
export { FreshWords, GivenWords } from "./words.js";

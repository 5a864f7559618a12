// When it is a person's turn, by a plan with a series: in one of its periods, which is drawn or named by a link once, and kept
// as a report is, before anything is asked. No later draw and no other link changes it, so that nobody chooses when to answer
// by what the answer is. Days are those of UTC, by this device's clock.

import { FreshWords } from "../channel/words.js";
import { PageError } from "../dom.js";
import { Shelf } from "../shelf.js";
import { PERIOD, daysSince, drawPeriod, firstDays, lastDay, today, when } from "./series.js";

/** The sentence of the catalogue about each state. */
const SENTENCES = { later: "turn_later", now: "turn_now", over: "turn_over" };

/** What the periods of a series are called; all others are a time from a day to another. */
const NAMES = { day: "period_day", week: "period_week" };

/**
 * The period of an address, its first day; null where there is none.
 * @param {string} fragment
 * @returns {string | null}
 */
export const periodOf = (fragment) => new URLSearchParams(fragment.replace(/^#/, "")).get(PERIOD);

export class Turn {
  /**
   * @param {{periods: number, every: string, start: string}} series the plan's
   * @param {string} label the first day of the period
   */
  constructor(series, label) {
    this.series = series;
    this.label = label;
    this.period = firstDays(series).indexOf(label);
  }

  /**
   * The person's period, drawn or taken from a link now, or earlier; null of a plan that asks at one time. Throws PageError,
   * StorageError.
   * @param {any} plan
   * @param {string | null} assigned by the link
   * @param {boolean} isInvited whether there is a link of one person's
   */
  static async own(plan, assigned, isInvited, shelf = new Shelf(), random = new FreshWords()) {
    const { series, hash } = plan;
    if (series === undefined) return null;
    const labels = firstDays(series).slice(0, -1);
    if (isInvited !== (assigned !== null) || (assigned !== null && !labels.includes(assigned))) throw new PageError("problem_turn_link");
    // Beside the report, which is kept under the hash alone.
    const { period } = await shelf.change(`${hash} ${PERIOD}`, (found) => found ?? { period: assigned ?? labels[drawPeriod(series, random)] });
    if (assigned !== null && period !== assigned) throw new PageError("problem_turn_stays");
    return new Turn(series, period);
  }

  /** Whether it is still to come ("later"), has begun ("now"), or has ended ("over"). */
  when(day = today()) {
    return when(this.series, this.period, day);
  }

  /**
   * The same in words.
   * @param {import("../catalogue/speech.js").Speech} speech
   */
  sentence(speech, state = this.when()) {
    const [first, last] = [this.label, lastDay(this.series, this.period)].map((day) => speech.date(daysSince(day)));
    return speech.say(SENTENCES[state], { period: speech.say(NAMES[this.series.every] ?? "period_span", { first, last }) });
  }
}

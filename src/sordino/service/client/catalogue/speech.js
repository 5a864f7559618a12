// What a page says, in one language: its own sentences, the survey's texts, and numbers, dates and lists as the language has
// them. Another language is one file beside this one and one line here and in `index.js`.

import { MISSING } from "../plan/questionnaire.js";

/** What loads the sentences of each language. */
const MODULES = { en: () => import("./en.js"), de: () => import("./de.js"), fr: () => import("./fr.js"), es: () => import("./es.js") };

/** The languages of the form's own sentences. */
export const LANGUAGES = Object.keys(MODULES);

/** The sentences of the languages that were loaded. */
export const CATALOGUES = {};

/** The language of catalogues that lack one. */
const DEFAULT = "en";

/** Languages that are written from right to left, without a script beside them. */
const RIGHT_TO_LEFT = new Set(["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]);

/** Days in milliseconds. */
const DAY = 86_400_000;

const primary = (language) => language.toLowerCase().split("-")[0];

/** The first of the wanted languages that is offered, by itself or by its first part; else the first that is offered. */
export function chosen(offered, wanted) {
  for (const language of wanted) {
    const same = offered.find((own) => own.toLowerCase() === language.toLowerCase());
    const found = same ?? offered.find((own) => primary(own) === primary(language));
    if (found) return found;
  }
  return offered[0];
}

/** @type {(plan: {words?: any}) => string[]} The languages in which a form of a plan is shown: those of its words, or all of the form's own where it has none. */
export const offered = ({ words }) => words?.languages ?? LANGUAGES;

/** The language of the form's own sentences beside a survey's. */
const ownOf = (language) => (LANGUAGES.includes(primary(language)) ? primary(language) : DEFAULT);

/**
 * Have the form's own sentences that are shown beside a language; throws what `import` throws.
 * @param {string} language
 */
export async function load(language) {
  const own = ownOf(language);
  CATALOGUES[own] ??= (await MODULES[own]()).default;
}

export class Speech {
  /**
   * @param {string} [language]
   * @param {any} [words] those of a plan, if it has some
   */
  constructor(language = DEFAULT, words = undefined) {
    this.language = language;
    this.words = words;
    /** The language of the form's own sentences. */
    this.own = ownOf(language);
    // Plain English is written as where it comes from: the day before the month, and no comma before "and".
    this.locale = language === "en" ? "en-GB" : language;
    this.plural = new Intl.PluralRules(this.own);
  }

  get direction() {
    return RIGHT_TO_LEFT.has(primary(this.language)) ? "rtl" : "ltr";
  }

  /** Whether the form's own sentences are in the language of the survey's. */
  get isWhole() {
    return this.own === primary(this.language);
  }

  /** One of the form's own sentences, with numbers in the language's form; `count` decides between forms. */
  say(key, values = {}) {
    // Errors are made in English, which no form has loaded that shows them in another language.
    const found = (CATALOGUES[this.own] ?? CATALOGUES[DEFAULT])?.[key] ?? key;
    const sentence = typeof found === "string" ? found : (found[this.plural.select(Number(values.count))] ?? found.other);
    return sentence.replace(/\{(\w+)\}/g, (_, name) => this.#written(values[name]));
  }

  #written(value) {
    return typeof value === "number" || typeof value === "bigint" ? this.number(value) : String(value);
  }

  number(value) {
    return new Intl.NumberFormat(this.locale, { maximumFractionDigits: 12 }).format(value);
  }

  /** A decimal text as the language writes it; digits that it has are kept. */
  decimal(text) {
    if (Number.isNaN(Number(text))) return text;
    const digits = text.split(".")[1]?.length ?? 0;
    return new Intl.NumberFormat(this.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(text);
  }

  /** A whole number of per cent. */
  percent(value) {
    return new Intl.NumberFormat(this.locale, { style: "percent" }).format(Number(value) / 100);
  }

  /** A date of days since 1970-01-01. */
  date(days) {
    return new Intl.DateTimeFormat(this.locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(days * DAY));
  }

  /**
   * @param {string[]} names
   * @param {"conjunction" | "disjunction"} [type]
   */
  list(names, type = "conjunction") {
    return new Intl.ListFormat(this.locale, { type }).format(names);
  }

  /** A text within a sentence. */
  quoted(text) {
    const [first, last] = { de: ["„", "“"], fr: ["«\u00a0", "\u00a0»"], es: ["«", "»"] }[this.own] ?? ["“", "”"];
    return `${first}${text}${last}`;
  }

  /** One of the survey's texts; undefined where there is none. */
  text(words) {
    return typeof words === "object" ? words[this.language] : words;
  }

  /** What the survey says about an attribute. */
  wording(name) {
    const own = this.words?.attributes ?? {};
    return Object.hasOwn(own, name) ? own[name] : {};
  }

  /** An attribute as people know it: by its question, or by its name. */
  attribute(name) {
    return this.text(this.wording(name).text) ?? name;
  }

  /** A value as people know it; undefined where it has no words. */
  label(name, value) {
    const { labels = {} } = this.wording(name);
    return Object.hasOwn(labels, String(value)) ? this.text(labels[String(value)]) : undefined;
  }

  /** What stands for a number that is missing; undefined where the survey has no words for it. */
  missing(name) {
    return this.label(name, MISSING);
  }
}

/** English, for pages and programs that have no other. */
export const ENGLISH = new Speech();

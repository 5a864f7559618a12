// Elements of a page, made of texts only: nothing of a plan is ever read as HTML.

import { ENGLISH } from "./catalogue/speech.js";

/** An element with attributes, and texts or elements within; what is null or undefined is left out. */
export function element(name, attributes = {}, ...within) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...within.filter((one) => one !== null && one !== undefined));
  return made;
}

/** A text of the survey within sentences of another language. */
export function surveyText(speech, text, name = "span", attributes = {}) {
  if (text === undefined) return null;
  const own = speech.isWhole ? {} : { lang: speech.language, dir: speech.direction };
  return element(name, { ...attributes, ...own }, text);
}

/** Why a page could not do what it should: a sentence of the catalogue, and what an expert may want to know. */
export class PageError extends Error {
  constructor(key, values = {}) {
    super(ENGLISH.say(key, values));
    this.key = key;
    this.values = values;
  }
}

/** The address of the plan that a page below it is about: /plans/{hash}/page. */
export const ownAddress = () => new URL(".", globalThis.location.href).href.replace(/[/]$/, "");

const PLAN_PATH = /^(.*[/]plans[/]sha256(?::|%3A)[0-9a-f]{64})(?:[/](?:form|verify)?)?$/i;

/** The address of a plan as a page gives it, perhaps that of its form; throws PageError. */
export function planAddress(text) {
  let url;
  try {
    url = new URL(text, document.baseURI);
  } catch {
    throw new PageError("problem_address");
  }
  const path = PLAN_PATH.exec(url.pathname);
  if (path === null || !url.protocol.startsWith("http")) throw new PageError("problem_address");
  return url.origin + path[1];
}

/**
 * The hash that the address of a plan ends in, and the text that stands there. The page may have asked for it before; it is asked
 * for again where that failed.
 * @param {string} address
 * @param {Promise<Response | null>} [early]
 */
export async function fetchPlan(address, early) {
  const hash = decodeURIComponent(new URL(address).pathname.split("/").at(-1));
  const answer = (await early) ?? (await fetch(address, { credentials: "omit", redirect: "error" }));
  if (!answer.ok) throw new PageError("problem_no_survey", { status: String(answer.status) });
  // As its bytes are: a mark before them, which no plan has, would be dropped by `text()`.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
  return { hash, text };
}

/** What an error says to whoever reads the page. */
export function words(error, speech = ENGLISH) {
  if (error.key) return speech.say(error.key, error.values);
  const text = error instanceof TypeError ? speech.say("problem_unreachable") : error.message;
  return text[0].toUpperCase() + text.slice(1);
}

// A page for strangers: whether a plan is the one of its address, whether each channel keeps its promise, what a published
// tally says, and what could not be checked.

import en from "./catalogue/en.js";
import { CATALOGUES, ENGLISH, Speech, chosen, offered } from "./catalogue/speech.js";
import { inspect } from "./checked_plan.js";
import { element, fetchPlan, ownAddress, words } from "./dom.js";
import { sentences, topic } from "./explain.js";
import { upward } from "./channel/fraction.js";
import { rests } from "./promise/promise.js";
import { published } from "./published.js";
import { fetchSignature, keyOf, signedBy } from "./signature.js";

CATALOGUES.en = en;

const status = document.getElementById("status");

function verdict({ holds, found }) {
  if (holds === null) return `Not checked: ${found}.`;
  return holds ? "Kept." : `BROKEN: ${found}.`;
}

function odds({ ratio }) {
  if (ratio === undefined) return "depends on the two answers";
  return ratio === null ? "without limit" : upward(ratio);
}

function table(plan, verdicts) {
  const head = ["A report about", "changes odds by at most", "Promise"];
  const rows = plan.queries.map((part, place) => [topic(part), odds(verdicts[place]), verdict(verdicts[place])]);
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...rows.map(([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((text) => element("td", {}, text))))),
  );
}

function unchecked(plan) {
  const found = ["A plan cannot show whether the collector counts every report, or whether every respondent is a real person."];
  const names = rests(plan);
  if (names.length) {
    found.push(
      `The smaller promises about ${names.map((name) => `“${name}”`).join(", ")}: they depend on the plan's stated limits on how answers depend on each other, which this page cannot check.`,
    );
  }
  return found;
}

const list = (lines) => element("ul", {}, ...lines.map((line) => element("li", {}, line)));
const card = (heading, ...within) => element("section", { class: "card" }, element("h2", {}, heading), ...within);

/** The survey's own title, in a language of whoever reads. */
function showTitle({ words: own }) {
  if (own?.title === undefined) return;
  const language = chosen(offered({ words: own }), globalThis.navigator.languages);
  const title = new Speech(language, own).text(own.title);
  document.title = `${title}: check the plan`;
  document.querySelector("h1").after(element("p", { class: "title", lang: language }, title));
}

try {
  const address = ownAddress();
  const { hash, text } = await fetchPlan(address);
  const found = await inspect(text, hash);
  const signed = await signedBy(text, keyOf(globalThis.location.hash), await fetchSignature(address));
  const { plan, verdicts } = found;
  showTitle(plan);
  const broken = verdicts.some(({ holds }) => holds === false);
  const unsure = verdicts.some(({ holds }) => holds === null);
  const kept = unsure ? "Every promise that could be checked is kept; some could not be checked." : "The plan keeps its promises.";
  status.className = broken ? "wrong" : "good";
  status.textContent = broken ? "The plan BREAKS its promises. Do not answer it." : kept;
  const slot = element("p", { class: "hint" }, "Fetching the tally\u00a0…");
  document.getElementById("place").replaceChildren(
    table(plan, verdicts),
    element("p", {}, "The plan's hash matches the address: ", element("code", {}, hash)),
    element("p", {}, ENGLISH.say(signed.key, signed.values)),
    card("What a report can reveal", list(sentences(found))),
    slot,
    card("What this page cannot check", list(unchecked(plan))),
    element("p", {}, element("a", { href: `form${globalThis.location.hash}` }, "Answer this plan")),
  );
  slot.replaceWith(await published(found));
} catch (error) {
  status.className = "wrong";
  status.textContent = words(error);
}

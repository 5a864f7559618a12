// What a report can reveal, above the button: two sentences and a picture of them, and what reports reveal of who was asked; all else
// is folded.

import { element } from "../dom.js";
import { aboutAsking, sentences, summary } from "../explain.js";

/** A bar as long as a chance, with its number. */
function bar(label, text, per, kind) {
  const filled = element("span", { class: `filled ${kind}` });
  filled.style.inlineSize = `${per}%`;
  return element("div", { class: "bar" }, element("span", { class: "what" }, label), element("span", { class: "track" }, filled), element("span", { class: "chance" }, text));
}

/** The chance before and the largest afterwards; one text for whoever does not see it. */
function picture({ before, after }, speech) {
  const [first, last] = [speech.percent(before), speech.percent(after)];
  return element(
    "div",
    { class: "bars", role: "img", "aria-label": speech.say("bar_text", { before: first, after: last }) },
    bar(speech.say("bar_before"), first, before, "before"),
    bar(speech.say("bar_after"), last, after, "after"),
  );
}

/**
 * The card, with headings of a level. `signed` is a sentence of the catalogue about the plan's signature, and `checkPage` the
 * address of the page that checks the plan.
 */
export function revealedCard(found, signed, checkPage, speech, level) {
  const { plan } = found;
  const short = summary(found, speech);
  const all = element("details", {}, element("summary", {}, speech.say("all_reveals")), element("ul", {}, ...sentences(found, speech).map((line) => element("li", {}, line))));
  const checked = element(
    "details",
    {},
    element("summary", {}, speech.say("checked")),
    element("p", {}, speech.say("checked_text")),
    element("p", {}, element("code", {}, plan.hash)),
    element("p", {}, speech.say(signed.key, signed.values)),
    element("p", {}, element("a", { href: checkPage }, speech.say("check_plan"))),
  );
  return element(
    "section",
    { class: "card", "aria-labelledby": "reveals" },
    element(`h${level}`, { id: "reveals" }, speech.say("reveals")),
    ...short.sentences.map((line) => element("p", {}, line)),
    short.after === null ? null : picture(short, speech),
    ...aboutAsking(found, speech).map((line) => element("p", {}, line)),
    all,
    checked,
  );
}

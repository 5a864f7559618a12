// What stands where the form stood, once a report is drawn: what left the page, and how to take it back.

import { element } from "../dom.js";

/** All that left the page. */
export function leftCard(upload, speech, level) {
  return element("section", { class: "card" }, element(`h${level}`, {}, speech.say("left")), element("p", {}, element("code", {}, upload)), element("p", { class: "hint" }, speech.say("left_hint")));
}

/** A button that takes the answer back, beside what that does and what it cannot undo. */
export function takeBackCard(takeBack, speech) {
  const button = element("button", { type: "button", class: "plain", id: "take-back", "aria-describedby": "take-back-hint", click: takeBack }, speech.say("take_back"));
  return element("section", { class: "card" }, element("p", {}, button), element("p", { class: "hint", id: "take-back-hint" }, speech.say("take_back_hint")));
}

/** A button that tries again, and what the collector said in its own words, for experts. */
export function againPart(label, again, detail, speech) {
  const button = element("p", {}, element("button", { type: "button", class: "send", click: again }, label));
  return detail ? [button, forExperts(detail, speech)] : [button];
}

/** Words in English for whoever is asked about them. */
export const forExperts = (text, speech) => element("details", {}, element("summary", {}, speech.say("for_experts")), element("p", { lang: "en", dir: "ltr" }, text));

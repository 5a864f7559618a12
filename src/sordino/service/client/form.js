// The page of a form: where it stands, in which language, and what its address holds.

import { ownAddress } from "./dom.js";
import { AnswerForm } from "./form/answer_form.js";
import { invitationOf } from "./outbox.js";
import { periodOf } from "./series/turn.js";
import { keyOf } from "./signature.js";

const [head, status, place] = ["head", "status", "place"].map((id) => document.getElementById(id));
const { hash } = globalThis.location;
const { language, invitations } = document.body.dataset;

const form = new AnswerForm({ head, status, place }, {
  address: ownAddress,
  key: keyOf(hash),
  invitation: invitationOf(hash),
  period: periodOf(hash),
  checkPage: () => "verify",
  level: 1,
  first: language,
  early: globalThis.early,
  drafts: () => globalThis.sessionStorage,
  isByInvitation: { needed: true, none: false }[invitations],
  /** What a person's browser, or the address, says of languages. */
  wanted: () => [new URLSearchParams(globalThis.location.search).get("lang"), ...globalThis.navigator.languages].filter(Boolean),
  show(speech, title) {
    Object.assign(document.documentElement, speech.isWhole ? { lang: speech.language, dir: speech.direction } : { lang: speech.own, dir: "ltr" });
    document.title = title ?? speech.say("page_title");
  },
  keep(language) {
    const address = new URL(globalThis.location.href);
    address.searchParams.set("lang", language);
    globalThis.history.replaceState(null, "", address);
  },
  note() {},
});
await form.start();

// The form of a plan: its fields, what a code of them can reveal, and one button. Nothing leaves before it is pressed, and
// then one code that was kept first.

import { element, fetchPlan, words } from "./dom.js";
import { sentences } from "./explain.js";
import { Field } from "./fields.js";
import { followConditions } from "./inputs/conditions.js";
import { Outbox, pack } from "./outbox.js";
import { fetchSignature, keyOf, signedBy } from "./signature.js";
import { FreshWords, asked, open } from "./index.js";

const status = document.getElementById("status");
const place = document.getElementById("place");

/** Seconds until what is kept is sent again by itself: longer each time. */
const AGAIN = [5, 15, 60, 300];

function say(text, kind = "") {
  status.className = kind;
  status.textContent = text;
}

class Page {
  constructor(found, outbox) {
    Object.assign(this, found, { outbox });
    this.tries = 0;
    this.earlier = "";
  }

  show() {
    const names = asked(this.plan);
    this.fields = names.map((name, i) => new Field(name, this.plan.attributes[name], i));
    followConditions(this.fields, this.plan.attributes);
    this.button = element("button", { type: "submit" }, "Send one code");
    const form = element("form", { novalidate: true, autocomplete: "off", submit: (event) => this.#submit(event) });
    form.append(...this.fields.map((field) => field.element), this.#revealed(), this.button);
    place.replaceChildren(form);
    say("");
  }

  #revealed() {
    const lines = sentences(this).map((line) => element("li", {}, line));
    const checked = element(
      "details",
      {},
      element("summary", {}, "How this was checked"),
      element("p", {}, "The plan has the hash of this page's address, and the factors above were worked out here, from the numbers that codes are drawn by."),
      element("p", {}, element("code", {}, this.plan.hash)),
      element("p", {}, this.signed),
      element("p", {}, element("a", { href: `verify${globalThis.location.hash}` }, "Check every part of the plan")),
    );
    return element("section", { class: "card", "aria-labelledby": "reveals" }, element("h2", { id: "reveals" }, "What your code can reveal"), element("ul", {}, ...lines), checked);
  }

  async #submit(event) {
    event.preventDefault();
    const wrong = this.fields.filter((field) => !field.check());
    if (wrong.length) {
      say(`${wrong.length === 1 ? "One answer needs" : `${wrong.length} answers need`} a change: ${wrong.map((field) => `“${field.name}”`).join(", ")}. Nothing was sent.`, "wrong");
      wrong[0].inputs[0].focus();
      return;
    }
    this.button.disabled = true;
    const shown = this.fields.filter((field) => !field.element.hidden);
    const record = Object.fromEntries(shown.map((field) => [field.name, field.answer]));
    let drawn;
    try {
      drawn = await this.outbox.reserve(() => pack(this.questions.draw(record, new FreshWords()).code, this.questions.codeBytes));
    } catch (error) {
      this.button.disabled = false;
      say(`${words(error)} Nothing was sent.`, "wrong");
      status.focus();
      return;
    }
    // A browser clears what it likes where the disk is full, unless it was asked not to.
    globalThis.navigator.storage?.persist?.().catch(() => {});
    // The answers are not needed any more.
    place.replaceChildren();
    if (!drawn) this.earlier = "This browser had drawn a code for this plan already: that one counts, and the answers of this window were not used. ";
    await this.send();
  }

  /** Send what is kept, now and again until it is acknowledged. */
  async send() {
    clearTimeout(this.timer);
    say("Sending …");
    const { done, upload, problem, wait } = await this.outbox.send().catch((error) => ({ problem: words(error) }));
    status.focus();
    if (done) {
      say(`${this.earlier}Your code has arrived, and is counted once. You can close this page.`, "good");
      place.replaceChildren(...(upload ? [left(upload)] : []));
      return;
    }
    say(`${this.earlier}Not arrived yet. ${problem} The code is kept on this device, and the same one is sent again; your answers are not kept.`, "wrong");
    place.replaceChildren(element("p", {}, element("button", { type: "button", click: () => this.send() }, "Send again")));
    if (wait) this.timer = setTimeout(() => this.send(), 1000 * AGAIN[Math.min(this.tries++, AGAIN.length - 1)]);
  }
}

/** All that left the page. */
function left(upload) {
  return element("section", { class: "card" }, element("h2", {}, "All that left this page"), element("p", {}, element("code", {}, upload)),
    element("p", { class: "hint" }, "A random number by which the same code is known again (32 digits), then the code."));
}

try {
  const { hash, text } = await fetchPlan();
  const found = await open(text, hash);
  const signed = await signedBy(text, keyOf(globalThis.location.hash), await fetchSignature());
  const page = new Page({ ...found, signed }, new Outbox(hash, "reports"));
  const kept = await page.outbox.kept();
  if (kept === null) page.show();
  else if (kept.state === "acknowledged") say("This browser has answered this plan. A second code would reveal more, so it draws none.", "good");
  else await page.send();
  globalThis.addEventListener("online", async () => (await page.outbox.kept())?.state === "kept" && page.send());
} catch (error) {
  say(`${words(error)} Nothing was sent.`, "wrong");
}

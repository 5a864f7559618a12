// One report for each plan, kept from before it is sent until it is acknowledged: what may not have arrived is sent again
// as the same bytes. Another draw would be a second release. The invitation of a link goes with it as a header: a secret that
// stands behind #, which no request for a page holds.

import { ENGLISH } from "./catalogue/speech.js";
import { Shelf, StorageError } from "./shelf.js";

const PACKED = "application/vnd.sordino-reports; version=1";
const WAIT = 30_000;
const SECRET = /^[0-9a-f]{32}$/i;

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** The packed form of a report under a fresh id: a code, and the cell of its public values, in so many bytes each. */
export function pack(code, width, cell = 0n, cellWidth = 0) {
  const id = globalThis.crypto.getRandomValues(new Uint8Array(16));
  const digits = (number, bytes) => (bytes ? number.toString(16).padStart(2 * bytes, "0") : "");
  return hex(id) + digits(code, width) + digits(cell, cellWidth);
}

/** The invitation of an address, 32 hexadecimal digits; null where there is none, or not all of it. */
export function invitationOf(fragment) {
  const found = new URLSearchParams(fragment.replace(/^#/, "")).get("invitation");
  return found !== null && SECRET.test(found) ? found.toLowerCase() : null;
}

/** The headers of an upload that comes by an invitation, or without. */
const invited = (invitation) => (invitation === null ? {} : { "Sordino-Invitation": invitation });

/** Whether the collector takes reports by invitation alone. */
export async function needsInvitation() {
  const answer = await fetch("progress", { credentials: "omit", redirect: "error", cache: "no-store" });
  return answer.ok && (await answer.json()).invitations > 0;
}

export class Outbox {
  /** `invitation` as `invitationOf` reads it: what was drawn by one link may be sent by another. */
  constructor(hash, address, invitation = null, shelf = new Shelf()) {
    Object.assign(this, { hash, address, invitation, shelf });
  }

  /** `{state: "kept" or "acknowledged", upload}`, or null; throws StorageError. */
  async kept() {
    return (await this.shelf.get(this.hash)) ?? null;
  }

  /**
   * Draw a report unless there is one, and keep it; nothing leaves. Whether it was drawn now: of several windows that ask
   * at once one draws. `draw` must answer at once; throws what it throws, and StorageError.
   */
  async reserve(draw) {
    let drawn = false;
    await this.shelf.change(this.hash, (found) => {
      drawn = found === undefined;
      return drawn ? { state: "kept", upload: draw() } : found;
    });
    return drawn;
  }

  /**
   * Send what is kept. Gives `{done, upload}`, or `{done, problem, reason, detail, wait}`: a sentence, by its key and values in
   * the catalogue too, and what the collector said in its own words. What is not acknowledged stays kept.
   */
  async send() {
    const found = await this.kept();
    if (found === null) throw new StorageError("problem_storage_cleared");
    const { state, upload } = found;
    if (state === "acknowledged") return { done: true };
    let answer;
    try {
      answer = await fetch(this.address, {
        method: "POST",
        headers: { "Content-Type": PACKED, ...invited(this.invitation) },
        body: bytesOf(upload),
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(WAIT),
      });
    } catch {
      return trouble("problem_unreachable", {}, true);
    }
    const told = (await answer.json().catch(() => null)) ?? {};
    if (answer.ok && told.accepted + told.repeated === 1) {
      // Where that cannot be kept, the same bytes are sent once more, and counted once.
      await this.shelf.change(this.hash, () => ({ state: "acknowledged" })).catch(() => {});
      return { done: true, upload };
    }
    const said = [told.failed?.[0]?.rule, told.detail].find((one) => typeof one === "string" && one !== "");
    if (answer.status === 403) return trouble("problem_uninvited", {}, false, said);
    return trouble("problem_status", { status: String(answer.status) }, answer.status === 429 || answer.status >= 500, said);
  }
}

/** Why a report has not arrived; `wait` is whether it may later. */
function trouble(key, values, wait, detail = "") {
  return { done: false, problem: ENGLISH.say(key, values), reason: { key, values }, detail, wait };
}

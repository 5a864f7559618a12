// One report for each plan, kept from before it is sent until it is acknowledged: what may not have arrived is sent again
// as the same bytes. Another draw would be a second release. Then its id is kept, by which the collector deletes it, and no
// other report is drawn. It goes to the host that it was drawn for, and to no other: nobody agreed to send it there. The
// invitation of a link goes with it as a header: a secret that stands behind #, which no request for a page holds.

import { ENGLISH } from "./catalogue/speech.js";
import { Shelf, StorageError } from "./shelf.js";

const PACKED = "application/vnd.sordino-reports; version=1";
const WAIT = 30_000;
const SECRET = /^[0-9a-f]{32}$/i;

/** Digits of a packed report's id. */
const ID_DIGITS = 32;

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/**
 * The packed form of a report under a fresh id: a code, and the cell of its public values, in so many bytes each.
 * @param {bigint} code
 * @param {number} width
 */
export function pack(code, width, cell = 0n, cellWidth = 0) {
  const id = globalThis.crypto.getRandomValues(new Uint8Array(16));
  const digits = (number, bytes) => (bytes ? number.toString(16).padStart(2 * bytes, "0") : "");
  return hex(id) + digits(code, width) + digits(cell, cellWidth);
}

/**
 * The invitation of an address, 32 hexadecimal digits; null where there is none, or not all of it.
 * @param {string} fragment
 * @returns {string | null}
 */
export function invitationOf(fragment) {
  const found = new URLSearchParams(fragment.replace(/^#/, "")).get("invitation");
  return found !== null && SECRET.test(found) ? found.toLowerCase() : null;
}

/** A collector's name: the host of an address, whatever the scheme and the port. */
const hostOf = (address) => new URL(address).hostname.replace(/[.]+$/, "");

/** The headers of an upload that comes by an invitation, or without. */
const invited = (invitation) => (invitation === null ? {} : { "Sordino-Invitation": invitation });

/**
 * Whether the collector takes reports by invitation alone.
 * @param {string} address the plan's
 */
export async function needsInvitation(address) {
  const answer = await fetch(`${address}/progress`, { credentials: "omit", redirect: "error", cache: "no-store" });
  return answer.ok && (await answer.json()).invitations > 0;
}

/**
 * What is kept of a plan's report, with the `host` of its collector: "kept" with its `upload`, which may not have arrived;
 * "acknowledged" with its `id`; "withdrawing" with its `id`, which is sent no more, and may not be deleted yet; "withdrawn". It
 * `mayComeByLink` if it was sent by an invitation, and not acknowledged.
 * @typedef {{state: "kept" | "acknowledged" | "withdrawing" | "withdrawn", host: string, upload?: string, id?: string, mayComeByLink?: true}} Kept
 *
 * What became of it: `done`, then its `state`, and what was sent now; or what the problem is: a sentence, its key and values in the
 * catalogue, what the collector said in its own words, and whether it may be over later (`wait`).
 * @typedef {object} Outcome
 * @property {boolean} done
 * @property {"acknowledged" | "withdrawn"} [state]
 * @property {string} [upload]
 * @property {string} [problem]
 * @property {{key: string, values: Record<string, string>}} [reason]
 * @property {string} [detail]
 * @property {boolean} [wait]
 */

export class Outbox {
  /**
   * @param {string} hash the plan's
   * @param {string} address the plan's
   * @param {string | null} [invitation] as `invitationOf` reads it: what was drawn by one link may be sent by another
   */
  constructor(hash, address, invitation = null, shelf = new Shelf()) {
    this.hash = hash;
    this.address = address;
    this.invitation = invitation;
    this.shelf = shelf;
  }

  /**
   * What is kept of this plan's report, or null; throws StorageError.
   * @returns {Promise<Kept | null>}
   */
  async kept() {
    return (await this.shelf.get(this.hash)) ?? null;
  }

  /**
   * The collector that a kept report is for, where it is another one than this outbox's; else null.
   * @param {Kept | null} kept
   */
  otherHost(kept) {
    return kept === null || kept.host === this.#host ? null : kept.host;
  }

  get #host() {
    return hostOf(this.address);
  }

  /**
   * Draw a report unless there is one, for whichever collector, and keep it; nothing leaves. Whether it was drawn now: of several
   * windows that ask at once one draws. `draw` must answer at once; throws what it throws, and StorageError.
   * @param {() => string} draw
   */
  async reserve(draw) {
    let drawn = false;
    await this.shelf.change(this.hash, (found) => {
      drawn = found === undefined;
      return drawn ? { state: "kept", host: this.#host, upload: draw() } : found;
    });
    return drawn;
  }

  /**
   * Send what is kept, to the collector that it was drawn for alone. What is not acknowledged stays kept; throws StorageError.
   * @returns {Promise<Outcome>}
   */
  async send() {
    const first = await this.#require();
    if (this.otherHost(first) !== null) return elsewhere(first.host);
    // Noted before it leaves: whoever takes it back looks whether it may still come by the link.
    const found = this.invitation !== null && first.state === "kept" ? await this.shelf.change(this.hash, byLink) : first;
    const { state, upload, host } = found;
    if (state === "withdrawing") return this.takeBack();
    if (state !== "kept") return { done: true, state };
    const { answer, told, failure } = await this.#post("reports", bytesOf(upload), { "Content-Type": PACKED, ...invited(this.invitation) });
    if (failure) return failure;
    if (answer.ok && told.accepted + told.repeated === 1) {
      const id = idOf(upload);
      const note = (own = found) => ({ state: own.state === "kept" ? "acknowledged" : own.state, host, id });
      // Where that cannot be kept, the same bytes are sent once more, and counted once.
      const own = await this.shelf.change(this.hash, note).catch(() => null);
      // Another window took it back while it was on its way, perhaps before it arrived.
      if (own?.state.startsWith("withdraw")) return this.#erase(id);
      return { done: true, state: "acknowledged", upload };
    }
    return refusal(answer, told);
  }

  /**
   * Have its collector delete the report, which is sent no more from now on; no other is drawn. What is not confirmed stays as
   * "withdrawing": take it back again then, or send, which does the same. What may still come by a link is taken back by a link
   * alone: without it the collector would count what is on its way. Throws StorageError.
   * @returns {Promise<Outcome>}
   */
  async takeBack() {
    const found = await this.#require();
    if (this.otherHost(found) !== null) return elsewhere(found.host);
    const isRefused = (own) => own.mayComeByLink && this.invitation === null;
    const own = await this.shelf.change(this.hash, (now) => {
      if (now === undefined) throw new StorageError("problem_storage_cleared");
      if (isRefused(now) || now.state === "withdrawing" || now.state === "withdrawn") return now;
      const { upload, ...rest } = now;
      return { ...rest, state: "withdrawing", id: now.id ?? idOf(upload) };
    });
    if (isRefused(own)) return trouble("problem_take_back_link", {}, false);
    return own.state === "withdrawn" ? { done: true, state: own.state } : this.#erase(own.id);
  }

  async #require() {
    const found = await this.kept();
    if (found === null) throw new StorageError("problem_storage_cleared");
    return found;
  }

  /**
   * The collector gives one answer, whether it had the report or not.
   * @returns {Promise<Outcome>}
   */
  async #erase(id) {
    const { answer, told, failure } = await this.#post("erase", JSON.stringify({ id }), { "Content-Type": "application/json", ...invited(this.invitation) });
    if (failure) return failure;
    // Another page that comes in between, of a proxy, has no outcome.
    if (!answer.ok || typeof told.outcome !== "string") return refusal(answer, told);
    // Where that cannot be kept, it is deleted once more.
    await this.shelf.change(this.hash, () => ({ state: "withdrawn", host: this.#host })).catch(() => {});
    return { done: true, state: "withdrawn" };
  }

  /** What the collector answers, and its own words; or why it does not. */
  async #post(route, body, headers) {
    try {
      const answer = await fetch(`${this.address}/${route}`, {
        method: "POST",
        headers,
        body,
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(WAIT),
      });
      return { answer, told: (await answer.json().catch(() => null)) ?? {} };
    } catch {
      return { failure: trouble("problem_unreachable", {}, true) };
    }
  }
}

/** What is kept of a report that leaves by a link. */
function byLink(own) {
  if (own === undefined) throw new StorageError("problem_storage_cleared");
  return own.state === "kept" && !own.mayComeByLink ? { ...own, mayComeByLink: true } : own;
}

/** That a report is for another collector. */
const elsewhere = (host) => trouble("problem_elsewhere", { host }, false);

const idOf = (upload) => upload.slice(0, ID_DIGITS);

/** Why the collector did not do what it was asked, by its answer. */
function refusal(answer, told) {
  const said = [told.failed?.[0]?.rule, told.detail].find((one) => typeof one === "string" && one !== "");
  if (answer.status === 403) return trouble("problem_uninvited", {}, false, said);
  return trouble("problem_status", { status: String(answer.status) }, answer.status === 429 || answer.status >= 500, said);
}

/**
 * Why something has not been done; `wait` is whether it may be later.
 * @returns {Outcome}
 */
function trouble(key, values, wait, detail = "") {
  return { done: false, problem: ENGLISH.say(key, values), reason: { key, values }, detail, wait };
}

// One report for each plan, kept from before it is sent until it is acknowledged: what may not have arrived is sent again
// as the same bytes. Another draw would be a second release. Then its id is kept, by which the collector deletes it, and no
// other report is drawn. The invitation of a link goes with it as a header: a secret that stands behind #, which no request
// for a page holds.

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
 * What is kept of a plan's report: "kept" with its `upload`, which may not have arrived; "acknowledged" with its `id`; "withdrawing"
 * with its `id`, which is sent no more, and may not be deleted yet; "withdrawn".
 * @typedef {{state: "kept" | "acknowledged" | "withdrawing" | "withdrawn", upload?: string, id?: string}} Kept
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
   * Draw a report unless there is one, and keep it; nothing leaves. Whether it was drawn now: of several windows that ask
   * at once one draws. `draw` must answer at once; throws what it throws, and StorageError.
   * @param {() => string} draw
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
   * Send what is kept. What is not acknowledged stays kept; throws StorageError.
   * @returns {Promise<Outcome>}
   */
  async send() {
    const found = await this.#require();
    const { state, upload } = found;
    if (state === "withdrawing") return this.takeBack();
    if (state !== "kept") return { done: true, state };
    const { answer, told, failure } = await this.#post("reports", bytesOf(upload), { "Content-Type": PACKED, ...invited(this.invitation) });
    if (failure) return failure;
    if (answer.ok && told.accepted + told.repeated === 1) {
      const id = idOf(upload);
      const note = (own = found) => ({ state: own.state === "kept" ? "acknowledged" : own.state, id });
      // Where that cannot be kept, the same bytes are sent once more, and counted once.
      const own = await this.shelf.change(this.hash, note).catch(() => null);
      // Another window took it back while it was on its way, perhaps before it arrived.
      if (own?.state.startsWith("withdraw")) return this.#erase(id);
      return { done: true, state: "acknowledged", upload };
    }
    return refusal(answer, told);
  }

  /**
   * Have the collector delete the report, which is sent no more from now on; no other is drawn. What is not confirmed stays as
   * "withdrawing": take it back again then, or send, which does the same. Throws StorageError.
   * @returns {Promise<Outcome>}
   */
  async takeBack() {
    await this.#require();
    const { state, id } = await this.shelf.change(this.hash, (own) => {
      if (own === undefined) throw new StorageError("problem_storage_cleared");
      if (own.state === "withdrawing" || own.state === "withdrawn") return own;
      return { state: "withdrawing", id: own.id ?? idOf(own.upload) };
    });
    return state === "withdrawn" ? { done: true, state } : this.#erase(id);
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
    await this.shelf.change(this.hash, () => ({ state: "withdrawn" })).catch(() => {});
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

// One report for each plan, kept from before it is sent until it is acknowledged: what may not have arrived is sent again
// as the same bytes. Another draw would be a second release.

import { Shelf, StorageError } from "./shelf.js";

const PACKED = "application/vnd.sordino-reports; version=1";
const WAIT = 30_000;

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** The packed form of a report under a fresh id: a code, and the cell of its public values, in so many bytes each. */
export function pack(code, width, cell = 0n, cellWidth = 0) {
  const id = globalThis.crypto.getRandomValues(new Uint8Array(16));
  const digits = (number, bytes) => (bytes ? number.toString(16).padStart(2 * bytes, "0") : "");
  return hex(id) + digits(code, width) + digits(cell, cellWidth);
}

export class Outbox {
  constructor(hash, address, shelf = new Shelf()) {
    Object.assign(this, { hash, address, shelf });
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

  /** Send what is kept; tells `{done, upload, problem, wait}`. What is not acknowledged stays kept. */
  async send() {
    const found = await this.kept();
    if (found === null) throw new StorageError("that the browser's storage was cleared", "Open the page again.");
    const { state, upload } = found;
    if (state === "acknowledged") return { done: true };
    let answer;
    try {
      answer = await fetch(this.address, {
        method: "POST",
        headers: { "Content-Type": PACKED },
        body: bytesOf(upload),
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(WAIT),
      });
    } catch {
      return { done: false, problem: "The collector could not be reached.", wait: true };
    }
    const told = (await answer.json().catch(() => null)) ?? {};
    if (answer.ok && told.accepted + told.repeated === 1) {
      // Where that cannot be kept, the same bytes are sent once more, and counted once.
      await this.shelf.change(this.hash, () => ({ state: "acknowledged" })).catch(() => {});
      return { done: true, upload };
    }
    const said = [told.failed?.[0]?.rule, told.detail].find((one) => typeof one === "string" && one !== "");
    const problem = said ?? `The collector answered with status ${answer.status}.`;
    return { done: false, problem: `${problem[0].toUpperCase()}${problem.slice(1)}`, wait: answer.status === 429 || answer.status >= 500 };
  }
}

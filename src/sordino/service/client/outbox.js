// One report for each plan, kept from before it is sent until it is acknowledged: what may not have arrived is sent again
// as the same bytes. Another draw would be a second release.

const PACKED = "application/vnd.sordino-reports; version=1";
const WAIT = 30_000;

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** The packed form of a report under a fresh id. */
export function pack(code, width) {
  const id = globalThis.crypto.getRandomValues(new Uint8Array(16));
  const digits = code.toString(16).padStart(2 * width, "0");
  return hex(id) + digits;
}

export class Outbox {
  constructor(hash, storage, address) {
    this.key = `sordino ${hash}`;
    this.storage = storage;
    this.address = address;
  }

  /** `{state: "kept" or "acknowledged", upload}`, or null. */
  get kept() {
    const text = this.storage.getItem(this.key);
    return text === null ? null : JSON.parse(text);
  }

  #keep(found) {
    const text = JSON.stringify(found);
    this.storage.setItem(this.key, text);
    if (this.storage.getItem(this.key) !== text) throw new Error("the browser keeps nothing");
  }

  /**
   * Draw a report unless there is one, and keep it; nothing leaves. Pages take turns, but storage reaches the disk, and
   * other pages, a little later: a crash, or two pages at the same instant, can still draw another.
   */
  async reserve(draw) {
    const job = () => {
      if (this.kept === null) this.#keep({ state: "kept", upload: draw() });
      return this.kept;
    };
    const { locks } = globalThis.navigator ?? {};
    return locks ? locks.request(this.key, job) : job();
  }

  /** Send what is kept; tells `{done, problem, wait}`. What is not acknowledged stays kept. */
  async send() {
    const { state, upload } = this.kept;
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
    const told = await answer.json().catch(() => ({}));
    if (answer.ok && told.accepted + told.repeated === 1) {
      this.#keep({ state: "acknowledged" });
      return { done: true };
    }
    const problem = told.failed?.[0]?.rule ?? told.detail ?? `The collector answered with status ${answer.status}.`;
    return { done: false, problem: `${problem[0].toUpperCase()}${problem.slice(1)}`, wait: answer.status === 429 || answer.status >= 500 };
  }
}

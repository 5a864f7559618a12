// What was answered so far, in the storage of one tab, so that a reload loses nothing. It is kept where a person asks for it and no value
// is sensitive, until a report is drawn, and an hour after the last change at most: others may use the device, and a browser may
// write its tabs to the disk.

/** Milliseconds that answers are kept. */
const HOUR = 3_600_000;

export class Draft {
  /**
   * The draft of a plan; null where nothing may be kept.
   * @param {any} plan
   * @param {(() => Storage) | undefined} open a browser may refuse it
   * @param {string | null} [invitation] of whom: two invited people may use one tab
   */
  static of({ hash, attributes }, open, invitation = null) {
    const isSensitive = Object.values(attributes).some(({ protect }) => protect?.sensitive !== undefined);
    if (open === undefined || isSensitive) return null;
    try {
      return new Draft(`${hash} ${invitation ?? ""}`.trim(), open());
    } catch {
      return null;
    }
  }

  constructor(hash, storage) {
    this.key = `sordino draft ${hash}`;
    this.storage = storage;
    this.isWanted = false;
  }

  /** Fill fields in as they were, if they were to be kept. */
  restore(fields) {
    try {
      const { at, states } = JSON.parse(this.storage.getItem(this.key) ?? "{}");
      const age = Date.now() - at;
      if (!(age >= 0 && age < HOUR)) throw new RangeError("of another hour");
      for (const field of fields) if (Object.hasOwn(states, field.name)) field.state = states[field.name];
      this.isWanted = true;
      this.forget = setTimeout(() => this.erase(), HOUR - age);
    } catch {
      this.erase();
    }
  }

  /** Keep what fields hold from now on, or erase it. */
  want(isWanted, fields) {
    this.isWanted = isWanted;
    if (isWanted) this.save(fields);
    else this.erase();
  }

  /** Keep what fields hold, where that is wanted; a browser that keeps nothing is one without drafts. */
  save(fields) {
    if (!this.isWanted) return;
    const states = Object.fromEntries(fields.map((field) => [field.name, field.state]));
    try {
      this.storage.setItem(this.key, JSON.stringify({ at: Date.now(), states }));
    } catch {
      return;
    }
    clearTimeout(this.forget);
    this.forget = setTimeout(() => this.erase(), HOUR);
  }

  erase() {
    clearTimeout(this.forget);
    try {
      this.storage.removeItem(this.key);
    } catch {
      // There is nothing either.
    }
  }
}

// A browser's storage by hand: what a transaction wrote stands on the disk when `settle` lets it, and not before.

const later = () => new Promise((resolve) => setImmediate(resolve));

export class Disk {
  constructor({ durable = true, answers = true, fails = null } = {}) {
    Object.assign(this, { durable, answers, fails, stored: new Map(), opened: 0, modes: [], settle: Promise.resolve() });
    this.free = Promise.resolve();
  }

  /** As `indexedDB.open`. */
  open() {
    const request = {};
    const transaction = (_, mode, options) => this.#transaction(mode, options);
    request.result = { transaction, close: () => (this.opened -= 1), createObjectStore: () => {} };
    later().then(() => {
      if (!this.answers) return;
      request.onupgradeneeded();
      this.opened += 1;
      request.onsuccess();
    });
    return request;
  }

  #transaction(mode, { durability }) {
    this.modes.push(`${mode}, ${durability}`);
    const written = new Map();
    const [transaction, turn] = [{ durability: this.durable ? durability : undefined, error: null }, this.free];
    let aborted = false;
    transaction.abort = () => {
      aborted = true;
      transaction.onabort();
    };
    transaction.objectStore = () => ({
      get: (key) => {
        const request = {};
        this.free = turn.then(later).then(async () => {
          request.onsuccess({ target: { result: this.stored.get(key) } });
          await this.settle;
          if (this.fails && !aborted) {
            transaction.error = this.fails;
            transaction.abort();
          }
          if (aborted) return;
          written.forEach((value, name) => this.stored.set(name, value));
          transaction.oncomplete();
        });
        return request;
      },
      put: (value, key) => {
        if (mode !== "readwrite") throw new Error("nothing is written here");
        written.set(key, value);
      },
    });
    return transaction;
  }
}

// What a page keeps on the person's device, by name: IndexedDB, where one window at a time reads and writes, and a write
// counts once the disk has it.

import { ENGLISH } from "./catalogue/speech.js";

const DATABASE = "sordino";
const STORE = "reports";
const WAIT = 15_000;

/** Why nothing can be kept: a sentence of the catalogue by its key, and what the browser said. */
export class StorageError extends Error {
  constructor(key = "problem_storage", found = "") {
    super(`${ENGLISH.say(key)}${found && ` (${found})`}`);
    this.key = key;
    this.values = {};
  }
}

export class Shelf {
  constructor(factory = globalThis.indexedDB) {
    this.factory = factory;
  }

  /** What is kept under a name, or undefined; throws StorageError. */
  get(key) {
    return this.#within("readonly", (store, keep) => {
      store.get(key).onsuccess = ({ target }) => keep(target.result);
    });
  }

  /**
   * Keep what a function makes of that, in one transaction: no other window reads or writes in between. Resolves with it once it
   * is on the disk. An error of the function is thrown, and nothing is changed; throws StorageError.
   */
  change(key, job) {
    return this.#within("readwrite", (store, keep, fail) => {
      store.get(key).onsuccess = ({ target }) => {
        try {
          const made = job(target.result);
          if (made !== target.result) store.put(made, key);
          keep(made);
        } catch (error) {
          fail(error);
        }
      };
    });
  }

  async #within(mode, work) {
    const database = await this.#open();
    try {
      return await settled((resolve, reject) => {
        const transaction = database.transaction(STORE, mode, { durability: "strict" });
        if (mode === "readwrite" && transaction.durability !== "strict") {
          throw new StorageError("problem_storage_old");
        }
        let [found, failed] = [undefined, null];
        const fail = (error) => {
          failed = error;
          transaction.abort();
        };
        transaction.oncomplete = () => resolve(found);
        transaction.onabort = () => reject(failed ?? transaction.error);
        work(transaction.objectStore(STORE), (made) => (found = made), fail);
      });
    } finally {
      database.close();
    }
  }

  #open() {
    if (!this.factory) throw new StorageError("problem_storage", "no IndexedDB here");
    return settled((resolve, reject) => {
      const request = this.factory.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }
}

/** What a job of the browser's storage ends with; its refusals as StorageError. */
async function settled(job) {
  let timer;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new StorageError("problem_storage_busy")), WAIT);
      job(resolve, reject);
    });
  } catch (error) {
    const refused = error === null || (typeof DOMException === "function" && error instanceof DOMException);
    throw refused ? new StorageError("problem_storage", error?.name ?? "given up") : error;
  } finally {
    clearTimeout(timer);
  }
}

// Draws and estimates beside the page, which stays quick: a message is a collection, and its answers are how far it is and what came.

import { collect } from "./collect.js";

globalThis.addEventListener("message", async ({ data: { text, people } }) => {
  try {
    const { fitted, reveals } = await collect(text, people, (share) => globalThis.postMessage({ share }));
    globalThis.postMessage({ found: { fitted, reveals } });
  } catch (error) {
    globalThis.postMessage({ problem: error.message });
  }
});

// Elements of a page, made of texts only: nothing of a plan is ever read as HTML.

/** An element with attributes, and texts or elements within. */
export function element(name, attributes = {}, ...within) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...within);
  return made;
}

/** The plan's hash and its text, from the address of a page below it: /plans/{hash}/page. */
export async function fetchPlan() {
  const hash = decodeURIComponent(globalThis.location.pathname.split("/").at(-2));
  const answer = await fetch(`../${hash}`, { credentials: "omit", redirect: "error" });
  if (!answer.ok) throw new Error(`There is no such plan here (status ${answer.status}). Check the address.`);
  return { hash, text: await answer.text() };
}

/** What an error says to whoever reads the page. */
export function words(error) {
  const text = error instanceof TypeError ? "The collector could not be reached. Try again later." : error.message;
  return text[0].toUpperCase() + text.slice(1);
}

// Elements as a page makes them, without a browser: attributes, texts, and what a person writes and chooses.

class Element {
  constructor(name) {
    Object.assign(this, { kind: name, attributes: {}, style: {}, within: [], listeners: {}, value: "", checked: false });
  }

  setAttribute(key, value) {
    this.attributes[key] = value;
    if (["id", "type", "value", "name"].includes(key)) this[key] = value;
  }

  removeAttribute(key) {
    delete this.attributes[key];
  }

  addEventListener(kind, listener) {
    const before = this.listeners[kind];
    this.listeners[kind] = (event) => {
      before?.(event);
      listener(event);
    };
  }

  /** As high as it has words. */
  getBoundingClientRect() {
    return { height: this.textContent.length };
  }

  append(...within) {
    this.within.push(...within);
  }

  replaceChildren(...within) {
    this.within = within;
  }

  dispatchEvent({ type }) {
    this.listeners[type]?.();
  }

  querySelector() {
    return null;
  }

  get textContent() {
    return this.within.map((one) => (typeof one === "string" ? one : one.textContent)).join("");
  }

  set textContent(text) {
    this.within = [text];
  }
}

globalThis.document = { createElement: (name) => new Element(name) };

/** The elements of a name within another one, in their order. */
export const all = (element, name) =>
  element.within.flatMap((one) => (typeof one === "string" ? [] : [...(one.kind === name ? [one] : []), ...all(one, name)]));

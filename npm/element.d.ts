/** What an event of a form is about: no answer. */
export interface SordinoEventDetail {
  /** The plan's hash. */
  readonly plan: string;
}

/** `<sordino-form plan="URL" signed-by="KEY">`: the form of a plan on anybody's page. */
export declare class SordinoForm extends HTMLElement {
  static readonly observedAttributes: string[];
  /** The plan's address, or that of its form; the attribute `plan`. */
  plan: string;
  /** The public key that a plan must be signed by, empty for none; the attribute `signed-by`. */
  signedBy: string;
}

declare global {
  interface HTMLElementTagNameMap {
    "sordino-form": SordinoForm;
  }
  // They bubble: whatever the form stands in hears them too.
  interface GlobalEventHandlersEventMap {
    "sordino-sent": CustomEvent<SordinoEventDetail>;
    "sordino-taken-back": CustomEvent<SordinoEventDetail>;
  }
}

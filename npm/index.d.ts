/** An attribute of a plan; `docs/plan-format.md` has all its fields. */
export interface Attribute {
  readonly labels?: readonly string[];
  readonly number?: { readonly low: number; readonly high: number; readonly clip?: boolean; readonly edges?: readonly number[] };
  readonly grid?: { readonly south: number; readonly north: number; readonly west: number; readonly east: number; readonly rows: number; readonly columns: number };
  readonly missing?: string;
  readonly several?: number;
  readonly only_if?: Readonly<Record<string, readonly string[]>>;
  readonly [field: string]: unknown;
}

/** A column whose values are sent as they are. */
export interface PublicColumn {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Periods, in one of which each person answers. */
export interface Series {
  readonly periods: number;
  readonly every: string;
  readonly start: string;
}

/** What a survey says of itself, in its languages. */
export interface Words {
  readonly languages: readonly string[];
  readonly [field: string]: unknown;
}

/** A plan as `docs/plan-format.md` describes it, checked by `readPlan`. */
export interface Plan {
  readonly hash: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly queries: readonly Readonly<Record<string, unknown>>[];
  readonly public?: readonly PublicColumn[];
  readonly series?: Series;
  readonly words?: Words;
  readonly [field: string]: unknown;
}

/** A value of a record: a label, several, a number, null for one that is missing, or a place. */
export type Answer = string | number | null | readonly string[] | { readonly latitude: number; readonly longitude: number };

/** What a person answers, by attribute and public column. */
export type Answers = Readonly<Record<string, Answer>>;

/** Where random words of 64 bits come from. */
export interface WordSource {
  next(): bigint;
}

/** Random words of the browser's own generator. */
export declare class FreshWords implements WordSource {
  next(): bigint;
}

/** A plan made ready to draw from. */
export declare class Questions {
  constructor(plan: Plan);
  readonly plan: Plan;
  /** The attributes that are asked for, each after those that decide whether it is asked. */
  readonly names: string[];
  /** How many codes there are. */
  readonly outputs: bigint;
  /** Bytes of a code, and of a public cell, in a packed upload. */
  readonly codeBytes: number;
  readonly cellBytes: number;
  /** The question that was drawn, the report's code, and its public cell; throws AnswerError before a word is drawn. */
  draw(record: Answers, words: WordSource): { question: number; code: bigint; cell: bigint };
  /** The question of one person, where it is drawn before anything is asked: keep it before you ask. */
  drawQuestion(words: WordSource): number;
  /** The attributes that a question needs, each after those that decide whether it is asked. */
  namesOf(question: number): string[];
  /** The report about a question that was drawn before; throws AnswerError before a word is drawn. */
  drawAbout(question: number, record: Answers, words: WordSource): { question: number; code: bigint; cell: bigint };
}

/**
 * What is known of the promise about a question: whether it is kept, null where that could not be checked, and what was found; and the
 * most by which a report changes odds, null where nothing limits it, undefined where that depends on the two answers.
 */
export interface Verdict {
  readonly holds: boolean | null;
  readonly found?: string;
  readonly names: string[];
  readonly ratio: [bigint, bigint] | null | undefined;
}

/** A plan that was read, what draws its reports, and a verdict about each question. */
export interface Found {
  readonly plan: Plan;
  readonly questions: Questions;
  readonly verdicts: Verdict[];
}

/** A plan's text read, and checked against a hash; throws PlanError. */
export declare function readPlan(content: string, asked?: string): Promise<Plan>;
/** A plan's text read, and the verdict about each question; throws PlanError. */
export declare function inspect(text: string, hash?: string): Promise<Found>;
/** As `inspect`, of a plan that may be answered: none of its promises is broken. */
export declare function open(text: string, hash?: string): Promise<Found>;

/** Why a plan is refused: the rule is in its message. */
export declare class PlanError extends Error {
  constructor(rule: string, found: string, step?: string);
  readonly rule: string;
  readonly found: string;
  readonly step: string;
}
/** What an answer must be: a sentence of the catalogue by its key, never with the answer itself. */
export declare class AnswerError extends Error {
  constructor(name: string, key: string, values?: Record<string, unknown>);
  readonly attribute: string;
  readonly key: string;
}
/** Why nothing can be kept on the device. */
export declare class StorageError extends Error {
  constructor(key?: string, found?: string);
  readonly key: string;
}
/** What is wrong with a tally, in words. */
export declare class TallyError extends Error {}

/** The names of the attributes that a plan asks for, each after those that decide whether it is asked. */
export declare function asked(plan: Plan): string[];
/** The values of all that is asked as a draw has them; throws AnswerError. */
export declare function values(plan: Plan, record: Answers, names?: string[]): Map<string, unknown>;
/** The public columns, that of a series' periods included, and those that a person is asked for. */
export declare function publicColumns(plan: Pick<Plan, "public">): PublicColumn[];
export declare function askedColumns(plan: Pick<Plan, "public" | "series">): PublicColumn[];
/** The first days of a series' periods, and the place of one that is drawn. */
export declare function firstDays(series: Series): string[];
export declare function drawPeriod(series: Pick<Series, "periods">, random: WordSource): number;

/** The form's own sentences and a survey's texts, with numbers, dates and lists as a language has them. */
export declare class Speech {
  constructor(language?: string, words?: Words);
  readonly language: string;
  /** The language of the form's own sentences. */
  readonly own: string;
  readonly direction: "ltr" | "rtl";
  readonly isWhole: boolean;
  say(key: string, values?: Record<string, string | number | bigint>): string;
}
/** What a report can reveal, in sentences, the most important first. */
export declare function sentences(found: Found, speech?: Speech): string[];

/** The packed form of a report under a fresh id, in hexadecimal digits. */
export declare function pack(code: bigint, width: number, cell?: bigint, cellWidth?: number): string;
/** The invitation of an address, 32 hexadecimal digits; null where there is none, or not all of it. */
export declare function invitationOf(fragment: string): string | null;

/** What is kept of a plan's report, with the host of its collector. */
export interface Kept {
  readonly state: "kept" | "acknowledged" | "withdrawing" | "withdrawn";
  readonly host: string;
  readonly upload?: string;
  readonly id?: string;
}
/** What became of a report, or what the problem is, and whether it may be over later. */
export interface Outcome {
  readonly done: boolean;
  readonly state?: "acknowledged" | "withdrawn";
  readonly upload?: string;
  readonly problem?: string;
  readonly reason?: { key: string; values: Record<string, string> };
  readonly detail?: string;
  readonly wait?: boolean;
}
/** One report for each plan, kept before it is sent until it is acknowledged, and its id after that. */
export declare class Outbox {
  constructor(hash: string, address: string, invitation?: string | null);
  readonly hash: string;
  readonly address: string;
  /** What is kept of this plan's report, or null; throws StorageError. */
  kept(): Promise<Kept | null>;
  /** Draw a report unless there is one, and keep it: whether it was drawn now. `draw` must answer at once. */
  reserve(draw: () => string): Promise<boolean>;
  /** Send what is kept; what is not acknowledged stays kept. */
  send(): Promise<Outcome>;
  /** Have its collector delete the report; no other is drawn. */
  takeBack(): Promise<Outcome>;
}

/** A tally that `readTally` has read. */
export type Tally = Readonly<Record<string, unknown>>;
export declare function readTally(text: string): Tally;
/** A question's estimates, or why there are none. */
export interface QuestionEstimates {
  readonly place: number;
  readonly n?: number;
  readonly rows?: { label: string; estimate: number; stderr: number }[];
  readonly quantiles?: { label: string; low: number; high: number }[];
  readonly unsaid?: string[];
  readonly why?: string;
}
/** The estimates of each question; throws TallyError. */
export declare function estimates(questions: Questions, tally: Tally): QuestionEstimates[];

/** The key of an address, 64 hexadecimal digits; null where there is none. */
export declare function keyOf(fragment: string): string | null;
/** Whether a text was signed by whoever has the private key; null where the browser knows no Ed25519. */
export declare function isSigned(text: string, key: string, signature: string): Promise<boolean | null>;
/** Whether a chain of keys, each signed by the one before it, leads from a key to another one. */
export declare function leadsTo(chain: unknown, start: string, end: string): Promise<boolean>;
/** What is known of a plan's signature, as a sentence of the catalogue; throws PlanError where another one is asked for. */
export declare function signedBy(text: string, wanted: string | null, told: { key: string; signature: string; chain?: unknown } | null): Promise<{ key: string; values: Record<string, string> }>;

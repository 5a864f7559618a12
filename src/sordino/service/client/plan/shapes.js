// What a part of a JSON document can be: small tests of texts, numbers, lists and tables, put together.

export const text = (found) => typeof found === "string";
export const named = (found) => text(found) && found !== "";
export const truth = (found) => typeof found === "boolean";
export const real = (found) => typeof found === "number";
/** Every reader of JSON takes whole numbers up to this for what they are. */
export const LARGEST_NUMBER = 2 ** 53;
export const whole = (least, most = LARGEST_NUMBER) => (found) =>
  Number.isInteger(found) && found >= least && found <= most;
export const integer = whole(-LARGEST_NUMBER);
export const oneOf = (...values) => (found) => values.includes(found);
/** A text of so many characters. */
export const sized = (least, most = Infinity) => (found) => text(found) && found.length >= least && found.length <= most;
export const matching = (pattern) => (found) => text(found) && pattern.test(found);
export const listOf = (kind, least = 0, most = Infinity) => (found) =>
  Array.isArray(found) && found.length >= least && found.length <= most && found.every(kind);
export const isTable = (found) => typeof found === "object" && found !== null && !Array.isArray(found);
export const tableOf = (kind, least = 0) => (found) => {
  if (!isTable(found)) return false;
  const own = Object.values(found);
  return own.length >= least && own.every(kind);
};
/** A table of such fields; those whose names end in "?" may be left out. */
export const fields = (kinds) => (found) => {
  if (!isTable(found)) return false;
  const known = new Set(Object.keys(kinds).map((name) => name.replace("?", "")));
  return (
    Object.keys(found).every((name) => known.has(name)) &&
    Object.entries(kinds).every(([name, kind]) => {
      const own = name.replace("?", "");
      return Object.hasOwn(found, own) ? kind(found[own]) : name.endsWith("?");
    })
  );
};
export const unlike = (found) => new Set(found).size === found.length;
export const exactlyOne = (names) => (found) => names.filter((name) => Object.hasOwn(found, name)).length === 1;
export const both = (...kinds) => (found) => kinds.every((kind) => kind(found));
export const anyOf = (...kinds) => (found) => kinds.some((kind) => kind(found));
/** What else must hold of some of a table's settings, wherever they are given. */
export const settings = (kinds) => (found) => Object.entries(kinds).every(([name, kind]) => !Object.hasOwn(found, name) || kind(found[name]));

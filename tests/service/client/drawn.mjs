// Mechanisms that tests make by hand, with the draw that the package gives them.

const sides = (...set) => ["sides", "threshold", set];
const rowsOf = ({ weights }) => ({ k: weights.length, codes: weights[0].length, draw: ["+", ["pick", ["at", "weights", "v"]], ["drop"]] });

/** By name: values, codes, and the draw. */
const DRAWS = {
  randomized: ({ k }) => ({ k, codes: k, draw: sides("run", "v", "k", 1) }),
  window: ({ k, window }) => ({ k, codes: k - 1 + window, draw: sides("run", "v", "codes", "window") }),
  subset: ({ k }) => ({ k, codes: 2 ** k, draw: sides("masks", "v", "k", "size") }),
  table: rowsOf,
  linear: rowsOf,
  flips: ({ table }) => ({ k: table.length, codes: table.length, draw: ["^", "v", ["pick", "table"]] }),
  tree: (_, { numbers: k }) => ({ k, codes: k, draw: ["+", ["pick", ["outward", ["each", k, ["-", "i", 1]], ["each", k, 0], "factors", "v"]], ["drop"]] }),
  product: ({ axes }) => ({ k: axes.reduce((all, { k }) => all * k, 1), codes: axes.reduce((all, { codes }) => all * Number(codes), 1), draw: ["digits", "axes"] }),
  "high-low": ({ inner }, { labels, protect }) => ({ k: labels.length, codes: labels.length - protect.sensitive.length + Number(inner.codes), draw: ["hide", ["list", ...protect.sensitive], "inner", "hidden"] }),
  blockwise: ({ inner }, { numbers: k, protect }) => ({
    k,
    codes: inner.reduce((all, one) => all + (k / protect.blocks.run) * Number(one.codes), 0),
    draw: ["blocks", ["each", k, ["/", "i", protect.blocks.run]], "inner"],
  }),
};

/** A mechanism with its draw, about an attribute; what has one keeps it. */
export function drawn(mechanism, attribute) {
  const within = (own) => (Array.isArray(own) ? own.map((one) => drawn(one)) : drawn(own));
  const made = Object.fromEntries(Object.entries(mechanism).map(([name, own]) => [name, ["inner", "axes"].includes(name) ? within(own) : own]));
  if (made.draw || !Object.hasOwn(DRAWS, made.name)) return made;
  const { codes, ...rest } = DRAWS[made.name](made, attribute);
  return { ...made, ...rest, codes: String(codes) };
}

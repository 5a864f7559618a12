// Whether bounds for each row and column of a map keep a promise by distances over the Earth. In doubles: off by less
// than 1e-8 of a distance, where the bounds must leave 1e-7.

import { amount } from "../channel/fraction.js";

const LEFT = 1e-7;

/** Metres: the mean radius of the Earth. */
const RADIUS = 6_371_008.8;

/** Metres of each unit. */
const METRES = { km: 1000, m: 1, miles: 1609.344 };

/** An amount in nats, and how far it may be off. */
function nats(text) {
  const { rational, ratio } = amount(text);
  const parts = [Number(rational[0]) / Number(rational[1]), Math.log(Number(ratio[0]) / Number(ratio[1]))];
  return { about: parts[0] + parts[1], off: 1e-15 * (Math.abs(parts[0]) + Math.abs(parts[1])) };
}

const above = ({ about, off }) => about + off;
const below = ({ about, off }) => about - off;

/** Metres from a place on the first meridian to one that lies so much further east, in radians: by the chord. */
function metres(latitude, other, angle) {
  const east = Math.cos(other) * Math.sin(angle);
  const outward = Math.cos(other) * Math.cos(angle) - Math.cos(latitude);
  const up = Math.sin(other) - Math.sin(latitude);
  return 2 * RADIUS * Math.asin(Math.min(Math.hypot(east, outward, up) / 2, 1));
}

/** Whether no two cells of a map may be told apart by more than the distance of their centres allows; so of any other values. */
export function keepsDistances({ grid, protect }) {
  const { epsilon, metric } = protect ?? {};
  if (!metric?.map) return true;
  const { per, unit, row_step: rowStep, column_step: columnStep } = metric.map;
  if (!Object.hasOwn(METRES, unit)) return false;
  const rate = (below(nats(epsilon)) * (1 - LEFT)) / (above(nats(per)) * METRES[unit]);
  const [row, column] = [above(nats(rowStep)), above(nats(columnStep))];
  const radians = Math.PI / 180;
  const centre = (i) => radians * (grid.south + ((i + 0.5) * (grid.north - grid.south)) / grid.rows);
  const width = (radians * (grid.east - grid.west)) / grid.columns;
  for (let rows = 0; rows < grid.rows; rows += 1) {
    // Two meridians are the closer the nearer to a pole: of pairs of rows one of them is the first or the last.
    const ends = [[centre(0), centre(rows)], [centre(grid.rows - 1), centre(grid.rows - 1 - rows)]];
    for (let columns = 0; columns < grid.columns; columns += 1) {
      const told = rows * row + columns * column;
      // What is no number is not kept.
      if (!ends.every(([one, other]) => told <= rate * metres(one, other, columns * width))) return false;
    }
  }
  return true;
}

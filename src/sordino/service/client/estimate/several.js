// What a tally says of categories of which several apply: the share of people to whom each does, with its standard error.

import { chances } from "./dense.js";
import { sharesOf } from "./reading.js";

const total = (list) => list.reduce((all, one) => all + one, 0);

/** The number of reports, and a row for each mark. */
export function ofSeveral(question, reading, counts, shifted) {
  const { marks, byCategory, byMeeting } = question;
  if (byMeeting) return ofItems(question, reading, counts);
  const found = byCategory ? marks.map((_, place) => ofCategory(question, reading, counts, place)) : ofCombinations(question, reading, counts, shifted);
  const n = byCategory ? total(found.map((one) => one.n)) : reading.total(counts);
  return { n, rows: found.map(({ estimate, stderr }, place) => ({ label: question.label(place), estimate, stderr })) };
}

/** Of the reports about one mark the share of yes. */
function ofCategory({ times }, reading, counts, place) {
  const size = counts.length / times;
  const { n, value, stderr } = sharesOf(reading, counts.slice(place * size, (place + 1) * size), false);
  return { n, estimate: value[1], stderr: stderr[1] };
}

/** Of each mark the share of those who have its item. */
function ofItems({ marks, items }, reading, counts) {
  const { n, value, stderr } = sharesOf(reading, counts, false);
  return { n, rows: marks.map((label, place) => ({ label, estimate: value[items[place]], stderr: stderr[items[place]] })) };
}

/** Sums of the shares of combinations: what each code adds to a sum, and its square, of people with each combination too. */
function ofCombinations({ marks, members, mechanism }, reading, counts, shifted) {
  if (shifted) throw new RangeError("estimates that are shifted to a total");
  const n = reading.total(counts);
  if (n === 0) throw new RangeError("nobody who answered it");
  const rows = chances(mechanism);
  const each = counts.map((count) => count / n);
  const alone = counts.map((_, code) => reading.decode(counts.map((_, other) => Number(other === code))));
  return marks.map((_, mark) => {
    const adds = alone.map((shares) => shares.reduce((all, share, value) => (members[value][mark] ? all + share : all), 0));
    const mean = (law) => law.reduce((all, part, code) => all + part * adds[code] ** 2, 0);
    const estimate = each.reduce((all, part, code) => all + part * adds[code], 0);
    const squares = rows.map(mean);
    return { estimate, stderr: Math.sqrt(Math.max(mean(each) - estimate ** 2, least(squares, members, mark, estimate, n)) / n) };
  });
}

/** What the variance is at least, whoever answers: of a share nearer to 0 or 1 than one person makes it, as if it were there. */
function least(squares, members, mark, estimate, n) {
  const of = (is) => squares.filter((_, value) => members[value][mark] === is).reduce((a, b) => Math.min(a, b), Infinity);
  const [own, others] = [of(true), of(false)];
  const share = Math.min(Math.max(estimate, 1 / (n + 1)), n / (n + 1));
  if (share !== estimate) return share * own + (1 - share) * others - share ** 2;
  return Math.max(Math.min(own - 1, others), 0);
}

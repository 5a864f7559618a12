// An interpreter of draws, as docs/plan-format.md has them: all numbers are whole, and a word is one of 64 bits.
package main

import "math/big"

type num = *big.Int

func of(n int64) num { return big.NewInt(n) }

func bit(holds bool) uint64 { return map[bool]uint64{true: 1}[holds] }

var word, half = new(big.Int).Lsh(of(1), 64), new(big.Int).Lsh(of(1), 32)

var arithmetic = map[any]func(a, b num) num{
	"+": func(a, b num) num { return new(big.Int).Add(a, b) },
	"-": func(a, b num) num { return new(big.Int).Sub(a, []num{a, b}[bit(a.Cmp(b) > 0)]) },
	"*": func(a, b num) num { return new(big.Int).Mul(a, b) },
	"/": func(a, b num) num { return new(big.Int).Div(a, b) },
	"%": func(a, b num) num { return new(big.Int).Mod(a, b) },
	"^": func(a, b num) num { return new(big.Int).Xor(a, b) },
	"<": func(a, b num) num { return of(int64(bit(a.Cmp(b) < 0))) },
}

func do(operation string, a, b num) num { return arithmetic[operation](a, b) }

// words are drawn one after the other.
type words struct {
	given []uint64
	drawn int
}

func (w *words) next() num {
	w.drawn++
	return new(big.Int).SetUint64(w.given[w.drawn-1])
}

// either chooses below the second bound where heads holds, else below the first: both look at every word.
func either(first, second num, heads bool, w *words) (kept num) {
	narrow := first.Cmp(half) <= 0 && second.Cmp(half) <= 0
	for rejected := true; rejected; {
		drawn := w.next()
		rejected = false
		for i, bound := range []num{first, second} {
			choice := do("/", drawn, do("/", word, bound))
			wrong := choice.Cmp(bound) >= 0
			if narrow {
				product := do("*", do("/", drawn, half), bound)
				choice, wrong = do("/", product, half), do("%", product, half).Cmp(do("%", half, bound)) < 0
			}
			if rejected = rejected || wrong; kept == nil && !wrong && (i == 1) == heads {
				kept = choice
			}
		}
	}
	return kept
}

func below(bound num, w *words) num { return either(bound, bound, false, w) }

// pick gives the first place at which the weights up to it, together, are above a choice below their sum.
func pick(weights []num, w *words) (place int64) {
	total, end := of(0), of(0)
	for _, weight := range weights {
		total.Add(total, weight)
	}
	choice := below(total, w)
	for _, weight := range weights {
		place += int64(bit(choice.Cmp(end.Add(end, weight)) >= 0))
	}
	return place
}

// mechanism is a record of a plan, whose entries its draw names.
type mechanism struct {
	record object
	k      int64
	codes  num
}

func newMechanism(found any) mechanism {
	record := found.(object)
	return mechanism{record, number(record["k"]).Int64(), number(record["codes"])}
}

func (m mechanism) code(value num, w *words) num {
	return m.number(m.record["draw"], map[string]num{"v": value}, w)
}

func (m mechanism) parts(name any) (found []mechanism) {
	list, several := m.record[name.(string)].([]any)
	if !several {
		list = []any{m.record[name.(string)]}
	}
	for _, own := range list {
		found = append(found, newMechanism(own))
	}
	return found
}

func (m mechanism) list(found any, v map[string]num) (numbers []num) {
	if name, named := found.(string); named {
		found = append([]any{"list"}, m.record[name].([]any)...)
	}
	given := found.([]any)
	switch given[0] {
	case "each":
		for i := int64(0); i < m.number(given[1], v, nil).Int64(); i++ {
			numbers = append(numbers, m.number(given[2], map[string]num{"i": of(i)}, nil))
		}
		return numbers
	case "at":
		rows := m.record[given[1].(string)].([]any)
		given = append([]any{"list"}, rows[m.number(given[2], v, nil).Int64()].([]any)...)
	case "outward":
		return outward(m.list(given[1], v), m.list(given[2], v), m.list(given[3], v), m.number(given[4], v, nil).Int64())
	}
	for _, own := range given[1:] {
		numbers = append(numbers, m.number(own, v, nil))
	}
	return numbers
}

// outward gives the weights of all codes on a value: they fall off along the steps of a tree.
func outward(above, kinds, factors []num, value int64) []num {
	near, row, left := make([]map[int64]num, len(above)), make([]num, len(above)), word
	for one := range above {
		near[one] = map[int64]num{}
	}
	for one := range above {
		if other := above[one].Int64(); other != int64(one) {
			near[one][other], near[other][int64(one)] = factors[kinds[one].Int64()], factors[kinds[one].Int64()]
		}
	}
	up := func(a, b num) num { return do("/", do("+", a, do("-", b, of(1))), b) }
	for code := range near {
		share, weights, waiting := big.NewRat(1, 1), map[int64]num{}, []int64{int64(code)}
		for _, factor := range near[code] {
			share.Sub(share, new(big.Rat).SetFrac(factor, do("+", word, factor)))
		}
		start := up(do("*", word, share.Num()), share.Denom())
		weights[int64(code)] = do("-", start, do("/", start, word))
		for i := 0; i < len(waiting); i++ {
			for other, factor := range near[waiting[i]] {
				if weights[other] == nil {
					weights[other], waiting = up(do("*", weights[waiting[i]], factor), word), append(waiting, other)
				}
			}
		}
		if row[code] = weights[value]; int64(code) != value {
			left = do("-", left, row[code])
		}
	}
	row[value] = left
	return row
}

// number works out an operation: all of its arguments, in their order, also those that are not needed.
func (m mechanism) number(found any, v map[string]num, w *words) num {
	given, worked := found.([]any)
	if name, named := found.(string); named && v[name] != nil {
		return v[name]
	} else if named && m.record[name] != nil {
		return number(m.record[name])
	} else if !worked {
		return number(found)
	}
	arg := func(i int) num { return m.number(given[i], v, w) }
	switch given[0] {
	case "at":
		return m.list(given[1], v)[arg(2).Int64()]
	case "if":
		all := []num{arg(1), arg(2), arg(3)}
		return all[2-bit(all[0].Sign() != 0)]
	case "drop":
		return do("*", w.next(), of(0))
	case "coin":
		threshold := arg(1)
		return do("<", w.next(), threshold)
	case "below":
		return below(arg(1), w)
	case "pick":
		return of(pick(m.list(given[1], v), w))
	case "sides":
		own := given[2].([]any)
		s, value := m.set(own), m.number(own[1], v, w).Int64()
		other := w.next().Cmp(arg(1)) >= 0 && s.off > 0
		choice := either(of(s.on), of(s.off+int64(bit(s.off == 0))), other, w)
		return new(big.Int).SetUint64(s.code(value, choice.Int64(), other))
	case "digits":
		code, unit := of(0), m.k
		for _, part := range m.parts(given[1]) {
			unit /= part.k
			code = do("+", do("*", code, part.codes), part.code(of(v["v"].Int64()/unit%part.k), w))
		}
		return code
	case "levels":
		parts, node, code := m.parts(given[2]), v["v"], of(0)
		level := below(of(int64(len(parts))), w).Int64()
		for _, part := range parts[:level] {
			code, node = do("+", code, part.codes), do("/", node, arg(1))
		}
		return do("+", code, parts[level].code(node, w))
	case "blocks":
		block, members, place := m.list(given[1], v), map[int64]int64{}, of(0)
		for value, one := range block {
			members[one.Int64()]++
			before := bit(int64(value) < v["v"].Int64() && one.Cmp(block[v["v"].Int64()]) == 0)
			place.Add(place, of(int64(before)))
		}
		code, known := of(0), map[int64]bool{}
		for _, one := range block {
			for _, part := range m.parts(given[2]) {
				if part.k != members[one.Int64()] || known[one.Int64()] {
				} else if one.Cmp(block[v["v"].Int64()]) == 0 {
					return do("+", code, part.code(place, w))
				} else {
					code = do("+", code, part.codes)
				}
			}
			known[one.Int64()] = true
		}
	case "hide":
		// Both ways are gone by the same words, and the longer one tells how many are drawn.
		part, one, two, place, listed := m.parts(given[2])[0], *w, *w, of(0), of(0)
		for _, value := range m.list(given[1], v) {
			place.Add(place, do("<", value, v["v"]))
			listed.Add(listed, of(int64(bit(value.Cmp(v["v"]) == 0))))
		}
		code, told := part.code(do("*", place, listed), &one), two.next().Cmp(arg(3)) >= 0
		behind := part.set(part.record["draw"].([]any)[2].([]any)).uniform(&two)
		if w.drawn = one.drawn; two.drawn > one.drawn {
			w.drawn = two.drawn
		}
		if listed.Sign() > 0 {
			return code
		} else if told {
			return do("+", part.codes, do("-", v["v"], place))
		}
		return new(big.Int).SetUint64(behind)
	}
	one := arg(1)
	return do(given[0].(string), one, arg(2))
}

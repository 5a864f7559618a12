// An interpreter of draws, as docs/plan-format.md has them: all numbers are whole.
package main

import "math/big"

// operations whose arguments are numbers.
var operations = map[any]func(w *words, a []num) num{
	"+":     func(w *words, a []num) num { return add(a[0], a[1]) },
	"-":     func(w *words, a []num) num { return sub(a[0], a[1]) },
	"*":     func(w *words, a []num) num { return mul(a[0], a[1]) },
	"/":     func(w *words, a []num) num { return div(a[0], a[1]) },
	"%":     func(w *words, a []num) num { return mod(a[0], a[1]) },
	"^":     func(w *words, a []num) num { return new(big.Int).Xor(a[0], a[1]) },
	"<":     func(w *words, a []num) num { return integer(bit(a[0].Cmp(a[1]) < 0)) },
	"if":    func(w *words, a []num) num { return choose(a[0].Sign() != 0, a[1], a[2]) },
	"drop":  func(w *words, a []num) num { return mul(w.next(), integer(0)) },
	"coin":  func(w *words, a []num) num { return integer(bit(w.next().Cmp(a[0]) < 0)) },
	"below": func(w *words, a []num) num { return w.drawBelow(0, a[0]) },
}

// mechanism is a record of a plan, whose entries its draw names.
type mechanism object

// draw works out numbers: names are v, the value, or i.
type draw struct {
	mechanism
	names map[string]num
	words *words
}

func (m mechanism) answer(value int) answer {
	return answer{whole(m["codes"]), func(w *words) num {
		return draw{m, map[string]num{"v": integer(value)}, w}.number(m["draw"])
	}}
}

func (m mechanism) parts(name any) []mechanism {
	return transform(list(m[name.(string)]), func(own any) mechanism { return own.(object) })
}

func (m mechanism) k() int          { return toInt(whole(m["k"])) }
func (d draw) int(found any) int    { return toInt(d.number(found)) }
func (d draw) ints(found any) []int { return transform(d.list(found), toInt) }

func (d draw) list(found any) []num {
	if name, named := found.(string); named {
		return transform(list(d.mechanism[name]), whole)
	}
	given := list(found)
	switch given[0] {
	case "each":
		return generate(d.int(given[1]), func(i int) num {
			return draw{d.mechanism, map[string]num{"i": integer(i)}, nil}.number(given[2])
		})
	case "at":
		return transform(list(list(d.mechanism[given[1].(string)])[d.int(given[2])]), whole)
	case "outward":
		return treeWeights(d.ints(given[1]), d.ints(given[2]), d.list(given[3]), d.int(given[4]))
	}
	return transform(given[1:], d.number)
}

// number works out an operation: all of its arguments, in their order, also those that are not needed.
func (d draw) number(found any) num {
	name, _ := found.(string)
	given, worked := found.([]any)
	if d.names[name] != nil {
		return d.names[name]
	} else if !worked {
		return whole(choose(d.mechanism[name] != nil, d.mechanism[name], found))
	}
	w, answers := d.words, []answer{}
	switch given[0] {
	case "at":
		return d.list(given[1])[d.int(given[2])]
	case "pick":
		return integer(w.pick(d.list(given[1])))
	case "sides":
		threshold, found := d.number(given[1]), list(given[2])
		s := d.set(found)
		other := bit(w.next().Cmp(threshold) >= 0 && s.off.Sign() > 0)
		choice := w.drawBelow(other, s.on, add(s.off, integer(bit(s.off.Sign() == 0))))
		return s.code(d.int(found[1]), choice, other)
	case "digits":
		unit := d.k()
		for _, part := range d.parts(given[1]) {
			unit /= part.k()
			answers = append(answers, part.answer(d.int("v")/unit%part.k()))
		}
		return product(answers).code(w)
	case "levels":
		node, parts := d.int("v"), d.parts(given[2])
		for _, part := range parts {
			answers = append(answers, part.answer(node))
			node /= d.int(given[1])
		}
		return mixture(answers, func(w *words) int { return toInt(w.drawBelow(0, integer(len(parts)))) }).code(w)
	case "blocks":
		block, value, own := d.ints(given[1]), d.int("v"), 0
		for i, one := range block {
			for _, part := range d.parts(given[2]) {
				if occurrences(block[:i], one) == 0 && part.k() == occurrences(block, one) {
					own = choose(one == block[value], len(answers), own)
					answers = append(answers, part.answer(occurrences(block[:value], one)))
				}
			}
		}
		return mixture(answers, func(*words) int { return own }).code(w)
	case "hide":
		return d.hide(d.ints(given[1]), d.parts(given[2])[0], d.number(given[3]))
	}
	return operations[given[0]](w, transform(given[1:], d.number))
}

func occurrences(list []int, own int) int {
	return count(list, func(one int) bool { return one == own })
}

// hide goes both ways by the same words, and the longer one tells how many are drawn.
func (d draw) hide(listed []int, part mechanism, threshold num) num {
	one, two, value := *d.words, *d.words, d.int("v")
	before := count(listed, func(own int) bool { return own < value })
	code := part.answer(before * occurrences(listed, value)).code(&one)
	reported, s := two.next().Cmp(threshold) >= 0, draw{mechanism: part}.set(list(list(part["draw"])[2]))
	hidden := s.uniform(two.drawBelow(0, s.codes))
	*d.words = choose(len(one) < len(two), one, two)
	other := choose(reported, add(whole(part["codes"]), integer(value-before)), hidden)
	return choose(occurrences(listed, value) > 0, code, other)
}

// treeWeights are those of all codes on a value, towards which the steps of a tree are turned.
func treeWeights(above, kinds []int, factors []num, value int) (row []num) {
	steps, left := transform(kinds, func(kind int) num { return factors[kind] }), word
	shares := transform(above, func(int) *big.Rat { return big.NewRat(1, 1) })
	for one, other := range above {
		if share := new(big.Rat).SetFrac(steps[one], add(word, steps[one])); one != other {
			shares[one].Sub(shares[one], share)
			shares[other].Sub(shares[other], share)
		}
	}
	for at, next, step := value, -1, word; at != next; {
		above[at], next, steps[at], step, at = next, at, step, steps[at], above[at]
	}
	up := func(a, b num) num { return div(add(a, sub(b, integer(1))), b) }
	for code, share := range shares {
		weight := up(mul(word, share.Num()), share.Denom())
		weight = sub(weight, div(weight, word))
		for at := code; at != value; at = above[at] {
			weight = up(mul(weight, steps[at]), word)
		}
		row, left = append(row, weight), sub(left, choose(code == value, integer(0), weight))
	}
	row[value] = left
	return row
}

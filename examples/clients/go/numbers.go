// Whole numbers, and choices by words.
package main

import (
	"math/big"
	"strconv"
)

type num = *big.Int

var word, half = new(big.Int).Lsh(integer(1), 64), new(big.Int).Lsh(integer(1), 32)

// Codes are read as an int, which has 64 bits where this compiles.
const _ uint = 1 << 63

func integer(n int) num        { return big.NewInt(int64(n)) }
func unsigned(bits uint64) num { return new(big.Int).SetUint64(bits) }
func toInt(n num) int          { return int(n.Int64()) }
func add(a, b num) num         { return new(big.Int).Add(a, b) }
func sub(a, b num) num         { return new(big.Int).Sub(a, choose(a.Cmp(b) > 0, b, a)) }
func mul(a, b num) num         { return new(big.Int).Mul(a, b) }
func div(a, b num) num         { return new(big.Int).Div(a, b) }
func mod(a, b num) num         { return new(big.Int).Mod(a, b) }

// fold goes on from a number by each of a list.
func fold[T any](from num, list []T, step func(num, T) num) num {
	for _, own := range list {
		from = step(from, own)
	}
	return from
}

func choose[T any](holds bool, yes, no T) T {
	if holds {
		return yes
	}
	return no
}

func bit(holds bool) int { return choose(holds, 1, 0) }

// whole reads a whole number, which may stand as a text of digits.
func whole(found any) num {
	if own, is := found.(float64); is && own < 1<<53 {
		found = strconv.FormatFloat(own, 'f', -1, 64)
	}
	if made, is := new(big.Int).SetString(found.(string), 10); is {
		return made
	}
	panic("no whole number")
}

// list makes one of what may stand alone.
func list(found any) []any {
	if several, is := found.([]any); is || found == nil {
		return several
	}
	return []any{found}
}

func generate[T any](n int, job func(i int) T) (made []T) {
	for i := 0; i < n; i++ {
		made = append(made, job(i))
	}
	return made
}

func transform[A, B any](list []A, job func(A) B) []B {
	return generate(len(list), func(i int) B { return job(list[i]) })
}

func count[T any](list []T, is func(T) bool) (times int) {
	for _, own := range list {
		times += bit(is(own))
	}
	return times
}

// words of 64 bits are drawn one after the other.
type words []uint64

func (w *words) next() num {
	drawn := (*w)[0]
	*w = (*w)[1:]
	return unsigned(drawn)
}

// drawBelow gives a choice below one of some bounds, which all look at every word.
func (w *words) drawBelow(which int, bounds ...num) (choice num) {
	narrow := count(bounds, func(bound num) bool { return bound.Cmp(half) > 0 }) == 0
	for rejected := true; rejected; {
		drawn := w.next()
		choices := transform(bounds, func(bound num) num {
			if product := mul(div(drawn, half), bound); narrow {
				return choose(mod(product, half).Cmp(mod(half, bound)) < 0, nil, div(product, half))
			}
			own := div(drawn, div(word, bound))
			return choose(own.Cmp(bound) < 0, own, nil)
		})
		choice = choose(choice == nil, choices[which], choice)
		rejected = count(choices, func(own num) bool { return own == nil }) > 0
	}
	return choice
}

// pick gives the first place at which the weights up to it, together, are above a choice below their sum.
func (w *words) pick(weights []num) (place int) {
	choice := w.drawBelow(0, fold(integer(0), weights, add))
	for ; choice.Cmp(weights[place]) >= 0; place++ {
		choice = sub(choice, weights[place])
	}
	return place
}

// answer has so many codes, and draws one.
type answer struct {
	codes num
	code  func(w *words) num
}

// mixture is an answer by one of some, whose codes follow those of all before.
func mixture(some []answer, pick func(w *words) int) answer {
	follow := func(code num, before answer) num { return add(code, before.codes) }
	return answer{fold(integer(0), some, follow), func(w *words) num {
		chosen := pick(w)
		return fold(some[chosen].code(w), some[:chosen], follow)
	}}
}

// product is an answer by all in turn, whose codes are digits: the last runs fastest.
func product(some []answer) answer {
	codes := fold(integer(1), some, func(codes num, own answer) num { return mul(codes, own.codes) })
	return answer{codes, func(w *words) num {
		return fold(integer(0), some, func(code num, own answer) num { return add(mul(code, own.codes), own.code(w)) })
	}}
}

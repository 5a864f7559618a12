// Sets of codes, one for each value: a coin chooses between a code of the set and one of all others.
package main

import "math/big"

// set has bounds of a choice on either side and among all codes, and the code that a choice leads to.
type set struct {
	on, off, codes num
	code           func(value int, choice num, other int) num
	uniform        func(choice num) num
}

func identity(code int) int { return code }

// smallSet has codes and choices that are counted in ints.
func smallSet(on, off, codes int, code func(value, choice, other int) int, uniform func(choice int) int) set {
	return set{integer(on), integer(off), integer(codes), func(value int, choice num, other int) num {
		return unsigned(uint64(code(value, toInt(choice), other)))
	}, func(choice num) num { return unsigned(uint64(uniform(toInt(choice)))) }}
}

func (d draw) set(found []any) set {
	n := d.int(found[2])
	switch found[0] {
	case "run":
		length := d.int(found[3])
		return smallSet(length, n-length, n, func(value, choice, other int) int {
			return choose(other == 0, value+choice, choice+length*bit(choice >= value))
		}, identity)
	case "masks":
		size, count := d.int(found[3]), func(n, size int) int { return toInt(binomial(n, size)) }
		return smallSet(count(n-1, size-1), count(n-1, size), count(n, size), func(value, choice, other int) int {
			others := rankedMask(choice, n-1, size-1+other)
			return others + others>>value<<value + (1-other)<<value
		}, func(choice int) int { return rankedMask(choice, n, size) })
	case "meeting":
		return meeting(n, d.int(found[3]), d.int(found[4]), d.int(found[5]))
	case "points":
		return points(n, d.int(found[3]), d.int(found[4]) > 0)
	}
	multipliers, base, sides := d.ints(found[3]), d.ints(found[4]), [2][]int{}
	for element := 0; element < n; element++ {
		other := 1 - occurrences(base, element)
		sides[other] = append(sides[other], element)
	}
	m := len(multipliers)
	return smallSet(m*len(sides[0]), m*len(sides[1]), m*n, func(value, choice, other int) int {
		family, element := choice/len(sides[other]), sides[other][choice%len(sides[other])]
		return family*n + (value-element*multipliers[family]%n+n)%n
	}, identity)
}

func binomial(n, members int) num { return new(big.Int).Binomial(int64(n), int64(members)) }

// rank is the number of ascending places among all sets of as many.
func rank(places []int) (found num) {
	found = integer(0)
	for i, place := range places {
		found = add(found, binomial(place, i+1))
	}
	return found
}

// ranked are the places, ascending, of the set with a rank among those of so many out of n.
func ranked(rank num, n, members int) []int {
	places := make([]int, members)
	for place := n - 1; members > 0; place-- {
		if without := binomial(place, members); rank.Cmp(without) >= 0 {
			members--
			rank, places[members] = sub(rank, without), place
		}
	}
	return places
}

// rankedMask has a rank, in ascending order, among those with so many of n bits.
func rankedMask(rank, n, members int) (found int) {
	for _, place := range ranked(integer(rank), n, members) {
		found |= 1 << place
	}
	return found
}

// meeting are sets of so many out of n items: those of a value share at least some with its own set, of other size.
func meeting(n, chosen, size, least int) set {
	sharing := generate(choose(chosen < size, chosen, size)+1, func(shared int) num {
		return mul(binomial(chosen, shared), binomial(n-chosen, size-shared))
	})
	total := func(some []num) num { return fold(integer(0), some, add) }
	code := func(value int, choice num, other int) num {
		shared := choose(other > 0, 0, least)
		for ; choice.Cmp(sharing[shared]) >= 0; shared++ {
			choice = sub(choice, sharing[shared])
		}
		own, outside := ranked(integer(value), n, chosen), binomial(n-chosen, size-shared)
		parts, places := [2][]int{}, []int{}
		parts[0] = ranked(div(choice, outside), chosen, shared)
		parts[1] = ranked(mod(choice, outside), n-chosen, size-shared)
		seen := [2]int{}
		for place := 0; place < n; place++ {
			part := bit(!contains(own, place))
			if contains(parts[part], seen[part]) {
				places = append(places, place)
			}
			seen[part]++
		}
		return rank(places)
	}
	uniform := func(choice num) num { return choice }
	return set{total(sharing[least:]), total(sharing[:least]), binomial(n, size), code, uniform}
}

// points are numbers of up to t digits in base q whose leading digit is 1, at a place worth top. Digits are elements
// of a field: modulo q, or polynomials' bits modulo the least one that has no divisor.
func points(q, t int, listed bool) set {
	binary, modulus := q&(q-1) == 0, q
	for divisor := 2; binary && divisor < q; divisor++ {
		rest := modulus
		for unit := q; unit > 0; unit /= 2 {
			rest = choose(rest^divisor*unit < rest, rest^divisor*unit, rest)
		}
		if rest == 0 {
			modulus, divisor = modulus+1, 1
		}
	}
	plus := func(a, b int) int { return choose(binary, a^b, (a+b)%q) }
	times := func(a, b int) (product int) {
		for ; b > 0; b >>= 1 {
			product, a = plus(product, a*(b&1)), choose(binary, 2*a^2*a/q*modulus, 2*a%q)
		}
		return product
	}
	dot := func(a, b int) (total int) {
		for ; a > 0 && b > 0; a, b = a/q, b/q {
			total = plus(total, times(a%q, b%q))
		}
		return total
	}
	vector := func(point int) (number, top int) {
		for top = 1; point >= top; top *= q {
			point -= top
		}
		return point + top, top
	}
	off := toInt(new(big.Int).Exp(integer(q), integer(t-1), nil))
	on, codes := (off-1)/(q-1), (off*q-1)/(q-1)
	if listed {
		return smallSet(on, off, codes, func(value, choice, other int) int {
			own, _ := vector(value)
			for code := 0; ; code++ {
				number, _ := vector(code)
				if choice -= bit((dot(own, number) != 0) == (other > 0)); choice < 0 {
					return code
				}
			}
		}, identity)
	}
	return smallSet(off-1, off, codes, func(value, choice, other int) int {
		own, top := vector(value)
		choice += 1 - other
		found, scale := choice/top*top*q+choice%top, 1
		for dot(own, found) != other {
			found += top
		}
		for top = off; found < top; {
			top /= q
		}
		for times(found/top, scale) != 1 {
			scale++
		}
		code := (top - 1) / (q - 1)
		for unit := 1; unit < top; unit *= q {
			code += unit * times(scale, found/unit%q)
		}
		return code
	}, identity)
}

// Sets of codes, one for each value: a coin chooses between a code of the set and one of all others.
package main

import "math/big"

// set has the bounds of a choice on either side, the code that it leads to, and any code that is sent.
type set struct {
	on, off int64
	code    func(value, choice int64, other bool) uint64
	uniform func(w *words) uint64
}

func comb(n, members int64) int64 { return new(big.Int).Binomial(n, members).Int64() }

// mask has a rank, in ascending order, among those with so many of n bits.
func mask(rank, n, members int64) (found uint64) {
	for element := n - 1; element >= 0; element-- {
		if without := comb(element, members); rank >= without {
			found, rank, members = found|1<<element, rank-without, members-1
		}
	}
	return found
}

func (m mechanism) set(found []any) set {
	arg := func(i int) int64 { return m.number(found[i], nil, nil).Int64() }
	any := func(codes int64) func(*words) uint64 {
		return func(w *words) uint64 { return below(of(codes), w).Uint64() }
	}
	switch found[0] {
	case "run":
		codes, length := arg(2), arg(3)
		return set{length, codes - length, func(value, choice int64, other bool) uint64 {
			if !other {
				choice += value
			} else if choice >= value {
				choice += length
			}
			return uint64(choice)
		}, any(codes)}
	case "masks":
		n, size := arg(2), arg(3)
		return set{comb(n-1, size-1), comb(n-1, size), func(value, choice int64, other bool) uint64 {
			others := mask(choice, n-1, size-int64(bit(!other)))
			return others + others>>value<<value + bit(!other)<<value
		}, func(w *words) uint64 { return mask(below(of(comb(n, size)), w).Int64(), n, size) }}
	case "points":
		return points(arg(2), arg(3), arg(4) > 0, any)
	}
	p, multipliers, inside, sides := arg(2), m.list(found[3], nil), map[int64]bool{}, map[bool][]int64{}
	for _, d := range m.list(found[4], nil) {
		inside[d.Int64()] = true
	}
	for d := int64(0); d < p; d++ {
		sides[!inside[d]] = append(sides[!inside[d]], d)
	}
	count := func(other bool) int64 { return int64(len(sides[other])) }
	families := int64(len(multipliers))
	return set{families * count(false), families * count(true), func(value, choice int64, other bool) uint64 {
		family, d := choice/count(other), sides[other][choice%count(other)]
		return uint64(family*p + (value-d*multipliers[family].Int64()%p+p)%p)
	}, any(families * p)}
}

// points are of a space of t coordinates over the field of q elements: modulo q, or polynomials' bits.
func points(q, t int64, listed bool, any func(int64) func(*words) uint64) set {
	binary, modulus, powers := q&(q-1) == 0, q, []int64{1}
	remainder := func(a, b int64) int64 {
		for of(a).BitLen() >= of(b).BitLen() {
			a ^= b << (of(a).BitLen() - of(b).BitLen())
		}
		return a
	}
	for d := int64(2); binary && d < q; d++ {
		if remainder(modulus, d) == 0 {
			modulus, d = modulus+1, 1
		}
	}
	for i := int64(0); i < t; i++ {
		powers = append(powers, powers[i]*q)
	}
	times := func(a, b int64) (found int64) {
		if !binary {
			return a * b % q
		}
		for ; b > 0; a, b = a<<1, b>>1 {
			found ^= a * (b & 1)
		}
		return remainder(found, modulus)
	}
	minus := func(a, b int64) int64 {
		if binary {
			return a ^ b
		}
		return (a - b + q) % q
	}
	dot := func(a, b int64) (total int64) {
		for ; a > 0 && b > 0; a, b = a/q, b/q {
			total = minus(total, minus(0, times(a%q, b%q)))
		}
		return total
	}
	// A point is a number in base q that begins with 1, at the power of a place.
	vector := func(point int64) (number, place int64) {
		for ; point >= powers[place]; place++ {
			point -= powers[place]
		}
		return point + powers[place], place
	}
	points, affine := (powers[t]-1)/(q-1), powers[t-1]
	if listed {
		return set{(affine - 1) / (q - 1), affine, func(value, choice int64, other bool) uint64 {
			own, _ := vector(value)
			for code := int64(0); ; code++ {
				if number, _ := vector(code); (dot(own, number) != 0) == other {
					if choice--; choice < 0 {
						return uint64(code)
					}
				}
			}
		}, any(points)}
	}
	return set{affine - 1, affine, func(value, choice int64, other bool) uint64 {
		own, top := vector(value)
		choice += int64(bit(!other))
		low, high, scale, point := choice%powers[top], choice/powers[top], int64(1), int64(0)
		found := (high*q+minus(int64(bit(other)), dot(own-powers[top], low)))*powers[top] + low
		for top = t - 1; found < powers[top]; top-- {
		}
		for times(found/powers[top], scale) != 1 {
			scale++
		}
		for _, power := range powers[:top] {
			point += power * (1 + times(scale, found/power%q))
		}
		return uint64(point)
	}, any(points)}
}

// Statistics, which read numbers as one of so many values.
package main

import (
	"math"
	"strings"
)

func clamp(own, low, high float64) float64 { return math.Min(math.Max(own, low), high) }

// reading is a statistic's, of numbers, by its arguments.
type reading struct {
	numbers []float64
	args    []int
	*words
}

func (r reading) at(i int) float64 { return r.numbers[r.args[i]] }

func (r reading) sign(own float64) int {
	amount, drawn := uint64(math.Abs(own)*(1<<63)), r.next().Uint64()
	return bit((own >= 0) != (drawn >= 1<<63 && drawn <= math.MaxUint64-amount))
}

func (r reading) grid(own float64) int {
	top := float64(r.args[1] - 1)
	above := float64((own + 1) * (top / 2))
	lower := math.Min(math.Floor(above), top)
	up := r.next().Uint64() < uint64(clamp(above-lower, 0, 1-1.0/(1<<53))*(1<<64))
	return int(math.Min(lower+float64(bit(up)), top))
}

// centre takes what lies from 0 to 1 to -1 to 1, if it counts twice.
func centre(own float64, times int) float64 { return own*float64(times) - float64(times-1) }

var statistics = map[string]func(r reading) int{
	"number":   func(r reading) int { return choose(r.args[1] == 2, r.sign, r.grid)(r.at(0)) },
	"optional": func(r reading) int { return choose(math.IsNaN(r.at(0)), r.args[1], r.grid(r.at(0))) },
	"product":  func(r reading) int { return r.sign(centre(r.at(0)*r.at(1), 1+bit(r.args[0] == r.args[1]))) },
	"signs": func(r reading) (read int) {
		for i := range r.args {
			read |= r.sign(r.at(i)) << i
		}
		return read
	},
	"category-sign":  func(r reading) int { return 2*int(r.at(0)) + r.sign(r.at(2)) },
	"two-categories": func(r reading) int { return int(r.at(0))*r.args[3] + int(r.at(2)) },
	"binary-product": func(r reading) int { return r.sign(centre(r.at(0), 2) * centre(r.at(1), r.args[2])) },
}

// statisticAnswer is a mechanism's on what a statistic reads; of complete cases the last value, where one is missing.
func (m mechanism) statisticAnswer(call []any, numbers []float64) answer {
	args, missing := transform(call[1:], func(arg any) int { return toInt(whole(arg)) }), 0
	name := strings.TrimPrefix(call[0].(string), "complete-")
	if name != call[0] {
		several := args[1 : 1+args[0]]
		missing = count(several, func(place int) bool { return math.IsNaN(numbers[place]) })
		numbers = transform(numbers, func(own float64) float64 { return choose(math.IsNaN(own), 0, own) })
		args = args[1+args[0]:]
	}
	return answer{whole(m["codes"]), func(w *words) num {
		read := statistics[name](reading{numbers, args, w})
		return m.answer(choose(missing > 0, m.k()-1, read)).code(w)
	}}
}

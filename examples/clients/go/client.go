// A device's part of a survey: it answers a plan whose hash it was given, by docs/plan-format.md alone.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

type object = map[string]any

// number reads a whole number, which may stand as a text of digits.
func number(found any) num {
	made, read := of(0).SetString(fmt.Sprint(found), 10)
	if _, text := found.(string); !read || !text && made.BitLen() > 53 {
		panic("no whole number")
	}
	return made
}

func float(found any) float64 { return must(found.(json.Number).Float64()) }

func must(found float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return found
}

// read refuses what is no plan of this format, or not as it was frozen: the hash stands first, and is of what is left without it.
func read(text []byte) (plan object) {
	const first, length = `{"hash":"sha256:`, 82
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plan); err != nil || !bytes.HasPrefix(text, []byte(first)) {
		panic("no plan")
	}
	sum := sha256.Sum256(append([]byte{'{'}, bytes.TrimSuffix(text[length:], []byte{'\n'})...))
	if fmt.Sprintf(`sha256:%x`, sum) != plan["hash"] || fmt.Sprint(plan["format"], plan["version"]) != "sordino plan3" {
		panic("another plan")
	}
	return plan
}

// report gives the code of a record, of which everything is looked at before a word is drawn.
func report(plan, record object, w *words) num {
	attributes, values, queries := plan["attributes"].(object), map[string]float64{}, plan["queries"].([]any)
	for name := range record {
		_ = attributes[name].(object)
	}
	for _, part := range queries {
		for _, name := range names(part.(object)) {
			values[name] = value(attributes[name].(object), record[name])
		}
	}
	weights := []any{}
	for _, part := range queries {
		weights = append(weights, part.(object)["weight"])
	}
	code := of(0)
	for chosen := choose(weights, w); ; queries = queries[1:] {
		size, answer := question(attributes, queries[0].(object), values)
		if chosen--; chosen < 0 {
			return do("+", code, answer(w))
		}
		code = do("+", code, size)
	}
}

// choose picks by weights over their greatest common divisor; of one no word is drawn.
func choose(found []any, w *words) int64 {
	common, weights := of(0), []num{}
	for _, weight := range found {
		common.GCD(nil, nil, common, number(weight))
	}
	for _, weight := range found {
		weights = append(weights, do("/", number(weight), common))
	}
	if len(weights) == 1 {
		return 0
	}
	return pick(weights, w)
}

func names(part object) (found []string) {
	for _, key := range []string{"histogram", "distribution", "table", "numbers"} {
		for _, name := range list(part[key]) {
			found = append(found, name.(string))
		}
	}
	return found
}

// list makes one of what may stand alone.
func list(found any) []any {
	if several, is := found.([]any); is || found == nil {
		return several
	}
	return []any{found}
}

func size(attribute object) float64 {
	if labels := list(attribute["labels"]); labels != nil {
		return float64(len(labels))
	} else if grid, is := attribute["grid"].(object); is {
		return float(grid["rows"]) * float(grid["columns"])
	}
	return float(attribute["numbers"])
}

// value reads an answer: the place of a category or a cell, a number within its ends; NaN where there is none.
func value(attribute object, found any) float64 {
	ends, isNumber := attribute["number"].(object)
	if found == nil && isNumber && attribute["missing"] != nil {
		return math.NaN()
	} else if found == nil {
		found = attribute["missing"]
	}
	for place, label := range list(attribute["labels"]) {
		if label == found {
			return float64(place)
		}
	}
	if isNumber {
		low, high, own := float(ends["low"]), float(ends["high"]), float(found)
		if !ends["clip"].(bool) && (own < low || own > high) {
			panic("a number beyond its ends")
		}
		return math.Min(math.Max(own, low), high)
	} else if at, is := found.(object); is {
		grid := attribute["grid"].(object)
		line := func(name, from, to, cells string) float64 {
			own, low, high := float(at[name]), float(grid[from]), float(grid[to])
			if own < low || own > high || len(at) != 2 {
				panic("a place outside")
			}
			return last(int(float(grid[cells])), own, func(i float64) float64 { return i*((high-low)/float(grid[cells])) + low })
		}
		return line("latitude", "south", "north", "rows")*float(grid["columns"]) + line("longitude", "west", "east", "columns")
	}
	if own := float(found); attribute["labels"] == nil && own >= 0 && own < size(attribute) && own == math.Trunc(own) {
		return own
	}
	panic("no value")
}

// last is the last of some cells that does not begin above a number.
func last(cells int, own float64, start func(float64) float64) (found float64) {
	for i := 1.0; i < float64(cells) && start(i) <= own; i++ {
		found = i
	}
	return found
}

// question has so many codes, and an answer.
func question(attributes, part object, values map[string]float64) (num, func(*words) num) {
	asked, cell := names(part), 0.0
	if part["numbers"] == nil {
		for _, name := range asked {
			attribute := attributes[name].(object)
			if ends, is := attribute["number"].(object); is {
				low, high, edges := float(ends["low"]), float(ends["high"]), list(part["edges"])
				start := func(i float64) float64 { return float(edges[int(i)]) }
				count := float64(len(edges) - 1)
				if edges == nil {
					count = float(part["bins"])
					start = func(i float64) float64 { return i*((high-low)/count) + low }
				}
				if cell = count; values[name] == values[name] {
					cell = last(int(count), values[name], start)
				}
			} else {
				cell = cell*size(attribute) + values[name]
			}
		}
		m := newMechanism(part["mechanism"])
		return m.codes, func(w *words) num { return m.code(of(int64(cell)), w) }
	}
	numbers, total, queries := []float64{}, of(0), part["queries"].(object)
	for _, name := range asked {
		own := values[name]
		if ends, is := attributes[name].(object)["number"].(object); is {
			low, high := float(ends["low"]), float(ends["high"])
			own = math.Min(math.Max(((own-low)-(high-own))/(high-low), -1), 1)
		}
		numbers = append(numbers, own)
	}
	sizes, answers := []num{}, []func(*words) num{}
	for i, call := range list(queries["statistics"]) {
		calls, code := list(call), of(1)
		if _, alone := calls[0].(string); alone {
			calls = []any{call}
		}
		through := []mechanism{}
		for _, at := range list(list(queries["through"])[i]) {
			m := newMechanism(list(queries["mechanisms"])[number(at).Int64()])
			through, code = append(through, m), do("*", code, m.codes)
		}
		sizes, total = append(sizes, code), do("+", total, code)
		answers = append(answers, func(w *words) num {
			code := of(0)
			for j, m := range through {
				args := []int{}
				for _, arg := range list(calls[j])[1:] {
					args = append(args, int(number(arg).Int64()))
				}
				read, _ := statistic(list(calls[j])[0].(string), args, numbers, w)
				code = do("+", do("*", code, m.codes), m.code(of(int64(read)), w))
			}
			return code
		})
	}
	return total, func(w *words) num {
		code, chosen := of(0), choose(list(queries["weights"]), w)
		for _, size := range sizes[:chosen] {
			code = do("+", code, size)
		}
		return do("+", code, answers[chosen](w))
	}
}

// statistic reads numbers as one of so many values, by words of its own.
func statistic(name string, args []int, numbers []float64, w *words) (read, size int) {
	sign := func(own float64) int {
		amount, drawn := uint64(math.Abs(own)*(1<<63)), w.next().Uint64()
		return int(bit((drawn >= 1<<63 && (amount == 0 || drawn < -amount)) != (own >= 0)))
	}
	grid := func(own float64, points int) int {
		above := (own + 1) * (float64(points-1) / 2)
		lower := math.Min(math.Floor(above), float64(points-1))
		rest := math.Min(math.Max(above-lower, 0), 1-1.0/(1<<53))
		return int(math.Min(lower+float64(bit(w.next().Uint64() < uint64(rest*(1<<64)))), float64(points-1)))
	}
	at := func(i int) float64 { return numbers[args[i]] }
	switch name {
	case "number":
		if args[1] == 2 {
			return sign(at(0)), 2
		}
		return grid(at(0), args[1]), args[1]
	case "optional":
		if own := at(0); own == own {
			return grid(own, args[1]), args[1] + 1
		}
		w.next()
		return args[1], args[1] + 1
	case "product":
		moment := at(0) * at(1)
		if args[0] == args[1] {
			moment = 2*moment - 1
		}
		return sign(moment), 2
	case "signs":
		for place := range args {
			read |= sign(at(place)) << place
		}
		return read, 1 << len(args)
	case "category-sign":
		return 2*int(at(0)) + sign(at(2)), 2 * args[1]
	case "two-categories":
		return int(at(0))*args[3] + int(at(2)), args[1] * args[3]
	case "binary-product":
		other := at(1)
		if args[2] == 2 {
			other = 2*other - 1
		}
		return sign((2*at(0) - 1) * other), 2
	}
	missing, whole := false, append([]float64{}, numbers...)
	for _, place := range args[1 : 1+args[0]] {
		if whole[place] != whole[place] {
			missing, whole[place] = true, 0
		}
	}
	read, size = statistic(strings.TrimPrefix(name, "complete-"), args[1+args[0]:], whole, w)
	if missing {
		read = size
	}
	return read, size + 1
}

// A device's part of a survey: it answers a plan whose hash it was given, by docs/plan-format.md alone.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
)

type object = map[string]any

type attribute struct {
	Labels  []string
	Several int
	None    string
	OnlyIf  map[string][]string `json:"only_if"`
	Unasked any                 `json:"not_asked"`
	Missing any
	Numbers float64
	Grid    struct{ South, North, West, East, Rows, Columns float64 }
	Number  *struct {
		Low, High float64
		Clip      bool
		Edges     []float64
	}
}

type question struct {
	Weight, Histogram, Distribution, Above, Table, Numbers any
	Several                                                any
	Way                                                    string
	Mechanism                                              mechanism
	Bins, Threshold                                        float64
	Edges                                                  []float64
	Queries                                                struct {
		Statistics, Through, Weights []any
		Mechanisms                   []mechanism
	}
}

type plan struct {
	Hash, Format string
	Version      int
	Attributes   map[string]*attribute
	Public       []publicColumn
	Queries      []question
}

// publicColumn is what every report says in clear.
type publicColumn struct {
	Name string
	attribute
}

// read refuses what is no plan of this format, or not as it was frozen: the hash is of all up to the line feed.
func read(text []byte) (found plan) {
	const first, length = `{"hash":"sha256:`, 82
	if json.Unmarshal(text, &found) != nil || !bytes.HasPrefix(text, []byte(first)) || text[len(text)-1] != '\n' {
		panic("no plan")
	}
	sum := sha256.Sum256(append([]byte{'{'}, text[length:len(text)-1]...))
	if fmt.Sprintf("sha256:%x", sum) != found.Hash || found.Format != "sordino plan" || found.Version != 4 {
		panic("another plan")
	}
	return found
}

// report gives the code of a record, of which everything is looked at before a word is drawn.
func (p plan) report(record object, w *words) num {
	for name := range record {
		if p.Attributes[name] == nil && !p.isPublic(name) {
			panic("a name that is none of the plan's")
		}
	}
	for _, q := range p.Queries {
		for _, name := range q.names() {
			record = p.settle(name, record)
		}
	}
	p.cell(record)
	weights := transform(p.Queries, func(q question) any { return q.Weight })
	answers := transform(p.Queries, func(q question) answer { return q.answer(p.Attributes, record) })
	return mixture(answers, weightedPick(weights)).code(w)
}

// period is the first day of the period in which the person answers, by a plan with a series: it is drawn once, and
// kept before anything is asked; the label stands in the record.
func (p plan) period(w *words) string {
	labels := p.Public[len(p.Public)-1].Labels
	return labels[toInt(w.drawBelow(0, integer(len(labels))))]
}

func (p plan) isPublic(name string) bool {
	for _, column := range p.Public {
		if column.Name == name {
			return true
		}
	}
	return false
}

// cell is the number of the public values of a record, which a report says beside its code.
func (p plan) cell(record object) int {
	cell := 0.0
	for _, column := range p.Public {
		cell = cell*column.size() + column.value(record[column.Name])
	}
	return int(cell)
}

// size is how many values there are; of a number in bins these, and that it is missing where it may be.
func (a attribute) size() float64 {
	if a.Number != nil {
		return float64(len(a.Number.Edges) - 1 + bit(a.Missing != nil))
	}
	return a.Numbers + float64(len(a.Labels)) + a.Grid.Rows*a.Grid.Columns
}

// value is the place of a category or a cell, or a number within its ends; NaN where there is none.
func (a attribute) value(found any) float64 {
	ends, g := a.Number, a.Grid
	if found == nil {
		found = choose[any](ends != nil && a.Missing != nil, math.NaN(), a.Missing)
	}
	switch own := found.(type) {
	case string:
		for place, label := range a.Labels {
			if label == own {
				return float64(place)
			}
		}
	case object:
		north, east := own["latitude"].(float64), own["longitude"].(float64)
		if len(own) == 2 && g.South <= north && north <= g.North && g.West <= east && east <= g.East {
			return place(steps(g.South, g.North, g.Rows), north)*g.Columns + place(steps(g.West, g.East, g.Columns), east)
		}
	case float64:
		if ends != nil && (ends.Clip || !(own < ends.Low || own > ends.High)) {
			return clamp(own, ends.Low, ends.High)
		} else if ends == nil && a.Labels == nil && 0 <= own && own < a.size() && own == math.Trunc(own) {
			return own
		}
	}
	panic("no value")
}

// weightedPick is a pick by weights over their greatest common divisor; of one no word is drawn.
func weightedPick(found []any) func(w *words) int {
	weights := transform(found, whole)
	common := fold(integer(0), weights, func(a, b num) num { return new(big.Int).GCD(nil, nil, a, b) })
	return func(w *words) int {
		if len(weights) == 1 {
			return 0
		}
		return w.pick(transform(weights, func(weight num) num { return div(weight, common) }))
	}
}

// steps are where cells of one length begin; a product is rounded by itself, on every machine.
func steps(low, high, count float64) []float64 {
	return generate(int(count), func(i int) float64 { return float64(float64(i)*((high-low)/count)) + low })
}

// place is the last one that does not start above a number; where there is none, the one after.
func place(starts []float64, own float64) float64 {
	return float64(count(starts[1:], func(start float64) bool { return !(start > own) }) + bit(math.IsNaN(own)))
}

// names are those of the attributes that a question is about.
func (q question) names() (names []string) {
	for _, asked := range []any{q.Numbers, q.Histogram, q.Distribution, q.Above, q.Table, q.Several} {
		names = append(names, transform(list(asked), func(name any) string { return name.(string) })...)
	}
	return names
}

// answer is a mechanism's on a cell, or one of the queries of numbers.
func (q question) answer(attributes map[string]*attribute, record object) answer {
	cell, numbers, answers := 0.0, []float64{}, []answer{}
	if q.Several != nil {
		return q.severalAnswer(*attributes[q.names()[0]], record[q.names()[0]])
	}
	for _, name := range q.names() {
		a, found := attributes[name], record[name]
		own, ends := a.value(found), a.Number
		if ends == nil {
			cell = cell*a.size() + own
		} else if q.Numbers != nil {
			own = clamp(((own-ends.Low)-(ends.High-own))/(ends.High-ends.Low), -1, 1)
		} else if q.Above != nil {
			cell = place([]float64{ends.Low, q.Threshold}, own)
		} else {
			edges := choose(q.Table != nil, ends.Edges, q.Edges)
			starts := append(steps(ends.Low, ends.High, q.Bins), edges...)
			cell = cell*a.size() + place(starts[:len(starts)-bit(edges != nil)], own)
		}
		numbers = append(numbers, own)
	}
	if q.Numbers == nil {
		return q.Mechanism.answer(int(cell))
	}
	for i, found := range q.Queries.Statistics {
		_, together := q.Queries.Through[i].([]any)
		calls := choose(together, list(found), []any{found})
		answers = append(answers, product(generate(len(calls), func(j int) answer {
			mechanism := q.Queries.Mechanisms[toInt(whole(list(q.Queries.Through[i])[j]))]
			return mechanism.statisticAnswer(list(calls[j]), numbers)
		})))
	}
	return mixture(answers, weightedPick(q.Queries.Weights))
}

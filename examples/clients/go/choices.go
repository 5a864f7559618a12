// Categories of which several apply, and what is asked only because of earlier answers.
package main

import "math/big"

func comb(n, k int) int { return toInt(new(big.Int).Binomial(int64(n), int64(k))) }

func contains[T any](list []T, own T) bool {
	return count(list, func(one T) bool { return any(one) == any(own) }) > 0
}

// settle puts "not asked" where earlier answers say so, and refuses what contradicts them.
func (p plan) settle(name string, record object) object {
	a, asked := p.Attributes[name], true
	for other, labels := range a.OnlyIf {
		record = p.settle(other, record)
		deciding := p.Attributes[other]
		asked = contains(labels, deciding.Labels[int(deciding.value(record[other]))]) && asked
	}
	says := record[name] != nil && record[name] == a.Unasked
	if asked && says || !asked && !says && record[name] != nil {
		panic("an answer that contradicts earlier ones")
	}
	settled := object{name: a.Unasked}
	for other, found := range record {
		settled[other] = choose(other == name, a.Unasked, found)
	}
	return choose(asked, record, settled)
}

// chosen are the places of the categories that apply, ascending; none where it was not asked.
func (a attribute) chosen(found any) (places []int) {
	if found = choose(found == nil, a.Missing, found); found == any(a.None) || a.Unasked != nil && found == a.Unasked {
		return nil
	}
	for place, label := range a.Labels {
		if contains(found.([]any), any(label)) {
			places = append(places, place)
		}
	}
	if len(places) < len(found.([]any)) || len(places) > a.Several {
		panic("no categories")
	}
	return places
}

// severalAnswer is about all that applies, or about one of the marks, each of which is as likely.
func (q question) severalAnswer(a attribute, found any) answer {
	places, n, unasked := a.chosen(found), len(a.Labels), found != nil && found == a.Unasked
	if q.Way == "category" {
		marks := generate(n+1+bit(a.Unasked != nil), func(mark int) answer {
			none := len(places) == 0 && mark == n+bit(unasked)
			sign := choose(contains(places, mark) || none, 1.0, -1.0)
			return q.Mechanism.statisticAnswer([]any{"number", 0.0, 2.0}, []float64{sign})
		})
		return mixture(marks, weightedPick(transform(marks, func(answer) any { return 1.0 })))
	}
	rank := 0
	for size := 0; size < choose(unasked, a.Several+1, len(places)); size++ {
		rank += comb(n, size)
	}
	for i, place := range places {
		rank += comb(place, i+1)
	}
	return q.Mechanism.answer(rank)
}

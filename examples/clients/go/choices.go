// Categories of which several apply, and what is asked only because of earlier answers.
package main

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

// severalAnswer is about all that applies, as one value or a set of items, or about one of the marks, each as likely.
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
	if q.Way == "meeting" {
		// Everybody has as many items: labels, then dummies, and one of its own who was not asked.
		for dummy := n; len(places) < a.Several-bit(unasked); dummy++ {
			places = append(places, dummy)
		}
		if unasked {
			places = append(places, n+a.Several)
		}
		return q.Mechanism.answer(toInt(rank(places)))
	}
	before := integer(0)
	for size := 0; size < choose(unasked, a.Several+1, len(places)); size++ {
		before = add(before, binomial(n, size))
	}
	return q.Mechanism.answer(toInt(add(before, rank(places))))
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

type vectors struct {
	Plan    string
	Why     string
	Refused []object
	Reports []struct {
		Record object
		Words  []string
		Code   string
		Cell   int
	}
	Periods []struct {
		Words  []string
		Period string
	}
}

// wordsOf are those of a vector.
func wordsOf(texts []string) (w words) {
	for _, text := range texts {
		word, _ := strconv.ParseUint(text, 16, 64)
		w = append(w, word)
	}
	return w
}

// load reads a file of tests/vectors.
func load(t *testing.T, path string, into any) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func refuses(job func()) (refused bool) {
	defer func() { refused = recover() != nil }()
	job()
	return false
}

func TestVectors(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(os.Getenv("VECTORS"), "*.json"))
	answered := 0
	for _, path := range paths {
		if filepath.Base(path) == "refused_plans.json" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			var found vectors
			load(t, path, &found)
			plan := read([]byte(found.Plan))
			for _, each := range found.Reports {
				w := wordsOf(each.Words)
				if code := plan.report(each.Record, &w).String(); code != each.Code || len(w) > 0 {
					t.Errorf("%v: %s, and %d words are left, not %s", each.Record, code, len(w), each.Code)
				}
				if cell := plan.cell(each.Record); cell != each.Cell {
					t.Errorf("%v: cell %d, not %d", each.Record, cell, each.Cell)
				}
				answered++
			}
			for _, each := range found.Periods {
				w := wordsOf(each.Words)
				if period := plan.period(&w); period != each.Period || len(w) > 0 {
					t.Errorf("%s, and %d words are left, not %s", period, len(w), each.Period)
				}
			}
			for _, record := range found.Refused {
				w := make(words, 1000)
				if !refuses(func() { plan.report(record, &w) }) || len(w) < 1000 {
					t.Errorf("%v was answered, or words were drawn", record)
				}
			}
		})
	}
	t.Logf("%d reports of %d files", answered, len(paths)-1)
	if answered == 0 {
		t.Fatal("no vectors: set VECTORS to their folder")
	}
}

// What a device can tell: that it is another plan than the one whose hash it was given, or none of this format.
func TestTexts(t *testing.T) {
	var found []vectors
	load(t, filepath.Join(os.Getenv("VECTORS"), "refused_plans.json"), &found)
	told := map[string]bool{
		"the hash is another's": true, "not the canonical bytes": true, "a key twice": true, "cut": true,
		"a hash that does not stand first": true, "a newer version": true, "another format": true,
		"no line feed at the end": true, "two line feeds at the end": true, "a carriage return at the end": true,
		"a blank after the end": true,
	}
	for _, each := range found {
		if told[each.Why] && !refuses(func() { read([]byte(each.Plan)) }) {
			t.Errorf("%s was read", each.Why)
		}
	}
}

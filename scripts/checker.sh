#!/usr/bin/env bash
# Builds the verified checker of plans, as a program, from the proofs that scripts/proofs.sh compiled.
#
# Beside it stands OUT-numbers, which calculates with its numbers alone.
#
# scripts/checker.sh build/proofs OUT          whole numbers are those of zarith
# scripts/checker.sh build/proofs OUT --bits   they are lists of bits, as Coq defines them: a witness, some hundred times as slow
set -euo pipefail
cd "$(dirname "$0")/.."
proofs=$(realpath "$1")
program=$(realpath "$2")
folder=$program.parts
if [ "${3:-}" = --bits ]; then
    mapping=() numbers=()
else
    mapping=(-ri Coq.extraction.ExtrOcamlZBigInt) numbers=(-I +zarith zarith.cmxa)
fi
rm -rf "$folder"
mkdir -p "$folder"
cp "${CHECKER_SOURCES:-proofs/checker}"/* "$folder/"
cd "$folder"
coqc -q -Q "$proofs" Sordino -Q . Checker Arithmetic.v
coqc -q -Q "$proofs" Sordino -Q . Checker "${mapping[@]}" Extract.v
ocamlopt -w -a -o "$program" "${numbers[@]}" checked.mli checked.ml reading.ml main.ml
ocamlopt -w -a -o "$program-numbers" "${numbers[@]}" checked.cmx reading.cmx numbers.ml

#!/usr/bin/env bash
# Compiles proofs/*.v, prints for every theorem the axioms that it rests on, and compares them with proofs/assumptions.txt:
# a theorem that is gone, a new axiom, or a proof that was left open (Admitted) changes the list. Then Coq's other checker,
# coqchk, reads the compiled proofs again.
#
# scripts/proofs.sh            writes build/proofs/; fails if the list differs
# scripts/proofs.sh --accept   takes the list of today as the expected one
set -euo pipefail
cd "$(dirname "$0")/.."
built=build/proofs
mkdir -p "$built"
# In the order in which they need each other.
mapfile -t files < <(grep '\.v$' proofs/_CoqProject)
for file in "${files[@]}"; do
    cp "proofs/$file" "$built/$file"
    (cd "$built" && coqc -q -Q . Sordino "$file")
done

{
    for file in "${files[@]}"; do echo "From Sordino Require ${file%.v}."; done
    for file in "${files[@]}"; do
        sed -nE 's/^ *(Theorem|Corollary|Example) ([A-Za-z0-9_]+).*/\2/p' "proofs/$file" | while read -r name; do
            echo "Goal True. idtac \"theorem ${file%.v}.$name\". exact I. Qed."
            echo "Print Assumptions ${file%.v}.$name."
        done
    done
} > "$built/Assumptions.v"
(cd "$built" && coqc -q -Q . Sordino Assumptions.v) > "$built/printed.txt"
# A line a theorem, with the names of its axioms: these stand at the start of a line, their types behind a colon or below.
awk '/^theorem / { if (line) print line; line = $2 ":"; next }
     /^Closed under/ { line = line " no axioms" }
     /^[A-Za-z][A-Za-z_.0-9]*\.[A-Za-z_0-9]+( :.*)?$/ { line = line " " $1 }
     /^[A-Za-z_0-9]+ :/ { line = line " " $1 }
     END { print line }' "$built/printed.txt" > "$built/assumptions.txt"
cat "$built/assumptions.txt"
if [ "${1:-}" = --accept ]; then
    cp "$built/assumptions.txt" proofs/assumptions.txt
fi
diff -u proofs/assumptions.txt "$built/assumptions.txt"
(cd "$built" && coqchk -silent -Q . Sordino $(printf -- '-norec Sordino.%s ' "${files[@]%.v}"))
scripts/checker.sh "$built" "$built/checker"
scripts/checker.sh "$built" "$built/checker-bits" --bits
axioms=$(cut -d: -f2 proofs/assumptions.txt | tr ' ' '\n' | grep '\.' | sort -u)
# Whatever was accepted: those of the standard library's real numbers, and no others.
allowed='ClassicalDedekindReals.sig_forall_dec ClassicalDedekindReals.sig_not_dec Classical_Prop.classic FunctionalExtensionality.functional_extensionality_dep'
for axiom in $axioms; do
    [[ " $allowed " = *" $axiom "* ]] || { echo "axioms must be those of the standard library's reals; found $axiom" >&2; exit 1; }
done
echo "$(wc -l < proofs/assumptions.txt) theorems are proved; axioms, all of the standard library's reals:" $axioms

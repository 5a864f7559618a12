#!/usr/bin/env bash
# Coq 8.16 or newer, by which the proofs are checked, and OCaml with the numbers of zarith, to which the checker of plans is
# extracted: what is missing is installed from Debian's packages, if this user may.
#
# make proofs
set -euo pipefail

wanted=()
command -v coqc >/dev/null || wanted+=(coq)
command -v ocamlopt >/dev/null || wanted+=(ocaml-nox)
[ -e "$(ocamlc -where 2>/dev/null)/zarith/zarith.cmxa" ] || wanted+=(libzarith-ocaml-dev)
if [ ${#wanted[@]} = 0 ]; then
    exit 0
fi
exec "$(dirname "$0")/debian.sh" "The proofs need" "${wanted[@]}"

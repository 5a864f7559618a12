(** The program of Checker.v and Coins.v, in OCaml. *)
From Coq Require Import ZArith.
From Coq Require Extraction ExtrOcamlBasic.
From Sordino Require Import Exponential Coins Checker.
Extraction "checked.ml" check ldp_factors block_factors high_low_factors matrix_factors accepts_randomized Z.mul Z.add Z.sub Z.opp Z.pow.

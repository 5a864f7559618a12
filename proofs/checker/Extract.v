(** The program of Checker.v, Coins.v, Draws.v, Listing.v and Subsets.v, in OCaml. *)
From Coq Require Import ZArith QArith.
From Coq Require Extraction ExtrOcamlBasic.
From Sordino Require Import Exponential Coins Checker Draws Listing Subsets.
Extraction "checked.ml" law accepts_draw accepts_draw_ldp accepts_draw_high_low accepts_subset accepts_randomized block_factors
  matrix_factors factor_below Z.mul Z.add Z.sub Z.opp Z.pow Qplus Qminus Qmult Qdiv Qred Qle_bool Qeq_bool.

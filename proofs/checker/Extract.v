(** The program of Checker.v, Coins.v, Draws.v, Listing.v, Subsets.v, Projective.v, Meetings.v and Allowances.v, in OCaml. With
    -ri Coq.extraction.ExtrOcamlZBigInt whole numbers are those of zarith; else they are lists of bits, as Coq defines them. *)
From Coq Require Import ZArith QArith.
From Coq Require Extraction ExtrOcamlBasic.
From Sordino Require Import Exponential Coins Checker Draws Listing Subsets Projective Meetings Allowances.
From Checker Require Import Arithmetic.
Extraction "checked.ml" law accepts_draw accepts_draw_ldp accepts_draw_high_low accepts_subset accepts_randomized
  is_space accepts_points accepts_meeting binomials_to allowance block_factors factor_below
  zero one sum product negative is_less is_same half is_odd over above below
  Qplus Qminus Qmult Qdiv Qred Qle_bool Qeq_bool calculations.

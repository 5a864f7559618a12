(** Whole numbers and fractions for what reads a plan, by names that say the same of whatever they are extracted to. *)
From Coq Require Import List ZArith QArith Qreduction.
Import ListNotations.
Open Scope Z_scope.

Definition zero : Z := 0.
Definition one : Z := 1.
Definition sum : Z -> Z -> Z := Z.add.
Definition product : Z -> Z -> Z := Z.mul.
Definition negative : Z -> Z := Z.opp.
Definition is_less : Z -> Z -> bool := Z.ltb.
Definition is_same : Z -> Z -> bool := Z.eqb.
Definition half (n : Z) : Z := n / 2.
Definition is_odd (n : Z) : bool := n mod 2 =? 1.

(** a / b, for b > 0. *)
Definition over (a b : Z) : Q := a # Z.to_pos b.
Definition above (f : Q) : Z := Qnum f.
Definition below (f : Q) : Z := Zpos (Qden f).

(** What numbers are used for, to compare with numbers that count otherwise: numbers.ml, scripts/compare_numbers.py. *)
Definition calculations (a b : Z) : list Z :=
  let small := a mod 90 in
  let f := over a b in
  let g := over b a in
  [a + b; a - b; a * b; a / b; a mod b; - a; Z.abs a; Z.max a b; Z.min a b; Z.lxor (Z.abs a) (Z.abs b); Z.log2 a; Z.gcd a b; Z.lcm a b;
   Z.b2z (Z.testbit (Z.abs b) small); Z.shiftl b small; 2 ^ small; Z.b2z (a <? b); Z.b2z (a <=? b); Z.b2z (a =? b);
   Zpos (Z.to_pos a); Zpos (Z.to_pos (a + 1)) - 1; Z.of_nat (Z.to_nat small);
   above (Qred f); below (Qred f); above (Qplus f g); below (Qplus f g); above (Qminus f g); above (Qmult f g); above (Qred (Qdiv f g));
   Z.b2z (Qle_bool f g); Z.b2z (Qeq_bool f g)].

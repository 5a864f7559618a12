(** Whole numbers and fractions for what reads a plan, by names that say the same of whatever they are extracted to. *)
From Coq Require Import ZArith QArith.
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

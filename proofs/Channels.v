(** Channels of integers, beliefs about a record, definitions of privacy, and what a channel has to keep.

    A _definition_ of privacy compares hypotheses about a record. A hypothesis is a belief: records with weights that add up
    to 1. A single record is one; "attribute i has the value a", averaged over all else, is another. A definition is a set
    of pairs (a, b), each with a bound in nats. A pair that is not in the set is not protected (an infinite bound). *)

From Coq Require Import Reals Lra List ZArith Lia.
From Sordino Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** * Queries: what is drawn, given a record *)

(** A code of [outputs] codes is drawn at random; its distribution depends on the record alone. Records may be anything, also
    infinitely many. *)
Record query (X : Type) : Type := Query {
  outputs : nat;
  chance : X -> nat -> R;
  chance_nonneg : forall x y, 0 <= chance x y;
  chance_total : forall x, sum (chance x) (codes outputs) = 1
}.
Arguments outputs {X}. Arguments chance {X}. Arguments chance_nonneg {X}. Arguments chance_total {X}.

(** A channel of integers: code [y] is drawn for value [x] with the probability [weight x y / denominator]. *)
Record channel (X : Type) : Type := Channel {
  columns : nat;
  weight : X -> nat -> Z;
  denominator : Z;
  denominator_positive : (0 < denominator)%Z;
  weight_nonneg : forall x y, (0 <= weight x y)%Z;
  weight_total : forall x, fold_right Z.add 0%Z (map (weight x) (codes columns)) = denominator
}.
Arguments columns {X}. Arguments weight {X}. Arguments denominator {X}. Arguments denominator_positive {X}.
Arguments weight_nonneg {X}. Arguments weight_total {X}.

Lemma sum_of_integers {A : Type} (w : A -> Z) (items : list A) :
  sum (fun item => IZR (w item)) items = IZR (fold_right Z.add 0%Z (map w items)).
Proof. induction items as [|item items IH]; simpl; [reflexivity|]. now rewrite IH, plus_IZR. Qed.

Definition of_channel {X : Type} (c : channel X) : query X.
Proof.
  refine (Query X (columns c) (fun x y => IZR (weight c x y) / IZR (denominator c)) _ _).
  - intros x y. pose proof (IZR_lt _ _ (denominator_positive c)). pose proof (IZR_le _ _ (weight_nonneg c x y)).
    apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
  - intros x. pose proof (IZR_lt _ _ (denominator_positive c)) as positive. unfold Rdiv.
    rewrite sum_scale_right, sum_of_integers, weight_total. now apply Rinv_r, Rgt_not_eq.
Defined.

(** * Beliefs and definitions *)

Definition belief (X : Type) : Type := list (R * X).

(** The mean of a number under a belief; of the probability of something it is its probability under the belief. *)
Definition mean {X : Type} (b : belief X) (f : X -> R) : R := sum (fun part => fst part * f (snd part)) b.

Definition is_belief {X : Type} (b : belief X) : Prop :=
  (forall part, In part b -> 0 <= fst part) /\ mean b (fun _ => 1) = 1.

(** The belief that is sure of one record. *)
Definition sure {X : Type} (x : X) : belief X := [(1, x)].

(** [D a b e]: no evidence may favour hypothesis [a] over hypothesis [b] by more than [e] nats. *)
Definition definition (X : Type) : Type := belief X -> belief X -> R -> Prop.

(** What each definition of Sordino is: its hypotheses are beliefs, and its bounds are not below 0. *)
Definition is_proper {X : Type} (D : definition X) : Prop :=
  forall a b e, D a b e -> is_belief a /\ is_belief b /\ 0 <= e.

(** The inequality that holds everything together, of one likelihood [L]: Pr(V | a) <= e^B(a, b) Pr(V | b). *)
Definition within {X : Type} (D : definition X) (L : X -> R) : Prop :=
  forall a b e, D a b e -> mean a L <= exp e * mean b L.

(** The probability of an event, a set of codes. *)
Definition event {X : Type} (q : query X) (A : nat -> bool) (x : X) : R :=
  sum (fun y => if A y then chance q x y else 0) (codes (outputs q)).

(** A query satisfies a definition: _whatever_ set of codes somebody looks for, the inequality holds. *)
Definition satisfies {X : Type} (D : definition X) (q : query X) : Prop := forall A, within D (event q A).

(** * Calculating with means *)

Section Means.
  Context {X : Type}.
  Implicit Types (a b : belief X) (f g : X -> R).

  Lemma mean_ext b f g : (forall x, f x = g x) -> mean b f = mean b g.
  Proof. intros same. apply sum_ext. intros part _. now rewrite same. Qed.

  Lemma mean_le b f g : is_belief b -> (forall x, f x <= g x) -> mean b f <= mean b g.
  Proof. intros [nonneg _] below. apply sum_le. intros part inside. apply Rmult_le_compat_l; auto. Qed.

  Lemma mean_scale b c f : mean b (fun x => c * f x) = c * mean b f.
  Proof. unfold mean. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.

  Lemma mean_nonneg b f : is_belief b -> (forall x, 0 <= f x) -> 0 <= mean b f.
  Proof. intros [nonneg _] positive. apply sum_nonneg. intros. apply Rmult_le_pos; auto. Qed.

  Lemma mean_constant b c : is_belief b -> mean b (fun _ => c) = c.
  Proof.
    intros [_ total]. rewrite (mean_ext b _ (fun _ => c * 1)) by (intros; ring). rewrite mean_scale, total. ring.
  Qed.

  Lemma mean_sum {A : Type} b (f : A -> X -> R) (items : list A) :
    mean b (fun x => sum (fun item => f item x) items) = sum (fun item => mean b (f item)) items.
  Proof.
    unfold mean. rewrite <- sum_swap. apply sum_ext. intros. now rewrite <- sum_scale.
  Qed.

  Lemma mean_sure x f : mean (sure x) f = f x.
  Proof. unfold mean; simpl. ring. Qed.

  Lemma sure_is_belief (x : X) : is_belief (sure x).
  Proof. split; [|apply mean_sure]. intros part [<-|[]]. simpl. lra. Qed.

  (** Inequalities add up. *)
  Lemma within_sum {A : Type} (D : definition X) (f : A -> X -> R) (items : list A) :
    (forall item, In item items -> within D (f item)) -> within D (fun x => sum (fun item => f item x) items).
  Proof.
    intros each a b e pair. rewrite !mean_sum, <- sum_scale. apply sum_le. intros. now apply each.
  Qed.

  Lemma within_scale (D : definition X) (c : R) (f : X -> R) : 0 <= c -> within D f -> within D (fun x => c * f x).
  Proof.
    intros nonneg holds a b e pair. rewrite !mean_scale. specialize (holds a b e pair). nra.
  Qed.

  Lemma within_ext (D : definition X) (f g : X -> R) : (forall x, f x = g x) -> within D f -> within D g.
  Proof. intros same holds a b e pair. rewrite <- !(mean_ext _ f g same). now apply holds. Qed.

  Lemma within_zero (D : definition X) : within D (fun _ => 0).
  Proof.
    intros a b e _. rewrite !(mean_ext _ (fun _ => 0) (fun _ => 0 * 0)) by (intros; ring). rewrite !mean_scale. lra.
  Qed.
End Means.

(** * What is checked on single codes holds for all events *)

(** "Every output of a mechanism is checked" (README): single codes decide, in both directions. *)
Theorem satisfies_iff_each_code {X : Type} (D : definition X) (q : query X) :
  satisfies D q <-> forall y, In y (codes (outputs q)) -> within D (fun x => chance q x y).
Proof.
  split.
  - intros holds y inside. apply (within_ext D (event q (Nat.eqb y))); [|apply holds].
    intros x. unfold event. apply in_split in inside. destruct inside as (before & after & split).
    assert (distinct : NoDup (before ++ y :: after)) by (rewrite <- split; apply seq_NoDup).
    rewrite split. apply NoDup_remove_2 in distinct. unfold sum. rewrite fold_right_app. simpl.
    fold (sum (fun y0 => if Nat.eqb y y0 then chance q x y0 else 0) after). rewrite PeanoNat.Nat.eqb_refl.
    assert (none : forall others, (forall z, In z others -> z <> y) -> forall start,
      fold_right (fun item rest => (if Nat.eqb y item then chance q x item else 0) + rest) start others = start).
    { induction others as [|other others IH]; simpl; intros differ start; [reflexivity|].
      rewrite IH by auto. assert (differs := differ other (or_introl eq_refl)).
      destruct (PeanoNat.Nat.eqb_spec y other); [congruence|]. ring. }
    rewrite none by (intros z here ->; apply distinct, in_or_app; auto).
    unfold sum. rewrite none by (intros z here ->; apply distinct, in_or_app; auto). ring.
  - intros each A. apply within_sum. intros y inside. destruct (A y); [auto|apply within_zero].
Qed.

(** For a channel of integers these are comparisons of its integers. *)
Theorem channel_satisfies_iff_integers {X : Type} (D : definition X) (c : channel X) :
  satisfies D (of_channel c) <-> forall y, In y (codes (columns c)) -> within D (fun x => IZR (weight c x y)).
Proof.
  rewrite satisfies_iff_each_code. simpl. pose proof (IZR_lt _ _ (denominator_positive c)) as positive.
  pose proof (Rinv_0_lt_compat _ positive) as inverse.
  split; intros each y inside.
  - apply (within_ext D (fun x => IZR (denominator c) * (IZR (weight c x y) / IZR (denominator c)))).
    + intros x. field. lra.
    + apply within_scale; [lra|now apply each].
  - apply (within_ext D (fun x => / IZR (denominator c) * IZR (weight c x y))).
    + intros x. field. lra.
    + apply within_scale; [lra|now apply each].
Qed.

(** * Post-processing, and readings of a record *)

(** What is drawn from a code, whatever is done with it, keeps what the code keeps. *)
Definition followed_by {X : Type} (q : query X) (after : query nat) : query X.
Proof.
  refine (Query X (outputs after) (fun x z => sum (fun y => chance q x y * chance after y z) (codes (outputs q))) _ _).
  - intros x z. apply sum_nonneg. intros. apply Rmult_le_pos; apply chance_nonneg.
  - intros x. rewrite sum_swap, <- (chance_total q x). apply sum_ext. intros y _.
    rewrite sum_scale, chance_total. ring.
Defined.

Theorem post_processing_keeps {X : Type} (D : definition X) (q : query X) (after : query nat) :
  satisfies D q -> satisfies D (followed_by q after).
Proof.
  rewrite !satisfies_iff_each_code. intros each z _. apply within_sum. intros y inside.
  apply (within_ext D (fun x => chance after y z * chance q x y)); [intros; ring|].
  apply within_scale; [apply chance_nonneg|now apply each].
Qed.

(** "What no two rows of the channel exceed, no two records exceed", whatever the statistic draws at random when it reads a
    record as one of its values: a query is a reading, followed by a channel. Rows that no reading of the records gives do
    not count, and bounds may differ: this serves LDP, and pairs of values that are protected from each other. *)
Theorem rows_bound_records {X : Type} (reading : query X) (mechanism : query nat) (x x' : X) (e : R) (z : nat) :
  (forall g g', In g (codes (outputs reading)) -> In g' (codes (outputs reading)) ->
     0 < chance reading x g -> 0 < chance reading x' g' -> chance mechanism g z <= exp e * chance mechanism g' z) ->
  chance (followed_by reading mechanism) x z <= exp e * chance (followed_by reading mechanism) x' z.
Proof.
  intros rows. simpl. set (values := codes (outputs reading)).
  assert (one : forall g, In g values -> 0 < chance reading x g ->
    chance mechanism g z <= exp e * sum (fun g' => chance reading x' g' * chance mechanism g' z) values).
  { intros g here positive. rewrite <- (Rmult_1_l (chance mechanism g z)), <- (chance_total reading x').
    fold values. rewrite <- sum_scale_right, <- sum_scale. apply sum_le. intros g' there.
    destruct (chance_nonneg reading x' g') as [some|none].
    - specialize (rows g g' here there positive some). nra.
    - rewrite <- none. lra. }
  rewrite <- (Rmult_1_l (exp e * _)), <- (chance_total reading x). fold values.
  rewrite <- sum_scale_right. apply sum_le. intros g here.
  destruct (chance_nonneg reading x g) as [some|none].
  - apply Rmult_le_compat_l; [lra|auto].
  - rewrite <- none. lra.
Qed.

(** The definitions of Sordino, as sets of pairs of hypotheses with bounds, and what follows from one for another. *)

From Coq Require Import Reals Lra List.
From Sordino Require Import Sums Channels.
Import ListNotations.
Open Scope R_scope.

(** * Values and records *)

(** E-LDP: a bound for each ordered pair of values; [None] is an infinite bound. The others are special cases. *)
Definition pairwise {X : Type} (E : X -> X -> option R) : definition X :=
  fun a b e => exists x x', a = sure x /\ b = sure x' /\ E x x' = Some e.

Definition ldp {X : Type} (epsilon : R) : definition X := pairwise (fun _ _ => Some epsilon).

(** "the same within each block; the block is public" (docs/promises/index.md) *)
Definition block_ldp {X : Type} (block : X -> nat) (epsilon : R) : definition X :=
  pairwise (fun x x' => if Nat.eqb (block x) (block x') then Some epsilon else None).

(** "a report favours no sensitive value over another value by more than epsilon; it may show that somebody has no sensitive
    value" (docs/promises/index.md) *)
Definition high_low {X : Type} (is_sensitive : X -> bool) (epsilon : R) : definition X :=
  pairwise (fun x _ => if is_sensitive x then Some epsilon else None).

(** "a report favours one of two values by at most epsilon times their distance" (docs/promises/index.md) *)
Definition metric {X : Type} (distance : X -> X -> R) (epsilon : R) : definition X :=
  pairwise (fun x x' => Some (epsilon * distance x x')).

Lemma within_pairwise {X : Type} (E : X -> X -> option R) (L : X -> R) :
  within (pairwise E) L <-> forall x x' e, E x x' = Some e -> L x <= exp e * L x'.
Proof.
  split.
  - intros holds x x' e bound. rewrite <- (mean_sure x L), <- (mean_sure x' L). apply holds. now exists x, x'.
  - intros holds a b e (x & x' & -> & -> & bound). rewrite !mean_sure. now apply holds.
Qed.

Lemma pairwise_is_proper {X : Type} (E : X -> X -> option R) :
  (forall x x' e, E x x' = Some e -> 0 <= e) -> is_proper (pairwise E).
Proof. intros nonneg a b e (x & x' & -> & -> & bound). eauto using sure_is_belief. Qed.

(** A pair that is not protected asks nothing, not even of a code that one of the values never sends. *)
Theorem infinite_entries_ask_nothing {X : Type} (L : X -> R) : within (pairwise (fun _ _ : X => None)) L.
Proof. apply within_pairwise. discriminate. Qed.

(** ** Closure under shortest paths *)

(** [path E x x' e]: steps lead from [x] to [x'] whose bounds add up to [e]. *)
Inductive path {X : Type} (E : X -> X -> option R) : X -> X -> R -> Prop :=
| Here x : path E x x 0
| Step x next x' e rest : E x next = Some e -> path E next x' rest -> path E x x' (e + rest).

(** What keeps every bound keeps the sum of the bounds along every path. So bounds may be closed under shortest paths before
    a channel is chosen, and nothing is lost by it. *)
Theorem paths_are_kept {X : Type} (E : X -> X -> option R) (L : X -> R) :
  within (pairwise E) L -> forall x x' e, path E x x' e -> L x <= exp e * L x'.
Proof.
  intros holds x x' e steps. rewrite within_pairwise in holds.
  induction steps as [x|x next x' e rest bound steps IH].
  - rewrite exp_0. lra.
  - specialize (holds _ _ _ bound). rewrite exp_plus. pose proof (exp_pos e). nra.
Qed.

Corollary closure_is_equivalent {X : Type} (E closure : X -> X -> option R) (L : X -> R) :
  (forall x x' e, closure x x' = Some e -> path E x x' e) ->
  (forall x x' e, E x x' = Some e -> exists least, closure x x' = Some least /\ least <= e) ->
  (forall x, 0 <= L x) -> within (pairwise E) L <-> within (pairwise closure) L.
Proof.
  intros shortest below nonneg. split; intros holds; rewrite within_pairwise.
  - intros x x' e bound. eapply paths_are_kept; eauto.
  - intros x x' e bound. destruct (below _ _ _ bound) as (least & entry & less). rewrite within_pairwise in holds.
    specialize (holds _ _ _ entry). specialize (nonneg x').
    assert (exp least <= exp e) by (destruct less as [less| ->]; [left; now apply exp_increasing|lra]). nra.
Qed.

(** On a line, and along the edges of a tree or a map, it is enough to look at neighbours. *)
Theorem neighbours_on_a_line (step : R) (L : nat -> R) :
  (forall i, L i <= exp step * L (S i) /\ L (S i) <= exp step * L i) ->
  forall i n, L i <= exp (INR n * step) * L (i + n)%nat /\ L (i + n)%nat <= exp (INR n * step) * L i.
Proof.
  intros neighbours i n. induction n as [|n [up down]].
  - rewrite PeanoNat.Nat.add_0_r. simpl INR. rewrite Rmult_0_l, exp_0. lra.
  - rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, PeanoNat.Nat.add_succ_r.
    destruct (neighbours (i + n)%nat) as [next back]. pose proof (exp_pos (INR n * step)). pose proof (exp_pos step).
    split; nra.
Qed.

(** * Attributes: coordinate and Bayesian coordinate DP *)

(** The number of attribute [i]'s value in record [x] is [x i]. Coordinate DP compares "two records that differ in attribute
    i only" (docs/bayesian-coordinate.md). *)
Definition coordinate_dp (budgets : nat -> R) : definition (nat -> nat) :=
  fun a b e => exists i x x', a = sure x /\ b = sure x' /\ e = budgets i /\ forall j, j <> i -> x j = x' j.

(** What is believed once it is known that a record passes a test. *)
Definition mass {X : Type} (prior : belief X) (test : X -> bool) : R := mean prior (fun x => if test x then 1 else 0).
Definition given {X : Type} (prior : belief X) (test : X -> bool) : belief X :=
  map (fun part => ((if test (snd part) then fst part else 0) / mass prior test, snd part)) prior.

(** Bayesian coordinate DP compares "attribute i is a" and "attribute i is b", "averaged over the others given that"
    (docs/bayesian-coordinate.md): [read i x] is the number of the attribute's value. *)
Definition bayesian_coordinate_dp {X : Type} (prior : belief X) (read : nat -> X -> nat) (deltas : nat -> R) : definition X :=
  fun a b e => exists i v v',
    0 < mass prior (fun x => Nat.eqb (read i x) v) /\ 0 < mass prior (fun x => Nat.eqb (read i x) v') /\
    a = given prior (fun x => Nat.eqb (read i x) v) /\ b = given prior (fun x => Nat.eqb (read i x) v') /\ e = deltas i.

Lemma mean_given {X : Type} (prior : belief X) (test : X -> bool) (f : X -> R) :
  mean (given prior test) f = mean prior (fun x => if test x then f x else 0) / mass prior test.
Proof.
  unfold mean, given. rewrite sum_map. unfold Rdiv. rewrite <- sum_scale_right. apply sum_ext.
  intros [w x] _. simpl. destruct (test x); unfold Rdiv; ring.
Qed.

Lemma given_is_belief {X : Type} (prior : belief X) (test : X -> bool) :
  is_belief prior -> 0 < mass prior test -> is_belief (given prior test).
Proof.
  intros [nonneg total] positive. split.
  - intros part inside. apply in_map_iff in inside. destruct inside as (origin & <- & here). simpl.
    apply Rmult_le_pos; [destruct (test (snd origin)); [now apply nonneg|lra]|]. left. now apply Rinv_0_lt_compat.
  - rewrite mean_given. fold (mass prior test). apply Rinv_r. lra.
Qed.

Theorem bayesian_is_proper {X : Type} (prior : belief X) (read : nat -> X -> nat) (deltas : nat -> R) :
  is_belief prior -> (forall i, 0 <= deltas i) -> is_proper (bayesian_coordinate_dp prior read deltas).
Proof. intros valid nonneg a b e (i & v & v' & some & other & -> & -> & ->). auto using given_is_belief. Qed.

(** * From one promise to another *)

(** LDP bounds what is revealed about all hypotheses, whatever is believed: "LDP at epsilon" leads to "Bayesian DP at the
    same level" (docs/bayesian-coordinate.md), for any beliefs a and b. *)
Theorem ldp_bounds_all_beliefs {X : Type} (epsilon : R) (L : X -> R) (a b : belief X) :
  within (ldp epsilon) L -> is_belief a -> is_belief b -> mean a L <= exp epsilon * mean b L.
Proof.
  intros holds first second. unfold ldp in holds. rewrite within_pairwise in holds.
  rewrite <- (mean_constant a (exp epsilon * mean b L) first). apply mean_le; auto. intros x.
  rewrite <- (mean_constant b (L x) second), <- mean_scale. apply mean_le; [auto|]. intros x'. now apply holds.
Qed.

(** "coordinate DP" leads to "LDP at the sum of the budgets" (docs/bayesian-coordinate.md): records of [n] attributes are
    changed into each other one attribute after the other. *)
Theorem coordinate_budgets_add_up (budgets : nat -> R) (n : nat) (L : (nat -> nat) -> R) (x x' : nat -> nat) :
  within (coordinate_dp budgets) L -> (forall i, (n <= i)%nat -> x i = x' i) ->
  (forall y y', (forall i, y i = y' i) -> L y = L y') ->
  L x <= exp (sum budgets (codes n)) * L x'.
Proof.
  intros holds. revert x x'. induction n as [|n IH]; intros x x' equal same.
  - simpl. rewrite exp_0, (same x x'); [lra|]. intros i. apply equal. apply PeanoNat.Nat.le_0_l.
  - set (between := fun i => if Nat.eqb i n then x' i else x i).
    assert (first : L x <= exp (budgets n) * L between).
    { rewrite <- (mean_sure x L), <- (mean_sure between L). apply holds. exists n, x, between. repeat split; auto.
      intros j differs. unfold between. destruct (PeanoNat.Nat.eqb_spec j n); congruence. }
    assert (second : L between <= exp (sum budgets (codes n)) * L x').
    { apply IH; auto. intros i large. unfold between. destruct (PeanoNat.Nat.eqb_spec i n); [auto|].
      apply equal. destruct large; [congruence|]. now apply le_n_S. }
    unfold codes in *. rewrite seq_S, sum_app. simpl. rewrite Rplus_0_r, exp_plus.
    eapply Rle_trans; [exact first|]. rewrite (Rmult_comm (exp (sum _ _))), Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply exp_pos|exact second].
Qed.

(** * What a bound means *)

(** "a suspicion of 10 % rises to at most 12.63 %" (docs/bayesian-coordinate.md): a belief [p] that hypothesis a is true
    rather than b is at most p e^B / (1 - p + p e^B) afterwards, ... *)
Theorem suspicion_rises_to_at_most (p B la lb : R) :
  0 <= p <= 1 -> 0 <= la -> 0 <= lb -> 0 < p * la + (1 - p) * lb -> la <= exp B * lb ->
  p * la / (p * la + (1 - p) * lb) <= p * exp B / (1 - p + p * exp B).
Proof.
  intros range first second possible bound. pose proof (exp_pos B) as positive.
  assert (0 < 1 - p + p * exp B) by nra.
  apply Rmult_le_reg_r with (p * la + (1 - p) * lb); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
  apply Rmult_le_reg_r with (1 - p + p * exp B); [lra|].
  replace (p * exp B / (1 - p + p * exp B) * (p * la + (1 - p) * lb) * (1 - p + p * exp B))
    with (p * exp B * (p * la + (1 - p) * lb)) by (field; lra).
  assert (0 <= p * (1 - p) * (exp B * lb - la)) by (apply Rmult_le_pos; nra). nra.
Qed.

(** ... and falls no lower than p / (p + (1 - p) e^B), if the pair (b, a) has the bound B. *)
Theorem suspicion_falls_no_lower_than (p B la lb : R) :
  0 <= p <= 1 -> 0 <= la -> 0 <= lb -> 0 < p * la + (1 - p) * lb -> lb <= exp B * la ->
  p / (p + (1 - p) * exp B) <= p * la / (p * la + (1 - p) * lb).
Proof.
  intros range first second possible bound. pose proof (exp_pos B) as positive.
  assert (0 < p + (1 - p) * exp B) by nra.
  apply Rmult_le_reg_r with (p * la + (1 - p) * lb); [lra|].
  unfold Rdiv at 2. rewrite (Rmult_assoc (p * la)), Rinv_l by lra.
  apply Rmult_le_reg_r with (p + (1 - p) * exp B); [lra|].
  replace (p / (p + (1 - p) * exp B) * (p * la + (1 - p) * lb) * (p + (1 - p) * exp B))
    with (p * (p * la + (1 - p) * lb)) by (field; lra).
  assert (0 <= p * (1 - p) * (exp B * la - lb)) by (apply Rmult_le_pos; nra). nra.
Qed.

(** "no test of whether attribute i is in one set of values or in another has e^delta_i P_FA + P_MD below 1"
    (docs/bayesian-coordinate.md): somebody who calls out a where a code is in [A] is wrong so often, at least. *)
Theorem tests_err {X : Type} (D : definition X) (q : query X) (a b : belief X) (e : R) (A : nat -> bool) :
  satisfies D q -> D a b e -> is_belief a ->
  1 <= exp e * mean b (event q A) + mean a (event q (fun y => negb (A y))).
Proof.
  intros holds pair valid. specialize (holds A a b e pair).
  enough (mean a (event q A) + mean a (event q (fun y => negb (A y))) = 1) by lra.
  rewrite <- (mean_constant a 1 valid). unfold mean. rewrite <- sum_plus. apply sum_ext. intros part _.
  rewrite <- Rmult_plus_distr_l. f_equal. unfold event. rewrite <- sum_plus, <- (chance_total q (snd part)).
  apply sum_ext. intros y _. destruct (A y); simpl; ring.
Qed.

(** A checker of dense channels, as a program, and the proof that what it accepts keeps its promise.

    It is extracted to OCaml and run on plans: see checker/. It does not use real numbers, and no theorem about the mechanism's
    author: rows of integers, bounds as amounts of loss, and a comparison of integers for each code and each protected pair. *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool.
From Sordino Require Import Sums Channels Definitions Exponential Coins.
Import ListNotations.
Open Scope R_scope.

(** * The program *)

(** Rows of weights, one for each value; a bound for each ordered pair of values, or none. *)
Definition rows : Type := list (list Z).
Definition bounds : Type := list (list (option nats)).

(** Terms of the series of e^r: enough for r up to 100 (fewer would be safe as well, and refuse more). *)
Definition series_terms (amount : nats) : nat := 100 + 4 * Z.to_nat (Z.abs (Qnum (rational amount)) / Zpos (Qden (rational amount))).

Definition is_row (all : nat) (total : Z) (row : list Z) : bool :=
  Nat.eqb (length row) all && forallb (fun w => Z.leb 0 w) row && Z.eqb (fold_right Z.add 0%Z row) total.

(** Is [heavy] at most [factor] times [light], code by code? *)
Fixpoint is_below (numerator denominator : Z) (heavy light : list Z) : bool :=
  match heavy, light with
  | h :: heavy, l :: light => Z.leb (h * denominator) (numerator * l) && is_below numerator denominator heavy light
  | _, _ => true
  end.

Definition keeps_bound (bound : option nats) (heavy light : list Z) : bool :=
  match bound with
  | None => true
  | Some amount =>
      if Qle_bool (ratio amount) 0 then false
      else let factor := factor_below amount (series_terms amount) in
           is_below (Qnum factor) (Zpos (Qden factor)) heavy light
  end.

Fixpoint keeps_row (bound : list (option nats)) (heavy : list Z) (others : rows) : bool :=
  match bound, others with
  | b :: bound, light :: others => keeps_bound b heavy light && keeps_row bound heavy others
  | [], [] => true
  | _, _ => false
  end.

Fixpoint keeps_rows (all_bounds : bounds) (heavies : rows) (others : rows) : bool :=
  match all_bounds, heavies with
  | bound :: all_bounds, heavy :: heavies => keeps_row bound heavy others && keeps_rows all_bounds heavies others
  | [], [] => true
  | _, _ => false
  end.

Definition check (all : nat) (total : Z) (channel_rows : rows) (all_bounds : bounds) : bool :=
  Z.ltb 0 total && forallb (is_row all total) channel_rows && keeps_rows all_bounds channel_rows channel_rows.

(** * What it is a check of *)

Definition entry (r : rows) (x y : nat) : Z := nth y (nth x r []) 0%Z.
Definition bound_of (all_bounds : bounds) (x x' : nat) : option R :=
  match nth x' (nth x all_bounds []) None with Some amount => Some (value amount) | None => None end.

(** Values are the places of the rows. *)
Definition place (r : rows) : Type := { x : nat | (x < length r)%nat }.
Definition number {r : rows} (x : place r) : nat := proj1_sig x.

Lemma is_row_correct all total row : is_row all total row = true ->
  length row = all /\ (forall w, In w row -> (0 <= w)%Z) /\ fold_right Z.add 0%Z row = total.
Proof.
  unfold is_row. rewrite !andb_true_iff, forallb_forall. intros [[size nonneg] sums].
  repeat split; [now apply Nat.eqb_eq| |now apply Z.eqb_eq]. intros w inside. now apply Z.leb_le, nonneg.
Qed.

Lemma row_by_codes (row : list Z) : map (fun y => nth y row 0%Z) (codes (length row)) = row.
Proof.
  unfold codes. induction row as [|w row IH]; simpl; [reflexivity|]. f_equal.
  rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma rows_are_rows (all : nat) (total : Z) (r : rows) (x : place r) :
  forallb (is_row all total) r = true -> is_row all total (nth (number x) r []) = true.
Proof. rewrite forallb_forall. intros each. apply each, nth_In. exact (proj2_sig x). Qed.

(** The channel that accepted rows are: code y is drawn for value x with the probability (entry x y) / total. *)
Definition channel_of_rows (all : nat) (total : Z) (r : rows)
  (positive : (0 < total)%Z) (valid : forallb (is_row all total) r = true) : channel (place r).
Proof.
  refine (Channel (place r) all (fun x y => entry r (number x) y) total positive _ _).
  - intros x y. destruct (is_row_correct _ _ _ (rows_are_rows all total r x valid)) as (_ & nonneg & _). unfold entry.
    destruct (nth_in_or_default y (nth (number x) r []) 0%Z) as [inside| ->]; [auto|lia].
  - intros x. destruct (is_row_correct _ _ _ (rows_are_rows all total r x valid)) as (size & _ & sums). unfold entry.
    rewrite <- size. rewrite row_by_codes. exact sums.
Defined.

Lemma is_below_correct numerator denominator heavy light y :
  is_below numerator denominator heavy light = true -> (y < length heavy)%nat -> (y < length light)%nat ->
  (nth y heavy 0 * denominator <= numerator * nth y light 0)%Z.
Proof.
  revert light y. induction heavy as [|h heavy IH]; intros [|l light] y holds short short'; simpl in *; try lia.
  apply andb_true_iff in holds as [here further]. destruct y as [|y]; [now apply Z.leb_le|].
  apply IH; [assumption|lia|lia].
Qed.

Lemma keeps_bound_correct amount heavy light y :
  keeps_bound (Some amount) heavy light = true -> (y < length heavy)%nat -> (y < length light)%nat ->
  (0 <= nth y light 0)%Z -> IZR (nth y heavy 0%Z) <= exp (value amount) * IZR (nth y light 0%Z).
Proof.
  simpl. destruct (Qle_bool (ratio amount) 0) eqn:sign; [discriminate|]. intros holds short short' nonneg.
  assert (valid : is_nats amount).
  { unfold is_nats. apply Qnot_le_lt. intros none. apply Qle_bool_iff in none. congruence. }
  pose proof (is_below_correct _ _ _ _ y holds short short') as integers. apply IZR_le in integers. rewrite !mult_IZR in integers.
  pose proof (factor_is_below amount (series_terms amount) valid) as factor.
  set (f := factor_below amount (series_terms amount)) in *. apply IZR_le in nonneg.
  assert (positive : 0 < IZR (Zpos (Qden f))) by (now apply IZR_lt).
  apply Rle_trans with (Q2R f * IZR (nth y light 0%Z)); [|now apply Rmult_le_compat_r].
  unfold Q2R. apply Rmult_le_reg_r with (IZR (Zpos (Qden f))); [assumption|].
  replace (IZR (Qnum f) * / IZR (Zpos (Qden f)) * IZR (nth y light 0%Z) * IZR (Zpos (Qden f)))
    with (IZR (Qnum f) * IZR (nth y light 0%Z)) by (field; lra). exact integers.
Qed.

Lemma keeps_row_correct bound heavy others x' :
  keeps_row bound heavy others = true -> (x' < length others)%nat ->
  keeps_bound (nth x' bound None) heavy (nth x' others []) = true.
Proof.
  revert others x'. induction bound as [|b bound IH]; intros [|light others] x' holds short; simpl in *; try lia; try discriminate.
  apply andb_true_iff in holds as [here further]. destruct x'; [assumption|]. apply IH; [assumption|lia].
Qed.

Lemma keeps_rows_correct all_bounds heavies others x :
  keeps_rows all_bounds heavies others = true -> (x < length heavies)%nat ->
  keeps_row (nth x all_bounds []) (nth x heavies []) others = true.
Proof.
  revert heavies x. induction all_bounds as [|bound all_bounds IH]; intros [|heavy heavies] x holds short; simpl in *; try lia; try discriminate.
  apply andb_true_iff in holds as [here further]. destruct x; [assumption|]. apply IH; [assumption|lia].
Qed.

(** * Soundness *)

(** What the program accepts is a channel, and this channel keeps each bound, in every event. *)
Theorem accepted_channel_keeps_bounds (all : nat) (total : Z) (r : rows) (all_bounds : bounds) :
  check all total r all_bounds = true ->
  exists (positive : (0 < total)%Z) (valid : forallb (is_row all total) r = true),
  satisfies (pairwise (fun x x' : place r => bound_of all_bounds (number x) (number x')))
            (of_channel (channel_of_rows all total r positive valid)).
Proof.
  unfold check. rewrite !andb_true_iff. intros [[positive valid] kept]. apply Z.ltb_lt in positive.
  exists positive, valid. apply channel_satisfies_iff_integers. intros y inside. apply within_pairwise. simpl in *.
  intros x x' e bound. unfold bound_of in bound.
  pose proof (keeps_rows_correct _ _ _ (number x) kept (proj2_sig x)) as row.
  pose proof (keeps_row_correct _ _ _ (number x') row (proj2_sig x')) as pair.
  destruct (nth (number x') (nth (number x) all_bounds []) None) as [amount|]; [|discriminate]. injection bound as <-.
  destruct (is_row_correct _ _ _ (rows_are_rows all total r x valid)) as (size & _ & _).
  destruct (is_row_correct _ _ _ (rows_are_rows all total r x' valid)) as (size' & nonneg & _).
  unfold codes in inside. apply in_seq in inside. unfold entry. apply keeps_bound_correct; auto; try lia.
  apply nonneg, nth_In. lia.
Qed.

(** * The bounds of a promise *)

(** A bound for each ordered pair of items, by what is known of each value: its block, or whether it is sensitive. *)
Definition bounds_of {A : Type} (bound : A -> A -> option nats) (items : list A) : bounds :=
  map (fun a => map (bound a) items) items.

Definition block_bounds (epsilon : nats) (blocks : list nat) : bounds :=
  bounds_of (fun b b' => if Nat.eqb b b' then Some epsilon else None) blocks.
Definition high_low_bounds (epsilon : nats) (are_sensitive : list bool) : bounds :=
  bounds_of (fun s _ => if s : bool then Some epsilon else None) are_sensitive.
Definition ldp_bounds (epsilon : nats) (values : list unit) : bounds := bounds_of (fun _ _ => Some epsilon) values.

Lemma bound_of_items {A : Type} (bound : A -> A -> option nats) (items : list A) (start : A) (x x' : nat) :
  (x < length items)%nat -> (x' < length items)%nat ->
  bound_of (bounds_of bound items) x x' = option_map value (bound (nth x items start) (nth x' items start)).
Proof.
  intros here there. unfold bound_of, bounds_of.
  rewrite (nth_indep _ [] (map (bound start) items)) by now rewrite map_length.
  rewrite (map_nth (fun a => map (bound a) items) items start x).
  rewrite (nth_indep _ None (bound (nth x items start) start)) by now rewrite map_length.
  rewrite map_nth. now destruct (bound _ _).
Qed.

Lemma same_bounds {X : Type} (E E' : X -> X -> option R) (q : query X) :
  (forall x x', E x x' = E' x x') -> satisfies (pairwise E) q -> satisfies (pairwise E') q.
Proof.
  intros same holds A. apply within_pairwise. intros x x' e bound. rewrite <- same in bound.
  exact (proj1 (within_pairwise E (event q A)) (holds A) x x' e bound).
Qed.

Lemma accepted_items {A : Type} (bound : A -> A -> option nats) (items : list A) (start : A) (all : nat) (total : Z) (r : rows) :
  length items = length r -> check all total r (bounds_of bound items) = true ->
  exists positive valid, satisfies
    (pairwise (fun x x' : place r => option_map value (bound (nth (number x) items start) (nth (number x') items start))))
    (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros size accepted. destruct (accepted_channel_keeps_bounds _ _ _ _ accepted) as (positive & valid & holds).
  exists positive, valid. revert holds. apply same_bounds. intros x x'.
  apply bound_of_items; rewrite size; [exact (proj2_sig x)|exact (proj2_sig x')].
Qed.

(** What is accepted by the bounds of LDP, blocks, or sensitive values satisfies these definitions. *)
Theorem accepted_ldp (epsilon : nats) (values : list unit) (all : nat) (total : Z) (r : rows) :
  length values = length r -> check all total r (ldp_bounds epsilon values) = true ->
  exists positive valid, satisfies (ldp (value epsilon)) (of_channel (channel_of_rows all total r positive valid)).
Proof. intros size accepted. exact (accepted_items _ values tt all total r size accepted). Qed.

Theorem accepted_blocks (epsilon : nats) (blocks : list nat) (all : nat) (total : Z) (r : rows) :
  length blocks = length r -> check all total r (block_bounds epsilon blocks) = true ->
  exists positive valid, satisfies (block_ldp (fun x : place r => nth (number x) blocks 0%nat) (value epsilon))
    (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros size accepted. destruct (accepted_items _ blocks 0%nat all total r size accepted) as (positive & valid & holds).
  exists positive, valid. revert holds. apply same_bounds. intros x x'. now destruct (Nat.eqb _ _).
Qed.

Theorem accepted_high_low (epsilon : nats) (are_sensitive : list bool) (all : nat) (total : Z) (r : rows) :
  length are_sensitive = length r -> check all total r (high_low_bounds epsilon are_sensitive) = true ->
  exists positive valid, satisfies (high_low (fun x : place r => nth (number x) are_sensitive false) (value epsilon))
    (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros size accepted. destruct (accepted_items _ are_sensitive false all total r size accepted) as (positive & valid & holds).
  exists positive, valid. revert holds. apply same_bounds. intros x x'. now destruct (nth (number x) are_sensitive false).
Qed.

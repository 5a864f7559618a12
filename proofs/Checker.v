(** A checker of dense channels, as a program, and the proof that what it accepts keeps its promise.

    It is extracted to OCaml and run on plans: see checker/. It does not use real numbers, and no theorem about the mechanism's
    author: rows of integers, bounds as amounts of loss, and a comparison of integers for each code and each protected pair. *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool.
From Sordino Require Import Sums Channels Definitions Exponential Coins.
Import ListNotations.
Open Scope R_scope.

(** * The program *)

(** Rows of weights, one for each value; for each ordered pair of values a factor that is not above e^bound, or none. *)
Definition rows : Type := list (list Z).
Definition bounds : Type := list (list (option Q)).

Definition is_row (all : nat) (total : Z) (row : list Z) : bool :=
  Nat.eqb (length row) all && forallb (fun w => Z.leb 0 w) row && Z.eqb (fold_right Z.add 0%Z row) total.

(** Is [heavy] at most [factor] times [light], code by code? *)
Fixpoint is_below (numerator denominator : Z) (heavy light : list Z) : bool :=
  match heavy, light with
  | h :: heavy, l :: light => Z.leb (h * denominator) (numerator * l) && is_below numerator denominator heavy light
  | _, _ => true
  end.

Definition keeps_bound (bound : option Q) (heavy light : list Z) : bool :=
  match bound with
  | None => true
  | Some factor => is_below (Qnum factor) (Zpos (Qden factor)) heavy light
  end.

Fixpoint keeps_row (bound : list (option Q)) (heavy : list Z) (others : rows) : bool :=
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
Definition factor_of (all_bounds : bounds) (x x' : nat) : option Q := nth x' (nth x all_bounds []) None.

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

Lemma keeps_bound_correct factor heavy light y e :
  keeps_bound (Some factor) heavy light = true -> Q2R factor <= exp e -> (y < length heavy)%nat -> (y < length light)%nat ->
  (0 <= nth y light 0)%Z -> IZR (nth y heavy 0%Z) <= exp e * IZR (nth y light 0%Z).
Proof.
  simpl. intros holds below short short' nonneg.
  pose proof (is_below_correct _ _ _ _ y holds short short') as integers. apply IZR_le in integers. rewrite !mult_IZR in integers.
  apply IZR_le in nonneg. assert (positive : 0 < IZR (Zpos (Qden factor))) by (now apply IZR_lt).
  apply Rle_trans with (Q2R factor * IZR (nth y light 0%Z)); [|now apply Rmult_le_compat_r].
  unfold Q2R. apply Rmult_le_reg_r with (IZR (Zpos (Qden factor))); [assumption|].
  replace (IZR (Qnum factor) * / IZR (Zpos (Qden factor)) * IZR (nth y light 0%Z) * IZR (Zpos (Qden factor)))
    with (IZR (Qnum factor) * IZR (nth y light 0%Z)) by (field; lra). exact integers.
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

(** What the program accepts is a channel, and this channel keeps each bound of a definition, in every event, if the factors
    are not above e^bound. *)
Theorem accepted_channel_keeps_bounds (all : nat) (total : Z) (r : rows) (factors : bounds) (E : place r -> place r -> option R) :
  check all total r factors = true ->
  (forall x x' e, E x x' = Some e -> exists f, factor_of factors (number x) (number x') = Some f /\ Q2R f <= exp e) ->
  exists (positive : (0 < total)%Z) (valid : forallb (is_row all total) r = true),
  satisfies (pairwise E) (of_channel (channel_of_rows all total r positive valid)).
Proof.
  unfold check. rewrite !andb_true_iff. intros [[positive valid] kept] below. apply Z.ltb_lt in positive.
  exists positive, valid. apply channel_satisfies_iff_integers. intros y inside. apply within_pairwise. simpl in *.
  intros x x' e bound. destruct (below _ _ _ bound) as (f & found & smaller). unfold factor_of in found.
  pose proof (keeps_rows_correct _ _ _ (number x) kept (proj2_sig x)) as row.
  pose proof (keeps_row_correct _ _ _ (number x') row (proj2_sig x')) as pair. unfold number in *. rewrite found in pair.
  destruct (is_row_correct _ _ _ (rows_are_rows all total r x valid)) as (size & _ & _).
  destruct (is_row_correct _ _ _ (rows_are_rows all total r x' valid)) as (size' & nonneg & _). unfold number in *.
  unfold codes in inside. apply in_seq in inside. unfold entry.
  apply (keeps_bound_correct f); auto; try lia. apply nonneg, nth_In. lia.
Qed.

(** * The factors of a promise *)

(** A factor for each ordered pair of items, by what is known of each value: its block, or whether it is sensitive. *)
Definition factors_of {A : Type} (factor : A -> A -> option Q) (items : list A) : bounds :=
  map (fun a => map (factor a) items) items.

Definition block_factors (epsilon : nats) (blocks : list nat) : bounds :=
  let factor := factor_below epsilon in factors_of (fun b b' => if Nat.eqb b b' then Some factor else None) blocks.
Definition high_low_factors (epsilon : nats) (are_sensitive : list bool) : bounds :=
  let factor := factor_below epsilon in factors_of (fun s _ => if s : bool then Some factor else None) are_sensitive.
Definition ldp_factors (epsilon : nats) (values : list unit) : bounds :=
  let factor := factor_below epsilon in factors_of (fun _ _ => Some factor) values.
Definition matrix_factors (amounts : list (list (option nats))) : bounds := map (map (option_map factor_below)) amounts.

Lemma factor_of_items {A : Type} (factor : A -> A -> option Q) (items : list A) (start : A) (x x' : nat) :
  (x < length items)%nat -> (x' < length items)%nat ->
  factor_of (factors_of factor items) x x' = factor (nth x items start) (nth x' items start).
Proof.
  intros here there. unfold factor_of, factors_of.
  rewrite (nth_indep _ [] (map (factor start) items)) by now rewrite map_length.
  rewrite (map_nth (fun a => map (factor a) items) items start x).
  rewrite (nth_indep _ None (factor (nth x items start) start)) by now rewrite map_length.
  now rewrite map_nth.
Qed.

Ltac by_items start size :=
  intros x x' e bound; eexists; split;
  [unfold ldp_factors, block_factors, high_low_factors; cbv zeta; rewrite (factor_of_items _ _ start) by (rewrite size; first [exact (proj2_sig x)|exact (proj2_sig x')])|].

(** What is accepted with the factors of LDP, of blocks, of sensitive values, or of a matrix of bounds satisfies these
    definitions. *)
Theorem accepted_ldp (epsilon : nats) (values : list unit) (all : nat) (total : Z) (r : rows) :
  length values = length r -> check all total r (ldp_factors epsilon values) = true ->
  exists positive valid, satisfies (ldp (value epsilon)) (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros size accepted. apply (accepted_channel_keeps_bounds _ _ _ _ _ accepted). by_items tt size; [reflexivity|].
  injection bound as <-. apply factor_is_below.
Qed.

Theorem accepted_blocks (epsilon : nats) (blocks : list nat) (all : nat) (total : Z) (r : rows) :
  length blocks = length r -> check all total r (block_factors epsilon blocks) = true ->
  exists positive valid, satisfies (block_ldp (fun x : place r => nth (number x) blocks 0%nat) (value epsilon))
    (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros size accepted. apply (accepted_channel_keeps_bounds _ _ _ _ _ accepted). by_items 0%nat size.
  - destruct (Nat.eqb _ _); [reflexivity|discriminate].
  - destruct (Nat.eqb _ _); [|discriminate]. injection bound as <-. apply factor_is_below.
Qed.

Theorem accepted_high_low (epsilon : nats) (are_sensitive : list bool) (all : nat) (total : Z) (r : rows) :
  length are_sensitive = length r -> check all total r (high_low_factors epsilon are_sensitive) = true ->
  exists positive valid, satisfies (high_low (fun x : place r => nth (number x) are_sensitive false) (value epsilon))
    (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros size accepted. apply (accepted_channel_keeps_bounds _ _ _ _ _ accepted). by_items false size.
  - destruct (nth (number x) are_sensitive false); [reflexivity|discriminate].
  - destruct (nth (number x) are_sensitive false); [|discriminate]. injection bound as <-. apply factor_is_below.
Qed.

Theorem accepted_matrix (amounts : list (list (option nats))) (all : nat) (total : Z) (r : rows) :
  check all total r (matrix_factors amounts) = true ->
  exists positive valid, satisfies
    (pairwise (fun x x' : place r => option_map value (nth (number x') (nth (number x) amounts []) None)))
    (of_channel (channel_of_rows all total r positive valid)).
Proof.
  intros accepted. apply (accepted_channel_keeps_bounds _ _ _ _ _ accepted). intros x x' e bound.
  destruct (nth (number x') (nth (number x) amounts []) None) as [amount|] eqn:entry; [|discriminate].
  injection bound as <-. exists (factor_below amount). split; [|apply factor_is_below].
  unfold factor_of, matrix_factors. change (@nil (option Q)) with (map (option_map factor_below) []).
  rewrite map_nth. change (@None Q) with (option_map factor_below None). rewrite map_nth. now rewrite entry.
Qed.

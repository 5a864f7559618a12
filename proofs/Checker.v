(** Rows of integers, compared with bounds: the arithmetic of the checker.

    It is extracted to OCaml and run on plans: see Listing.v and checker/. It does not use real numbers, and no theorem about the
    mechanism's author: rows of integers, bounds as amounts of loss, and a comparison of integers for each code and each
    protected pair. *)

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

(** * What it is a check of *)

Definition factor_of (all_bounds : bounds) (x x' : nat) : option Q := nth x' (nth x all_bounds []) None.

Lemma is_row_correct all total row : is_row all total row = true ->
  length row = all /\ (forall w, In w row -> (0 <= w)%Z) /\ fold_right Z.add 0%Z row = total.
Proof.
  unfold is_row. rewrite !andb_true_iff, forallb_forall. intros [[size nonneg] sums].
  repeat split; [now apply Nat.eqb_eq| |now apply Z.eqb_eq]. intros w inside. now apply Z.leb_le, nonneg.
Qed.

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

(** * The factors of a promise *)

(** A factor for each ordered pair of items, by what is known of each value: its block, or whether it is sensitive. *)
Definition factors_of {A : Type} (factor : A -> A -> option Q) (items : list A) : bounds :=
  map (fun a => map (factor a) items) items.

Definition block_factors (epsilon : nats) (blocks : list nat) : bounds :=
  let factor := factor_below epsilon in factors_of (fun b b' => if Nat.eqb b b' then Some factor else None) blocks.
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

Lemma factor_of_amounts (amounts : list (list (option nats))) (x x' : nat) (amount : nats) :
  nth x' (nth x amounts []) None = Some amount -> factor_of (matrix_factors amounts) x x' = Some (factor_below amount).
Proof.
  intros entry. unfold factor_of, matrix_factors. change (@nil (option Q)) with (map (option_map factor_below) []).
  rewrite map_nth. change (@None Q) with (option_map factor_below None). rewrite map_nth. now rewrite entry.
Qed.

(** A record that changes: versions, and histories with a limited number of changes.

    The theorem of the filter is about records of any kind. So a record may be a whole history, and a question is about its
    state at one time: nothing else is needed. *)

From Coq Require Import Reals Lra List.
From Sordino Require Import Sums Channels Definitions Filter.
Import ListNotations.
Open Scope R_scope.

(** * What answers add *)

(** A query adds at most its own bound of each pair to what earlier answers have revealed: the rule "simplified", which "adds
    the most that the query can reveal to the loss so far" (docs/filters.md). *)
Theorem simplified_rule {X : Type} (L : X -> R) (q : query X) (y : nat) (x x' : X) (lost most : R) :
  L x <= exp lost * L x' -> chance q x y <= exp most * chance q x' y -> 0 <= L x' ->
  L x * chance q x y <= exp (lost + most) * (L x' * chance q x' y).
Proof.
  intros before now_ nonneg. rewrite exp_plus.
  pose proof (chance_nonneg q x y). pose proof (exp_pos lost). pose proof (exp_pos most).
  apply Rle_trans with (exp lost * L x' * chance q x y); [now apply Rmult_le_compat_r|].
  replace (exp lost * exp most * (L x' * chance q x' y)) with (exp lost * L x' * (exp most * chance q x' y)) by ring.
  apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; lra.
Qed.

(** * Versions of a record *)

(** The state of a record at each time, or each of its versions. *)
Definition history (X : Type) : Type := nat -> X.

(** A question about the state at time [t]. *)
Definition at_time {X : Type} (t : nat) (q : query X) : query (history X) :=
  Query (history X) (outputs q) (fun h => chance q (h t)) (fun h => chance_nonneg q (h t)) (fun h => chance_total q (h t)).

Fixpoint product (f : nat -> R) (versions : list nat) : R :=
  match versions with [] => 1 | v :: rest => f v * product f rest end.

(** "losses about two versions of a record add" (docs/filters.md), and to no more than their sum, whatever the versions are. *)
Theorem losses_of_versions_add {X : Type} (L : nat -> X -> R) (loss : nat -> R) (versions : list nat) :
  (forall v x, In v versions -> 0 <= L v x) ->
  (forall v x x', In v versions -> L v x <= exp (loss v) * L v x') ->
  forall h h' : history X,
  product (fun v => L v (h v)) versions <= exp (sum loss versions) * product (fun v => L v (h' v)) versions.
Proof.
  intros nonneg each h h'. induction versions as [|v versions IH]; simpl.
  - rewrite exp_0. lra.
  - rewrite exp_plus.
    assert (positive : forall h : history X, 0 <= product (fun w => L w (h w)) versions).
    { intros any. clear IH each. induction versions as [|w versions more]; simpl; [lra|].
      apply Rmult_le_pos; [apply nonneg; simpl; auto|]. apply more. intros u x inside. apply nonneg. simpl in *. tauto. }
    apply Rle_trans with (exp (loss v) * L v (h' v) * product (fun w => L w (h w)) versions).
    + apply Rmult_le_compat_r; [apply positive|]. apply each. now left.
    + replace (exp (loss v) * exp (sum loss versions) * (L v (h' v) * product (fun w => L w (h' w)) versions))
        with (exp (loss v) * L v (h' v) * (exp (sum loss versions) * product (fun w => L w (h' w)) versions)) by ring.
      apply Rmult_le_compat_l.
      * pose proof (exp_pos (loss v)). apply Rmult_le_pos; [lra|]. apply nonneg. now left.
      * apply IH; intros; [apply nonneg|apply each]; now right.
Qed.

(** * Histories with at most [changes] changes *)

Definition changes_at_most {X : Type} (changes : nat) (h : history X) : Prop :=
  exists times, (length times <= changes)%nat /\ forall t, ~ In t times -> h (S t) = h t.

(** Any two histories with so few changes are protected from each other, in all that is ever answered. *)
Definition history_ldp {X : Type} (changes : nat) (epsilon : R) : definition (history X) :=
  fun a b e => exists h h', a = sure h /\ b = sure h' /\ e = epsilon /\ changes_at_most changes h /\ changes_at_most changes h'.

Theorem filter_keeps_histories {X : Type} (changes : nat) (epsilon : R) (f : filter) :
  0 <= epsilon -> accepts_within (history_ldp changes epsilon) f ->
  forall (s : strategy) (A : list line -> bool) (h h' : history X),
  changes_at_most changes h -> changes_at_most changes h' ->
  probability f s [] A h <= exp epsilon * probability f s [] A h'.
Proof.
  intros nonneg careful s A h h' few few'.
  rewrite <- (mean_sure h (probability f s [] A)), <- (mean_sure h' (probability f s [] A)).
  apply (filter_keeps_promise (history_ldp changes epsilon)); auto.
  - intros a b e (first & second & -> & -> & -> & _). auto using sure_is_belief.
  - now exists h, h'.
Qed.

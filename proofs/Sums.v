(** Finite sums of real numbers over lists: what the other files calculate with. No statement here is about privacy. *)

From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Definition sum {A : Type} (f : A -> R) (items : list A) : R :=
  fold_right (fun item rest => f item + rest) 0 items.

(** The codes of [n] outputs: 0, 1, ..., n - 1. *)
Definition codes (n : nat) : list nat := seq 0 n.

Section Sums.
  Context {A : Type}.
  Implicit Types (f g : A -> R) (items : list A).

  Lemma sum_ext f g items : (forall item, In item items -> f item = g item) -> sum f items = sum g items.
  Proof.
    induction items as [|item items IH]; simpl; intros same; auto.
    rewrite (same item), IH; auto.
  Qed.

  Lemma sum_le f g items : (forall item, In item items -> f item <= g item) -> sum f items <= sum g items.
  Proof.
    induction items as [|item items IH]; simpl; intros below; [lra|].
    apply Rplus_le_compat; auto.
  Qed.

  Lemma sum_zero items : sum (fun _ => 0) items = 0.
  Proof. induction items; simpl; lra. Qed.

  Lemma sum_nonneg f items : (forall item, In item items -> 0 <= f item) -> 0 <= sum f items.
  Proof. intros nonneg. rewrite <- (sum_zero items). now apply sum_le. Qed.

  Lemma sum_plus f g items : sum (fun item => f item + g item) items = sum f items + sum g items.
  Proof. induction items; simpl; lra. Qed.

  Lemma sum_scale c f items : sum (fun item => c * f item) items = c * sum f items.
  Proof. induction items; simpl; lra. Qed.

  Lemma sum_scale_right c f items : sum (fun item => f item * c) items = sum f items * c.
  Proof. induction items; simpl; lra. Qed.

  Lemma sum_minus f g items : sum (fun item => f item - g item) items = sum f items - sum g items.
  Proof. induction items; simpl; lra. Qed.
End Sums.

Lemma sum_swap {A B : Type} (f : A -> B -> R) (items : list A) (others : list B) :
  sum (fun item => sum (f item) others) items = sum (fun other => sum (fun item => f item other) items) others.
Proof.
  induction items as [|item items IH]; simpl.
  - now rewrite sum_zero.
  - now rewrite IH, <- sum_plus.
Qed.

Lemma sum_map {A B : Type} (f : B -> R) (g : A -> B) (items : list A) :
  sum f (map g items) = sum (fun item => f (g item)) items.
Proof. induction items; simpl; congruence. Qed.

Lemma sum_app {A : Type} (f : A -> R) (before after : list A) : sum f (before ++ after) = sum f before + sum f after.
Proof. induction before; simpl; lra. Qed.

(** A term of a sum of terms that are at least 0 is at most the sum. *)
Lemma sum_member {A : Type} (f : A -> R) (items : list A) (item : A) :
  (forall other, In other items -> 0 <= f other) -> In item items -> f item <= sum f items.
Proof.
  induction items as [|first items IH]; simpl; [tauto|].
  intros nonneg [<-|inside].
  - pose proof (sum_nonneg f items (fun other here => nonneg other (or_intror here))). lra.
  - pose proof (nonneg first (or_introl eq_refl)). pose proof (IH (fun other here => nonneg other (or_intror here)) inside). lra.
Qed.

(** A list that is not empty has an item at which a function is largest. *)
Lemma largest_item {A : Type} (f : A -> R) (items : list A) :
  items <> [] -> exists item, In item items /\ forall other, In other items -> f other <= f item.
Proof.
  induction items as [|first items IH]; [congruence|]. intros _.
  destruct items as [|second items].
  - exists first. simpl. split; [auto|]. intros other [<-|[]]. lra.
  - destruct IH as (item & inside & largest); [congruence|].
    destruct (Rle_dec (f first) (f item)) as [below|above].
    + exists item. split; [now right|]. intros other [<-|here]; auto.
    + exists first. split; [now left|]. intros other [<-|here]; [lra|]. specialize (largest other here). lra.
Qed.

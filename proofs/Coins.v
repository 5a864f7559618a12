(** Coins: integer thresholds on random words of 64 bits, and the channels that are drawn with one coin. *)

From Coq Require Import Reals Lra Lia List Bool ZArith QArith Qreals.
From Sordino Require Import Sums Channels Definitions Exponential.
Import ListNotations.
Open Scope R_scope.

(** A coin shows heads if a uniform word is below its threshold T: its odds are T : 2^64 - T. *)
Definition word : Z := (2 ^ 64)%Z.

(** * The inequality of a coin *)

(** "Two outputs whose weights stand as a T : b (2^64 - T) differ by at most epsilon" (src/sordino/exact/coin.py) if and only
    if this holds. *)
Definition coin_keeps (epsilon : R) (a b T : Z) : Prop := IZR (a * T) <= exp epsilon * IZR (b * (word - T)).

(** What is calculated: the inequality, with a fraction below e^epsilon. *)
Definition accepts_coin (epsilon : nats) (a b T : Z) : bool :=
  Qle_bool (inject_Z (a * T)) (factor_below epsilon * inject_Z (b * (word - T))).

Lemma Q2R_inject (z : Z) : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z; simpl. now rewrite Rinv_1, Rmult_1_r. Qed.

Theorem accepted_coin_keeps (epsilon : nats) (a b T : Z) :
  (0 <= b)%Z -> (T <= word)%Z -> accepts_coin epsilon a b T = true -> coin_keeps (value epsilon) a b T.
Proof.
  intros some small accepted. apply Qle_bool_iff, Qle_Rle in accepted.
  rewrite Q2R_mult, !Q2R_inject in accepted. unfold coin_keeps. eapply Rle_trans; [exact accepted|].
  apply Rmult_le_compat_r; [|apply factor_is_below]. apply IZR_le. nia.
Qed.

(** A larger threshold is refused where the next one breaks the inequality: so a threshold is shown to be the largest. *)
Theorem next_threshold_refuses_larger (epsilon : R) (a b T T' : Z) :
  (0 <= a)%Z -> (0 <= b)%Z -> (T < T')%Z -> ~ coin_keeps epsilon a b (T + 1) -> ~ coin_keeps epsilon a b T'.
Proof.
  unfold coin_keeps. intros apos bpos larger broken kept. apply broken.
  apply Rle_trans with (IZR (a * T')); [apply IZR_le; nia|]. eapply Rle_trans; [exact kept|].
  apply Rmult_le_compat_l; [left; apply exp_pos|]. apply IZR_le. nia.
Qed.

(** * Channels with one coin *)

(** Randomized response, subset selection, projective, cyclic and Hadamard response and windows: each value has a set of
    [on] codes, and [off] codes are not in it. The coin says whether the code is drawn from the set or from the others, and it is
    uniform there. As integers over [word * on * off]: *)
Definition one_coin_weight {X : Type} (contains : X -> nat -> bool) (on off T : Z) (x : X) (y : nat) : Z :=
  if contains x y then (off * T)%Z else (on * (word - T))%Z.

Section OneCoin.
  Context {X : Type} (contains : X -> nat -> bool) (on off T : Z) (all : nat).
  Hypothesis some_on : (0 < on)%Z.
  Hypothesis some_off : (0 < off)%Z.
  Hypothesis is_threshold : (0 <= T <= word)%Z.
  Hypothesis sizes : forall x, Z.of_nat (length (filter (contains x) (codes all))) = on.
  Hypothesis rest : Z.of_nat all = (on + off)%Z.

  Lemma one_coin_total x : fold_right Z.add 0%Z (map (one_coin_weight contains on off T x) (codes all)) = (word * on * off)%Z.
  Proof.
    assert (counted : forall items, fold_right Z.add 0%Z (map (one_coin_weight contains on off T x) items)
      = (Z.of_nat (length (filter (contains x) items)) * (off * T)
         + (Z.of_nat (length items) - Z.of_nat (length (filter (contains x) items))) * (on * (word - T)))%Z).
    { intros items. induction items as [|y items IH]; [simpl; lia|].
      cbn [map fold_right filter length]. rewrite IH. unfold one_coin_weight at 1.
      destruct (contains x y); cbn [length]; rewrite ?Nat2Z.inj_succ; lia. }
    rewrite counted, sizes. unfold codes. rewrite seq_length, rest. ring.
  Qed.

  Definition one_coin : channel X.
  Proof.
    refine (Channel X all (one_coin_weight contains on off T) (word * on * off) _ _ one_coin_total).
    - unfold word. lia.
    - intros x y. unfold one_coin_weight. destruct (contains x y); nia.
  Defined.

  (** Two inequalities are all that such a channel has to keep, whatever its sets are and however many values it has: the
      coin's, and its mirror image (which says that the coin does not favour the codes outside the set instead). *)
  Theorem one_coin_keeps_ldp (epsilon : R) :
    0 <= epsilon -> coin_keeps epsilon off on T -> IZR (on * (word - T)) <= exp epsilon * IZR (off * T) ->
    satisfies (ldp epsilon) (of_channel one_coin).
  Proof.
    intros nonneg heads tails. apply channel_satisfies_iff_integers. intros y _. apply within_pairwise.
    intros x x' e bound. injection bound as <-. simpl. unfold one_coin_weight. unfold coin_keeps in heads.
    assert (grows : 1 <= exp epsilon) by (pose proof (exp_ineq1_le epsilon); lra).
    assert (0 <= IZR (off * T)) by (apply IZR_le; nia). assert (0 <= IZR (on * (word - T))) by (apply IZR_le; nia).
    destruct (contains x y), (contains x' y); nra.
  Qed.
End OneCoin.

(** * Randomized response *)

(** The set of a value is the value itself: a program decides for any number of values, by two comparisons (Subsets.v). *)
Definition accepts_randomized (epsilon : nats) (k : nat) (T : Z) : bool :=
  Nat.leb 2 k && Z.leb 0 T && Z.leb T word && Qle_bool 0 (rational epsilon) && Qle_bool 1 (ratio epsilon) &&
  accepts_coin epsilon (Z.of_nat k - 1) 1 T &&
  Qle_bool (inject_Z (word - T)) (factor_below epsilon * inject_Z ((Z.of_nat k - 1) * T)).

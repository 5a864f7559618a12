(** Rational bounds on e^r, by which integers are compared with bounds in nats.

    An amount of loss is r + ln q with r and q rational, q > 0. Nothing is rounded but e^r, and that in the safe direction. *)

From Coq Require Import Reals Lra Lia QArith Qreals ZArith.
Open Scope R_scope.

(** * The series *)

(** The first terms of the series of e^x, and what is left of it. *)
Definition terms (x : R) (n : nat) : R := sum_f_R0 (fun i => / INR (fact i) * x ^ i) n.

Lemma terms_converge (x : R) : Un_cv (terms x) (exp x).
Proof. unfold exp. destruct (exist_exp x) as [limit series]. exact series. Qed.

Lemma term_nonneg (x : R) (i : nat) : 0 <= x -> 0 <= / INR (fact i) * x ^ i.
Proof.
  intros nonneg. apply Rmult_le_pos; [|now apply pow_le]. left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Theorem terms_are_below (x : R) (n : nat) : 0 <= x -> terms x n <= exp x.
Proof. intros nonneg. apply sum_incr; [apply terms_converge|]. intros i. now apply term_nonneg. Qed.

(** The remainder is at most the first term that is left out, times e^x. *)
Definition next_term (x : R) (n : nat) : R := / INR (fact (S n)) * x ^ S n.

Lemma factorials (n m : nat) : INR (fact (S n)) * INR (fact m) <= INR (fact (S n + m)).
Proof.
  rewrite <- mult_INR. apply le_INR. induction m as [|m IH].
  - rewrite Nat.add_0_r. simpl (fact 0). lia.
  - rewrite Nat.add_succ_r. change (fact (S m)) with (S m * fact m)%nat.
    change (fact (S (S n + m))) with (S (S n + m) * fact (S n + m))%nat. nia.
Qed.

Lemma remainder_of_terms (x : R) (n m : nat) : 0 <= x -> terms x (S n + m) <= terms x n + next_term x n * terms x m.
Proof.
  intros nonneg.
  assert (one : forall j, / INR (fact (S n + j)) * x ^ (S n + j) <= next_term x n * (/ INR (fact j) * x ^ j)).
  { intros j. unfold next_term. rewrite pow_add.
    replace (/ INR (fact (S n)) * x ^ S n * (/ INR (fact j) * x ^ j))
      with (/ (INR (fact (S n)) * INR (fact j)) * (x ^ S n * x ^ j))
      by (rewrite Rinv_mult; ring).
    apply Rmult_le_compat_r.
    - apply Rmult_le_pos; now apply pow_le.
    - apply Rinv_le_contravar; [|apply factorials]. apply Rmult_lt_0_compat; apply INR_fact_lt_0. }
  induction m as [|m IH].
  - rewrite Nat.add_0_r. unfold terms at 1. rewrite tech5. fold (terms x n). specialize (one 0%nat).
    rewrite Nat.add_0_r in one. replace (terms x 0) with (/ INR (fact 0) * x ^ 0) by reflexivity. lra.
  - rewrite Nat.add_succ_r. unfold terms at 1. rewrite tech5. fold (terms x (S n + m)). specialize (one (S m)).
    rewrite Nat.add_succ_r in one.
    replace (terms x (S m)) with (terms x m + / INR (fact (S m)) * x ^ S m) by (unfold terms; now rewrite tech5). lra.
Qed.

Theorem terms_are_near (x : R) (n : nat) : 0 <= x -> exp x <= terms x n + next_term x n * exp x.
Proof.
  intros nonneg.
  apply (@Rle_cv_lim (fun m => terms x (S n + m)) (fun _ => terms x n + next_term x n * exp x)).
  - intros m. eapply Rle_trans; [now apply remainder_of_terms|]. apply Rplus_le_compat_l.
    apply Rmult_le_compat_l; [now apply term_nonneg|now apply terms_are_below].
  - intros e positive. destruct (terms_converge x e positive) as [N near]. exists N. intros m large. apply near. lia.
  - intros e positive. exists 0%nat. intros m _. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact positive.
Qed.

(** * In whole numbers *)

(** Numbers are written as whole numbers over this one, so that they stay short. *)
Definition scale : Z := (2 ^ 256)%Z.

(** Bounds from below and from above: of the last term of the series of e^(p/q), and of the sum of all terms so far. *)
Record enclosure : Type := Enclosure { low_term : Z; low_total : Z; high_term : Z; high_total : Z }.

(** [n] terms more, from term number [i] on: each is the one before it, times p / (q i), rounded down and up. *)
Fixpoint add_terms (p q : Z) (n : nat) (i : Z) (e : enclosure) : enclosure :=
  match n with
  | O => e
  | S n =>
      let low := (low_term e * p / (q * i))%Z in
      let high := (high_term e * p / (q * i) + 1)%Z in
      add_terms p q n (i + 1) (Enclosure low (low_total e + low) high (high_total e + high))
  end.

Definition series (p q : Z) (n : nat) : enclosure := add_terms p q n 1 (Enclosure scale scale scale scale).

Lemma scale_positive : 0 < IZR scale.
Proof. now apply IZR_lt. Qed.

(* Proofs need no more of it. *)
Local Opaque scale.

Lemma quotient_below (a b : Z) : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros positive. pose proof (IZR_lt _ _ positive). apply Rmult_le_reg_r with (IZR b); [assumption|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra. apply IZR_le.
  rewrite Z.mul_comm. now apply Z.mul_div_le.
Qed.

Lemma quotient_above (a b : Z) : (0 < b)%Z -> IZR a / IZR b <= IZR (a / b + 1).
Proof.
  intros positive. pose proof (IZR_lt _ _ positive). apply Rmult_le_reg_r with (IZR b); [assumption|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra. apply IZR_le.
  pose proof (Z.mul_succ_div_gt a b positive). lia.
Qed.

(** What an enclosure has to say after term number [i], of x = p / q. *)
Definition encloses (x : R) (i : nat) (e : enclosure) : Prop :=
  0 <= IZR (low_term e) <= IZR scale * (/ INR (fact i) * x ^ i) /\
  IZR scale * (/ INR (fact i) * x ^ i) <= IZR (high_term e) /\
  IZR scale <= IZR (low_total e) <= IZR scale * terms x i /\ IZR scale * terms x i <= IZR (high_total e).

Lemma next_term_by_ratio (x : R) (i : nat) :
  / INR (fact (S i)) * x ^ S i = (/ INR (fact i) * x ^ i) * x / INR (S i).
Proof.
  change (fact (S i)) with (S i * fact i)%nat. rewrite mult_INR. simpl pow. field.
  split; [apply INR_fact_neq_0|now apply not_0_INR].
Qed.

Lemma add_terms_correct (p q : Z) (n : nat) : (0 <= p)%Z -> (0 < q)%Z -> forall i e,
  encloses (IZR p / IZR q) i e -> encloses (IZR p / IZR q) (i + n) (add_terms p q n (Z.of_nat (S i)) e).
Proof.
  intros nonneg positive. induction n as [|n IH]; intros i e before.
  - now rewrite Nat.add_0_r.
  - cbn [add_terms]. rewrite Nat.add_succ_r. replace (Z.of_nat (S i) + 1)%Z with (Z.of_nat (S (S i))) by lia.
    apply (IH (S i)). set (x := IZR p / IZR q) in *.
    destruct before as (low & high & low_sum & high_sum).
    apply IZR_le in nonneg. pose proof (IZR_lt _ _ positive) as positive_q. pose proof (lt_0_INR (S i) (Nat.lt_0_succ i)) as counted.
    assert (divisor : (0 < q * Z.of_nat (S i))%Z) by lia.
    assert (exact : forall t : Z, IZR (t * p) / IZR (q * Z.of_nat (S i)) = IZR t * x / INR (S i)).
    { intros t. rewrite !mult_IZR, <- INR_IZR_INZ. unfold x. field. split; lra. }
    assert (x_nonneg : 0 <= x) by (unfold x; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
    assert (grows : forall a b : R, a <= b -> a * x / INR (S i) <= b * x / INR (S i)).
    { intros a b less. unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. now apply Rmult_le_compat_r. }
    pose proof (quotient_below (low_term e * p) _ divisor) as below. rewrite exact in below.
    pose proof (quotient_above (high_term e * p) _ divisor) as above. rewrite exact in above.
    assert (term : IZR scale * (/ INR (fact (S i)) * x ^ S i) = IZR scale * (/ INR (fact i) * x ^ i) * x / INR (S i)).
    { rewrite next_term_by_ratio. unfold Rdiv. ring. }
    assert (low_nonneg : 0 <= IZR (low_term e * p / (q * Z.of_nat (S i)))).
    { apply IZR_le. apply Z.div_pos; [|assumption]. apply Z.mul_nonneg_nonneg; apply le_IZR; lra. }
    assert (low_next : IZR (low_term e * p / (q * Z.of_nat (S i))) <= IZR scale * (/ INR (fact (S i)) * x ^ S i)).
    { rewrite term. eapply Rle_trans; [exact below|]. now apply grows. }
    assert (high_next : IZR scale * (/ INR (fact (S i)) * x ^ S i) <= IZR (high_term e * p / (q * Z.of_nat (S i)) + 1)).
    { rewrite term. eapply Rle_trans; [|exact above]. now apply grows. }
    assert (sum : terms x (S i) = terms x i + / INR (fact (S i)) * x ^ S i) by (unfold terms; now rewrite tech5).
    unfold encloses. cbn [low_term low_total high_term high_total]. rewrite sum, (plus_IZR (low_total e)), (plus_IZR (high_total e)).
    repeat split; lra.
Qed.

Lemma series_correct (p q : Z) (n : nat) : (0 <= p)%Z -> (0 < q)%Z -> encloses (IZR p / IZR q) n (series p q n).
Proof.
  intros nonneg positive. apply (add_terms_correct p q n nonneg positive 0). unfold encloses, terms. simpl.
  pose proof scale_positive. lra.
Qed.

(** A rational number below e^r, for any r. The terms are [n], and one more where r is negative. *)
Definition exp_below (r : Q) (n : nat) : Q :=
  let q := Zpos (Qden r) in
  if Z.leb 0 (Qnum r) then low_total (series (Qnum r) q n) # Z.to_pos scale
  else let before := series (- Qnum r) q n in let after := series (- Qnum r) q (S n) in
       (scale - high_term after) # Z.to_pos (high_total before).

(** A rational number above e^r, if term n + 1 of the series is below 1; else there is none. *)
Definition exp_above (r : Q) (n : nat) : option Q :=
  let q := Zpos (Qden r) in
  if Z.leb 0 (Qnum r)
  then let before := series (Qnum r) q n in let after := series (Qnum r) q (S n) in
       if Z.leb scale (high_term after) then None
       else Some (high_total before # Z.to_pos (scale - high_term after))
  else Some (scale # Z.to_pos (low_total (series (- Qnum r) q n))).

Lemma Q2R_fraction (a b : Z) : (0 < b)%Z -> Q2R (a # Z.to_pos b) = IZR a / IZR b.
Proof. intros positive. unfold Q2R. cbn [Qnum Qden]. now rewrite Z2Pos.id. Qed.

Lemma fraction_below (a b : Z) (x : R) : (0 < b)%Z -> IZR a <= x * IZR b -> Q2R (a # Z.to_pos b) <= x.
Proof.
  intros positive below. rewrite Q2R_fraction by assumption. pose proof (IZR_lt _ _ positive).
  apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma fraction_above (a b : Z) (x : R) : (0 < b)%Z -> x * IZR b <= IZR a -> x <= Q2R (a # Z.to_pos b).
Proof.
  intros positive above. rewrite Q2R_fraction by assumption. pose proof (IZR_lt _ _ positive).
  apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma inverse_exp (x : R) : exp (- x) * exp x = 1.
Proof. rewrite <- exp_plus. replace (- x + x) with 0 by ring. apply exp_0. Qed.

Lemma negative_value (r : Q) : (Qnum r < 0)%Z -> Q2R r = - (IZR (- Qnum r) / IZR (Zpos (Qden r))).
Proof. intros _. unfold Q2R. rewrite opp_IZR. unfold Rdiv. ring. Qed.

Theorem exp_below_is_below (r : Q) (n : nat) : Q2R (exp_below r n) <= exp (Q2R r).
Proof.
  unfold exp_below. pose proof scale_positive as positive. destruct (Z.leb_spec 0 (Qnum r)) as [nonneg|negative].
  - destruct (series_correct (Qnum r) (Zpos (Qden r)) n nonneg eq_refl) as (_ & _ & [_ low] & _).
    fold (Q2R r) in low. apply fraction_below; [now apply lt_IZR|].
    change (IZR (Qnum r) / IZR (Zpos (Qden r))) with (Q2R r) in low.
    assert (x_nonneg : 0 <= Q2R r) by (apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat, IZR_lt]).
    pose proof (terms_are_below (Q2R r) n x_nonneg). nra.
  - rewrite (negative_value r negative). set (x := IZR (- Qnum r) / IZR (Zpos (Qden r))).
    assert (flip : (0 <= - Qnum r)%Z) by lia.
    assert (x_nonneg : 0 <= x) by (apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat, IZR_lt]).
    destruct (series_correct (- Qnum r) (Zpos (Qden r)) n flip eq_refl) as (_ & _ & _ & total).
    destruct (series_correct (- Qnum r) (Zpos (Qden r)) (S n) flip eq_refl) as (_ & next & _).
    fold x in total, next. fold (next_term x n) in next.
    set (high := high_total (series (- Qnum r) (Zpos (Qden r)) n)) in *.
    set (term := high_term (series (- Qnum r) (Zpos (Qden r)) (S n))) in *.
    pose proof (terms_are_near x n x_nonneg) as near. pose proof (inverse_exp x) as inverse.
    pose proof (exp_pos x). pose proof (exp_pos (- x)). assert (1 <= terms x n).
    { clear - x_nonneg. induction n as [|n IH]; unfold terms; [simpl; lra|]. rewrite tech5. fold (terms x n).
      pose proof (term_nonneg x (S n) x_nonneg). lra. }
    apply fraction_below; [apply lt_IZR; nra|]. rewrite minus_IZR.
    assert (reduced : 1 - next_term x n <= exp (- x) * terms x n).
    { apply Rmult_le_reg_r with (exp x); [assumption|]. replace (exp (- x) * terms x n * exp x) with (terms x n * (exp (- x) * exp x)) by ring.
      rewrite inverse. lra. }
    apply Rle_trans with (IZR scale * (1 - next_term x n)); [lra|].
    apply Rle_trans with (exp (- x) * (IZR scale * terms x n)); [|now apply Rmult_le_compat_l; [lra|]].
    replace (exp (- x) * (IZR scale * terms x n)) with (IZR scale * (exp (- x) * terms x n)) by ring.
    apply Rmult_le_compat_l; lra.
Qed.

Theorem exp_above_is_above (r above : Q) (n : nat) : exp_above r n = Some above -> exp (Q2R r) <= Q2R above.
Proof.
  unfold exp_above. pose proof scale_positive as positive. destruct (Z.leb_spec 0 (Qnum r)) as [nonneg|negative].
  - destruct (series_correct (Qnum r) (Zpos (Qden r)) n nonneg eq_refl) as (_ & _ & _ & total).
    destruct (series_correct (Qnum r) (Zpos (Qden r)) (S n) nonneg eq_refl) as (_ & next & _).
    change (IZR (Qnum r) / IZR (Zpos (Qden r))) with (Q2R r) in *. fold (next_term (Q2R r) n) in next.
    assert (x_nonneg : 0 <= Q2R r) by (apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat, IZR_lt]).
    set (high := high_total (series (Qnum r) (Zpos (Qden r)) n)) in *.
    set (term := high_term (series (Qnum r) (Zpos (Qden r)) (S n))) in *.
    destruct (Z.leb_spec scale term) as [large|small]; [discriminate|]. intros found. injection found as <-.
    pose proof (terms_are_near (Q2R r) n x_nonneg). pose proof (exp_pos (Q2R r)).
    apply fraction_above; [lia|]. rewrite minus_IZR.
    apply Rle_trans with (exp (Q2R r) * (IZR scale * (1 - next_term (Q2R r) n))); [apply Rmult_le_compat_l; lra|].
    apply Rle_trans with (IZR scale * terms (Q2R r) n); [|assumption]. nra.
  - intros found. injection found as <-. rewrite (negative_value r negative). set (x := IZR (- Qnum r) / IZR (Zpos (Qden r))).
    assert (flip : (0 <= - Qnum r)%Z) by lia.
    assert (x_nonneg : 0 <= x) by (apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat, IZR_lt]).
    destruct (series_correct (- Qnum r) (Zpos (Qden r)) n flip eq_refl) as (_ & _ & [least total] & _). fold x in total.
    set (low := low_total (series (- Qnum r) (Zpos (Qden r)) n)) in *.
    pose proof (terms_are_below x n x_nonneg). pose proof (inverse_exp x). pose proof (exp_pos x). pose proof (exp_pos (- x)).
    apply fraction_above; [apply lt_IZR; lra|].
    apply Rle_trans with (exp (- x) * (IZR scale * exp x)); [|nra].
    apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [exact total|]. apply Rmult_le_compat_l; lra.
Qed.

(** * Amounts of loss *)

(** r + ln q. *)
Record nats : Type := Nats { rational : Q; ratio : Q }.

Definition value (amount : nats) : R := Q2R (rational amount) + ln (Q2R (ratio amount)).

(** Terms of the series: enough for about 60 digits for r up to 100; fewer would be safe as well, and refuse more. *)
Definition series_terms (r : Q) : nat := (80 + 4 * Z.to_nat (Z.abs (Qnum r) / Zpos (Qden r)))%nat.

(** A rational number below e^amount: by it, what an amount allows is decided in whole numbers. *)
Definition factor_below (amount : nats) : Q :=
  if Z.leb (Qnum (ratio amount)) 0 then 0 else ratio amount * exp_below (rational amount) (series_terms (rational amount)).

Theorem factor_is_below (amount : nats) : Q2R (factor_below amount) <= exp (value amount).
Proof.
  unfold factor_below, value. destruct (Z.leb_spec (Qnum (ratio amount)) 0) as [none|some].
  - replace (Q2R 0) with 0 by (unfold Q2R; simpl; ring). left. apply exp_pos.
  - assert (positive : 0 < Q2R (ratio amount)).
    { apply Rmult_lt_0_compat; [now apply IZR_lt|]. now apply Rinv_0_lt_compat, IZR_lt. }
    rewrite Q2R_mult, exp_plus, exp_ln by assumption. rewrite Rmult_comm.
    apply Rmult_le_compat_r; [lra|]. apply exp_below_is_below.
Qed.

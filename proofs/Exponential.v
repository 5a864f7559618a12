(** Rational bounds on e^r, by which integers are compared with bounds in nats.

    An amount of loss is r + ln q with r and q rational, q > 0. Nothing is rounded but e^r, and that in the safe direction. *)

From Coq Require Import Reals Lra Lia QArith Qreals Qround ZArith.
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

(** * In rational numbers *)

(** The sum of [n] terms from the term [t] of number [i] on, and the term after them. *)
Fixpoint add_terms (r : Q) (n i : nat) (t total : Q) : Q * Q :=
  match n with
  | O => (total, t)
  | S n => add_terms r n (S i) (Qred (t * r / inject_Z (Z.of_nat (S i)))) (Qred (total + t))
  end.

Definition rational_term (r : Q) (i : nat) (t : Q) : Prop := Q2R t = / INR (fact i) * Q2R r ^ i.

Lemma next_rational_term (r : Q) (i : nat) (t : Q) :
  rational_term r i t -> rational_term r (S i) (Qred (t * r / inject_Z (Z.of_nat (S i)))).
Proof.
  unfold rational_term. intros this. rewrite (Qeq_eqR _ _ (Qred_correct _)).
  assert (nonzero : ~ (inject_Z (Z.of_nat (S i)) == 0)%Q) by (intros zero; unfold Qeq in zero; simpl in zero; lia).
  rewrite Q2R_div, Q2R_mult, this by exact nonzero.
  replace (Q2R (inject_Z (Z.of_nat (S i)))) with (INR (S i)).
  2: { unfold Q2R, inject_Z. cbn [Qnum Qden]. now rewrite Rinv_1, Rmult_1_r, INR_IZR_INZ. }
  change (fact (S i)) with (S i * fact i)%nat. rewrite mult_INR. simpl pow. field.
  split; [apply INR_fact_neq_0|now apply not_0_INR].
Qed.

Lemma add_terms_correct (r : Q) (n : nat) : forall i t total,
  rational_term r (S i) t -> Q2R total = terms (Q2R r) i ->
  let (result, next) := add_terms r n (S i) t total in
  Q2R result = terms (Q2R r) (i + n) /\ rational_term r (S (i + n)) next.
Proof.
  induction n as [|n IH]; intros i t total this before.
  - simpl. now rewrite Nat.add_0_r.
  - cbn [add_terms]. rewrite Nat.add_succ_r. apply (IH (S i)).
    + now apply next_rational_term.
    + rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, before, this. unfold terms. now rewrite tech5.
Qed.

(** The terms 0 to [n] of e^r, and term n + 1. *)
Definition series (r : Q) (n : nat) : Q * Q := add_terms r n 1 r 1.

Lemma series_correct (r : Q) (n : nat) :
  Q2R (fst (series r n)) = terms (Q2R r) n /\ Q2R (snd (series r n)) = next_term (Q2R r) n.
Proof.
  unfold series. pose proof (add_terms_correct r n 0 r 1) as correct. destruct (add_terms r n 1 r 1) as [result next].
  apply correct.
  - unfold rational_term. simpl. lra.
  - unfold terms. simpl. unfold Q2R. simpl. lra.
Qed.

(** A rational number below e^r, for any r; with more terms it is closer. *)
Definition exp_below (r : Q) (n : nat) : Q :=
  if Qle_bool 0 r then fst (series r n)
  else let (total, next) := series (- r) n in (1 - next) / total.

(** A rational number above e^r, if term n + 1 is below 1; else there is none. *)
Definition exp_above (r : Q) (n : nat) : option Q :=
  let r' := if Qle_bool 0 r then r else (- r)%Q in
  let (total, next) := series r' n in
  if Qle_bool 1 next then None else Some (if Qle_bool 0 r then total / (1 - next) else 1 / total)%Q.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.

Lemma terms_at_least_1 (x : R) (n : nat) : 0 <= x -> 1 <= terms x n.
Proof.
  intros nonneg. induction n as [|n IH]; unfold terms; [simpl; lra|]. rewrite tech5. fold (terms x n).
  pose proof (term_nonneg x (S n) nonneg). lra.
Qed.

Theorem exp_below_is_below (r : Q) (n : nat) : Q2R (exp_below r n) <= exp (Q2R r).
Proof.
  unfold exp_below. destruct (Qle_bool 0 r) eqn:sign.
  - apply Qle_bool_iff, Qle_Rle in sign. rewrite Q2R_0 in sign. destruct (series_correct r n) as [-> _].
    now apply terms_are_below.
  - assert (negative : Q2R r < 0).
    { rewrite <- Q2R_0. apply Qlt_Rlt. apply Qnot_le_lt. intros nonneg. apply Qle_bool_iff in nonneg. congruence. }
    destruct (series_correct (- r) n) as [total_is next_is]. destruct (series (- r) n) as [total next]. simpl in *.
    rewrite Q2R_opp in *. set (s := - Q2R r) in *. assert (nonneg : 0 <= s) by (unfold s; lra).
    pose proof (terms_at_least_1 s n nonneg) as large. pose proof (terms_are_near s n nonneg) as near.
    assert (nonzero : ~ (total == 0)%Q) by (intros zero; apply Qeq_eqR in zero; rewrite Q2R_0 in zero; lra).
    rewrite Q2R_div, Q2R_minus, Q2R_1, total_is, next_is by exact nonzero.
    replace (Q2R r) with (- s) by (unfold s; ring). rewrite exp_Ropp.
    pose proof (exp_pos s) as positive. apply Rmult_le_reg_r with (terms s n * exp s).
    + apply Rmult_lt_0_compat; lra.
    + unfold Rdiv. replace ((1 - next_term s n) * / terms s n * (terms s n * exp s)) with ((1 - next_term s n) * exp s)
        by (field; lra). replace (/ exp s * (terms s n * exp s)) with (terms s n) by (field; lra). lra.
Qed.

Theorem exp_above_is_above (r high : Q) (n : nat) : exp_above r n = Some high -> exp (Q2R r) <= Q2R high.
Proof.
  unfold exp_above. destruct (Qle_bool 0 r) eqn:sign.
  - apply Qle_bool_iff, Qle_Rle in sign. rewrite Q2R_0 in sign.
    destruct (series_correct r n) as [total_is next_is]. destruct (series r n) as [total next]. simpl in *.
    destruct (Qle_bool 1 next) eqn:small; [discriminate|]. intros found. injection found as <-.
    assert (below : Q2R next < 1).
    { rewrite <- Q2R_1. apply Qlt_Rlt. apply Qnot_le_lt. intros large. apply Qle_bool_iff in large. congruence. }
    assert (nonzero : ~ (1 - next == 0)%Q).
    { intros zero. apply Qeq_eqR in zero. rewrite Q2R_minus, Q2R_1, Q2R_0 in zero. lra. }
    rewrite Q2R_div, Q2R_minus, Q2R_1, total_is, next_is by exact nonzero. rewrite next_is in below.
    pose proof (terms_are_near (Q2R r) n sign) as near.
    apply Rmult_le_reg_r with (1 - next_term (Q2R r) n); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - assert (negative : Q2R r < 0).
    { rewrite <- Q2R_0. apply Qlt_Rlt. apply Qnot_le_lt. intros nonneg. apply Qle_bool_iff in nonneg. congruence. }
    destruct (series_correct (- r) n) as [total_is next_is]. destruct (series (- r) n) as [total next]. simpl in *.
    destruct (Qle_bool 1 next); [discriminate|]. intros found. injection found as <-.
    rewrite Q2R_opp in *. set (s := - Q2R r) in *. assert (nonneg : 0 <= s) by (unfold s; lra).
    pose proof (terms_at_least_1 s n nonneg) as large. pose proof (terms_are_below s n nonneg) as near.
    assert (nonzero : ~ (total == 0)%Q) by (intros zero; apply Qeq_eqR in zero; rewrite Q2R_0 in zero; lra).
    rewrite Q2R_div, Q2R_1, total_is by exact nonzero.
    replace (Q2R r) with (- s) by (unfold s; ring). rewrite exp_Ropp. unfold Rdiv. rewrite Rmult_1_l.
    apply Rinv_le_contravar; lra.
Qed.

(** * Amounts of loss *)

(** r + ln q. *)
Record nats : Type := Nats { rational : Q; ratio : Q }.

Definition is_nats (amount : nats) : Prop := (0 < ratio amount)%Q.
Definition value (amount : nats) : R := Q2R (rational amount) + ln (Q2R (ratio amount)).

(** A fraction of 2^256 that is not above a number: keeps what is compared short. *)
Definition round_down (q : Q) : Q := Qfloor (q * inject_Z (2 ^ 256)) # (2 ^ 256).

Lemma round_down_is_below (q : Q) : (round_down q <= q)%Q.
Proof.
  unfold round_down. pose proof (Qfloor_le (q * inject_Z (2 ^ 256))) as below.
  apply Qmult_lt_0_le_reg_r with (inject_Z (2 ^ 256)); [reflexivity|].
  setoid_replace ((Qfloor (q * inject_Z (2 ^ 256)) # 2 ^ 256) * inject_Z (2 ^ 256))%Q
    with (inject_Z (Qfloor (q * inject_Z (2 ^ 256)))); [exact below|].
  unfold Qeq, Qmult, inject_Z. cbn [Qnum Qden]. rewrite Pos.mul_1_r, Z.mul_1_r. reflexivity.
Qed.

(** A rational number below e^amount: by it, what an amount allows is decided in whole numbers. *)
Definition factor_below (amount : nats) (n : nat) : Q := Qred (ratio amount * round_down (exp_below (rational amount) n)).

Theorem factor_is_below (amount : nats) (n : nat) : is_nats amount -> Q2R (factor_below amount n) <= exp (value amount).
Proof.
  intros positive. unfold factor_below, value. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult, exp_plus.
  apply Qlt_Rlt in positive. rewrite Q2R_0 in positive. rewrite exp_ln by assumption. rewrite Rmult_comm.
  apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply Qle_Rle, round_down_is_below|]. apply exp_below_is_below.
Qed.

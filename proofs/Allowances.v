(** What an answer about others may reveal, where a bound on dependence says how much they say about an attribute: turned round,
    the rule ln(1 + q (e^epsilon - 1)) <= delta of Dependence.v is a bound on epsilon, a rational one. *)

From Coq Require Import Reals Lra QArith Qreals.
From Sordino Require Import Exponential.

(** 1 + (f - 1) / q, for a fraction f below e^delta; delta itself where that makes no sense. *)
Definition allowance (q : Q) (delta : nats) : nats :=
  let factor := (1 + (factor_below delta - 1) / q)%Q in
  if (Qle_bool q 0 || negb (Qle_bool q 1) || negb (Qle_bool 1 (factor_below delta)))%bool then delta else Nats 0 factor.

(** "An answer with loss epsilon about a statistic reveals at most ln(1 + q (e^epsilon - 1)) about the attribute"
    (docs/dependence.md): an answer that keeps the allowance keeps delta, with [Dependence.sampling_rule]. *)
Theorem allowance_keeps_delta (q : Q) (delta : nats) : (0 < Q2R q <= 1)%R -> (0 <= value delta)%R ->
  (1 + Q2R q * (exp (value (allowance q delta)) - 1) <= exp (value delta))%R.
Proof.
  intros [positive small] nonneg.
  assert (grows : (1 <= exp (value delta))%R) by (pose proof (exp_ineq1_le (value delta)); lra).
  unfold allowance. destruct (Qle_bool q 0 || negb (Qle_bool q 1) || negb (Qle_bool 1 (factor_below delta)))%bool eqn:odd.
  - assert (0 <= (1 - Q2R q) * (exp (value delta) - 1))%R by (apply Rmult_le_pos; lra). lra.
  - apply Bool.orb_false_iff in odd as [_ large]. apply Bool.negb_false_iff, Qle_bool_iff, Qle_Rle in large.
    replace (Q2R 1) with 1%R in large by (unfold Q2R; simpl; field).
    set (factor := (1 + (factor_below delta - 1) / q)%Q).
    assert (not_0 : ~ (q == 0)%Q).
    { intros none. apply Qeq_eqR in none. replace (Q2R 0) with 0%R in none by (unfold Q2R; simpl; ring). lra. }
    assert (is_factor : Q2R factor = (1 + (Q2R (factor_below delta) - 1) / Q2R q)%R).
    { unfold factor. rewrite Q2R_plus, Q2R_div, Q2R_minus by assumption.
      replace (Q2R 1) with 1%R by (unfold Q2R; simpl; field). reflexivity. }
    assert (above : (1 <= Q2R factor)%R).
    { rewrite is_factor. assert (0 <= (Q2R (factor_below delta) - 1) / Q2R q)%R; [|lra].
      apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat. }
    unfold value at 1. cbn [rational ratio]. replace (Q2R 0) with 0%R by (unfold Q2R; simpl; ring).
    rewrite Rplus_0_l, exp_ln by lra. rewrite is_factor.
    replace (1 + Q2R q * (1 + (Q2R (factor_below delta) - 1) / Q2R q - 1))%R with (Q2R (factor_below delta)) by (field; lra).
    apply factor_is_below.
Qed.

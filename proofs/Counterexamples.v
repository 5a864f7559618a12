(** What does not hold: small examples, each against a rule that somebody could believe. *)

From Coq Require Import Reals Lra Lia List ZArith Bool.
From Sordino Require Import Sums Channels Definitions OverTime Dependence.
Import ListNotations.
Open Scope R_scope.

(** Three answers of no or yes. *)
Definition bits : Type := bool * bool * bool.
Definition x0 (r : bits) : bool := fst (fst r).
Definition x1 (r : bits) : bool := snd (fst r).
Definition x2 (r : bits) : bool := snd r.

(** Probability that a test passes. *)
Definition probability_of (b : belief bits) (test : bits -> bool) : R := mean b (fun r => if test r then 1 else 0).

Ltac compute_means := unfold probability_of, given, mass, mean, sum, x0, x1, x2, sure; simpl; try lra; try field; try lra.

(** * The xor prior: "pairs of attributes do not bound the rest" (docs/bayesian-coordinate.md) *)

(** "Let x0 = x1 xor x2, with fair bits x1 and x2." *)
Definition xor_prior : belief bits :=
  [(1/4, (false, false, false)); (1/4, (true, false, true)); (1/4, (true, true, false)); (1/4, (false, true, true))].

(** "Any two of the attributes are independent": x0 has the same chance whatever x1 is, and so for the other pairs. *)
Theorem xor_pairs_are_independent (v w : bool) :
  probability_of (given xor_prior (fun r => Bool.eqb (x0 r) v)) (fun r => Bool.eqb (x1 r) w) = 1/2 /\
  probability_of (given xor_prior (fun r => Bool.eqb (x0 r) v)) (fun r => Bool.eqb (x2 r) w) = 1/2 /\
  probability_of (given xor_prior (fun r => Bool.eqb (x1 r) v)) (fun r => Bool.eqb (x2 r) w) = 1/2.
Proof. destruct v, w; repeat split; compute_means. Qed.

(** "One report about x1 xor x2, which never reads x0": code 1 has the odds 3 : 1 where they differ. *)
Definition xor_report (r : bits) : R := if xorb (x1 r) (x2 r) then 3/4 else 1/4.

(** It keeps LDP at ln 3, and "reveals as much about x0 as it reveals at all": no delta below ln 3 is kept. So bounds between
    pairs of attributes, all of which are 0 here, do not bound what an answer about several of them reveals. *)
Theorem xor_report_reveals_all :
  within (ldp (ln 3)) xor_report /\
  mean (given xor_prior x0) xor_report = 3 * mean (given xor_prior (fun r => negb (x0 r))) xor_report /\
  (forall delta, mean (given xor_prior x0) xor_report <= exp delta * mean (given xor_prior (fun r => negb (x0 r))) xor_report ->
    ln 3 <= delta).
Proof.
  assert (yes : mean (given xor_prior x0) xor_report = 3/4) by (unfold xor_report; compute_means).
  assert (no : mean (given xor_prior (fun r => negb (x0 r))) xor_report = 1/4) by (unfold xor_report; compute_means).
  repeat split.
  - apply within_pairwise. intros x x' e bound. injection bound as <-. rewrite exp_ln by lra. unfold xor_report.
    destruct (xorb (x1 x) (x2 x)), (xorb (x1 x') (x2 x')); lra.
  - lra.
  - intros delta. rewrite yes, no. intros kept. rewrite <- (ln_exp delta). destruct (Req_dec 3 (exp delta)) as [->|]; [lra|].
    left. apply ln_increasing; lra.
Qed.

(** * Deltas do not add: "two reports that each reveal nothing can reveal everything" (docs/bayesian-coordinate.md) *)

(** "Take three fair bits." *)
Definition fair : belief bits :=
  [(1/8, (false, false, false)); (1/8, (false, false, true)); (1/8, (false, true, false)); (1/8, (false, true, true));
   (1/8, (true, false, false)); (1/8, (true, false, true)); (1/8, (true, true, false)); (1/8, (true, true, true))].

(** "The mechanism reports (x0 xor x1, x2) or (x1, x0 xor x2), without saying which." *)
Definition two_bits (r : bits) (code : bool * bool) : R :=
  (if Bool.eqb (xorb (x0 r) (x1 r)) (fst code) && Bool.eqb (x2 r) (snd code) then 1/2 else 0) +
  (if Bool.eqb (x1 r) (fst code) && Bool.eqb (xorb (x0 r) (x2 r)) (snd code) then 1/2 else 0).

(** "One report reveals nothing about x0." *)
Theorem one_report_reveals_nothing (code : bool * bool) :
  mean (given fair x0) (fun r => two_bits r code) = mean (given fair (fun r => negb (x0 r))) (fun r => two_bits r code).
Proof. destruct code as [[] []]; unfold two_bits; compute_means. Qed.

(** "Two independent reports can prove it": of these two codes together no record with x0 = 0 is possible. *)
Theorem two_reports_prove_it :
  mean (given fair (fun r => negb (x0 r))) (fun r => two_bits r (false, false) * two_bits r (true, true)) = 0 /\
  0 < mean (given fair x0) (fun r => two_bits r (false, false) * two_bits r (true, true)).
Proof. split; unfold two_bits; compute_means. Qed.

(** * A changed record: losses of versions are not those of one record *)

(** Randomized response with odds 3 : 1, which loses ln 3. *)
Definition response (value code : bool) : R := if Bool.eqb value code then 3/4 else 1/4.

(** Of an unchanged record the answers yes and no cancel; of a record that changed between they lose twice ln 3. *)
Theorem answers_cancel_only_if_unchanged :
  (forall v v', response v true * response v false = response v' true * response v' false) /\
  response true true * response false false = exp (2 * ln 3) * (response false true * response true false).
Proof.
  split.
  - intros [] []; unfold response; simpl; lra.
  - replace (2 * ln 3) with (ln 3 + ln 3) by ring. rewrite exp_plus, exp_ln by lra. unfold response; simpl. lra.
Qed.

(** * The plain coin is wrong for more than two values *)

(** A coin with odds e^epsilon : 1 for the true value, and all others alike otherwise, loses epsilon + ln(k - 1): the odds
    must be divided by k - 1 (Coins.v). *)
Theorem plain_coin_exceeds (k epsilon : R) :
  1 < k -> let heads := exp epsilon / (exp epsilon + 1) in
  heads = exp (epsilon + ln (k - 1)) * ((1 - heads) / (k - 1)).
Proof.
  intros several heads. rewrite exp_plus, exp_ln by lra. unfold heads. pose proof (exp_pos epsilon). field. lra.
Qed.

(** * LDP does not follow from Bayesian coordinate DP *)

(** "Take two fair bits. The output is 1 with probability 1/2, except for the record (0, 1), where it is never 1"
    (docs/bayesian-coordinate.md). *)
Definition fair_pair : belief (bool * bool) :=
  [(1/4, (false, false)); (1/4, (false, true)); (1/4, (true, false)); (1/4, (true, true))].
Definition never_for_one (r : bool * bool) : R := if negb (fst r) && snd r then 0 else 1/2.

(** "A report changes the odds of each single bit by a factor of at most 2", though it proves that the record is another one. *)
Theorem single_bits_keep_ln_2 (v w : bool) :
  mean (given fair_pair (fun r => Bool.eqb (fst r) v)) never_for_one
    <= 2 * mean (given fair_pair (fun r => Bool.eqb (fst r) w)) never_for_one /\
  mean (given fair_pair (fun r => Bool.eqb (snd r) v)) never_for_one
    <= 2 * mean (given fair_pair (fun r => Bool.eqb (snd r) w)) never_for_one.
Proof. destruct v, w; unfold never_for_one, given, mass, mean, sum; simpl; lra. Qed.

Theorem no_ldp_follows (epsilon : R) : ~ within (ldp epsilon) never_for_one.
Proof.
  intros holds. unfold ldp in holds. rewrite within_pairwise in holds.
  specialize (holds (true, true) (false, true) epsilon eq_refl). unfold never_for_one in holds. simpl in holds. lra.
Qed.

(** * Two identical queries need not reveal less than twice as much *)

(** The seven lines of the Fano plane, as sets of points 0 to 6. *)
Definition fano_line (y : nat) : list nat :=
  nth y [[0; 1; 2]; [0; 3; 4]; [0; 5; 6]; [1; 3; 5]; [1; 4; 6]; [2; 3; 6]; [2; 4; 5]]%nat [].

(** A report is a line; one that contains the point is e^epsilon times as likely as one that does not. *)
Definition fano_weight (epsilon : R) (x y : nat) : R := if existsb (Nat.eqb x) (fano_line y) then exp epsilon else 1.

(** Whatever two reports are, some point lies on both lines and another on neither: together they lose 2 epsilon, always. So
    Lemma 6.2 of "Knowledge Gain as Privacy Loss in Local Privacy Accounting" does not hold (docs/errata.md). *)
Theorem identical_queries_may_lose_all (epsilon : R) (y z : nat) :
  (y < 7)%nat -> (z < 7)%nat -> exists x x', (x < 7)%nat /\ (x' < 7)%nat /\
    fano_weight epsilon x y * fano_weight epsilon x z
      = exp (2 * epsilon) * (fano_weight epsilon x' y * fano_weight epsilon x' z).
Proof.
  intros first_short second_short.
  assert (points : exists x x', (x < 7)%nat /\ (x' < 7)%nat /\
    existsb (Nat.eqb x) (fano_line y) = true /\ existsb (Nat.eqb x) (fano_line z) = true /\
    existsb (Nat.eqb x') (fano_line y) = false /\ existsb (Nat.eqb x') (fano_line z) = false).
  { set (fits x x' := existsb (Nat.eqb x) (fano_line y) && existsb (Nat.eqb x) (fano_line z) &&
      negb (existsb (Nat.eqb x') (fano_line y)) && negb (existsb (Nat.eqb x') (fano_line z))).
    assert (found : existsb (fun x => existsb (fits x) (seq 0 7)) (seq 0 7) = true).
    { unfold fits. clear fits.
      do 7 (destruct y as [|y]; [do 7 (destruct z as [|z]; [vm_compute; reflexivity|]); lia|]). lia. }
    apply existsb_exists in found as (x & inside & found). apply existsb_exists in found as (x' & inside' & found).
    apply in_seq in inside, inside'. unfold fits in found. rewrite !andb_true_iff, !negb_true_iff in found.
    exists x, x'. repeat split; try lia; tauto. }
  destruct points as (x & x' & short & short' & on & on' & off & off'). exists x, x'. repeat split; auto.
  unfold fano_weight. rewrite on, on', off, off'. replace (2 * epsilon) with (epsilon + epsilon) by ring. rewrite exp_plus. ring.
Qed.

(** * An accepted sum of epsilons may stay below the budget *)

(** One bit each, with epsilon 0.6, of two bits: any two answers lose 1.2, beyond a budget of 1, so that a filter accepts one
    question and then refuses the other. Lemma 6.1 of the same paper says that accepted epsilons always add up to the budget. *)
Theorem different_bits_lose_the_sum (e : R) (y z : bool) :
  let answer (bit code : bool) := if Bool.eqb bit code then exp e / (exp e + 1) else 1 / (exp e + 1) in
  answer y y * answer z z = exp (2 * e) * (answer (negb y) y * answer (negb z) z).
Proof.
  pose proof (exp_pos e). replace (2 * e) with (e + e) by ring. rewrite exp_plus.
  destruct y, z; simpl; field; lra.
Qed.

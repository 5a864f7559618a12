(** Bounds from a sample: with what confidence they hold.

    A sample is drawn record by record, independently, from the population. Of each value of an attribute it has some records,
    and how often these are read as one thing or another is _seen_. What is true of the population is farther apart than what
    was seen by more than a margin only with a small probability (Hoeffding's inequality, proved here). *)

From Coq Require Import Reals Lra Lia List Arith.
From Sordino Require Import Sums Channels Definitions Dependence.
Import ListNotations.
Open Scope R_scope.

(** * Draws *)

(** The expectation of a number of independent draws, each by a law of its own. *)
Fixpoint expectation {A : Type} (laws : list (belief A)) (f : list A -> R) : R :=
  match laws with [] => f [] | law :: rest => mean law (fun x => expectation rest (fun xs => f (x :: xs))) end.

Definition are_beliefs {A : Type} (laws : list (belief A)) : Prop := forall law, In law laws -> is_belief law.

(** The probability that a number is at least another one, or above it. *)
Definition reaches (t r : R) : R := if Rle_dec t r then 1 else 0.
Definition exceeds (r t : R) : R := if Rlt_dec t r then 1 else 0.

Section Draws.
  Context {A : Type}.
  Implicit Types (laws : list (belief A)) (f g : list A -> R).

  Lemma expectation_ext laws f g : (forall xs, f xs = g xs) -> expectation laws f = expectation laws g.
  Proof. revert f g. induction laws as [|law laws IH]; intros f g equal; simpl; [apply equal|]. apply mean_ext. intros x. apply IH. auto. Qed.

  Lemma expectation_le laws f g : are_beliefs laws -> (forall xs, length xs = length laws -> f xs <= g xs) ->
    expectation laws f <= expectation laws g.
  Proof.
    revert f g. induction laws as [|law laws IH]; intros f g valid below; simpl; [now apply below|].
    apply mean_le; [apply valid; now left|]. intros x. apply IH; [intros other here; apply valid; now right|].
    intros xs size. apply below. simpl. congruence.
  Qed.

  Lemma expectation_scale laws c f : expectation laws (fun xs => c * f xs) = c * expectation laws f.
  Proof.
    revert f. induction laws as [|law laws IH]; intros f; simpl; [reflexivity|].
    rewrite <- mean_scale. apply mean_ext. intros x. apply IH.
  Qed.

  Lemma mean_plus (b : belief A) (f g : A -> R) : mean b (fun x => f x + g x) = mean b f + mean b g.
  Proof. unfold mean. rewrite <- sum_plus. apply sum_ext. intros. ring. Qed.

  Lemma expectation_plus laws f g : expectation laws (fun xs => f xs + g xs) = expectation laws f + expectation laws g.
  Proof.
    revert f g. induction laws as [|law laws IH]; intros f g; simpl; [reflexivity|].
    rewrite <- mean_plus. apply mean_ext. intros x. apply IH.
  Qed.

  Lemma expectation_sum {B : Type} laws (f : B -> list A -> R) (items : list B) :
    expectation laws (fun xs => sum (fun item => f item xs) items) = sum (fun item => expectation laws (f item)) items.
  Proof.
    induction items as [|item items IH]; simpl.
    - rewrite (expectation_ext laws _ (fun _ => 0 * 0)) by (intros; ring). rewrite expectation_scale. ring.
    - now rewrite expectation_plus, IH.
  Qed.

  Lemma expectation_mean {B : Type} laws (b : belief B) (f : B -> list A -> R) :
    expectation laws (fun xs => mean b (fun x => f x xs)) = mean b (fun x => expectation laws (f x)).
  Proof. unfold mean. rewrite expectation_sum. apply sum_ext. intros. apply expectation_scale. Qed.
End Draws.

(** * Hoeffding's inequality *)

(** The exponential function lies below its chords. *)
Lemma exp_below_chord (s u : R) : 0 <= u <= 1 -> exp (s * u) <= 1 - u + u * exp s.
Proof.
  intros range. set (z := s * u).
  assert (zero : exp z * (1 - z) <= 1).
  { pose proof (exp_ineq1_le (- z)) as below. pose proof (exp_pos z).
    replace 1 with (exp z * exp (- z)) at 2 by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    apply Rmult_le_compat_l; lra. }
  assert (one : exp z * (1 + s - z) <= exp s).
  { pose proof (exp_ineq1_le (s - z)) as below. pose proof (exp_pos z).
    replace (exp s) with (exp z * exp (s - z)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; lra. }
  apply Rle_trans with ((1 - u) * (exp z * (1 - z)) + u * (exp z * (1 + s - z))); [|nra].
  right. unfold z. ring.
Qed.

(** Hoeffding's lemma: of something that is 1 with probability [p], and 0 else. *)
Section Lemma_.
  Variable p : R.
  Hypothesis range : 0 <= p <= 1.

  Let total (s : R) : R := 1 - p + p * exp s.
  Let odds (s : R) : R := p * exp s / total s.

  Lemma total_positive s : 0 < total s.
  Proof. unfold total. pose proof (exp_pos s). destruct (Req_dec p 0) as [->|some]; nra. Qed.

  Lemma total_derives s : derivable_pt_lim total s (p * exp s).
  Proof.
    unfold total. replace (p * exp s) with (0 + p * exp s) by ring.
    apply derivable_pt_lim_plus with (f1 := fun _ => 1 - p) (f2 := fun s => p * exp s).
    - apply derivable_pt_lim_const.
    - apply derivable_pt_lim_scal. apply derivable_pt_lim_exp.
  Qed.

  Lemma odds_derives s : derivable_pt_lim odds s (odds s * (1 - odds s)).
  Proof.
    pose proof (total_positive s) as positive.
    replace (odds s * (1 - odds s)) with ((p * exp s * total s - p * exp s * (p * exp s)) / Rsqr (total s))
      by (unfold odds, Rsqr; field; lra).
    apply derivable_pt_lim_div with (f1 := fun s => p * exp s) (f2 := total).
    - apply derivable_pt_lim_scal. apply derivable_pt_lim_exp.
    - apply total_derives.
    - lra.
  Qed.

  Lemma odds_slope s : odds s * (1 - odds s) <= / 4.
  Proof. pose proof (Rle_0_sqr (odds s - / 2)) as square. unfold Rsqr in square. lra. Qed.

  Lemma odds_start : odds 0 = p.
  Proof. unfold odds, total. rewrite exp_0. field. lra. Qed.

  Lemma odds_near s : (0 <= s -> odds s - p <= s / 4) /\ (s <= 0 -> s / 4 <= odds s - p).
  Proof.
    rewrite <- odds_start. split; intros side; destruct side as [less|same].
    - destruct (MVT_cor2 odds (fun c => odds c * (1 - odds c)) 0 s less) as (c & difference & _); [intros; apply odds_derives|].
      rewrite difference. pose proof (odds_slope c). nra.
    - subst s. lra.
    - destruct (MVT_cor2 odds (fun c => odds c * (1 - odds c)) s 0 less) as (c & difference & _); [intros; apply odds_derives|].
      pose proof (odds_slope c). nra.
    - subst s. lra.
  Qed.

  Let gap (s : R) : R := s * s / 8 + s * p - ln (total s).

  Lemma gap_derives s : derivable_pt_lim gap s (s / 4 + p - odds s).
  Proof.
    pose proof (total_positive s) as positive. unfold gap.
    apply derivable_pt_lim_minus with (f1 := fun s => s * s / 8 + s * p) (f2 := fun s => ln (total s)).
    - apply derivable_pt_lim_plus with (f1 := fun s => s * s / 8) (f2 := fun s => s * p).
      + replace (s / 4) with ((1 * s + s * 1) * / 8 + (s * s) * 0) by field.
        apply derivable_pt_lim_mult with (f1 := fun s => s * s) (f2 := fun _ => / 8).
        * apply derivable_pt_lim_mult with (f1 := fun s => s) (f2 := fun s => s); apply derivable_pt_lim_id.
        * apply derivable_pt_lim_const.
      + apply (eq_ind (1 * p + s * 0) (derivable_pt_lim (fun s => s * p) s)); [|ring].
        apply derivable_pt_lim_mult with (f1 := fun s => s) (f2 := fun _ => p); [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
    - replace (odds s) with (/ total s * (p * exp s)) by (unfold odds; field; lra).
      apply derivable_pt_lim_comp with (f1 := total) (f2 := ln); [apply total_derives|now apply derivable_pt_lim_ln].
  Qed.

  Lemma gap_nonneg s : 0 <= gap s.
  Proof.
    assert (start : gap 0 = 0).
    { unfold gap, total. rewrite exp_0. replace (1 - p + p * 1) with 1 by ring. rewrite ln_1. lra. }
    destruct (Rtotal_order s 0) as [less|[->|more]]; [|lra|].
    - destruct (MVT_cor2 gap (fun c => c / 4 + p - odds c) s 0 less) as (c & difference & inside); [intros; apply gap_derives|].
      destruct (odds_near c) as [_ near]. specialize (near ltac:(lra)). rewrite start in difference. nra.
    - destruct (MVT_cor2 gap (fun c => c / 4 + p - odds c) 0 s more) as (c & difference & inside); [intros; apply gap_derives|].
      destruct (odds_near c) as [near _]. specialize (near ltac:(lra)). rewrite start in difference. nra.
  Qed.

  Lemma hoeffding_lemma s : exp (- s * p) * (1 - p + p * exp s) <= exp (s * s / 8).
  Proof.
    pose proof (total_positive s) as positive. pose proof (gap_nonneg s) as nonneg. unfold gap in nonneg. fold (total s).
    rewrite <- (exp_ln (total s)) by assumption. rewrite <- exp_plus.
    assert (below : - s * p + ln (total s) <= s * s / 8) by lra.
    destruct below as [less| ->]; [left; now apply exp_increasing|lra].
  Qed.
End Lemma_.

Section Hoeffding.
  Context {A : Type}.

  (** One draw: its law, and what it adds, [scale] times a number in [0, 1]. *)
  Record term : Type := Term { law : belief A; scale : R; share : A -> R }.
  Definition is_term (t : term) : Prop := is_belief (law t) /\ forall x, 0 <= share t x <= 1.

  (** What all draws add, less what they are expected to add. *)
  Fixpoint deviation (terms : list term) (xs : list A) : R :=
    match terms, xs with
    | t :: terms, x :: xs => scale t * (share t x - mean (law t) (share t)) + deviation terms xs
    | _, _ => 0
    end.
  Definition squares (terms : list term) : R := sum (fun t => scale t * scale t) terms.

  Lemma one_draw (t : term) (l : R) : is_term t ->
    mean (law t) (fun x => exp (l * (scale t * (share t x - mean (law t) (share t))))) <= exp (l * l * (scale t * scale t) / 8).
  Proof.
    intros [valid range]. set (s := l * scale t). set (p := mean (law t) (share t)).
    assert (inside : 0 <= p <= 1).
    { split; [apply mean_nonneg; auto; intros; apply range|]. rewrite <- (mean_constant (law t) 1 valid).
      apply mean_le; auto. intros; apply range. }
    apply Rle_trans with (exp (- s * p) * (1 - p + p * exp s)).
    - apply Rle_trans with (mean (law t) (fun x => exp (- s * p) * (1 - share t x + share t x * exp s))).
      + apply mean_le; auto. intros x.
        replace (l * (scale t * (share t x - p))) with (- s * p + s * share t x) by (unfold s; ring). rewrite exp_plus.
        apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply exp_below_chord.
      + rewrite mean_scale. right. f_equal.
        rewrite (mean_ext _ _ (fun x => 1 + (exp s - 1) * share t x)) by (intros; ring).
        rewrite mean_plus, mean_scale, (mean_constant (law t) 1 valid). unfold p. ring.
    - eapply Rle_trans; [now apply hoeffding_lemma|]. right. f_equal. unfold s. field.
  Qed.

  Lemma all_draws (terms : list term) (l : R) : (forall t, In t terms -> is_term t) ->
    expectation (map law terms) (fun xs => exp (l * deviation terms xs)) <= exp (l * l * squares terms / 8).
  Proof.
    intros valid. induction terms as [|t terms IH]; simpl.
    - right. f_equal. unfold squares; simpl. field.
    - rewrite (mean_ext _ _ (fun x => expectation (map law terms) (fun xs => exp (l * deviation terms xs))
        * exp (l * (scale t * (share t x - mean (law t) (share t)))))).
      + rewrite mean_scale. unfold squares; simpl. fold (squares terms).
        replace (l * l * (scale t * scale t + squares terms) / 8)
          with (l * l * squares terms / 8 + l * l * (scale t * scale t) / 8) by field.
        rewrite exp_plus. apply Rmult_le_compat.
        * apply Rle_trans with (expectation (map law terms) (fun _ => 0 * 0)).
          { right. rewrite expectation_scale. ring. }
          apply expectation_le; [|intros; rewrite Rmult_0_l; left; apply exp_pos].
          intros law' here. apply in_map_iff in here as (t' & <- & here). apply valid. now right.
        * apply mean_nonneg; [apply valid; now left|]. intros. left. apply exp_pos.
        * apply IH. intros t' here. apply valid. now right.
        * apply one_draw. apply valid. now left.
      + intros x. rewrite (Rmult_comm (expectation _ _)), <- expectation_scale. apply expectation_ext. intros xs. rewrite <- exp_plus. f_equal. ring.
  Qed.

  (** "Hoeffding's inequality gives exp(-2 t^2 / (1/n_a + 1/n_b))" (src/sordino/design/from_sample.py): in general, of
      terms in ranges of any lengths. *)
  Theorem hoeffding (terms : list term) (t : R) : (forall one, In one terms -> is_term one) -> 0 <= t -> 0 < squares terms ->
    expectation (map law terms) (fun xs => reaches t (deviation terms xs)) <= exp (- (2 * (t * t) / squares terms)).
  Proof.
    intros valid nonneg positive. set (l := 4 * t / squares terms).
    assert (order : 0 <= l) by (unfold l; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
    assert (beliefs : are_beliefs (map law terms)).
    { intros law' here. apply in_map_iff in here as (one & <- & here). now apply valid. }
    apply Rle_trans with (expectation (map law terms) (fun xs => exp (- (l * t)) * exp (l * deviation terms xs))).
    - apply expectation_le; auto. intros xs _. unfold reaches. rewrite <- exp_plus. destruct (Rle_dec t (deviation terms xs)) as [high|low].
      + rewrite <- exp_0 at 1. assert (0 <= - (l * t) + l * deviation terms xs) as [less|same] by nra.
        * left. now apply exp_increasing.
        * rewrite <- same. lra.
      + left. apply exp_pos.
    - rewrite expectation_scale. eapply Rle_trans; [apply Rmult_le_compat_l; [left; apply exp_pos|now apply (all_draws terms l)]|].
      rewrite <- exp_plus. right. f_equal. unfold l. field. lra.
  Qed.
End Hoeffding.
Arguments term A : clear implicits.

(** * Two values of an attribute *)

Section Sample.
  Context {A : Type}.

  (** The population, and what is asked of a record: the number of its value of the attribute, and how it is read. *)
  Variable population : belief A.
  Hypothesis is_population : is_belief population.
  Variable value_of : A -> nat.
  Variable reading : query A.

  (** The records of one value. *)
  Definition with_value (v : nat) : belief A := given population (fun x => Nat.eqb (value_of x) v).

  (** How many records of a sample have the value, and the share of these that is read as [g]. *)
  Definition count (v : nat) (xs : list A) : R := sum (fun x => if Nat.eqb (value_of x) v then 1 else 0) xs.
  Definition seen (v : nat) (g : nat) (xs : list A) : R :=
    sum (fun x => if Nat.eqb (value_of x) v then chance reading x g else 0) xs / count v xs.

  (** Of a set of readings. *)
  Definition share_of (S : nat -> bool) (x : A) : R := event reading S x.
  Definition seen_of (v : nat) (S : nat -> bool) (xs : list A) : R :=
    sum (fun x => if Nat.eqb (value_of x) v then share_of S x else 0) xs / count v xs.

  Lemma share_range S x : 0 <= share_of S x <= 1.
  Proof.
    unfold share_of, event. split.
    - apply sum_nonneg. intros y _. destruct (S y); [apply chance_nonneg|lra].
    - rewrite <- (chance_total reading x). apply sum_le. intros y _. pose proof (chance_nonneg reading x y). destruct (S y); lra.
  Qed.

  (** What a sample whose records have the values [values] says of a set, as terms of Hoeffding's inequality. *)
  Definition terms_of (a b : nat) (na nb : R) (S : nat -> bool) (values : list nat) : list (term A) :=
    map (fun v => Term (with_value v) (if Nat.eqb v a then - / na else if Nat.eqb v b then / nb else 0) (share_of S)) values.

  Definition count_of (v : nat) (values : list nat) : R := sum (fun w => if Nat.eqb w v then 1 else 0) values.

  Lemma squares_of_terms a b na nb S values : a <> b -> na <> 0 -> nb <> 0 ->
    squares (terms_of a b na nb S values) = count_of a values / (na * na) + count_of b values / (nb * nb).
  Proof.
    intros differ some other. unfold squares, terms_of, count_of. rewrite sum_map. simpl. unfold Rdiv.
    rewrite <- !sum_scale_right, <- sum_plus. apply sum_ext. intros v _.
    destruct (Nat.eqb_spec v a) as [->|]; [destruct (Nat.eqb_spec a b); [congruence|]|destruct (Nat.eqb_spec v b)]; field; auto.
  Qed.

  (** The values of a sample are what they are. *)
  Definition have_values (values : list nat) (xs : list A) : Prop := map value_of xs = values.

  Lemma deviation_of_terms a b na nb S values xs : a <> b -> have_values values xs ->
    deviation (terms_of a b na nb S values) xs =
    (sum (fun x => if Nat.eqb (value_of x) b then share_of S x else 0) xs - count_of b values * mean (with_value b) (share_of S)) / nb
    - (sum (fun x => if Nat.eqb (value_of x) a then share_of S x else 0) xs - count_of a values * mean (with_value a) (share_of S)) / na.
  Proof.
    intros differ <-. unfold terms_of, count_of. rewrite !sum_map. induction xs as [|x xs IH]; simpl; [unfold Rdiv; ring|].
    fold (terms_of a b na nb S) in IH. rewrite IH. clear IH. unfold Rdiv.
    destruct (Nat.eqb_spec (value_of x) a) as [->|]; [destruct (Nat.eqb_spec a b); [congruence|]|destruct (Nat.eqb_spec (value_of x) b) as [->|]]; ring.
  Qed.

  (** ** Samples by the values that their records have *)

  Definition has (v : nat) (x : A) : bool := Nat.eqb (value_of x) v.

  Lemma given_le (v : nat) (f g : A -> R) : 0 < mass population (has v) -> (forall x, value_of x = v -> f x <= g x) ->
    mean (with_value v) f <= mean (with_value v) g.
  Proof.
    intros positive below. unfold with_value. fold (has v). rewrite !mean_given. unfold Rdiv. apply Rmult_le_compat_r.
    - left. now apply Rinv_0_lt_compat.
    - apply mean_le; auto. intros x. unfold has. destruct (Nat.eqb_spec (value_of x) v); [auto|lra].
  Qed.

  Definition occur (values : list nat) : Prop := forall v, In v values -> 0 < mass population (has v).

  Lemma expectation_le_by_values (values : list nat) (f g : list A -> R) : occur values ->
    (forall xs, have_values values xs -> f xs <= g xs) ->
    expectation (map with_value values) f <= expectation (map with_value values) g.
  Proof.
    revert f g. induction values as [|v values IH]; intros f g some below; simpl; [apply below; reflexivity|].
    apply given_le; [apply some; now left|]. intros x own. apply IH; [intros w here; apply some; now right|].
    intros xs same. apply below. unfold have_values in *. simpl. congruence.
  Qed.

  Lemma nobody (test : A -> bool) (f : A -> R) : mass population test = 0 ->
    mean population (fun x => if test x then f x else 0) = 0.
  Proof.
    intros none. unfold mean. transitivity (sum (fun _ : R * A => 0) population); [|apply sum_zero]. apply sum_ext. intros [w x] here. simpl.
    destruct (test x) eqn:yes; [|ring].
    assert (small : w * 1 <= 0).
    { rewrite <- none. unfold mass, mean.
      pose proof (sum_member (fun part => fst part * (if test (snd part) then 1 else 0)) population (w, x)) as part.
      simpl in part. rewrite yes in part. apply part; [|assumption]. intros [w' x'] there. simpl.
      destruct is_population as [nonneg _]. specialize (nonneg _ there). simpl in nonneg. destruct (test x'); lra. }
    destruct is_population as [nonneg _]. specialize (nonneg _ here). simpl in nonneg. assert (w = 0) by lra. subst w. ring.
  Qed.

  Lemma once (v : nat) (values : list nat) (c : R) : NoDup values -> In v values ->
    sum (fun w => if Nat.eqb v w then c else 0) values = c.
  Proof.
    intros distinct here. induction distinct as [|w values fresh distinct IH]; [destruct here|]. simpl.
    destruct (Nat.eqb_spec v w) as [->|differ].
    - rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_zero; ring|].
      intros u inside. destruct (Nat.eqb_spec w u); [congruence|reflexivity].
    - destruct here as [same|here]; [congruence|]. rewrite IH by assumption. ring.
  Qed.

  (** The mean of all is that of the means of the values. *)
  Lemma mean_by_values (f : A -> R) (B : R) : (forall v, 0 < mass population (has v) -> mean (with_value v) f <= B) ->
    mean population f <= B.
  Proof.
    intros each. set (values := nodup Nat.eq_dec (map (fun part => value_of (snd part)) population)).
    assert (split : forall h, mean population h = sum (fun v => mean population (fun x => if has v x then h x else 0)) values).
    { intros h. rewrite <- mean_sum. unfold mean. apply sum_ext. intros part here. f_equal. unfold has.
      rewrite (once (value_of (snd part)) values (h (snd part))); [reflexivity|apply NoDup_nodup|].
      apply nodup_In, in_map_iff. now exists part. }
    rewrite split. rewrite <- (Rmult_1_l B). destruct is_population as [_ total]. rewrite <- total. rewrite (split (fun _ => 1)).
    rewrite <- sum_scale_right. apply sum_le. intros v _. fold (mass population (has v)).
    assert (nonneg : 0 <= mass population (has v)).
    { apply mean_nonneg; auto. intros x. destruct (has v x); lra. }
    destruct nonneg as [positive|none].
    - specialize (each v positive). unfold with_value in each. fold (has v) in each. rewrite mean_given in each.
      apply Rmult_le_reg_r with (/ mass population (has v)); [now apply Rinv_0_lt_compat|].
      replace (mass population (has v) * B * / mass population (has v)) with B by (field; lra). exact each.
    - rewrite nobody by (now symmetry). rewrite <- none. lra.
  Qed.

  Lemma sample_by_values (n : nat) (f : list A -> R) (B : R) :
    (forall values, length values = n -> occur values -> expectation (map with_value values) f <= B) ->
    expectation (repeat population n) f <= B.
  Proof.
    revert f. induction n as [|n IH]; intros f each; simpl.
    - apply (each []); [reflexivity|intros v []].
    - apply mean_by_values. intros v positive. rewrite <- expectation_mean.
      apply IH. intros values size some. rewrite expectation_mean. apply (each (v :: values)); [simpl; congruence|].
      intros w [<-|here]; auto.
  Qed.

  (** ** The bound *)

  (** How far two values are apart in a set of readings: in the population, and in a sample. *)
  Definition apart (a b : nat) (S : nat -> bool) : R := mean (with_value a) (share_of S) - mean (with_value b) (share_of S).
  Definition seen_apart (a b : nat) (S : nat -> bool) (xs : list A) : R := seen_of a S xs - seen_of b S xs.

  (** "U = seen(a, b) + sqrt((1/n_a + 1/n_b) ln(M'/beta) / 2)" (src/sordino/design/from_sample.py), where [risk] is
      beta / M'; "a value without records makes it 1". *)
  Definition upper (a b : nat) (risk : R) (distance : list A -> R) (xs : list A) : R :=
    if Req_EM_T (count a xs) 0 then 1 else if Req_EM_T (count b xs) 0 then 1
    else distance xs + sqrt ((/ count a xs + / count b xs) * ln (/ risk) / 2).

  Lemma count_of_values v values xs : have_values values xs -> count v xs = count_of v values.
  Proof. intros <-. unfold count, count_of. now rewrite sum_map. Qed.

  Lemma count_of_nonneg v values : 0 <= count_of v values.
  Proof. apply sum_nonneg. intros w _. destruct (Nat.eqb w v); lra. Qed.

  Lemma apart_below_one a b S : 0 < mass population (has a) -> 0 < mass population (has b) -> apart a b S <= 1.
  Proof.
    intros some other. unfold apart.
    assert (is_a : is_belief (with_value a)) by (apply given_is_belief; auto).
    assert (is_b : is_belief (with_value b)) by (apply given_is_belief; auto).
    assert (mean (with_value a) (share_of S) <= 1).
    { rewrite <- (mean_constant (with_value a) 1 is_a). apply mean_le; auto. intros; apply share_range. }
    assert (0 <= mean (with_value b) (share_of S)) by (apply mean_nonneg; auto; intros; apply share_range). lra.
  Qed.

  (** Of one set of readings, fixed before anybody looks, and of any distance that is at least what is seen of it. *)
  Theorem sample_bounds_a_set (n a b : nat) (risk : R) (S : nat -> bool) (distance : list A -> R) :
    a <> b -> 0 < mass population (has a) -> 0 < mass population (has b) -> 0 < risk <= 1 ->
    (forall xs, count a xs <> 0 -> count b xs <> 0 -> seen_apart a b S xs <= distance xs) ->
    expectation (repeat population n) (fun xs => exceeds (apart a b S) (upper a b risk distance xs)) <= risk.
  Proof.
    intros differ some_a some_b [positive below_one] far. apply sample_by_values. intros values _ some.
    pose proof (apart_below_one a b S some_a some_b) as at_most_one.
    set (na := count_of a values). set (nb := count_of b values).
    assert (never : na = 0 \/ nb = 0 ->
      expectation (map with_value values) (fun xs => exceeds (apart a b S) (upper a b risk distance xs)) <= risk).
    { intros none. apply Rle_trans with (expectation (map with_value values) (fun _ => 0 * 0)).
      - apply expectation_le_by_values; [assumption|]. intros xs same. unfold exceeds, upper.
        rewrite !(count_of_values _ values xs same). fold na nb.
        destruct (Req_EM_T na 0); [destruct (Rlt_dec 1 (apart a b S)); lra|].
        destruct (Req_EM_T nb 0); [destruct (Rlt_dec 1 (apart a b S)); lra|]. tauto.
      - rewrite expectation_scale. lra. }
    destruct (Req_dec na 0) as [none|is_a]; [auto|]. destruct (Req_dec nb 0) as [none|is_b]; [auto|].
    pose proof (count_of_nonneg a values) as a_nonneg. pose proof (count_of_nonneg b values) as b_nonneg. fold na in a_nonneg. fold nb in b_nonneg.
    assert (0 < / na) by (apply Rinv_0_lt_compat; lra). assert (0 < / nb) by (apply Rinv_0_lt_compat; lra).
    assert (log_nonneg : 0 <= ln (/ risk)).
    { rewrite <- ln_1. assert (1 <= / risk) as [less|same] by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
      - left. apply ln_increasing; lra.
      - rewrite <- same. lra. }
    set (t := sqrt ((/ na + / nb) * ln (/ risk) / 2)).
    assert (t_square : t * t = (/ na + / nb) * ln (/ risk) / 2).
    { apply sqrt_sqrt. assert (0 <= (/ na + / nb) * ln (/ risk)) by (apply Rmult_le_pos; lra). lra. }
    set (terms := terms_of a b na nb S values).
    assert (squares_are : squares terms = / na + / nb).
    { unfold terms. rewrite squares_of_terms by assumption. fold na nb. field. auto. }
    assert (laws : map law terms = map with_value values) by (unfold terms, terms_of; rewrite map_map; reflexivity).
    apply Rle_trans with (expectation (map law terms) (fun xs => reaches t (deviation terms xs))).
    - rewrite laws. apply expectation_le_by_values; [assumption|]. intros xs same. unfold exceeds, upper.
      rewrite !(count_of_values _ values xs same). fold na nb.
      destruct (Req_EM_T na 0); [lra|]. destruct (Req_EM_T nb 0); [lra|]. fold t.
      destruct (Rlt_dec _ _) as [farther|]; [|unfold reaches; destruct (Rle_dec _ _); lra].
      unfold reaches. destruct (Rle_dec t (deviation terms xs)) as [|small]; [lra|]. exfalso. apply small.
      unfold terms. rewrite deviation_of_terms by assumption. fold na nb.
      assert (seen_here : seen_apart a b S xs <= distance xs) by (apply far; now rewrite (count_of_values _ values xs same)).
      unfold seen_apart, seen_of in seen_here. rewrite !(count_of_values _ values xs same) in seen_here. fold na nb in seen_here.
      unfold apart in farther.
      set (sa := sum _ xs) in seen_here at 1. fold sa. set (sb := sum _ xs) in seen_here at 1. fold sb.
      replace ((sb - nb * mean (with_value b) (share_of S)) / nb) with (sb / nb - mean (with_value b) (share_of S)) by (field; auto).
      replace ((sa - na * mean (with_value a) (share_of S)) / na) with (sa / na - mean (with_value a) (share_of S)) by (field; auto).
      lra.
    - eapply Rle_trans; [apply hoeffding|].
      + intros one here. unfold terms, terms_of in here. apply in_map_iff in here as (v & <- & inside). split; simpl.
        * apply given_is_belief; auto. now apply some.
        * intros x. apply share_range.
      + apply sqrt_pos.
      + rewrite squares_are. lra.
      + rewrite squares_are, t_square.
        replace (- (2 * ((/ na + / nb) * ln (/ risk) / 2) / (/ na + / nb))) with (- ln (/ risk)) by (field; repeat split; auto; nra).
        rewrite ln_Rinv by assumption. rewrite Ropp_involutive, exp_ln by assumption. lra.
  Qed.

  (** ** Total variation *)

  Definition seen_variation (a b : nat) (xs : list A) : R :=
    / 2 * sum (fun g => Rabs (seen a g xs - seen b g xs)) (codes (outputs reading)).

  Lemma seen_of_sum v S xs : seen_of v S xs = sum (fun g => if S g then seen v g xs else 0) (codes (outputs reading)).
  Proof.
    unfold seen_of, seen, Rdiv. rewrite (sum_ext (fun g => if S g then _ else 0)
      (fun g => sum (fun x => if Nat.eqb (value_of x) v then (if S g then chance reading x g else 0) else 0) xs * / count v xs)).
    - rewrite sum_scale_right. f_equal. rewrite <- sum_swap. apply sum_ext. intros x _. unfold share_of, event.
      destruct (Nat.eqb (value_of x) v); [reflexivity|]. now rewrite sum_zero.
    - intros g _. destruct (S g); [reflexivity|]. rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_zero; ring|].
      intros x _. now destruct (Nat.eqb (value_of x) v).
  Qed.

  Lemma seen_total v xs : count v xs <> 0 -> sum (fun g => seen v g xs) (codes (outputs reading)) = 1.
  Proof.
    intros some. unfold seen, Rdiv. rewrite sum_scale_right, <- sum_swap.
    rewrite (sum_ext _ (fun x => if Nat.eqb (value_of x) v then 1 else 0)); [now apply Rinv_r|].
    intros x _. destruct (Nat.eqb (value_of x) v); [apply chance_total|apply sum_zero].
  Qed.

  Lemma part_of_variation (S : nat -> bool) (e : nat -> R) (items : list nat) : sum e items = 0 ->
    sum (fun g => if S g then e g else 0) items <= / 2 * sum (fun g => Rabs (e g)) items.
  Proof.
    intros none. replace (/ 2 * sum (fun g => Rabs (e g)) items) with (sum (fun g => / 2 * (Rabs (e g) + e g)) items)
      by (rewrite sum_scale, sum_plus, none; ring).
    apply sum_le. intros g _. pose proof (Rle_abs (e g)). pose proof (Rle_abs (- e g)) as other. rewrite Rabs_Ropp in other.
    destruct (S g); lra.
  Qed.

  Lemma mean_of_share (c : belief A) S :
    mean c (share_of S) = sum (fun g => if S g then mean c (fun x => chance reading x g) else 0) (codes (outputs reading)).
  Proof.
    unfold share_of, event. rewrite mean_sum. apply sum_ext. intros g _. destruct (S g); [reflexivity|].
    rewrite (mean_ext c _ (fun _ => 0 * 0)) by (intros; ring). rewrite mean_scale. ring.
  Qed.

  (** "The true TV is attained on one fixed set": so one event bounds it, with the total variation that is seen. *)
  Theorem sample_bounds_total_variation (n a b : nat) (risk : R) :
    a <> b -> 0 < mass population (has a) -> 0 < mass population (has b) -> 0 < risk <= 1 ->
    expectation (repeat population n)
      (fun xs => exceeds (total_variation (index_laws reading (with_value a) (with_value b))) (upper a b risk (seen_variation a b) xs))
    <= risk.
  Proof.
    intros differ some_a some_b range.
    set (d := fun g => mean (with_value a) (fun x => chance reading x g) - mean (with_value b) (fun x => chance reading x g)).
    set (S := fun g => if Rlt_dec 0 (d g) then true else false).
    assert (is_a : is_belief (with_value a)) by (apply given_is_belief; auto).
    assert (is_b : is_belief (with_value b)) by (apply given_is_belief; auto).
    assert (none : sum d (codes (outputs reading)) = 0).
    { unfold d. rewrite sum_minus, <- !mean_sum.
      rewrite !(mean_ext _ (fun x => sum (chance reading x) (codes (outputs reading))) (fun _ => 1)) by (intros; apply chance_total).
      rewrite !mean_constant by assumption. ring. }
    assert (attained : total_variation (index_laws reading (with_value a) (with_value b)) = apart a b S).
    { unfold apart. rewrite !mean_of_share, <- sum_minus. unfold total_variation, index_laws, first, second. rewrite sum_map. simpl.
      transitivity (sum (fun g => / 2 * (Rabs (d g) + d g)) (codes (outputs reading)));
        [rewrite sum_scale, sum_plus, none, Rplus_0_r; reflexivity|].
      apply sum_ext. intros g _. unfold S. destruct (Rlt_dec 0 (d g)) as [above|below].
      - rewrite Rabs_pos_eq by lra. fold (d g). field.
      - rewrite Rabs_left1 by lra. ring. }
    rewrite attained. apply sample_bounds_a_set; auto. intros xs count_a count_b.
    unfold seen_apart, seen_variation. rewrite !seen_of_sum, <- sum_minus.
    rewrite (sum_ext _ (fun g => if S g then seen a g xs - seen b g xs else 0)) by (intros g _; destruct (S g); ring).
    apply (part_of_variation S (fun g => seen a g xs - seen b g xs)). rewrite sum_minus, !seen_total by assumption. ring.
  Qed.
End Sample.

(** "All bounds together hold with that confidence: the probability of an error is divided among all M comparisons"
    (docs/dependence.md): [fails c xs] is 1 where the bound of comparison [c] does not hold, and 0 where it does. *)
Theorem all_bounds_hold {A C : Type} (population : belief A) (n : nat) (compared : list C) (fails : C -> list A -> R) (beta : R) :
  is_belief population -> compared <> [] -> (forall c xs, 0 <= fails c xs) ->
  (forall c, In c compared -> expectation (repeat population n) (fails c) <= beta / INR (length compared)) ->
  expectation (repeat population n) (fun xs => fold_right Rmax 0 (map (fun c => fails c xs) compared)) <= beta.
Proof.
  intros valid some nonneg each.
  apply Rle_trans with (expectation (repeat population n) (fun xs => sum (fun c => fails c xs) compared)).
  - apply expectation_le; [intros law here; apply repeat_spec in here; now subst|]. intros xs _.
    induction compared as [|c others IH]; [simpl; lra|]. simpl.
    assert (below : fold_right Rmax 0 (map (fun c => fails c xs) others) <= sum (fun c => fails c xs) others).
    { clear - nonneg. induction others as [|c others IH]; simpl; [lra|]. pose proof (nonneg c xs).
      apply Rmax_lub; [|lra]. pose proof (sum_nonneg (fun c => fails c xs) others (fun c _ => nonneg c xs)). lra. }
    pose proof (nonneg c xs). pose proof (sum_nonneg (fun c => fails c xs) others (fun c _ => nonneg c xs)). apply Rmax_lub; lra.
  - rewrite expectation_sum.
    apply Rle_trans with (sum (fun _ => beta / INR (length compared)) compared); [now apply sum_le|].
    assert (same : forall (r : R) (items : list C), sum (fun _ => r) items = INR (length items) * r).
    { intros r items. induction items as [|c items IH]; [simpl; ring|]. simpl sum. rewrite IH. cbn [length]. rewrite S_INR. ring. }
    rewrite same. right. field. apply not_0_INR. destruct compared; [congruence|discriminate].
Qed.

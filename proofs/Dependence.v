(** Bounds on dependence: what answers reveal about one attribute to somebody whose beliefs about everything else depend on
    it by no more than q, in total variation.

    A record is a pair: the value of the attribute in question, and all others together. Two hypotheses "the attribute is v"
    and "the attribute is v'" have two distributions of all others. Both are given here as one list of [(m, n, u)]: the others
    are [u] with probability [m] under the first and [n] under the second. *)

From Coq Require Import Reals Lra Lia List.
From Sordino Require Import Sums Channels.
Import ListNotations.
Open Scope R_scope.

Section Pairs.
  Context {U : Type}.

  Definition two_laws : Type := list (R * R * U).
  Definition first (p : R * R * U) : R := fst (fst p).
  Definition second (p : R * R * U) : R := snd (fst p).
  Definition others (p : R * R * U) : U := snd p.

  Definition are_laws (laws : two_laws) : Prop :=
    (forall p, In p laws -> 0 <= first p /\ 0 <= second p) /\ sum first laws = 1 /\ sum second laws = 1.

  Definition total_variation (laws : two_laws) : R := / 2 * sum (fun p => Rabs (first p - second p)) laws.

  Definition first_mean (laws : two_laws) (f : U -> R) : R := sum (fun p => first p * f (others p)) laws.
  Definition second_mean (laws : two_laws) (g : U -> R) : R := sum (fun p => second p * g (others p)) laws.

  (** The part that both laws have in common. *)
  Definition shared (p : R * R * U) : R := Rmin (first p) (second p).

  Lemma shared_mass laws : are_laws laws -> sum shared laws = 1 - total_variation laws.
  Proof.
    intros (_ & one & two). unfold total_variation.
    assert (split : forall p, shared p = / 2 * (first p + second p) - / 2 * Rabs (first p - second p)).
    { intros p. unfold shared, Rmin. destruct (Rle_dec (first p) (second p)).
      - rewrite Rabs_left1 by lra. lra.
      - rewrite Rabs_pos_eq by lra. lra. }
    rewrite (sum_ext shared (fun p => / 2 * (first p + second p) - / 2 * Rabs (first p - second p))) by auto.
    rewrite sum_minus, !sum_scale, sum_plus. lra.
  Qed.

  (** The two means differ from that of the common part by what the rest can do at most. *)
  Lemma means_by_shared laws f g F G :
    are_laws laws -> (forall p, In p laws -> f (others p) <= F) -> (forall p, In p laws -> G <= g (others p)) ->
    let common h := sum (fun p => shared p * h (others p)) laws in
    first_mean laws f <= common f + total_variation laws * F /\
    common g + total_variation laws * G <= second_mean laws g.
  Proof.
    intros valid above below common. pose proof (shared_mass laws valid) as mass. destruct valid as (nonneg & one & two).
    assert (rest : forall take, sum take laws = 1 -> sum (fun p => take p - shared p) laws = total_variation laws).
    { intros take total. rewrite sum_minus, total, mass. ring. }
    unfold first_mean, second_mean, common. rewrite <- (rest first one) at 1. rewrite <- (rest second two).
    rewrite <- !sum_scale_right, <- !sum_plus.
    split; apply sum_le; intros p inside; destruct (nonneg p inside);
      pose proof (Rmin_l (first p) (second p)); pose proof (Rmin_r (first p) (second p)); unfold shared.
    - specialize (above p inside). nra.
    - specialize (below p inside). nra.
  Qed.

  Lemma shared_nonneg laws p : are_laws laws -> In p laws -> 0 <= shared p.
  Proof. intros (nonneg & _) inside. destruct (nonneg p inside). now apply Rmin_glb. Qed.

  Lemma variation_range laws : are_laws laws -> 0 <= total_variation laws <= 1.
  Proof.
    intros valid. split.
    - unfold total_variation. pose proof (sum_nonneg (fun p => Rabs (first p - second p)) laws (fun p _ => Rabs_pos _)). lra.
    - pose proof (shared_mass laws valid). pose proof (sum_nonneg shared laws (fun p => shared_nonneg laws p valid)). lra.
  Qed.

  (** One inequality, of which all rules below are cases. *)
  Lemma mixed_bound laws q rho f g F G :
    are_laws laws -> total_variation laws <= q <= 1 -> 0 <= rho ->
    (forall u, 0 <= f u) -> (forall u, 0 <= g u) ->
    (forall p, In p laws -> f (others p) <= F) -> (forall p, In p laws -> G <= g (others p)) ->
    (forall p, In p laws -> (1 - q) * f (others p) + q * F <= rho * ((1 - q) * g (others p) + q * G)) ->
    first_mean laws f <= rho * second_mean laws g.
  Proof.
    intros valid [within_q below_one] positive fpos gpos above below each.
    destruct (means_by_shared laws f g F G valid above below) as [upper lower].
    pose proof (shared_mass laws valid) as mass. pose proof (variation_range laws valid) as range.
    set (t := total_variation laws) in *. set (common := fun h : U -> R => sum (fun p => shared p * h (others p)) laws) in *.
    simpl in upper, lower. fold (common f) in upper. fold (common g) in lower.
    assert (summed : (1 - q) * common f + q * (1 - t) * F <= rho * ((1 - q) * common g + q * (1 - t) * G)).
    { unfold common. rewrite <- mass.
      replace ((1 - q) * sum (fun p => shared p * f (others p)) laws + q * sum shared laws * F)
        with (sum (fun p => shared p * ((1 - q) * f (others p) + q * F)) laws).
      2: { rewrite <- sum_scale. replace (q * sum shared laws * F) with (sum (fun p => q * F * shared p) laws)
             by (rewrite sum_scale; ring). rewrite <- sum_plus. apply sum_ext. intros. ring. }
      replace ((1 - q) * sum (fun p => shared p * g (others p)) laws + q * sum shared laws * G)
        with (sum (fun p => shared p * ((1 - q) * g (others p) + q * G)) laws).
      2: { rewrite <- sum_scale. replace (q * sum shared laws * G) with (sum (fun p => q * G * shared p) laws)
             by (rewrite sum_scale; ring). rewrite <- sum_plus. apply sum_ext. intros. ring. }
      rewrite <- sum_scale. apply sum_le. intros p inside.
      pose proof (shared_nonneg laws p valid inside). specialize (each p inside). nra. }
    assert (f_below : common f <= (1 - t) * F).
    { unfold common. rewrite <- mass, <- sum_scale_right. apply sum_le. intros p inside.
      apply Rmult_le_compat_l; [now apply (shared_nonneg laws)|auto]. }
    assert (g_above : (1 - t) * G <= common g).
    { unfold common. rewrite <- mass, <- sum_scale_right. apply sum_le. intros p inside.
      apply Rmult_le_compat_l; [now apply (shared_nonneg laws)|auto]. }
    apply Rle_trans with (common f + t * F); [assumption|].
    apply Rle_trans with (rho * (common g + t * G)); [|now apply Rmult_le_compat_l].
    destruct (Req_dec t 1) as [certain|some].
    - assert (q = 1) by lra. subst q. destruct laws as [|p laws]; [destruct valid as (_ & one & _); simpl in one; lra|].
      specialize (each p (or_introl eq_refl)). rewrite certain in *. nra.
    - apply Rmult_le_reg_l with (1 - t); [lra|]. set (a := common f + t * F) in *. set (b := common g + t * G) in *.
      assert (a <= F) by (unfold a; lra). assert (G <= b) by (unfold b; lra).
      assert (left : (1 - t) * a <= (1 - q) * common f + q * (1 - t) * F).
      { replace ((1 - q) * common f + q * (1 - t) * F) with ((1 - q) * a + (q - t) * F) by (unfold a; ring). nra. }
      assert (right : (1 - q) * common g + q * (1 - t) * G <= (1 - t) * b).
      { replace ((1 - q) * common g + q * (1 - t) * G) with ((1 - q) * b + (q - t) * G) by (unfold b; ring). nra. }
      nra.
  Qed.
End Pairs.
Arguments two_laws U : clear implicits.

(** * The definition, and the rule that decides it *)

(** Bayesian coordinate DP "for the worst prior whose dependence is within" q (docs/bayesian-coordinate.md), of one attribute:
    every two values, and every two laws of all others within q of each other. *)
Definition bounded_dependence {V U : Type} (q delta : R) : definition (V * U) :=
  fun a b e => exists v v' (laws : two_laws U), v <> v' /\ are_laws laws /\ total_variation laws <= q /\
    a = map (fun p => (first p, (v, others p))) laws /\ b = map (fun p => (second p, (v', others p))) laws /\ e = delta.

Lemma mean_of_laws {V U : Type} (take : R * R * U -> R) (v : V) (laws : two_laws U) (L : V * U -> R) :
  mean (map (fun p => (take p, (v, others p))) laws) L = sum (fun p => take p * L (v, others p)) laws.
Proof. unfold mean. now rewrite sum_map. Qed.

Theorem bounded_dependence_is_proper {V U : Type} (q delta : R) : 0 <= delta -> is_proper (@bounded_dependence V U q delta).
Proof.
  intros nonneg a b e (v & v' & laws & _ & (each & one & two) & _ & -> & -> & ->).
  repeat split; auto.
  - intros part inside. apply in_map_iff in inside as (p & <- & here). now destruct (each p here).
  - rewrite mean_of_laws, (sum_ext _ first); auto. intros. ring.
  - intros part inside. apply in_map_iff in inside as (p & <- & here). now destruct (each p here).
  - rewrite mean_of_laws, (sum_ext _ second); auto. intros. ring.
Qed.

(** The exact rule: "deltas, exactly, over all priors within q: what `certify` computes" (docs/bayesian-coordinate.md), for one
    likelihood: an output of a channel, or all answers so far. It is decided by single records, in both directions. *)
Theorem dependence_rule_is_exact {V U : Type} (q delta : R) (L : V * U -> R) :
  0 <= q <= 1 -> (forall x, 0 <= L x) ->
  within (bounded_dependence q delta) L <->
  (forall v v' u w w', v <> v' -> (1 - q) * L (v, u) + q * L (v, w) <= exp delta * ((1 - q) * L (v', u) + q * L (v', w'))).
Proof.
  intros range nonneg. split.
  - intros holds v v' u w w' differ.
    set (laws := [((1 - q), (1 - q), u); (q, 0, w); (0, q, w')]).
    assert (valid : are_laws laws /\ total_variation laws <= q).
    { unfold are_laws, total_variation, first, second. simpl. repeat split; try lra.
      - destruct H as [<-|[<-|[<-|[]]]]; simpl; lra.
      - destruct H as [<-|[<-|[<-|[]]]]; simpl; lra.
      - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. rewrite Rabs_pos_eq, Rabs_left1 by lra. lra. }
    destruct valid as [valid small].
    specialize (holds (map (fun p => (first p, (v, others p))) laws) (map (fun p => (second p, (v', others p))) laws) delta).
    assert (pair : mean (map (fun p => (first p, (v, others p))) laws) L <=
      exp delta * mean (map (fun p => (second p, (v', others p))) laws) L) by (apply holds; now exists v, v', laws).
    rewrite !mean_of_laws in pair. unfold laws, first, second, others in pair. simpl in pair. lra.
  - intros each a b e (v & v' & laws & differ & valid & small & -> & -> & ->). rewrite !mean_of_laws.
    assert (some : laws <> []) by (intros ->; destruct valid as (_ & one & _); simpl in one; lra).
    destruct (largest_item (fun p => L (v, others p)) laws some) as (high & _ & highest).
    destruct (largest_item (fun p => - L (v', others p)) laws some) as (low & _ & lowest).
    apply (mixed_bound laws q (exp delta) (fun u => L (v, u)) (fun u => L (v', u)) (L (v, others high)) (L (v', others low)));
      auto; try lra.
    + left. apply exp_pos.
    + intros p inside. specialize (lowest p inside). lra.
Qed.

(** "tight, and never larger: `ln((1 - q_i) e^c_i + q_i e^epsilon)`" (docs/bayesian-coordinate.md): the realized losses of the
    attribute alone, c, and of the whole record, epsilon, bound what is revealed about the attribute. *)
Theorem realized_losses_bound_dependence {V U : Type} (q c epsilon : R) (L : V * U -> R) :
  0 <= q <= 1 -> 0 <= c <= epsilon -> (forall x, 0 <= L x) ->
  (forall v v' u, L (v, u) <= exp c * L (v', u)) -> (forall x x', L x <= exp epsilon * L x') ->
  within (bounded_dependence q (ln ((1 - q) * exp c + q * exp epsilon))) L.
Proof.
  intros range order nonneg alone whole. apply dependence_rule_is_exact; auto. intros v v' u w w' differ.
  assert (larger : exp c <= exp epsilon).
  { destruct order as [_ [less| ->]]; [left; now apply exp_increasing|lra]. }
  pose proof (exp_pos c). assert (0 < (1 - q) * exp c + q * exp epsilon) by nra. rewrite exp_ln by assumption.
  pose proof (nonneg (v', u)). pose proof (nonneg (v', w')). pose proof (whole (v, w) (v', w')) as top.
  destruct (Rle_dec (L (v', w')) (L (v', u))) as [below|above].
  - pose proof (alone v v' u) as own.
    assert (0 <= q * (1 - q) * (exp epsilon - exp c) * (L (v', u) - L (v', w'))) by (repeat apply Rmult_le_pos; lra).
    assert ((1 - q) * L (v, u) + q * L (v, w) <= (1 - q) * exp c * L (v', u) + q * exp epsilon * L (v', w')) by nra. nra.
  - (* The other record is no lighter than this one: then it need not be lighter than it. *)
    pose proof (alone v v' u) as own. pose proof (whole (v, w) (v', u)) as near.
    assert ((1 - q) * L (v, u) + q * L (v, w) <= ((1 - q) * exp c + q * exp epsilon) * L (v', u)) by nra.
    assert (L (v', u) <= (1 - q) * L (v', u) + q * L (v', w')) by nra. nra.
Qed.

(** * The sampling rule: one drawn question, answered once *)

(** A reading draws an index from the record, and a channel a code from the index. Hypotheses may be any two beliefs; what
    counts is how far the laws _of the index_ are apart under them. *)
Definition index_laws {X : Type} (reading : query X) (a b : belief X) : two_laws nat :=
  map (fun g => (mean a (fun x => chance reading x g), mean b (fun x => chance reading x g), g)) (codes (outputs reading)).

Lemma index_laws_are_laws {X : Type} (reading : query X) (a b : belief X) :
  is_belief a -> is_belief b -> are_laws (index_laws reading a b).
Proof.
  intros one two. unfold are_laws, index_laws, first, second.
  assert (total : forall c, is_belief c -> sum (fun g => mean c (fun x => chance reading x g)) (codes (outputs reading)) = 1).
  { intros c valid. rewrite <- mean_sum. rewrite (mean_ext _ _ (fun _ => 1)) by (intros; apply chance_total).
    now apply mean_constant. }
  rewrite !sum_map. simpl. split; [|auto].
  intros p inside. apply in_map_iff in inside as (g & <- & _). simpl.
  split; apply mean_nonneg; auto; intros; apply chance_nonneg.
Qed.

(** "An answer with loss epsilon about a statistic reveals at most ln(1 + q (e^epsilon - 1)) about the attribute"
    (docs/dependence.md): q bounds the total variation between the laws of what the statistic reads. *)
Theorem answer_reveals_at_most {X : Type} (reading : query X) (mechanism : query nat) (a b : belief X) (q epsilon : R) (y : nat) :
  is_belief a -> is_belief b -> total_variation (index_laws reading a b) <= q <= 1 -> 0 <= epsilon ->
  (forall g g', chance mechanism g y <= exp epsilon * chance mechanism g' y) ->
  mean a (fun x => chance (followed_by reading mechanism) x y) <=
  (1 + q * (exp epsilon - 1)) * mean b (fun x => chance (followed_by reading mechanism) x y).
Proof.
  intros one two [small range] nonneg rows.
  set (laws := index_laws reading a b) in *. set (f := fun g => chance mechanism g y).
  assert (valid : are_laws laws) by now apply index_laws_are_laws.
  assert (law : forall c, mean c (fun x => chance (followed_by reading mechanism) x y)
    = sum (fun g => mean c (fun x => chance reading x g) * f g) (codes (outputs reading))).
  { intros c. simpl. rewrite mean_sum. apply sum_ext. intros g _.
    rewrite (mean_ext c _ (fun x => f g * chance reading x g)) by (intros; unfold f; ring). rewrite mean_scale. ring. }
  assert (firsts : first_mean laws f = mean a (fun x => chance (followed_by reading mechanism) x y)).
  { rewrite law. unfold first_mean, laws, index_laws. now rewrite sum_map. }
  assert (seconds : second_mean laws f = mean b (fun x => chance (followed_by reading mechanism) x y)).
  { rewrite law. unfold second_mean, laws, index_laws. now rewrite sum_map. }
  rewrite <- firsts, <- seconds.
  pose proof (exp_ineq1_le epsilon) as grows. pose proof (variation_range laws valid).
  assert (some : laws <> []) by (intros empty; rewrite empty in valid; destruct valid as (_ & total & _); simpl in total; lra).
  destruct (largest_item (fun p => f (others p)) laws some) as (high & _ & highest).
  destruct (largest_item (fun p => - f (others p)) laws some) as (low & low_in & lowest).
  apply (mixed_bound laws q _ f f (f (others high)) (f (others low))); auto; try nra.
  - intros. apply chance_nonneg.
  - intros. apply chance_nonneg.
  - intros p inside. specialize (lowest p inside). lra.
  - intros p inside. specialize (lowest p inside). pose proof (rows (others high) (others low)) as spread.
    fold (f (others high)) (f (others low)) in spread.
    pose proof (chance_nonneg mechanism (others low) y) as positive. fold (f (others low)) in positive.
    assert (0 <= q * (1 - q) * (exp epsilon - 1) * (f (others p) - f (others low))) by (repeat apply Rmult_le_pos; lra).
    nra.
Qed.

(** ** What q is, for some readings *)

(** Two values: q is the gap of the probabilities of one of them. So a bit about a threshold has the whole gap of P(x <= t); of a
    sign, whose mean is the number itself, q is half the gap of means (docs/dependence.md). *)
Definition mean_sign {X : Type} (reading : query X) (x : X) : R := chance reading x 1%nat - chance reading x 0%nat.

Theorem variation_of_two_values {X : Type} (reading : query X) (a b : belief X) :
  outputs reading = 2%nat -> is_belief a -> is_belief b ->
  let gap f := Rabs (mean a f - mean b f) in
  total_variation (index_laws reading a b) = gap (fun x => chance reading x 1%nat) /\
  total_variation (index_laws reading a b) = gap (mean_sign reading) / 2.
Proof.
  intros two one other gap.
  assert (total : forall c, is_belief c ->
    mean c (fun x => chance reading x 0%nat) = 1 - mean c (fun x => chance reading x 1%nat) /\
    mean c (mean_sign reading) = 2 * mean c (fun x => chance reading x 1%nat) - 1).
  { intros c valid. pose proof (index_laws_are_laws reading c c valid valid) as (_ & adds & _).
    unfold index_laws, first in adds. rewrite two, sum_map in adds. simpl in adds. split; [lra|].
    rewrite (mean_ext c (mean_sign reading) (fun x => 2 * chance reading x 1%nat - 1)).
    - pose proof (mean_constant c 1 valid) as ones.
      transitivity (2 * mean c (fun x => chance reading x 1%nat) - mean c (fun _ => 1)); [|lra].
      unfold mean. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros. ring.
    - intros x. pose proof (chance_total reading x) as whole. rewrite two in whole. simpl in whole. unfold mean_sign. lra. }
  destruct (total a one) as [none mean_a], (total b other) as [none' mean_b]. unfold gap. rewrite mean_a, mean_b.
  unfold total_variation, index_laws, first, second. rewrite two, sum_map. simpl. rewrite none, none'.
  set (p := mean a (fun x => chance reading x 1%nat)). set (p' := mean b (fun x => chance reading x 1%nat)).
  replace (1 - p - (1 - p')) with (- (p - p')) by ring. rewrite Rabs_Ropp.
  replace (2 * p - 1 - (2 * p' - 1)) with (2 * (p - p')) by ring. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. split; lra.
Qed.

(** A category of k values together with a sign: value 2 v + 1 is category v and +, value 2 v is category v and -. With the share p of
    each category and m, the mean of the sign counted where the category is v, q is half the sum over v of the larger of the
    gap of p and the gap of m (docs/dependence.md). *)
Lemma sum_of_pairs (f : nat -> R) (k : nat) : sum f (codes (2 * k)) = sum (fun v => f (2 * v)%nat + f (2 * v + 1)%nat) (codes k).
Proof.
  unfold codes. induction k as [|k IH]; [reflexivity|]. rewrite (seq_S k), sum_app, <- IH. simpl plus.
  replace (2 * S k)%nat with (S (S (2 * k))) by lia. rewrite !seq_S, !sum_app. simpl.
  replace (k + (k + 0))%nat with (2 * k)%nat by lia. replace (S (2 * k)) with (2 * k + 1)%nat by lia. lra.
Qed.

Theorem variation_of_category_and_sign {X : Type} (reading : query X) (k : nat) (a b : belief X) :
  outputs reading = (2 * k)%nat ->
  let share c v := mean c (fun x => chance reading x (2 * v)%nat + chance reading x (2 * v + 1)%nat) in
  let signed c v := mean c (fun x => chance reading x (2 * v + 1)%nat - chance reading x (2 * v)%nat) in
  total_variation (index_laws reading a b) =
  sum (fun v => Rmax (Rabs (share a v - share b v)) (Rabs (signed a v - signed b v))) (codes k) / 2.
Proof.
  intros size share signed. unfold total_variation, index_laws, first, second. rewrite size, sum_map. simpl fst. simpl snd.
  rewrite sum_of_pairs. unfold Rdiv. rewrite Rmult_comm. f_equal. apply sum_ext. intros v _.
  assert (parts : forall c, share c v = mean c (fun x => chance reading x (2 * v)%nat) + mean c (fun x => chance reading x (2 * v + 1)%nat) /\
    signed c v = mean c (fun x => chance reading x (2 * v + 1)%nat) - mean c (fun x => chance reading x (2 * v)%nat)).
  { intros c. unfold share, signed, mean. rewrite <- sum_plus, <- sum_minus. split; apply sum_ext; intros; ring. }
  destruct (parts a) as [-> ->], (parts b) as [-> ->].
  set (l := mean a _). set (h := mean a _). set (l' := mean b _). set (h' := mean b _).
  unfold Rmax, Rabs. repeat destruct Rcase_abs; repeat destruct Rle_dec; lra.
Qed.

(** A survey: each person answers one question, drawn without looking at the data; an event is about the question drawn and
    its code. *)
Definition survey_event {X : Type} (lots : query unit) (question : nat -> query X) (A : nat -> nat -> bool) (x : X) : R :=
  sum (fun s => chance lots tt s * event (question s) (A s) x) (codes (outputs lots)).

(** Losses of the questions do not add: "the loss is the maximum", for all questions s of ln(1 + q_s (e^epsilon_s - 1)). *)
Theorem sampling_rule {X : Type} (lots : query unit) (reading : nat -> query X) (mechanism : nat -> query nat)
    (a b : belief X) (q epsilon : nat -> R) (delta : R) (A : nat -> nat -> bool) :
  is_belief a -> is_belief b ->
  (forall s, In s (codes (outputs lots)) ->
     total_variation (index_laws (reading s) a b) <= q s <= 1 /\ 0 <= epsilon s /\
     (forall g g' y, chance (mechanism s) g y <= exp (epsilon s) * chance (mechanism s) g' y) /\
     ln (1 + q s * (exp (epsilon s) - 1)) <= delta) ->
  let asked s := followed_by (reading s) (mechanism s) in
  mean a (survey_event lots asked A) <= exp delta * mean b (survey_event lots asked A).
Proof.
  intros one two each asked.
  enough (holds : within (fun a' b' e => a' = a /\ b' = b /\ e = delta) (survey_event lots asked A)) by now apply holds.
  unfold survey_event. apply within_sum. intros s inside. apply within_scale; [apply chance_nonneg|].
  destruct (each s inside) as (small & nonneg & rows & largest).
  apply within_sum. intros y _. destruct (A s y); [|apply within_zero].
  intros a' b' e (-> & -> & ->).
  pose proof (answer_reveals_at_most (reading s) (mechanism s) a b (q s) (epsilon s) y one two small nonneg
    (fun g g' => rows g g' y)) as answer.
  pose proof (variation_range _ (index_laws_are_laws (reading s) a b one two)). pose proof (exp_ineq1_le (epsilon s)).
  assert (positive : 0 < 1 + q s * (exp (epsilon s) - 1)) by nra.
  assert (factor : 1 + q s * (exp (epsilon s) - 1) <= exp delta).
  { rewrite <- (exp_ln _ positive). destruct largest as [less| ->]; [left; now apply exp_increasing|lra]. }
  assert (0 <= mean b (fun x => chance (followed_by (reading s) (mechanism s)) x y))
    by (apply mean_nonneg; auto; intros; apply chance_nonneg).
  unfold asked. nra.
Qed.

(** Bounds on dependence, for answers that are about more than one thing at a time: several signs, the bins of a number, and
    what touches the attribute together with what does not. *)

From Coq Require Import Reals Lra Lia List Arith.
From Sordino Require Import Sums Channels Dependence.
Import ListNotations.
Open Scope R_scope.

(** What is drawn from what is read, by the law of what is read. *)
Lemma mean_followed {X : Type} (reading : query X) (mechanism : query nat) (c : belief X) (y : nat) :
  mean c (fun x => chance (followed_by reading mechanism) x y)
  = sum (fun g => mean c (fun x => chance reading x g) * chance mechanism g y) (codes (outputs reading)).
Proof.
  simpl. rewrite mean_sum. apply sum_ext. intros g _.
  rewrite (mean_ext c _ (fun x => chance mechanism g y * chance reading x g)) by (intros; ring). rewrite mean_scale. ring.
Qed.

(** * Signs that are reported together *)

(** A code of several signs: [2 u] and [2 u + 1] are the two signs of the number in question, beside the signs [u] of all others.
    The law of the others, under two hypotheses about the number: *)
Definition others_laws {X : Type} (reading : query X) (m : nat) (a b : belief X) : two_laws nat :=
  map (fun u => (mean a (fun x => chance reading x (2 * u)%nat + chance reading x (2 * u + 1)%nat),
                 mean b (fun x => chance reading x (2 * u)%nat + chance reading x (2 * u + 1)%nat), u)) (codes m).

Lemma others_laws_are_laws {X : Type} (reading : query X) (m : nat) (a b : belief X) :
  outputs reading = (2 * m)%nat -> is_belief a -> is_belief b -> are_laws (others_laws reading m a b).
Proof.
  intros size one two. unfold are_laws, others_laws, first, second. rewrite !sum_map. simpl fst. simpl snd.
  assert (total : forall c, is_belief c ->
    sum (fun u => mean c (fun x => chance reading x (2 * u)%nat + chance reading x (2 * u + 1)%nat)) (codes m) = 1).
  { intros c valid. rewrite <- mean_sum. rewrite (mean_ext c _ (fun _ => 1)); [now apply mean_constant|].
    intros x. rewrite <- (chance_total reading x), size. symmetry. apply sum_of_pairs. }
  split; [|auto]. intros p inside. apply in_map_iff in inside as (u & <- & _). simpl.
  split; apply mean_nonneg; auto; intros; apply Rplus_le_le_0_compat; apply chance_nonneg.
Qed.

(** "Within a bin its own sign may go with u in any way; so the ratio is largest where one u under R, and the extremes under A
    and B meet, each with the own sign that makes most of it." (src/sordino/definition/sampling.py): what codes of signs reveal
    of a number, if the law of the other signs depends on it by no more than q. *)
Theorem signs_together_reveal_at_most {X : Type} (reading : query X) (mechanism : query nat) (m : nat) (a b : belief X)
    (q delta : R) (y : nat) :
  outputs reading = (2 * m)%nat -> is_belief a -> is_belief b ->
  total_variation (others_laws reading m a b) <= q <= 1 ->
  (forall u s s' high low, (u < m)%nat -> (s < 2)%nat -> (s' < 2)%nat -> (high < 2 * m)%nat -> (low < 2 * m)%nat ->
    (1 - q) * chance mechanism (2 * u + s)%nat y + q * chance mechanism high y <=
    exp delta * ((1 - q) * chance mechanism (2 * u + s')%nat y + q * chance mechanism low y)) ->
  mean a (fun x => chance (followed_by reading mechanism) x y) <=
  exp delta * mean b (fun x => chance (followed_by reading mechanism) x y).
Proof.
  intros size one two small each. rewrite !mean_followed, size, !sum_of_pairs.
  set (F := fun g => chance mechanism g y). set (laws := others_laws reading m a b).
  assert (valid : are_laws laws) by now apply others_laws_are_laws.
  set (f := fun u => Rmax (F (2 * u)%nat) (F (2 * u + 1)%nat)). set (g := fun u => Rmin (F (2 * u)%nat) (F (2 * u + 1)%nat)).
  assert (nonneg : forall v, 0 <= F v) by (intros; apply chance_nonneg).
  assert (some : codes (2 * m) <> []).
  { intros empty. destruct m as [|m]; [|discriminate]. destruct valid as (_ & total & _). unfold laws, others_laws in total.
    simpl in total. lra. }
  destruct (largest_item F (codes (2 * m)) some) as (high & high_in & highest).
  destruct (largest_item (fun v => - F v) (codes (2 * m)) some) as (low & low_in & lowest).
  apply in_seq in high_in, low_in.
  assert (codes_of : forall u, (u < m)%nat -> In (2 * u)%nat (codes (2 * m)) /\ In (2 * u + 1)%nat (codes (2 * m))).
  { intros u less. split; apply in_seq; lia. }
  assert (firsts : sum (fun u => mean a (fun x => chance reading x (2 * u)%nat) * F (2 * u)%nat
      + mean a (fun x => chance reading x (2 * u + 1)%nat) * F (2 * u + 1)%nat) (codes m) <= first_mean laws f).
  { unfold first_mean, laws, others_laws, first, others. rewrite sum_map. simpl fst. simpl snd. apply sum_le. intros u _.
    assert (plus : forall c : belief X, mean c (fun x => chance reading x (2 * u)%nat + chance reading x (2 * u + 1)%nat)
      = mean c (fun x => chance reading x (2 * u)%nat) + mean c (fun x => chance reading x (2 * u + 1)%nat)).
    { intros c. unfold mean. rewrite <- sum_plus. apply sum_ext. intros. ring. }
    rewrite plus. unfold f. pose proof (Rmax_l (F (2 * u)%nat) (F (2 * u + 1)%nat)). pose proof (Rmax_r (F (2 * u)%nat) (F (2 * u + 1)%nat)).
    assert (0 <= mean a (fun x => chance reading x (2 * u)%nat)) by (apply mean_nonneg; auto; intros; apply chance_nonneg).
    assert (0 <= mean a (fun x => chance reading x (2 * u + 1)%nat)) by (apply mean_nonneg; auto; intros; apply chance_nonneg).
    rewrite Rmult_plus_distr_r. apply Rplus_le_compat; now apply Rmult_le_compat_l. }
  assert (seconds : second_mean laws g <= sum (fun u => mean b (fun x => chance reading x (2 * u)%nat) * F (2 * u)%nat
      + mean b (fun x => chance reading x (2 * u + 1)%nat) * F (2 * u + 1)%nat) (codes m)).
  { unfold second_mean, laws, others_laws, second, others. rewrite sum_map. simpl fst. simpl snd. apply sum_le. intros u _.
    assert (plus : forall c : belief X, mean c (fun x => chance reading x (2 * u)%nat + chance reading x (2 * u + 1)%nat)
      = mean c (fun x => chance reading x (2 * u)%nat) + mean c (fun x => chance reading x (2 * u + 1)%nat)).
    { intros c. unfold mean. rewrite <- sum_plus. apply sum_ext. intros. ring. }
    rewrite plus. unfold g. pose proof (Rmin_l (F (2 * u)%nat) (F (2 * u + 1)%nat)). pose proof (Rmin_r (F (2 * u)%nat) (F (2 * u + 1)%nat)).
    assert (0 <= mean b (fun x => chance reading x (2 * u)%nat)) by (apply mean_nonneg; auto; intros; apply chance_nonneg).
    assert (0 <= mean b (fun x => chance reading x (2 * u + 1)%nat)) by (apply mean_nonneg; auto; intros; apply chance_nonneg).
    rewrite Rmult_plus_distr_r. apply Rplus_le_compat; now apply Rmult_le_compat_l. }
  pose proof (exp_pos delta).
  enough (first_mean laws f <= exp delta * second_mean laws g).
  { eapply Rle_trans; [exact firsts|]. eapply Rle_trans; [eassumption|]. apply Rmult_le_compat_l; [lra|exact seconds]. }
  apply (mixed_bound laws q (exp delta) f g (F high) (F low)); auto; try lra.
  - intros u. unfold f. eapply Rle_trans; [apply (nonneg (2 * u)%nat)|apply Rmax_l].
  - intros u. unfold g. apply Rmin_glb; apply nonneg.
  - intros p inside. unfold laws, others_laws in inside. apply in_map_iff in inside as (u & <- & here). apply in_seq in here.
    destruct (codes_of u) as [left right]; [lia|]. unfold f, others; simpl. apply Rmax_lub; now apply highest.
  - intros p inside. unfold laws, others_laws in inside. apply in_map_iff in inside as (u & <- & here). apply in_seq in here.
    destruct (codes_of u) as [left right]; [lia|]. unfold g, others. simpl.
    pose proof (lowest _ left). pose proof (lowest _ right). simpl in *. apply Rmin_glb; lra.
  - intros p inside. unfold laws, others_laws in inside. apply in_map_iff in inside as (u & <- & here). apply in_seq in here.
    unfold others; simpl snd.
    assert (pairs : forall s s', (s < 2)%nat -> (s' < 2)%nat ->
      (1 - q) * F (2 * u + s)%nat + q * F high <= exp delta * ((1 - q) * F (2 * u + s')%nat + q * F low)).
    { intros s s' less less'. apply each; lia. }
    pose proof (pairs 0%nat 0%nat ltac:(lia) ltac:(lia)) as p00. pose proof (pairs 0%nat 1%nat ltac:(lia) ltac:(lia)) as p01.
    pose proof (pairs 1%nat 0%nat ltac:(lia) ltac:(lia)) as p10. pose proof (pairs 1%nat 1%nat ltac:(lia) ltac:(lia)) as p11.
    rewrite Nat.add_0_r in *. unfold f, g, Rmax, Rmin. repeat destruct Rle_dec; assumption.
Qed.

(** * The bins of a number, by bounds on its distribution function *)

(** How much a function changes from [i] to [i + n], step by step. *)
Fixpoint variation (w : nat -> R) (i n : nat) : R :=
  match n with O => 0 | S n => Rabs (w (S i) - w i) + variation w (S i) n end.

(** It rises or falls in [p] monotone pieces. *)
Inductive pieces (w : nat -> R) : nat -> nat -> nat -> Prop :=
| NoPiece i : pieces w 0 i 0
| Rising p i n rest : (forall j, (i <= j < i + n)%nat -> w j <= w (S j)) -> pieces w p (i + n) rest -> pieces w (S p) i (n + rest)
| Falling p i n rest : (forall j, (i <= j < i + n)%nat -> w (S j) <= w j) -> pieces w p (i + n) rest -> pieces w (S p) i (n + rest).

Lemma variation_app w i n rest : variation w i (n + rest) = variation w i n + variation w (i + n) rest.
Proof.
  revert i. induction n as [|n IH]; intros i; simpl; [rewrite Nat.add_0_r; ring|]. rewrite IH.
  replace (S i + n)%nat with (i + S n)%nat by lia. ring.
Qed.

Lemma variation_rising w i n : (forall j, (i <= j < i + n)%nat -> w j <= w (S j)) -> variation w i n = w (i + n)%nat - w i.
Proof.
  revert i. induction n as [|n IH]; intros i rises; simpl; [rewrite Nat.add_0_r; ring|].
  rewrite IH by (intros; apply rises; lia). pose proof (rises i ltac:(lia)). rewrite Rabs_pos_eq by lra.
  replace (S i + n)%nat with (i + S n)%nat by lia. ring.
Qed.

Lemma variation_falling w i n : (forall j, (i <= j < i + n)%nat -> w (S j) <= w j) -> variation w i n = w i - w (i + n)%nat.
Proof.
  revert i. induction n as [|n IH]; intros i falls; simpl; [rewrite Nat.add_0_r; ring|].
  rewrite IH by (intros; apply falls; lia). pose proof (falls i ltac:(lia)). rewrite Rabs_left1 by lra.
  replace (S i + n)%nat with (i + S n)%nat by lia. ring.
Qed.

(** "the variation of w, which is at most the pieces times (the largest w - the least)" (src/sordino/definition/bounded_dependence.py) *)
Lemma variation_of_pieces w p i n low high : pieces w p i n -> (forall j, (i <= j <= i + n)%nat -> low <= w j <= high) ->
  variation w i n <= INR p * (high - low).
Proof.
  intros cut. induction cut as [i|p i n rest rises cut IH|p i n rest falls cut IH]; intros range.
  - simpl. pose proof (range i ltac:(lia)). lra.
  - rewrite variation_app, variation_rising, S_INR by assumption.
    pose proof (range i ltac:(lia)). pose proof (range (i + n)%nat ltac:(lia)).
    assert (variation w (i + n) rest <= INR p * (high - low)) by (apply IH; intros; apply range; lia). lra.
  - rewrite variation_app, variation_falling, S_INR by assumption.
    pose proof (range i ltac:(lia)). pose proof (range (i + n)%nat ltac:(lia)).
    assert (variation w (i + n) rest <= INR p * (high - low)) by (apply IH; intros; apply range; lia). lra.
Qed.

(** Summation by parts: "the sum of w (P - P') is that of -(w(t + 1) - w(t)) (F(t) - F'(t)) over the thresholds t"
    (src/sordino/definition/bounded_dependence.py). *)
Lemma by_parts (w d : nat -> R) (k : nat) : sum (fun g => d g * w g) (codes (S k)) =
  w k * sum d (codes (S k)) - sum (fun t => (w (S t) - w t) * sum d (codes (S t))) (codes k).
Proof.
  assert (last : forall f n, sum f (seq 0 (S n)) = sum f (seq 0 n) + f n) by (intros f n; rewrite seq_S, sum_app; simpl; ring).
  unfold codes. induction k as [|k IH]; [simpl; ring|].
  rewrite (last (fun g => d g * w g) (S k)), IH, (last d (S k)), (last (fun t => (w (S t) - w t) * sum d (seq 0 (S t))) k). ring.
Qed.

Lemma variation_is_sum w n : variation w 0 n = sum (fun t => Rabs (w (S t) - w t)) (codes n).
Proof.
  assert (general : forall i, variation w i n = sum (fun t => Rabs (w (S t) - w t)) (seq i n)).
  { induction n as [|n IH]; intros i; simpl; [reflexivity|]. now rewrite IH. }
  apply general.
Qed.

Lemma gap_by_thresholds (w d : nat -> R) (k p : nat) (q low high : R) :
  sum d (codes (S k)) = 0 -> (forall t, (t < k)%nat -> Rabs (sum d (codes (S t))) <= q) -> pieces w p 0 k ->
  (forall g, (g <= k)%nat -> low <= w g <= high) -> 0 <= q ->
  sum (fun g => d g * w g) (codes (S k)) <= INR p * q * (high - low).
Proof.
  intros none near cut range nonneg. rewrite by_parts, none.
  assert (turns : variation w 0 k <= INR p * (high - low)) by (apply variation_of_pieces; auto; intros; apply range; lia).
  rewrite variation_is_sum in turns.
  apply Rle_trans with (q * sum (fun t => Rabs (w (S t) - w t)) (codes k)); [|nra].
  rewrite <- sum_scale. rewrite Rmult_0_r.
  enough (forall items, (forall t, In t items -> (t < k)%nat) ->
    0 - sum (fun t => (w (S t) - w t) * sum d (codes (S t))) items <= sum (fun t => q * Rabs (w (S t) - w t)) items) as all.
  { apply all. intros t here. apply in_seq in here. lia. }
  induction items as [|t items IH]; intros inside; simpl; [lra|].
  specialize (IH (fun u here => inside u (or_intror here))). pose proof (near t (inside t (or_introl eq_refl))) as small.
  assert (- ((w (S t) - w t) * sum d (codes (S t))) <= q * Rabs (w (S t) - w t)).
  { eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_Ropp, Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|assumption]. }
  simpl in *. lra.
Qed.

(** What an answer about the bins reveals, "For a channel each of whose codes has a probability that rises or falls in so many
    monotone pieces from bin to bin" (src/sordino/definition/bounded_dependence.py): q bounds how far the distribution functions are
    apart, at every threshold between two of the [k + 1] bins. *)
Theorem answer_about_bins_reveals_at_most {X : Type} (reading : query X) (mechanism : query nat) (k p : nat) (a b : belief X)
    (q epsilon : R) (y : nat) :
  outputs reading = S k -> is_belief a -> is_belief b -> 0 <= q -> 0 <= epsilon ->
  (forall t, (t < k)%nat ->
    Rabs (sum (fun g => mean a (fun x => chance reading x g) - mean b (fun x => chance reading x g)) (codes (S t))) <= q) ->
  pieces (fun g => chance mechanism g y) p 0 k ->
  (forall g g', (g <= k)%nat -> (g' <= k)%nat -> chance mechanism g y <= exp epsilon * chance mechanism g' y) ->
  mean a (fun x => chance (followed_by reading mechanism) x y) <=
  (1 + INR p * q * (exp epsilon - 1)) * mean b (fun x => chance (followed_by reading mechanism) x y).
Proof.
  intros size one two positive nonneg near cut rows. rewrite !mean_followed, size.
  set (w := fun g => chance mechanism g y) in *. set (d := fun g => mean a (fun x => chance reading x g) - mean b (fun x => chance reading x g)).
  assert (some : codes (S k) <> []) by discriminate.
  destruct (largest_item (fun g => - w g) (codes (S k)) some) as (low & low_in & lowest). apply in_seq in low_in.
  assert (total : forall c, is_belief c -> sum (fun g => mean c (fun x => chance reading x g)) (codes (S k)) = 1).
  { intros c valid. rewrite <- mean_sum, (mean_ext c _ (fun _ => 1)); [now apply mean_constant|].
    intros x. rewrite <- size. apply chance_total. }
  assert (range : forall g, (g <= k)%nat -> w low <= w g <= exp epsilon * w low).
  { intros g inside. split; [|apply rows; lia]. assert (here : In g (codes (S k))) by (apply in_seq; lia). specialize (lowest g here). lra. }
  assert (gap : sum (fun g => d g * w g) (codes (S k)) <= INR p * q * (exp epsilon * w low - w low)).
  { apply gap_by_thresholds; auto. unfold d. rewrite sum_minus, !total by assumption. ring. }
  assert (difference : sum (fun g => mean a (fun x => chance reading x g) * w g) (codes (S k)) =
    sum (fun g => mean b (fun x => chance reading x g) * w g) (codes (S k)) + sum (fun g => d g * w g) (codes (S k))).
  { rewrite <- sum_plus. apply sum_ext. intros g _. unfold d. ring. }
  fold w. change (fun g => mean a (fun x => chance reading x g) * chance mechanism g y) with (fun g => mean a (fun x => chance reading x g) * w g).
  change (fun g => mean b (fun x => chance reading x g) * chance mechanism g y) with (fun g => mean b (fun x => chance reading x g) * w g).
  assert (above : w low <= sum (fun g => mean b (fun x => chance reading x g) * w g) (codes (S k))).
  { rewrite <- (Rmult_1_l (w low)), <- (total b two), <- sum_scale_right. apply sum_le. intros g here. apply in_seq in here.
    apply Rmult_le_compat_l; [apply mean_nonneg; auto; intros; apply chance_nonneg|]. apply range. lia. }
  rewrite difference. pose proof (exp_ineq1_le epsilon) as grows. pose proof (pos_INR p).
  set (B := sum (fun g => mean b (fun x => chance reading x g) * w g) (codes (S k))) in *.
  assert (0 <= INR p * q * (exp epsilon - 1)) by (repeat apply Rmult_le_pos; lra).
  assert (INR p * q * (exp epsilon - 1) * w low <= INR p * q * (exp epsilon - 1) * B) by (now apply Rmult_le_compat_l).
  nra.
Qed.

(** * Answers that touch the attribute, and others beside them *)

(** "what a type tells is at most a + ln(1 + q (e^b - 1)), a the levels of its answers that touch i, added; b those of the others"
    (src/sordino/definition/sampling.py): [L] is the likelihood of the answers that touch it, and the others are read from the
    record, with randomness of their own, as [answer_reveals_at_most] says. *)
Theorem touching_answers_add {X : Type} (L : X -> R) (reading : query X) (mechanism : query nat) (a b : belief X)
    (q touching epsilon : R) (y : nat) :
  is_belief a -> is_belief b -> (forall x, 0 <= L x) -> (forall x x', L x <= exp touching * L x') ->
  total_variation (index_laws reading a b) <= q <= 1 -> 0 <= epsilon ->
  (forall g g', chance mechanism g y <= exp epsilon * chance mechanism g' y) ->
  let asked x := chance (followed_by reading mechanism) x y in
  mean a (fun x => L x * asked x) <= exp (touching + ln (1 + q * (exp epsilon - 1))) * mean b (fun x => L x * asked x).
Proof.
  intros one two nonneg level small positive rows asked.
  pose proof (answer_reveals_at_most reading mechanism a b q epsilon y one two small positive rows) as others. fold asked in others.
  pose proof (exp_ineq1_le epsilon). pose proof (variation_range _ (index_laws_are_laws reading a b one two)).
  assert (0 <= q * (exp epsilon - 1)) by (apply Rmult_le_pos; lra).
  rewrite exp_plus, exp_ln by lra. set (factor := 1 + q * (exp epsilon - 1)) in *.
  assert (asked_nonneg : forall x, 0 <= asked x) by (intros x; apply chance_nonneg).
  destruct b as [|[weight_b x0] rest]; [destruct two as [_ total]; unfold mean in total; simpl in total; lra|].
  set (b := (weight_b, x0) :: rest) in *.
  (* The least likelihood that a record of [b] gives. *)
  destruct (largest_item (fun part => - L (snd part)) b) as ([wl xl] & _ & lowest); [discriminate|]. simpl in lowest.
  assert (least : forall part, In part b -> L xl <= L (snd part)) by (intros part here; specialize (lowest part here); lra).
  assert (upper : mean a (fun x => L x * asked x) <= exp touching * L xl * mean a asked).
  { rewrite <- mean_scale. apply mean_le; auto. intros x. apply Rmult_le_compat_r; auto. }
  assert (lower : L xl * mean b asked <= mean b (fun x => L x * asked x)).
  { rewrite <- mean_scale. unfold mean. apply sum_le. intros part here. apply Rmult_le_compat_l; [now apply two|].
    apply Rmult_le_compat_r; auto. }
  pose proof (exp_pos touching). pose proof (nonneg xl).
  apply Rle_trans with (exp touching * L xl * (factor * mean b asked)).
  { eapply Rle_trans; [exact upper|]. apply Rmult_le_compat_l; [|exact others]. apply Rmult_le_pos; lra. }
  replace (exp touching * L xl * (factor * mean b asked)) with (exp touching * factor * (L xl * mean b asked)) by ring.
  apply Rmult_le_compat_l; [|exact lower]. apply Rmult_le_pos; unfold factor; lra.
Qed.

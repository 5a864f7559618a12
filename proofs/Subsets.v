(** Draws with one coin over sets that are too many to be listed: subset selection, whose codes are all sets of [size] of k values
    (2^63 and more), and randomized response. That the sets are as large for each value is proved here, for the meaning
    that Draws.v gives to [Masks] and [Run]; two comparisons decide then, for any number of values. *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool FinFun.
From Sordino Require Import Sums Channels Definitions Exponential Coins Checker Draws Listing.
Import ListNotations.
Open Scope Z_scope.

(** * The program *)

(** A row of Pascal's triangle. *)
Fixpoint binomials (n : nat) : list Z :=
  match n with O => [1] | S n => let row := binomials n in zip_with Z.add (0 :: row) (row ++ [0]) end.
Definition choices (n s : nat) : Z := nth s (binomials n) 0.

Definition accepts_subset (epsilon : nats) (bits size : nat) (t : Z) : bool :=
  let on := choices (bits - 1) (size - 1) in
  let off := choices (bits - 1) size in
  Nat.leb 1 size && Nat.ltb size bits && Z.leb 0 t && Z.leb t word && Qle_bool 0 (rational epsilon) && Qle_bool 1 (ratio epsilon) &&
  accepts_coin epsilon off on t && Qle_bool (inject_Z (on * (word - t))) (factor_below epsilon * inject_Z (off * t)).

(** * Counting *)

Definition count (n s : nat) : Z := Z.of_nat (length (masks n s)).

Lemma count_next n s : count (S n) s = count n s + match s with O => 0 | S s => count n s end.
Proof.
  unfold count. simpl. rewrite app_length. destruct s; simpl; [lia|]. rewrite map_length. lia.
Qed.

Lemma binomials_length n : length (binomials n) = S n.
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [binomials]. apply zip_with_length; simpl; rewrite ?app_length, IH; simpl; lia.
Qed.

Lemma no_larger_sets n : forall s, (n < s)%nat -> count n s = 0.
Proof.
  induction n as [|n IH]; intros s large; [destruct s; [lia|reflexivity]|].
  rewrite count_next. destruct s as [|s]; [lia|]. rewrite !IH by lia. reflexivity.
Qed.

Lemma choices_count n : forall s, choices n s = count n s.
Proof.
  unfold choices. induction n as [|n IH]; intros s; [destruct s as [|[|s]]; reflexivity|].
  destruct (Nat.lt_ge_cases (S n) s) as [large|small].
  - rewrite no_larger_sets by assumption. apply nth_overflow. rewrite binomials_length. lia.
  - rewrite count_next. cbn [binomials]. rewrite zip_with_nth by (simpl; rewrite ?app_length, binomials_length; simpl; lia).
    destruct s as [|s].
    + simpl. rewrite app_nth1 by (rewrite binomials_length; lia). rewrite IH. lia.
    + cbn [nth]. rewrite IH. destruct (Nat.eq_dec s n) as [->|differs].
      * rewrite (app_nth2 (binomials n)) by (rewrite binomials_length; lia). rewrite binomials_length, Nat.sub_diag. simpl.
        rewrite (no_larger_sets n (S n)) by lia. lia.
      * rewrite app_nth1 by (rewrite binomials_length; lia). rewrite IH. lia.
Qed.

Lemma masks_range n : forall s m, In m (masks n s) -> 0 <= m < 2 ^ Z.of_nat n.
Proof.
  induction n as [|n IH]; intros s m; [destruct s; simpl; [intros [<-|[]]; lia|tauto]|].
  simpl masks. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. intros inside. apply in_app_or in inside as [inside|inside].
  - specialize (IH _ _ inside). lia.
  - destruct s as [|s]; [destruct inside|]. apply in_map_iff in inside as (low & <- & inside). specialize (IH _ _ inside). lia.
Qed.

Lemma low_bits n m v : 0 <= v < Z.of_nat n -> Z.testbit (m + 2 ^ Z.of_nat n) v = Z.testbit m v.
Proof.
  intros small. rewrite <- (Z.mod_pow2_bits_low (m + 2 ^ Z.of_nat n) (Z.of_nat n)) by lia.
  rewrite <- (Z.mod_pow2_bits_low m (Z.of_nat n) v) by lia. f_equal.
  rewrite <- (Z.mul_1_l (2 ^ Z.of_nat n)) at 1. apply Z_mod_plus_full.
Qed.

Lemma own_bit n m : 0 <= m < 2 ^ Z.of_nat n -> Z.testbit (m + 2 ^ Z.of_nat n) (Z.of_nat n) = true.
Proof.
  intros range. apply Z.testbit_true; [lia|]. rewrite <- (Z.mul_1_l (2 ^ Z.of_nat n)) at 1.
  rewrite Z_div_plus_full by lia. rewrite Z.div_small by assumption. reflexivity.
Qed.

Lemma no_bit n m : 0 <= m < 2 ^ Z.of_nat n -> Z.testbit m (Z.of_nat n) = false.
Proof. intros range. apply Z.testbit_false; [lia|]. rewrite Z.div_small by assumption. reflexivity. Qed.

Lemma filter_none {A : Type} (f : A -> bool) (l : list A) : (forall a, In a l -> f a = false) -> filter f l = [].
Proof. induction l as [|a l IH]; simpl; intros none; [reflexivity|]. rewrite none by now left. apply IH. auto. Qed.

Lemma filter_all {A : Type} (f : A -> bool) (l : list A) : (forall a, In a l -> f a = true) -> filter f l = l.
Proof. induction l as [|a l IH]; simpl; intros all; [reflexivity|]. rewrite all by now left. f_equal. apply IH. auto. Qed.

Lemma filter_mapped {A : Type} (f : A -> bool) (g : A -> A) (l : list A) :
  (forall a, In a l -> f (g a) = f a) -> length (filter f (map g l)) = length (filter f l).
Proof.
  induction l as [|a l IH]; simpl; intros same; [reflexivity|]. rewrite same by now left.
  destruct (f a); simpl; rewrite IH; auto.
Qed.

(** Each value is in as many sets: those of the other values that are smaller by one. *)
Lemma sets_of_value n : forall s v, (v < n)%nat ->
  Z.of_nat (length (filter (fun m => Z.testbit m (Z.of_nat v)) (masks n s))) = match s with O => 0 | S s => count (n - 1) s end.
Proof.
  induction n as [|n IH]; intros s v small; [lia|]. simpl masks. rewrite filter_app, app_length, Nat2Z.inj_add.
  replace (S n - 1)%nat with n by lia. destruct (Nat.eq_dec v n) as [->|differs].
  - rewrite filter_none by (intros m inside; apply no_bit; eapply masks_range; eassumption).
    destruct s as [|s]; [reflexivity|]. rewrite filter_all.
    + rewrite map_length. reflexivity.
    + intros m inside. apply in_map_iff in inside as (low & <- & inside). apply own_bit. eapply masks_range; eassumption.
  - rewrite IH by lia. destruct s as [|s]; [reflexivity|].
    rewrite filter_mapped by (intros m _; apply low_bits; lia). rewrite IH by lia.
    destruct n as [|n]; [lia|]. replace (S n - 1)%nat with n by lia. rewrite (count_next n s). destruct s; lia.
Qed.

Lemma masks_are_distinct n : forall s, NoDup (masks n s).
Proof.
  induction n as [|n IH]; intros s; [destruct s; simpl; [constructor; [intros []|constructor]|constructor]|]. simpl.
  assert (apart : forall l l' : list Z, NoDup l -> NoDup l' -> (forall m, In m l -> ~ In m l') -> NoDup (l ++ l')).
  { clear. induction l as [|a l IH]; simpl; intros l' first second differ; [assumption|].
    apply NoDup_cons_iff in first as [new first]. constructor.
    - intros inside. apply in_app_or in inside as [inside|inside]; [auto|]. exact (differ a (or_introl eq_refl) inside).
    - apply IH; auto. }
  apply apart; [apply IH| |].
  - destruct s as [|s]; [constructor|]. apply Injective_map_NoDup; [|apply IH]. intros a b equal. lia.
  - intros m inside again. destruct s as [|s]; [destruct again|]. apply in_map_iff in again as (low & <- & below).
    pose proof (masks_range _ _ _ inside). pose proof (masks_range _ _ _ below). lia.
Qed.

Lemma split_length {A : Type} (f : A -> bool) (l : list A) :
  (length (filter f l) + length (filter (fun a => negb (f a)) l) = length l)%nat.
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. destruct (f a); simpl; lia. Qed.

(** * What is drawn *)

Lemma total_of_two (on off : list Z) (a b : Z) :
  total (map (fun y => (y, a)) on ++ map (fun y => (y, b)) off) = Z.of_nat (length on) * a + Z.of_nat (length off) * b.
Proof.
  unfold total. rewrite map_app, !map_map. simpl.
  assert (one : forall (l : list Z) c rest, fold_right Z.add rest (map (fun _ => c) l) = Z.of_nat (length l) * c + rest).
  { induction l as [|y l IH]; intros c rest; simpl map; cbn [fold_right length]; [lia|]. rewrite IH. lia. }
  rewrite fold_right_app, !one. lia.
Qed.

Lemma mass_of_two (all : list Z) (f : Z -> bool) (a b y : Z) : NoDup all ->
  mass (map (fun y => (y, a)) (filter f all) ++ map (fun y => (y, b)) (filter (fun y => negb (f y)) all)) y =
  if in_dec Z.eq_dec y all then (if f y then a else b) else 0.
Proof.
  intros distinct. unfold mass. rewrite map_app, !map_map, fold_right_app. simpl.
  assert (none : forall (l : list Z) c rest, ~ In y l ->
    fold_right Z.add rest (map (fun z => if z =? y then c else 0) l) = rest).
  { induction l as [|z l IH]; intros c rest outside; simpl; [reflexivity|]. rewrite IH by (intros here; apply outside; now right).
    destruct (Z.eqb_spec z y); [exfalso; apply outside; now left|reflexivity]. }
  assert (once : forall (l : list Z) c rest, NoDup l -> In y l ->
    fold_right Z.add rest (map (fun z => if z =? y then c else 0) l) = c + rest).
  { induction l as [|z l IH]; intros c rest unique inside; simpl; [destruct inside|].
    apply NoDup_cons_iff in unique as [new unique]. destruct (Z.eqb_spec z y) as [->|differs].
    - now rewrite none by assumption.
    - rewrite IH; [reflexivity|assumption|]. destruct inside; [contradiction|assumption]. }
  destruct (in_dec Z.eq_dec y all) as [inside|outside].
  - destruct (f y) eqn:side.
    + rewrite once; [|now apply NoDup_filter|apply filter_In; auto].
      rewrite none; [lia|]. intros again. apply filter_In in again as [_ no]. rewrite side in no. discriminate.
    + rewrite none; [|intros again; apply filter_In in again as [_ no]; congruence].
      rewrite once; [lia|now apply NoDup_filter|apply filter_In; rewrite side; auto].
  - rewrite !none; [reflexivity| |]; intros again; apply filter_In in again as [again _]; contradiction.
Qed.

Lemma followed_sure (n : Z) (next : Z -> option distribution) (d : distribution) :
  next n = Some d -> (0 < total d) -> followed (sure n) next = Some (scaled 1 d ++ []).
Proof.
  intros found positive. unfold followed, sure. cbn [all_of bind fst snd map fold_right]. rewrite found. cbn [bind map fold_right concat fst snd].
  rewrite Z.lcm_1_r, Z.abs_eq by lia. rewrite Z.div_same by lia. reflexivity.
Qed.

Lemma scaled_by_1 (d : distribution) : scaled 1 d ++ [] = d.
Proof.
  rewrite app_nil_r. unfold scaled. induction d as [|[y w] d IH]; simpl; [reflexivity|]. now rewrite IH, Z.mul_1_r.
Qed.

Section OneCoin.
  Context (fuel : nat) (epsilon : nats) (sets : code_sets) (t : Z) (all : list Z) (contains : Z -> Z -> bool) (on off : Z).
  Let others v := fun y => negb (contains v y).
  Hypothesis distinct : NoDup all.
  Hypothesis some_on : 0 < on.
  Hypothesis some_off : 0 < off.
  Hypothesis is_threshold : 0 <= t <= word.

  (** What is asked of a value's set. *)
  Definition is_side (v : Z) : Prop :=
    sides_of sets v = Some (filter (contains v) all, filter (others v) all) /\
    Z.of_nat (length (filter (contains v) all)) = on /\ Z.of_nat (length (filter (others v) all)) = off.

  Lemma side_law (v : Z) : is_side v -> law (S (S fuel)) (Sides (Number t) sets Value) v = Some
    (map (fun y => (y, off * t)) (filter (contains v) all) ++ map (fun y => (y, on * (word - t))) (filter (others v) all)).
  Proof.
    intros (split & counted & rest). set (d := map _ (filter (contains v) all) ++ _).
    assert (all_of_it : total d = on * off * word) by (unfold d; rewrite total_of_two, counted, rest; ring).
    assert (positive_total : 0 < total d) by (rewrite all_of_it; unfold word; nia).
    cbn [law bind]. rewrite (followed_sure _ _ d); [now rewrite scaled_by_1| |assumption].
    rewrite (followed_sure _ _ d); [now rewrite scaled_by_1| |assumption]. rewrite split. cbn [bind].
    destruct (filter (contains v) all) as [|first more] eqn:is_on; [simpl in counted; lia|].
    destruct (filter (others v) all) as [|other further] eqn:is_off; [simpl in rest; lia|].
    cbv zeta. rewrite counted, rest.
    replace ((0 <=? t) && (t <=? word))%bool with true by (symmetry; apply andb_true_iff; lia). reflexivity.
  Qed.

  Hypothesis no_less_than_0 : Qle_bool 0 (rational epsilon) = true.
  Hypothesis no_less_than_1 : Qle_bool 1 (ratio epsilon) = true.
  Hypothesis coin : accepts_coin epsilon off on t = true.
  Hypothesis mirror : Qle_bool (inject_Z (on * (word - t))) (factor_below epsilon * inject_Z (off * t)) = true.

  Lemma one_coin_draw (x x' : Z) : is_side x -> is_side x' ->
    exists first second, law (S (S fuel)) (Sides (Number t) sets Value) x = Some first /\ law (S (S fuel)) (Sides (Number t) sets Value) x' = Some second /\
    forall y, (probability first y <= exp (value epsilon) * probability second y)%R.
  Proof.
    intros first_side second_side. eexists. eexists.
    split; [apply side_law, first_side|]. split; [apply side_law, second_side|]. intros y. unfold probability.
    destruct first_side as (_ & counted & rest), second_side as (_ & counted' & rest').
    unfold others in *. rewrite !mass_of_two by assumption. rewrite !total_of_two, counted, counted', rest, rest'.
    set (T := _ + _). set (a := off * t) in *. set (b := on * (word - t)) in *.
    apply accepted_coin_keeps in coin; [|lia|lia]. unfold coin_keeps in coin. fold a b in coin.
    apply Qle_bool_iff, Qle_Rle in mirror. rewrite Q2R_mult, !Q2R_inject in mirror.
    assert (0 <= a /\ 0 <= b) as [a_some b_some] by (unfold a, b; nia).
    assert (0 < T) by (unfold T, a, b, word in *; nia).
    assert (mirrored : (IZR b <= exp (value epsilon) * IZR a)%R).
    { eapply Rle_trans; [exact mirror|]. apply Rmult_le_compat_r; [now apply IZR_le|apply factor_is_below]. }
    assert (grows : (1 <= exp (value epsilon))%R).
    { apply Qle_bool_iff, Qle_Rle in no_less_than_0, no_less_than_1.
      replace (Q2R 0) with 0%R in no_less_than_0 by (unfold Q2R; simpl; ring).
      replace (Q2R 1) with 1%R in no_less_than_1 by (unfold Q2R; simpl; field).
      pose proof (exp_ineq1_le (value epsilon)). assert (0 <= value epsilon)%R; [|lra]. unfold value.
      assert (0 <= ln (Q2R (ratio epsilon)))%R; [|lra]. rewrite <- ln_1.
      destruct no_less_than_1 as [more|same]; [left; apply ln_increasing; lra|rewrite same; lra]. }
    apply IZR_le in a_some, b_some. assert (0 < IZR T)%R by now apply IZR_lt.
    assert (kept : forall one other : Z, (one = a \/ one = b) -> (other = a \/ other = b) ->
      (IZR one <= exp (value epsilon) * IZR other)%R).
    { intros one other [->| ->] [->| ->]; nra. }
    unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    destruct (in_dec Z.eq_dec y all); [|lra].
    apply kept; [destruct (contains x y)|destruct (contains x' y)]; auto.
  Qed.
End OneCoin.

(** * Subset selection *)

Theorem accepted_subset (fuel : nat) (epsilon : nats) (bits size : nat) (t : Z) (x x' : nat) :
  accepts_subset epsilon bits size t = true -> (x < bits)%nat -> (x' < bits)%nat ->
  let d := Sides (Number t) (Masks (Z.of_nat bits) (Z.of_nat size)) Value in
  exists first second, law (S (S fuel)) d (Z.of_nat x) = Some first /\ law (S (S fuel)) d (Z.of_nat x') = Some second /\
  forall y, (probability first y <= exp (value epsilon) * probability second y)%R.
Proof.
  unfold accepts_subset. rewrite !andb_true_iff. intros [[[[[[[some short] low] high] from_0] from_1] coin] mirror] small small'.
  apply Nat.leb_le in some. apply Nat.ltb_lt in short. apply Z.leb_le in low, high.
  rewrite !choices_count in coin, mirror.
  assert (positive : forall n s, (s <= n)%nat -> 0 < count n s).
  { clear. induction n as [|n IH]; intros s small; [destruct s; [reflexivity|lia]|]. rewrite count_next.
    destruct s as [|s]; [specialize (IH 0%nat ltac:(lia)); lia|]. specialize (IH s ltac:(lia)).
    assert (0 <= count n (S s)) by (unfold count; lia). lia. }
  assert (side : forall v, (v < bits)%nat -> is_side (Masks (Z.of_nat bits) (Z.of_nat size)) (masks bits size)
    (fun v y => Z.testbit y v) (count (bits - 1) (size - 1)) (count (bits - 1) size) (Z.of_nat v)).
  { intros v here. split; [cbn [sides_of]; now rewrite !Nat2Z.id|].
    assert (on : Z.of_nat (length (filter (fun y => Z.testbit y (Z.of_nat v)) (masks bits size))) = count (bits - 1) (size - 1)).
    { rewrite sets_of_value by assumption. destruct size as [|s]; [lia|]. f_equal. lia. }
    split; [exact on|]. pose proof (split_length (fun y => Z.testbit y (Z.of_nat v)) (masks bits size)) as both.
    assert (whole : Z.of_nat (length (masks bits size)) = count (bits - 1) size + count (bits - 1) (size - 1)).
    { fold (count bits size). replace bits with (S (bits - 1)) at 1 by lia. rewrite count_next. destruct size; [lia|]. f_equal.
      simpl. now rewrite Nat.sub_0_r. }
    lia. }
  apply (one_coin_draw fuel epsilon _ t (masks bits size) (fun v y => Z.testbit y v) (count (bits - 1) (size - 1)) (count (bits - 1) size));
    auto using masks_are_distinct; apply positive; lia.
Qed.

(** * Randomized response *)

Theorem accepted_run (fuel : nat) (epsilon : nats) (k : nat) (t : Z) (x x' : nat) :
  accepts_randomized epsilon k t = true -> (x < k)%nat -> (x' < k)%nat ->
  let d := Sides (Number t) (Run (Z.of_nat k) 1) Value in
  exists first second, law (S (S fuel)) d (Z.of_nat x) = Some first /\ law (S (S fuel)) d (Z.of_nat x') = Some second /\
  forall y, (probability first y <= exp (value epsilon) * probability second y)%R.
Proof.
  unfold accepts_randomized. rewrite !andb_true_iff. intros [[[[[[several low] high] from_0] from_1] coin] mirror] small small'.
  apply Nat.leb_le in several. apply Z.leb_le in low, high.
  set (all := map Z.of_nat (seq 0 k)).
  assert (side : forall v, (v < k)%nat -> is_side (Run (Z.of_nat k) 1) all
    (fun v y => (v <=? y) && (y <? v + 1)) 1 (Z.of_nat k - 1) (Z.of_nat v)).
  { intros v here. split; [cbn [sides_of]; unfold numbers; now rewrite Nat2Z.id|].
    set (f := fun y => (Z.of_nat v <=? y) && (y <? Z.of_nat v + 1)).
    assert (own : Z.of_nat (length (filter f all)) = 1).
    { unfold all. enough (counted : forall n start, length (filter f (map Z.of_nat (seq start n))) =
        if Nat.leb start v && Nat.ltb v (start + n) then 1%nat else 0%nat).
      { rewrite counted. simpl. destruct (Nat.ltb_spec v k); [reflexivity|lia]. }
      induction n as [|n IH]; intros start; cbn [seq map filter].
      - destruct (Nat.leb_spec start v), (Nat.ltb_spec v (start + 0)); simpl; auto; lia.
      - destruct (f (Z.of_nat start)) eqn:is_own; unfold f in is_own; cbn [length]; rewrite IH;
          destruct (Nat.leb_spec (S start) v), (Nat.leb_spec start v), (Nat.ltb_spec v (S start + n)), (Nat.ltb_spec v (start + S n));
          simpl; auto; lia. }
    split; [exact own|]. pose proof (split_length f all) as both.
    assert (length all = k) by (unfold all; now rewrite map_length, seq_length). unfold f in *. lia. }
  apply (one_coin_draw fuel epsilon _ t all (fun v y => (v <=? y) && (y <? v + 1)) 1 (Z.of_nat k - 1)); auto; try lia.
  - unfold all. apply Injective_map_NoDup; [|apply seq_NoDup]. intros a b. apply Nat2Z.inj.
  - now rewrite Z.mul_1_l.
Qed.

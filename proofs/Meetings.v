(** Sets that meet a person's set: codes are all sets of one size of some items, and those that share enough items with the set that
    the value is the number of are one side of a coin. There may be 2^53 values and 2^64 codes. That as many codes share j items with
    each value's set, whichever it is, is proved here for the meaning that Draws.v gives to [Meeting]; two comparisons decide then. *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool FinFun.
From Sordino Require Import Sums Channels Definitions Exponential Coins Checker Draws Listing Subsets Projective.
Import ListNotations.
Open Scope Z_scope.

(** * The program *)

(** The first of a row of Pascal's triangle, up to the place [most]. *)
Fixpoint binomials_to (most n : nat) : list Z :=
  match n with O => 1 :: repeat 0 most | S n => let row := binomials_to most n in zip_with Z.add (0 :: row) row end.

(** How many sets of [size] out of [items] share [shared] with one of [chosen]. *)
Definition sharing (items chosen size shared : nat) : Z :=
  nth shared (binomials_to shared chosen) 0 * nth (size - shared) (binomials_to (size - shared) (items - chosen)) 0.
Definition sharing_from (items chosen size first many : nat) : Z :=
  fold_right Z.add 0 (map (sharing items chosen size) (seq first many)).

Definition accepts_meeting (epsilon : nats) (items chosen size least : nat) (t : Z) : bool :=
  let on := sharing_from items chosen size least (S size - least) in
  let off := sharing_from items chosen size 0 least in
  Nat.leb least size && Z.ltb 0 on && Z.ltb 0 off && Z.leb 0 t && Z.leb t word && Qle_bool 0 (rational epsilon) && Qle_bool 1 (ratio epsilon) &&
  accepts_coin epsilon off on t && Qle_bool (inject_Z (on * (word - t))) (factor_below epsilon * inject_Z (off * t)).

(** * Counting *)

Lemma zip_with_before_length (f : Z -> Z -> Z) (row : list Z) : forall before, length (zip_with f (before :: row) row) = length row.
Proof. induction row as [|first row IH]; intros before; [reflexivity|]. cbn [zip_with length]. f_equal. apply IH. Qed.

Lemma binomials_to_length most n : length (binomials_to most n) = S most.
Proof.
  induction n as [|n IH]; cbn [binomials_to]; [cbn [length]; now rewrite repeat_length|]. now rewrite zip_with_before_length.
Qed.

Lemma zip_with_before (f : Z -> Z -> Z) (before : Z) (row : list Z) : forall i, (i < length row)%nat ->
  nth i (zip_with f (before :: row) row) 0 = f (nth i (before :: row) 0) (nth i row 0).
Proof.
  revert before. induction row as [|first row IH]; intros before i small; [simpl in small; lia|].
  destruct i as [|i]; [reflexivity|]. cbn [length] in small. cbn [zip_with]. cbn [nth]. apply IH. lia.
Qed.

Lemma binomials_to_count most n : forall i, (i <= most)%nat -> nth i (binomials_to most n) 0 = count n i.
Proof.
  induction n as [|n IH]; intros i small; cbn [binomials_to].
  - destruct i as [|i]; [reflexivity|]. cbn [nth]. rewrite nth_repeat. reflexivity.
  - rewrite zip_with_before by (rewrite binomials_to_length; lia). rewrite count_next, IH by assumption.
    destruct i as [|i]; cbn [nth]; [lia|]. rewrite IH by lia. lia.
Qed.

Lemma ones_next (n : nat) (m : Z) : ones (Z.of_nat (S n)) m = ones (Z.of_nat n) m + Z.b2z (Z.testbit m (Z.of_nat n)).
Proof.
  unfold ones, numbers. rewrite !Nat2Z.id, seq_S, !map_app, fold_right_app. cbn [map fold_right Nat.add].
  generalize (Z.b2z (Z.testbit m (Z.of_nat n))) (map (fun i => Z.b2z (Z.testbit m i)) (map Z.of_nat (seq 0 n))). clear.
  intros last bits. induction bits as [|bit bits IH]; cbn [fold_right]; [lia|]. rewrite IH. lia.
Qed.

Lemma ones_of_alike (n : nat) (m m' : Z) : (forall i, 0 <= i < Z.of_nat n -> Z.testbit m i = Z.testbit m' i) ->
  ones (Z.of_nat n) m = ones (Z.of_nat n) m'.
Proof.
  induction n as [|n IH]; intros alike; [reflexivity|]. rewrite !ones_next, IH, (alike (Z.of_nat n)) by (intros; try apply alike; lia).
  reflexivity.
Qed.

Lemma ones_range (n : nat) (m : Z) : 0 <= ones (Z.of_nat n) m <= Z.of_nat n.
Proof.
  induction n as [|n IH]; [split; reflexivity|]. rewrite ones_next. destruct (Z.testbit m (Z.of_nat n)); cbn [Z.b2z]; lia.
Qed.

Lemma ones_of_shared (n : nat) (m y : Z) : ones (Z.of_nat n) (Z.land m y) <= ones (Z.of_nat n) y.
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite !ones_next, Z.land_spec.
  destruct (Z.testbit m (Z.of_nat n)), (Z.testbit y (Z.of_nat n)); cbn [Z.b2z andb]; lia.
Qed.

(** A mask of a set has as many bits. *)
Lemma ones_of_mask n : forall s m, In m (masks n s) -> ones (Z.of_nat n) m = Z.of_nat s.
Proof.
  induction n as [|n IH]; intros s m inside; [destruct s; [reflexivity|destruct inside]|].
  rewrite ones_next. simpl masks in inside. apply in_app_or in inside as [inside|inside].
  - rewrite no_bit by (eapply masks_range; eassumption). rewrite (IH s) by assumption. cbn [Z.b2z]. lia.
  - destruct s as [|s]; [destruct inside|]. apply in_map_iff in inside as (low & <- & inside).
    rewrite own_bit by (eapply masks_range; eassumption). rewrite (ones_of_alike n _ low) by (intros; apply low_bits; lia).
    rewrite (IH s) by assumption. cbn [Z.b2z]. lia.
Qed.

(** As many sets share j items with one, whichever it is. *)
Lemma sets_that_share (n : nat) : forall s m a j, ones (Z.of_nat n) m = Z.of_nat a ->
  Z.of_nat (length (filter (fun y => ones (Z.of_nat n) (Z.land m y) =? Z.of_nat j) (masks n s))) =
  if Nat.leb j s then count a j * count (n - a) (s - j) else 0.
Proof.
  induction n as [|n IH]; intros s m a j bits.
  - assert (a = 0%nat) as -> by (change (ones (Z.of_nat 0) m) with 0 in bits; lia).
    destruct s as [|s]; cbn [masks filter].
    + change (ones (Z.of_nat 0) (Z.land m 0)) with 0. destruct j as [|j]; reflexivity.
    + destruct j as [|j]; [reflexivity|]. destruct (Nat.leb (S j) (S s)); reflexivity.
  - rewrite ones_next in bits. pose proof (ones_range n m) as range. simpl masks. rewrite filter_app, app_length, Nat2Z.inj_add.
    assert (without : filter (fun y => ones (Z.of_nat (S n)) (Z.land m y) =? Z.of_nat j) (masks n s) =
      filter (fun y => ones (Z.of_nat n) (Z.land m y) =? Z.of_nat j) (masks n s)).
    { apply filter_ext_in. intros y inside. rewrite ones_next, Z.land_spec, (no_bit n y) by (eapply masks_range; eassumption).
      rewrite andb_false_r. cbn [Z.b2z]. now rewrite Z.add_0_r. }
    rewrite without. clear without.
    assert (with_last : forall s, length (filter (fun y => ones (Z.of_nat (S n)) (Z.land m y) =? Z.of_nat j) (map (fun y => y + 2 ^ Z.of_nat n) (masks n s))) =
      length (filter (fun y => ones (Z.of_nat n) (Z.land m y) + Z.b2z (Z.testbit m (Z.of_nat n)) =? Z.of_nat j) (masks n s))).
    { intros size. rewrite filter_map_length. f_equal. apply filter_ext_in. intros y inside.
      rewrite ones_next, Z.land_spec, (own_bit n y) by (eapply masks_range; eassumption). rewrite andb_true_r.
      f_equal. f_equal. apply ones_of_alike. intros i here. rewrite !Z.land_spec, low_bits by assumption. reflexivity. }
    destruct (Z.testbit m (Z.of_nat n)) eqn:last; cbn [Z.b2z] in *.
    + destruct a as [|a]; [lia|]. assert (ones (Z.of_nat n) m = Z.of_nat a) as own by lia.
      rewrite (IH s m a j own). replace (S n - S a)%nat with (n - a)%nat by lia. rewrite count_next.
      destruct s as [|s].
      * cbn [filter length]. destruct j as [|j]; cbn [Nat.leb]; lia.
      * rewrite with_last. destruct j as [|j].
        -- rewrite filter_none by (intros y _; apply Z.eqb_neq; pose proof (ones_range n (Z.land m y)); lia). cbn [length Nat.leb]. lia.
        -- rewrite (filter_ext _ (fun y => ones (Z.of_nat n) (Z.land m y) =? Z.of_nat j)).
           ++ rewrite (IH s m a j own). cbn [Nat.leb]. replace (S s - S j)%nat with (s - j)%nat by lia.
              destruct (Nat.leb_spec (S j) (S s)), (Nat.leb_spec j s); try lia.
           ++ intros y. apply eq_true_iff_eq. rewrite !Z.eqb_eq. lia.
    + assert (ones (Z.of_nat n) m = Z.of_nat a) as own by lia. rewrite (IH s m a j own).
      replace (S n - a)%nat with (S (n - a)) by lia. destruct s as [|s].
      * cbn [filter length]. destruct j as [|j]; cbn [Nat.leb Nat.sub]; [rewrite count_next|]; lia.
      * rewrite with_last. rewrite (filter_ext _ (fun y => ones (Z.of_nat n) (Z.land m y) =? Z.of_nat j)) by (intros y; f_equal; lia).
        rewrite (IH s m a j own). destruct (Nat.leb_spec j (S s)), (Nat.leb_spec j s); try lia.
        -- replace (S s - j)%nat with (S (s - j)) by lia. rewrite count_next. lia.
        -- replace (S s - j)%nat with 0%nat by lia. rewrite count_next. lia.
Qed.

(** What lies in a range is, place by place, what is at one of its places. *)
Lemma counted_in_range (f : Z -> Z) (first many : nat) (l : list Z) :
  Z.of_nat (length (filter (fun y => (Z.of_nat first <=? f y) && (f y <? Z.of_nat (first + many))) l)) =
  fold_right Z.add 0 (map (fun j => Z.of_nat (length (filter (fun y => f y =? Z.of_nat j) l))) (seq first many)).
Proof.
  revert first. induction many as [|many IH]; intros first; cbn [seq map fold_right].
  - rewrite filter_none; [reflexivity|]. intros y _. apply andb_false_iff.
    destruct (Z.leb_spec (Z.of_nat first) (f y)), (Z.ltb_spec (f y) (Z.of_nat (first + 0))); auto; lia.
  - rewrite <- IH. clear IH. induction l as [|y l IH]; [reflexivity|]. cbn [filter].
    destruct (Z.leb_spec (Z.of_nat first) (f y)), (Z.ltb_spec (f y) (Z.of_nat (first + S many))), (Z.eqb_spec (f y) (Z.of_nat first)),
      (Z.leb_spec (Z.of_nat (S first)) (f y)), (Z.ltb_spec (f y) (Z.of_nat (S first + many))); cbn [andb length]; lia.
Qed.

Lemma counted_sharing (n l w : nat) (m : Z) (first many : nat) : ones (Z.of_nat n) m = Z.of_nat l -> (first + many <= S w)%nat ->
  Z.of_nat (length (filter (fun y => (Z.of_nat first <=? ones (Z.of_nat n) (Z.land m y)) && (ones (Z.of_nat n) (Z.land m y) <? Z.of_nat (first + many))) (masks n w))) =
  sharing_from n l w first many.
Proof.
  intros own short. rewrite counted_in_range. unfold sharing_from. f_equal. apply map_ext_in. intros j inside. apply in_seq in inside.
  rewrite (sets_that_share n w m l j own). unfold sharing. rewrite !binomials_to_count by lia. destruct (Nat.leb_spec j w); [reflexivity|lia].
Qed.

(** * Sets that meet *)

Section Meeting.
  Context (items chosen size least : nat).
  Let on := sharing_from items chosen size least (S size - least).
  Let off := sharing_from items chosen size 0 least.
  Let sets := Meeting (Z.of_nat items) (Z.of_nat chosen) (Z.of_nat size) (Z.of_nat least).
  Let values := masks items chosen.
  Let listed := masks items size.
  Let all := map Z.of_nat (seq 0 (length listed)).
  Hypothesis short : (least <= size)%nat.

  (** Whether the set of number [v] meets one that is a code. *)
  Definition meets (v code : Z) : bool :=
    match nth_error values (Z.to_nat v) with Some own => Z.of_nat least <=? ones (Z.of_nat items) (Z.land own code) | None => false end.
  Let contains v y := match nth_error listed (Z.to_nat y) with Some code => meets v code | None => false end.

  Lemma meeting_side (v : nat) : (v < length values)%nat -> is_side sets all contains on off (Z.of_nat v).
  Proof.
    intros here. destruct (nth_error values v) as [own|] eqn:there; [|apply nth_error_None in there; lia].
    assert (bits : ones (Z.of_nat items) own = Z.of_nat chosen) by (eapply ones_of_mask, nth_error_In; exact there).
    destruct (separated (meets (Z.of_nat v)) listed []) as [its_on its_off]. cbn [length app] in its_on, its_off. fold all in its_on, its_off.
    assert (split : sides_of sets (Z.of_nat v) = Some (filter (contains (Z.of_nat v)) all, filter (fun y => negb (contains (Z.of_nat v) y)) all)).
    { unfold sets. cbn [sides_of]. rewrite !Nat2Z.id. fold listed. unfold item. destruct (Z.ltb_spec (Z.of_nat v) 0); [lia|].
      fold values. rewrite Nat2Z.id, there. cbn [bind]. cbv zeta. unfold contains. rewrite <- its_on, <- its_off.
      unfold numbers. rewrite Nat2Z.id. fold all. unfold meets. rewrite Nat2Z.id, there. reflexivity. }
    split; [exact split|].
    assert (at_most : forall y, In y listed -> 0 <= ones (Z.of_nat items) (Z.land own y) <= Z.of_nat size).
    { intros y inside. split; [apply ones_range|]. erewrite <- (ones_of_mask items size y) by exact inside. apply ones_of_shared. }
    assert (counted : Z.of_nat (length (filter (contains (Z.of_nat v)) all)) = on).
    { unfold contains, all, on. rewrite separated_length. rewrite <- (counted_sharing items chosen size own) by (assumption || lia).
      f_equal. f_equal. apply filter_ext_in. intros y inside. specialize (at_most y inside). unfold meets. rewrite Nat2Z.id, there.
      destruct (Z.leb_spec (Z.of_nat least) (ones (Z.of_nat items) (Z.land own y))); [|reflexivity].
      symmetry. apply Z.ltb_lt. lia. }
    split; [exact counted|].
    assert (rest : Z.of_nat (length (filter (fun y => negb (meets (Z.of_nat v) y)) listed)) = off).
    { unfold off. rewrite <- (counted_sharing items chosen size own 0 least) by (assumption || lia). f_equal. f_equal.
      apply filter_ext_in. intros y inside. specialize (at_most y inside). unfold meets. rewrite Nat2Z.id, there.
      destruct (Z.leb_spec (Z.of_nat least) (ones (Z.of_nat items) (Z.land own y))),
        (Z.leb_spec (Z.of_nat 0) (ones (Z.of_nat items) (Z.land own y))),
        (Z.ltb_spec (ones (Z.of_nat items) (Z.land own y)) (Z.of_nat (0 + least))); cbn [negb andb]; auto; lia. }
    pose proof (split_length (contains (Z.of_nat v)) all) as both. pose proof (split_length (meets (Z.of_nat v)) listed) as whole.
    assert (length (filter (contains (Z.of_nat v)) all) = length (filter (meets (Z.of_nat v)) listed)) by apply separated_length.
    assert (length all = length listed) by (unfold all; now rewrite map_length, seq_length). cbv beta. lia.
  Qed.

  Lemma codes_are_distinct : NoDup all.
  Proof. unfold all. apply Injective_map_NoDup; [|apply seq_NoDup]. intros a b. apply Nat2Z.inj. Qed.

  (** The chance of each code: [t] shared by those that meet the value's set, the rest of 2^64 by all others. So the largest ratio of two
      chances of a code is off t over on (2^64 - t), or the inverse. *)
  Theorem meeting_draws (fuel : nat) (t : Z) (v : nat) : 0 < on -> 0 < off -> 0 <= t <= word -> (v < length values)%nat ->
    exists d, law (S (S fuel)) (Sides (Number t) sets Value) (Z.of_nat v) = Some d /\ total d = on * off * word /\
    forall y, mass d y = if in_dec Z.eq_dec y all then (if contains (Z.of_nat v) y then off * t else on * (word - t)) else 0.
  Proof.
    intros some_on some_off is_threshold here. pose proof (meeting_side v here) as side. eexists.
    split; [now apply (side_law fuel sets t all contains on off)|].
    destruct side as (_ & counted & rest). split; [rewrite total_of_two, counted, rest; ring|].
    intros y. apply mass_of_two, codes_are_distinct.
  Qed.
End Meeting.

Theorem accepted_meeting (fuel : nat) (epsilon : nats) (items chosen size least : nat) (t : Z) (x x' : nat) :
  accepts_meeting epsilon items chosen size least t = true ->
  (x < length (masks items chosen))%nat -> (x' < length (masks items chosen))%nat ->
  let d := Sides (Number t) (Meeting (Z.of_nat items) (Z.of_nat chosen) (Z.of_nat size) (Z.of_nat least)) Value in
  exists first second, law (S (S fuel)) d (Z.of_nat x) = Some first /\ law (S (S fuel)) d (Z.of_nat x') = Some second /\
  forall y, (probability first y <= exp (value epsilon) * probability second y)%R.
Proof.
  unfold accepts_meeting. rewrite !andb_true_iff. intros [[[[[[[[short on] off] low] high] from_0] from_1] coin] mirror] small small'.
  apply Nat.leb_le in short. apply Z.ltb_lt in on, off. apply Z.leb_le in low, high.
  apply (one_coin_draw fuel epsilon _ t (map Z.of_nat (seq 0 (length (masks items size))))
    (fun v y => match nth_error (masks items size) (Z.to_nat y) with Some code => meets items chosen least v code | None => false end)
    (sharing_from items chosen size least (S size - least)) (sharing_from items chosen size 0 least)); auto using codes_are_distinct, meeting_side.
Qed.

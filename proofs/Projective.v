(** Projective response of any size: each hyperplane through a projective space holds as many of its points.

    Nothing is taken for granted of the field but what is looked at, product by product: that a line through the origin has
    one point on each hyperplane that does not hold it. *)

From Coq Require Import Reals Lia List ZArith QArith Bool FinFun.
From Sordino Require Import Exponential Coins Checker Draws Listing Subsets.
Import ListNotations.
Open Scope Z_scope.

(** * The program *)

(** The operations of the field, as [Draws.sides_of] has them. *)
Definition times_in (q : Z) : Z -> Z -> Z :=
  let modulus := modulus_of q in
  if is_prime q then fun a b => a * b mod q else fun a b => reduced (Z.to_nat (2 * Z.log2 q)) q modulus (carryless a b).
Definition plus_in (q : Z) : Z -> Z -> Z := if is_prime q then fun a b => (a + b) mod q else Z.lxor.

Definition is_zero (n : Z) : bool := n =? 0.

(** Zero is as it should be, and a d + s takes each value for one d, zero among them, where a is not zero. *)
Definition acts (times plus : Z -> Z -> Z) (q : Z) : bool :=
  let items := numbers q in
  forallb (fun a => (times 0 a =? 0) && (times a 0 =? 0) && (plus 0 a =? a)) items &&
  forallb (fun a => let products := map (times a) items in
    forallb (fun s =>
      let sums := map (fun product => plus product s) products in
      forallb (fun n => (0 <=? n) && (n <? q)) sums && (is_zero a || Nat.eqb (length (filter is_zero sums)) 1)) items) items.

(** 1 + q + q^2 + ..., so many terms. *)
Fixpoint geometric (q : Z) (terms : nat) : Z := match terms with O => 0 | S terms => 1 + q * geometric q terms end.

(** How many codes are on a hyperplane, and how many are not. *)
Definition codes_on (q : Z) (dimension : nat) : Z := geometric q (pred dimension).
Definition codes_off (q : Z) (dimension : nat) : Z := geometric q dimension - codes_on q dimension.

(** Whether there are so many values, and sets as they should be. *)
Definition is_space (q : Z) (dimension : nat) (k : Z) : bool :=
  (2 <=? q) && (k <=? geometric q dimension) && (0 <? codes_on q dimension) && (0 <? codes_off q dimension) && acts (times_in q) (plus_in q) q.

Definition accepts_points (epsilon : nats) (q : Z) (dimension : nat) (k t : Z) : bool :=
  let on := codes_on q dimension in
  let off := codes_off q dimension in
  is_space q dimension k && Z.leb 0 t && Z.leb t word && Qle_bool 0 (rational epsilon) && Qle_bool 1 (ratio epsilon) &&
  accepts_coin epsilon off on t && Qle_bool (inject_Z (on * (word - t))) (factor_below epsilon * inject_Z (off * t)).

(** * Counting *)

Definition count_of (f : Z -> bool) (n : Z) : Z := Z.of_nat (length (filter f (numbers n))).

Lemma in_numbers (n a : Z) : In a (numbers n) <-> 0 <= a < n.
Proof.
  unfold numbers. rewrite in_map_iff. split.
  - intros (i & <- & inside). apply in_seq in inside. lia.
  - intros range. exists (Z.to_nat a). split; [lia|]. apply in_seq. lia.
Qed.

Lemma numbers_app (a b : Z) : 0 <= a -> 0 <= b -> numbers (a + b) = numbers a ++ map (fun n => a + n) (numbers b).
Proof.
  intros some more. unfold numbers. rewrite Z2Nat.inj_add, seq_app, map_app by assumption. f_equal. simpl.
  rewrite map_map. assert (shift : forall n start, map Z.of_nat (seq (Z.to_nat a + start) n) = map (fun x => a + Z.of_nat x) (seq start n)).
  { induction n as [|n IH]; intros start; [reflexivity|]. cbn [seq map]. rewrite <- (IH (S start)), <- Nat.add_succ_r. f_equal. lia. }
  specialize (shift (Z.to_nat b) 0%nat). now rewrite Nat.add_0_r in shift.
Qed.

Lemma filter_map_length {A B : Type} (f : B -> bool) (g : A -> B) (l : list A) :
  length (filter f (map g l)) = length (filter (fun a => f (g a)) l).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. destruct (f (g a)); simpl; now rewrite IH. Qed.

Lemma count_ext (f g : Z -> bool) (n : Z) : (forall a, 0 <= a < n -> f a = g a) -> count_of f n = count_of g n.
Proof.
  intros same. unfold count_of. f_equal. f_equal. apply filter_ext_in. intros a inside. apply same. now apply in_numbers.
Qed.

(** By the last digit and the others. *)
Lemma count_by_digit (f : Z -> bool) (q : Z) (m : nat) : 0 < q ->
  count_of f (q * Z.of_nat m) = fold_right Z.add 0 (map (fun n => count_of (fun d => f (d + q * n)) q) (numbers (Z.of_nat m))).
Proof.
  intros positive. induction m as [|m IH]; [now rewrite Z.mul_0_r|].
  replace (Z.of_nat (S m)) with (Z.of_nat m + 1) by lia. rewrite Z.mul_add_distr_l, Z.mul_1_r.
  unfold count_of at 1. rewrite numbers_app, filter_app, app_length, Nat2Z.inj_add by nia. fold (count_of f (q * Z.of_nat m)). rewrite IH.
  rewrite (numbers_app (Z.of_nat m) 1), map_app, fold_right_app by lia.
  change (numbers 1) with [0]. cbn [map fold_right]. rewrite !Z.add_0_r, filter_map_length.
  assert (last : Z.of_nat (length (filter (fun a => f (q * Z.of_nat m + a)) (numbers q))) = count_of (fun d => f (d + q * Z.of_nat m)) q).
  { unfold count_of. f_equal. f_equal. apply filter_ext. intros a. f_equal. lia. }
  rewrite last. set (c := count_of _ q). generalize (map (fun n => count_of (fun d => f (d + q * n)) q) (numbers (Z.of_nat m))).
  induction l as [|a l IHl]; cbn [fold_right]; lia.
Qed.

Lemma sum_of_same {A : Type} (f : A -> Z) (l : list A) (c : Z) : (forall a, In a l -> f a = c) ->
  fold_right Z.add 0 (map f l) = Z.of_nat (length l) * c.
Proof.
  induction l as [|a l IH]; intros same; [reflexivity|]. cbn [map fold_right length]. rewrite IH by (intros; apply same; now right).
  rewrite (same a) by now left. lia.
Qed.

Lemma sum_where (f : Z -> bool) (l : list Z) (c : Z) :
  fold_right Z.add 0 (map (fun n => if f n then c else 0) l) = c * Z.of_nat (length (filter f l)).
Proof. induction l as [|a l IH]; cbn [map fold_right filter length]; [lia|]. rewrite IH. destruct (f a); cbn [length]; lia. Qed.

(** * Hyperplanes *)

Section Field.
  Context (times plus : Z -> Z -> Z) (q : Z).
  Hypothesis large : 2 <= q.
  Hypothesis actions : acts times plus q = true.

  Definition inner (u w : list Z) : Z := fold_right plus 0 (map (fun pair => times (fst pair) (snd pair)) (combine u w)).
  Definition is_digits (u : list Z) : Prop := forall a, In a u -> 0 <= a < q.

  Lemma zeros a : 0 <= a < q -> times 0 a = 0 /\ times a 0 = 0 /\ plus 0 a = a.
  Proof.
    intros range. unfold acts in actions. apply andb_true_iff in actions as [each _]. rewrite forallb_forall in each.
    specialize (each a (proj2 (in_numbers q a) range)). rewrite !andb_true_iff, !Z.eqb_eq in each. tauto.
  Qed.

  Lemma one_solution a s : 0 <= a < q -> 0 <= s < q ->
    (forall d, 0 <= d < q -> 0 <= plus (times a d) s < q) /\ (a <> 0 -> count_of (fun d => is_zero (plus (times a d) s)) q = 1).
  Proof.
    intros range other. unfold acts in actions. apply andb_true_iff in actions as [_ each]. rewrite forallb_forall in each.
    specialize (each a (proj2 (in_numbers q a) range)). cbv zeta in each. rewrite forallb_forall in each.
    specialize (each s (proj2 (in_numbers q s) other)). apply andb_true_iff in each as [closed single]. rewrite map_map in closed, single. split.
    - intros d here. rewrite forallb_forall in closed. specialize (closed (plus (times a d) s)).
      rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in closed. apply closed, in_map_iff. exists d. split; [reflexivity|]. now apply in_numbers.
    - intros nonzero. unfold is_zero at 1 in single. replace (a =? 0) with false in single by (symmetry; now apply Z.eqb_neq).
      cbn [orb] in single. apply Nat.eqb_eq in single. unfold count_of. rewrite filter_map_length in single. now rewrite single.
  Qed.

  Lemma inner_range u : forall w, is_digits u -> is_digits w -> 0 <= inner u w < q.
  Proof.
    induction u as [|a u IH]; intros w digits digits'; [cbn; lia|]. destruct w as [|d w]; [cbn; lia|].
    change (inner (a :: u) (d :: w)) with (plus (times a d) (inner u w)).
    apply one_solution; [apply digits; now left|apply IH|apply digits'; now left]; intros e inside; [apply digits|apply digits']; now right.
  Qed.

  Lemma inner_of_zeros u : forall n, is_digits u -> inner u (repeat 0 n) = 0.
  Proof.
    induction u as [|a u IH]; intros n digits; [reflexivity|]. destruct n as [|n]; [reflexivity|].
    change (inner (a :: u) (repeat 0 (S n))) with (plus (times a 0) (inner u (repeat 0 n))).
    rewrite IH by (intros e inside; apply digits; now right). destruct (zeros a (digits a (or_introl eq_refl))) as (_ & -> & _).
    now apply zeros; lia.
  Qed.

  (** Of the points whose last digit that is not zero is at [place], so many lie on the hyperplane of u. *)
  Fixpoint on_at (u : list Z) (place : nat) : Z :=
    match u, place with
    | [], _ => 0
    | a :: _, O => if is_zero a then 1 else 0
    | a :: u, S place => if is_zero a then q * on_at u place else q ^ Z.of_nat place
    end.

  Lemma unit_digit a : 0 <= a < q -> is_zero (plus (times a 1) 0) = is_zero a.
  Proof.
    intros range. destruct (Z.eq_dec a 0) as [->|nonzero].
    - destruct (zeros 1 ltac:(lia)) as (-> & _ & _). destruct (zeros 0 ltac:(lia)) as (_ & _ & ->). reflexivity.
    - replace (is_zero a) with false by (symmetry; now apply Z.eqb_neq).
      destruct (one_solution a 0 range ltac:(lia)) as [_ single]. specialize (single nonzero).
      destruct (is_zero (plus (times a 1) 0)) eqn:again; [exfalso|reflexivity].
      assert (firsts : exists more, numbers q = 0 :: 1 :: more).
      { replace q with (1 + (1 + (q - 2))) by lia. rewrite !numbers_app by lia. change (numbers 1) with [0]. cbn [map app].
        eexists. reflexivity. }
      destruct firsts as (more & firsts). unfold count_of in single. rewrite firsts in single. cbn [filter] in single.
      rewrite again in single. destruct (zeros a range) as (_ & first & _). rewrite first in single.
      destruct (zeros 0 ltac:(lia)) as (_ & _ & second). rewrite second in single.
      change (is_zero 0) with true in single. cbn [length] in single. lia.
  Qed.

  Lemma counted_on_at (u : list Z) : forall (place rest : nat), is_digits u -> length u = (place + S rest)%nat ->
    count_of (fun n => is_zero (inner u (digits q place n ++ 1 :: repeat 0 rest))) (q ^ Z.of_nat place) = on_at u place.
  Proof.
    induction u as [|a u IH]; intros place rest are_digits size; [simpl in size; lia|].
    assert (a_range : 0 <= a < q) by (apply are_digits; now left).
    assert (u_digits : is_digits u) by (intros e inside; apply are_digits; now right).
    destruct place as [|place].
    - cbn [digits app on_at]. unfold count_of. change (numbers (q ^ Z.of_nat 0)) with [0]. cbn [filter].
      change (inner (a :: u) (1 :: repeat 0 rest)) with (plus (times a 1) (inner u (repeat 0 rest))).
      rewrite inner_of_zeros, unit_digit by assumption. now destruct (is_zero a).
    - replace (q ^ Z.of_nat (S place)) with (q * Z.of_nat (Z.to_nat (q ^ Z.of_nat place)))
        by (rewrite Nat2Z.inj_succ, Z.pow_succ_r, Z2Nat.id by lia; reflexivity).
      rewrite count_by_digit by lia. rewrite Z2Nat.id by lia. cbn [on_at].
      set (others n := inner u (digits q place n ++ 1 :: repeat 0 rest)).
      assert (one : forall n, In n (numbers (q ^ Z.of_nat place)) ->
        count_of (fun d => is_zero (inner (a :: u) (digits q (S place) (d + q * n) ++ 1 :: repeat 0 rest))) q =
        count_of (fun d => is_zero (plus (times a d) (others n))) q).
      { intros n inside. apply in_numbers in inside. apply count_ext. intros d range. cbn [digits].
        replace ((d + q * n) mod q) with d by (rewrite Z.mul_comm, Z_mod_plus_full, Z.mod_small; lia).
        replace ((d + q * n) / q) with n by (rewrite Z.mul_comm, Z_div_plus_full, Z.div_small; lia). reflexivity. }
      assert (others_range : forall n, 0 <= others n < q).
      { intros n. apply inner_range; [assumption|]. intros e inside. apply in_app_or in inside as [inside|[<-|inside]]; [|lia|].
        - clear - inside large. revert n inside. induction place as [|place IH]; intros n inside; [destruct inside|].
          destruct inside as [<-|inside]; [apply Z.mod_pos_bound; lia|]. eapply IH. exact inside.
        - apply repeat_spec in inside. lia. }
      rewrite (map_ext_in _ _ _ one). destruct (is_zero a) eqn:zero.
      + apply Z.eqb_eq in zero. subst a.
        assert (same : forall n, count_of (fun d => is_zero (plus (times 0 d) (others n))) q = if is_zero (others n) then q else 0).
        { intros n. rewrite (count_ext _ (fun _ => is_zero (others n))).
          - unfold count_of. destruct (is_zero (others n)).
            + rewrite filter_all by reflexivity. unfold numbers. rewrite map_length, seq_length. lia.
            + now rewrite filter_none by reflexivity.
          - intros d range. destruct (zeros d range) as (-> & _ & _). destruct (zeros (others n) (others_range n)) as (_ & _ & ->). reflexivity. }
        rewrite (map_ext _ _ same), sum_where. f_equal. apply IH; [assumption|]. simpl in size. lia.
      + apply Z.eqb_neq in zero. rewrite (sum_of_same _ _ 1).
        * unfold numbers. rewrite map_length, seq_length. lia.
        * intros n _. now apply one_solution.
  Qed.

  Lemma on_at_adds_up (u : list Z) : is_digits u -> (exists a, In a u /\ a <> 0) ->
    fold_right Z.add 0 (map (on_at u) (seq 0 (length u))) = geometric q (pred (length u)).
  Proof.
    induction u as [|a u IH]; intros are_digits (b & inside & nonzero); [destruct inside|].
    cbn [length pred seq map fold_right]. rewrite <- seq_shift, map_map. cbn [on_at]. destruct (is_zero a) eqn:zero.
    - apply Z.eqb_eq in zero. subst a. destruct inside as [<-|inside]; [contradiction|].
      assert (sum : forall l, fold_right Z.add 0 (map (fun place => q * on_at u place) l) = q * fold_right Z.add 0 (map (on_at u) l)).
      { induction l as [|one l IHl]; cbn [map fold_right]; [lia|]. rewrite IHl. lia. }
      rewrite sum, IH; [|intros e here; apply are_digits; now right|now exists b].
      destruct u as [|first u]; [destruct inside|]. reflexivity.
    - clear. assert (sum : forall n start, fold_right Z.add 0 (map (fun place => q ^ Z.of_nat place) (seq start n)) = q ^ Z.of_nat start * geometric q n).
      { induction n as [|n IH]; intros start; cbn [seq map fold_right geometric]; [lia|]. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring. }
      rewrite sum. change (q ^ Z.of_nat 0) with 1. lia.
  Qed.
End Field.

(** * Points *)

Lemma digits_length (q : Z) (n : nat) : forall m, length (digits q n m) = n.
Proof. induction n as [|n IH]; intros m; cbn [digits length]; [reflexivity|]. now rewrite IH. Qed.

Lemma digits_of_zero (q : Z) (n : nat) : digits q n 0 = repeat 0 n.
Proof. induction n as [|n IH]; cbn [digits repeat]; [reflexivity|]. now rewrite Zmod_0_l, Zdiv_0_l, IH. Qed.

Lemma digits_range (q : Z) (n : nat) : 0 < q -> forall m, is_digits q (digits q n m).
Proof.
  intros positive. induction n as [|n IH]; intros m e inside; [destruct inside|].
  destruct inside as [<-|inside]; [now apply Z.mod_pos_bound|]. eapply IH. exact inside.
Qed.

(** The digits of a point: some, a 1, and zeros. *)
Lemma digits_of_point (q : Z) (place : nat) : 2 <= q -> forall rest n, 0 <= n < q ^ Z.of_nat place ->
  digits q (place + S rest) (q ^ Z.of_nat place + n) = digits q place n ++ 1 :: repeat 0 rest.
Proof.
  intros large. induction place as [|place IH]; intros rest n range.
  - cbn [Nat.add digits app]. change (q ^ Z.of_nat 0) with 1 in *. replace n with 0 by lia. rewrite Z.add_0_r.
    rewrite Z.mod_small, Z.div_small, digits_of_zero by lia. reflexivity.
  - cbn [Nat.add digits app]. rewrite Nat2Z.inj_succ, Z.pow_succ_r in * by lia.
    replace (q * q ^ Z.of_nat place + n) with (n + q ^ Z.of_nat place * q) by lia.
    rewrite Z_mod_plus_full, Z_div_plus_full by lia. f_equal. rewrite Z.add_comm. apply IH.
    split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; lia.
Qed.

Lemma points_on_hyperplane (times plus : Z -> Z -> Z) (q : Z) (t : nat) (u : list Z) :
  2 <= q -> acts times plus q = true -> is_digits q u -> length u = t -> (exists a, In a u /\ a <> 0) ->
  Z.of_nat (length (filter (fun n => is_zero (inner times plus u (digits q t n))) (points q t))) = geometric q (pred t).
Proof.
  intros large actions range size nonzero. rewrite <- size, <- (on_at_adds_up q u range nonzero). rewrite size. unfold points.
  assert (part : forall places, (forall place, In place places -> (place < t)%nat) ->
    Z.of_nat (length (filter (fun n => is_zero (inner times plus u (digits q t n)))
      (concat (map (fun power => map (fun rest => q ^ Z.of_nat power + rest) (numbers (q ^ Z.of_nat power))) places)))) =
    fold_right Z.add 0 (map (on_at q u) places)).
  { induction places as [|place places IH]; intros short; [reflexivity|]. cbn [map concat fold_right].
    rewrite filter_app, app_length, Nat2Z.inj_add, IH by (intros; apply short; now right). f_equal.
    specialize (short place (or_introl eq_refl)). rewrite filter_map_length.
    rewrite <- (counted_on_at times plus q large actions u place (t - S place) range) by lia. apply count_ext.
    intros n here. replace t with (place + S (t - S place))%nat at 1 by lia. now rewrite digits_of_point. }
  apply part. intros place inside. apply in_seq in inside. lia.
Qed.

Lemma points_length (q : Z) (t : nat) : 0 < q -> Z.of_nat (length (points q t)) = geometric q t.
Proof.
  intros positive. unfold points. assert (sum : forall n start, Z.of_nat (length (concat (map (fun power =>
    map (fun rest => q ^ Z.of_nat power + rest) (numbers (q ^ Z.of_nat power))) (seq start n)))) = q ^ Z.of_nat start * geometric q n).
  { induction n as [|n IH]; intros start; cbn [seq map concat geometric]; [simpl; lia|].
    rewrite app_length, Nat2Z.inj_add, IH, map_length. unfold numbers. rewrite map_length, seq_length, Z2Nat.id by lia.
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. ring. }
  rewrite sum. change (q ^ Z.of_nat 0) with 1. lia.
Qed.

Lemma separated {A : Type} (holds : A -> bool) (l : list A) : forall (before : list A),
  let marked := map (fun one => (fst one, holds (snd one))) (combine (map Z.of_nat (seq (length before) (length l))) l) in
  let contains y := match nth_error (before ++ l) (Z.to_nat y) with Some a => holds a | None => false end in
  let all := map Z.of_nat (seq (length before) (length l)) in
  map fst (filter snd marked) = filter contains all /\ map fst (filter (fun one => negb (snd one)) marked) = filter (fun y => negb (contains y)) all.
Proof.
  induction l as [|a l IH]; intros before; [split; reflexivity|]. cbn [length seq map combine filter fst snd].
  specialize (IH (before ++ [a])). rewrite app_length, <- app_assoc, Nat.add_1_r in IH. cbn [app] in IH. cbv zeta in IH.
  destruct IH as [on off]. rewrite Nat2Z.id, nth_error_app2, Nat.sub_diag by lia. cbn [nth_error].
  destruct (holds a); cbn [negb map fst]; rewrite on, off; split; reflexivity.
Qed.

Lemma separated_length {A : Type} (holds : A -> bool) (l : list A) :
  length (filter (fun y => match nth_error l (Z.to_nat y) with Some a => holds a | None => false end) (map Z.of_nat (seq 0 (length l)))) =
  length (filter holds l).
Proof.
  destruct (separated holds l []) as [on _]. cbn [length app] in on. rewrite <- on, map_length. clear on.
  generalize 0%nat. induction l as [|a l IH]; intros start; [reflexivity|]. cbn [length seq map combine filter fst snd].
  specialize (IH (S start)). destruct (holds a); cbn [length]; now rewrite IH.
Qed.

(** * Projective response *)

Theorem accepted_points (fuel : nat) (epsilon : nats) (q : Z) (dimension : nat) (k t : Z) (x x' : nat) :
  accepts_points epsilon q dimension k t = true -> Z.of_nat x < k -> Z.of_nat x' < k ->
  let d := Sides (Number t) (Points q (Z.of_nat dimension)) Value in
  exists first second, law (S (S fuel)) d (Z.of_nat x) = Some first /\ law (S (S fuel)) d (Z.of_nat x') = Some second /\
  forall y, (probability first y <= exp (value epsilon) * probability second y)%R.
Proof.
  unfold accepts_points, is_space. rewrite !andb_true_iff. cbv zeta.
  intros [[[[[[[[[[large enough] on] off] actions] low] high] from_0] from_1] coin] mirror] small small'.
  apply Z.leb_le in large, enough, low, high. apply Z.ltb_lt in on, off. unfold codes_off, codes_on in *.
  rewrite <- (points_length q dimension) in enough, off, coin, mirror by lia.
  set (listed := points q dimension) in *. set (all := map Z.of_nat (seq 0 (length listed))).
  set (vector n := digits q dimension n).
  set (holds (v : Z) (w : list Z) := match nth_error listed (Z.to_nat v) with
    | Some point => is_zero (inner (times_in q) (plus_in q) (vector point) w) | None => false end).
  set (contains v y := match nth_error (map vector listed) (Z.to_nat y) with Some w => holds v w | None => false end).
  assert (side : forall v, Z.of_nat v < k -> is_side (Points q (Z.of_nat dimension)) all contains
    (geometric q (pred dimension)) (Z.of_nat (length listed) - geometric q (pred dimension)) (Z.of_nat v)).
  { intros v here. destruct (nth_error listed v) as [point|] eqn:there; [|apply nth_error_None in there; lia].
    assert (split : sides_of (Points q (Z.of_nat dimension)) (Z.of_nat v) =
      Some (filter (contains (Z.of_nat v)) all, filter (fun y => negb (contains (Z.of_nat v) y)) all)).
    { cbn [sides_of]. rewrite Nat2Z.id. fold listed. unfold item. destruct (Z.ltb_spec (Z.of_nat v) 0); [lia|].
      rewrite Nat2Z.id, there. cbn [bind]. cbv zeta.
      destruct (separated (holds (Z.of_nat v)) (map vector listed) []) as [its_on its_off]. cbn [length app] in its_on, its_off.
      rewrite map_length in its_on, its_off. fold all in its_on, its_off. unfold contains. rewrite <- its_on, <- its_off.
      unfold numbers. rewrite Nat2Z.id. fold all. unfold holds. rewrite Nat2Z.id, there. unfold times_in, plus_in, is_on, inner, is_zero.
      destruct (is_prime q); reflexivity. }
    split; [exact split|].
    assert (counted : Z.of_nat (length (filter (contains (Z.of_nat v)) all)) = geometric q (pred dimension)).
    { unfold contains, all. rewrite <- (map_length vector listed), separated_length, filter_map_length. unfold holds.
      rewrite Nat2Z.id, there. apply points_on_hyperplane; [assumption|assumption|apply digits_range; lia|apply digits_length|].
      exists 1. split; [|lia]. apply nth_error_In in there. unfold listed, points in there. apply in_concat in there as (part & inside & there).
      apply in_map_iff in inside as (place & <- & inside). apply in_seq in inside. apply in_map_iff in there as (rest & <- & there).
      apply in_numbers in there. unfold vector. replace dimension with (place + S (dimension - S place))%nat by lia.
      rewrite digits_of_point by assumption. apply in_or_app. right. now left. }
    split; [exact counted|]. pose proof (split_length (contains (Z.of_nat v)) all) as both.
    assert (length all = length listed) by (unfold all; now rewrite map_length, seq_length). cbv beta. lia. }
  apply (one_coin_draw fuel epsilon _ t all contains (geometric q (pred dimension)) (Z.of_nat (length listed) - geometric q (pred dimension)));
    auto; try lia. unfold all. apply Injective_map_NoDup; [|apply seq_NoDup]. intros a b. apply Nat2Z.inj.
Qed.

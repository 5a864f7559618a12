(** A checker of draws, as a program that lists what they can send, and the proof of what follows from its verdict.

    It reads no name of a mechanism, and nothing rests on what one says of itself: each code that a draw can send is listed
    with its weight ([law] of Draws.v), and the weights are compared. What is too long to be listed is split where a theorem
    allows it: blocks that are answered apart, and subsets (Subsets.v). *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool FMapPositive.
From Sordino Require Import Sums Channels Definitions Exponential Coins Checker Draws.
Import ListNotations.
Open Scope Z_scope.

(** * The program *)

(** A distribution by its codes, so that they are found. *)
Definition key (y : Z) : positive := Z.to_pos (y + 1).
Definition found (m : PositiveMap.t Z) (y : Z) : Z := match PositiveMap.find (key y) m with Some w => w | None => 0 end.
Definition added (part : Z * Z) (m : PositiveMap.t Z) : PositiveMap.t Z :=
  PositiveMap.add (key (fst part)) (snd part + found m (fst part)) m.
Definition by_code (d : distribution) : PositiveMap.t Z := fold_right added (PositiveMap.empty Z) d.

Definition is_listed (common : Z) (d : distribution) : bool :=
  forallb (fun part => (0 <=? fst part) && (0 <=? snd part)) d && (0 <? total d) && (common =? common / total d * total d).

Fixpoint ascends (least : Z) (codes : list Z) : bool :=
  match codes with [] => true | y :: codes => (least <=? y) && ascends (y + 1) codes end.

Definition row_of (codes : list Z) (common : Z) (d : distribution) : list Z :=
  let m := by_code d in let factor := common / total d in map (fun y => found m y * factor) codes.

(** All codes that some value can send, and for each value their weights out of one total. *)
Record listing : Type := Listing { its_laws : list distribution; its_codes : list Z; its_total : Z }.
Definition rows_of (l : listing) : rows := map (row_of (its_codes l) (its_total l)) (its_laws l).

Definition list_draw (fuel : nat) (d : draw) (k : nat) : option listing :=
  let? laws := all_of (fun v => law fuel d (Z.of_nat v)) (seq 0 k) in
  let common := fold_right (fun d found => Z.lcm (total d) found) 1 laws in
  let all := fold_right (fun d m => fold_right added m d) (PositiveMap.empty Z) laws in
  let codes := map (fun one => Zpos (fst one) - 1) (PositiveMap.elements all) in
  let ascending := fold_right (fun y sorted =>
    (fix insert (sorted : list Z) : list Z :=
      match sorted with [] => [y] | z :: more => if y <=? z then y :: sorted else z :: insert more end) sorted) [] codes in
  Some (Listing laws ascending common).

Definition is_proper_listing (l : listing) : bool :=
  ascends 0 (its_codes l) && forallb (is_listed (its_total l)) (its_laws l) &&
  forallb (is_row (length (its_codes l)) (its_total l)) (rows_of l) && (0 <? its_total l).

(** For any bounds: each pair of values, each code. *)
Definition accepts_draw (fuel : nat) (d : draw) (k : nat) (factors : bounds) : option bool :=
  let? l := list_draw fuel d k in Some (is_proper_listing l && keeps_rows factors (rows_of l) (rows_of l)).

(** For sensitive values: the largest weight of each code on them, and the smallest on any value. For LDP all values are. *)
Fixpoint zip_with (f : Z -> Z -> Z) (a b : list Z) : list Z :=
  match a, b with x :: a, y :: b => f x y :: zip_with f a b | _, _ => [] end.
Definition columnwise (f : Z -> Z -> Z) (r : rows) : list Z :=
  match r with [] => [] | first :: rest => fold_right (zip_with f) first rest end.

Definition chosen {A : Type} (flags : list bool) (items : list A) : list A := map snd (filter fst (combine flags items)).

Definition accepts_draw_high_low (fuel : nat) (epsilon : nats) (d : draw) (k : nat) (are_sensitive : list bool) : option bool :=
  let? l := list_draw fuel d k in
  let r := rows_of l in
  Some (is_proper_listing l && Nat.eqb (length are_sensitive) k &&
        match chosen are_sensitive r with
        | [] => true
        | sensitive => keeps_bound (Some (factor_below epsilon)) (columnwise Z.max sensitive) (columnwise Z.min r)
        end).

Definition accepts_draw_ldp (fuel : nat) (epsilon : nats) (d : draw) (k : nat) : option bool :=
  accepts_draw_high_low fuel epsilon d k (repeat true k).

(** * What its verdict is about *)

Open Scope R_scope.

(** The probability of code [y]. *)
Definition probability (d : distribution) (y : Z) : R := IZR (mass d y) / IZR (total d).

Lemma all_of_nth {A B : Type} (f : A -> option B) (items : list A) (found : list B) (i : nat) (a : A) (b : B) :
  all_of f items = Some found -> (i < length items)%nat -> f (nth i items a) = Some (nth i found b).
Proof.
  revert found i. induction items as [|one items IH]; simpl; intros found i all short; [lia|].
  destruct (f one) as [first|] eqn:here; [|discriminate]. destruct (all_of f items) as [rest|]; [|discriminate].
  injection all as <-. destruct i; [exact here|]. apply (IH rest); [reflexivity|lia].
Qed.

Lemma all_of_length {A B : Type} (f : A -> option B) (items : list A) (found : list B) :
  all_of f items = Some found -> length found = length items.
Proof.
  revert found. induction items as [|one items IH]; simpl; intros found all; [now injection all as <-|].
  destruct (f one); [|discriminate]. destruct (all_of f items); [|discriminate]. injection all as <-. simpl. now rewrite IH.
Qed.

Lemma key_injective y z : (0 <= y)%Z -> (0 <= z)%Z -> key y = key z -> y = z.
Proof. unfold key. intros. apply Z2Pos.inj in H1; lia. Qed.

Lemma found_by_code (d : distribution) (y : Z) :
  (forall part, In part d -> (0 <= fst part)%Z) -> (0 <= y)%Z -> found (by_code d) y = mass d y.
Proof.
  intros nonneg some. induction d as [|part d IH]; [unfold found, by_code; simpl; now rewrite PositiveMap.gempty|].
  unfold by_code in *. cbn [fold_right]. unfold mass. cbn [map fold_right]. fold (mass d y).
  assert (own : (0 <= fst part)%Z) by (apply nonneg; now left).
  assert (rest : found (fold_right added (PositiveMap.empty Z) d) y = mass d y) by (apply IH; intros; apply nonneg; now right).
  set (m := fold_right added (PositiveMap.empty Z) d) in *. unfold added, found at 1.
  destruct (Z.eqb_spec (fst part) y) as [same|differs].
  - rewrite same, PositiveMap.gss. unfold found in rest. now rewrite <- rest.
  - rewrite PositiveMap.gso by (intros equal; apply differs; symmetry; now apply key_injective).
    fold (found m y). rewrite rest. lia.
Qed.

Lemma ascending_codes (least : Z) (codes : list Z) : ascends least codes = true ->
  NoDup codes /\ forall y, In y codes -> (least <= y)%Z.
Proof.
  revert least. induction codes as [|y codes IH]; simpl; intros least holds; [split; [constructor|tauto]|].
  apply andb_true_iff in holds as [here more]. apply Z.leb_le in here. destruct (IH _ more) as [distinct above]. split.
  - constructor; [|assumption]. intros again. specialize (above _ again). lia.
  - intros z [<-|inside]; [assumption|]. specialize (above _ inside). lia.
Qed.

Lemma masses_at_most (d : distribution) (codes : list Z) : NoDup codes -> (forall part, In part d -> (0 <= snd part)%Z) ->
  (fold_right Z.add 0 (map (mass d) codes) <= total d)%Z.
Proof.
  intros distinct nonneg. induction d as [|part d IH].
  - unfold total, mass. simpl. clear. induction codes; simpl in *; lia.
  - assert (rest : (fold_right Z.add 0 (map (mass d) codes) <= total d)%Z) by (apply IH; intros; apply nonneg; now right).
    assert (own : (0 <= snd part)%Z) by (apply nonneg; now left).
    unfold total. cbn [map fold_right]. fold (total d). unfold mass. cbn [map fold_right].
    change (fold_right Z.add 0 (map (fun y => (if Z.eqb (fst part) y then snd part else 0) + mass d y) codes) <= snd part + total d)%Z.
    assert (once : (fold_right Z.add 0 (map (fun y => if Z.eqb (fst part) y then snd part else 0) codes) <= snd part)%Z).
    { clear - distinct own. induction codes as [|y codes IH]; simpl; [lia|].
      apply NoDup_cons_iff in distinct as [new distinct]. specialize (IH distinct).
      destruct (Z.eqb_spec (fst part) y) as [->|]; [|lia].
      enough (fold_right Z.add 0 (map (fun y0 => if Z.eqb y y0 then snd part else 0) codes) = 0)%Z by lia.
      clear - new. induction codes as [|z codes IH]; simpl; [reflexivity|].
      destruct (Z.eqb_spec y z) as [->|]; [exfalso; apply new; now left|]. rewrite IH; [reflexivity|].
      intros inside. apply new. now right. }
    assert (split : forall l, fold_right Z.add 0%Z (map (fun y => (if Z.eqb (fst part) y then snd part else 0) + mass d y)%Z l) =
      (fold_right Z.add 0 (map (fun y => if Z.eqb (fst part) y then snd part else 0) l) + fold_right Z.add 0 (map (mass d) l))%Z).
    { induction l; simpl; lia. }
    rewrite split. lia.
Qed.

Lemma mass_nonneg (d : distribution) (y : Z) : (forall part, In part d -> (0 <= snd part)%Z) -> (0 <= mass d y)%Z.
Proof.
  unfold mass. induction d as [|part d IH]; simpl; intros nonneg; [lia|].
  pose proof (nonneg part (or_introl eq_refl)). specialize (IH (fun other here => nonneg other (or_intror here))).
  destruct (Z.eqb _ _); lia.
Qed.

Section Listing.
  Context (l : listing) (proper : is_proper_listing l = true).
  Local Notation its_law x := (nth x (its_laws l) []).
  Local Notation row x := (nth x (rows_of l) []).

  Lemma rows_length : length (rows_of l) = length (its_laws l).
  Proof. apply map_length. Qed.

  Lemma row_is x : (x < length (its_laws l))%nat -> row x = row_of (its_codes l) (its_total l) (its_law x).
  Proof.
    intros short. unfold rows_of. rewrite (nth_indep _ [] (row_of (its_codes l) (its_total l) [])) by now rewrite map_length.
    apply map_nth.
  Qed.

  Lemma law_is_listed x : (x < length (its_laws l))%nat ->
    (forall part, In part (its_law x) -> (0 <= fst part)%Z /\ (0 <= snd part)%Z) /\ (0 < total (its_law x))%Z /\
    (its_total l = its_total l / total (its_law x) * total (its_law x))%Z /\ (0 < its_total l)%Z.
  Proof.
    intros short. unfold is_proper_listing in proper. rewrite !andb_true_iff in proper.
    destruct proper as [[[_ listed] _] positive]. rewrite forallb_forall in listed.
    specialize (listed _ (nth_In _ [] short)). unfold is_listed in listed. rewrite !andb_true_iff in listed.
    destruct listed as [[nonneg some] divided]. rewrite forallb_forall in nonneg.
    apply Z.ltb_lt in some, positive. apply Z.eqb_eq in divided. repeat split; auto.
    - specialize (nonneg _ H). apply andb_true_iff in nonneg as [first _]. now apply Z.leb_le.
    - specialize (nonneg _ H). apply andb_true_iff in nonneg as [_ second]. now apply Z.leb_le.
  Qed.

  Lemma codes_are_distinct : NoDup (its_codes l) /\ forall y, In y (its_codes l) -> (0 <= y)%Z.
  Proof.
    unfold is_proper_listing in proper. rewrite !andb_true_iff in proper. destruct proper as [[[ascending _] _] _].
    now apply ascending_codes.
  Qed.

  Lemma entry_is_mass x i : (x < length (its_laws l))%nat -> (i < length (its_codes l))%nat ->
    nth i (row x) 0%Z = (mass (its_law x) (nth i (its_codes l) 0) * (its_total l / total (its_law x)))%Z.
  Proof.
    intros short inside. destruct (law_is_listed x short) as (nonneg & _ & _). rewrite (row_is x short). unfold row_of.
    set (value y := (found (by_code (its_law x)) y * (its_total l / total (its_law x)))%Z).
    rewrite (nth_indep _ 0%Z (value 0%Z)) by now rewrite map_length. rewrite map_nth. unfold value.
    rewrite found_by_code; [reflexivity|intros part here; now apply nonneg|].
    apply codes_are_distinct, nth_In, inside.
  Qed.

  Lemma row_has_all_codes x : (x < length (its_laws l))%nat -> length (row x) = length (its_codes l).
  Proof. intros short. rewrite (row_is x short). apply map_length. Qed.

  (** A code that is not listed is never sent: the weights of those that are add up to all. *)
  Lemma others_are_never_sent x y : (x < length (its_laws l))%nat -> ~ In y (its_codes l) -> mass (its_law x) y = 0%Z.
  Proof.
    intros short outside. destruct (law_is_listed x short) as (nonneg & some & divided & positive).
    assert (weights : forall part, In part (its_law x) -> (0 <= snd part)%Z) by (intros; now apply nonneg).
    destruct codes_are_distinct as [distinct from_0].
    pose proof (masses_at_most (its_law x) (y :: its_codes l) (NoDup_cons _ outside distinct) weights) as most.
    cbn [map fold_right] in most. pose proof (mass_nonneg _ y weights) as own.
    enough (fold_right Z.add 0 (map (mass (its_law x)) (its_codes l)) = total (its_law x))%Z by lia.
    unfold is_proper_listing in proper. rewrite !andb_true_iff in proper. destruct proper as [[_ rows_add] _].
    rewrite forallb_forall in rows_add. assert (member : In (row x) (rows_of l)) by (apply nth_In; now rewrite rows_length).
    apply rows_add, is_row_correct in member. destruct member as (_ & _ & adds). rewrite (row_is x short) in adds.
    unfold row_of in adds. set (f := (its_total l / total (its_law x))%Z) in *.
    assert (same : forall codes, (forall z, In z codes -> (0 <= z)%Z) ->
      fold_right Z.add 0%Z (map (fun z => (found (by_code (its_law x)) z * f)%Z) codes) =
      (fold_right Z.add 0 (map (mass (its_law x)) codes) * f)%Z).
    { induction codes as [|z codes IH]; simpl; intros small; [reflexivity|].
      rewrite IH by (intros; apply small; now right).
      rewrite found_by_code; [ring|intros part here; now apply nonneg|apply small; now left]. }
    rewrite same in adds by assumption. nia.
  Qed.

  Lemma probabilities_kept (x x' : nat) (factor : R) : 0 <= factor ->
    (x < length (its_laws l))%nat -> (x' < length (its_laws l))%nat ->
    (forall i, (i < length (its_codes l))%nat -> IZR (nth i (row x) 0%Z) <= factor * IZR (nth i (row x') 0%Z)) ->
    forall y, probability (its_law x) y <= factor * probability (its_law x') y.
  Proof.
    intros some short short' kept y. destruct (in_dec Z.eq_dec y (its_codes l)) as [inside|outside].
    - destruct (In_nth _ _ 0%Z inside) as (i & here & <-). specialize (kept i here).
      rewrite !entry_is_mass, !mult_IZR in kept by assumption. unfold probability.
      destruct (law_is_listed x short) as (_ & positive & divided & whole).
      destruct (law_is_listed x' short') as (_ & positive' & divided' & _).
      set (t := total (its_law x)) in *. set (t' := total (its_law x')) in *.
      set (m := IZR (mass (its_law x) (nth i (its_codes l) 0%Z))) in *.
      set (m' := IZR (mass (its_law x') (nth i (its_codes l) 0%Z))) in *.
      apply (f_equal IZR) in divided, divided'. rewrite mult_IZR in divided, divided'.
      apply IZR_lt in positive, positive', whole.
      set (f := IZR (its_total l / t)) in *. set (f' := IZR (its_total l / t')) in *.
      assert (f <> 0) by (intros none; rewrite none in divided; lra). assert (f' <> 0) by (intros none; rewrite none in divided'; lra).
      replace (m / IZR t) with (m * f / IZR (its_total l)) by (rewrite divided; field; split; lra).
      replace (m' / IZR t') with (m' * f' / IZR (its_total l)) by (rewrite divided'; field; split; lra).
      unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact kept].
    - unfold probability. rewrite !others_are_never_sent by assumption. unfold Rdiv. rewrite !Rmult_0_l. lra.
  Qed.
End Listing.

Lemma listed_laws (fuel : nat) (d : draw) (k : nat) (l : listing) : list_draw fuel d k = Some l ->
  length (its_laws l) = k /\ forall x, (x < k)%nat -> law fuel d (Z.of_nat x) = Some (nth x (its_laws l) []).
Proof.
  unfold list_draw. destruct (all_of _ _) as [laws|] eqn:all; [|discriminate]. cbn [bind]. injection 1 as <-. cbn [its_laws].
  pose proof (all_of_length _ _ _ all) as size. rewrite seq_length in size. split; [assumption|]. intros x short.
  pose proof (all_of_nth _ _ _ x 0%nat [] all) as one. rewrite seq_length, seq_nth in one by assumption. now apply one.
Qed.

(** * Soundness *)

(** "holds": no code is more likely for one value than e^bound times what it is for another, for each pair with a bound,
    whatever operations the draw is made of. [factors] are numbers that are not above e^bound. *)
Theorem accepted_draw_keeps_bounds (fuel : nat) (d : draw) (k : nat) (factors : bounds) (x x' : nat) (f : Q) (e : R) :
  accepts_draw fuel d k factors = Some true -> factor_of factors x x' = Some f -> Q2R f <= exp e -> (x < k)%nat -> (x' < k)%nat ->
  exists first second, law fuel d (Z.of_nat x) = Some first /\ law fuel d (Z.of_nat x') = Some second /\
  forall y, probability first y <= exp e * probability second y.
Proof.
  unfold accepts_draw. destruct (list_draw fuel d k) as [l|] eqn:listed; [|discriminate]. cbn [bind]. intros verdict.
  injection verdict as accepted. apply andb_true_iff in accepted as [proper kept]. intros bound below short short'.
  destruct (listed_laws _ _ _ _ listed) as [size laws]. exists (nth x (its_laws l) []), (nth x' (its_laws l) []).
  split; [now apply laws|]. split; [now apply laws|].
  apply probabilities_kept; [assumption|left; apply exp_pos|lia|lia|]. intros i inside.
  pose proof (keeps_rows_correct _ _ _ x kept) as row. rewrite rows_length in row. specialize (row ltac:(lia)).
  pose proof (keeps_row_correct _ _ _ x' row) as pair. rewrite rows_length in pair. specialize (pair ltac:(lia)).
  unfold factor_of in bound. rewrite bound in pair.
  pose proof (row_has_all_codes l x ltac:(lia)) as wide. pose proof (row_has_all_codes l x' ltac:(lia)) as wide'.
  apply (keeps_bound_correct f); auto; try lia.
  unfold is_proper_listing in proper. rewrite !andb_true_iff in proper. destruct proper as [[_ all_rows] _].
  rewrite forallb_forall in all_rows. assert (member : In (nth x' (rows_of l) []) (rows_of l)) by (apply nth_In; rewrite rows_length; lia).
  destruct (is_row_correct _ _ _ (all_rows _ member)) as (_ & nonneg & _). apply nonneg, nth_In. lia.
Qed.

(** "a separate bound for each ordered pair" (docs/promises/index.md); bounds by distances are such a table. *)
Corollary accepted_draw_matrix (fuel : nat) (d : draw) (k : nat) (amounts : list (list (option nats))) (x x' : nat) (amount : nats) :
  accepts_draw fuel d k (matrix_factors amounts) = Some true -> nth x' (nth x amounts []) None = Some amount ->
  (x < k)%nat -> (x' < k)%nat ->
  exists first second, law fuel d (Z.of_nat x) = Some first /\ law fuel d (Z.of_nat x') = Some second /\
  forall y, probability first y <= exp (value amount) * probability second y.
Proof.
  intros verdict entry. eapply accepted_draw_keeps_bounds; [exact verdict|apply factor_of_amounts; exact entry|apply factor_is_below].
Qed.

(** "the same within each block" (docs/promises/index.md), whatever the draw is made of. *)
Corollary accepted_draw_blocks (fuel : nat) (d : draw) (k : nat) (epsilon : nats) (blocks : list nat) (x x' : nat) :
  accepts_draw fuel d k (block_factors epsilon blocks) = Some true -> length blocks = k ->
  nth x blocks 0%nat = nth x' blocks 0%nat -> (x < k)%nat -> (x' < k)%nat ->
  exists first second, law fuel d (Z.of_nat x) = Some first /\ law fuel d (Z.of_nat x') = Some second /\
  forall y, probability first y <= exp (value epsilon) * probability second y.
Proof.
  intros verdict size same short short'. eapply accepted_draw_keeps_bounds; [exact verdict| |apply factor_is_below|assumption|assumption].
  unfold block_factors. rewrite (factor_of_items _ _ 0%nat) by lia. rewrite same, Nat.eqb_refl. reflexivity.
Qed.

(** ** Sensitive values, and LDP *)

Lemma zip_with_nth (f : Z -> Z -> Z) (a b : list Z) (i : nat) : (i < length a)%nat -> (i < length b)%nat ->
  nth i (zip_with f a b) 0%Z = f (nth i a 0%Z) (nth i b 0%Z).
Proof.
  revert b i. induction a as [|x a IH]; intros [|y b] i; simpl; try lia. intros short short'. destruct i; [reflexivity|].
  apply IH; lia.
Qed.

Lemma zip_with_length (f : Z -> Z -> Z) (a b : list Z) (n : nat) : length a = n -> length b = n -> length (zip_with f a b) = n.
Proof.
  revert b n. induction a as [|x a IH]; intros [|y b] n; simpl; try lia. intros size size'. destruct n; [lia|].
  f_equal. apply IH; lia.
Qed.

(** What holds of the larger and the smaller of two numbers holds down a column. *)
Lemma columnwise_bounds (f : Z -> Z -> Z) (order : Z -> Z -> Prop) (r : rows) (n i : nat) (one : list Z) :
  (forall a, order a a) -> (forall a b c, order a b -> order b c -> order a c) ->
  (forall a b, order a (f a b) /\ order b (f a b)) ->
  (forall each, In each r -> length each = n) -> (i < n)%nat -> In one r ->
  length (columnwise f r) = n /\ order (nth i one 0%Z) (nth i (columnwise f r) 0%Z).
Proof.
  intros same chain both sizes short. destruct r as [|first rest]; [intros []|]. simpl.
  assert (first_size : length first = n) by (apply sizes; now left).
  assert (rest_sizes : forall each, In each rest -> length each = n) by (intros; apply sizes; now right). clear sizes.
  revert one. induction rest as [|next rest IH]; simpl; intros one inside.
  - destruct inside as [<-|[]]. auto.
  - assert (next_size : length next = n) by (apply rest_sizes; now left).
    assert (sizes : forall each, In each rest -> length each = n) by (intros; apply rest_sizes; now right).
    specialize (IH sizes). destruct (IH first (or_introl eq_refl)) as [size _].
    split; [now apply zip_with_length|]. rewrite zip_with_nth by lia.
    destruct (both (nth i next 0%Z) (nth i (fold_right (zip_with f) first rest) 0%Z)) as [here there].
    destruct inside as [<-|[<-|inside]]; [|assumption|].
    + eapply chain; [apply (IH first (or_introl eq_refl))|exact there].
    + eapply chain; [apply (IH one (or_intror inside))|exact there].
Qed.

Lemma chosen_member {A : Type} (flags : list bool) (items : list A) (x : nat) (start : A) :
  nth x flags false = true -> (x < length items)%nat -> In (nth x items start) (chosen flags items).
Proof.
  unfold chosen. revert items x. induction flags as [|flag flags IH]; intros [|one items] x; simpl; try (destruct x; discriminate); try lia.
  destruct x as [|x]; intros yes short.
  - subst flag. simpl. now left.
  - destruct flag; simpl; [right|]; apply IH; auto; lia.
Qed.

Lemma chosen_are_members {A : Type} (flags : list bool) (items : list A) (one : A) : In one (chosen flags items) -> In one items.
Proof.
  unfold chosen. intros inside. apply in_map_iff in inside as ([flag item] & <- & inside). apply filter_In in inside as [inside _].
  eapply in_combine_r. exact inside.
Qed.

(** "a report favours no sensitive value over another value by more than epsilon" (docs/promises/index.md), whatever the draw is made of. *)
Theorem accepted_draw_high_low (fuel : nat) (epsilon : nats) (d : draw) (k : nat) (are_sensitive : list bool) (x x' : nat) :
  accepts_draw_high_low fuel epsilon d k are_sensitive = Some true -> nth x are_sensitive false = true -> (x < k)%nat -> (x' < k)%nat ->
  exists first second, law fuel d (Z.of_nat x) = Some first /\ law fuel d (Z.of_nat x') = Some second /\
  forall y, probability first y <= exp (value epsilon) * probability second y.
Proof.
  unfold accepts_draw_high_low. destruct (list_draw fuel d k) as [l|] eqn:listed; [|discriminate]. cbn [bind]. intros verdict.
  injection verdict as accepted. rewrite !andb_true_iff in accepted. destruct accepted as [[proper _] kept]. intros sensitive short short'.
  destruct (listed_laws _ _ _ _ listed) as [size laws]. exists (nth x (its_laws l) []), (nth x' (its_laws l) []).
  split; [now apply laws|]. split; [now apply laws|].
  apply probabilities_kept; [assumption|left; apply exp_pos|lia|lia|]. intros i inside.
  assert (sizes : forall each, In each (rows_of l) -> length each = length (its_codes l)).
  { intros each here. destruct (In_nth _ _ [] here) as (place & small & <-). rewrite rows_length in small.
    now apply row_has_all_codes. }
  assert (members : forall v, (v < k)%nat -> In (nth v (rows_of l) []) (rows_of l)) by (intros; apply nth_In; rewrite rows_length; lia).
  assert (member : In (nth x (rows_of l) []) (chosen are_sensitive (rows_of l))).
  { apply chosen_member; [assumption|]. rewrite rows_length. lia. }
  assert (kept' : keeps_bound (Some (factor_below epsilon)) (columnwise Z.max (chosen are_sensitive (rows_of l))) (columnwise Z.min (rows_of l)) = true).
  { destruct (chosen are_sensitive (rows_of l)); [destruct member|exact kept]. }
  destruct (columnwise_bounds Z.max Z.le (chosen are_sensitive (rows_of l)) (length (its_codes l)) i (nth x (rows_of l) [])) as [size_of_largest largest];
    [intros; lia|intros; lia|intros; lia|intros each here; eapply sizes, chosen_are_members; exact here|exact inside|exact member|].
  destruct (columnwise_bounds Z.min Z.ge (rows_of l) (length (its_codes l)) i (nth x' (rows_of l) [])) as [size_of_smallest smallest];
    [intros; lia|intros; lia|intros; lia|exact sizes|exact inside|now apply members|].
  pose proof (keeps_bound_correct _ _ _ i (value epsilon) kept' (factor_is_below epsilon) ltac:(lia) ltac:(lia)) as column.
  destruct (law_is_listed l proper x' ltac:(lia)) as (nonneg & _).
  assert (0 <= nth i (columnwise Z.min (rows_of l)) 0%Z)%Z.
  { destruct (Z.le_gt_cases 0 (nth i (columnwise Z.min (rows_of l)) 0%Z)) as [|negative]; [assumption|exfalso].
    unfold is_proper_listing in proper. rewrite !andb_true_iff in proper. destruct proper as [[_ all_rows] _].
    rewrite forallb_forall in all_rows.
    enough (smallest_is : exists v, In v (rows_of l) /\ nth i (columnwise Z.min (rows_of l)) 0%Z = nth i v 0%Z).
    { destruct smallest_is as (v & here & equal). rewrite equal in negative.
      destruct (is_row_correct _ _ _ (all_rows v here)) as (wide & positive & _).
      specialize (positive (nth i v 0%Z) (nth_In v 0%Z ltac:(rewrite wide; exact inside))). lia. }
    clear - sizes inside members short. destruct (rows_of l) as [|first rest]; [specialize (members x short); destruct members|].
    cbn [columnwise]. clear members.
    assert (firsts : length first = length (its_codes l)) by (apply sizes; now left).
    assert (rests : forall each, In each rest -> length each = length (its_codes l)) by (intros; apply sizes; now right). clear sizes.
    induction rest as [|next rest IH]; [exists first; split; [now left|reflexivity]|].
    destruct IH as (v & here & equal); [intros; apply rests; now right|].
    assert (length (fold_right (zip_with Z.min) first rest) = length (its_codes l)).
    { clear - firsts rests. induction rest as [|n rest IH]; [assumption|]. simpl. apply zip_with_length.
      - apply rests. right. now left.
      - apply IH. intros each [<-|more]; apply rests; [now left|right; now right]. }
    cbn [fold_right]. rewrite zip_with_nth by (rewrite ?rests by (now left); lia).
    destruct (Z.min_dec (nth i next 0%Z) (nth i (fold_right (zip_with Z.min) first rest) 0%Z)) as [->| ->].
    - exists next. split; [right; now left|reflexivity].
    - exists v. split; [destruct here as [<-|here]; [now left|right; now right]|assumption]. }
  specialize (column ltac:(assumption)). pose proof (exp_pos (value epsilon)).
  apply Rle_trans with (IZR (nth i (columnwise Z.max (chosen are_sensitive (rows_of l))) 0%Z)); [apply IZR_le; lia|].
  eapply Rle_trans; [exact column|]. apply Rmult_le_compat_l; [lra|]. apply IZR_le. lia.
Qed.

Corollary accepted_draw_ldp (fuel : nat) (epsilon : nats) (d : draw) (k : nat) (x x' : nat) :
  accepts_draw_ldp fuel epsilon d k = Some true -> (x < k)%nat -> (x' < k)%nat ->
  exists first second, law fuel d (Z.of_nat x) = Some first /\ law fuel d (Z.of_nat x') = Some second /\
  forall y, probability first y <= exp (value epsilon) * probability second y.
Proof.
  intros verdict short short'. eapply accepted_draw_high_low; eauto.
  rewrite (nth_indep _ false true) by (rewrite repeat_length; assumption). apply nth_repeat.
Qed.

(** ** Blocks *)

Lemma mass_shifted (by_codes : Z) (d : distribution) (y : Z) : mass (shifted by_codes d) y = mass d (y - by_codes).
Proof.
  unfold mass, shifted. induction d as [|part d IH]; cbn [map fold_right fst snd]; [reflexivity|]. rewrite IH. f_equal.
  destruct (Z.eqb_spec (by_codes + fst part) y), (Z.eqb_spec (fst part) (y - by_codes)); lia.
Qed.

Lemma total_shifted (by_codes : Z) (d : distribution) : total (shifted by_codes d) = total d.
Proof. unfold total, shifted. rewrite map_map. reflexivity. Qed.

Lemma place_in_block (block : list Z) (v : nat) (b : Z) :
  item block (Z.of_nat v) = Some b -> (0 <= place_of block v b < size_of block b)%Z.
Proof.
  unfold item, place_of, size_of. destruct (Z.ltb_spec (Z.of_nat v) 0); [lia|]. rewrite Nat2Z.id. intros here.
  apply nth_error_split in here as (before & after & -> & size). subst v. rewrite firstn_app, firstn_all, Nat.sub_diag. simpl.
  rewrite app_nil_r, filter_app, app_length. simpl. rewrite Z.eqb_refl. simpl. lia.
Qed.

(** "the block is public": of two values of one block no code is more likely for one by more than epsilon, where each part
    by itself keeps it. How many blocks there are does not matter, nor how it is known of a part. *)
Theorem blocks_keep (fuel : nat) (e : R) (block : list Z) (parts : list part) (x x' : nat) (b : Z) :
  (forall p i i', In p parts -> (0 <= i < part_k p)%Z -> (0 <= i' < part_k p)%Z ->
     exists first second, law fuel (part_answer p) i = Some first /\ law fuel (part_answer p) i' = Some second /\
     forall y, probability first y <= exp e * probability second y) ->
  item block (Z.of_nat x) = Some b -> item block (Z.of_nat x') = Some b ->
  forall first second, law (S fuel) (Blocks block parts) (Z.of_nat x) = Some first ->
  law (S fuel) (Blocks block parts) (Z.of_nat x') = Some second ->
  forall y, probability first y <= exp e * probability second y.
Proof.
  intros each here there first second. cbn [law]. rewrite here, there. cbn [bind].
  destruct (part_of block parts b) as [p|] eqn:its_part; [|discriminate]. cbn [bind].
  destruct (offset_of block parts b) as [offset|]; [|discriminate]. cbn [bind].
  unfold part_of in its_part. apply find_some in its_part as [member right_size]. apply Z.eqb_eq in right_size.
  pose proof (place_in_block _ _ _ here) as first_place. pose proof (place_in_block _ _ _ there) as second_place.
  rewrite !Nat2Z.id. rewrite <- right_size in *.
  destruct (each p _ _ member first_place second_place) as (own & other & is_own & is_other & kept).
  rewrite is_own, is_other. cbn [bind].
  injection 1 as <-. injection 1 as <-. intros y. unfold probability. rewrite !mass_shifted, !total_shifted. apply kept.
Qed.

(** Records that change a limited number of times: what the program computes of all histories, and its rule.

    "Kept is, for each value and each number of changes, the most and the least likelihood of all histories so far that end in
    the value after at most so many changes: a next answer continues each of them, at the same value or at any other at the
    price of one change." (src/sordino/evidence/histories.py) *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool Arith.
From Sordino Require Import Sums Channels Definitions Filter OverTime Exponential Coins Decisions.
Import ListNotations.
Open Scope R_scope.

(** * The table, and all histories *)

Section Tables.
  Context {X : Type}.
  Variable same : forall x y : X, {x = y} + {x <> y}.
  Variable domain : list X.

  (** A history has a value for each answer. Answers and values stand in lists, the last one first. *)
  Fixpoint changes_of (h : list X) : nat :=
    match h with
    | [] => 0
    | x :: earlier => match earlier with [] => 0 | y :: _ => if same x y then 0 else 1 end + changes_of earlier
    end.

  (** The product of the weights of the answers. *)
  Fixpoint likelihood (answers : list (X -> Z)) (h : list X) : Z :=
    match answers, h with w :: answers, x :: h => (w x * likelihood answers h)%Z | _, _ => 1%Z end.

  (** A history of these answers that ends in the value [v] after at most [c] changes. *)
  Definition is_history (answers : list (X -> Z)) (c : nat) (v : X) (h : list X) : Prop :=
    length h = length answers /\ incl h domain /\ (changes_of h <= c)%nat /\ hd v h = v.

  Definition are_weights (answers : list (X -> Z)) : Prop := forall w x, In w answers -> (0 <= w x)%Z.

  (** ** What the program computes, of the largest ([pick] is the maximum) or of the smallest *)

  Section Side.
    Variable pick : Z -> Z -> Z.
    Variable no_better : Z -> Z -> Prop.
    Hypothesis no_better_refl : forall a, no_better a a.
    Hypothesis no_better_trans : forall a b c, no_better a b -> no_better b c -> no_better a c.
    Hypothesis no_better_antisym : forall a b, no_better a b -> no_better b a -> a = b.
    Hypothesis pick_one : forall a b, pick a b = a \/ pick a b = b.
    Hypothesis pick_left : forall a b, no_better a (pick a b).
    Hypothesis pick_right : forall a b, no_better b (pick a b).
    Hypothesis weights_keep : forall w a b, (0 <= w)%Z -> no_better a b -> no_better (w * a) (w * b).

    Definition best (t : X -> Z) : Z :=
      match domain with [] => 0%Z | x :: others => fold_right (fun y m => pick (t y) m) (t x) others end.

    (** "Before the next answer: the value stays, or becomes any other after one change." (src/sordino/evidence/histories.py) *)
    Definition ahead (t : nat -> X -> Z) (c : nat) (v : X) : Z :=
      match c with O => t O v | S fewer => pick (t c v) (best (t fewer)) end.

    (** By the number of changes and the value at the end. *)
    Fixpoint table (answers : list (X -> Z)) : nat -> X -> Z :=
      match answers with
      | [] => fun _ _ => 1%Z
      | w :: earlier => let before := ahead (table earlier) in fun c v => (w v * before c v)%Z
      end.

    Lemma best_is_best t x : In x domain -> no_better (t x) (best t).
    Proof.
      unfold best. destruct domain as [|first others]; [intros []|]. intros [<-|here].
      - induction others as [|y others IH]; simpl; [apply no_better_refl|]. eapply no_better_trans; [exact IH|apply pick_right].
      - induction others as [|y others IH]; [destruct here|]. simpl. destruct here as [<-|here]; [apply pick_left|].
        eapply no_better_trans; [now apply IH|apply pick_right].
    Qed.

    Lemma best_is_one t v : In v domain -> exists x, In x domain /\ best t = t x.
    Proof.
      intros some. unfold best. destruct domain as [|first others]; [destruct some|]. clear some.
      induction others as [|y others IH]; [exists first; simpl; auto|]. simpl.
      destruct (pick_one (t y) (fold_right (fun y m => pick (t y) m) (t first) others)) as [->| ->].
      - exists y. simpl. auto.
      - destruct IH as (x & here & own). exists x. simpl in *. split; [tauto|exact own].
    Qed.

    Lemma ahead_keeps t c v : no_better (t c v) (ahead t c v).
    Proof. destruct c; [apply no_better_refl|apply pick_left]. Qed.

    Lemma table_is_no_worse answers c v h : are_weights answers -> In v domain -> is_history answers c v h ->
      no_better (likelihood answers h) (table answers c v).
    Proof.
      revert c v h. induction answers as [|w answers IH]; intros c v h weights inside (size & values & few & ends).
      - destruct h; [|discriminate]. apply no_better_refl.
      - destruct h as [|x h]; [discriminate|]. simpl in ends. subst x. simpl.
        apply weights_keep; [apply weights; now left|].
        assert (rest : are_weights answers) by (intros other x here; apply weights; now right).
        injection size as size. apply incl_cons_inv in values as [_ values].
        destruct h as [|y h].
        + eapply no_better_trans; [apply (IH c v []); auto|apply ahead_keeps]. repeat split; simpl; auto.
        + simpl in few. assert (there : In y domain) by (apply values; now left).
          destruct (same v y) as [<-|differ].
          * eapply no_better_trans; [apply (IH c v (v :: h)); auto|apply ahead_keeps]. repeat split; auto.
          * destruct c as [|c]; [lia|]. simpl. eapply no_better_trans; [apply (IH c y (y :: h)); auto|].
            { repeat split; auto. simpl in *. lia. }
            eapply no_better_trans; [now apply (best_is_best (table answers c) y)|apply pick_right].
    Qed.

    Lemma table_is_attained answers c v : In v domain -> exists h, is_history answers c v h /\ likelihood answers h = table answers c v.
    Proof.
      revert c v. induction answers as [|w answers IH]; intros c v inside.
      - exists []. repeat split; simpl; auto; [intros x []|lia].
      - assert (grow : forall c' u h, In u domain -> is_history answers c' u h -> likelihood answers h = ahead (table answers) c v ->
          (c' = c /\ u = v \/ c = S c') -> exists h, is_history (w :: answers) c v h /\ likelihood (w :: answers) h = table (w :: answers) c v).
        { intros c' u h there (size & values & few & ends) equal which. exists (v :: h). split.
          - repeat split; simpl; auto; [now apply incl_cons|].
            destruct h as [|y h]; [simpl; lia|]. simpl in ends. subst y. destruct which as [[-> ->]|more].
            + destruct (same v v); [lia|congruence].
            + destruct (same v u); lia.
          - simpl. now rewrite equal. }
        destruct c as [|c].
        + destruct (IH 0%nat v inside) as (h & is & equal). apply (grow 0%nat v h); auto.
        + destruct (pick_one (table answers (S c) v) (best (table answers c))) as [one|other].
          * destruct (IH (S c) v inside) as (h & is & equal). apply (grow (S c) v h); auto. simpl. congruence.
          * destruct (best_is_one (table answers c) v inside) as (u & there & own). destruct (IH c u there) as (h & is & equal).
            apply (grow c u h); auto. simpl. congruence.
    Qed.

    Lemma more_changes_are_no_worse answers c v : are_weights answers -> In v domain ->
      no_better (table answers c v) (table answers (S c) v).
    Proof.
      intros weights inside. destruct (table_is_attained answers c v inside) as (h & (size & values & few & ends) & <-).
      apply table_is_no_worse; auto. repeat split; auto.
    Qed.

    Lemma best_is_all answers c v h : are_weights answers -> is_history answers c v h -> In v domain ->
      no_better (likelihood answers h) (best (table answers c)).
    Proof.
      intros weights is inside. eapply no_better_trans; [now apply (table_is_no_worse answers c v)|]. now apply (best_is_best (table answers c)).
    Qed.

    Lemma pick_scaled m a b : (0 <= m)%Z -> pick (m * a) (m * b) = (m * pick a b)%Z.
    Proof.
      intros some. apply no_better_antisym.
      - destruct (pick_one (m * a) (m * b)) as [->| ->]; apply weights_keep; auto.
      - destruct (pick_one a b) as [->| ->]; auto.
    Qed.

    Lemma best_scaled m t : (0 <= m)%Z -> best (fun x => m * t x)%Z = (m * best t)%Z.
    Proof.
      intros some. unfold best. destruct domain as [|first others]; [ring|].
      induction others as [|y others IH]; [reflexivity|]. simpl. now rewrite IH, pick_scaled.
    Qed.

    (** An answer that is "as likely under every value" is left out, because "to continue twice is to continue once"
        (src/sordino/evidence/histories.py). *)
    Lemma even_answer answers m c v : are_weights answers -> (0 <= m)%Z -> In v domain ->
      ahead (table ((fun _ => m) :: answers)) c v = (m * ahead (table answers) c v)%Z.
    Proof.
      intros weights some inside. simpl. destruct c as [|c]; [reflexivity|]. simpl.
      rewrite (best_scaled m (ahead (table answers) c)), pick_scaled by assumption. f_equal.
      assert (twice : no_better (best (ahead (table answers) c)) (best (table answers c))).
      { destruct (best_is_one (ahead (table answers) c) v inside) as (u & there & ->).
        destruct c as [|c]; [now apply best_is_best|]. simpl.
        destruct (pick_one (table answers (S c) u) (best (table answers c))) as [->| ->]; [now apply best_is_best|].
        destruct (best_is_one (table answers c) v inside) as (z & here & ->).
        eapply no_better_trans; [now apply more_changes_are_no_worse|]. now apply (best_is_best (table answers (S c))). }
      set (a := table answers (S c) v) in *. set (b := best (table answers c)) in *. set (b' := best (ahead (table answers) c)) in *.
      apply no_better_antisym; [|apply pick_left].
      destruct (pick_one (pick a b) b') as [->| ->]; [apply no_better_refl|].
      eapply no_better_trans; [exact twice|apply pick_right].
    Qed.
  End Side.

  (** ** Largest and smallest *)

  Definition at_least (a b : Z) : Prop := (b <= a)%Z.
  Definition most_table : list (X -> Z) -> nat -> X -> Z := table Z.max.
  Definition least_table : list (X -> Z) -> nat -> X -> Z := table Z.min.

  (** The most in the table is the most of all histories, and that of one of them, ... *)
  Theorem most_is_of_all_histories (answers : list (X -> Z)) (c : nat) (v : X) : are_weights answers -> In v domain ->
    (forall h, is_history answers c v h -> (likelihood answers h <= most_table answers c v)%Z) /\
    exists h, is_history answers c v h /\ likelihood answers h = most_table answers c v.
  Proof.
    intros weights inside. split.
    - intros h is. apply (table_is_no_worse Z.max Z.le); auto; intros; try lia. now apply Z.mul_le_mono_nonneg_l.
    - apply (table_is_attained Z.max Z.le); auto; intros; lia.
  Qed.

  (** ... and so is the least. *)
  Theorem least_is_of_all_histories (answers : list (X -> Z)) (c : nat) (v : X) : are_weights answers -> In v domain ->
    (forall h, is_history answers c v h -> (least_table answers c v <= likelihood answers h)%Z) /\
    exists h, is_history answers c v h /\ likelihood answers h = least_table answers c v.
  Proof.
    intros weights inside. split.
    - intros h is. apply (table_is_no_worse Z.min at_least); auto; unfold at_least; intros; try lia. now apply Z.mul_le_mono_nonneg_l.
    - apply (table_is_attained Z.min at_least); auto; unfold at_least; intros; lia.
  Qed.

  (** An answer that is as likely under every value changes neither, but for a factor that all histories share. *)
  Theorem even_answer_changes_nothing (answers : list (X -> Z)) (w : X -> Z) (m : Z) (c : nat) (v : X) :
    are_weights answers -> (0 <= m)%Z -> In v domain ->
    most_table (w :: (fun _ => m) :: answers) c v = (m * most_table (w :: answers) c v)%Z /\
    least_table (w :: (fun _ => m) :: answers) c v = (m * least_table (w :: answers) c v)%Z.
  Proof.
    intros weights some inside. unfold most_table, least_table.
    assert (max : ahead Z.max (table Z.max ((fun _ => m) :: answers)) c v = (m * ahead Z.max (table Z.max answers) c v)%Z).
    { apply (even_answer Z.max Z.le); auto; intros; try lia. now apply Z.mul_le_mono_nonneg_l. }
    assert (min : ahead Z.min (table Z.min ((fun _ => m) :: answers)) c v = (m * ahead Z.min (table Z.min answers) c v)%Z).
    { apply (even_answer Z.min at_least); auto; unfold at_least; intros; try lia. now apply Z.mul_le_mono_nonneg_l. }
    split.
    - transitivity (w v * (m * ahead Z.max (table Z.max answers) c v))%Z; [now rewrite <- max|simpl; ring].
    - transitivity (w v * (m * ahead Z.min (table Z.min answers) c v))%Z; [now rewrite <- min|simpl; ring].
  Qed.

  (** Of all values at the end. *)
  Definition most_of_all (answers : list (X -> Z)) (c : nat) : Z := best Z.max (most_table answers c).
  Definition least_of_all (answers : list (X -> Z)) (c : nat) : Z := best Z.min (least_table answers c).

  Lemma between (answers : list (X -> Z)) (c : nat) (v : X) (h : list X) : are_weights answers -> In v domain ->
    is_history answers c v h -> (least_of_all answers c <= likelihood answers h <= most_of_all answers c)%Z.
  Proof.
    intros weights inside is. split.
    - apply (best_is_all Z.min at_least) with v; auto; unfold at_least; intros; try lia. now apply Z.mul_le_mono_nonneg_l.
    - apply (best_is_all Z.max Z.le) with v; auto; intros; try lia. now apply Z.mul_le_mono_nonneg_l.
  Qed.
End Tables.

(** * The rule of the program *)

Section Rule.
  Context {X : Type}.
  Variable same : forall x y : X, {x = y} + {x <> y}.

  (** The values, how often a history changes at most, and the bound. *)
  Variable domain : list X.
  Variable covered : nat.
  Variable epsilon : nats.

  (** A question about the state at one time: the program knows the time, and the whole weights of the answers. *)
  Variable integers : query (history X) -> option (nat * channel X).
  Hypothesis are_integers : forall q t c, integers q = Some (t, c) ->
    columns c = outputs q /\ forall h y, chance q h y = IZR (weight c (h t) y) / IZR (denominator c).

  (** The comparison of a fraction with a bound, what a query can add at most, and limits of the work: as in Decisions.v. *)
  Variable keeps : nats -> Q -> bool.
  Hypothesis keeps_is_sound : forall b q, keeps b q = true -> Q2R q <= exp (value b).
  Variable charge : channel X -> option Q.
  Hypothesis charge_covers : forall c x x' y q, In x domain -> In x' domain -> In y (codes (columns c)) ->
    charge c = Some q -> IZR (weight c x y) <= Q2R q * IZR (weight c x' y).
  Variable listed : channel X -> bool.
  Variable counts_all : list (list (X -> Z)) -> list (channel X) -> channel X -> bool.

  (** ** What it computes *)

  (** How much likelier one history makes the answers than another, at most. *)
  Definition history_level (answers : list (X -> Z)) : option Q :=
    larger (Some 1%Q) (ratio_of (most_of_all domain answers covered) (least_of_all domain answers covered)).

  Definition answer (c : channel X) (y : nat) : X -> Z := fun x => weight c x y.
  Definition is_kept (r : option Q) : bool := match r with Some q => keeps epsilon q | None => false end.
  Definition some_history_can (answers : list (X -> Z)) : bool := Z.ltb 0 (most_of_all domain answers covered).
  Definition raised (queries : list (channel X)) (level : option Q) : option Q :=
    fold_right (fun c r => times (charge c) r) level queries.

  Definition decide_history (answers : list (X -> Z)) (c : channel X) : bool :=
    is_kept (raised [c] (history_level answers)) ||
    (listed c && forallb (fun y => negb (some_history_can (answer c y :: answers))
      || is_kept (history_level (answer c y :: answers))) (codes (columns c))).

  (** Open answers, each way in which they can turn out; those that wait beside them; and the times of the answers, the last one
      first. *)
  Record history_state : Type := HistoryState {
    history_ways : list (list (X -> Z)); asked_at : list nat; waiting_answers : list (channel X); latest : nat
  }.

  (** "Answers count in the order in which their queries were accepted." (docs/filters.md): time does not go back. *)
  Definition history_next (s : history_state) (l : @public_line (history X)) : option history_state :=
    let told_now t c answers := HistoryState
      (List.filter some_history_can (flat_map (fun way => map (fun y => answer c y :: way) answers) (history_ways s)))
      (t :: asked_at s) (waiting_answers s) t in
    let asked q add := match integers q with Some (t, c) => if Nat.leb (latest s) t then Some (add t c) else None | None => None end in
    match l with
    | Delivered q y => asked q (fun t c => told_now t c [y])
    | Pending q => asked q (fun t c =>
        if counts_all (history_ways s) (waiting_answers s) c then told_now t c (codes (columns c))
        else HistoryState (history_ways s) (asked_at s) (c :: waiting_answers s) t)
    | Refusal _ | PublicLot _ => Some s
    end.

  Definition history_read (past : list (@public_line (history X))) : option history_state :=
    fold_left (fun s l => match s with Some s => history_next s l | None => None end) past (Some (HistoryState [[]] [] [] 0)).

  Definition history_program : @Filter.filter (history X) := fun past q =>
    match history_read past, integers q with
    | Some s, Some (t, c) => Nat.leb (latest s) t &&
        match waiting_answers s with
        | [] => forallb (fun way => decide_history way c) (history_ways s)
        | _ => forallb (fun way => is_kept (raised (c :: waiting_answers s) (history_level way))) (history_ways s)
        end
    | _, _ => false
    end.

  (** ** What it is a check of *)

  Definition covers (h : history X) : Prop := changes_at_most covered h /\ forall t, In (h t) domain.

  (** LDP between histories with few changes: [history_ldp] (OverTime.v), of values of the domain. *)
  Definition histories_ldp : definition (history X) := fun a b e => exists h h',
    a = sure h /\ b = sure h' /\ e = value epsilon /\ covers h /\ covers h'.

  Lemma within_histories (f : history X -> R) : within histories_ldp f <->
    forall h h', covers h -> covers h' -> f h <= exp (value epsilon) * f h'.
  Proof.
    split.
    - intros kept h h' one two. rewrite <- (mean_sure h f), <- (mean_sure h' f). apply kept. now exists h, h'.
    - intros each a b e (h & h' & -> & -> & -> & one & two). rewrite !mean_sure. auto.
  Qed.

  (** The times of answers are in order, the last one first. *)
  Fixpoint in_order (moments : list nat) : Prop :=
    match moments with [] => True | t :: earlier => match earlier with [] => True | t' :: _ => (t' <= t)%nat end /\ in_order earlier end.

  Lemma change_between (h : history X) (t t' : nat) : (t' <= t)%nat -> h t <> h t' ->
    exists moment, (t' <= moment < t)%nat /\ h (S moment) <> h moment.
  Proof.
    intros order. induction order as [|t order IH]; intros differ; [congruence|].
    destruct (same (h (S t)) (h t)) as [equal|now_].
    - destruct IH as (moment & range & change); [congruence|]. exists moment. split; [lia|assumption].
    - exists t. split; [lia|assumption].
  Qed.

  Lemma changes_have_times (h : history X) (moments : list nat) : in_order moments ->
    exists changes, NoDup changes /\ (forall t, In t changes -> h (S t) <> h t /\ (t < hd 0%nat moments)%nat) /\
      length changes = changes_of same (map h moments).
  Proof.
    induction moments as [|t [|t' earlier] IH]; intros order.
    - exists []. repeat split; simpl; auto using NoDup_nil; destruct H.
    - exists []. repeat split; simpl; auto using NoDup_nil; destruct H.
    - destruct order as [later order]. destruct (IH order) as (changes & distinct & each & size).
      cbn [map changes_of] in *. destruct (same (h t) (h t')) as [equal|differ].
      + exists changes. repeat split; auto. * intros. now apply each. * intros. apply each in H. simpl in *. lia.
      + destruct (change_between h t t' later differ) as (moment & range & change).
        exists (moment :: changes). repeat split.
        * constructor; [|assumption]. intros inside. apply each in inside. simpl in inside. lia.
        * destruct H as [<-|inside]; [assumption|]. now apply each.
        * destruct H as [<-|inside]; [simpl; lia|]. apply each in inside. simpl in *. lia.
        * simpl length. rewrite size. reflexivity.
  Qed.

  Lemma values_are_history (h : history X) (answers : list (X -> Z)) (moments : list nat) : covers h -> in_order moments ->
    length answers = length moments -> exists v, In v domain /\ is_history same domain answers covered v (map h moments).
  Proof.
    intros [(changes & few & still) inside] order size. exists (hd (h 0%nat) (map h moments)). split.
    - destruct moments; simpl; auto.
    - repeat split.
      + now rewrite map_length.
      + intros x here. apply in_map_iff in here as (t & <- & _). auto.
      + destruct (changes_have_times h moments order) as (found & distinct & each & <-).
        apply Nat.le_trans with (length changes); [|assumption]. apply NoDup_incl_length; [assumption|].
        intros t here. destruct (in_dec Nat.eq_dec t changes) as [yes|no]; [assumption|].
        apply each in here as [change _]. now apply still in no.
      + destruct moments; reflexivity.
  Qed.

  Lemma likelihood_nonneg (answers : list (X -> Z)) (h : list X) : are_weights answers -> (0 <= likelihood answers h)%Z.
  Proof.
    revert h. induction answers as [|w answers IH]; intros [|x h] weights; simpl; try lia.
    apply Z.mul_nonneg_nonneg; [apply weights; now left|]. apply IH. intros other y here. apply weights. now right.
  Qed.

  Lemma least_of_all_nonneg (answers : list (X -> Z)) (v : X) : are_weights answers -> In v domain ->
    (0 <= least_of_all domain answers covered)%Z.
  Proof.
    intros weights inside. unfold least_of_all.
    assert (attained : exists u, In u domain /\
      best domain Z.min (least_table domain answers covered) = least_table domain answers covered u).
    { apply (best_is_one domain Z.min at_least) with v; auto; unfold at_least; intros; lia. }
    destruct attained as (u & there & ->).
    destruct (least_is_of_all_histories same domain answers covered u weights there) as [_ (h & _ & <-)].
    now apply likelihood_nonneg.
  Qed.

  Lemma history_level_correct (answers : list (X -> Z)) (moments : list nat) (h h' : history X) (q : Q) :
    are_weights answers -> in_order moments -> length answers = length moments -> covers h -> covers h' ->
    history_level answers = Some q ->
    IZR (likelihood answers (map h moments)) <= Q2R q * IZR (likelihood answers (map h' moments)).
  Proof.
    intros weights order size one two level.
    destruct (values_are_history h answers moments one order size) as (v & here & is).
    destruct (values_are_history h' answers moments two order size) as (v' & there & is').
    pose proof (between same domain answers covered v _ weights here is) as [_ above].
    pose proof (between same domain answers covered v' _ weights there is') as [below _].
    pose proof (least_of_all_nonneg answers v weights here) as nonneg_least.
    pose proof (likelihood_nonneg answers (map h moments) weights) as nonneg_most.
    unfold history_level in level. apply larger_correct in level as (p & p' & at_one & ratio & le_one & le_ratio). injection at_one as <-.
    apply ratio_of_correct in ratio; [|lia|assumption].
    apply IZR_le in above, below, nonneg_least, nonneg_most.
    assert (Q2R 1 = 1) by (unfold Q2R; simpl; lra).
    set (least := IZR (least_of_all domain answers covered)) in *.
    assert (Q2R p' * least <= Q2R q * least) by (now apply Rmult_le_compat_r).
    assert (Q2R q * least <= Q2R q * IZR (likelihood answers (map h' moments))) by (apply Rmult_le_compat_l; lra).
    lra.
  Qed.

  (** What waits, of a history: its queries were asked at some times. *)
  Definition waits (queries : list (channel X)) (P : history X -> R) : Prop :=
    (forall h, 0 <= P h) /\ forall h h' q level, covers h -> covers h' -> raised queries (Some level) = Some q -> 0 <= Q2R level ->
      Q2R level * P h <= Q2R q * P h'.

  Lemma nothing_waits : waits [] (fun _ => 1).
  Proof. split; [intros; lra|]. intros h h' q level _ _ equal nonneg. injection equal as <-. lra. Qed.

  Lemma one_more_waits queries P c t y : waits queries P -> In y (codes (columns c)) ->
    waits (c :: queries) (fun h => P h * IZR (weight c (h t) y)).
  Proof.
    intros [nonneg each] here. split; [intros h; apply Rmult_le_pos; [auto|apply IZR_le, weight_nonneg]|].
    intros h h' q level one two equal positive. simpl in equal. fold (raised queries (Some level)) in equal.
    destruct (charge c) as [p|] eqn:own; [|discriminate].
    destruct (raised queries (Some level)) as [p'|] eqn:rest; [|discriminate]. injection equal as <-.
    specialize (each h h' p' level one two rest positive).
    pose proof (charge_covers c (h t) (h' t) y p (proj2 one t) (proj2 two t) here own) as more. rewrite Q2R_mult.
    replace (Q2R level * (P h * IZR (weight c (h t) y))) with (IZR (weight c (h t) y) * (Q2R level * P h)) by ring.
    replace (Q2R p * Q2R p' * (P h' * IZR (weight c (h' t) y))) with (Q2R p * IZR (weight c (h' t) y) * (Q2R p' * P h')) by ring.
    apply Rmult_le_compat; auto; [apply IZR_le, weight_nonneg|]. apply Rmult_le_pos; auto.
  Qed.

  Definition is_history_way (s : history_state) (past : list (@line (history X))) : Prop :=
    in_order (asked_at s) /\ (hd 0 (asked_at s) <= latest s)%nat /\
    (forall way, In way (history_ways s) -> are_weights way /\ length way = length (asked_at s)) /\
    ((forall h, covers h -> evidence past h = 0) \/
     exists way P k, In way (history_ways s) /\ waits (waiting_answers s) P /\ 0 < k /\
       forall h, covers h -> evidence past h = k * (IZR (likelihood way (map h (asked_at s))) * P h)).

  Lemma impossible_history (answers : list (X -> Z)) (moments : list nat) (h : history X) :
    are_weights answers -> in_order moments -> length answers = length moments -> covers h ->
    some_history_can answers = false -> likelihood answers (map h moments) = 0%Z.
  Proof.
    intros weights order size one none. destruct (values_are_history h answers moments one order size) as (v & here & is).
    pose proof (between same domain answers covered v _ weights here is). pose proof (likelihood_nonneg answers (map h moments) weights).
    unfold some_history_can in none. apply Z.ltb_ge in none. lia.
  Qed.

  Lemma history_state_knows past s : is_possible past -> history_read (map show past) = Some s -> is_history_way s past.
  Proof.
    revert s. induction past as [|l past IH] using rev_ind; intros s can equal.
    - injection equal as <-. split; [exact I|]. split; [apply Nat.le_refl|]. split.
      + intros way [<-|[]]. split; [intros w x []|reflexivity].
      + right. exists [], (fun _ => 1), 1. repeat split; simpl; auto using nothing_waits; try apply nothing_waits; try lra. intros. ring.
    - unfold history_read in equal. rewrite map_app, fold_left_app in equal. fold (history_read (map show past)) in equal.
      assert (before : is_possible past) by (intros q y d here; apply (can q y d), in_or_app; now left).
      destruct (history_read (map show past)) as [t|]; [|discriminate].
      destruct (IH t before eq_refl) as (order & last & all & one). simpl in equal.
      assert (unchanged : forall other, (forall q y d, other <> Drawn q y d) -> is_history_way t (past ++ [other])).
      { intros other silent.
        assert (still : forall h, evidence (past ++ [other]) h = evidence past h).
        { intros h. rewrite evidence_app. destruct other as [q y d|q|i]; [now destruct (silent q y d)| |]; simpl; ring. }
        split; [assumption|]. split; [assumption|]. split; [assumption|].
        destruct one as [none|(way & P & k & inside & waiting & positive & same_evidence)]; [left|right].
        - intros h here. rewrite still. auto.
        - exists way, P, k. repeat split; auto; try apply waiting. intros h here. rewrite still. auto. }
      destruct l as [q y d|q|i]; [|injection equal as <-; now apply unchanged|injection equal as <-; now apply unchanged].
      assert (here : In y (codes (outputs q))) by (apply (can q y d), in_or_app; right; now left).
      assert (counted : forall moment c answers, integers q = Some (moment, c) -> (latest t <= moment)%nat -> In y answers ->
        is_history_way (HistoryState
          (List.filter some_history_can (flat_map (fun way => map (fun y => answer c y :: way) answers) (history_ways t)))
          (moment :: asked_at t) (waiting_answers t) moment) (past ++ [Drawn q y d])).
      { intros moment c answers own later listed_answer. destruct (are_integers q moment c own) as [_ chances].
        assert (order' : in_order (moment :: asked_at t)).
        { simpl. split; [|assumption]. destruct (asked_at t); simpl in *; auto. lia. }
        assert (ways_all : forall way y', In way (history_ways t) ->
          are_weights (answer c y' :: way) /\ length (answer c y' :: way) = length (moment :: asked_at t)).
        { intros way y' inside. destruct (all way inside) as [weights size]. split; [|simpl; congruence].
          intros w x [<-|there]; [apply weight_nonneg|now apply weights]. }
        split; [assumption|]. split; [simpl; lia|]. split.
        - simpl. intros way inside. apply filter_In in inside as [inside _]. apply in_flat_map in inside as (way' & from & inside).
          apply in_map_iff in inside as (y' & <- & _). now apply ways_all.
        - destruct one as [none|(way & P & k & inside & waiting & positive & same_evidence)].
          + left. intros h covered_h. rewrite evidence_app, none by assumption. ring.
          + pose proof (IZR_lt _ _ (denominator_positive c)) as whole.
            assert (next_evidence : forall h, covers h -> evidence (past ++ [Drawn q y d]) h = k / IZR (denominator c) *
              (IZR (likelihood (answer c y :: way) (map h (moment :: asked_at t))) * P h)).
            { intros h covered_h. rewrite evidence_app, same_evidence by assumption. simpl. rewrite chances, mult_IZR.
              unfold answer. field. lra. }
            destruct (ways_all way y inside) as [weights size].
            destruct (some_history_can (answer c y :: way)) eqn:possible_way.
            * right. exists (answer c y :: way), P, (k / IZR (denominator c)). split.
              { simpl. apply filter_In. split; [|assumption]. apply in_flat_map. exists way. split; [assumption|].
                apply in_map_iff. now exists y. }
              split; [exact waiting|]. split; [now apply Rdiv_lt_0_compat|exact next_evidence].
            * left. intros h covered_h. rewrite next_evidence by assumption.
              rewrite (impossible_history (answer c y :: way) (moment :: asked_at t) h) by auto. ring. }
      destruct d; simpl in equal; destruct (integers q) as [[moment c]|] eqn:own; try discriminate;
        destruct (Nat.leb_spec (latest t) moment) as [later|]; try discriminate; injection equal as <-;
        destruct (are_integers q moment c own) as [size chances].
      + apply (counted moment c [y]); auto. now left.
      + destruct (counts_all (history_ways t) (waiting_answers t) c); [apply (counted moment c); auto; now rewrite size|].
        split; [assumption|]. split; [simpl; lia|]. split; [assumption|].
        destruct one as [none|(way & P & k & inside & waiting & positive & same_evidence)].
        * left. intros h covered_h. rewrite evidence_app, none by assumption. ring.
        * right. pose proof (IZR_lt _ _ (denominator_positive c)) as whole.
          exists way, (fun h => P h * IZR (weight c (h moment) y)), (k / IZR (denominator c)). split; [assumption|].
          split; [apply one_more_waits; [assumption|now rewrite size]|]. split; [now apply Rdiv_lt_0_compat|].
          intros h covered_h. rewrite evidence_app, same_evidence by assumption. simpl. rewrite chances. field. lra.
  Qed.

  Lemma raised_nothing queries : raised queries None = None.
  Proof. induction queries as [|c queries IH]; simpl; [reflexivity|]. fold (raised queries None). rewrite IH. now destruct (charge c). Qed.

  Lemma is_kept_correct r : is_kept r = true -> exists q, r = Some q /\ Q2R q <= exp (value epsilon).
  Proof. destruct r as [q|]; [|discriminate]. intros kept. exists q. auto. Qed.

  Lemma raised_history_within (way : list (X -> Z)) (moments : list nat) (queries : list (channel X)) (P : history X -> R) :
    are_weights way -> in_order moments -> length way = length moments -> waits queries P ->
    is_kept (raised queries (history_level way)) = true ->
    within histories_ldp (fun h => IZR (likelihood way (map h moments)) * P h).
  Proof.
    intros weights order size [nonneg each] kept. apply within_histories. intros h h' one two.
    apply is_kept_correct in kept as (q & equal & below).
    destruct (history_level way) as [level|] eqn:own; [|now rewrite raised_nothing in equal].
    pose proof (history_level_correct way moments h h' level weights order size one two own) as values.
    assert (positive : 0 <= Q2R level).
    { unfold history_level in own. apply larger_correct in own as (p & p' & at_one & _ & le_one & _). injection at_one as <-.
      assert (Q2R 1 = 1) by (unfold Q2R; simpl; lra). lra. }
    specialize (each h h' q level one two equal positive).
    pose proof (IZR_le _ _ (likelihood_nonneg way (map h' moments) weights)) as some. pose proof (nonneg h). pose proof (nonneg h').
    apply Rle_trans with (Q2R level * IZR (likelihood way (map h' moments)) * P h); [now apply Rmult_le_compat_r|].
    apply Rle_trans with (IZR (likelihood way (map h' moments)) * (Q2R q * P h')); [nra|].
    replace (exp (value epsilon) * (IZR (likelihood way (map h' moments)) * P h'))
      with (IZR (likelihood way (map h' moments)) * (exp (value epsilon) * P h')) by ring.
    apply Rmult_le_compat_l; [assumption|]. now apply Rmult_le_compat_r.
  Qed.

  (** ** The theorem: it is a filter as that of histories requires *)

  Theorem history_program_accepts_within : accepts_within histories_ldp history_program.
  Proof.
    intros past q can accepted y here. unfold history_program in accepted.
    destruct (history_read (map show past)) as [s|] eqn:equal; [|discriminate].
    destruct (integers q) as [[t c]|] eqn:own; [|discriminate].
    apply andb_true_iff in accepted as [later accepted]. apply Nat.leb_le in later.
    destruct (are_integers q t c own) as [size chances]. rewrite <- size in here.
    pose proof (IZR_lt _ _ (denominator_positive c)) as whole.
    destruct (history_state_knows past s can equal) as (order & last & all & [none|(way & P & k & inside & waiting & positive & same_evidence)]).
    - apply within_histories. intros h h' one two. rewrite !none by assumption. lra.
    - destruct (all way inside) as [weights long].
      enough (kept : within histories_ldp (fun h => IZR (likelihood way (map h (asked_at s))) * (P h * IZR (weight c (h t) y)))).
      { apply within_histories. intros h h' one two. rewrite !same_evidence, !chances by assumption.
        rewrite within_histories in kept. specialize (kept h h' one two).
        replace (k * (IZR (likelihood way (map h (asked_at s))) * P h) * (IZR (weight c (h t) y) / IZR (denominator c)))
          with (k / IZR (denominator c) * (IZR (likelihood way (map h (asked_at s))) * (P h * IZR (weight c (h t) y)))) by (field; lra).
        replace (exp (value epsilon) * (k * (IZR (likelihood way (map h' (asked_at s))) * P h') * (IZR (weight c (h' t) y) / IZR (denominator c))))
          with (k / IZR (denominator c) * (exp (value epsilon) * (IZR (likelihood way (map h' (asked_at s))) * (P h' * IZR (weight c (h' t) y))))) by (field; lra).
        apply Rmult_le_compat_l; [left; now apply Rdiv_lt_0_compat|assumption]. }
      destruct (waiting_answers s) as [|first rest] eqn:open.
      + rewrite forallb_forall in accepted. specialize (accepted way inside). unfold decide_history in accepted.
        apply orb_true_iff in accepted as [simple|[_ each]%andb_true_iff].
        * apply (raised_history_within way (asked_at s) [c]); auto. now apply one_more_waits.
        * rewrite forallb_forall in each. specialize (each y here).
          assert (order' : in_order (t :: asked_at s)).
          { simpl. split; [|assumption]. destruct (asked_at s); simpl in *; auto. lia. }
          assert (weights' : are_weights (answer c y :: way)).
          { intros w x [<-|there]; [apply weight_nonneg|now apply weights]. }
          assert (long' : length (answer c y :: way) = length (t :: asked_at s)) by (simpl; congruence).
          assert (front : within histories_ldp (fun h => IZR (likelihood (answer c y :: way) (map h (t :: asked_at s))) * P h)).
          { apply orb_true_iff in each as [none|kept].
            - apply negb_true_iff in none. apply within_histories. intros h h' one two.
              rewrite !(impossible_history (answer c y :: way) (t :: asked_at s)) by auto. lra.
            - now apply (raised_history_within _ _ [] P). }
          apply (within_ext _ (fun h => IZR (likelihood (answer c y :: way) (map h (t :: asked_at s))) * P h)); [|exact front].
          intros h. simpl. rewrite mult_IZR. unfold answer. ring.
      + rewrite <- open in *. rewrite forallb_forall in accepted. specialize (accepted way inside).
        apply (raised_history_within way (asked_at s) (c :: waiting_answers s)); auto. now apply one_more_waits.
  Qed.

  (** "No set of answers is then more than e^epsilon times as likely under one such history as under another." (docs/filters.md) *)
  Theorem history_program_keeps (s : strategy) (A : list line -> bool) (h h' : history X) :
    0 <= value epsilon -> covers h -> covers h' ->
    probability history_program s [] A h <= exp (value epsilon) * probability history_program s [] A h'.
  Proof.
    intros nonneg one two. revert h h' one two. apply within_histories.
    apply filter_keeps_promise; [|apply history_program_accepts_within].
    intros a b e (h & h' & -> & -> & -> & _). auto using sure_is_belief.
  Qed.
End Rule.

(** With the comparison of Decisions.v, and the most that any code of a query adds under LDP. *)
Section Promise.
  Context {X : Type}.
  Variable same : forall x y : X, {x = y} + {x <> y}.
  Variable domain : list X.
  Variable integers : query (history X) -> option (nat * channel X).
  Hypothesis are_integers : forall q t c, integers q = Some (t, c) ->
    columns c = outputs q /\ forall h y, chance q h y = IZR (weight c (h t) y) / IZR (denominator c).
  Variable listed : channel X -> bool.
  Variable counts_all : list (list (X -> Z)) -> list (channel X) -> channel X -> bool.

  Definition history_rule (covered : nat) (epsilon : nats) : filter :=
    history_program domain covered epsilon integers keeps_by_factor (fun c => own_charge domain c (Group [(domain, domain)] [] epsilon)) listed
      counts_all.

  Theorem history_rule_keeps (covered : nat) (epsilon : nats) (s : strategy) (A : list line -> bool) (h h' : history X) :
    0 <= value epsilon -> (forall t, In (h t) domain) -> (forall t, In (h' t) domain) ->
    changes_at_most covered h -> changes_at_most covered h' ->
    let f := history_rule covered epsilon in probability f s [] A h <= exp (value epsilon) * probability f s [] A h'.
  Proof.
    intros positive here there one two f.
    apply (history_program_keeps same domain covered epsilon integers are_integers keeps_by_factor keeps_by_factor_is_sound);
      try split; auto.
    intros c x x' y q inside inside'. now apply (own_charge_of_records domain c _ (domain, domain)); [reflexivity|left| |].
  Qed.
End Promise.

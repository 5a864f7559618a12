(** What `BayesianFilter` computes over a finite domain, and that it is a filter as the theorem requires.

    The theorem (Filter.v) is about any rule that accepts only where every possible answer keeps the definition. Here is the
    rule of the program, in whole numbers and fractions as it has them: the product of the weights of all answers so far,
    record by record; the largest and the least of them within each group of records that the definition compares; a first
    look at the most that a query could add, and then, answer by answer, at all that it could lead to; and open answers, of
    which every one is looked at. Floats, which decide where they can, are not in here: they are taken to be rounded
    outward. *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool.
From Sordino Require Import Sums Channels Definitions Filter Dependence Exponential Coins.
Import ListNotations.
Open Scope R_scope.

(** * How much likelier: a fraction, or infinitely *)

(** "Of two weights; 1 where the first is 0, which favours nothing." (src/sordino/accounting/measures/mechanism_columns.py); [None] is
    infinite. *)
Definition ratio_of (heavy light : Z) : option Q :=
  if Z.eqb heavy 0 then Some 1%Q else if Z.eqb light 0 then None else Some (heavy # Z.to_pos light).

Definition larger (r r' : option Q) : option Q :=
  match r, r' with Some q, Some q' => Some (if Qle_bool q q' then q' else q) | _, _ => None end.
Definition times (r r' : option Q) : option Q :=
  match r, r' with Some q, Some q' => Some (q * q')%Q | _, _ => None end.
Definition largest (ratios : list (option Q)) : option Q := fold_right larger (Some 1%Q) ratios.

Lemma ratio_of_correct heavy light q : (0 <= heavy)%Z -> (0 <= light)%Z ->
  ratio_of heavy light = Some q -> IZR heavy <= Q2R q * IZR light.
Proof.
  unfold ratio_of. intros first second. destruct (Z.eqb_spec heavy 0) as [->|some].
  - intros same. injection same as <-. unfold Q2R; simpl. apply IZR_le in second. lra.
  - destruct (Z.eqb_spec light 0) as [->|positive]; [discriminate|]. intros same. injection same as <-.
    unfold Q2R; simpl. rewrite Z2Pos.id by lia. right. field. apply not_0_IZR. exact positive.
Qed.

Lemma larger_correct r r' q : larger r r' = Some q ->
  exists p p', r = Some p /\ r' = Some p' /\ Q2R p <= Q2R q /\ Q2R p' <= Q2R q.
Proof.
  destruct r as [p|], r' as [p'|]; try discriminate. simpl. intros same. injection same as <-.
  exists p, p'. repeat split; destruct (Qle_bool p p') eqn:order; try lra.
  - now apply Qle_Rle, Qle_bool_iff.
  - apply Qle_Rle. destruct (Qlt_le_dec p p') as [less|more]; [|exact more].
    apply Qlt_le_weak, Qle_bool_iff in less. congruence.
Qed.

Lemma largest_correct ratios r q : largest ratios = Some q -> In r ratios -> exists p, r = Some p /\ Q2R p <= Q2R q.
Proof.
  revert q. induction ratios as [|first ratios IH]; [intros q _ []|]. intros q same inside.
  apply larger_correct in same as (p & p' & here & rest & below & below').
  destruct inside as [<-|inside]; [now exists p|]. destruct (IH p' rest inside) as (own & equal & less).
  exists own. split; [assumption|lra].
Qed.

Lemma largest_at_least_one ratios q : largest ratios = Some q -> 1 <= Q2R q.
Proof.
  destruct ratios as [|r ratios]; simpl.
  - intros same. injection same as <-. unfold Q2R; simpl. lra.
  - revert r q. induction ratios as [|r' ratios IH]; intros r q same; apply larger_correct in same as (p & p' & _ & rest & _ & below).
    + simpl in rest. injection rest as <-. assert (one : Q2R 1 = 1) by (unfold Q2R; simpl; lra). lra.
    + apply IH in rest. lra.
Qed.

Section Program.
  Context {X : Type}.

  (** * What it is given *)

  (** The records of the domain: "Nothing is promised about a record outside." (src/sordino/accounting/filter.py) *)
  Variable domain : list X.

  (** Hypotheses by groups, of one bound each: pairs of lists of records, of which none of the first must be told from one of
      the second; or pairs of averages, records with whole weights. Under LDP there is one group, all records against all;
      under block LDP the records of each block against themselves; high-low compares sensitive ones with all; a matrix has
      a group for each pair, coordinate DP a group for each attribute: records that differ in it alone. Bayesian coordinate
      DP compares averages. *)
  Definition average : Type := list (Z * X).
  Record group : Type := Group { sides : list (list X * list X); averages : list (average * average); bound : nats }.
  Variable groups : list group.

  Definition total (h : average) : Z := fold_right (fun part rest => (fst part + rest)%Z) 0%Z h.
  Definition belief_of (h : average) : belief X := map (fun part => (IZR (fst part) / IZR (total h), snd part)) h.
  Definition is_average (h : average) : Prop := (forall part, In part h -> (0 <= fst part)%Z /\ In (snd part) domain) /\ (0 < total h)%Z.

  (** The pairs of hypotheses of a group. *)
  Inductive is_pair (g : group) : belief X -> belief X -> Prop :=
  | OfRecords s x x' : In s (sides g) -> In x (fst s) -> In x' (snd s) -> is_pair g (sure x) (sure x')
  | OfAverages p : In p (averages g) -> is_pair g (belief_of (fst p)) (belief_of (snd p)).

  Hypothesis inside : forall g s x, In g groups -> In s (sides g) -> In x (fst s) \/ In x (snd s) -> In x domain.
  Hypothesis weighted : forall g p, In g groups -> In p (averages g) -> is_average (fst p) /\ is_average (snd p).

  (** Of a query that it can read the program knows the whole weights; any other is refused. *)
  Variable integers : query X -> option (channel X).
  Hypothesis are_integers : forall q c, integers q = Some c ->
    columns c = outputs q /\ forall x y, chance q x y = IZR (weight c x y) / IZR (denominator c).

  (** The comparison of a fraction with a bound, such as [keeps_by_factor] below. *)
  Variable keeps : nats -> Q -> bool.
  Hypothesis keeps_is_sound : forall b q, keeps b q = true -> Q2R q <= exp (value b).

  (** What a query adds: "the most that it can add to each group" (src/sordino/accounting/measures/grouped.py), such as [own_charge] below; more
      is allowed. *)
  Variable charge : channel X -> group -> option Q.
  Hypothesis charge_covers : forall c g a b y q, In g groups -> is_pair g a b -> In y (codes (columns c)) ->
    charge c g = Some q -> 0 <= Q2R q /\ forall (f : X -> R) r, (forall x, 0 <= f x) -> 0 <= r -> mean a f <= r * mean b f ->
    mean a (fun x => f x * IZR (weight c x y)) <= Q2R q * r * mean b (fun x => f x * IZR (weight c x y)).

  (** Limits of the work: beyond them the program refuses, or waits. Nothing depends on them. *)
  Variable listed : channel X -> bool.
  Variable few : list (channel X) -> bool.
  Variable counts_all : list (X -> Z) -> list (channel X) -> channel X -> bool.

  (** * What it computes *)

  Definition most (L : X -> Z) (records : list X) : Z := fold_right Z.max 0%Z (map L records).
  Definition least (L : X -> Z) (records : list X) : Z :=
    match records with [] => 0%Z | x :: rest => fold_right Z.min (L x) (map L rest) end.

  (** The level of a group: how much likelier one of its records makes the answers than another, at most. *)
  Definition weighted_sum (L : X -> Z) (h : average) : Z := fold_right (fun part rest => (fst part * L (snd part) + rest)%Z) 0%Z h.
  Definition level (L : X -> Z) (g : group) : option Q :=
    largest (map (fun s => ratio_of (most L (fst s)) (least L (snd s))) (sides g) ++
      map (fun p => ratio_of (weighted_sum L (fst p) * total (snd p)) (weighted_sum L (snd p) * total (fst p))) (averages g)).

  Definition is_within (g : group) (r : option Q) : bool := match r with Some q => keeps (bound g) q | None => false end.

  Definition holds (L : X -> Z) : bool := forallb (fun g => is_within g (level L g)) groups.

  (** One more answer: "A factor common to all weights of an output tells nothing about the value"
      (src/sordino/accounting/measures/mechanism_columns.py), so it is taken out. *)
  Definition common (c : channel X) (y : nat) : Z := fold_right Z.gcd 0%Z (map (fun x => weight c x y) domain).
  Definition after (L : X -> Z) (c : channel X) (y : nat) : X -> Z := fun x => (L x * (weight c x y / common c y))%Z.

  (** "An answer that no record could give is no answer." (src/sordino/accounting/measures/grouped.py) *)
  Definition possible (L : X -> Z) : bool := existsb (fun x => Z.ltb 0 (L x)) domain.

  (** By the most that queries can add. *)
  Definition fits (L : X -> Z) (queries : list (channel X)) : bool :=
    forallb (fun g => is_within g (fold_right (fun c r => times (charge c g) r) (level L g) queries)) groups.

  (** By what each answer leads to. *)
  Definition by_answers (L : X -> Z) (c : channel X) : bool :=
    forallb (fun y => negb (possible (after L c y)) || holds (after L c y)) (codes (columns c)).

  (** "By the most that the query can add; then, by the full rule, answer by answer." (src/sordino/accounting/measures/grouped.py) *)
  Definition decide (L : X -> Z) (c : channel X) : bool := fits L [c] || (listed c && by_answers L c).

  (** "Whether any of the queries may be answered in any way, or not, and the others still fit."
      (src/sordino/accounting/filter.py) *)
  Fixpoint all_fit (queries : list (channel X)) (L : X -> Z) : bool :=
    match queries with
    | [] => true
    | c :: later => decide L c && all_fit later L
        && forallb (fun y => negb (possible (after L c y)) || all_fit later (after L c y)) (codes (columns c))
    end.

  Definition accepts_all (L : X -> Z) (queries : list (channel X)) : bool := fits L queries || (few queries && all_fit queries L).

  (** Answers that are out: "One filter is kept for each way in which the answers can turn out"
      (src/sordino/accounting/joint_filter.py); queries of many codes wait beside them. *)
  Record state : Type := State { ways : list (X -> Z); waiting : list (channel X) }.
  Definition start : state := State [fun _ => 1%Z] [].

  Definition then_each (ways : list (X -> Z)) (c : channel X) (answers : list nat) : list (X -> Z) :=
    List.filter possible (flat_map (fun L => map (after L c) answers) ways).

  (** "a refusal changes nothing and tells nothing new" (src/sordino/accounting/filter.py), nor do lots of the collector. A query
      that cannot be read is never accepted. *)
  Definition next (s : state) (l : @public_line X) : option state :=
    match l with
    | Delivered q y => option_map (fun c => State (then_each (ways s) c [y]) (waiting s)) (integers q)
    | Pending q => option_map (fun c =>
        if counts_all (ways s) (waiting s) c
        then State (then_each (ways s) c (codes (columns c))) (waiting s)
        else State (ways s) (waiting s ++ [c])) (integers q)
    | Refusal _ | PublicLot _ => Some s
    end.

  Definition read (past : list (@public_line X)) : option state :=
    fold_left (fun s l => match s with Some s => next s l | None => None end) past (Some start).

  (** "A query is accepted only if it is accepted whatever all answers that are out may turn out to be"
      (src/sordino/accounting/joint_filter.py). *)
  Definition program : @Filter.filter X := fun past q =>
    match read past, integers q with
    | Some s, Some c =>
        match waiting s with
        | [] => forallb (fun L => decide L c) (ways s)
        | _ => forallb (fun L => accepts_all L (waiting s ++ [c])) (ways s)
        end
    | _, _ => false
    end.

  (** * What it is a check of *)

  (** The promise, as a set of pairs. *)
  Definition protected : definition X := fun a b e => exists g, In g groups /\ is_pair g a b /\ e = value (bound g).

  Lemma within_protected (f : X -> R) : within protected f <->
    forall g a b, In g groups -> is_pair g a b -> mean a f <= exp (value (bound g)) * mean b f.
  Proof.
    split.
    - intros kept g a b one two. apply kept. now exists g.
    - intros each a b e (g & one & two & ->). auto.
  Qed.

  Lemma total_of_weights (h : average) (f : X -> R) :
    mean (belief_of h) f = sum (fun part => IZR (fst part) * f (snd part)) h / IZR (total h).
  Proof. unfold mean, belief_of. rewrite sum_map. unfold Rdiv. rewrite <- sum_scale_right. apply sum_ext. intros. simpl. ring. Qed.

  Lemma average_is_belief (h : average) : is_average h -> is_belief (belief_of h).
  Proof.
    intros [parts positive]. apply IZR_lt in positive. split.
    - intros part here. apply in_map_iff in here as (own & <- & here). simpl. apply Rmult_le_pos; [now apply IZR_le, parts|].
      left. now apply Rinv_0_lt_compat.
    - rewrite total_of_weights. rewrite (sum_ext _ (fun part => IZR (fst part))) by (intros; ring).
      replace (sum (fun part => IZR (fst part)) h) with (IZR (total h)); [apply Rinv_r; lra|].
      unfold total. clear parts positive. induction h as [|part h IH]; simpl; [reflexivity|]. now rewrite plus_IZR, IH.
  Qed.

  Lemma pair_is_proper g a b : In g groups -> is_pair g a b -> is_belief a /\ is_belief b.
  Proof.
    intros one [s x x' _ _ _|p here]; [auto using sure_is_belief|].
    destruct (weighted g p one here). auto using average_is_belief.
  Qed.

  Lemma mean_in_domain g a b (f h : X -> R) : In g groups -> is_pair g a b -> (forall x, In x domain -> f x = h x) ->
    mean a f = mean a h /\ mean b f = mean b h.
  Proof.
    intros one pair equal.
    assert (averaged : forall own, is_average own -> mean (belief_of own) f = mean (belief_of own) h).
    { intros own [parts _]. rewrite !total_of_weights. f_equal. apply sum_ext. intros part here. rewrite equal; [reflexivity|].
      now apply parts. }
    destruct pair as [s x x' here heavy light|p here].
    - rewrite !mean_sure. split; apply equal; apply (inside g s); auto.
    - destruct (weighted g p one here). auto.
  Qed.

  (** Only records of the domain count, and no factor does. *)
  Lemma within_in_domain (k : R) (f h : X -> R) : 0 <= k -> (forall x, In x domain -> f x = k * h x) ->
    within protected h -> within protected f.
  Proof.
    intros nonneg same kept. rewrite within_protected in *. intros g a b one two.
    destruct (mean_in_domain g a b f (fun x => k * h x) one two same) as [-> ->]. rewrite !mean_scale.
    specialize (kept g a b one two). pose proof (exp_pos (value (bound g))). nra.
  Qed.

  Lemma within_nothing (f : X -> R) : (forall x, In x domain -> f x = 0) -> within protected f.
  Proof. intros none. apply (within_in_domain 0 f (fun _ => 0)); [lra| |apply within_zero]. intros x here. rewrite none; auto. ring. Qed.

  Definition nonneg (L : X -> Z) : Prop := forall x, (0 <= L x)%Z.

  Lemma most_above L records x : In x records -> (L x <= most L records)%Z.
  Proof. unfold most. induction records as [|first records IH]; simpl; [tauto|]. intros [<-|here]; [lia|]. specialize (IH here). lia. Qed.

  Lemma most_nonneg L records : (0 <= most L records)%Z.
  Proof. unfold most. induction records; simpl; lia. Qed.

  Lemma least_below L records x : In x records -> (least L records <= L x)%Z.
  Proof.
    destruct records as [|first records]; [intros []|]. intros [<-|here]; simpl.
    - induction records; simpl; lia.
    - induction records as [|second records IH]; [destruct here|]. simpl. destruct here as [<-|here]; [lia|]. specialize (IH here). lia.
  Qed.

  Lemma least_nonneg L records : nonneg L -> (0 <= least L records)%Z.
  Proof.
    intros all. destruct records as [|first records]; simpl; [lia|]. pose proof (all first).
    induction records as [|second records IH]; simpl; [lia|]. pose proof (all second). lia.
  Qed.

  Lemma sides_correct L g s x x' q : nonneg L -> In s (sides g) -> In x (fst s) -> In x' (snd s) ->
    level L g = Some q -> IZR (L x) <= Q2R q * IZR (L x').
  Proof.
    intros all here heavy light same. pose proof (largest_at_least_one _ _ same).
    destruct (largest_correct _ (ratio_of (most L (fst s)) (least L (snd s))) q same) as (p & own & below).
    { apply in_or_app. left. now apply (in_map (fun s => ratio_of (most L (fst s)) (least L (snd s)))). }
    apply ratio_of_correct in own; [|apply most_nonneg|now apply least_nonneg].
    pose proof (IZR_le _ _ (most_above L _ x heavy)). pose proof (IZR_le _ _ (least_below L _ x' light)).
    pose proof (IZR_le _ _ (least_nonneg L (snd s) all)).
    apply Rle_trans with (Q2R p * IZR (least L (snd s))); [lra|].
    apply Rle_trans with (Q2R q * IZR (least L (snd s))); [now apply Rmult_le_compat_r|]. apply Rmult_le_compat_l; lra.
  Qed.

  Lemma mean_of_average (L : X -> Z) h : mean (belief_of h) (fun x => IZR (L x)) = IZR (weighted_sum L h) / IZR (total h).
  Proof.
    rewrite total_of_weights. f_equal. unfold weighted_sum. induction h as [|part h IH]; simpl; [reflexivity|].
    now rewrite plus_IZR, mult_IZR, IH.
  Qed.

  Lemma weighted_sum_nonneg L h : nonneg L -> is_average h -> (0 <= weighted_sum L h)%Z.
  Proof.
    intros all [parts _]. unfold weighted_sum. induction h as [|part h IH]; simpl; [lia|].
    destruct (parts part (or_introl eq_refl)) as [some _]. specialize (IH (fun other here => parts other (or_intror here))).
    specialize (all (snd part)). nia.
  Qed.

  Lemma level_correct L g a b q : nonneg L -> In g groups -> is_pair g a b -> level L g = Some q ->
    0 <= Q2R q /\ mean a (fun x => IZR (L x)) <= Q2R q * mean b (fun x => IZR (L x)).
  Proof.
    intros all one pair same. pose proof (largest_at_least_one _ _ same). split; [lra|].
    destruct pair as [s x x' here heavy light|p here].
    - rewrite !mean_sure. eapply sides_correct; eauto.
    - destruct (weighted g p one here) as [first second]. rewrite !mean_of_average.
      pose proof (weighted_sum_nonneg L _ all first) as some. pose proof (weighted_sum_nonneg L _ all second) as other.
      destruct first as [_ total_first], second as [_ total_second].
      destruct (largest_correct _ (ratio_of (weighted_sum L (fst p) * total (snd p)) (weighted_sum L (snd p) * total (fst p))) q same)
        as (own & equal & below).
      { apply in_or_app. right.
        now apply (in_map (fun p => ratio_of (weighted_sum L (fst p) * total (snd p)) (weighted_sum L (snd p) * total (fst p)))). }
      apply ratio_of_correct in equal; [|nia|nia]. rewrite !mult_IZR in equal.
      apply IZR_lt in total_first, total_second. apply IZR_le in some, other.
      set (S := IZR (weighted_sum L (fst p))) in *. set (S' := IZR (weighted_sum L (snd p))) in *.
      set (T := IZR (total (fst p))) in *. set (T' := IZR (total (snd p))) in *.
      assert (0 <= S' * T) by (apply Rmult_le_pos; lra).
      assert (S * T' <= Q2R q * (S' * T)) by (eapply Rle_trans; [exact equal|now apply Rmult_le_compat_r]).
      apply Rmult_le_reg_r with (T * T'); [now apply Rmult_lt_0_compat|].
      replace (S / T * (T * T')) with (S * T') by (field; lra).
      replace (Q2R q * (S' / T') * (T * T')) with (Q2R q * (S' * T)) by (field; lra). assumption.
  Qed.

  Lemma is_within_correct g r : is_within g r = true -> exists q, r = Some q /\ Q2R q <= exp (value (bound g)).
  Proof. destruct r as [q|]; [|discriminate]. intros kept. exists q. auto. Qed.

  Theorem what_holds_is_within (L : X -> Z) : nonneg L -> holds L = true -> within protected (fun x => IZR (L x)).
  Proof.
    intros all kept. apply within_protected. intros g a b one two.
    unfold holds in kept. rewrite forallb_forall in kept. pose proof (kept g one) as here.
    apply is_within_correct in here as (q & same & below).
    destruct (level_correct L g a b q all one two same) as [_ order]. eapply Rle_trans; [exact order|].
    apply Rmult_le_compat_r; [|assumption]. apply mean_nonneg; [now apply (pair_is_proper g a b)|]. intros. now apply IZR_le.
  Qed.

  (** What answers say of a record, but for a factor. *)
  Fixpoint told (queries : list (channel X)) (answers : list nat) (x : X) : R :=
    match queries, answers with
    | c :: queries, y :: answers => IZR (weight c x y) * told queries answers x
    | _, _ => 1
    end.

  Definition answers_of (queries : list (channel X)) (answers : list nat) : Prop :=
    Forall2 (fun c y => In y (codes (columns c))) queries answers.

  Lemma told_nonneg queries answers x : 0 <= told queries answers x.
  Proof.
    revert answers. induction queries as [|c queries IH]; intros [|y answers]; simpl; try lra.
    apply Rmult_le_pos; [|apply IH]. apply IZR_le, weight_nonneg.
  Qed.

  Lemma told_app queries c answers y x : answers_of queries answers ->
    told (queries ++ [c]) (answers ++ [y]) x = told queries answers x * IZR (weight c x y).
  Proof. intros both. induction both; simpl; [ring|]. rewrite IHboth. ring. Qed.

  Lemma fits_correct L queries answers : nonneg L -> fits L queries = true -> answers_of queries answers ->
    within protected (fun x => IZR (L x) * told queries answers x).
  Proof.
    intros all kept both. apply within_protected. intros g a b one two.
    unfold fits in kept. rewrite forallb_forall in kept. specialize (kept g one).
    apply is_within_correct in kept as (q & same & below).
    assert (nonneg_told : forall queries answers x, 0 <= IZR (L x) * told queries answers x).
    { intros. apply Rmult_le_pos; [now apply IZR_le|apply told_nonneg]. }
    assert (most_of : forall queries answers q, answers_of queries answers ->
      fold_right (fun c r => times (charge c g) r) (level L g) queries = Some q ->
      0 <= Q2R q /\ mean a (fun x => IZR (L x) * told queries answers x) <= Q2R q * mean b (fun x => IZR (L x) * told queries answers x)).
    { clear queries answers both q same below. intros queries answers q both. revert q.
      induction both as [|c y queries answers inside_codes both IH]; simpl; intros q same.
      - destruct (level_correct L g a b q all one two same) as [positive order]. split; [assumption|].
        rewrite !(mean_ext _ (fun x => IZR (L x) * 1) (fun x => IZR (L x))) by (intros; ring). exact order.
      - destruct (charge c g) as [p|] eqn:own; [|discriminate].
        destruct (fold_right _ _ queries) as [p'|]; [|discriminate]. simpl in same. injection same as <-.
        destruct (IH p' eq_refl) as [some order]. destruct (charge_covers c g a b y p one two inside_codes own) as [other more].
        rewrite Q2R_mult. split; [now apply Rmult_le_pos|].
        specialize (more (fun x => IZR (L x) * told queries answers x) (Q2R p') (nonneg_told queries answers) some order).
        rewrite !(mean_ext _ (fun x => IZR (L x) * (IZR (weight c x y) * told queries answers x))
          (fun x => IZR (L x) * told queries answers x * IZR (weight c x y))) by (intros; ring). exact more. }
    destruct (most_of queries answers q both same) as [_ order]. eapply Rle_trans; [exact order|].
    apply Rmult_le_compat_r; [|assumption]. apply mean_nonneg; [now apply (pair_is_proper g a b)|]. intros. apply nonneg_told.
  Qed.

  Lemma common_nonneg c y : (0 <= common c y)%Z.
  Proof. unfold common. induction domain; simpl; [lia|apply Z.gcd_nonneg]. Qed.

  Lemma common_divides c y x : In x domain -> (common c y | weight c x y)%Z.
  Proof.
    unfold common. generalize domain. intros records. induction records as [|first records IH]; [intros []|].
    simpl. intros [<-|here].
    - apply Z.gcd_divide_l.
    - eapply Z.divide_trans; [apply Z.gcd_divide_r|]. auto.
  Qed.

  Lemma after_nonneg L c y : nonneg L -> nonneg (after L c y).
  Proof.
    intros all x. unfold after. apply Z.mul_nonneg_nonneg; [apply all|].
    pose proof (common_nonneg c y) as some. apply Z.lt_eq_cases in some as [some|<-]; [|now rewrite Zdiv_0_r].
    apply Z.div_pos; [apply weight_nonneg|assumption].
  Qed.

  (** What is taken out of an answer is the same for all records. *)
  Lemma after_correct L c y x : In x domain -> IZR (L x) * IZR (weight c x y) = IZR (common c y) * IZR (after L c y x).
  Proof.
    intros here. unfold after. rewrite mult_IZR. destruct (common_divides c y x here) as (n & own).
    destruct (Z.eq_dec (common c y) 0) as [none|some].
    - rewrite own, none, Z.mul_0_r. ring.
    - rewrite own at 2. rewrite Z.div_mul by assumption. rewrite own, mult_IZR. ring.
  Qed.

  Lemma impossible_correct L x : nonneg L -> possible L = false -> In x domain -> L x = 0%Z.
  Proof.
    intros all none here. destruct (Z.eq_dec (L x) 0) as [same|other]; [assumption|]. pose proof (all x).
    enough (possible L = true) by congruence. unfold possible. apply existsb_exists. exists x. split; [assumption|]. apply Z.ltb_lt. lia.
  Qed.

  Lemma decide_correct L c y : nonneg L -> decide L c = true -> In y (codes (columns c)) ->
    within protected (fun x => IZR (L x) * IZR (weight c x y)).
  Proof.
    intros all kept here. unfold decide in kept. apply orb_true_iff in kept as [simple|[_ each]%andb_true_iff].
    - apply (within_ext _ (fun x => IZR (L x) * told [c] [y] x)); [intros; simpl; ring|].
      apply fits_correct; auto. constructor; [assumption|constructor].
    - unfold by_answers in each. rewrite forallb_forall in each. specialize (each y here).
      assert (scaled := after_correct L c y).
      apply orb_true_iff in each as [none|good].
      + apply negb_true_iff in none. apply within_nothing. intros x inside_domain. rewrite scaled by assumption.
        rewrite (impossible_correct _ x (after_nonneg L c y all) none inside_domain). ring.
      + apply (within_in_domain (IZR (common c y)) _ (fun x => IZR (after L c y x))); [apply IZR_le, common_nonneg|exact scaled|].
        apply what_holds_is_within; [now apply after_nonneg|assumption].
  Qed.

  Lemma all_fit_correct queries L answers : nonneg L -> queries <> [] -> all_fit queries L = true -> answers_of queries answers ->
    within protected (fun x => IZR (L x) * told queries answers x).
  Proof.
    revert L answers. induction queries as [|c queries IH]; [congruence|].
    intros L answers all _ kept both. inversion both as [|c' y queries' answers' here rest]; subst.
    simpl in kept. apply andb_true_iff in kept as [[now_ _]%andb_true_iff each].
    destruct queries as [|second queries].
    - inversion rest; subst. apply (within_ext _ (fun x => IZR (L x) * IZR (weight c x y))); [intros; simpl; ring|].
      now apply decide_correct.
    - rewrite forallb_forall in each. specialize (each y here). set (later := second :: queries) in *.
      assert (scaled : forall x, In x domain ->
        IZR (L x) * told (c :: later) (y :: answers') x = IZR (common c y) * (IZR (after L c y x) * told later answers' x)).
      { intros x inside_domain. rewrite <- Rmult_assoc, <- after_correct by assumption. simpl. ring. }
      apply orb_true_iff in each as [none|good].
      + apply negb_true_iff in none. apply within_nothing. intros x inside_domain. rewrite scaled by assumption.
        rewrite (impossible_correct _ x (after_nonneg L c y all) none inside_domain). ring.
      + eapply within_in_domain; [apply IZR_le, (common_nonneg c y)|exact scaled|].
        apply IH; auto using after_nonneg. discriminate.
  Qed.

  (** ** The state: one of its ways is what has happened *)

  Definition is_way (s : state) (past : list (@line X)) : Prop :=
    (forall L, In L (ways s) -> nonneg L) /\
    ((forall x, In x domain -> evidence past x = 0) \/
     exists L answers k, In L (ways s) /\ answers_of (waiting s) answers /\ 0 < k /\
       forall x, In x domain -> evidence past x = k * (IZR (L x) * told (waiting s) answers x)).

  Lemma then_each_nonneg all_ways c answers : (forall L, In L all_ways -> nonneg L) ->
    forall L, In L (then_each all_ways c answers) -> nonneg L.
  Proof.
    intros all L here. apply filter_In in here as [here _]. apply in_flat_map in here as (before & own & here).
    apply in_map_iff in here as (y & <- & _). now apply after_nonneg, all.
  Qed.

  Lemma way_after_answer s c answers past q y delivered : integers q = Some c -> is_way s past -> In y answers ->
    is_way (State (then_each (ways s) c answers) (waiting s)) (past ++ [Drawn q y delivered]).
  Proof.
    intros own [all one] here. destruct (are_integers q c own) as [_ chances]. split; [now apply then_each_nonneg|].
    destruct one as [none|(L & told_answers & k & way & both & positive & same)].
    - left. intros x inside_domain. rewrite evidence_app, none by assumption. ring.
    - pose proof (IZR_lt _ _ (denominator_positive c)) as whole. pose proof (common_nonneg c y) as some.
      assert (next_evidence : forall x, In x domain -> evidence (past ++ [Drawn q y delivered]) x =
        k * IZR (common c y) / IZR (denominator c) * (IZR (after L c y x) * told (waiting s) told_answers x)).
      { intros x inside_domain. rewrite evidence_app, same by assumption. simpl. rewrite chances.
        replace (k * (IZR (L x) * told (waiting s) told_answers x) * (IZR (weight c x y) / IZR (denominator c) * 1))
          with (k / IZR (denominator c) * (IZR (L x) * IZR (weight c x y)) * told (waiting s) told_answers x) by (field; lra).
        rewrite after_correct by assumption. field. lra. }
      assert (zero : (forall x, In x domain -> after L c y x = 0%Z) ->
        forall x, In x domain -> evidence (past ++ [Drawn q y delivered]) x = 0).
      { intros none x inside_domain. rewrite next_evidence, none by assumption. ring. }
      destruct (possible (after L c y)) eqn:can.
      + destruct (Z.eq_dec (common c y) 0) as [no_common|is_common].
        * left. apply zero. intros x _. unfold after. rewrite no_common, Zdiv_0_r. ring.
        * right. exists (after L c y), told_answers, (k * IZR (common c y) / IZR (denominator c)). repeat split; auto.
          -- apply filter_In. split; [|assumption]. apply in_flat_map. exists L. split; [assumption|]. now apply in_map.
          -- apply Rdiv_lt_0_compat; [|assumption]. apply Rmult_lt_0_compat; [assumption|]. apply IZR_lt. lia.
      + left. apply zero. intros x inside_domain. apply impossible_correct; auto. apply after_nonneg, all. assumption.
  Qed.

  Lemma state_knows past s : is_possible past -> read (map show past) = Some s -> is_way s past.
  Proof.
    revert s. induction past as [|l past IH] using rev_ind; intros s can same.
    - injection same as <-. split.
      + intros L [<-|[]] x. lia.
      + right. exists (fun _ => 1%Z), [], 1. repeat split; simpl; auto; try lra; [constructor|]. intros; ring.
    - unfold read in same. rewrite map_app, fold_left_app in same. fold (read (map show past)) in same.
      assert (before : is_possible past) by (intros q y d here; apply (can q y d), in_or_app; now left).
      destruct (read (map show past)) as [t|]; [|discriminate].
      specialize (IH t before eq_refl). simpl in same.
      assert (unchanged : forall other, (forall q y d, other <> Drawn q y d) -> is_way t (past ++ [other])).
      { intros other silent. destruct IH as [all one].
        assert (equal : forall x, evidence (past ++ [other]) x = evidence past x).
        { intros x. rewrite evidence_app. destruct other as [q y d|q|i]; [now destruct (silent q y d)| |]; simpl; ring. }
        split; [assumption|]. destruct one as [none|(L & answers & k & way)]; [left|right].
        - intros x here. rewrite equal. auto.
        - exists L, answers, k. repeat split; try tauto. intros x here. rewrite equal. now apply way. }
      destruct l as [q y d|q|i]; [|injection same as <-; now apply unchanged|injection same as <-; now apply unchanged].
      assert (here : In y (codes (outputs q))) by (apply (can q y d), in_or_app; right; now left).
      destruct d; simpl in same; destruct (integers q) as [c|] eqn:own; try discriminate; simpl in same; injection same as <-;
        destruct (are_integers q c own) as [size chances]; rewrite <- size in here.
      + apply way_after_answer; auto. now left.
      + destruct (counts_all (ways t) (waiting t) c); [now apply way_after_answer|].
        destruct IH as [all one]. split; [assumption|]. destruct one as [none|(L & answers & k & way & both & positive & equal)].
        * left. intros x inside_domain. rewrite evidence_app, none by assumption. ring.
        * right. pose proof (IZR_lt _ _ (denominator_positive c)).
          exists L, (answers ++ [y]), (k / IZR (denominator c)). simpl. repeat split; auto.
          -- apply Forall2_app; [assumption|]. constructor; [assumption|constructor].
          -- apply Rdiv_lt_0_compat; assumption.
          -- intros x inside_domain. rewrite evidence_app, equal, told_app by assumption. simpl. rewrite chances. field. lra.
  Qed.

  (** * The theorem: the program is a filter as the theorem of the filter requires *)

  Theorem program_accepts_within : accepts_within protected program.
  Proof.
    intros past q can accepted y here. unfold program in accepted.
    destruct (read (map show past)) as [s|] eqn:same; [|discriminate].
    destruct (integers q) as [c|] eqn:own; [|discriminate].
    destruct (are_integers q c own) as [size chances]. rewrite <- size in here.
    pose proof (IZR_lt _ _ (denominator_positive c)) as whole.
    destruct (state_knows past s can same) as [all [none|(L & answers & k & way & both & positive & equal)]].
    - apply within_nothing. intros x inside_domain. rewrite none by assumption. ring.
    - apply (within_in_domain (k / IZR (denominator c)) _
        (fun x => IZR (L x) * (told (waiting s) answers x * IZR (weight c x y)))).
      + left. now apply Rdiv_lt_0_compat.
      + intros x inside_domain. rewrite equal, chances by assumption. field. lra.
      + destruct (waiting s) as [|first rest] eqn:open.
        * inversion both; subst. rewrite forallb_forall in accepted.
          apply (within_ext _ (fun x => IZR (L x) * IZR (weight c x y))); [intros; simpl; ring|].
          apply decide_correct; auto.
        * rewrite forallb_forall in accepted. specialize (accepted L way). rewrite <- open in *.
          apply (within_ext _ (fun x => IZR (L x) * told (waiting s ++ [c]) (answers ++ [y]) x)).
          { intros x. now rewrite told_app. }
          assert (whole_answers : answers_of (waiting s ++ [c]) (answers ++ [y])).
          { apply Forall2_app; [assumption|]. constructor; [assumption|constructor]. }
          apply orb_true_iff in accepted as [simple|[_ each]%andb_true_iff]; [now apply fits_correct; auto|].
          apply all_fit_correct; auto. intros empty. now apply app_eq_nil in empty as [_ empty].
  Qed.

  (** "whatever the queries, chosen with all earlier answers in view, no possible set of answers breaks the definition"
      (src/sordino/accounting/filter.py) *)
  Theorem program_keeps_promise (s : strategy) (A : list line -> bool) :
    (forall g, In g groups -> 0 <= value (bound g)) -> within protected (probability program s [] A).
  Proof.
    intros bounds_nonneg. apply filter_keeps_promise; [|apply program_accepts_within].
    intros a b e (g & one & two & ->). destruct (pair_is_proper g a b one two). auto.
  Qed.
End Program.
Arguments group X : clear implicits.

(** * What the program is given, as it has it *)

(** A fraction below e^bound, compared with a fraction. *)
Definition keeps_by_factor (b : nats) (q : Q) : bool := Qle_bool q (factor_below b).

Lemma keeps_by_factor_is_sound b q : keeps_by_factor b q = true -> Q2R q <= exp (value b).
Proof. intros kept. apply Qle_bool_iff, Qle_Rle in kept. eapply Rle_trans; [exact kept|apply factor_is_below]. Qed.

(** The most that any code adds to a group of records: the largest of the levels of single codes. Where averages are compared,
    "a report may use all that LDP allows it" (src/sordino/accounting/measures/measure_of.py): "Deltas of single reports do not add
    up". *)
Definition own_charge {X : Type} (domain : list X) (c : channel X) (g : group X) : option Q :=
  largest (map (fun y => match averages g with
    | [] => level (fun x => weight c x y) g
    | _ => ratio_of (most (fun x => weight c x y) domain) (least (fun x => weight c x y) domain)
    end) (codes (columns c))).

Lemma own_charge_of_records {X : Type} (domain : list X) (c : channel X) (g : group X) s x x' y q :
  averages g = [] -> In s (sides g) -> In x (fst s) -> In x' (snd s) -> In y (codes (columns c)) ->
  own_charge domain c g = Some q -> 1 <= Q2R q /\ IZR (weight c x y) <= Q2R q * IZR (weight c x' y).
Proof.
  intros none side heavy light here same. pose proof (largest_at_least_one _ _ same) as grows. split; [assumption|].
  unfold own_charge in same. rewrite none in same.
  destruct (largest_correct _ (level (fun x => weight c x y) g) q same) as (p & own & below).
  { now apply (in_map (fun y => level (fun x => weight c x y) g)). }
  assert (nonnegative : nonneg (fun x => weight c x y)) by (intros other; apply weight_nonneg).
  pose proof (sides_correct (fun x => weight c x y) g s x x' p nonnegative side heavy light own) as one.
  simpl in one. eapply Rle_trans; [exact one|].
  apply Rmult_le_compat_r; [apply IZR_le, weight_nonneg|assumption].
Qed.

Lemma own_charge_covers {X : Type} (domain : list X) (c : channel X) (g : group X) a b y q :
  (forall p, In p (averages g) -> is_average domain (fst p) /\ is_average domain (snd p)) ->
  (forall s x, In s (sides g) -> In x (fst s) \/ In x (snd s) -> In x domain) ->
  is_pair g a b -> In y (codes (columns c)) -> own_charge domain c g = Some q ->
  0 <= Q2R q /\ forall (f : X -> R) r, (forall x, 0 <= f x) -> 0 <= r -> mean a f <= r * mean b f ->
    mean a (fun x => f x * IZR (weight c x y)) <= Q2R q * r * mean b (fun x => f x * IZR (weight c x y)).
Proof.
  intros weighted inside pair here same. pose proof (largest_at_least_one _ _ same) as grows. split; [lra|].
  intros f r nonneg_f some order. set (w := fun x => IZR (weight c x y)).
  assert (nonneg_w : forall x, 0 <= w x) by (intros; apply IZR_le, weight_nonneg).
  assert (by_range : forall W v, 0 <= v -> W <= Q2R q * v -> mean a (fun x => f x * w x) <= W * mean a f ->
    v * mean b f <= mean b (fun x => f x * w x) -> 0 <= mean b f -> 0 <= mean a f ->
    mean a (fun x => f x * w x) <= Q2R q * r * mean b (fun x => f x * w x)).
  { intros W v v_nonneg range upper lower b_nonneg a_nonneg.
    apply Rle_trans with (Q2R q * v * mean a f); [eapply Rle_trans; [exact upper|]; now apply Rmult_le_compat_r|].
    apply Rle_trans with (Q2R q * v * (r * mean b f)); [apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption]|].
    replace (Q2R q * v * (r * mean b f)) with (Q2R q * r * (v * mean b f)) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption]. }
  destruct (averages g) as [|first others] eqn:kind.
  - destruct pair as [s x x' side heavy light|p one]; [|rewrite kind in one; destruct one].
    rewrite !mean_sure in *. destruct (own_charge_of_records domain c g s x x' y q kind side heavy light here same) as [_ own].
    apply (by_range (w x) (w x')); auto; rewrite ?mean_sure; try lra; auto.
  - unfold own_charge in same. rewrite kind in same.
    destruct (largest_correct _ (ratio_of (most (fun x => weight c x y) domain) (least (fun x => weight c x y) domain)) q same)
      as (p & own & below).
    { now apply (in_map (fun y => ratio_of (most (fun x => weight c x y) domain) (least (fun x => weight c x y) domain))). }
    assert (nonnegative : nonneg (fun x => weight c x y)) by (intros other; apply weight_nonneg).
    pose proof (least_nonneg (fun x => weight c x y) domain nonnegative) as v_nonneg. apply IZR_le in v_nonneg.
    apply ratio_of_correct in own; [|apply most_nonneg|now apply least_nonneg].
    set (W := IZR (most (fun x => weight c x y) domain)) in *. set (v := IZR (least (fun x => weight c x y) domain)) in *.
    assert (in_range : forall x, In x domain -> v <= w x <= W).
    { intros x there. split; apply IZR_le; [now apply (least_below (fun x => weight c x y))|now apply (most_above (fun x => weight c x y))]. }
    assert (is_supported : forall h : belief X, (h = a \/ h = b) -> forall part, In part h -> 0 <= fst part /\ In (snd part) domain).
    { intros h which part there. destruct pair as [s x x' side heavy light|p' one].
      - destruct which as [->| ->]; destruct there as [<-|[]]; simpl; (split; [lra|]); apply (inside s); auto.
      - rewrite kind in one. destruct (weighted p' one) as [left right].
        assert (general : forall own_average, is_average domain own_average -> In part (belief_of own_average) ->
          0 <= fst part /\ In (snd part) domain).
        { intros own_average [parts positive] inside_belief. apply in_map_iff in inside_belief as (origin & <- & origin_here). simpl.
          destruct (parts origin origin_here) as [nonneg_weight known]. split; [|assumption]. apply Rmult_le_pos; [now apply IZR_le|].
          left. apply Rinv_0_lt_compat. now apply IZR_lt. }
        destruct which as [->| ->]; eauto. }
    apply (by_range W v); auto.
    + apply Rle_trans with (Q2R p * v); [assumption|]. now apply Rmult_le_compat_r.
    + rewrite <- mean_scale. unfold mean. apply sum_le. intros part there. destruct (is_supported a (or_introl eq_refl) part there) as [weight_nonneg_ known].
      specialize (in_range _ known). specialize (nonneg_f (snd part)). apply Rmult_le_compat_l; [assumption|]. nra.
    + rewrite <- mean_scale. unfold mean. apply sum_le. intros part there. destruct (is_supported b (or_intror eq_refl) part there) as [weight_nonneg_ known].
      specialize (in_range _ known). specialize (nonneg_f (snd part)). apply Rmult_le_compat_l; [assumption|]. nra.
    + unfold mean. apply sum_nonneg. intros part there. destruct (is_supported b (or_intror eq_refl) part there). apply Rmult_le_pos; auto.
    + unfold mean. apply sum_nonneg. intros part there. destruct (is_supported a (or_introl eq_refl) part there). apply Rmult_le_pos; auto.
Qed.

Section Promises.
  Context {X : Type}.
  Variable domain : list X.
  Variable integers : query X -> option (channel X).
  Hypothesis are_integers : forall q c, integers q = Some c ->
    columns c = outputs q /\ forall x y, chance q x y = IZR (weight c x y) / IZR (denominator c).
  Variable listed : channel X -> bool.
  Variable few : list (channel X) -> bool.
  Variable counts_all : list (X -> Z) -> list (channel X) -> channel X -> bool.

  Definition rule (groups : list (group X)) : filter :=
    program domain groups integers keeps_by_factor (own_charge domain) listed few counts_all.

  Lemma rule_keeps_all (groups : list (group X)) (s : strategy) (A : list line -> bool) :
    (forall g s x, In g groups -> In s (sides g) -> In x (fst s) \/ In x (snd s) -> In x domain) ->
    (forall g p, In g groups -> In p (averages g) -> is_average domain (fst p) /\ is_average domain (snd p)) ->
    (forall g, In g groups -> 0 <= value (bound g)) -> within (protected groups) (probability (rule groups) s [] A).
  Proof.
    intros inside weighted nonneg_bounds.
    apply (program_keeps_promise domain groups inside weighted integers are_integers keeps_by_factor keeps_by_factor_is_sound); auto.
    intros c g a b y q one. apply own_charge_covers; eauto.
  Qed.

  Lemma rule_keeps (groups : list (group X)) g side x x' (s : strategy) (A : list line -> bool) :
    (forall g s x, In g groups -> In s (sides g) -> In x (fst s) \/ In x (snd s) -> In x domain) ->
    (forall g, In g groups -> averages g = []) -> (forall g, In g groups -> 0 <= value (bound g)) ->
    In g groups -> In side (sides g) -> In x (fst side) -> In x' (snd side) ->
    probability (rule groups) s [] A x <= exp (value (bound g)) * probability (rule groups) s [] A x'.
  Proof.
    intros inside records nonneg_bounds one two three four.
    assert (kept : within (protected groups) (probability (rule groups) s [] A)).
    { apply rule_keeps_all; auto. intros g' p here none. rewrite (records g' here) in none. destruct none. }
    rewrite within_protected in kept. specialize (kept g _ _ one (OfRecords g side x x' two three four)).
    now rewrite !mean_sure in kept.
  Qed.

  (** LDP: all records against all. *)
  Definition ldp_groups (epsilon : nats) : list (group X) := [Group [(domain, domain)] [] epsilon].

  Theorem rule_keeps_ldp (epsilon : nats) (s : strategy) (A : list line -> bool) (x x' : X) :
    0 <= value epsilon -> In x domain -> In x' domain ->
    probability (rule (ldp_groups epsilon)) s [] A x <= exp (value epsilon) * probability (rule (ldp_groups epsilon)) s [] A x'.
  Proof.
    intros positive here there.
    apply (rule_keeps (ldp_groups epsilon) (Group [(domain, domain)] [] epsilon) (domain, domain)); simpl; auto.
    - intros g side y [<-|[]] [<-|[]] [one|one]; exact one.
    - now intros g [<-|[]].
    - now intros g [<-|[]].
  Qed.

  (** Blocks: the records of each against themselves. *)
  Definition block_groups (block : X -> nat) (blocks : nat) (epsilon : nats) : list (group X) :=
    let records v := List.filter (fun x => Nat.eqb (block x) v) domain in
    [Group (map (fun v => (records v, records v)) (codes blocks)) [] epsilon].

  Theorem rule_keeps_blocks (block : X -> nat) (blocks : nat) (epsilon : nats) (s : strategy) (A : list line -> bool) (x x' : X) :
    0 <= value epsilon -> In x domain -> In x' domain -> block x = block x' -> (block x < blocks)%nat ->
    let f := rule (block_groups block blocks epsilon) in
    probability f s [] A x <= exp (value epsilon) * probability f s [] A x'.
  Proof.
    intros positive here there same few_blocks f.
    set (records := fun v => List.filter (fun x => Nat.eqb (block x) v) domain).
    apply (rule_keeps (block_groups block blocks epsilon)
      (Group (map (fun v => (records v, records v)) (codes blocks)) [] epsilon) (records (block x), records (block x))).
    - intros g side y [<-|[]] inside at_side. simpl in inside. apply in_map_iff in inside as (v & <- & _).
      destruct at_side as [one|one]; now apply filter_In in one.
    - now intros g [<-|[]].
    - now intros g [<-|[]].
    - now left.
    - simpl. apply in_map_iff. exists (block x). split; [reflexivity|]. apply in_seq. lia.
    - apply filter_In. split; [assumption|]. now apply Nat.eqb_eq.
    - apply filter_In. split; [assumption|]. now apply Nat.eqb_eq.
  Qed.

  (** Sensitive values against all. *)
  Definition high_low_groups (is_sensitive : X -> bool) (epsilon : nats) : list (group X) :=
    [Group [(List.filter is_sensitive domain, domain)] [] epsilon].

  Theorem rule_keeps_high_low (is_sensitive : X -> bool) (epsilon : nats) (s : strategy) (A : list line -> bool) (x x' : X) :
    0 <= value epsilon -> In x domain -> In x' domain -> is_sensitive x = true ->
    let f := rule (high_low_groups is_sensitive epsilon) in
    probability f s [] A x <= exp (value epsilon) * probability f s [] A x'.
  Proof.
    intros positive here there one f.
    apply (rule_keeps (high_low_groups is_sensitive epsilon)
      (Group [(List.filter is_sensitive domain, domain)] [] epsilon) (List.filter is_sensitive domain, domain)); simpl; auto.
    - intros g side y [<-|[]] [<-|[]] [two|two]; [now apply filter_In in two|assumption].
    - now intros g [<-|[]].
    - now intros g [<-|[]].
    - now apply filter_In.
  Qed.

  (** A bound for each pair, or none. *)
  Definition pair_groups (E : X -> X -> option nats) : list (group X) :=
    flat_map (fun p => match E (fst p) (snd p) with Some e => [Group [([fst p], [snd p])] [] e] | None => [] end)
      (list_prod domain domain).

  Theorem rule_keeps_pairs (E : X -> X -> option nats) (s : strategy) (A : list line -> bool) (x x' : X) (e : nats) :
    (forall y y' b, E y y' = Some b -> 0 <= value b) -> In x domain -> In x' domain -> E x x' = Some e ->
    probability (rule (pair_groups E)) s [] A x <= exp (value e) * probability (rule (pair_groups E)) s [] A x'.
  Proof.
    intros positive here there entry.
    apply (rule_keeps (pair_groups E) (Group [([x], [x'])] [] e) ([x], [x'])); simpl; auto.
    - intros g side z inside at_side one. apply in_flat_map in inside as ([y y'] & pair & inside). apply in_prod_iff in pair as [].
      simpl in inside. destruct (E y y'); [|destruct inside]. destruct inside as [<-|[]].
      destruct at_side as [<-|[]]. destruct one as [[<-|[]]|[<-|[]]]; assumption.
    - intros g inside. apply in_flat_map in inside as ([y y'] & _ & inside). simpl in inside.
      destruct (E y y'); [|destruct inside]. now destruct inside as [<-|[]].
    - intros g inside. apply in_flat_map in inside as ([y y'] & _ & inside). simpl in inside.
      destruct (E y y') eqn:own; [|destruct inside]. destruct inside as [<-|[]]. simpl. eauto.
    - apply in_flat_map. exists (x, x'). split; [now apply in_prod_iff|]. simpl. rewrite entry. now left.
  Qed.

  (** Coordinate DP: records that differ in one of [d] attributes alone, which [read] numbers. *)
  Definition line_of (reading : nat -> X -> nat) (d i : nat) (x : X) : list X :=
    List.filter (fun y => forallb (fun j => Nat.eqb j i || Nat.eqb (reading j x) (reading j y)) (codes d)) domain.
  Definition coordinate_groups (reading : nat -> X -> nat) (budgets : list nats) : list (group X) :=
    map (fun p => Group (map (fun x => (line_of reading (length budgets) (fst p) x, line_of reading (length budgets) (fst p) x)) domain)
      [] (snd p)) (combine (codes (length budgets)) budgets).

  Theorem rule_keeps_coordinates (reading : nat -> X -> nat) (budgets : list nats) (s : strategy) (A : list line -> bool)
      (i : nat) (x x' : X) (b : nats) :
    (forall b, In b budgets -> 0 <= value b) -> In x domain -> In x' domain -> nth_error budgets i = Some b ->
    (forall j, j <> i -> reading j x = reading j x') ->
    let f := rule (coordinate_groups reading budgets) in
    probability f s [] A x <= exp (value b) * probability f s [] A x'.
  Proof.
    intros positive here there entry alike f. set (d := length budgets).
    set (side := (line_of reading d i x, line_of reading d i x)).
    apply (rule_keeps (coordinate_groups reading budgets)
      (Group (map (fun x => (line_of reading d i x, line_of reading d i x)) domain) [] b) side).
    - intros g other y inside at_side one. apply in_map_iff in inside as (p & <- & _). simpl in at_side.
      apply in_map_iff in at_side as (z & <- & _). destruct one as [one|one]; now apply filter_In in one.
    - intros g inside. now apply in_map_iff in inside as ([j c] & <- & pair).
    - intros g inside. apply in_map_iff in inside as ([j c] & <- & pair). simpl. apply positive. now apply in_combine_r in pair.
    - apply in_map_iff. exists (i, b). split; [reflexivity|].
      assert (short : (i < d)%nat) by (apply nth_error_Some; congruence).
      replace (i, b) with (nth i (combine (codes d) budgets) (0%nat, b)).
      + apply nth_In. rewrite combine_length. unfold codes. rewrite seq_length. fold d. lia.
      + rewrite combine_nth by (unfold codes; now rewrite seq_length). unfold codes. rewrite seq_nth by assumption.
        now rewrite (nth_error_nth _ _ _ entry).
    - apply in_map_iff. now exists x.
    - apply filter_In. split; [assumption|]. apply forallb_forall. intros j _. rewrite Nat.eqb_refl. apply orb_true_r.
    - apply filter_In. split; [assumption|]. apply forallb_forall. intros j _. apply orb_true_iff.
      destruct (Nat.eqb_spec j i) as [one|other]; [now left|right]. apply Nat.eqb_eq. auto.
  Qed.

  (** Bayesian coordinate DP with a prior in whole weights: for each attribute and value the records that have it, compared with
      those of each other value. *)
  Definition records_like (reading : nat -> X -> nat) (prior : average) (i : nat) (x : X) : average :=
    List.filter (fun part => Nat.eqb (reading i (snd part)) (reading i x)) prior.
  Definition prior_groups (reading : nat -> X -> nat) (prior : average) (deltas : list nats) : list (group X) :=
    map (fun p => let own := List.filter (fun h => Z.ltb 0 (total h)) (map (fun part => records_like reading prior (fst p) (snd part)) prior) in
      Group [] (list_prod own own) (snd p)) (combine (codes (length deltas)) deltas).

  Lemma mean_given_weights (prior : average) (test : X -> bool) (f : X -> R) :
    (0 < total prior)%Z -> mean (given (belief_of prior) test) f = mean (belief_of (List.filter (fun part => test (snd part)) prior)) f.
  Proof.
    intros positive. apply IZR_lt in positive. rewrite mean_given. unfold mass. rewrite !total_of_weights.
    set (chosen := List.filter (fun part => test (snd part)) prior).
    assert (parts : forall h : X -> R, sum (fun part => IZR (fst part) * (if test (snd part) then h (snd part) else 0)) prior
      = sum (fun part => IZR (fst part) * h (snd part)) chosen).
    { intros h. unfold chosen. clear positive. induction prior as [|part rest IH]; simpl; [reflexivity|]. rewrite IH.
      destruct (test (snd part)); simpl; ring. }
    rewrite (parts f), (parts (fun _ => 1)).
    assert (whole : forall own : @average X, sum (fun part => IZR (fst part) * 1) own = IZR (total own)).
    { intros own. unfold total. induction own as [|part rest IH]; simpl; [reflexivity|]. rewrite IH, plus_IZR. ring. }
    rewrite whole. destruct (Req_dec (IZR (total chosen)) 0) as [->|some]; [unfold Rdiv; rewrite Rmult_0_l, Rinv_0; ring|].
    field. split; lra.
  Qed.

  Theorem rule_keeps_prior (reading : nat -> X -> nat) (prior : average) (deltas : list nats) (s : strategy) (A : list line -> bool)
      (i : nat) (v v' : nat) (delta : nats) :
    is_average domain prior -> (forall b, In b deltas -> 0 <= value b) -> nth_error deltas i = Some delta ->
    let is w x := Nat.eqb (reading i x) w in
    0 < mass (belief_of prior) (is v) -> 0 < mass (belief_of prior) (is v') ->
    let f := rule (prior_groups reading prior deltas) in
    mean (given (belief_of prior) (is v)) (probability f s [] A) <=
    exp (value delta) * mean (given (belief_of prior) (is v')) (probability f s [] A).
  Proof.
    intros [parts positive] bounds entry is some other f. set (d := length deltas).
    assert (subset : forall test, (0 < total (List.filter test prior))%Z -> is_average domain (List.filter test prior)).
    { intros test more. split; [|assumption]. intros part here. apply filter_In in here. now apply parts. }
    set (own := List.filter (fun h => Z.ltb 0 (total h)) (map (fun part => records_like reading prior i (snd part)) prior)).
    assert (hypothesis : forall w, 0 < mass (belief_of prior) (is w) ->
      In (List.filter (fun part => is w (snd part)) prior) own).
    { intros w possible. unfold own. unfold mass in possible. rewrite total_of_weights in possible.
      assert (positive' := IZR_lt _ _ positive).
      assert (chosen : 0 < IZR (total (List.filter (fun part => is w (snd part)) prior))).
      { apply Rmult_lt_reg_r with (/ IZR (total prior)); [now apply Rinv_0_lt_compat|]. rewrite Rmult_0_l.
        eapply Rlt_le_trans; [exact possible|]. right. unfold Rdiv. f_equal. unfold total. clear. induction prior as [|part rest IH]; simpl; [reflexivity|].
        rewrite IH. destruct (is w (snd part)); simpl; rewrite ?plus_IZR; ring. }
      apply lt_IZR in chosen. apply filter_In. split; [|now apply Z.ltb_lt].
      destruct (List.filter (fun part => is w (snd part)) prior) as [|first rest] eqn:list_of; [simpl in chosen; lia|].
      assert (here : In first (List.filter (fun part => is w (snd part)) prior)) by (rewrite list_of; now left).
      apply filter_In in here as [here equal]. apply in_map_iff. exists first. split; [|assumption].
      rewrite <- list_of. unfold records_like. apply filter_ext. intros part. unfold is in *. apply Nat.eqb_eq in equal. now rewrite equal. }
    assert (kept : within (protected (prior_groups reading prior deltas)) (probability f s [] A)).
    { apply rule_keeps_all.
      - intros g side x inside at_side. apply in_map_iff in inside as (p & <- & _). destruct at_side.
      - intros g p inside pair. apply in_map_iff in inside as (at_ & <- & _). simpl in pair. destruct p as [h h'].
        apply in_prod_iff in pair as [one two]. simpl.
        apply filter_In in one as [one possible_one], two as [two possible_two]. apply Z.ltb_lt in possible_one, possible_two.
        apply in_map_iff in one as (part & <- & _), two as (part' & <- & _). split; now apply subset.
      - intros g inside. apply in_map_iff in inside as ([j c] & <- & pair). simpl. apply bounds. now apply in_combine_r in pair. }
    rewrite within_protected in kept. rewrite !mean_given_weights by assumption.
    set (g := Group [] (list_prod own own) delta).
    apply (kept g).
    - apply in_map_iff. exists (i, delta). split; [reflexivity|].
      assert (short : (i < d)%nat) by (apply nth_error_Some; congruence).
      replace (i, delta) with (nth i (combine (codes d) deltas) (0%nat, delta)).
      + apply nth_In. rewrite combine_length. unfold codes. rewrite seq_length. fold d. lia.
      + rewrite combine_nth by (unfold codes; now rewrite seq_length). unfold codes. rewrite seq_nth by assumption.
        now rewrite (nth_error_nth _ _ _ entry).
    - apply (OfAverages g (List.filter (fun part => is v (snd part)) prior, List.filter (fun part => is v' (snd part)) prior)).
      simpl. apply in_prod_iff. auto.
  Qed.
End Promises.

(** A bound on dependence: the hypotheses that decide (Dependence.v) are averages of two records. *)
Section BoundedDependence.
  Context {V U : Type}.
  Variable values : list V.
  Variable others : list U.
  Hypothesis all_values : forall v, In v values.
  Hypothesis all_others : forall u, In u others.
  Variable same_value : forall v v' : V, {v = v'} + {v <> v'}.
  Variable integers : query (V * U) -> option (channel (V * U)).
  Hypothesis are_integers : forall q c, integers q = Some c ->
    columns c = outputs q /\ forall x y, chance q x y = IZR (weight c x y) / IZR (denominator c).
  Variable listed : channel (V * U) -> bool.
  Variable few : list (channel (V * U)) -> bool.
  Variable counts_all : list (V * U -> Z) -> list (channel (V * U)) -> channel (V * U) -> bool.

  (** The bound q is [part / whole]. *)
  Definition mixed_record (part whole : Z) (v : V) (u w : U) : @average (V * U) := [((whole - part)%Z, (v, u)); (part, (v, w))].
  Definition dependence_groups (part whole : Z) (delta : nats) : list (group (V * U)) :=
    [Group [] (flat_map (fun v => flat_map (fun v' => if same_value v v' then [] else
      flat_map (fun u => flat_map (fun w => map (fun w' => (mixed_record part whole v u w, mixed_record part whole v' u w')) others) others)
        others) values) values) delta].

  Lemma probability_nonneg {X : Type} (f : @Filter.filter X) s past A x : 0 <= probability f s past A x.
  Proof.
    revert past. induction s as [|q yes accepted no refused|place next IH|lots next IH]; intros past; simpl.
    - destruct (A past); lra.
    - destruct (f (map show past) q); [|apply refused]. apply sum_nonneg. intros y _. apply Rmult_le_pos; [apply chance_nonneg|apply accepted].
    - destruct (nth_error past place) as [[q y d|q|i]|]; apply IH.
    - apply sum_nonneg. intros i _. apply Rmult_le_pos; [apply chance_nonneg|apply IH].
  Qed.

  Theorem rule_keeps_bounded_dependence (part whole : Z) (delta : nats) (s : strategy) (A : list line -> bool) :
    (0 <= part <= whole)%Z -> (0 < whole)%Z -> 0 <= value delta ->
    within (bounded_dependence (IZR part / IZR whole) (value delta))
      (probability (rule (list_prod values others) integers listed few counts_all (dependence_groups part whole delta)) s [] A).
  Proof.
    intros range positive nonneg_delta. set (f := rule _ _ _ _ _ _).
    assert (whole_positive := IZR_lt _ _ positive). destruct range as [low high]. apply IZR_le in low as low', high as high'.
    assert (kept : within (protected (dependence_groups part whole delta)) (probability f s [] A)).
    { apply (rule_keeps_all (list_prod values others) integers are_integers).
      - intros g side x [<-|[]] [].
      - intros g p [<-|[]] pair. simpl in pair. apply in_flat_map in pair as (v & _ & pair). apply in_flat_map in pair as (v' & _ & pair).
        destruct (same_value v v'); [destruct pair|]. apply in_flat_map in pair as (u & _ & pair). apply in_flat_map in pair as (w & _ & pair).
        apply in_map_iff in pair as (w' & <- & _).
        assert (average_of : forall v u w, is_average (list_prod values others) (mixed_record part whole v u w)).
        { intros v0 u0 w0. split; [|unfold mixed_record, total; simpl; lia].
          intros own [<-|[<-|[]]]; simpl; (split; [lia|]); apply in_prod_iff; auto. }
        split; apply average_of.
      - now intros g [<-|[]]. }
    apply dependence_rule_is_exact.
    - split; [apply Rmult_le_pos; [assumption|left; now apply Rinv_0_lt_compat]|].
      apply Rmult_le_reg_r with (IZR whole); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - intros x. apply probability_nonneg.
    - intros v v' u w w' differ. rewrite within_protected in kept.
      set (P := probability f s [] A) in *. set (g := hd (Group [] [] delta) (dependence_groups part whole delta)).
      assert (mean_of : forall v u w, mean (belief_of (mixed_record part whole v u w)) P =
        (1 - IZR part / IZR whole) * P (v, u) + IZR part / IZR whole * P (v, w)).
      { intros v0 u0 w0. rewrite total_of_weights. unfold mixed_record, total. simpl. rewrite Z.add_0_r.
        replace (whole - part + part)%Z with whole by ring. rewrite minus_IZR. field. lra. }
      rewrite <- !mean_of. apply (kept g); [now left|].
      apply (OfAverages g (mixed_record part whole v u w, mixed_record part whole v' u w')).
      simpl. apply in_flat_map. exists v. split; [auto|]. apply in_flat_map. exists v'. split; [auto|].
      destruct (same_value v v'); [congruence|]. apply in_flat_map. exists u. split; [auto|]. apply in_flat_map. exists w.
      split; [auto|]. apply in_map_iff. exists w'. auto.
  Qed.
End BoundedDependence.

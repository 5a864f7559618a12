(** What `BayesianFilter` computes over a finite domain, and that it is a filter as the theorem requires.

    The theorem (Filter.v) is about any rule that accepts only where every possible answer keeps the definition. Here is the
    rule of the program, in whole numbers and fractions as it has them: the product of the weights of all answers so far,
    record by record; the largest and the least of them within each group of records that the definition compares; a first
    look at the most that a query could add, and then, answer by answer, at all that it could lead to; and open answers, of
    which every one is looked at. Floats, which decide where they can, are not in here: they are taken to be rounded
    outward. *)

From Coq Require Import Reals Lra Lia List ZArith QArith Qreals Bool.
From Sordino Require Import Sums Channels Definitions Filter Exponential Coins.
Import ListNotations.
Open Scope R_scope.

(** * How much likelier: a fraction, or infinitely *)

(** "Of two weights; 1 where the first is 0, which favours nothing." (src/sordino/accounting/measures/ratio.py); [None] is
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

Lemma largest_correct {A : Type} (f : A -> option Q) items item q :
  largest (map f items) = Some q -> In item items -> exists p, f item = Some p /\ Q2R p <= Q2R q.
Proof.
  revert q. induction items as [|first items IH]; [intros q _ []|]. intros q same inside.
  apply larger_correct in same as (p & p' & here & rest & below & below').
  destruct inside as [<-|inside]; [now exists p|]. destruct (IH p' rest inside) as (r & own & less). exists r. split; [assumption|lra].
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

  (** Hypotheses by groups: of each group pairs of lists of records, the first of which must not be told from the second by
      more than one bound. Under LDP there is one group, all records against all; under block LDP the records of each block
      against themselves; high-low compares sensitive ones with all; a matrix has a group for each pair, coordinate DP a
      group for each attribute: records that differ in it alone. *)
  Record group : Type := Group { sides : list (list X * list X); bound : nats }.
  Variable groups : list group.
  Hypothesis inside : forall g s x, In g groups -> In s (sides g) -> In x (fst s) \/ In x (snd s) -> In x domain.

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
  Hypothesis charge_covers : forall c g s x x' y q, In g groups -> In s (sides g) -> In x (fst s) -> In x' (snd s) ->
    In y (codes (columns c)) -> charge c g = Some q -> IZR (weight c x y) <= Q2R q * IZR (weight c x' y).

  (** Limits of the work: beyond them the program refuses, or waits. Nothing depends on them. *)
  Variable listed : channel X -> bool.
  Variable few : list (channel X) -> bool.
  Variable counts_all : list (X -> Z) -> list (channel X) -> channel X -> bool.

  (** * What it computes *)

  Definition most (L : X -> Z) (records : list X) : Z := fold_right Z.max 0%Z (map L records).
  Definition least (L : X -> Z) (records : list X) : Z :=
    match records with [] => 0%Z | x :: rest => fold_right Z.min (L x) (map L rest) end.

  (** The level of a group: how much likelier one of its records makes the answers than another, at most. *)
  Definition level (L : X -> Z) (g : group) : option Q :=
    largest (map (fun s => ratio_of (most L (fst s)) (least L (snd s))) (sides g)).

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
      (src/sordino/accounting/joint.py); queries of many codes wait beside them. *)
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
      (src/sordino/accounting/joint.py). *)
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
  Definition protected : definition X := fun a b e => exists g s x x',
    In g groups /\ In s (sides g) /\ In x (fst s) /\ In x' (snd s) /\ a = sure x /\ b = sure x' /\ e = value (bound g).

  Lemma within_protected (f : X -> R) : within protected f <->
    forall g s x x', In g groups -> In s (sides g) -> In x (fst s) -> In x' (snd s) -> f x <= exp (value (bound g)) * f x'.
  Proof.
    split.
    - intros kept g s x x' one two three four. rewrite <- (mean_sure x f), <- (mean_sure x' f).
      apply kept. now exists g, s, x, x'.
    - intros each a b e (g & s & x & x' & one & two & three & four & -> & -> & ->). rewrite !mean_sure. eauto.
  Qed.

  (** Only records of the domain count, and no factor does. *)
  Lemma within_in_domain (k : R) (f h : X -> R) : 0 <= k -> (forall x, In x domain -> f x = k * h x) ->
    within protected h -> within protected f.
  Proof.
    intros nonneg same kept. rewrite within_protected in *. intros g s x x' one two three four.
    rewrite (same x), (same x') by eauto. specialize (kept g s x x' one two three four).
    pose proof (exp_pos (value (bound g))). nra.
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

  Lemma level_correct L g s x x' q : nonneg L -> In s (sides g) -> In x (fst s) -> In x' (snd s) ->
    level L g = Some q -> IZR (L x) <= Q2R q * IZR (L x').
  Proof.
    intros all here heavy light same.
    destruct (largest_correct _ _ s q same here) as (p & own & below).
    apply ratio_of_correct in own; [|apply most_nonneg|now apply least_nonneg].
    pose proof (IZR_le _ _ (most_above L _ x heavy)). pose proof (IZR_le _ _ (least_below L _ x' light)).
    pose proof (IZR_le _ _ (least_nonneg L (snd s) all)). pose proof (IZR_le _ _ (most_nonneg L (fst s))).
    pose proof (largest_at_least_one _ _ same).
    apply Rle_trans with (Q2R p * IZR (least L (snd s))); [lra|].
    apply Rle_trans with (Q2R q * IZR (least L (snd s))); [now apply Rmult_le_compat_r|]. apply Rmult_le_compat_l; lra.
  Qed.

  Lemma is_within_correct g r : is_within g r = true -> exists q, r = Some q /\ Q2R q <= exp (value (bound g)).
  Proof. destruct r as [q|]; [|discriminate]. intros kept. exists q. auto. Qed.

  Theorem what_holds_is_within (L : X -> Z) : nonneg L -> holds L = true -> within protected (fun x => IZR (L x)).
  Proof.
    intros all kept. apply within_protected. intros g s x x' one two three four.
    unfold holds in kept. rewrite forallb_forall in kept. apply kept, is_within_correct in one as (q & same & below).
    eapply Rle_trans; [eapply level_correct; eauto|]. apply Rmult_le_compat_r; [now apply IZR_le|assumption].
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
    intros all kept both. apply within_protected. intros g s x x' one two three four.
    unfold fits in kept. rewrite forallb_forall in kept. specialize (kept g one).
    apply is_within_correct in kept as (q & same & below).
    assert (most_of : forall queries answers q, answers_of queries answers ->
      fold_right (fun c r => times (charge c g) r) (level L g) queries = Some q ->
      IZR (L x) * told queries answers x <= Q2R q * (IZR (L x') * told queries answers x')).
    { clear queries answers both q same below. intros queries answers q both. revert q.
      induction both as [|c y queries answers inside_codes both IH]; simpl; intros q same.
      - rewrite !Rmult_1_r. eapply level_correct; eauto.
      - destruct (charge c g) as [p|] eqn:own; [|discriminate].
        destruct (fold_right _ _ queries) as [p'|]; [|discriminate]. simpl in same. injection same as <-.
        specialize (IH p' eq_refl). pose proof (charge_covers c g s x x' y p one two three four inside_codes own) as more.
        rewrite Q2R_mult. pose proof (told_nonneg queries answers x). pose proof (IZR_le _ _ (all x)).
        pose proof (IZR_le _ _ (weight_nonneg c x y)).
        replace (IZR (L x) * (IZR (weight c x y) * told queries answers x))
          with (IZR (weight c x y) * (IZR (L x) * told queries answers x)) by ring.
        replace (Q2R p * Q2R p' * (IZR (L x') * (IZR (weight c x' y) * told queries answers x')))
          with (Q2R p * IZR (weight c x' y) * (Q2R p' * (IZR (L x') * told queries answers x'))) by ring.
        apply Rmult_le_compat; auto. now apply Rmult_le_pos. }
    eapply Rle_trans; [now apply (most_of queries answers q)|].
    apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [now apply IZR_le|apply told_nonneg].
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
    intros a b e (g & side & x & x' & one & _ & _ & _ & -> & -> & ->). auto using sure_is_belief.
  Qed.
End Program.
Arguments group X : clear implicits.

(** * What the program is given, as it has it *)

(** A fraction below e^bound, compared with a fraction. *)
Definition keeps_by_factor (b : nats) (q : Q) : bool := Qle_bool q (factor_below b).

Lemma keeps_by_factor_is_sound b q : keeps_by_factor b q = true -> Q2R q <= exp (value b).
Proof. intros kept. apply Qle_bool_iff, Qle_Rle in kept. eapply Rle_trans; [exact kept|apply factor_is_below]. Qed.

(** The most that any code adds to a group: the largest of the levels of single codes. *)
Definition own_charge {X : Type} (c : channel X) (g : group X) : option Q :=
  largest (map (fun y => level (fun x => weight c x y) g) (codes (columns c))).

Lemma own_charge_covers {X : Type} (c : channel X) (g : group X) s x x' y q :
  In s (sides g) -> In x (fst s) -> In x' (snd s) -> In y (codes (columns c)) ->
  own_charge c g = Some q -> IZR (weight c x y) <= Q2R q * IZR (weight c x' y).
Proof.
  intros side heavy light here same.
  destruct (largest_correct (fun y => level (fun x => weight c x y) g) _ y q same here) as (p & own & below).
  assert (nonnegative : nonneg (fun x => weight c x y)) by (intros other; apply weight_nonneg).
  pose proof (level_correct (fun x => weight c x y) g s x x' p nonnegative side heavy light own) as one.
  simpl in one. eapply Rle_trans; [exact one|].
  apply Rmult_le_compat_r; [apply IZR_le, weight_nonneg|assumption].
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
    program domain groups integers keeps_by_factor own_charge listed few counts_all.

  Lemma rule_keeps (groups : list (group X)) g side x x' (s : strategy) (A : list line -> bool) :
    (forall g s x, In g groups -> In s (sides g) -> In x (fst s) \/ In x (snd s) -> In x domain) ->
    (forall g, In g groups -> 0 <= value (bound g)) ->
    In g groups -> In side (sides g) -> In x (fst side) -> In x' (snd side) ->
    probability (rule groups) s [] A x <= exp (value (bound g)) * probability (rule groups) s [] A x'.
  Proof.
    intros inside nonneg_bounds one two three four. revert g side x x' one two three four.
    apply (within_protected groups (probability (rule groups) s [] A)).
    apply (program_keeps_promise domain groups inside integers are_integers keeps_by_factor keeps_by_factor_is_sound); auto.
    intros c g side x x' y q _. apply own_charge_covers.
  Qed.

  (** LDP: all records against all. *)
  Definition ldp_groups (epsilon : nats) : list (group X) := [Group [(domain, domain)] epsilon].

  Theorem rule_keeps_ldp (epsilon : nats) (s : strategy) (A : list line -> bool) (x x' : X) :
    0 <= value epsilon -> In x domain -> In x' domain ->
    probability (rule (ldp_groups epsilon)) s [] A x <= exp (value epsilon) * probability (rule (ldp_groups epsilon)) s [] A x'.
  Proof.
    intros positive here there.
    apply (rule_keeps (ldp_groups epsilon) (Group [(domain, domain)] epsilon) (domain, domain)); simpl; auto.
    - intros g side y [<-|[]] [<-|[]] [one|one]; exact one.
    - now intros g [<-|[]].
  Qed.

  (** Blocks: the records of each against themselves. *)
  Definition block_groups (block : X -> nat) (blocks : nat) (epsilon : nats) : list (group X) :=
    let records v := List.filter (fun x => Nat.eqb (block x) v) domain in
    [Group (map (fun v => (records v, records v)) (codes blocks)) epsilon].

  Theorem rule_keeps_blocks (block : X -> nat) (blocks : nat) (epsilon : nats) (s : strategy) (A : list line -> bool) (x x' : X) :
    0 <= value epsilon -> In x domain -> In x' domain -> block x = block x' -> (block x < blocks)%nat ->
    let f := rule (block_groups block blocks epsilon) in
    probability f s [] A x <= exp (value epsilon) * probability f s [] A x'.
  Proof.
    intros positive here there same few_blocks f.
    set (records := fun v => List.filter (fun x => Nat.eqb (block x) v) domain).
    apply (rule_keeps (block_groups block blocks epsilon)
      (Group (map (fun v => (records v, records v)) (codes blocks)) epsilon) (records (block x), records (block x))).
    - intros g side y [<-|[]] inside at_side. simpl in inside. apply in_map_iff in inside as (v & <- & _).
      destruct at_side as [one|one]; now apply filter_In in one.
    - now intros g [<-|[]].
    - now left.
    - simpl. apply in_map_iff. exists (block x). split; [reflexivity|]. apply in_seq. lia.
    - apply filter_In. split; [assumption|]. now apply Nat.eqb_eq.
    - apply filter_In. split; [assumption|]. now apply Nat.eqb_eq.
  Qed.

  (** Sensitive values against all. *)
  Definition high_low_groups (is_sensitive : X -> bool) (epsilon : nats) : list (group X) :=
    [Group [(List.filter is_sensitive domain, domain)] epsilon].

  Theorem rule_keeps_high_low (is_sensitive : X -> bool) (epsilon : nats) (s : strategy) (A : list line -> bool) (x x' : X) :
    0 <= value epsilon -> In x domain -> In x' domain -> is_sensitive x = true ->
    let f := rule (high_low_groups is_sensitive epsilon) in
    probability f s [] A x <= exp (value epsilon) * probability f s [] A x'.
  Proof.
    intros positive here there one f.
    apply (rule_keeps (high_low_groups is_sensitive epsilon)
      (Group [(List.filter is_sensitive domain, domain)] epsilon) (List.filter is_sensitive domain, domain)); simpl; auto.
    - intros g side y [<-|[]] [<-|[]] [two|two]; [now apply filter_In in two|assumption].
    - now intros g [<-|[]].
    - now apply filter_In.
  Qed.

  (** A bound for each pair, or none. *)
  Definition pair_groups (E : X -> X -> option nats) : list (group X) :=
    flat_map (fun p => match E (fst p) (snd p) with Some e => [Group [([fst p], [snd p])] e] | None => [] end)
      (list_prod domain domain).

  Theorem rule_keeps_pairs (E : X -> X -> option nats) (s : strategy) (A : list line -> bool) (x x' : X) (e : nats) :
    (forall y y' b, E y y' = Some b -> 0 <= value b) -> In x domain -> In x' domain -> E x x' = Some e ->
    probability (rule (pair_groups E)) s [] A x <= exp (value e) * probability (rule (pair_groups E)) s [] A x'.
  Proof.
    intros positive here there entry.
    apply (rule_keeps (pair_groups E) (Group [([x], [x'])] e) ([x], [x'])); simpl; auto.
    - intros g side z inside at_side one. apply in_flat_map in inside as ([y y'] & pair & inside). apply in_prod_iff in pair as [].
      simpl in inside. destruct (E y y'); [|destruct inside]. destruct inside as [<-|[]].
      destruct at_side as [<-|[]]. destruct one as [[<-|[]]|[<-|[]]]; assumption.
    - intros g inside. apply in_flat_map in inside as ([y y'] & _ & inside). simpl in inside.
      destruct (E y y') eqn:own; [|destruct inside]. destruct inside as [<-|[]]. simpl. eauto.
    - apply in_flat_map. exists (x, x'). split; [now apply in_prod_iff|]. simpl. rewrite entry. now left.
  Qed.

  (** Coordinate DP: records that differ in one of [d] attributes alone, which [read] numbers. *)
  Definition line_of (reading : nat -> X -> nat) (d i : nat) (x : X) : list X :=
    List.filter (fun y => forallb (fun j => Nat.eqb j i || Nat.eqb (reading j x) (reading j y)) (codes d)) domain.
  Definition coordinate_groups (reading : nat -> X -> nat) (budgets : list nats) : list (group X) :=
    map (fun p => Group (map (fun x => (line_of reading (length budgets) (fst p) x, line_of reading (length budgets) (fst p) x)) domain)
      (snd p)) (combine (codes (length budgets)) budgets).

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
      (Group (map (fun x => (line_of reading d i x, line_of reading d i x)) domain) b) side).
    - intros g other y inside at_side one. apply in_map_iff in inside as (p & <- & _). simpl in at_side.
      apply in_map_iff in at_side as (z & <- & _). destruct one as [one|one]; now apply filter_In in one.
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
End Promises.

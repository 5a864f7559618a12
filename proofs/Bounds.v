(** Filters over boxes of numbers: decisions by certified bounds.

    How much answers reveal about a record in a box is bounded from above, not worked out exactly. Here is what the filter makes of
    such bounds: it is a filter as the theorem requires, if the bounds hold. That they hold is not proved. *)

From Coq Require Import Reals Lra List.
From Sordino Require Import Sums Channels Definitions Filter.
Import ListNotations.
Open Scope R_scope.

Section Bounds.
  Context {X : Type}.

  (** The records of the box, and the promise. *)
  Variable inside : X -> Prop.
  Variable budget : R.

  (** Answers, the last one first, and what they say of a record. *)
  Definition answers : Type := list (query X * nat).
  Fixpoint said (all : answers) (x : X) : R := match all with [] => 1 | (q, y) :: earlier => chance q x y * said earlier x end.

  (** What is certified: that a number bounds the realized loss of answers, where there is such a number. *)
  Variable certified : answers -> R -> Prop.
  Hypothesis bound_holds : forall all l x x', certified all l -> inside x -> inside x' -> said all x <= exp l * said all x'.

  (** Queries that fit the box, and what each adds at most. *)
  Variable fits : query X -> Prop.
  Variable epsilon : query X -> R.
  Hypothesis epsilon_holds : forall q x x' y, fits q -> inside x -> inside x' -> In y (codes (outputs q)) ->
    chance q x y <= exp (epsilon q) * chance q x' y.

  (** What a decision rests on: the bound after each answer; or an earlier state, whose bound and the epsilons of all queries
      since fit. That state is the present one, or the empty one (the sum of all epsilons), or any other: "What a filter over a
      box said was left stays left" (src/sordino/accounting/measures/carried_slack.py). *)
  Definition is_accepted (all : answers) (q : query X) : Prop :=
    (forall y, In y (codes (outputs q)) -> exists l, certified ((q, y) :: all) l /\ l <= budget) \/
    exists since before l, all = since ++ before /\ certified before l /\ fits q /\ (forall one, In one since -> fits (fst one)) /\
      l + sum (fun one => epsilon (fst one)) since + epsilon q <= budget.

  Definition all_possible (all : answers) : Prop := forall q y, In (q, y) all -> In y (codes (outputs q)).

  Lemma said_nonneg all x : 0 <= said all x.
  Proof. induction all as [|[q y] all IH]; simpl; [lra|]. apply Rmult_le_pos; [apply chance_nonneg|assumption]. Qed.

  (** "answers add no more than their queries' epsilons to what an earlier state had proved, whatever they are"
      (src/sordino/accounting/measures/carried_slack.py) *)
  Theorem what_was_left_is_left (since before : answers) (l : R) (x x' : X) : certified before l -> inside x -> inside x' ->
    all_possible since -> (forall one, In one since -> fits (fst one)) ->
    said (since ++ before) x <= exp (l + sum (fun one => epsilon (fst one)) since) * said (since ++ before) x'.
  Proof.
    intros known here there can fitting. induction since as [|[q y] since IH]; simpl.
    - rewrite Rplus_0_r. now apply bound_holds.
    - assert (own : In y (codes (outputs q))) by (apply can; now left).
      specialize (IH (fun q' y' one => can q' y' (or_intror one)) (fun one inside_rest => fitting one (or_intror inside_rest))).
      assert (fits_q : fits q) by (apply (fitting (q, y)); now left).
      replace (l + (epsilon q + sum (fun one => epsilon (fst one)) since))
        with (epsilon q + (l + sum (fun one => epsilon (fst one)) since)) by ring.
      rewrite exp_plus. set (rest := exp (l + sum (fun one => epsilon (fst one)) since)) in *.
      replace (exp (epsilon q) * rest * (chance q x' y * said (since ++ before) x'))
        with (exp (epsilon q) * chance q x' y * (rest * said (since ++ before) x')) by ring.
      apply Rmult_le_compat; auto using said_nonneg, chance_nonneg.
  Qed.

  Lemma accepted_is_within (all : answers) (q : query X) (y : nat) (x x' : X) : is_accepted all q -> all_possible all ->
    In y (codes (outputs q)) -> inside x -> inside x' -> said ((q, y) :: all) x <= exp budget * said ((q, y) :: all) x'.
  Proof.
    intros accepted can own here there.
    assert (larger : forall l, l <= budget -> said ((q, y) :: all) x <= exp l * said ((q, y) :: all) x' ->
      said ((q, y) :: all) x <= exp budget * said ((q, y) :: all) x').
    { intros l less holds. eapply Rle_trans; [exact holds|]. apply Rmult_le_compat_r; [apply said_nonneg|].
      destruct less as [less| ->]; [left; now apply exp_increasing|lra]. }
    destruct accepted as [each|(since & before & l & -> & known & fits_q & fitting & enough)].
    - destruct (each y own) as (l & known & less). apply (larger l less). now apply bound_holds.
    - apply (larger (l + sum (fun one => epsilon (fst one)) ((q, y) :: since))); [simpl; lra|].
      apply (what_was_left_is_left ((q, y) :: since) before); auto.
      + intros q' y' [same|one]; [injection same as <- <-; assumption|]. apply can, in_or_app. now left.
      + intros one [<-|one_since]; [exact fits_q|now apply fitting].
  Qed.

  (** What was drawn so far, the last answer first. *)
  Fixpoint drawn (past : list (@line X)) : answers :=
    match past with
    | [] => []
    | Drawn q y _ :: rest => drawn rest ++ [(q, y)]
    | _ :: rest => drawn rest
    end.

  Lemma said_app all others x : said (all ++ others) x = said all x * said others x.
  Proof. induction all as [|[q y] all IH]; simpl; [ring|]. rewrite IH. ring. Qed.

  Lemma said_drawn past x : said (drawn past) x = evidence past x.
  Proof. induction past as [|[q y d|q|i] past IH]; simpl; auto. rewrite said_app, IH. simpl. ring. Qed.

  Lemma drawn_possible past : is_possible past -> all_possible (drawn past).
  Proof.
    intros can q y one. induction past as [|[q' y' d|q'|i] past IH]; simpl in one; [destruct one| | |].
    - apply in_app_or in one as [one|[same|[]]].
      + apply IH; [|assumption]. intros q0 y0 d0 there. apply (can q0 y0 d0). now right.
      + injection same as <- <-. apply (can q' y' d). now left.
    - apply IH; [|assumption]. intros q0 y0 d0 there. apply (can q0 y0 d0). now right.
    - apply IH; [|assumption]. intros q0 y0 d0 there. apply (can q0 y0 d0). now right.
  Qed.

  Definition box_ldp : definition X := fun a b e => exists x x', a = sure x /\ b = sure x' /\ e = budget /\ inside x /\ inside x'.

  (** A filter over a box accepts only where this accepts, whatever answers that are out may turn out to be: then it keeps LDP
      between any two records of the box. *)
  Theorem bounded_filter_keeps_ldp (f : filter) : 0 <= budget ->
    (forall past q, is_possible past -> f (map show past) q = true -> is_accepted (drawn past) q) ->
    forall (s : strategy) (A : list line -> bool) (x x' : X), inside x -> inside x' ->
    probability f s [] A x <= exp budget * probability f s [] A x'.
  Proof.
    intros nonneg careful s A x x' here there.
    rewrite <- (mean_sure x (probability f s [] A)), <- (mean_sure x' (probability f s [] A)).
    apply (filter_keeps_promise box_ldp f).
    - intros a b e (y & y' & -> & -> & -> & _). auto using sure_is_belief.
    - intros past q can accepted y own a b e (z & z' & -> & -> & -> & one & two). rewrite !mean_sure.
      pose proof (accepted_is_within (drawn past) q y z z' (careful past q can accepted) (drawn_possible past can) own one two) as within_.
      simpl in within_. rewrite !said_drawn in within_.
      rewrite (Rmult_comm (evidence past z)), (Rmult_comm (evidence past z')). exact within_.
    - now exists x, x'.
  Qed.
End Bounds.

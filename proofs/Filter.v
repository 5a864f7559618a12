(** The filter: many questions about one record, chosen by an adversary after seeing all earlier answers.

    "A filter promises its definition for all accepted answers together, even if an adversary chose each question after seeing
    all earlier answers" (SECURITY.md). Here are the collector who asks, the device that draws and refuses, and the theorem.

    The theorem holds for any definition of privacy with proper hypotheses (LDP, E-LDP with infinite and asymmetric entries,
    blocks, high-low, metrics, coordinate DP, Bayesian coordinate DP with a prior, and a bound on dependence), for records of
    any kind, and for events over whole transcripts: all that was asked, all codes that were drawn, whether they were ever
    delivered or not, all refusals, and where the collector chose to stop. *)

From Coq Require Import Reals Lra List.
From Sordino Require Import Sums Channels.
Import ListNotations.
Open Scope R_scope.

Section Filter.
  Context {X : Type}.

  (** * The two sides *)

  (** What happened. A code is drawn at once when a query is accepted; it may be delivered later, or never. *)
  Inductive line : Type :=
  | Drawn (q : query X) (code : nat) (delivered : bool)
  | Refused (q : query X)
  | Lot (result : nat).

  (** What the collector knows of it, and the filter too: of a pending answer only which query it answers. *)
  Inductive public_line : Type :=
  | Delivered (q : query X) (code : nat)
  | Pending (q : query X)
  | Refusal (q : query X)
  | PublicLot (result : nat).

  Definition show (l : line) : public_line :=
    match l with
    | Drawn q code true => Delivered q code
    | Drawn q _ false => Pending q
    | Refused q => Refusal q
    | Lot result => PublicLot result
    end.

  (** What the collector does: all that it could decide on, by whatever it has seen so far. It may stop anywhere, ask
      anything and go on differently after a refusal, wait for the answer in line [place], or draw lots. Between two
      questions it may leave any number of answers pending. *)
  Inductive strategy : Type :=
  | Stop
  | Ask (q : query X) (if_accepted if_refused : strategy)
  | Await (place : nat) (next : nat -> strategy)
  | Toss (lots : query unit) (next : nat -> strategy).

  (** A filter is a function of what is public and of the query. It never receives the record. *)
  Definition filter : Type := list public_line -> query X -> bool.

  Fixpoint deliver (place : nat) (past : list line) : list line :=
    match past, place with
    | Drawn q code _ :: rest, O => Drawn q code true :: rest
    | l :: rest, S earlier => l :: deliver earlier rest
    | _, _ => past
    end.

  (** The probability, for record [x], that the whole transcript is one of those in [A]. *)
  Fixpoint probability (f : filter) (s : strategy) (past : list line) (A : list line -> bool) (x : X) : R :=
    match s with
    | Stop => if A past then 1 else 0
    | Ask q if_accepted if_refused =>
        if f (map show past) q
        then sum (fun y => chance q x y * probability f if_accepted (past ++ [Drawn q y false]) A x) (codes (outputs q))
        else probability f if_refused (past ++ [Refused q]) A x
    | Await place next =>
        match nth_error past place with
        | Some (Drawn _ y _) => probability f (next y) (deliver place past) A x
        | _ => probability f (next 0%nat) past A x
        end
    | Toss lots next =>
        sum (fun i => chance lots tt i * probability f (next i) (past ++ [Lot i]) A x) (codes (outputs lots))
    end.

  (** * What a filter has to decide *)

  (** The evidence so far: the probability of all codes that were drawn. Refusals and lots are no evidence. *)
  Fixpoint evidence (past : list line) (x : X) : R :=
    match past with
    | [] => 1
    | Drawn q y _ :: rest => chance q x y * evidence rest x
    | _ :: rest => evidence rest x
    end.

  (** All codes are codes of their queries. *)
  Definition is_possible (past : list line) : Prop :=
    forall q y delivered, In (Drawn q y delivered) past -> In y (codes (outputs q)).

  (** A filter accepts a query only where the definition is kept by all answers so far together with each answer that the
      query could have, and _whatever the pending ones may be_: that is what "every possible answer" is, for
      "concurrent queries keep the promise, whatever the order and the answers" (docs/filters.md). It may refuse as it likes. *)
  Definition accepts_within (D : definition X) (f : filter) : Prop :=
    forall past q, is_possible past -> f (map show past) q = true ->
    forall y, In y (codes (outputs q)) -> within D (fun x => evidence past x * chance q x y).

  (** * Lemmas *)

  Lemma evidence_app past l x : evidence (past ++ [l]) x = evidence past x * evidence [l] x.
  Proof.
    induction past as [|[q y delivered|q|i] past IH]; [destruct l| | |]; simpl in *; rewrite ?IH; ring.
  Qed.

  Lemma evidence_deliver place past x : evidence (deliver place past) x = evidence past x.
  Proof.
    revert place. induction past as [|[q y delivered|q|i] past IH]; intros [|place]; simpl; try rewrite IH; reflexivity.
  Qed.

  Lemma possible_deliver place past : is_possible past -> is_possible (deliver place past).
  Proof.
    revert place. induction past as [|first past IH]; intros place possible; [now destruct place|].
    assert (rest : is_possible past) by (intros q y d inside; apply (possible q y d); now right).
    destruct place as [|place].
    - destruct first as [q y d|q|i]; simpl; auto. intros q' y' d' [same|inside]; [|now apply (possible q' y' d'); right].
      injection same as <- <- _. apply (possible q y d). now left.
    - assert (both : deliver (S place) (first :: past) = first :: deliver place past) by now destruct first.
      rewrite both. intros q y d [same|inside].
      + apply (possible q y d). now left.
      + now apply (IH place rest q y d).
  Qed.

  Lemma possible_app past l : is_possible past -> is_possible [l] -> is_possible (past ++ [l]).
  Proof. intros before last q y d inside. apply in_app_or in inside as [here|here]; eauto. Qed.

  Lemma possible_drawn q y d : In y (codes (outputs q)) -> is_possible [Drawn q y d].
  Proof. intros inside q' y' d' [same|[]]. now injection same as <- <- <-. Qed.

  Lemma possible_other l : (forall q y d, l <> Drawn q y d) -> is_possible [l].
  Proof. intros other q y d [same|[]]. now apply other in same. Qed.

  (** * The theorem *)

  (** What happens is a distribution: all probabilities add up to 1, whatever the filter refuses. *)
  Theorem transcripts_are_distributed f s past x : probability f s past (fun _ => true) x = 1.
  Proof.
    revert past. induction s as [|q yes accepted no refused|place next IH|lots next IH]; intros past; simpl.
    - reflexivity.
    - destruct (f (map show past) q); [|apply refused].
      rewrite <- (chance_total q x). apply sum_ext. intros y _. rewrite accepted. ring.
    - destruct (nth_error past place) as [[q y d|q|i]|]; apply IH.
    - rewrite <- (chance_total lots tt). apply sum_ext. intros i _. rewrite IH. ring.
  Qed.

  Lemma from_here (D : definition X) f s past A :
    accepts_within D f -> is_possible past -> within D (evidence past) ->
    within D (fun x => evidence past x * probability f s past A x).
  Proof.
    intros careful. revert past.
    induction s as [|q yes accepted no refused|place next IH|lots next IH]; intros past possible kept; simpl.
    - destruct (A past).
      + apply (within_ext D (evidence past)); [intros; ring|assumption].
      + apply (within_ext D (fun _ => 0)); [intros; ring|apply within_zero].
    - destruct (f (map show past) q) eqn:decision.
      + apply (within_ext D (fun x => sum (fun y => evidence (past ++ [Drawn q y false]) x
          * probability f yes (past ++ [Drawn q y false]) A x) (codes (outputs q)))).
        { intros x. rewrite <- sum_scale. apply sum_ext. intros y _. rewrite evidence_app. simpl. ring. }
        apply within_sum. intros y inside. apply accepted; [apply possible_app; auto using possible_drawn|].
        apply (within_ext D (fun x => evidence past x * chance q x y)).
        * intros x. rewrite evidence_app. simpl. ring.
        * now apply careful.
      + apply (within_ext D (fun x => evidence (past ++ [Refused q]) x * probability f no (past ++ [Refused q]) A x)).
        { intros x. rewrite evidence_app. simpl. ring. }
        apply refused; [apply possible_app; auto; apply possible_other; discriminate|].
        apply (within_ext D (evidence past)); auto. intros x. rewrite evidence_app. simpl. ring.
    - destruct (nth_error past place) as [[q y d|q|i]|]; auto.
      apply (within_ext D (fun x => evidence (deliver place past) x * probability f (next y) (deliver place past) A x)).
      { intros x. now rewrite evidence_deliver. }
      apply IH; [now apply possible_deliver|].
      apply (within_ext D (evidence past)); auto. intros x. now rewrite evidence_deliver.
    - apply (within_ext D (fun x => sum (fun i => chance lots tt i * (evidence (past ++ [Lot i]) x
        * probability f (next i) (past ++ [Lot i]) A x)) (codes (outputs lots)))).
      { intros x. rewrite <- sum_scale. apply sum_ext. intros i _. rewrite evidence_app. simpl. ring. }
      apply within_sum. intros i _. apply within_scale; [apply chance_nonneg|].
      apply IH; [apply possible_app; auto; apply possible_other; discriminate|].
      apply (within_ext D (evidence past)); auto. intros x. rewrite evidence_app. simpl. ring.
  Qed.

  Theorem filter_keeps_promise (D : definition X) (f : filter) :
    is_proper D -> accepts_within D f ->
    forall (s : strategy) (A : list line -> bool), within D (probability f s [] A).
  Proof.
    intros proper careful s A. apply (within_ext D (fun x => evidence [] x * probability f s [] A x)).
    - intros x. simpl. ring.
    - apply from_here; auto.
      + intros q y d [].
      + intros a b e pair. destruct (proper _ _ _ pair) as (first & second & nonneg). simpl.
        rewrite !mean_constant by assumption. pose proof (exp_ineq1_le e). lra.
  Qed.
End Filter.

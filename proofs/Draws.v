(** What the draws of a plan mean.

    A plan holds for each mechanism a _draw_: a short program over whole numbers that works out a code from a value and from
    random words (docs/plan-format.md). [law] is what each operation means: the distribution of the code. It is short, so
    that it can be compared with that page line by line; no list of mechanisms stands here, and none of their properties is
    taken for granted. It is a program, extracted to OCaml and run on plans: see
    Listing.v and checker/. *)

From Coq Require Import List ZArith Bool.
From Sordino Require Import Coins.
Import ListNotations.
Open Scope Z_scope.

(** * Distributions *)

(** Numbers with weights: each is drawn with its weight out of the sum of all. *)
Definition distribution : Type := list (Z * Z).
Definition total (d : distribution) : Z := fold_right Z.add 0 (map snd d).
Definition mass (d : distribution) (y : Z) : Z :=
  fold_right Z.add 0 (map (fun part => if Z.eqb (fst part) y then snd part else 0) d).

Definition scaled (factor : Z) (d : distribution) : distribution := map (fun part => (fst part, snd part * factor)) d.
Definition shifted (by_codes : Z) (d : distribution) : distribution := map (fun part => (by_codes + fst part, snd part)) d.
Definition sure (n : Z) : distribution := [(n, 1)].
Definition uniform (items : list Z) : distribution := map (fun n => (n, 1)) items.
Definition numbers (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

(** Some of a list, or nothing where one is nothing. *)
Fixpoint all_of {A B : Type} (f : A -> option B) (items : list A) : option (list B) :=
  match items with
  | [] => Some []
  | item :: items =>
      match f item, all_of f items with Some found, Some rest => Some (found :: rest) | _, _ => None end
  end.

Definition bind {A B : Type} (o : option A) (f : A -> option B) : option B := match o with Some a => f a | None => None end.
Notation "'let?' x := o 'in' rest" := (bind o (fun x => rest)) (at level 200, x pattern, o at level 100, rest at level 200).

(** First [d], then what is drawn depends on what was drawn. Weights are brought to one total first. *)
Definition followed (d : distribution) (next : Z -> option distribution) : option distribution :=
  let? laws := all_of (fun part => let? law := next (fst part) in Some (snd part, law)) d in
  let common := fold_right Z.lcm 1 (map (fun one => total (snd one)) laws) in
  Some (concat (map (fun one => scaled (fst one * (common / total (snd one))) (snd one)) laws)).

(** * Draws *)

Inductive operator := Plus | Minus | Times | Over | Rest | Xor | Less.

Definition apply (o : operator) (a b : Z) : Z :=
  match o with
  | Plus => a + b
  | Minus => Z.max 0 (a - b)
  | Times => a * b
  | Over => a / b
  | Rest => a mod b
  | Xor => Z.lxor a b
  | Less => if a <? b then 1 else 0
  end.

(** Sets of codes: each value has one among the same codes. *)
Inductive code_sets :=
| Run (all length : Z)                                  (* [length] neighbouring codes, from the value on *)
| Masks (bits size : Z)                                 (* numbers of [bits] bits of which [size] are 1: those with the value's bit *)
| Translates (p : Z) (multipliers base : list Z)        (* of multiples of a base set, modulo a prime: those that hold the value *)
| Meeting (items chosen size least : Z)                 (* sets of [size] items: those that share [least] with the value's, of [chosen] *)
| Points (q t : Z).                                     (* of a projective space: those on the hyperplane of the value's point *)

Inductive draw :=
| Number (n : Z)
| Value
| Apply (o : operator) (a b : draw)
| If (c a b : draw)
| Drop
| Coin (threshold : draw)
| Below (bound : draw)
| At (items : several) (place : draw)
| Pick (weights : several)
| Sides (threshold : draw) (sets : code_sets) (value : draw)
| Digits (parts : list part)
| Levels (fan : Z) (parts : list part)
| Blocks (block : list Z) (parts : list part)
| Hide (listed : list Z) (inner : part) (threshold : Z)
with several :=
| Items (items : list draw)
| Chosen (lists : list (list Z)) (place : draw)
| Outward (above kinds factors : list Z) (value : draw)
with part := Part (k codes : Z) (answer : draw).

Definition part_k (p : part) : Z := let 'Part k _ _ := p in k.
Definition part_codes (p : part) : Z := let 'Part _ codes _ := p in codes.
Definition part_answer (p : part) : draw := let 'Part _ _ answer := p in answer.

Definition item (l : list Z) (place : Z) : option Z := if place <? 0 then None else nth_error l (Z.to_nat place).

(** ** Sets of codes *)

Definition ones (bits n : Z) : Z := fold_right Z.add 0 (map (fun i => Z.b2z (Z.testbit n i)) (numbers bits)).

Fixpoint masks (bits size : nat) : list Z :=
  match bits with
  | O => match size with O => [0] | S _ => [] end
  | S bits =>
      masks bits size ++ match size with O => [] | S size => map (fun m => m + 2 ^ Z.of_nat bits) (masks bits size) end
  end.

(** The field of [q] elements: modulo [q], or polynomials over two elements modulo an irreducible one. *)
Fixpoint reduced (steps : nat) (q modulus n : Z) : Z :=
  match steps with
  | O => n
  | S steps => if n <? q then n else reduced steps q modulus (Z.lxor n (Z.shiftl modulus (Z.log2 n - Z.log2 modulus)))
  end.
Definition carryless (a b : Z) : Z :=
  fold_right Z.lxor 0 (map (fun i => if Z.testbit a i then Z.shiftl b i else 0) (numbers (Z.log2 (a + 1) + 1))).
Definition divides (a n : Z) : bool := reduced (Z.to_nat (Z.log2 n + 1)) (2 ^ Z.log2 a) a n =? 0.
Definition is_irreducible (n : Z) : bool := negb (existsb (fun a => (2 <=? a) && divides a n) (numbers (2 ^ (Z.log2 n / 2 + 1)))).
Definition modulus_of (q : Z) : Z := hd 0 (filter is_irreducible (map (fun n => q + n) (numbers q))).
Definition is_prime (q : Z) : bool := (2 <=? q) && negb (existsb (fun a => (2 <=? a) && (a * a <=? q) && (q mod a =? 0)) (numbers q)).

(** Vectors are lists of digits, the lowest first. *)
Fixpoint digits (q : Z) (count : nat) (n : Z) : list Z :=
  match count with O => [] | S count => n mod q :: digits q count (n / q) end.

(** Points are numbered 1, 1d, 1dd, ... in base q. *)
Definition points (q : Z) (t : nat) : list Z :=
  concat (map (fun power => map (fun rest => q ^ Z.of_nat power + rest) (numbers (q ^ Z.of_nat power))) (seq 0 t)).

Definition is_on (multiply add : Z -> Z -> Z) (u w : list Z) : bool :=
  fold_right add 0 (map (fun pair => multiply (fst pair) (snd pair)) (combine u w)) =? 0.

(** The codes of a value's set, and all others that can be sent. *)
Definition sides_of (sets : code_sets) (v : Z) : option (list Z * list Z) :=
  let separate (marked : list (Z * bool)) := Some (map fst (filter snd marked), map fst (filter (fun one => negb (snd one)) marked)) in
  let split (all : list Z) (is_in : Z -> bool) := Some (filter is_in all, filter (fun y => negb (is_in y)) all) in
  match sets with
  | Run all length => split (numbers all) (fun y => (v <=? y) && (y <? v + length))
  | Masks bits size => split (masks (Z.to_nat bits) (Z.to_nat size)) (fun y => Z.testbit y v)
  | Translates p multipliers base =>
      (* Code a p + c is the translate by c of the base set times multiplier a: it holds the value if c is one of these. *)
      let holding g := map (fun d => (v - g * d) mod p) base in
      let family a holds := map (fun c => (a * p + c, existsb (Z.eqb c) holds)) (numbers p) in
      let numbered := combine (numbers (Z.of_nat (length multipliers))) (map holding multipliers) in
      separate (concat (map (fun one => family (fst one) (snd one)) numbered))
  | Meeting items chosen size least =>
      (* Sets are numbered in the order of their masks, of values and of codes. *)
      let? own := item (masks (Z.to_nat items) (Z.to_nat chosen)) v in
      let listed := masks (Z.to_nat items) (Z.to_nat size) in
      let numbered := combine (numbers (Z.of_nat (length listed))) listed in
      separate (map (fun one => (fst one, least <=? ones items (Z.land own (snd one)))) numbered)
  | Points q t =>
      let listed := points q (Z.to_nat t) in
      let modulus := modulus_of q in
      let prime := is_prime q in
      let on u w :=
        if prime then is_on (fun a b => a * b mod q) (fun a b => (a + b) mod q) u w
        else is_on (fun a b => reduced (Z.to_nat (2 * Z.log2 q)) q modulus (carryless a b)) Z.lxor u w in
      let vector n := digits q (Z.to_nat t) n in
      let? point := item listed v in
      let own := vector point in
      let numbered := combine (numbers (Z.of_nat (length listed))) (map vector listed) in
      separate (map (fun one => (fst one, on own (snd one))) numbered)
  end.

(** ** What an operation means *)

Definition sum_of (items : list Z) : Z := fold_right Z.add 0 items.
Definition codes_before (parts : list part) (place : nat) : Z := sum_of (map part_codes (firstn place parts)).

(** Blocks stand in the order in which they first appear among the values; the part of a block is the one of its size. *)
Definition order_of (block : list Z) : list Z :=
  fold_left (fun seen b => if existsb (Z.eqb b) seen then seen else seen ++ [b]) block [].
Definition size_of (block : list Z) (b : Z) : Z := Z.of_nat (length (filter (Z.eqb b) block)).
Definition part_of (block : list Z) (parts : list part) (b : Z) : option part :=
  find (fun p => part_k p =? size_of block b) parts.
Definition offset_of (block : list Z) (parts : list part) (b : Z) : option Z :=
  let fix before (seen : list Z) : option Z :=
    match seen with
    | [] => None
    | first :: seen =>
        if first =? b then Some 0
        else let? p := part_of block parts first in let? rest := before seen in Some (part_codes p + rest)
    end in
  before (order_of block).
Definition place_of (block : list Z) (v : nat) (b : Z) : Z := Z.of_nat (length (filter (Z.eqb b) (firstn v block))).

(** Weights that fall off along the steps of a tree: [near] is who is next to whom, with the factor of the step. *)
Definition near (above kinds factors : list Z) (v : Z) : list (Z * Z) :=
  let steps := combine (numbers (Z.of_nat (length above))) (combine above kinds) in
  concat (map (fun step =>
    let '(low, (high, kind)) := step in
    match item factors kind with
    | Some f => if low =? high then [] else (if low =? v then [(high, f)] else []) ++ (if high =? v then [(low, f)] else [])
    | None => []
    end) steps).

Definition up (a b : Z) : Z := - ((- a) / b).

(** The weight of code y where it starts: 2^64 (1 - sum of f / (2^64 + f)), rounded up, as one fraction. *)
Definition start_of (steps : list (Z * Z)) : Z :=
  let below := fold_right Z.mul 1 (map (fun step => word + snd step) steps) in
  let taken := sum_of (map (fun step => snd step * (below / (word + snd step))) steps) in
  Z.min (word - 1) (up (word * (below - taken)) below).

Fixpoint outward (steps_left : nat) (above kinds factors : list Z) (value from weight : Z) : list (Z * Z) :=
  match steps_left with
  | O => []
  | S steps_left =>
      (value, weight) :: concat (map (fun step =>
        if fst step =? from then [] else outward steps_left above kinds factors (fst step) value (up (weight * snd step) word))
        (near above kinds factors value))
  end.

Definition outward_row (above kinds factors : list Z) (v : Z) : option (list Z) :=
  let all := numbers (Z.of_nat (length above)) in
  let column y := outward (length above) above kinds factors y (-1) (start_of (near above kinds factors y)) in
  let row := map (fun y => mass (column y) v) all in
  let others := sum_of (map (fun pair => if fst pair =? v then 0 else snd pair) (combine all row)) in
  Some (map (fun pair => if fst pair =? v then word - others else snd pair) (combine all row)).

(** The distribution of what a draw gives on value [v]. [fuel] is more than how deep draws stand within each other. *)
Fixpoint law (fuel : nat) (d : draw) (v : Z) : option distribution :=
  match fuel with
  | O => None
  | S fuel =>
      let law := law fuel in
      (* Arguments are drawn one after the other, each once, also those that are not needed. *)
      let fix each (ds : list draw) : option (list (list Z * Z)) :=
        match ds with
        | [] => Some [([], 1)]
        | d :: ds =>
            let? first := law d v in
            let? rest := each ds in
            Some (concat (map (fun one => map (fun more => (fst one :: fst more, snd one * snd more)) rest) first))
        end in
      let of_list (s : several) : option (list (list Z * Z)) :=
        match s with
        | Items items => each items
        | Chosen lists place =>
            let? places := law place v in
            all_of (fun one => let? l := (if fst one <? 0 then None else nth_error lists (Z.to_nat (fst one))) in Some (l, snd one)) places
        | Outward above kinds factors value =>
            let? values := law value v in
            all_of (fun one => let? row := outward_row above kinds factors (fst one) in Some (row, snd one)) values
        end in
      match d with
      | Number n => Some (sure n)
      | Value => Some (sure v)
      | Apply o a b =>
          let? first := law a v in
          followed first (fun x => let? second := law b v in
            if existsb (fun y => match o with Over | Rest => fst y <=? 0 | _ => false end) second then None
            else Some (map (fun y => (apply o x (fst y), snd y)) second))
      | If c a b =>
          (* Both are drawn, apart from each other: the one that is not taken changes nothing. *)
          let? condition := law c v in
          followed condition (fun x => if x =? 0 then law b v else law a v)
      | Drop => Some (sure 0)
      | Coin t =>
          let? thresholds := law t v in
          followed thresholds (fun t => if (0 <=? t) && (t <=? word) then Some [(1, t); (0, word - t)] else None)
      | Below n =>
          let? bounds := law n v in
          followed bounds (fun n => if n <=? 0 then None else Some (uniform (numbers n)))
      | At items place =>
          let? lists := of_list items in
          let? places := law place v in
          let? found := all_of (fun one => all_of (fun i => let? n := item (fst one) (fst i) in Some (n, snd one * snd i)) places) lists in
          Some (concat found)
      | Pick weights =>
          let? lists := of_list weights in
          followed (combine (numbers (Z.of_nat (length lists))) (map snd lists)) (fun which =>
            let? one := nth_error lists (Z.to_nat which) in
            Some (combine (numbers (Z.of_nat (length (fst one)))) (fst one)))
      | Sides t sets value =>
          let? thresholds := law t v in
          followed thresholds (fun t => let? values := law value v in
            followed values (fun x => let? sides := sides_of sets x in
              let '(on, off) := sides in
              match on, off with
              | [], _ => None
              | _, [] => Some (uniform on)
              | _, _ =>
                  let count := Z.of_nat (length on) in
                  let others := Z.of_nat (length off) in
                  if (0 <=? t) && (t <=? word)
                  then Some (map (fun y => (y, others * t)) on ++ map (fun y => (y, count * (word - t))) off) else None
              end))
      | Digits parts =>
          (* The last digit runs fastest, of the value and of the code. *)
          let fix digit (parts : list part) : option (distribution * Z) :=
            match parts with
            | [] => Some (sure 0, v)
            | p :: parts =>
                let? found := digit parts in
                let '(lower, higher) := found in
                if part_k p <=? 0 then None
                else
                  let? own := law (part_answer p) (higher mod part_k p) in
                  let codes := fold_right Z.mul 1 (map part_codes parts) in
                  Some (concat (map (fun one => map (fun low => (fst one * codes + fst low, snd one * snd low)) lower) own), higher / part_k p)
            end in
          let? found := digit parts in Some (fst found)
      | Levels fan parts =>
          if fan <=? 0 then None
          else followed (uniform (numbers (Z.of_nat (length parts)))) (fun level =>
            let? p := nth_error parts (Z.to_nat level) in
            let? own := law (part_answer p) (v / fan ^ level) in
            Some (shifted (codes_before parts (Z.to_nat level)) own))
      | Blocks block parts =>
          let? b := item block v in
          let? p := part_of block parts b in
          let? offset := offset_of block parts b in
          let? own := law (part_answer p) (place_of block (Z.to_nat v) b) in
          Some (shifted offset own)
      | Hide listed inner t =>
          if existsb (Z.eqb v) listed then law (part_answer inner) (Z.of_nat (length (filter (fun w => w <? v) listed)))
          else
            match part_answer inner with
            | Sides _ sets _ =>
                let? sides := sides_of sets 0 in
                let codes := fst sides ++ snd sides in
                let all := Z.of_nat (length codes) in
                let own := part_codes inner + v - Z.of_nat (length (filter (fun w => w <? v) listed)) in
                if (0 <=? t) && (t <=? word) then Some ((own, (word - t) * all) :: map (fun y => (y, t)) codes) else None
            | _ => None
            end
      end
  end.

(* A second verdict on a plan: for each question, whether its draws keep what the plan promises of two values.

   checker PLAN prints a line for each question, its place from 0 and one of
     holds              the verified program accepted what it can send, under all that is promised
     holds for epsilon  it did so for epsilon; whether a smaller `delta` holds by finer bounds on dependence is not looked at
     broken             it did not
     not covered        the question, its promise or its size is none that this program knows

   Of a document that is no plan it prints the one line "not a plan: " with the reason, and ends with exit code 1; where there is
   no document to read, with 2.

   What is verified is in checked.ml, which Coq writes: what the operations of a draw can send, and the comparison of
   integers with bounds. What stands here and in reading.ml is not: it finds the draws and the promise in the plan. It
   knows no mechanism by its name. *)

open Checked
open Reading

(* ---- what is promised of two values ---- *)

type promise =
  | Ldp of nats
  | In_blocks of nats * int array
  | Sensitive of nats * bool array
  | Distances of nats option list list (* of two cells they add up *)
  | Pairs of nats option list list

let nothing = { rational = zero_fraction; ratio = one_fraction }

(* Amounts add: r + ln q, r' + ln q'. *)
let plus a b = { rational = qred (qplus a.rational b.rational); ratio = qred (qmult a.ratio b.ratio) }
let is_rational a = qeq_bool a.ratio one_fraction

(* A fraction below e to an amount: once for each amount. *)
let factor =
  let known = Hashtbl.create 64 in
  fun a -> match Hashtbl.find_opt known a with Some f -> f | None -> let f = factor_below a in Hashtbl.add known a f; f

(* The smaller of two amounts: what is at most its fraction is at most e to either. *)
let least a b = if qle_bool (factor a) (factor b) then a else b
let most a b = if least a b == a then b else a

(* Times a distance: a logarithm by whole numbers alone. *)
let times distance a =
  if is_rational a then { a with rational = qred (qmult a.rational distance) }
  else
    let whole = qred distance in
    if not (is_same (below whole) one) then raise Not_covered
    else List.fold_left (fun sum _ -> plus sum a) nothing (List.init (int_of_z (above whole)) Fun.id)

let difference a b = if qle_bool a b then qminus b a else qminus a b

(* Distances on a tree: the lengths of the steps up to where both ways meet. *)
let tree_distances labels metric =
  let names = list labels |> List.map text in
  let length name =
    match find "lengths" metric with
    | Some lengths -> ( match find name lengths with Some l -> fraction (text l) | None -> one_fraction)
    | None -> one_fraction
  in
  let above =
    match get "tree" metric with
    | Table nodes -> List.concat_map (fun (up, below) -> List.map (fun name -> (text name, up)) (list below)) nodes
    | _ -> refuse "a tree that is no table"
  in
  let rec way steps name =
    if steps = 0 then refuse "a tree that runs in a circle";
    name :: (match List.assoc_opt name above with Some up -> way (steps - 1) up | None -> [])
  in
  let way = way (List.length above + 1) in
  let below = List.map fst above in
  if List.length (List.sort_uniq compare below) < List.length below then refuse "a name in two places of a tree";
  let roots = List.map (fun name -> List.nth (way name) (List.length (way name) - 1)) names in
  if List.length (List.sort_uniq compare roots) > 1 then refuse "a tree that does not hold all values";
  let sum = List.fold_left (fun sum name -> qplus sum (length name)) zero_fraction in
  let distance a b =
    let ways = (way a, way b) in
    let only own other = List.filter (fun name -> not (List.mem name other)) own in
    qplus (sum (only (fst ways) (snd ways))) (sum (only (snd ways) (fst ways)))
  in
  List.map (fun a -> List.map (distance a) names) names

(* Amounts of all pairs are listed: of more values they are not compared either. *)
let require_few k = if k > 1 lsl 11 then raise Not_covered

let metric_promise attribute k epsilon metric =
  require_few k;
  let line positions = List.map (fun a -> List.map (fun b -> Some (times (difference a b) epsilon)) positions) positions in
  match (find "per" metric, find "positions" metric, find "tree" metric, find "map" metric) with
  | Some per, None, None, None ->
      let per = fraction (text per) in
      if not (is_less zero (above per)) then refuse "steps of 0 or less";
      let steps position = qdiv position per in
      let positions =
        match find "labels" attribute with
        | Some labels -> List.map (fun label -> steps (decimal (text label))) (list labels)
        | None -> List.init k (fun v -> steps (over (z v) one))
      in
      Distances (line positions)
  | None, Some positions, None, None -> Distances (line (List.map (fun p -> fraction (text p)) (list positions)))
  | None, None, Some _, None ->
      let labels = get "labels" attribute in
      let amounts = List.map (List.map (fun d -> Some (times d epsilon))) (tree_distances labels metric) in
      let is_value (name, _) = List.mem name (List.map text (list labels)) in
      let nodes = match get "tree" metric with Table nodes -> nodes | _ -> refuse "a tree that is no table" in
      if List.for_all is_value nodes then Distances amounts else Pairs amounts
  | None, None, None, Some map ->
      (* What a step is worth stands in the plan; that it is not too much for the distance on the Earth is not looked at. *)
      let columns = positive (get "columns" (get "grid" attribute)) in
      let steps name n = times (over (z n) one) (amount (text (get name map))) in
      let bound a b =
        plus (steps "row_step" (abs ((a / columns) - (b / columns)))) (steps "column_step" (abs ((a mod columns) - (b mod columns))))
      in
      Distances (List.init k (fun a -> List.init k (fun b -> Some (bound a b))))
  | _ -> refuse "distances that are none, or of several kinds"

(* Values of a plan: those of all its histograms together are no more. *)
let most_values = 1 lsl 24
let few_values k = if k = 0 then refuse "no values" else if k > most_values then raise Not_covered else k

(* Of values that are the numbers of sets none is listed. *)
let values_of answer k = match answer with Sides (_, Meeting _, Value) when k > 0 -> k | _ -> few_values k

let size_of attribute =
  match (find "labels" attribute, find "numbers" attribute, find "grid" attribute) with
  | Some labels, None, None -> few_values (List.length (list labels))
  | None, Some count, None -> few_values (whole count)
  | None, None, Some grid -> few_values (times_size (whole (get "rows" grid)) (whole (get "columns" grid)))
  | _ -> refuse "an attribute without values, or with values of several kinds"

(* Of what a table counts: of a number its bins, and that it is missing where it may be. *)
let counted_size attribute =
  match find "number" attribute with
  | None -> size_of attribute
  | Some number -> (
      match List.length (list (get "edges" number)) with
      | 0 | 1 -> refuse "a number without bins"
      | edges -> few_values (edges - 1 + if find "missing" attribute = None then 0 else 1))

let blocks_of attribute k blocks =
  match (find "of" blocks, find "run" blocks, find "tiles" blocks) with
  | Some each, None, None ->
      (* Blocks may have any numbers: they are counted as they appear. *)
      let known = Hashtbl.create 16 in
      let number v =
        let own = whole v in
        match Hashtbl.find_opt known own with Some n -> n | None -> let n = Hashtbl.length known in Hashtbl.add known own n; n
      in
      Array.of_list (List.map number (list each))
  | None, Some run, None -> let run = positive run in Array.init k (fun v -> v / run)
  | None, None, Some tiles -> (
      let columns = positive (get "columns" (get "grid" attribute)) in
      match List.map positive (list tiles) with
      | [ height; width ] ->
          let across = (columns + width - 1) / width in
          Array.init k (fun v -> (v / columns / height * across) + (v mod columns / width))
      | _ -> refuse "tiles that have no height and width")
  | _ -> refuse "blocks that are none, or of several kinds"

let promise_of ?(size = size_of) attribute =
  let k = size attribute and protect = get "protect" attribute in
  let epsilon () = amount (text (get "epsilon" protect)) in
  let promise =
    match (find "bounds" protect, find "blocks" protect, find "sensitive" protect, find "metric" protect) with
    | Some rows, None, None, None ->
        let entry v = match text v with "inf" -> None | t -> Some (amount t) in
        Pairs (List.map (fun row -> List.map entry (list row)) (list rows))
    | None, Some blocks, None, None -> In_blocks (epsilon (), blocks_of attribute k blocks)
    | None, None, Some values, None ->
        let value v = match whole v with n when n < k -> n | _ -> refuse "a sensitive value that there is not" in
        let sensitive = List.map value (list values) in
        Sensitive (epsilon (), Array.init k (fun v -> List.mem v sensitive))
    | None, None, None, Some metric -> metric_promise attribute k (epsilon ()) metric
    | None, None, None, None -> Ldp (epsilon ())
    | _ -> refuse "a protection of several kinds"
  in
  (match promise with
  | In_blocks (_, each) when Array.length each <> k -> refuse "blocks of other values"
  | (Pairs rows | Distances rows) when List.length rows <> k || List.exists (fun row -> List.length row <> k) rows ->
      refuse "bounds of other values"
  | _ -> ());
  (promise, k)

(* What a promise says of each two values. *)
let pairs (promise, k) =
  require_few k;
  let of_test test = List.init k (fun x -> List.init k (fun y -> if x = y then Some nothing else test x y)) in
  match promise with
  | Ldp epsilon -> of_test (fun _ _ -> Some epsilon)
  | In_blocks (epsilon, each) -> of_test (fun x y -> if each.(x) = each.(y) then Some epsilon else None)
  | Sensitive (epsilon, each) -> of_test (fun x _ -> if each.(x) then Some epsilon else None)
  | Distances rows | Pairs rows -> rows

(* Bounds along paths add, and ask nothing new of one attribute (Definitions.closure_is_equivalent). Where several attributes
   are told together the largest bound of one counts, which is that of its closed bounds. *)
let closed promise =
  match promise with
  | Pairs rows, k ->
      let each = Array.of_list (List.map Array.of_list rows) in
      let shorter x y z =
        match (each.(x).(z), each.(z).(y)) with
        | Some a, Some b -> each.(x).(y) <- Some (match each.(x).(y) with Some own -> least own (plus a b) | None -> plus a b)
        | _ -> ()
      in
      if k > 200 then raise Not_covered;
      for z = 0 to k - 1 do for x = 0 to k - 1 do for y = 0 to k - 1 do if x <> y then shorter x y z done done done;
      (Pairs (Array.to_list (Array.map Array.to_list each)), k)
  | other -> other

(* Of the cells of a table: the last attribute's value runs fastest. *)
let cells promises =
  if List.length promises < 2 then refuse "a table of fewer than two attributes";
  let promises = List.map closed promises in
  let k = few_values (List.fold_left (fun k (_, own) -> times_size k own) 1 promises) in
  let values cell = snd (List.fold_right (fun (_, own) (rest, values) -> (rest / own, (rest mod own) :: values)) promises (cell, [])) in
  let smallest amounts = match amounts with first :: rest -> List.fold_left least first rest | [] -> raise Not_covered in
  let epsilon () =
    let own (promise, _) = match promise with Ldp e | In_blocks (e, _) | Sensitive (e, _) -> e | Distances _ | Pairs _ -> raise Not_covered in
    smallest (List.map own promises)
  in
  let all test = List.for_all (fun (promise, _) -> test promise) promises in
  if all (function Ldp _ -> true | _ -> false) then (Ldp (epsilon ()), k)
  else if all (function Ldp _ | Sensitive _ -> true | _ -> false) then
    let marked (promise, _) value = match promise with Sensitive (_, each) -> each.(value) | _ -> true in
    (Sensitive (epsilon (), Array.init k (fun cell -> List.exists2 marked promises (values cell))), k)
  else if all (function Ldp _ | In_blocks _ -> true | _ -> false) then
    let block (promise, own) value = match promise with In_blocks (_, each) -> each.(value) | _ -> 0 * own in
    let most (promise, _) = match promise with In_blocks (_, each) -> Array.fold_left max 0 each + 1 | _ -> 1 in
    let number cell = List.fold_left2 (fun n one value -> (n * most one) + block one value) 0 promises (values cell) in
    (In_blocks (epsilon (), Array.init k number), k)
  else
    let largest rows = List.fold_left most nothing (List.concat_map (List.filter_map Fun.id) rows) in
    let are_distances = all (function Distances _ -> true | _ -> false) in
    let cap = if are_distances then nothing else List.fold_left most nothing (List.map (fun one -> largest (pairs one)) promises) in
    let tables = List.map (fun one -> Array.of_list (List.map Array.of_list (pairs one))) promises in
    let bound a b =
      let add sum table (x, y) = if x = y then sum else Option.bind sum (fun sum -> Option.map (plus sum) table.(x).(y)) in
      let sum = List.fold_left2 add (Some nothing) tables (List.combine (values a) (values b)) in
      if are_distances then sum else Option.map (least cap) sum
    in
    if k > 200 then raise Not_covered else (Pairs (List.init k (fun a -> List.init k (bound a))), k)

(* ---- verdicts ---- *)

(* How many weights are listed, and how many comparisons are made of them: seconds. *)
let most_weights = 400_000
let most_comparisons = 2_000_000

(* How large the field of a projective space may be, and how many digits points have, where its laws are looked at: seconds. *)
let largest_field = 64
let most_digits = 64

(* Numbers of Pascal's triangle that are worked out to count the sets that share items with another one: seconds. *)
let most_rows = 1 lsl 26

let covered = function Some verdict -> verdict | None -> raise Not_covered

(* How many codes are listed for each value, at most. *)
let rec columns k answer codes =
  let limited n = if n > most_weights || n < 0 then most_weights + 1 else n in
  let own p = columns (size (part_k p)) (part_answer p) (small (part_codes p)) in
  match answer with
  | Sides (_, Masks (bits, size), _) ->
      let bits = int_of_z bits and size = int_of_z size in
      let rec choose n s = if s <= 0 then 1 else choose (n - 1) (s - 1) * n / s in
      if bits > 40 then most_weights + 1 else limited (choose bits (min size (bits - size)))
  | Blocks (_, parts) -> List.fold_left max 1 (List.map own parts)
  | Levels (_, parts) -> limited (List.fold_left ( + ) 0 (List.map own parts))
  | Digits parts -> List.fold_left (fun n p -> limited (n * own p)) 1 parts
  | Hide (_, inner, _) -> limited (own inner + List.length (match answer with Hide (listed, _, _) -> listed | _ -> []) + 1)
  | Sides _ -> limited codes
  | _ -> limited (max codes (ways k answer))

let weights k answer codes = let each = columns k answer codes in if each > most_weights / k then most_weights + 1 else k * each

let subset_verdict epsilon answer k =
  match answer with
  | Sides (Checked.Number t, Masks (bits, size), Value) when int_of_z bits = k ->
      Some (accepts_subset epsilon (nat k) (nat (int_of_z size)) t)
  | Sides (Checked.Number t, Run (all, length), Value) when int_of_z all = k && int_of_z length = 1 && k > 1 ->
      Some (accepts_randomized epsilon (nat k) t)
  | Sides (Checked.Number t, Meeting (items, chosen, size, least), Value) ->
      let small n = nat (int_of_z n) in
      let rows = times_size (int_of_z items) (times_size (int_of_z size) (int_of_z size)) in
      if rows > most_rows then None else Some (accepts_meeting epsilon (small items) (small chosen) (small size) (small least) t)
  | Sides (Checked.Number t, Points (q, dimension), Value) when small q <= largest_field && small dimension <= most_digits ->
      (* Where the sets are not shown to be of one size, as by a number that no field has, codes are listed. *)
      if is_space q (nat (small dimension)) (z k) then Some (accepts_points epsilon q (nat (small dimension)) (z k) t) else None
  | _ -> None

let ldp epsilon (answer, k, codes) =
  match subset_verdict epsilon answer k with
  | Some verdict -> verdict
  | None -> if weights k answer codes > most_weights then raise Not_covered else covered (accepts_draw_ldp fuel epsilon answer (nat k))

let listed (answer, k, codes) factors =
  let each = weights k answer codes in
  if each > most_weights || each > most_comparisons / k then raise Not_covered
  else covered (accepts_draw fuel answer (nat k) (factors ()))

let of_part p = (part_answer p, values_of (part_answer p) (int_of_z (part_k p)), small (part_codes p))

let keeps promise ((answer, k, codes) as one) =
  match promise with
  | Ldp epsilon -> ldp epsilon one
  | In_blocks (epsilon, blocks) -> (
      match answer with
      | Blocks (own, parts) when List.equal ( = ) (List.map int_of_z own) (Array.to_list blocks) ->
          (* Each part by itself, those that are subsets by the theorem about them. *)
          List.for_all (fun p -> ldp epsilon (of_part p)) parts
      | _ -> listed one (fun () -> block_factors epsilon (List.map nat (Array.to_list blocks))))
  | Sensitive (epsilon, each) when weights k answer codes > most_weights -> (
      (* What no two values exceed, no sensitive one does. *)
      match subset_verdict epsilon answer k with Some true -> true | _ -> raise Not_covered)
  | Sensitive (epsilon, each) -> covered (accepts_draw_high_low fuel epsilon answer (nat k) (Array.to_list each))
  | Distances amounts | Pairs amounts -> listed one (fun () -> List.map (List.map (Option.map factor)) amounts)

type verdict = Holds | For_epsilon | Broken

let answer_of mechanism =
  match parts mechanism mechanism with [ one ] -> require_codes one; of_part one | _ -> refuse "something else than one mechanism"

(* Queries that are answered together are one draw of parts, whose values and codes are digits. *)
let together answers =
  let part (answer, k, codes) = Part (z k, z codes, answer) in
  let product = List.fold_left (fun n each -> if n > most_weights then n else n * each) 1 in
  (Digits (List.map part answers), product (List.map (fun (_, k, _) -> k) answers), product (List.map (fun (_, _, codes) -> codes) answers))

(* Whether a name stands anywhere in what is written. *)
let rec mentions name = function
  | Text t -> t = name
  | List l -> List.exists (mentions name) l
  | Table fields -> List.exists (fun (field, v) -> field = name || mentions name v) fields
  | _ -> false

(* A bound on dependence. *)
let share written =
  let found = fraction written in
  if is_less (above found) zero || is_less (below found) (above found) then refuse "a bound on dependence that is not from 0 to 1";
  found

(* Where attributes have a `delta`: what an answer may distinguish for each of them. Of what mentions an attribute, or what
   decides whether it is asked, that is its delta; of others the bound on what all others together say of it counts. Finer
   bounds are not read. *)
let allowances plan question =
  let attributes = match get "attributes" plan with Table each -> each | _ -> refuse "attributes that are no table" in
  let decides name (_, own) = match find "only_if" own with Some conditions -> mentions name conditions | None -> false in
  let rest name = Option.bind (Option.bind (find "dependence" plan) (find "rest")) (find name) in
  let allowed (name, own) =
    let of_delta written =
      let delta = amount (text written) in
      if mentions name question || find "only_if" own <> None || List.exists (decides name) attributes then delta
      else match rest name with Some bound -> allowance (share (text bound)) delta | None -> delta
    in
    Option.map of_delta (find "delta" own)
  in
  List.filter_map allowed attributes

let with_deltas plan question epsilon keeps_all =
  let smallest = List.fold_left least epsilon (allowances plan question) in
  if keeps_all smallest then Holds else if keeps_all epsilon then For_epsilon else Broken

let verdict plan question =
  let attribute name = get (text name) (get "attributes" plan) in
  let has_deltas = find "epsilon" plan <> None in
  let of_promise (promise, k) =
    let (_, own, _) as answer = answer_of (get "mechanism" question) in
    if own <> k then refuse "a mechanism about another number of values" else if keeps promise answer then Holds else Broken
  in
  (* What is promised of all that a question reads: the epsilon of the whole record, or, of a plan without deltas, the
     least of the attributes' own. *)
  let promised names =
    let own name =
      let protect = get "protect" (attribute name) in
      if find "metric" protect <> None then refuse "numbers among values that are protected by distances";
      amount (text (get "epsilon" protect))
    in
    match (find "epsilon" plan, names) with
    | Some whole, _ -> amount (text whole)
    | None, [] -> refuse "a question about nothing"
    | None, first :: others -> List.fold_left (fun most name -> least most (own name)) (own first) others
  in
  let of_epsilon names own mechanisms =
    (* A question's epsilon is no larger than what is promised. *)
    let epsilon = least own (promised names) in
    with_deltas plan question epsilon (fun e -> List.for_all (ldp e) mechanisms)
  in
  match (find "histogram" question, find "table" question, find "numbers" question) with
  | Some name, None, None ->
      let own = promise_of (attribute name) in
      let (_, k, _) as answer = answer_of (get "mechanism" question) in
      if not has_deltas then of_promise own
      else ( match own with Ldp epsilon, size when size = k -> of_epsilon [ name ] epsilon [ answer ] | _ -> raise Not_covered)
  | None, Some names, None when find "epsilon" question = None ->
      let promises = List.map (fun name -> promise_of ~size:counted_size (attribute name)) (list names) in
      if has_deltas then raise Not_covered else of_promise (cells promises)
  | None, None, Some _ ->
      let queries = get "queries" question in
      let mechanisms = Array.of_list (List.map answer_of (list (get "mechanisms" queries))) in
      let at place =
        match whole place with n when n < Array.length mechanisms -> mechanisms.(n) | _ -> refuse "a mechanism that there is not"
      in
      let answer = function
        | List (_ :: _ :: _ as places) -> together (List.map at places)
        | List _ -> refuse "fewer than two answers together"
        | place -> at place
      in
      let through = list (get "through" queries) in
      if through = [] then refuse "numbers that are not answered";
      let names = list (get "numbers" question) in
      of_epsilon names (promised names) (List.sort_uniq compare (List.map answer through))
  | None, _, None ->
      let named field = Option.to_list (find field question) in
      let names = named "distribution" @ named "above" @ named "several" @ Option.fold ~none:[] ~some:list (find "table" question) in
      let epsilon =
        match (find "epsilon" question, find "several" question) with
        | Some epsilon, _ -> epsilon
        | None, Some name -> get "epsilon" (get "protect" (attribute name))
        | None, None -> refuse "a question of no kind"
      in
      of_epsilon names (amount (text epsilon)) [ answer_of (get "mechanism" question) ]
  | _ -> refuse "a question of several kinds"

let judged plan question =
  match verdict plan question with
  | Holds -> "holds"
  | For_epsilon -> "holds for epsilon"
  | Broken -> "broken"
  | exception (Not_covered | Stack_overflow | Out_of_memory) -> "not covered"

(* What a document is, if it is a plan, and the verdict on each question. *)
let verdicts content =
  let plan = parse content in
  if find "format" plan <> Some (Text "sordino plan") then refuse "another format than a plan's";
  if find "version" plan <> Some (Number "4") then refuse "another version than 4";
  match list (get "queries" plan) with [] -> refuse "no questions" | questions -> List.map (judged plan) questions

let read path =
  let file = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in file) (fun () -> really_input_string file (in_channel_length file))

let () =
  match Sys.argv with
  | [| _; path |] -> (
      match read path with
      | exception Sys_error why -> prerr_endline why; exit 2
      | content -> (
          let none reason = Printf.printf "not a plan: %s\n" reason; exit 1 in
          match verdicts content with
          | found -> List.iteri (Printf.printf "%d %s\n") found
          | exception Not_a_plan reason -> none reason
          | exception Stack_overflow -> none "more within each other than can be read"
          (* There is a verdict on whatever is read; none of these is known to come out. *)
          | exception (Invalid_argument _ | Failure _ | Division_by_zero | Not_found) -> none "numbers that nothing can be worked out of"))
  | _ -> prerr_endline "checker PLAN"; exit 2

(* What a plan says, as the verified program takes it: JSON, numbers, amounts of loss, and draws. Nothing here is verified. *)

open Checked

(* ---- JSON, as a plan has it ---- *)

type json =
  | Text of string
  | Number of string
  | Truth of bool
  | Null
  | List of json list
  | Table of (string * json) list

(* What is no plan, and why; and what is one, about which this program knows nothing. *)
exception Not_a_plan of string
exception Not_covered

let refuse reason = raise (Not_a_plan reason)

(* Tables and lists within each other: those of a plan are fewer. *)
let deepest = 64

let parse text =
  let size = String.length text in
  let place = ref 0 and depth = ref 0 in
  let fail () = refuse (Printf.sprintf "at byte %d, other text than the JSON of a plan" !place) in
  let peek () = if !place < size then text.[!place] else '\000' in
  let take c = if peek () = c then incr place else fail () in
  let quoted () =
    take '"';
    let found = Buffer.create 16 in
    while peek () <> '"' do
      if !place >= size then fail ();
      (* Names and labels are compared with each other only, so that an escape may stay as it is written. *)
      if peek () = '\\' then (Buffer.add_char found '\\'; incr place);
      if peek () < ' ' || peek () > '~' then fail ();
      Buffer.add_char found (peek ());
      incr place
    done;
    take '"';
    Buffer.contents found
  in
  let word text_of value = String.iter take text_of; value in
  let rec items one close found =
    found := one () :: !found;
    if peek () = ',' then (incr place; items one close found) else (take close; List.rev !found)
  in
  (* Readers differ in which of two fields of one name they take. *)
  let of_distinct_names fields =
    let names = List.map fst fields in
    if List.length (List.sort_uniq compare names) < List.length names then fail () else fields
  in
  let rec value () =
    incr depth;
    if !depth > deepest then refuse (Printf.sprintf "more than %d tables and lists within each other" deepest);
    let found = any_value () in
    decr depth;
    found
  and any_value () =
    match peek () with
    | '"' -> Text (quoted ())
    | '[' -> incr place; if peek () = ']' then (incr place; List []) else List (items value ']' (ref []))
    | '{' -> incr place; if peek () = '}' then (incr place; Table []) else Table (of_distinct_names (items pair '}' (ref [])))
    | 't' -> word "true" (Truth true)
    | 'f' -> word "false" (Truth false)
    | 'n' -> word "null" Null
    | _ ->
        let start = !place in
        while (match peek () with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> true | _ -> false) do incr place done;
        let written = String.sub text start (!place - start) in
        let first = if written <> "" && written.[0] = '-' then 1 else 0 in
        let digit at = at < String.length written && written.[at] >= '0' && written.[at] <= '9' in
        if (not (digit first)) || (written.[first] = '0' && digit (first + 1)) then fail ();
        Number written
  and pair () =
    let name = quoted () in
    take ':';
    (name, value ())
  in
  let found = value () in
  (* Readers differ in what they take for the end of a text: a plan's is one line feed, and nothing after it. *)
  if peek () <> '\n' || !place <> size - 1 then refuse "no line feed at its end, or more than one";
  found

let get name = function
  | Table fields -> (match List.assoc_opt name fields with Some found -> found | None -> refuse (name ^ " is missing"))
  | _ -> refuse ("something else than a table with " ^ name)
let find name = function Table fields -> List.assoc_opt name fields | _ -> None
let text = function Text t -> t | Number t -> t | _ -> refuse "something else than a text or a number"
let list = function List l -> l | _ -> refuse "something else than a list"

let is_digits t = t <> "" && String.for_all (fun c -> c >= '0' && c <= '9') t

(* Up to 2^53, as every reader of JSON holds it. *)
let whole v =
  let t = text v in
  match (if is_digits t then int_of_string_opt t else None) with
  | Some n when n >= 0 && n <= 1 lsl 53 -> n
  | _ -> refuse "something else than a whole number up to 2^53"

let positive v = match whole v with 0 -> refuse "a size or a count of 0" | n -> n

(* ---- numbers of the verified program ---- *)

let nat n = let rec more n found = if n = 0 then found else more (n - 1) (S found) in more n O
let rec z n =
  if n < 0 then negative (z (-n)) else if n = 0 then zero
  else let twice = (fun half -> sum half half) (z (n / 2)) in if n land 1 = 1 then sum twice one else twice

(* Numbers from 0 on; those that are too large become the largest. *)
let rec small n =
  if not (is_less zero n) then 0
  else let rest = small (half n) in if rest > max_int / 4 then max_int else (2 * rest) + if is_odd n then 1 else 0

let int_of_z n = if is_less n zero then raise Not_covered else match small n with n when n = max_int -> raise Not_covered | n -> n

(* More than how deep the draws of a plan stand within each other. *)
let fuel = nat 24

(* Digits of a number: those of a plan have at most 401. *)
let most_digits_written = 1000

let z_of_digits digits =
  if String.length digits > most_digits_written then refuse "a number of more than 1,000 digits";
  let unsigned = if digits <> "" && digits.[0] = '-' then String.sub digits 1 (String.length digits - 1) else digits in
  if unsigned = "" then refuse "a number without digits";
  let ten = z 10 and of_digit = Array.init 10 z in
  let read total c =
    match c with
    | '0' .. '9' -> sum (product total ten) of_digit.(Char.code c - 48)
    | _ -> refuse "something else than the digits of a number"
  in
  let found = String.fold_left read zero unsigned in
  if unsigned == digits then found else negative found

let fraction written =
  let up, down =
    match String.split_on_char '/' written with [ a ] -> (a, "1") | [ a; b ] -> (a, b) | _ -> refuse "a fraction of more than two numbers"
  in
  let down = z_of_digits down in
  if is_less zero down then over (z_of_digits up) down else refuse "a fraction over 0, or over less"

let zero_fraction = over zero one
let one_fraction = over one one

(* A number with a decimal point. *)
let decimal written =
  match String.split_on_char '.' written with
  | [ whole ] -> fraction whole
  | [ whole; part ] -> fraction (whole ^ part ^ "/1" ^ String.make (String.length part) '0')
  | _ -> refuse "a number with two decimal points"

(* Nats of an amount: e to it is a whole number of some million bits. *)
let most_nats = z 1_000_000

(* An amount of loss: "1/2", "ln 3", "1/2 + ln 3". *)
let amount written =
  let log t = if String.length t > 3 && String.sub t 0 3 = "ln " then Some (String.sub t 3 (String.length t - 3)) else None in
  let rational t =
    let q = fraction t in
    if is_less (above q) zero then refuse "an amount below 0";
    if is_less (product most_nats (below q)) (above q) then refuse "an amount of more than 1,000,000 nats";
    q
  in
  let ratio t =
    let q = fraction t in
    if is_less zero (above q) then q else refuse "the logarithm of 0, or of less"
  in
  match List.map String.trim (String.split_on_char '+' written) with
  | [ t ] -> (
      match log t with Some q -> { rational = zero_fraction; ratio = ratio q } | None -> { rational = rational t; ratio = one_fraction })
  | [ r; t ] -> (
      match log t with Some q -> { rational = rational r; ratio = ratio q } | None -> refuse "an amount of two rational numbers")
  | _ -> refuse "an amount of more than two numbers"

(* ---- draws ---- *)

(* Numbers beside others are worked out by the verified program, as draws that draw nothing. *)
let rec draws_nothing = function
  | Checked.Number _ -> true
  | Apply (_, a, b) -> draws_nothing a && draws_nothing b
  | If (c, a, b) -> draws_nothing c && draws_nothing a && draws_nothing b
  | At (Items items, place) -> List.for_all draws_nothing items && draws_nothing place
  | _ -> false

let constant answer =
  if not (draws_nothing answer) then refuse "a draw where a number must stand that is none";
  match law fuel answer zero with Some [ (n, _) ] -> n | _ -> refuse "a number that cannot be worked out"

let constant_above_0 answer = let n = constant answer in if is_less zero n then n else refuse "a size or a count of 0"

(* Items of a list that a formula gives, at most; of longer ones nothing is known here. *)
let most_items = 1 lsl 20

(* [record] is the mechanism; [i], within [each], the place of the item. *)
let rec draw record i written =
  let draw_of = draw record i in
  match written with
  | Number t -> if is_digits t then Checked.Number (z_of_digits t) else refuse "something else than a whole number in a draw"
  | Text "v" when i = None -> Value
  | Text "i" when i <> None -> Checked.Number (Option.get i)
  | Text t when is_digits t -> Checked.Number (z_of_digits t)
  | Text name -> (
      match get name record with
      | (Number t | Text t) when is_digits t -> Checked.Number (z_of_digits t)
      | _ -> refuse ("a draw names " ^ name ^ ", which is no number of its mechanism"))
  | List (Text operation :: arguments) -> (
      match (operation, arguments) with
      | "+", [ a; b ] -> Apply (Plus, draw_of a, draw_of b)
      | "-", [ a; b ] -> Apply (Minus, draw_of a, draw_of b)
      | "*", [ a; b ] -> Apply (Times, draw_of a, draw_of b)
      | "/", [ a; b ] -> Apply (Over, draw_of a, draw_of b)
      | "%", [ a; b ] -> Apply (Rest, draw_of a, draw_of b)
      | "^", [ a; b ] -> Apply (Xor, draw_of a, draw_of b)
      | "<", [ a; b ] -> Apply (Less, draw_of a, draw_of b)
      | "if", [ c; a; b ] -> If (draw_of c, draw_of a, draw_of b)
      | "at", [ items; place ] -> At (several record items, draw_of place)
      | "drop", [] -> Drop
      | "coin", [ t ] -> Coin (draw_of t)
      | "below", [ n ] -> Below (Checked.Number (constant_above_0 (draw_of n)))
      | "pick", [ weights ] -> Pick (several record weights)
      | "sides", [ t; List (Text name :: value :: arguments) ] ->
          let number a = constant_above_0 (draw_of a) in
          let sets =
            match (name, arguments) with
            | "run", [ codes; length ] -> Run (number codes, number length)
            | "masks", [ bits; size ] -> Masks (number bits, number size)
            | "meeting", [ items; chosen; size; least ] -> Meeting (number items, number chosen, number size, number least)
            | "translates", [ p; multipliers; base ] -> Translates (number p, constants record multipliers, constants record base)
            | "points", [ q; t; (Number ("0" | "1") | Text ("0" | "1")) ] -> Points (number q, number t)
            | _ -> refuse ("a draw has no set of codes called " ^ name ^ ", or one of other numbers")
          in
          Sides (draw_of t, sets, draw_of value)
      | "digits", [ written ] -> Digits (parts record written)
      | "levels", [ fan; written ] -> Levels (constant_above_0 (draw_of fan), parts record written)
      | "blocks", [ blocks; written ] -> Blocks (constants record blocks, parts record written)
      | "hide", [ listed; written; t ] -> (
          match parts record written with
          | [ one ] -> Hide (constants record listed, one, constant (draw_of t))
          | _ -> refuse "values that hide within several parts")
      | _ -> refuse ("a draw has no operation called " ^ operation ^ ", or one of other arguments"))
  | _ -> refuse "something else than a draw"

and several record written =
  match written with
  | Text name -> Items (List.map (draw record None) (list (get name record)))
  | List (Text "list" :: items) -> Items (List.map (draw record None) items)
  | List [ Text "each"; n; formula ] ->
      let count = small (constant (draw record None n)) in
      if count > most_items then raise Not_covered;
      Items (List.init count (fun i -> draw record (Some (z i)) formula))
  | List [ Text "at"; Text name; place ] ->
      let row written = List.map (fun w -> constant (draw record None w)) (list written) in
      Chosen (List.map row (list (get name record)), draw record None place)
  | List [ Text "outward"; above; kinds; factors; value ] ->
      Outward (constants record above, constants record kinds, constants record factors, draw record None value)
  | _ -> refuse "something else than a list in a draw"

and constants record written =
  match several record written with Items items -> List.map constant items | _ -> refuse "a list of a draw that is none"

and parts record written =
  let one = function
    | Table _ as part ->
        let number name =
          match z_of_digits (text (get name part)) with n when is_less zero n -> n | _ -> refuse (name ^ " of 0 or less")
        in
        Part (number "k", number "codes", draw part None (get "draw" part))
    | _ -> refuse "something else than a mechanism"
  in
  match written with
  | Text name -> ( match get name record with List parts -> List.map one parts | part -> [ one part ])
  | List parts -> List.map one parts
  | part -> [ one part ]

(* ---- codes ---- *)

(* Sums and products of sizes, which end at the largest that is told apart. *)
let largest = 1 lsl 60
let add a b = if a > largest - b then largest else a + b
let times_size a b = if a = 0 || b = 0 then 0 else if a > largest / b then largest else a * b
let size n = min (small n) largest
let rec power base count = if count <= 0 then 1 else if base >= 2 && count > 60 then largest else times_size base (power base (count - 1))

(* Sets of so many out of some items. *)
let subsets items members =
  let n = size items and m = size members in
  if m > n then zero
  else
    let m = min m (n - m) in
    if times_size n (m + 1) > most_items then raise Not_covered else List.nth (binomials_to (nat m) (nat n)) m

(* How many codes sets have. *)
let codes_of_sets = function
  | Run (all, _) -> size all
  | Masks (bits, _) -> power 2 (size bits)
  | Meeting (items, _, members, _) -> size (subsets items members)
  | Translates (p, multipliers, _) -> times_size (size p) (List.length multipliers)
  | Points (q, t) ->
      let q = size q and t = size t in
      if q < 2 then refuse "a field of fewer than two elements";
      let rec sum power left found =
        if left <= 0 || found >= largest then found else sum (times_size power q) (left - 1) (add found power)
      in
      sum 1 (min t 64) 0

(* Above all that a draw gives on values below [k]; it may be less. *)
let rec beyond k answer =
  let of_ = beyond k in
  let most = List.fold_left max 0 in
  match answer with
  | Checked.Number n -> add (size n) 1
  | Value -> k
  | Apply (Plus, a, b) -> add (of_ a) (of_ b)
  | Apply (Minus, a, _) | Apply (Over, a, _) -> of_ a
  | Apply (Times, a, b) -> times_size (of_ a) (of_ b)
  | Apply (Rest, a, b) -> min (of_ a) (of_ b)
  | Apply (Xor, a, b) -> let both = max (of_ a) (of_ b) in let rec next n = if n >= both then n else next (times_size 2 n) in next 1
  | Apply (Less, _, _) | Coin _ -> 2
  | If (_, a, b) -> max (of_ a) (of_ b)
  | Drop -> 1
  | Below bound -> max 1 (of_ bound - 1)
  | At (items, _) -> (
      match items with
      | Items items -> most (List.map of_ items)
      | Chosen (lists, _) -> most (List.concat_map (List.map (fun n -> add (size n) 1)) lists)
      | Outward _ -> largest)
  | Pick items -> (
      match items with
      | Items items -> List.length items
      | Chosen (lists, _) -> most (List.map List.length lists)
      | Outward (above, _, _, _) -> List.length above)
  | Sides (_, sets, _) -> codes_of_sets sets
  | Digits parts -> List.fold_left (fun n p -> times_size n (size (part_codes p))) 1 parts
  | Levels (_, parts) -> List.fold_left (fun n p -> add n (size (part_codes p))) 0 parts
  | Blocks (block, parts) ->
      let sizes = List.map (fun b -> List.length (List.filter (is_same b) block)) (List.sort_uniq compare block) in
      let codes length =
        match List.find_opt (fun p -> size (part_k p) = length) parts with
        | Some p -> size (part_codes p)
        | None -> refuse "a block without a part"
      in
      List.fold_left (fun n length -> add n (codes length)) 0 sizes
  | Hide (listed, inner, _) -> add (size (part_codes inner)) (max 0 (k - List.length listed))

(* How many ways a draw can go on one value: it is no longer when it is listed. *)
let rec ways k answer =
  let of_ = ways k in
  let product = List.fold_left (fun n d -> times_size n (of_ d)) 1 in
  let own p = ways (size (part_k p)) (part_answer p) in
  let most = List.fold_left max 1 in
  match answer with
  | Checked.Number _ | Value | Drop -> 1
  | Apply (_, a, b) -> times_size (of_ a) (of_ b)
  | If (c, a, b) -> times_size (of_ c) (max (of_ a) (of_ b))
  | Coin t -> times_size 2 (of_ t)
  | Below (Checked.Number n) -> size n
  | Below _ -> largest
  | At (items, place) ->
      times_size (of_ place) (match items with Items items -> product items | Chosen (_, which) | Outward (_, _, _, which) -> of_ which)
  | Pick items -> (
      match items with
      | Items items -> times_size (List.length items) (product items)
      | Chosen (lists, which) -> times_size (most (List.map List.length lists)) (of_ which)
      | Outward (above, _, _, which) -> times_size (List.length above) (of_ which))
  | Sides (t, sets, value) -> times_size (codes_of_sets sets) (times_size (of_ t) (of_ value))
  | Digits parts -> List.fold_left (fun n p -> times_size n (own p)) 1 parts
  | Levels (_, parts) -> List.fold_left (fun n p -> add n (own p)) 0 parts
  | Blocks (_, parts) -> most (List.map own parts)
  | Hide (_, inner, _) -> add 1 (own inner)

(* Ways that are looked at for codes out of range, of all values. *)
let most_ways = 1 lsl 20

(* A code that is not below [codes] is none. Where that cannot be seen of the draw's parts, all that it gives is looked at. *)
let rec require_codes (Part (own_k, own_codes, answer)) =
  let k = size own_k and codes = size own_codes in
  let parts = match answer with Digits parts | Levels (_, parts) | Blocks (_, parts) -> parts | Hide (_, inner, _) -> [ inner ] | _ -> [] in
  List.iter require_codes parts;
  let wrong () = refuse "a draw that gives a code beyond its codes" in
  (match answer with
  | Sides (_, Meeting (items, chosen, _, _), Value) when is_less (subsets items chosen) own_k -> refuse "values that are the numbers of no sets"
  | _ -> ());
  if beyond k answer > codes then
    match answer with
    | Sides _ | Digits _ | Levels _ | Blocks _ | Hide _ | Below _ | Checked.Number _ | Value -> wrong ()
    | _ ->
        if times_size k (ways k answer) > most_ways then raise Not_covered;
        for v = 0 to k - 1 do
          match law fuel answer (z v) with
          | Some found -> List.iter (fun (code, _) -> if is_less code zero || not (is_less code own_codes) then wrong ()) found
          | None -> ()
        done

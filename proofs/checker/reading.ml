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

exception Not_json of int

let parse text =
  let size = String.length text in
  let place = ref 0 in
  let fail () = raise (Not_json !place) in
  let peek () = if !place < size then text.[!place] else '\000' in
  let take c = if peek () = c then incr place else fail () in
  let quoted () =
    take '"';
    let found = Buffer.create 16 in
    while peek () <> '"' do
      if !place >= size then fail ();
      (* Names and labels are compared with each other only, so that an escape may stay as it is written. *)
      if peek () = '\\' then (Buffer.add_char found '\\'; incr place);
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
        if !place = start then fail ();
        Number (String.sub text start (!place - start))
  and pair () =
    let name = quoted () in
    take ':';
    (name, value ())
  in
  let found = value () in
  if peek () = '\n' then incr place;
  if !place <> size then fail ();
  found

exception Not_covered

let get name = function Table fields -> (try List.assoc name fields with Not_found -> raise Not_covered) | _ -> raise Not_covered
let find name = function Table fields -> List.assoc_opt name fields | _ -> None
let text = function Text t -> t | Number t -> t | _ -> raise Not_covered
let list = function List l -> l | _ -> raise Not_covered
let whole v = match int_of_string_opt (text v) with Some n -> n | None -> raise Not_covered

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

let z_of_digits digits =
  let unsigned = if digits <> "" && digits.[0] = '-' then String.sub digits 1 (String.length digits - 1) else digits in
  if unsigned = "" then raise Not_covered;
  let ten = z 10 and of_digit = Array.init 10 z in
  let read total c = match c with '0' .. '9' -> sum (product total ten) of_digit.(Char.code c - 48) | _ -> raise Not_covered in
  let found = String.fold_left read zero unsigned in
  if unsigned == digits then found else negative found

let fraction written =
  let up, down =
    match String.split_on_char '/' written with [ a ] -> (a, "1") | [ a; b ] -> (a, b) | _ -> raise Not_covered
  in
  let down = z_of_digits down in
  if is_less zero down then over (z_of_digits up) down else raise Not_covered

let zero_fraction = over zero one
let one_fraction = over one one

(* A number with a decimal point. *)
let decimal written =
  match String.split_on_char '.' written with
  | [ whole ] -> fraction whole
  | [ whole; part ] -> fraction (whole ^ part ^ "/1" ^ String.make (String.length part) '0')
  | _ -> raise Not_covered

(* An amount of loss: "1/2", "ln 3", "1/2 + ln 3". *)
let amount written =
  let log t = if String.length t > 3 && String.sub t 0 3 = "ln " then Some (String.sub t 3 (String.length t - 3)) else None in
  match List.map String.trim (String.split_on_char '+' written) with
  | [ t ] -> (
      match log t with Some q -> { rational = zero_fraction; ratio = fraction q } | None -> { rational = fraction t; ratio = one_fraction })
  | [ r; t ] -> (
      match log t with Some q -> { rational = fraction r; ratio = fraction q } | None -> raise Not_covered)
  | _ -> raise Not_covered

(* ---- draws ---- *)

let is_digits t = t <> "" && String.for_all (fun c -> c >= '0' && c <= '9') t

(* Numbers beside others are worked out by the verified program, as draws that draw nothing. *)
let constant answer =
  match law fuel answer zero with Some [ (n, _) ] -> n | _ -> raise Not_covered

(* [record] is the mechanism; [i], within [each], the place of the item. *)
let rec draw record i written =
  let draw_of = draw record i in
  match written with
  | Number t -> if is_digits t then Checked.Number (z_of_digits t) else raise Not_covered
  | Text "v" when i = None -> Value
  | Text "i" when i <> None -> Checked.Number (Option.get i)
  | Text t when is_digits t -> Checked.Number (z_of_digits t)
  | Text name -> (
      match get name record with (Number t | Text t) when is_digits t -> Checked.Number (z_of_digits t) | _ -> raise Not_covered)
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
      | "below", [ n ] -> Below (draw_of n)
      | "pick", [ weights ] -> Pick (several record weights)
      | "sides", [ t; List (Text name :: value :: arguments) ] ->
          let number a = constant (draw_of a) in
          let sets =
            match (name, arguments) with
            | "run", [ codes; length ] -> Run (number codes, number length)
            | "masks", [ bits; size ] -> Masks (number bits, number size)
            | "translates", [ p; multipliers; base ] -> Translates (number p, constants record multipliers, constants record base)
            | "points", [ q; t; (Number ("0" | "1") | Text ("0" | "1")) ] -> Points (number q, number t)
            | _ -> raise Not_covered
          in
          Sides (draw_of t, sets, draw_of value)
      | "digits", [ written ] -> Digits (parts record written)
      | "levels", [ fan; written ] -> Levels (constant (draw_of fan), parts record written)
      | "blocks", [ blocks; written ] -> Blocks (constants record blocks, parts record written)
      | "hide", [ listed; written; t ] -> (
          match parts record written with [ one ] -> Hide (constants record listed, one, constant (draw_of t)) | _ -> raise Not_covered)
      | _ -> raise Not_covered)
  | _ -> raise Not_covered

and several record written =
  match written with
  | Text name -> Items (List.map (draw record None) (list (get name record)))
  | List (Text "list" :: items) -> Items (List.map (draw record None) items)
  | List [ Text "each"; n; formula ] ->
      let count = int_of_z (constant (draw record None n)) in
      Items (List.init count (fun i -> draw record (Some (z i)) formula))
  | List [ Text "at"; Text name; place ] ->
      let row written = List.map (fun w -> constant (draw record None w)) (list written) in
      Chosen (List.map row (list (get name record)), draw record None place)
  | List [ Text "outward"; above; kinds; factors; value ] ->
      Outward (constants record above, constants record kinds, constants record factors, draw record None value)
  | _ -> raise Not_covered

and constants record written =
  match several record written with Items items -> List.map constant items | _ -> raise Not_covered

and parts record written =
  let one = function
    | Table _ as part ->
        Part (z_of_digits (text (get "k" part)), z_of_digits (text (get "codes" part)), draw part None (get "draw" part))
    | _ -> raise Not_covered
  in
  match written with
  | Text name -> ( match get name record with List parts -> List.map one parts | part -> [ one part ])
  | List parts -> List.map one parts
  | part -> [ one part ]

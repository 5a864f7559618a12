(* A second verdict on a plan: for each question, whether its integers keep the attribute's promise.

   checker PLAN prints a line for each question, its place from 0 and one of
     holds         the verified program accepted the channel
     broken        it did not
     not covered   the question or its mechanism is none that this program knows

   What is verified is in checked.ml, which Coq writes: the comparison of integers with bounds. What stands here is not: it
   reads JSON, finds the mechanism's weights and the promise in the plan, and hands them over. *)

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
  let rec value () =
    match peek () with
    | '"' -> Text (quoted ())
    | '[' -> incr place; if peek () = ']' then (incr place; List []) else List (items value ']' (ref []))
    | '{' -> incr place; if peek () = '}' then (incr place; Table []) else Table (items pair '}' (ref []))
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

let rec nat n = if n = 0 then O else S (nat (n - 1))
let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n lsr 1)) else XO (positive (n lsr 1))
let z n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))

let z_of_digits digits =
  let unsigned = if digits <> "" && digits.[0] = '-' then String.sub digits 1 (String.length digits - 1) else digits in
  if unsigned = "" then raise Not_covered;
  let read total c = match c with '0' .. '9' -> Z.add (Z.mul total (z 10)) (z (Char.code c - 48)) | _ -> raise Not_covered in
  let found = String.fold_left read Z0 unsigned in
  if unsigned == digits then found else Z.opp found

let fraction written =
  let above, below =
    match String.split_on_char '/' written with [ a ] -> (a, "1") | [ a; b ] -> (a, b) | _ -> raise Not_covered
  in
  match z_of_digits below with Zpos below -> { qnum = z_of_digits above; qden = below } | _ -> raise Not_covered

(* An amount of loss: "1/2", "ln 3", "1/2 + ln 3". *)
let amount written =
  let zero = { qnum = Z0; qden = XH } and one = { qnum = Zpos XH; qden = XH } in
  let log t = if String.length t > 3 && String.sub t 0 3 = "ln " then Some (String.sub t 3 (String.length t - 3)) else None in
  match List.map String.trim (String.split_on_char '+' written) with
  | [ t ] -> (
      match log t with Some q -> { rational = zero; ratio = fraction q } | None -> { rational = fraction t; ratio = one })
  | [ r; t ] -> (
      match log t with Some q -> { rational = fraction r; ratio = fraction q } | None -> raise Not_covered)
  | _ -> raise Not_covered

(* ---- the promise of an attribute ---- *)

type promise = Ldp | Blocks of int list | Sensitive of bool list | Matrix of nats option list list

let promise_of k protect =
  match (find "bounds" protect, find "blocks" protect, find "sensitive" protect, find "metric" protect) with
  | Some rows, None, None, None ->
      let entry v = match text v with "inf" -> None | t -> Some (amount t) in
      Matrix (List.map (fun row -> List.map entry (list row)) (list rows))
  | None, Some blocks, None, None -> (
      match (find "of" blocks, find "run" blocks) with
      | Some each, None -> Blocks (List.map whole (list each))
      | None, Some run -> Blocks (List.init k (fun v -> v / whole run))
      | _ -> raise Not_covered)
  | None, None, Some values, None ->
      let sensitive = List.map whole (list values) in
      Sensitive (List.init k (fun v -> List.mem v sensitive))
  | None, None, None, None -> Ldp
  | _ -> raise Not_covered

(* ---- the weights of a mechanism ---- *)

let word = Z.pow (z 2) (z 64)

let subsets k size =
  List.filter (fun mask -> List.length (List.filter (fun v -> mask land (1 lsl v) <> 0) (List.init k Fun.id)) = size)
    (List.init (1 lsl k) Fun.id)

(* Rows, their total and how many codes there are; None where there are too many comparisons. *)
let dense mechanism k =
  match text (get "name" mechanism) with
  | "table" ->
      let rows = List.map (fun row -> List.map (fun w -> z_of_digits (text w)) (list row)) (list (get "weights" mechanism)) in
      let total = match rows with row :: _ -> List.fold_left Z.add Z0 row | [] -> raise Not_covered in
      (rows, total)
  | "binary" ->
      let row name = let w = z_of_digits (text (get name mechanism)) in [ w; Z.sub word w ] in
      ([ row "first"; row "second" ], word)
  | "subset" when k <= 12 ->
      let size = whole (get "size" mechanism) and t = z_of_digits (text (get "threshold" mechanism)) in
      let masks = subsets k size in
      let on = List.length (List.filter (fun mask -> mask land 1 <> 0) masks) in
      let off = List.length masks - on in
      let weight v mask = if mask land (1 lsl v) <> 0 then Z.mul (z off) t else Z.mul (z on) (Z.sub word t) in
      (List.init k (fun v -> List.map (weight v) masks), Z.mul word (Z.mul (z on) (z off)))
  | _ -> raise Not_covered

let most_comparisons = 200_000

let verdict plan question =
  let attribute = get (text (get "histogram" question)) (get "attributes" plan) in
  let protect = get "protect" attribute and mechanism = get "mechanism" question in
  if find "delta" attribute <> None then raise Not_covered;
  let k = whole (get "k" mechanism) in
  let promise = promise_of k protect in
  let epsilon () = amount (text (get "epsilon" protect)) in
  if text (get "name" mechanism) = "randomized" && promise = Ldp then
    accepts_randomized (epsilon ()) (nat k) (z_of_digits (text (get "threshold" mechanism)))
  else
    let rows, total = match text (get "name" mechanism) with
      | "randomized" ->
          let t = z_of_digits (text (get "threshold" mechanism)) in
          let weight v y = if v = y then Z.mul (z (k - 1)) t else Z.sub word t in
          (List.init k (fun v -> List.init k (weight v)), Z.mul word (z (k - 1)))
      | _ -> dense mechanism k
    in
    let all = match rows with row :: _ -> List.length row | [] -> 0 in
    if List.length rows <> k then false
    else if k * k * all > most_comparisons then raise Not_covered
    else
      let each list = if List.length list <> k then raise Not_covered else list in
      let factors =
        match promise with
        | Ldp -> ldp_factors (epsilon ()) (List.init k (fun _ -> ()))
        | Blocks blocks -> block_factors (epsilon ()) (List.map nat (each blocks))
        | Sensitive values -> high_low_factors (epsilon ()) (each values)
        | Matrix amounts -> matrix_factors (each amounts)
      in
      check (nat all) total rows factors

let () =
  match Sys.argv with
  | [| _; path |] ->
      let file = open_in_bin path in
      let content = really_input_string file (in_channel_length file) in
      let plan = parse content in
      if (match get "version" plan with Number "3" -> false | _ -> true) then (prerr_endline "a plan's version must be 3"; exit 2);
      let answer place question =
        let found = try if verdict plan question then "holds" else "broken" with Not_covered -> "not covered" in
        Printf.printf "%d %s\n" place found
      in
      List.iteri answer (list (get "queries" plan))
  | _ -> prerr_endline "checker PLAN"; exit 2

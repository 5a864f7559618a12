(* Prints what the verified program's numbers calculate of each pair that is read, two of them on a line, as bits from the lowest on:
   to be compared with other numbers (scripts/compare_numbers.py). *)

open Checked

let rec bits n = if is_same n zero then "" else (if is_odd n then "1" else "0") ^ bits (half n)
let written n = if is_less n zero then "-" ^ bits (negative n) else bits n

let () =
  try
    while true do
      match String.split_on_char ' ' (input_line stdin) with
      | [ a; b ] ->
          let found = calculations (Reading.z_of_digits a) (Reading.z_of_digits b) in
          print_endline (String.concat " " (List.map written found))
      | _ -> exit 2
    done
  with End_of_file -> ()

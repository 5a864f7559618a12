"use strict";
// Asks this page's own collector how many reports there are and, with the analyst's token, for the page of estimates.
// The token is kept in this page's memory alone: whoever loads the page again types it again.
const PAUSE = 3000;
const FOCUSED = "a, summary, [tabindex]";
const plan = location.pathname.replace(/\/dashboard\/?$/, "");
const part = (id) => document.getElementById(id);
const before = ["header .lead", "nav", "main"].map((each) => document.querySelector(each).cloneNode(true));
let token = null;
let shown = null;
let last = null;
// What was said of a token that was refused stays until another one is typed.
let refused = false;

async function asked(path, headers) {
  const answer = await fetch(plan + path, { headers, cache: "no-store", credentials: "omit", redirect: "error" });
  if (answer.ok) return answer;
  let said = `The collector answered with status ${answer.status}.`;
  try {
    said = (await answer.json()).detail;
  } catch {
    // A proxy's words are not ours.
  }
  const error = new Error(said);
  error.refused = answer.status === 401;
  throw error;
}

function tell(words) {
  if (part("said").textContent !== words) part("said").textContent = words;
}

function number(count) {
  return count.toLocaleString("en");
}

// Puts other parts in the place of those that are shown, where everything opened and focused stays so.
function show(parts) {
  const main = document.querySelector("main");
  const open = [...main.querySelectorAll("details")].map((each) => each.open);
  const focused = [...document.querySelectorAll(FOCUSED)].indexOf(document.activeElement);
  for (const each of parts) {
    const place = each.matches(".lead") ? "header .lead" : each.localName;
    document.querySelector(place).replaceWith(document.importNode(each, true));
  }
  document.querySelectorAll("main details").forEach((each, at) => { each.open = open[at] ?? false; });
  if (focused >= 0) document.querySelectorAll(FOCUSED)[focused]?.focus({ preventScroll: true });
}

// How many reports each public group has; of few no number is told.
function grouped([name, counts]) {
  if (name === "period" && last.open_periods) return periods(counts, last.open_periods);
  return `${name}: ${Object.entries(counts).map(each).join(", ")}`;
}

const each = ([label, n]) => `${label} ${n === null ? "too few" : number(n)}`;

const period = (label, n) => `period ${label}: ${n === null ? "too few" : number(n)} report${n === 1 ? "" : "s"}`;

// Of a series those that take reports, and of all others how many: a year of them would fill the screen.
function periods(counts, open) {
  const others = Object.entries(counts).filter(([label, n]) => n !== 0 && !open.includes(label));
  const few = others.filter(([, n]) => n === null).length;
  const now = open.length ? open.map((label) => period(label, counts[label])).join(", ") : "no period takes reports now";
  return `${now}; ${others.length} other period${others.length === 1 ? "" : "s"} with reports${few ? `, ${few} with too few` : ""}`;
}

async function count() {
  last = await (await asked("/progress")).json();
  const closed = last.closed ? "; no more are taken" : "";
  part("count").textContent = `${number(last.reports)} of ${number(last.people)} reports expected${closed}`;
  const { invitations, invitations_used: used } = last;
  part("invited").textContent = invitations ? `${number(used)} of ${number(invitations)} invitations used` : "";
  part("progress").value = last.reports;
  part("groups").textContent = Object.entries(last.groups ?? {}).map(grouped).join("; ");
}

async function estimates() {
  if (token === null || shown === last.reports) return;
  const asking = token;
  const by = new URLSearchParams(location.search).get("by");
  const query = by === null ? "" : `?by=${encodeURIComponent(by)}`;
  const text = await (await asked(`/page${query}`, { Authorization: `Bearer ${asking}` })).text();
  if (asking !== token) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  show(["header .lead", "nav", "main"].map((each) => page.querySelector(each)));
  shown = last.reports;
}

function forget() {
  token = null;
  shown = null;
  show(before);
  part("ask").hidden = false;
  part("forget").hidden = true;
  part("token").focus();
}

let looking = false;
async function look() {
  if (looking) return;
  looking = true;
  try {
    await count();
    await estimates();
    if (!refused) tell("");
  } catch (error) {
    if (error.refused) forget();
    refused ||= error.refused === true;
    tell(error.message);
  } finally {
    looking = false;
  }
}

part("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  token = part("token").value.trim();
  part("token").value = "";
  refused = false;
  part("ask").hidden = true;
  part("forget").hidden = false;
  tell("Loading the estimates.");
  look();
});
part("forget").addEventListener("click", forget);
setInterval(look, PAUSE);
look();

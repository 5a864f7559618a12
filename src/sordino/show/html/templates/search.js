// Shows the questions of a large page that hold all words of the search, and hides the others; asks nobody anything.
"use strict";
{
  const groups = [...document.querySelectorAll(".bars tbody")];
  const texts = groups.map((group) => group.textContent.toLowerCase());
  const form = document.getElementById("search");
  const said = document.getElementById("matches");
  const search = () => {
    const words = document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    groups.forEach((group, at) => {
      group.hidden = !words.every((word) => texts[at].includes(word));
      count += group.hidden ? 0 : 1;
    });
    for (const section of document.querySelectorAll("main > section")) {
      const own = [...section.querySelectorAll(".bars tbody")];
      section.hidden = words.length > 0 && own.every((group) => group.hidden);
    }
    said.textContent = words.length > 0 ? `${count} of ${groups.length} questions` : "";
  };
  form.hidden = false;
  form.addEventListener("input", search);
  form.addEventListener("submit", (event) => event.preventDefault());
}

"use strict";
// The page works without this script. With it, a conversation shows what changes as it changes, and transcripts open in
// their place; what somebody types there stays. All HTML comes from the page itself, which has escaped every text in it.

function replacePart(name, html) {
  const old = document.getElementById(name);
  const made = new DOMParser().parseFromString(html, "text/html").getElementById(name);
  if (!old || !made) return;
  const opened = [...old.querySelectorAll("details[open]")]
    .map((each) => [each, made.querySelector(`#${CSS.escape(each.id)}`)])
    .filter(([, same]) => same);
  for (const [, same] of opened) same.open = true;
  if (old.isEqualNode(made)) return; // the first one is what the page already shows
  const atEnd = window.innerHeight + window.scrollY >= document.body.scrollHeight - 40;
  for (const [each, same] of opened) {
    const transcript = each.querySelector(":scope > .transcript");
    if (transcript) same.querySelector("a.load").replaceWith(transcript);
  }
  const active = document.activeElement;
  const block = old.contains(active) && active.closest("details");
  for (const form of old.querySelectorAll("form.words")) made.querySelector(`#${CSS.escape(form.id)}`)?.replaceWith(form);
  old.replaceWith(made);
  if (block) (made.contains(active) ? active : document.getElementById(block.id)?.querySelector("summary"))?.focus();
  if (name === "messages" && atEnd) window.scrollTo(0, document.body.scrollHeight);
}

async function loadTranscript(event) {
  const link = event.target.closest?.("a.load");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const answer = await fetch(link.href, { headers: { "X-Part": "yes" } });
  if (!answer.ok) return void (location.href = link.href);
  const made = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".transcript");
  link.replaceWith(made);
}

document.addEventListener("click", loadTranscript);
const live = document.querySelector("[data-events]");
if (live) {
  new EventSource(live.dataset.events).onmessage = (event) => {
    const { part, html } = JSON.parse(event.data);
    replacePart(part, html);
  };
}

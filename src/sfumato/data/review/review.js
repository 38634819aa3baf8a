// The review: what the reviewer chooses becomes a decision, and the page shows what the program kept.

import { ask, send } from "./calls.js";
import { KEYS, KIND_KEYS, meant } from "./keys.js";
import { RecordList } from "./list.js";
import { drawnExample, element, nameOf } from "./record.js";
import { ofMark, ofSelection, select, wordStep } from "./selection.js";

history.replaceState(null, "", location.pathname); // the token in the address is used up

const find = (id) => document.getElementById(id);
const tell = (text) => (find("told").textContent = text);
const list = new RecordList(find("records"), tell, () => choose(null));
let chosen = null;
let scope = "here";
let finished = false;

function choose(next) {
  document.querySelector("mark.chosen")?.classList.remove("chosen");
  chosen = next;
  chosen?.mark?.classList.add("chosen");
  const shown = chosen ? chosen.content.slice(0, 200) : "";
  find("chosen").textContent = chosen ? `${chosen.mark ? chosen.kind : "Selected"}: ${shown}` : "Select text, or a mark.";
  find("becomes").textContent = chosen?.mark ? becomes(chosen.mark.dataset) : "";
  for (const name of ["remove", "never", "always"]) find(name).disabled = !chosen?.mark;
  for (const button of find("kinds").children) button.disabled = !chosen;
  find("tools").classList.toggle("choosing", Boolean(chosen));
  if (chosen) current(chosen.holder.closest("article"));
}

// Focusing what has the focus already is no event, so that this is asked after a record was drawn again.
function chooseFocused() {
  const mark = document.activeElement.closest("mark[tabindex]");
  choose(mark ? ofMark(mark) : null);
}

const inRelease = (treatment, stays) => (stays ? "stays as it is" : treatment ? `replaced by ${treatment}` : "replaced");

function becomes({ kind, label, treatment }) {
  const told = `(${inRelease(treatment, treatment === "keep")}`;
  return label === kind ? `${told})` : `${told}; the detector's label is ${label})`;
}

function current(article) {
  const before = document.querySelector("article.current");
  before?.classList.remove("current");
  before?.removeAttribute("aria-current");
  article?.classList.add("current");
  article?.setAttribute("aria-current", "true");
}

// The record that the keys are about: the one that was chosen, else the first in sight.
function currentArticle() {
  const articles = [...document.querySelectorAll("main article")];
  const below = find("head").getBoundingClientRect().bottom;
  const inSight = (article) => article.getBoundingClientRect().bottom > below;
  return document.querySelector("article.current") ?? articles.find(inSight) ?? articles[0];
}

function focusRecord(article) {
  if (!article) return;
  choose(null);
  current(article);
  article.focus({ preventScroll: true });
  article.scrollIntoView({ block: "start" });
}

function setScope(value) {
  scope = value;
  document.querySelector(`input[name=scope][value=${value}]`).checked = true;
}

async function decide(action, label) {
  if (!chosen) return tell("Select text or a mark first.");
  const { record, text, start, end, kind: shown } = chosen;
  const wide = action === "never" || action === "always" || scope !== "here";
  const answer = await send("decide", { record, text, action, start, end, label, scope });
  const article = list.replace(answer);
  const again = [...(article?.querySelectorAll(`[data-text="${text}"] mark`) ?? [])];
  const mark = again.find((one) => Number(one.dataset.start) <= start && end <= Number(one.dataset.end));
  (mark ?? article)?.focus({ preventScroll: true });
  chooseFocused();
  const places = { here: "here", record: "in this record", everywhere: "everywhere" }[scope];
  const done = { add: "Marked", relabel: "Changed to", remove: "Removed", never: "Never marked:", always: "Always marked:" }[action];
  const stays = mark && (action === "remove" || action === "never") ? " Another decision still marks it; remove the mark." : "";
  const name = action === "add" || action === "relabel" ? label : shown;
  const other = mark && name === label && mark.dataset.kind !== label ? ` A release treats this text as ${mark.dataset.kind}.` : "";
  tell(`${done} ${name}${action === "never" || action === "always" ? "" : ` ${places}`}.${stays}${other}`);
  setScope("here");
  if (wide) list.refresh(false);
  await counts();
}

function kind(label) {
  if (chosen?.mark && chosen.kind === label && scope === "here") return tell(`This is marked as ${label} already.`);
  return decide(chosen?.mark ? "relabel" : "add", label);
}

// A button is about its own record, a key about the current one.
const articleOf = (record) => (record === undefined ? currentArticle() : list.article(record));

// The key says that a record is read, however often it is pressed; only the record's own button takes that back.
async function read(article, done = true) {
  if (!article) return tell("There is no record in this list.");
  const answer = await send("read", { record: Number(article.dataset.record), read: done });
  const made = list.replace(answer);
  const next = done ? await list.beside(made, 1) : null;
  const last = done && !next ? " It is the last record of this list." : "";
  tell(`${nameOf(answer)} is ${done ? "" : "not "}read.${last}`);
  focusRecord(next ?? made);
  await counts();
}

async function example(article) {
  if (!article) return tell("There is no record in this list.");
  article.querySelector(".example")?.remove();
  tell("Drawing an example. The first takes a while, because its law is certified.");
  const answer = await send("example", { record: Number(article.dataset.record) });
  article.append(drawnExample(answer));
  article.querySelector(".example").scrollIntoView({ block: "nearest" });
  tell("The example is below the record.");
}

async function undo() {
  const answer = await send("undo");
  if (answer.record) list.replace(answer.record)?.focus({ preventScroll: true });
  chooseFocused();
  tell(`Undone: ${answer.action}.`);
  list.refresh(false);
  await counts();
}

function stepMark(step) {
  const marks = [...document.querySelectorAll("main mark[tabindex]")];
  const active = document.activeElement;
  const follows = (one) => active.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const precedes = (one) => active.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING;
  const start = active === document.body || !active.closest("main") ? currentArticle() : active;
  if (start !== active) start?.focus({ preventScroll: true });
  (step > 0 ? marks.find(follows) : marks.findLast(precedes))?.focus();
}

function stepWord(step, extend) {
  const text = chosen?.holder ?? currentArticle()?.querySelector("[data-text]");
  if (!text) return;
  wordStep(text, chosen, step, extend);
  choose(ofSelection());
}

// Selects the next phrase that may be a miss, or the previous one, from where the reviewer is.
function stepMiss(step) {
  const phrases = [...document.querySelectorAll("main [data-text] .unmarked")];
  const active = document.activeElement.closest("main article *, main article");
  const own = chosen && (chosen.mark ?? pieceAt(chosen.holder, chosen.start));
  const from = own ?? active ?? currentArticle();
  const side = step > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const beyond = (phrase) => from?.compareDocumentPosition(phrase) & side;
  const next = step > 0 ? phrases.find(beyond) : phrases.findLast(beyond);
  if (!next) return tell(`No possible miss ${step > 0 ? "follows" : "precedes"} in the records that are loaded.`);
  const start = Number(next.dataset.start);
  select(next.closest("[data-text]"), start, start + Array.from(next.textContent).length);
  next.scrollIntoView({ block: "nearest" });
  choose(ofSelection());
}

const pieceAt = (text, point) => [...text.querySelectorAll(".piece")].findLast((piece) => Number(piece.dataset.start) <= point);

function showMisses() {
  const shown = !document.body.classList.toggle("plain");
  find("misses").setAttribute("aria-pressed", String(shown));
  tell(shown ? "Possible misses have dots below." : "Possible misses are not shown.");
}

async function show(view, where = {}) {
  const page = await list.show(view, where);
  if (!page) return;
  for (const button of document.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
  if (!page.count) {
    const none = { hits: "No file of attack hits was given; name one with --hits.", sample: "No sample was drawn.", all: "There is no record." };
    const text = none[view] ?? "Nothing of this kind was found so far. Choose this list again when more records are searched.";
    find("records").append(element("p", {}, text));
  }
  focusFirst();
  tell(`${counted(page.count, "record")} in this list.`);
}

// The list that was chosen has the keys: Enter is about its first record, not about the button that was pressed.
function focusFirst() {
  choose(null);
  const first = find("records").querySelector("article");
  current(first);
  (first ?? find("records")).focus({ preventScroll: true });
}

const number = (value) => value.toLocaleString("en");
const counted = (value, name) => `${number(value)} ${name}${value === 1 ? "" : "s"}`;

async function counts() {
  const state = await ask("state");
  document.title = `Review of ${state.title}`;
  find("title").textContent = `Review of ${state.title}`;
  const searched = state.searched < state.records ? `; ${number(state.searched)} searched so far` : "";
  find("counts").textContent =
    `${counted(state.records, "record")}, ${number(state.read)} read, ${counted(state.decisions, "decision")}; ` +
    `sample: ${number(state.sampled_read)} of ${number(state.sample)} read${searched}`;
  find("sentence").textContent = sentenceOf(state);
  find("estimate").textContent = state.estimate ?? "";
  return state;
}

const sentenceOf = (state) => (state.sampled_read && state.sentence ? state.sentence : "");

async function askToFinish() {
  const state = await counts();
  const unread = state.sample - state.sampled_read;
  const sampled = `${counted(unread, "record")} of the random sample (${number(state.sample)})`;
  const left = unread
    ? `Not read: ${sampled}. Each record that is not read counts as missed.`
    : "Every record of the random sample is read.";
  find("left").textContent = state.sample ? left : "No random sample was drawn, so the review bounds no misses.";
  find("ending").showModal();
}

async function finish() {
  find("ending").close();
  finished = true;
  clearInterval(timer);
  await busy;
  await counting;
  await list.stop();
  const state = await send("finish");
  const closed = element("p", {}, "The review is closed, and every decision is kept. You can close this window.");
  find("records").replaceChildren(closed, find("ending").querySelector(".after"));
  for (const part of [find("tools"), document.querySelector("nav"), find("legend")]) part.remove();
  find("records").focus();
  find("sentence").textContent = sentenceOf(state);
}

async function copied(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select the command and copy it";
  }
}

const ACTIONS = {
  next: async () => focusRecord(await list.beside(currentArticle(), 1)),
  previous: async () => focusRecord(await list.beside(currentArticle(), -1)),
  read: (record) => read(articleOf(record)),
  unread: (record) => read(articleOf(record), false),
  nextMark: () => stepMark(1),
  previousMark: () => stepMark(-1),
  nextMiss: () => stepMiss(1),
  previousMiss: () => stepMiss(-1),
  misses: showMisses,
  nextWord: () => stepWord(1, false),
  previousWord: () => stepWord(-1, false),
  moreWords: () => stepWord(1, true),
  fewerWords: () => stepWord(-1, true),
  remove: () => (chosen?.mark ? decide("remove", chosen.label) : tell("Choose a mark first.")),
  never: () => (chosen?.mark ? decide("never", chosen.label) : tell("Choose a mark first.")),
  always: () => (chosen?.mark ? decide("always", chosen.label) : tell("Mark the text first.")),
  here: () => setScope("here"),
  record: () => setScope("record"),
  everywhere: () => setScope("everywhere"),
  undo,
  example: (record) => example(articleOf(record)),
  help: () => find("help").showModal(),
  show,
  kind,
};

let counting = null;
const timer = setInterval(() => (counting = counts().catch(() => {})), 2000);
let busy = Promise.resolve();
function act(name, ...facts) {
  busy = busy.then(() => !finished && ACTIONS[name](...facts)).catch((error) => tell(error.message));
}

document.addEventListener("keydown", (event) => {
  const wanted = find("single").checked || event.key === "?" ? meant(event) : null;
  if (!wanted || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  act(...wanted);
});
document.addEventListener("selectionchange", () => {
  const next = ofSelection();
  if (next) choose(next);
  else if (chosen && !chosen.mark && !document.activeElement?.closest("#tools")) choose(null);
});
document.addEventListener("focusin", (event) => {
  const mark = event.target.closest("mark[tabindex]");
  if (mark) choose(ofMark(mark));
});
find("records").addEventListener("click", (event) => {
  const article = event.target.closest("article");
  if (article) current(article);
  const mark = event.target.closest("mark[tabindex]");
  if (mark && document.getSelection().isCollapsed) choose(ofMark(mark)); // also if it has the focus already
  const wanted = event.target.closest("[data-do]")?.dataset.do;
  if (wanted) act(wanted, article.dataset.record); // keys that were pressed before may still move on
});
// A button that is clicked does not take the focus from the record: otherwise Enter would press it again.
document.addEventListener("mousedown", (event) => event.target.closest("button, #tools label") && event.preventDefault());
find("tools").addEventListener("change", (event) => setScope(event.target.value));
for (const name of ["remove", "never", "always", "undo"]) find(name).addEventListener("click", () => act(name));
for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => act("show", button.dataset.view));
}
find("ask").addEventListener("click", () => act("help"));
find("misses").addEventListener("click", () => act("misses"));
find("finish").addEventListener("click", () => askToFinish().catch((error) => tell(error.message)));
find("finish-now").addEventListener("click", () => finish().catch((error) => tell(error.message)));
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
find("go").addEventListener("submit", (event) => {
  event.preventDefault();
  act("show", "all", { name: find("number").value.trim() });
});

// What stays at the top and at the bottom covers nothing that is scrolled to.
const measured = new ResizeObserver(() => {
  const height = (id) => find(id)?.offsetHeight ?? 0;
  const head = find("head");
  const sticky = getComputedStyle(head).position === "sticky";
  const top = sticky ? head.offsetHeight + (Number.parseFloat(getComputedStyle(head).top) || 0) : 0;
  document.documentElement.style.setProperty("--intro", `${height("intro") + find("intro").offsetTop}px`);
  document.documentElement.style.setProperty("--head", `${top}px`);
  document.documentElement.style.setProperty("--foot", `${height("tools")}px`);
});
for (const id of ["head", "intro", "tools"]) measured.observe(find(id));

for (const [key, [, about]] of Object.entries(KEYS)) find("key-list").append(element("dt", {}, key), element("dd", {}, about));
const state = await counts();
list.examples = state.examples;
for (const { kind: name, treatment, stays, family } of state.kinds) {
  const key = KIND_KEYS[name];
  const facts = { type: "button", "data-kind": name, class: stays ? "stays" : "" };
  const button = element("button", facts, key ? `${name} (${key})` : name);
  button.addEventListener("click", () => act("kind", name));
  find("kinds").append(button);
  const sample = element("mark", { "data-family": family, class: stays ? "stays" : "" }, name);
  const cells = [element("td", {}, key ?? ""), element("td", {}, inRelease(treatment, stays))];
  find("kind-list").append(element("tr", {}, element("th", { scope: "row" }, sample), ...cells));
}
for (const place of document.querySelectorAll(".after")) {
  if (!state.after) place.append(element("p", {}, "The command that opened this page goes on by itself."));
  else {
    const words = state.after.split(" ").flatMap((word) => [" ", element("span", {}, word)]).slice(1);
    const copy = element("button", { type: "button" }, "Copy");
    copy.addEventListener("click", () => copied(state.after, copy));
    place.append(element("p", {}, "The next command:"), element("pre", {}, element("code", {}, ...words)), copy);
  }
}
choose(null);
act("show", state.hits ? "hits" : state.sample ? "sample" : "all");

// The review: what the reviewer chooses becomes a decision, and the page shows what the program kept.

import { ask, send } from "./calls.js";
import { KEYS, KIND_KEYS, meant } from "./keys.js";
import { RecordList } from "./list.js";
import { drawnExample, element } from "./record.js";
import { ofMark, ofSelection, wordStep } from "./selection.js";

history.replaceState(null, "", location.pathname); // the token in the address is used up

const find = (id) => document.getElementById(id);
const tell = (text) => (find("told").textContent = text);
const list = new RecordList(find("records"), tell);
let chosen = null;
let scope = "here";
let finished = false;

function choose(next) {
  document.querySelector("mark.chosen")?.classList.remove("chosen");
  chosen = next;
  chosen?.mark?.classList.add("chosen");
  const shown = chosen ? chosen.content.slice(0, 200) : "";
  find("chosen").textContent = chosen ? `${chosen.mark ? chosen.label : "Selected"}: ${shown}` : "Select text, or a mark.";
  for (const name of ["remove", "never", "always"]) find(name).disabled = !chosen?.mark;
  for (const button of find("kinds").children) button.disabled = !chosen;
  find("tools").classList.toggle("choosing", Boolean(chosen));
  if (chosen) current(chosen.holder.closest("article"));
}

function current(article) {
  document.querySelector("article.current")?.classList.remove("current");
  article?.classList.add("current");
}

const currentArticle = () => document.querySelector("article.current") ?? document.querySelector("main article");

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
  const { record, text, start, end } = chosen;
  const wide = action === "never" || action === "always" || scope !== "here";
  const answer = await send("decide", { record, text, action, start, end, label, scope });
  const article = list.replace(answer);
  const again = [...(article?.querySelectorAll(`[data-text="${text}"] mark`) ?? [])];
  const mark = again.find((one) => Number(one.dataset.start) <= start && end <= Number(one.dataset.end));
  choose(null);
  if (mark) mark.focus({ preventScroll: true });
  else article?.focus({ preventScroll: true });
  const places = { here: "here", record: "in this record", everywhere: "everywhere" }[scope];
  const done = { add: "Marked", relabel: "Changed to", remove: "Removed", never: "Never marked:", always: "Always marked:" }[action];
  const stays = mark && (action === "remove" || action === "never") ? " Another decision still marks it; remove the mark." : "";
  tell(`${done} ${label}${action === "never" || action === "always" ? "" : ` ${places}`}.${stays}`);
  setScope("here");
  if (wide) list.refresh(false);
  await counts();
}

const kind = (label) => decide(chosen?.mark ? "relabel" : "add", label);

async function read(article) {
  const state = article.querySelector('[data-do="read"]').textContent;
  const done = state.startsWith("Read");
  const answer = await send("read", { record: Number(article.dataset.record), read: done });
  const made = list.replace(answer);
  tell(done ? `Record ${answer.record} is read.` : `Record ${answer.record} is not read.`);
  focusRecord((done && (await list.beside(made, 1))) || made);
  await counts();
}

async function example(article) {
  article.querySelector(".example")?.remove();
  tell("Drawing an example. The first takes a while, because its law is certified.");
  const answer = await send("example", { record: Number(article.dataset.record) });
  article.append(drawnExample(answer));
  tell("The example is below the record.");
}

async function undo() {
  const answer = await send("undo");
  if (answer.record) list.replace(answer.record)?.focus({ preventScroll: true });
  choose(null);
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

async function show(view, start = 0) {
  const page = await list.show(view, start, true);
  if (!page) return;
  for (const button of document.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
  if (!page.count) {
    const none = { hits: "No file of attack hits was given.", sample: "No sample was drawn.", all: "There is no record." };
    const text = none[view] ?? "Nothing of this kind was found so far. Choose this list again when more records are searched.";
    find("records").append(element("p", {}, text));
  }
  choose(null);
  current(find("records").querySelector("article"));
  tell(`${page.count.toLocaleString("en")} records in this list.`);
}

async function counts() {
  const state = await ask("state");
  document.title = `Review of ${state.title}`;
  find("title").textContent = `Review of ${state.title}`;
  const number = (value) => value.toLocaleString("en");
  const searched = state.searched < state.records ? `; ${number(state.searched)} searched so far` : "";
  find("counts").textContent =
    `${number(state.records)} records, ${number(state.read)} read, ${number(state.decisions)} decisions; ` +
    `sample: ${number(state.sampled_read)} of ${number(state.sample)} read${searched}`;
  find("sentence").textContent = state.sampled_read && state.sentence ? state.sentence : "";
  return state;
}

async function finish() {
  finished = true;
  clearInterval(timer);
  await busy;
  await counting;
  await list.stop();
  const state = await send("finish");
  document.querySelector("main").replaceChildren(element("p", {}, "The review is closed, and every decision is kept. You can close this window."));
  find("tools").remove();
  document.querySelector("nav").remove();
  find("sentence").textContent = state.sentence ?? "";
}

const ACTIONS = {
  next: async () => focusRecord(await list.beside(currentArticle(), 1)),
  previous: async () => focusRecord(await list.beside(currentArticle(), -1)),
  read: () => read(currentArticle()),
  nextMark: () => stepMark(1),
  previousMark: () => stepMark(-1),
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
  example: () => example(currentArticle()),
  help: () => find("help").showModal(),
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
  if (!wanted || find("help").open) return;
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
  const wanted = event.target.closest("[data-do]")?.dataset.do;
  if (wanted) act(wanted);
});
find("tools").addEventListener("mousedown", (event) => event.target.closest("button") && event.preventDefault());
find("tools").addEventListener("change", (event) => setScope(event.target.value));
for (const name of ["remove", "never", "always", "undo"]) find(name).addEventListener("click", () => act(name));
for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => show(button.dataset.view).catch((error) => tell(error.message)));
}
find("ask").addEventListener("click", () => act("help"));
find("finish").addEventListener("click", () => finish().catch((error) => tell(error.message)));
find("go").addEventListener("submit", (event) => {
  event.preventDefault();
  show("all", Number(find("number").value) || 0).catch((error) => tell(error.message));
});

for (const [key, [, about]] of Object.entries(KEYS)) find("key-list").append(element("dt", {}, key), element("dd", {}, about));
const state = await counts();
list.examples = state.examples;
for (const name of state.kinds) {
  const key = KIND_KEYS[name];
  const button = element("button", { type: "button", "data-kind": name }, key ? `${name} (${key})` : name);
  button.addEventListener("click", () => act("kind", name));
  find("kinds").append(button);
  if (key) find("key-list").append(element("dt", {}, key), element("dd", {}, `mark as ${name}, or change the mark to it`));
}
choose(null);
await show(state.hits ? "hits" : state.sample ? "sample" : "all");

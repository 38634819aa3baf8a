// The list of records: pages are fetched before the reader comes to them, and far ones leave the page again.

import { ask } from "./calls.js";
import { drawnRecord } from "./record.js";

const MOST = 200;
const AHEAD = 6000;

// Returns what selects the focused part of an article: "" for the article itself, null if the focus is elsewhere.
function focused(article) {
  const active = document.activeElement;
  if (!article.contains(active)) return null;
  if (active.matches("mark")) return `[data-text="${active.closest("[data-text]").dataset.text}"] mark[data-start="${active.dataset.start}"]`;
  return active.dataset.do ? `[data-do="${active.dataset.do}"]` : "";
}

export class RecordList {
  // `left` is called when the record with the focus is so far away that it leaves the page.
  constructor(main, told, left) {
    this.main = main;
    this.told = told;
    this.left = left;
    this.examples = false;
    this.pages = [];
    this.loading = null;
    this.run = 0;
    this.refreshing = 0;
    const seen = (entries) => entries.some((entry) => entry.isIntersecting) && this.fill();
    this.observer = new IntersectionObserver(seen, { rootMargin: `${AHEAD}px` });
    this.timer = setInterval(() => this.refresh(true), 500);
  }

  // Begins a view: at its first record, or at the one that `where` names.
  async show(view, where = {}) {
    const run = ++this.run;
    const page = await ask("page", { view, afresh: true, ...where });
    if (run !== this.run) return null;
    this.view = view;
    this.count = page.count;
    this.loading = null;
    this.observer.disconnect();
    this.main.replaceChildren();
    this.pages = [];
    this.put(page, "append");
    window.scrollTo(0, 0);
    return page;
  }

  async stop() {
    this.ended = true;
    clearInterval(this.timer);
    this.observer.disconnect();
    await this.loading;
    while (this.refreshing) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  put(page, way) {
    const articles = page.records.map((record) => drawnRecord(record, this.examples));
    this.main[way](...articles);
    this.pages[way === "append" ? "push" : "unshift"]({ next: page.next, previous: page.previous, start: page.from, articles });
    this.watch();
  }

  watch() {
    this.observer.disconnect();
    if (this.ended) return;
    const articles = this.main.querySelectorAll("article");
    if (!articles.length) return;
    this.observer.observe(articles[0]);
    this.observer.observe(articles[articles.length - 1]);
  }

  fill() {
    if (this.ended) return null;
    this.loading ??= this.filled().catch((error) => this.told(error.message)).finally(() => (this.loading = null));
    return this.loading;
  }

  async filled() {
    const near = (article) => {
      const box = article?.getBoundingClientRect();
      return box && box.top < window.innerHeight + AHEAD && box.bottom > -AHEAD;
    };
    const { next } = this.pages.at(-1);
    const { previous } = this.pages[0];
    if (next !== null && near(this.main.lastElementChild)) await this.load(next, "append");
    else if (previous !== null && near(this.main.firstElementChild)) await this.load(previous, "prepend");
  }

  async load(start, way) {
    const run = this.run;
    const page = await ask("page", { view: this.view, start });
    const expected = way === "append" ? this.pages.at(-1).next : this.pages[0].previous;
    if (run !== this.run || expected !== start) return; // another call was faster
    this.steady(() => {
      this.put(page, way);
      const far = way === "append" ? 0 : this.pages.length - 1;
      if (this.main.children.length > MOST) {
        const [gone] = this.pages.splice(far, 1);
        if (gone.articles.includes(document.activeElement?.closest("article"))) {
          this.main.focus({ preventScroll: true });
          this.left();
        }
        gone.articles.forEach((article) => article.remove());
        this.watch();
      }
    });
  }

  steady(change) {
    const anchor = [...this.main.children].find((article) => article.getBoundingClientRect().bottom > 0);
    const before = anchor?.getBoundingClientRect().top;
    change();
    if (anchor?.isConnected) window.scrollBy(0, anchor.getBoundingClientRect().top - before);
  }

  article(number) {
    return this.main.querySelector(`article[data-record="${Number(number)}"]`);
  }

  // Draws a record again; the focus stays where it was.
  replace(record) {
    const old = this.article(record.record);
    if (!old) return null;
    if (old.known === JSON.stringify(record)) return old;
    const made = drawnRecord(record, this.examples);
    made.classList.toggle("current", old.classList.contains("current"));
    const again = focused(old);
    for (const page of this.pages) page.articles = page.articles.map((article) => (article === old ? made : article));
    old.replaceWith(made);
    if (again !== null) (made.querySelector(again || "none") ?? made).focus({ preventScroll: true });
    this.watch();
    return made;
  }

  async refresh(pending) {
    const wanted = [...this.main.querySelectorAll(pending ? 'article[data-state="pending"]' : "article")];
    if (this.refreshing && pending) return;
    this.refreshing += 1;
    try {
      for (const article of wanted.slice(0, pending ? 30 : wanted.length)) {
        if (!article.isConnected || this.ended) continue;
        const record = await ask("record", { record: article.dataset.record });
        if (article.isConnected && !(pending && record.state === "pending")) this.replace(record);
      }
    } catch {
      // the program has ended, or does not answer for a moment; the next decision says so
    } finally {
      this.refreshing -= 1;
    }
  }

  async beside(article, step) {
    const sibling = () => (step > 0 ? article.nextElementSibling : article.previousElementSibling);
    if (!sibling()) {
      const edge = step > 0 ? this.pages.at(-1)?.next : this.pages[0]?.previous;
      if (edge === null || edge === undefined) return null;
      await this.loading;
      if (!sibling() && !this.ended) await this.load(edge, step > 0 ? "append" : "prepend");
    }
    return sibling();
  }
}

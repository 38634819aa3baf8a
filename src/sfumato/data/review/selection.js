// From what is selected on the page to characters of a text, and back. The program counts code points, a browser
// counts units of UTF-16; each piece of text knows where it starts in code points.

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}’'-]*/gu;
const points = (text) => Array.from(text).length;

const piecesOf = (text) => [...text.querySelectorAll(".piece")].filter((piece) => piece.firstChild);

function offsetOf(text, node, offset, isEnd) {
  const boundary = document.createRange();
  boundary.setStart(node, offset);
  let last = 0;
  for (const piece of piecesOf(text)) {
    const inside = piece.firstChild;
    const start = Number(piece.dataset.start);
    if (inside === node) return start + points(inside.data.slice(0, offset));
    if (boundary.comparePoint(inside, 0) >= 0) return isEnd ? last : start;
    last = start + points(inside.data);
  }
  return last;
}

function place(text, point) {
  for (const piece of piecesOf(text)) {
    const start = Number(piece.dataset.start);
    const characters = Array.from(piece.firstChild.data);
    if (point <= start + characters.length) {
      return [piece.firstChild, characters.slice(0, point - start).join("").length];
    }
  }
  return [text, text.childNodes.length];
}

export const wholeText = (text) => piecesOf(text).map((piece) => piece.firstChild.data).join("");

function within(text, start, end) {
  const article = text.closest("article");
  const shown = Array.from(wholeText(text)).slice(start, end).join("");
  const front = points(shown) - points(shown.trimStart());
  const content = shown.trim();
  if (!content) return null;
  const first = start + front;
  const facts = { record: Number(article.dataset.record), text: Number(text.dataset.text), start: first };
  return { ...facts, end: first + points(content), content, mark: null, holder: text };
}

export function ofMark(mark) {
  const text = mark.closest("[data-text]");
  if (!text) return null;
  const chosen = within(text, Number(mark.dataset.start), Number(mark.dataset.end));
  const bounds = { start: Number(mark.dataset.start), end: Number(mark.dataset.end) };
  const content = mark.querySelector(".piece").textContent;
  const article = text.closest("article");
  const facts = { record: Number(article.dataset.record), text: Number(text.dataset.text), holder: text };
  return { ...chosen, ...facts, ...bounds, content, mark, label: mark.dataset.label, kind: mark.dataset.kind };
}

export function ofSelection() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const holder = (node) => (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-text]");
  const text = holder(range.startContainer);
  if (!text || !text.closest("main")) return null;
  const start = offsetOf(text, range.startContainer, range.startOffset, false);
  const ends = holder(range.endContainer) === text;
  const end = ends ? offsetOf(text, range.endContainer, range.endOffset, true) : points(wholeText(text));
  return start < end ? within(text, start, end) : null;
}

export function select(text, start, end) {
  const selection = document.getSelection();
  const range = document.createRange();
  range.setStart(...place(text, start));
  range.setEnd(...place(text, end));
  selection.removeAllRanges();
  selection.addRange(range);
}

export function wordStep(text, chosen, step, extend) {
  const whole = wholeText(text);
  const words = [...whole.matchAll(WORD)].map((match) => {
    const start = points(whole.slice(0, match.index));
    return { start, end: start + points(match[0]) };
  });
  if (!words.length) return;
  const own = chosen && chosen.holder === text ? chosen : null;
  if (extend && own) {
    const last = words.findLastIndex((word) => word.end <= own.end);
    const first = words.findIndex((word) => word.end > own.start);
    const next = Math.min(Math.max(last + step, first), words.length - 1);
    select(text, own.start, words[next].end);
    return;
  }
  const after = words.findIndex((word) => word.start > (own ? own.start : -1));
  const before = words.findLastIndex((word) => word.start < (own ? own.start : Infinity));
  const next = step > 0 ? (after < 0 ? words.length - 1 : after) : Math.max(before, 0);
  select(text, words[next].start, words[next].end);
}

// Draws records. Text reaches the page as text nodes only, whatever it holds.

const BLOCK = 4000;

export function element(name, facts = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(facts)) {
    if (key === "class") made.className = value;
    else made.setAttribute(key, value);
  }
  made.append(...inside.map((part) => (typeof part === "string" ? document.createTextNode(part) : part)));
  return made;
}

function plain(text, start, unmarked) {
  return element("span", { class: unmarked ? "piece unmarked" : "piece", "data-start": start }, text);
}

// A piece without a mark becomes several where words in it may be misses.
function drawnPlain(piece) {
  const characters = Array.from(piece.text);
  const drawn = [];
  let from = 0;
  const put = (to, unmarked) => {
    if (to > from) drawn.push(plain(characters.slice(from, to).join(""), piece.start + from, unmarked));
    from = to;
  };
  for (const [start, end] of piece.unmarked ?? []) {
    put(start - piece.start, false);
    put(end - piece.start, true);
  }
  put(characters.length, false);
  return drawn;
}

// The kind has the name that the policy and the statement use; the label is the detector's own.
function drawnPiece(piece, interactive) {
  if (!piece.label) return drawnPlain(piece);
  const facts = {
    class: piece.stays ? "stays" : "", "data-start": piece.start, "data-end": piece.end, "data-label": piece.label,
    "data-kind": piece.kind, "data-family": piece.family, "data-treatment": piece.treatment,
  };
  if (piece.chance !== undefined) facts.title = `Right with a chance of ${Math.round(100 * piece.chance)} %`;
  const kind = element("span", { class: "kind" }, ` ${piece.kind}`);
  if (piece.stays) kind.append(element("span", { class: "unseen" }, " stays"));
  const mark = element("mark", facts, plain(piece.text, piece.start, false), kind);
  if (interactive) mark.tabIndex = 0;
  return [mark];
}

// A browser lays out a whole block at once. A long text therefore becomes blocks, of which only those in sight are laid
// out; a block ends behind a line break or a blank where there is one.
function* blocksOf(pieces) {
  let block = [];
  let length = 0;
  for (const piece of pieces) {
    const parts = piece.label || piece.text.length <= BLOCK ? [piece] : partsOf(piece);
    for (const part of parts) {
      block.push(part);
      length += part.text.length;
      if (length >= BLOCK && !part.label) {
        yield block;
        [block, length] = [[], 0];
      }
    }
  }
  if (block.length) yield block;
}

function partsOf(piece) {
  const characters = Array.from(piece.text);
  const parts = [];
  for (let from = 0; from < characters.length; ) {
    let to = Math.min(from + BLOCK, characters.length);
    const blank = to < characters.length ? characters.slice(from, to).findLastIndex((one) => /\s/.test(one)) : -1;
    if (blank >= 0) to = from + blank + 1;
    const [start, end] = [piece.start + from, piece.start + to];
    const unmarked = piece.unmarked?.filter(([first, last]) => start <= first && last <= end);
    parts.push({ ...piece, start, text: characters.slice(from, to).join(""), unmarked });
    from = to;
  }
  return parts;
}

export function drawnText(pieces, number, interactive = true) {
  const facts = interactive ? { class: "text", "data-text": number } : { class: "text" };
  const text = element("div", facts);
  const blocks = [...blocksOf(pieces)];
  for (const block of blocks) {
    const holder = blocks.length > 1 ? element("div", { class: "block" }) : text;
    for (const piece of block) holder.append(...drawnPiece(piece, interactive));
    if (holder !== text) text.append(holder);
  }
  return text;
}

function factsOf(record) {
  const facts = [];
  if (record.id !== String(record.record)) facts.push(`record ${record.record}`);
  const attacks = record.hit_by.join("; ");
  if (record.hit) facts.push(attacks ? `attack hit: ${attacks}` : "attack hit (the file of hits names no attack)");
  if (record.sampled) facts.push("in the random sample");
  if (record.read) facts.push("read");
  if (record.state === "pending") facts.push("being searched");
  return facts.join(" · ");
}

export const nameOf = (record) => (record.id === String(record.record) ? `Record ${record.record}` : record.id);

export function drawnRecord(record, examples) {
  const id = `title-${record.record}`;
  const article = element("article", { "data-record": record.record, "data-state": record.state, "aria-labelledby": id });
  article.tabIndex = -1;
  article.known = JSON.stringify(record);
  article.append(element("h2", { id }, nameOf(record)), element("span", { class: "facts" }, factsOf(record)));
  if (record.state === "failed") {
    const failed = "The detector failed in this record. A release refuses it; correct the record or the detector.";
    article.append(element("p", { class: "failed" }, failed));
  }
  if (!record.texts.length) article.append(element("p", { class: "facts" }, "This record has no text."));
  record.texts.forEach((text, number) => {
    if (text.field) article.append(element("p", { class: "field" }, text.field));
    article.append(drawnText(text.pieces, number));
  });
  const [action, words] = record.read ? ["unread", "Not read after all"] : ["read", "Read, next (Enter)"];
  const read = element("button", { type: "button", "data-do": action }, words);
  const row = element("div", { class: "row" }, read);
  if (examples) row.append(element("button", { type: "button", "data-do": "example" }, "Before and after (b)"));
  article.append(row);
  return article;
}

export function drawnExample(answer) {
  const note =
    "An example: drawn from the same law as a release, with random numbers of its own. It is not the draw that is " +
    "released. Keep it to yourself: two draws of one text disclose more than one.";
  const made = element("section", { class: "example", "aria-label": "Example" }, element("p", { class: "note" }, note));
  answer.before.texts.forEach((text, number) => {
    const before = element("div", {}, element("h3", {}, "Before"), drawnText(text.pieces, number, false));
    const after = element("div", {}, element("h3", {}, "After"), drawnText(answer.after.texts[number].pieces, number, false));
    made.append(element("div", { class: "pair" }, before, after));
  });
  return made;
}

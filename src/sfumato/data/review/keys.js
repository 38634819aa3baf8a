// The keys of the page, for the page's own list of them and for the keyboard.

export const KIND_KEYS = {
  PERSON: "p", PLACE: "l", ORGANIZATION: "o", DATE: "d", TIME: "t", DURATION: "r", AGE: "a", OCCUPATION: "w", GROUP: "g",
  HEALTH: "h", CODE: "c", PHONE: "f", EMAIL: "e", URL: "u", IP: "i", MONEY: "m", QUANTITY: "q", NUMBER: "n", WORD: "v",
};

export const KEYS = {
  j: ["next", "next record"],
  k: ["previous", "previous record"],
  Enter: ["read", "record is read; go to the next"],
  "]": ["nextMark", "next mark"],
  "[": ["previousMark", "previous mark"],
  ".": ["nextWord", "select the next word"],
  ",": ["previousWord", "select the previous word"],
  ">": ["moreWords", "select one word more"],
  "<": ["fewerWords", "select one word fewer"],
  y: ["nextMiss", "select the next possible miss"],
  Y: ["previousMiss", "select the previous possible miss"],
  s: ["misses", "show possible misses, or do not"],
  x: ["remove", "remove the mark"],
  "-": ["never", "never mark this text with this kind"],
  "+": ["always", "always mark this text"],
  1: ["here", "decide here"],
  2: ["record", "decide in this record"],
  3: ["everywhere", "decide everywhere"],
  z: ["undo", "undo the last decision"],
  b: ["example", "before and after, as an example"],
  "?": ["help", "this list"],
};

const KIND_OF_KEY = Object.fromEntries(Object.entries(KIND_KEYS).map(([kind, key]) => [key, kind]));

// A field in which nothing is typed leaves the keys to the review; a button takes Enter and the blank for itself.
export function meant(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const control = event.target.closest?.("button, input, select, textarea, a");
  if (control?.matches("input") ? control.type !== "radio" : control && event.key === "Enter") return null;
  if (event.key === "Delete") return ["remove"];
  if (Object.hasOwn(KEYS, event.key)) return [KEYS[event.key][0]];
  if (Object.hasOwn(KIND_OF_KEY, event.key)) return ["kind", KIND_OF_KEY[event.key]];
  return null;
}

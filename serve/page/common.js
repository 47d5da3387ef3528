// What the scripts of both pages share: elements, requests, downloads.
//
// Text of strangers is set as textContent and never as markup; what would not be seen, or would turn a line around, is
// written out as its code point. Nothing is asked but the service that this page is from.

export const at = (id) => document.getElementById(id);

/** Characters that hide or reorder others. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const seen = (text) =>
  String(text).replace(UNSEEN, (c) => `\u2039U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u203a`);

/** An element with classes and text, or children. */
export function element(name, classes, ...children) {
  const made = document.createElement(name);
  made.className = classes;
  made.append(...children.map((child) => (typeof child === "string" ? seen(child) : child)));
  return made;
}

export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

export const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

/** Asks the service; a refusal becomes an error with its sentence. */
export async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the service does not answer; is it still running?");
  }
  if (response.ok) return response;
  const refusal = await response.json().catch(() => ({}));
  const error = new Error(refusal.error ?? `the service answered with status ${response.status}`);
  error.status = response.status;
  throw error;
}

/** Sends a question as JSON. */
export async function post(path, question) {
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question) };
  return (await ask(path, options)).json();
}

/** Says something in a line of its own. */
export function say(id, sentence, failed = false) {
  at(id).textContent = seen(sentence);
  at(id).classList.toggle("failed", failed);
  at(id).hidden = !sentence;
}

/** Hands a text to the reader as a file. */
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Rows as CSV (RFC 4180). A spreadsheet shall not take a cell for a formula. */
export function csv(rows) {
  const cell = (value) => {
    const text = String(value ?? "").replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Says how large the image is, in the head of the page. */
export async function about() {
  try {
    const { sites, opened_at } = await (await ask("/healthz")).json();
    const opened = opened_at.replace("T", " ").replace(/:\d\dZ$/, " UTC");
    at("about").textContent = `${count(sites, "site")} in the image, opened ${opened}`;
  } catch {
    at("about").textContent = "";
  }
}

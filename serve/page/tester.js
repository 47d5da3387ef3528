// The tester: sends a text and a question to /v1/test and draws the answer line by line.
//
// Text of strangers is set as textContent and never as markup; what would not be seen, or would turn a line around, is
// written out as its code point. Nothing is asked but the service that this page is from.
"use strict";

const at = (id) => document.getElementById(id);

/** Characters that hide or reorder others. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

const seen = (text) =>
  String(text).replace(UNSEEN, (c) => `\u2039U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u203a`);

/** An element with classes and text, or children. */
function element(name, classes, ...children) {
  const made = document.createElement(name);
  made.className = classes;
  made.append(...children.map((child) => (typeof child === "string" ? seen(child) : child)));
  return made;
}

const BADGES = {
  decides: "decides", beaten: "loses", overridden: "overridden", contradicted: "ignored",
  "no-match": "", "other-usage": "", "other-group": "", none: "",
};
const MATCHES = ["decides", "beaten", "overridden", "contradicted"];

/** The last answer, so that what is shown of it can be chosen anew. */
let answer = null;
/** Counts requests, so that a slow answer does not overwrite a later one. */
let asked = 0;

function say(kind, word, reason) {
  at("status").replaceChildren(element("div", `verdict ${kind}`,
    element("p", "word", word), element("p", "reason", reason)));
}

function fail(message, field) {
  answer = null;
  at("outcome").hidden = true;
  say("failed", "Not tested", message);
  if (field) {
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}

/** Asks the service; a refusal becomes an error with its sentence. */
async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the service does not answer; is it still running?");
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Error(said.error ?? `the service answered with status ${response.status}`);
}

async function test() {
  for (const field of at("form").elements) field.removeAttribute("aria-invalid");
  if (!at("url").value.trim()) return fail("The URL is empty; / is the root.", at("url"));
  const question = { text: at("text").value, url: at("url").value.trim(), profile: at("profile").value };
  question.agent = at("agent").value.trim() || "*";
  question.usage = at("usage").value.trim() || "crawl";
  if (at("purpose").value.trim()) question.purpose = at("purpose").value.trim();
  const number = ++asked;
  at("result").setAttribute("aria-busy", "true");
  try {
    const response = await ask("/v1/test", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question),
    });
    const told = await response.json();
    if (number === asked) show(told);
  } catch (error) {
    if (number === asked) fail(error.message);
  } finally {
    if (number === asked) at("result").removeAttribute("aria-busy");
  }
}

const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

function show(told) {
  answer = told;
  let reason = `${capital(told.reason)}.`;
  if (told.incomplete) reason += ` Incomplete: a file that the text refers to is missing, so ${told.decision} counts as ${told.verdict}.`;
  say(told.verdict, capital(told.verdict), reason);
  facts(told);
  const deciding = told.lines.find((line) => line.fate === "decides");
  at("jump").hidden = !deciding;
  if (deciding) at("jump").dataset.line = deciding.line;
  at("left-out").hidden = told.lines_left_out === 0;
  at("left-out").textContent = `${told.lines_left_out} more lines are not shown.`;
  at("outcome").hidden = false;
  draw();
  // Only the list scrolls, not the page under the reader.
  const row = deciding && at(`line-${deciding.line}`);
  if (row) at("lines").scrollTop = Math.max(0, row.offsetTop - at("lines").offsetTop - 96);
}

function facts(told) {
  const rows = [];
  const fact = (name, ...value) => rows.push(element("dt", "", name), element("dd", "", ...value));
  const agents = told.agent.join(", then ");
  fact("Asked", `${agents}, to ${told.usage}${told.purpose ? ` for ${told.purpose}` : ""}`);
  if (told.target !== null) fact("Matched against", element("code", "", told.target));
  const lines = told.groups.map((group) => `line ${group.line} (${group.agents.join(", ")})`).join("; ");
  if (told.choice === "named") fact("Answered by", `what names ${told.name}: ${lines}`);
  if (told.choice === "default") fact("Answered by", `the default, as nothing names the crawler: ${lines}`);
  if (told.choice === "nobody") fact("Answered by", "no group: none is for this crawler");
  if (told.level) fact("Heard", told.level);
  if (told.conditions.length) fact("Only if", told.conditions.join(", "));
  if (told.unread) fact("Unread", `the last ${told.unread} bytes, which are over the limit`);
  at("facts").replaceChildren(...rows);
}

const FILTERS = {
  all: () => true,
  answers: (line) => line.answers || MATCHES.includes(line.fate),
  matches: (line) => MATCHES.includes(line.fate),
  remarks: (line) => line.remarks.length > 0,
};

function draw() {
  const lines = answer.lines.filter(FILTERS[at("shown").value]);
  const rows = lines.map(row);
  at("lines").replaceChildren(...(rows.length ? rows : [element("li", "none", "No such lines.")]));
}

function row(line) {
  const matches = MATCHES.includes(line.fate);
  const classes = [];
  if (line.answers) classes.push("answers");
  if (line.fate === "decides") classes.push("decides", answer.decision === "disallowed" ? "disallow" : "allow");
  else if (matches) classes.push("beaten");
  else if (!line.answers && line.kind !== "sitemap") classes.push("dim");
  const made = element("li", classes.join(" "),
    element("span", "number", String(line.line)), element("span", "said", line.text || " "));
  made.id = `line-${line.line}`;
  // That a rule of another group does not answer is plain from where it stands.
  if (line.why && line.fate !== "other-group") {
    const badge = BADGES[line.fate];
    const why = line.fate === "decides" ? answer.reason : line.why;
    made.append(element("span", "note", ...(badge ? [element("span", "badge", badge)] : []), why));
  }
  for (const { severity, message, code } of line.remarks) {
    made.append(element("span", `note remark ${severity}`, `${message} (${code})`));
  }
  return made;
}

async function load() {
  const site = at("site").value.trim();
  if (!site) return fail("Which site? A URL of it, or its host.", at("site"));
  at("site").removeAttribute("aria-invalid");
  const urls = site.includes("://") ? [site] : [`https://${site}`, `http://${site}`];
  let failure;
  for (const url of urls) {
    try {
      const response = await ask(`/v1/text?url=${encodeURIComponent(url)}`);
      at("text").value = await response.text();
      if (!at("url").value.trim() || at("url").value.includes("://") || site.includes("://")) at("url").value = url;
      return test();
    } catch (error) {
      failure = error;
    }
  }
  fail(failure.message, at("site"));
}

async function about() {
  try {
    const { sites, opened_at } = await (await ask("/healthz")).json();
    at("about").textContent = `${sites.toLocaleString("en")} sites in the image, opened ${opened_at.replace("T", " ").replace(/:\d\dZ$/, " UTC")}`;
  } catch {
    at("about").textContent = "";
  }
}

at("form").addEventListener("submit", (event) => { event.preventDefault(); test(); });
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) test();
});
at("load").addEventListener("click", load);
at("site").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { event.preventDefault(); load(); }
});
at("shown").addEventListener("change", () => answer && draw());
at("jump").addEventListener("click", (event) => {
  event.preventDefault();
  at("shown").value = "all";
  draw();
  const row = at(`line-${event.currentTarget.dataset.line}`);
  row.tabIndex = -1;
  row.scrollIntoView({ block: "center" });
  row.focus();
});
about();
test();

// The answer to one question: the verdict, the line that decides, and every line with what became of it.

import { at, capital, count, element } from "/common.js";

const BADGES = { decides: "decides", beaten: "loses", overridden: "overridden", contradicted: "ignored", stands: "stands" };
const MATCHES = Object.keys(BADGES);

/** What is said beside a line rather than below it, as most rules have it. */
const BESIDE = { "no-match": "no match", "other-usage": "other usage" };

/** The last answer, so that what is shown of it can be chosen anew. */
let answer = null;

/** The line that the reader was taken to last. */
let visited = 0;

export function verdict(kind, word, reason, ...more) {
  at("status").replaceChildren(element("div", `verdict ${kind}`,
    element("p", "word", word), element("p", "reason", reason), ...more));
}

export function forget() {
  answer = null;
  at("outcome").hidden = true;
}

export function show(told) {
  answer = told;
  visited = 0;
  let reason = `${capital(told.reason)}.`;
  const counts_as = told.decision === told.verdict ? "which may refuse it" : `so ${told.decision} counts as ${told.verdict}`;
  if (told.incomplete) reason += ` Incomplete: something was not read, ${counts_as}.`;
  verdict(told.verdict, capital(told.verdict), reason, ...decider(told));
  facts(told);
  counts(told);
  at("left-out").hidden = told.lines_left_out === 0;
  at("left-out").textContent = `${count(told.lines_left_out, "more line")} not shown.`;
  at("outcome").hidden = false;
  draw();
}

/** The line that decides, beside the verdict; the first of several. */
function decider(told) {
  const deciding = told.lines.filter((line) => line.fate === "decides");
  if (!deciding.length) return [];
  const [first, ...others] = deciding;
  const link = element("a", "", element("span", "number", `Line ${first.line}`), element("code", "", first.text.trim()));
  link.id = "jump";
  link.href = "#lines";
  link.addEventListener("click", (event) => { event.preventDefault(); visit(first.line); });
  const more = others.length ? [element("span", "more", `and ${count(others.length, "more line")}`)] : [];
  return [element("p", "decider", link, ...more)];
}

/** The crawler as it was looked for; the name as it was given, where that is another. */
function asked(told) {
  const names = told.looked_for.join(", then ");
  const same = told.agent.toLowerCase() === told.looked_for.join(",");
  const who = !names || same ? told.agent.replaceAll(",", ", then ") : `${names} (of ${told.agent})`;
  return `${who}, to ${told.usage}${told.purpose ? ` for ${told.purpose}` : ""}`;
}

function facts(told) {
  const rows = [];
  const fact = (name, ...value) => rows.push(element("dt", "", name), element("dd", "", ...value));
  fact("Asked", asked(told), ...(told.target === null ? [] : [", against ", element("code", "", told.target)]));
  const lines = told.groups.map((group) => `line ${group.line} (${group.agents.join(", ")})`).join("; ");
  if (told.choice === "named") fact("Answered by", `the group that names ${told.name}: ${lines}`);
  if (told.choice === "default") fact("Answered by", `the default group, as none names the crawler: ${lines}`);
  if (told.choice === "nobody") fact("Answered by", "no group: none is for this crawler");
  if (told.level) fact("Applies", told.level);
  if (told.crawl) fact("Fetching", told.crawl);
  if (told.conditions.length) fact("Only if", told.conditions.join(", "));
  if (told.unread) fact("Not read", `the last ${count(told.unread, "byte")}, which are over the limit`);
  at("facts").replaceChildren(...rows);
}

/** How many errors, warnings and notes there are; each leads to the next of its kind. */
function counts(told) {
  const buttons = ["error", "warning", "note"].flatMap((severity) => {
    const lines = told.lines.filter((line) => line.remarks.some((remark) => remark.severity === severity));
    const number = lines.reduce((sum, line) => sum + line.remarks.filter((remark) => remark.severity === severity).length, 0);
    if (!number) return [];
    const button = element("button", `count ${severity}`, count(number, severity));
    button.type = "button";
    button.title = `Go to the next ${severity}`;
    button.addEventListener("click", () => visit((lines.find(({ line }) => line > visited) ?? lines[0]).line));
    return [button];
  });
  at("counts").replaceChildren(...(buttons.length ? buttons : [element("span", "none", "No errors, no warnings")]));
}

const FILTERS = {
  all: () => true,
  answers: (line) => line.answers || MATCHES.includes(line.fate),
  matches: (line) => MATCHES.includes(line.fate),
  remarks: (line) => line.remarks.length > 0,
};

/** Draws the lines that the reader wants, and brings the one that decides into view. */
export function draw() {
  if (!answer) return;
  const rows = answer.lines.filter(FILTERS[at("shown").value]).map(row);
  at("lines").replaceChildren(...(rows.length ? rows : [element("li", "none", "No such lines.")]));
  const deciding = at("lines").querySelector(".decides");
  if (deciding) center(deciding);
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
  if (BESIDE[line.fate]) {
    const beside = element("span", "beside", BESIDE[line.fate]);
    beside.title = line.why;
    made.append(beside);
  } else if (line.why && line.fate !== "other-group") {
    const badge = BADGES[line.fate];
    const why = line.fate === "decides" ? answer.reason : line.why;
    made.append(element("span", "note", ...(badge ? [element("span", "badge", badge)] : []), why));
  }
  for (const { severity, message, code } of line.remarks) {
    made.append(element("span", `note remark ${severity}`, `${message} (${code})`));
  }
  return made;
}

/** Takes the reader to a line. */
export function visit(line) {
  visited = line;
  if (!at(`line-${line}`)) {
    at("shown").value = "all";
    draw();
  }
  at("tab-lines").click();
  const row = at(`line-${line}`);
  if (!row) return;
  row.tabIndex = -1;
  row.scrollIntoView({ block: "nearest" });
  row.focus({ preventScroll: true });
  center(row);
}

/** The row that is being centered. */
let centered = null;

/**
 * Scrolls the list, and nothing else, until a row stands in its middle. The heights of rows that were never in view are
 * estimates, and each frame measures those that have come into view: this ends when several frames have changed nothing.
 */
async function center(row) {
  const list = at("lines");
  centered = row;
  for (let turn = 0, still = 0; turn < 90 && still < 6 && row === centered && row.isConnected; turn += 1) {
    const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
    if (!outer.height) return;
    const before = list.scrollTop;
    list.scrollTop += inner.top - outer.top - Math.max(0, (outer.height - inner.height) / 2);
    still = Math.abs(list.scrollTop - before) < 1 ? still + 1 : 0;
    await new Promise(requestAnimationFrame);
  }
}

/** Brings the line that decides into view once more, after the list was out of sight. */
export function recenter() {
  const row = at(`line-${visited}`) ?? at("lines").querySelector(".decides");
  if (row) center(row);
}

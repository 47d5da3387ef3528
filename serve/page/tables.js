// Many answers at once: all known crawlers for the URL, and several URLs for the crawler, as tables and as CSV.

import { at, capital, count, csv, download, element, post, say, seen } from "/common.js";
import { visit } from "/lines.js";

/** What crawlers fetch for, in the order of the table; others follow as they come. */
const PURPOSES = { train: "Training", search: "Search", assistant: "Assistants", seo: "SEO", archive: "Archives", other: "Other" };

export const purposeName = (purpose) => PURPOSES[purpose] ?? capital(purpose);

/** Crawlers by what they fetch for. */
export function byPurpose(crawlers) {
  const groups = new Map(Object.keys(PURPOSES).map((purpose) => [purpose, []]));
  for (const crawler of crawlers) {
    if (!groups.has(crawler.purpose)) groups.set(crawler.purpose, []);
    groups.get(crawler.purpose).push(crawler);
  }
  return [...groups].filter(([, members]) => members.length);
}

const CHOICES = { named: "by name", default: "default", nobody: "no group" };

/** What each table holds, to be downloaded. */
const held = { crawlers: null, urls: null };

/** Each verdict, and how many answers have it. */
function numbers(answers) {
  const verdicts = new Map();
  for (const { verdict } of answers) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  return [...verdicts];
}

const tally = (answers) => numbers(answers).map(([verdict, number]) => `${number} ${verdict}`).join(", ");

const tallies = (answers) => numbers(answers).map(([verdict, number]) => element("span", verdict, `${number} ${verdict}`));

function head(...names) {
  const cells = names.map((name) => {
    const cell = element("th", "", name);
    cell.scope = "col";
    return cell;
  });
  return element("thead", "", element("tr", "", ...cells));
}

/** A link that takes the reader to a line. */
function lineLink(line) {
  const link = element("a", "", `${line}`);
  link.href = "#lines";
  link.addEventListener("click", (event) => { event.preventDefault(); visit(line); });
  return link;
}

/** The uses of the URL at a glance, if the text speaks of any. `pick` is called with the usage that the reader picks. */
export function uses(told, pick) {
  at("uses").hidden = !told.uses.length;
  const rows = told.uses.map((use) => {
    const name = element("button", "name", use.usage);
    name.type = "button";
    name.title = `Ask for ${use.usage}`;
    name.addEventListener("click", () => pick(use.usage));
    const header = element("th", "", name);
    header.scope = "row";
    const made = element("tr", "", header, ...cells(use).slice(0, 2), element("td", "choice", use.language ?? ""));
    if (use.usage === told.usage.toLowerCase()) made.className = "current";
    return made;
  });
  at("uses-table").replaceChildren(head("Use", "Verdict", "Deciding line", "Language"), element("tbody", "", ...rows));
}

/** The cells that tell an answer. */
function cells(answer) {
  const rule = element("td", "rule");
  if (answer.line !== null) {
    const text = answer.rule ?? answer.text ?? answer.language;
    rule.title = `line ${answer.line}: ${seen(text)}`;
    rule.append(lineLink(answer.line), " ", element("code", "", text));
  }
  const verdict = element("td", `word ${answer.verdict}`, answer.verdict);
  if (answer.conditions.length) verdict.title = `only if ${answer.conditions.join(", ")}`;
  return [verdict, rule, element("td", "choice", CHOICES[answer.choice] ?? answer.basis)];
}

/** Marks a table as no longer the answer to what the fields ask. */
function clear(name, table) {
  held[name] = null;
  at(table).replaceChildren();
  at(`${name}-csv`).disabled = true;
}

/** Asks for all known crawlers. `pick` is called with the name of one that the reader picks. */
export async function crawlers(question, pick) {
  const { agent, ...rest } = question;
  say("crawlers-status", "Asking …");
  try {
    const told = await post("/v1/test/crawlers", rest);
    held.crawlers = told;
    const groups = byPurpose(told.crawlers);
    at("glance").replaceChildren(...groups.map(([purpose, members]) =>
      element("li", "", element("b", "", purposeName(purpose)), ...tallies(members))));
    const bodies = groups.map(([purpose, members]) => {
      const title = element("th", "", `${purposeName(purpose)}: ${tally(members)}`);
      title.colSpan = 5;
      title.scope = "rowgroup";
      const rows = members.map((member) => {
        const name = element("button", "name", member.agent);
        name.type = "button";
        name.title = `Test as ${member.agent}`;
        name.addEventListener("click", () => pick(member.agent));
        const header = element("th", "", name);
        header.scope = "row";
        const operator = element("td", "", member.operator ?? "");
        operator.title = member.operator ?? "";
        const made = element("tr", "", header, operator, ...cells(member));
        if (member.agent.toLowerCase() === agent.toLowerCase()) made.className = "current";
        return made;
      });
      return element("tbody", "", element("tr", "purpose", title), ...rows);
    });
    at("crawlers").replaceChildren(head("Crawler", "Operator", "Verdict", "Deciding line", "Answered"), ...bodies);
    at("crawlers-csv").disabled = false;
    say("crawlers-status", `${count(told.crawlers.length, "known crawler")} for ${told.url}: ${tally(told.crawlers)}.`);
  } catch (error) {
    clear("crawlers", "crawlers");
    at("glance").replaceChildren();
    say("crawlers-status", error.message, true);
  }
}

/** Asks for several URLs. */
export async function urls({ url, ...rest }) {
  const list = at("urls").value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!list.length) {
    clear("urls", "several");
    return say("urls-status", "Write a URL or a path on each line.", true);
  }
  say("urls-status", "Asking …");
  try {
    const told = await post("/v1/test/urls", { ...rest, urls: list });
    held.urls = told;
    const rows = told.answers.map((answer) => {
      const header = element("th", "", answer.url);
      header.scope = "row";
      return element("tr", "", header, ...cells(answer));
    });
    at("several").replaceChildren(head("URL or path", "Verdict", "Deciding line", "Answered"), element("tbody", "", ...rows));
    at("urls-csv").disabled = false;
    say("urls-status", `${count(rows.length, "URL")} for ${told.agent.replaceAll(",", ", then ")}: ${tally(told.answers)}.`);
  } catch (error) {
    clear("urls", "several");
    say("urls-status", error.message.replace(/^question (\d+):/, "Line $1:"), true);
  }
}

const ANSWER = ["verdict", "choice", "line", "rule"];
const answerOf = (answer) => [answer.verdict, answer.choice, answer.line, answer.rule];

export function crawlersCsv() {
  const { url, usage, crawlers } = held.crawlers;
  const rows = crawlers.map((member) =>
    [url, usage, member.agent, member.operator, member.purpose, ...answerOf(member)]);
  download("crawlers.csv", "text/csv", csv([["url", "usage", "agent", "operator", "purpose", ...ANSWER], ...rows]));
}

export function urlsCsv() {
  const { agent, usage, answers } = held.urls;
  const rows = answers.map((answer) => [answer.url, usage, agent, ...answerOf(answer)]);
  download("urls.csv", "text/csv", csv([["url", "usage", "agent", ...ANSWER], ...rows]));
}

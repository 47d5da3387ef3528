// The tester: reads the fields, asks the service, and hands the answers on to be drawn.

import { about, ask, at, element, post, say, seen } from "/common.js";
import { fill, load, open, save, source } from "/files.js";
import * as lines from "/lines.js";
import * as link from "/link.js";
import { byPurpose, crawlers, crawlersCsv, purposeName, urls, urlsCsv, uses } from "/tables.js";

const TABS = ["lines", "crawlers", "urls"];

/** Counts requests, so that a slow answer does not overwrite a later one. */
let asked = 0;

/** The tab that is shown. */
let shown = "lines";

/** What the fields ask. */
function question() {
  const { url, agent, usage, purpose, profile, text } = at("form").elements;
  const question = {
    text: text.value,
    url: url.value.trim(),
    agent: agent.value.trim() || "*",
    usage: usage.value.trim() || "crawl",
    profile: profile.value,
  };
  if (purpose.value.trim()) question.purpose = purpose.value.trim();
  return question;
}

function fail(message, field) {
  lines.forget();
  lines.verdict("failed", "Not tested", message);
  if (field) {
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}

/** What is wrong with a URL before it is sent; nothing, if it is a URL or a path. */
function wrong(url) {
  if (!url) return "The URL is empty; / is the root.";
  if (/^[/?#]/.test(url) || /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || at("profile").value === "google") return null;
  const [, host, path] = /^([^/?#]*)(.*)$/s.exec(url);
  const full = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/i.test(host) ? `https://${url}, or ${path || "/"} alone` : `/${url}`;
  return `${seen(url)} is neither a URL nor a path. Did you mean ${seen(full)}?`;
}

/** Tests what the fields ask. `show` scrolls to the result where it is out of sight. */
async function test({ show = false } = {}) {
  for (const field of at("form").elements) field.removeAttribute("aria-invalid");
  const wanted = question();
  const number = ++asked;
  const complaint = wrong(wanted.url);
  if (complaint) {
    fail(complaint, at("url"));
    return reveal(show);
  }
  at("result").setAttribute("aria-busy", "true");
  try {
    const told = await post("/v1/test", wanted);
    if (number === asked) {
      lines.show(told);
      uses(told, use);
    }
  } catch (error) {
    if (number === asked) fail(`${error.message.replace(/\.$/, "")}.`);
  } finally {
    if (number === asked) at("result").removeAttribute("aria-busy");
  }
  if (number !== asked) return;
  reveal(show);
  if (!at("outcome").hidden) many(wanted);
}

/** Asks what the table in view is about. */
function many(wanted) {
  if (shown === "crawlers") crawlers(wanted, pick);
  if (shown === "urls" && at("several").rows.length) urls(wanted);
}

/** Brings the verdict into view, if a reader who pressed the button does not see it. */
function reveal(show) {
  const { top, bottom } = at("status").getBoundingClientRect();
  if (show && (top < 0 || bottom > innerHeight || innerWidth < 992)) at("result").scrollIntoView({ block: "start" });
}

/** Tests as a crawler of the list. */
function pick(agent) {
  at("agent").value = agent;
  unlink();
  test();
}

/** Asks for another usage. */
function use(usage) {
  at("usage").value = usage;
  unlink();
  test();
}

function tab(name) {
  shown = name;
  for (const other of TABS) {
    at(`tab-${other}`).setAttribute("aria-selected", String(other === name));
    at(`tab-${other}`).tabIndex = other === name ? 0 : -1;
    at(`panel-${other}`).hidden = other !== name;
  }
  if (name === "lines") lines.recenter();
  if (name === "crawlers") crawlers(question(), pick);
}

/** Fills the list of known crawlers. */
async function known() {
  try {
    const told = await (await ask("/v1/crawlers")).json();
    for (const [purpose, members] of byPurpose(told.crawlers)) {
      const group = document.createElement("optgroup");
      group.label = purposeName(purpose);
      group.append(...members.map(({ agent, operator }) => new Option(operator ? `${agent} · ${operator}` : agent, agent)));
      at("known").append(group);
    }
  } catch {
    at("known").disabled = true;
  }
}

async function share() {
  const fragment = await link.write(question(), source());
  if (fragment.length > link.LIMIT) {
    const length = fragment.length.toLocaleString("en");
    return say("link-status", `The text is too long for a link: it takes ${length} characters, and ${link.LIMIT.toLocaleString("en")} fit. Download it instead.`, true);
  }
  history.replaceState(null, "", `#${fragment}`);
  let copied = "";
  try {
    await navigator.clipboard.writeText(location.href);
    copied = " and in the clipboard";
  } catch {
    // Not every browser, and not every address, lets a page write there.
  }
  say("link-status", `The link is in the address bar${copied}. What follows # is not sent to any server.`);
}

/** A link in the address bar that no longer asks what the fields do is taken away. */
function unlink() {
  if (location.hash) history.replaceState(null, "", location.pathname);
  say("link-status", "");
}

/** Fills the fields from the link that the page was opened with, and tests. */
async function begin() {
  let told;
  try {
    told = await link.read(location.hash);
  } catch (error) {
    return fail(error.message);
  }
  for (const name of ["url", "agent", "usage", "purpose"]) {
    if (told) at(name).value = told[name] ?? (name === "url" ? "/" : "");
  }
  const profiles = [...at("profile").options].map(({ value }) => value);
  if (profiles.includes(told?.profile)) at("profile").value = told.profile;
  if (told?.text !== undefined) fill(told.text);
  if (told?.site) {
    at("site").value = told.site;
    await load(told.site);
  }
  return test();
}

/** Loads the site of the image that stands in the field. */
async function loadSite() {
  const site = await load(at("site").value.trim());
  if (!site) return at("site").focus();
  if (!/^[/?#]/.test(at("url").value.trim())) at("url").value = `${site}/`;
  unlink();
  return test();
}

at("form").addEventListener("submit", (event) => { event.preventDefault(); test({ show: true }); });
at("form").addEventListener("input", unlink);
for (const id of ["text", "urls"]) {
  at(id).addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) (id === "text" ? test({ show: true }) : urls(question()));
  });
}
at("known").addEventListener("change", () => {
  if (at("known").value) pick(at("known").value);
  at("known").value = "";
});
at("link").addEventListener("click", share);
at("open").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (file && await open(file)) {
    unlink();
    test();
  }
  at("file").value = "";
});
at("download").addEventListener("click", save);
at("load").addEventListener("click", loadSite);
at("site").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { event.preventDefault(); loadSite(); }
});
at("shown").addEventListener("change", lines.draw);
for (const name of TABS) at(`tab-${name}`).addEventListener("click", () => tab(name));
at("result").querySelector("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const name = TABS[(TABS.indexOf(shown) + step + TABS.length) % TABS.length];
  tab(name);
  at(`tab-${name}`).focus();
});
at("crawlers-csv").addEventListener("click", crawlersCsv);
at("urls-send").addEventListener("click", () => urls(question()));
at("urls-csv").addEventListener("click", urlsCsv);
addEventListener("hashchange", begin);
about();
known();
begin();

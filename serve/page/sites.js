// The sites of the image, a page at a time, from the first whose host begins as the reader says.

import { about, ask, at, count, element, say } from "/common.js";

/** The last site of this page, if there are more. */
let next = null;

/** Counts requests, so that a slow answer does not overwrite a later one. */
let asked = 0;

async function show(after) {
  const number = ++asked;
  const prefix = at("prefix").value.trim();
  const query = new URLSearchParams();
  if (prefix) query.set("prefix", prefix);
  if (after) query.set("after", after);
  history.replaceState(null, "", `#${query}`);
  try {
    const told = await (await ask(`/v1/sites?${query}`)).json();
    if (number !== asked) return;
    next = told.next;
    at("sites").tBodies[0].replaceChildren(...told.sites.map(row));
    at("sites").parentElement.scrollTop = 0;
    const begin = prefix ? ` whose host begins with ${prefix}` : "";
    const more = next ? ", and more follow" : "";
    say("status", told.sites.length ? `${count(told.sites.length, "site")}${begin}${more}.` : `No ${after ? "more sites" : "site"}${begin}.`);
  } catch (error) {
    if (number !== asked) return;
    next = null;
    at("sites").tBodies[0].replaceChildren();
    say("status", error.message, true);
  }
  at("next").disabled = !next;
  at("first").disabled = !after;
}

function row(site) {
  const link = element("a", "", site.site);
  link.href = `/#${new URLSearchParams({ url: "/", agent: "*", site: site.site })}`;
  const header = element("th", "");
  header.scope = "row";
  // Only where there are rules is there a text to test.
  header.append(site.outcome === "rules" ? link : element("span", "", site.site));
  const fetched = site.fetched_at ? site.fetched_at.slice(0, 10) : "";
  return element("tr", "", header, element("td", "", site.outcome ?? "damaged"), element("td", "", String(site.status ?? "")),
    element("td", "", fetched), element("td", "number", site.bytes === null ? "" : site.bytes.toLocaleString("en")),
    element("td", "remarks", ...remarks(site.issues)));
}

function remarks(issues) {
  if (!issues) return [];
  const parts = ["error", "warning", "note"].filter((severity) => issues[`${severity}s`]);
  return parts.map((severity) => element("span", severity, count(issues[`${severity}s`], severity)));
}

function begin() {
  const query = new URLSearchParams(location.hash.slice(1));
  at("prefix").value = query.get("prefix") ?? "";
  show(query.get("after"));
}

at("form").addEventListener("submit", (event) => { event.preventDefault(); show(null); });
at("first").addEventListener("click", () => show(null));
at("next").addEventListener("click", () => show(next));
addEventListener("hashchange", begin);
about();
begin();

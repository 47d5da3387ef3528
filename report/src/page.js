// The search: hosts, and the policy of the one that is picked; and the tables as CSV. Data stand in the page as base64 of
// raw deflate (see embed.rs, policy.rs and gather.rs for their shapes). What sites have written becomes text, never markup.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const [input, list, state, view] = ["host", "hosts", "state", "site"].map(at);
  const LISTED = 50;

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const inflated = (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).text();
  };

  // The texts, block by block; the last one that was opened is kept.
  const blocks = [...document.querySelectorAll("script[data-first]")];
  const firsts = blocks.map((block) => Number(block.dataset.first));
  let open = { number: -1, lines: [] };
  const policy = async (text) => {
    let number = firsts.length - 1;
    while (firsts[number] > text) number--;
    if (open.number !== number) open = { number, lines: (await inflated(blocks[number].textContent)).split("\n") };
    return JSON.parse(open.lines[text - firsts[number]]);
  };

  let index;
  const SCHEMES = ["", "http://", "https://"];
  const url = (place) => SCHEMES[index.schemes[place]] + index.names[place];

  // The places of names that begin with the words come first, then of those that hold them; and how many there are.
  const matching = (words) => {
    const names = index.names;
    let [low, high] = [0, names.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (names[middle] < words) low = middle + 1;
      else high = middle;
    }
    const found = [];
    let count = 0;
    const add = (place) => {
      if (count++ < LISTED) found.push(place);
    };
    for (let place = low; names[place]?.startsWith(words); place++) add(place);
    for (let place = 0; place < names.length; place++) if (names[place].indexOf(words) > 0) add(place);
    return { found, count };
  };

  let chosen = -1;
  const choose = (number) => {
    chosen = number;
    [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
    if (chosen < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", list.children[chosen].id);
      list.children[chosen].scrollIntoView({ block: "nearest" });
    }
  };
  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    choose(-1);
  };
  // Nothing is found: what was shown before is no answer to that.
  const missed = (message) => {
    view.hidden = true;
    view.replaceChildren();
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    state.textContent = message;
  };
  const suggest = () => {
    close();
    const words = input.value.trim().toLowerCase().replace(/^https?:\/\//, "").replace(/\/.*$/, "");
    state.textContent = "";
    if (!words) return;
    const { found, count } = matching(words);
    if (!count) missed(`No host in this page has \u201c${words}\u201d in its name.`);
    else if (count > found.length) {
      const [all, listed] = [count, found.length].map((number) => number.toLocaleString("en"));
      state.textContent = `${all} hosts match; the first ${listed} are listed. Type more of the name.`;
    }
    list.append(
      ...found.map((place, number) => {
        const item = element("li", { role: "option", id: `host-${number}`, "aria-selected": "false" }, url(place));
        item.dataset.place = place;
        return item;
      }),
    );
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(found.length > 0));
  };
  const pick = (item) => {
    const place = Number(item.dataset.place);
    input.value = index.names[place];
    close();
    location.hash = `site=${encodeURIComponent(url(place))}`;
  };

  input.addEventListener("input", suggest);
  input.addEventListener("keydown", (event) => {
    const items = list.children;
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && items.length) pick(items[Math.max(chosen, 0)]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!items.length) suggest();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (items.length) choose((Math.max(chosen, step < 0 ? 0 : -1) + step + items.length) % items.length);
    } else return;
    event.preventDefault();
  });
  // Before the field loses the focus, and with it the list.
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const item = event.target.closest("li");
    if (item) pick(item);
  });
  input.addEventListener("blur", close);

  const facts = (pairs) =>
    element("dl", { class: "facts" }, ...pairs.map(([what, said]) => {
      return element("div", {}, element("dt", {}, what), element("dd", {}, said));
    }));
  const GROUNDS = {
    named: "by name",
    default: "along with everyone (*)",
    "no-group": "no group applies",
    outcome: "by the outcome of the fetch",
    untold: "the image does not say",
  };
  const SHARES = { none: "Nothing", some: "A part", all: "Everything", unknown: "Not known" };
  const extents = ({ kinds, extents }) =>
    element("dl", { class: "extents" }, ...kinds.flatMap(([share, ground, line, mark], number) => {
      const names = index.crawlers.filter((_, place) => extents[place] === number);
      const said = [GROUNDS[ground], line ? `line ${line}` : "", mark];
      return [
        element("dt", {}, element("span", { class: "share" }, SHARES[share]), `, ${said.filter(Boolean).join(", ")}`),
        element("dd", { "data-share": share, "data-ground": ground }, ...names.map((name) => element("span", { class: "chip" }, name))),
      ];
    }));
  const row = (line, key, kind, value, more) => {
    const cells = [element("td", { class: "line" }, String(line)), element("td", { class: `key ${kind}` }, key)];
    const pattern = element("td", { class: "pattern" }, value);
    if (more) pattern.append(element("span", { class: "soft" }, `  ${more}`));
    return element("tr", {}, ...cells, pattern);
  };
  const records = (all) => all.map(([line, key, value]) => row(line, key, "", value));
  const group = ({ agents, rules, schedule = [], records: others = [], about = [] }) => {
    const rows = rules.map(([line, permits, pattern, more]) =>
      row(line, permits ? "Allow" : "Disallow", permits ? "allow" : "disallow", pattern, more));
    const names = agents.map((name) => element("bdi", {}, name));
    const commas = names.flatMap((name, place) => (place ? [", ", name] : [name]));
    const said = [...about, ...schedule].join("; ");
    return element("details", { class: "group", open: "" }, element("summary", {}, ...commas),
      ...(said ? [element("p", { class: "soft" }, said)] : []),
      element("div", { tabindex: "0", role: "region", "aria-label": `Rules for ${agents[0]}` },
        element("table", {}, element("tbody", {}, ...rows, ...records(others)))));
  };

  const show = async (place) => {
    const said = await policy(index.texts[place]);
    const time = index.at[place] ? new Date(1000 * index.at[place]).toISOString().replace(/\.\d+Z$/, "Z") : "not known";
    const same = index.texts.filter((text) => text === index.texts[place]).length - 1;
    view.replaceChildren(
      element("h3", { tabindex: "-1" }, url(place)),
      facts([
        ["outcome", index.outcomes[index.fetched[place]] ?? "damaged"],
        ["status", String(index.status[place] || "none")],
        ["fetched", time],
        ["other sites here with the same answers", same.toLocaleString("en")],
      ]),
      element("h3", {}, "How much of it well-known crawlers may crawl"),
      extents(said),
      ...(said.groups.length ? [element("h3", {}, "Groups"), ...said.groups.map(group)] : []),
      ...(said.more ? [element("p", { class: "soft" }, `${said.more.toLocaleString("en")} more rules are not in this page.`)] : []),
      ...(said.records.length ? [element("h3", {}, "Other records"), element("table", {}, element("tbody", {}, ...records(said.records)))] : []),
    );
    view.hidden = false;
    state.textContent = "";
  };

  // `#site=https://a.example`, or a host alone: then https goes first.
  const follow = async () => {
    const wanted = decodeURIComponent(location.hash.match(/^#site=(.*)$/)?.[1] ?? "").toLowerCase();
    if (!wanted) return;
    const of = (name) => index.names.findIndex((_, place) => url(place) === name);
    const place = ["", "https://", "http://"].map((scheme) => of(scheme + wanted)).find((place) => place >= 0);
    if (place === undefined) missed(`This page holds no site ${wanted}.`);
    else await show(place);
  };

  // A table as CSV (RFC 4180): numbers without commas and percent signs. What a spreadsheet would take for a formula is a
  // name that a site has written; an apostrophe before it keeps it text.
  const csv = (table) => {
    const cell = (cell) => {
      const text = cell.textContent;
      if (cell.matches("td.number")) return text.replace(/[,%]/g, "");
      const safe = /^[-=+@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    return [...table.rows].map((row) => [...row.cells].map(cell).join(",") + "\r\n").join("");
  };
  const download = (name, text) => {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: `${name}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  for (const chart of document.querySelectorAll(".chart")) {
    const title = chart.querySelector("h2").textContent;
    const button = element("button", { type: "button", class: "csv", "aria-label": `Download CSV: ${title}` }, "Download CSV");
    button.addEventListener("click", () => download(chart.id, csv(chart.querySelector("table"))));
    chart.append(button);
  }

  const start = async () => {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot inflate them");
    index = JSON.parse(await inflated(at("index").textContent));
    input.disabled = false;
    addEventListener("hashchange", () => follow().catch(failed));
    await follow();
    document.documentElement.dataset.ready = Math.round(performance.now());
  };
  const failed = (error) => {
    state.textContent = `The sites cannot be shown: ${error.message}.`;
  };
  start().catch(failed);
})();

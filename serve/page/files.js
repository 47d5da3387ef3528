// Where the text comes from and goes to: a file of the reader's, a site of the image, a download.

import { ask, at, count, download, say } from "/common.js";

/** Bytes of a file that is opened; of the text, the service reads 500 KiB. */
const LONGEST = 2 << 20;

/** The site that the text was loaded from, as long as the text is unchanged. */
let loaded = null;

export const source = () => (loaded && loaded.text === at("text").value ? loaded.site : null);

/** Puts a text into the editor. */
export function fill(text) {
  at("text").value = text;
  loaded = null;
}

export function save() {
  download("robots.txt", "text/plain", at("text").value);
}

/** Opens the file that was chosen. A mark of byte order is part of the text. */
export async function open(file) {
  if (file.size > LONGEST) {
    say("text-status", `${file.name} has ${count(file.size, "byte")}; at most 2 MiB are opened.`, true);
    return false;
  }
  try {
    fill(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.arrayBuffer()));
  } catch (error) {
    say("text-status", `${file.name} cannot be read: ${error.message}`, true);
    return false;
  }
  say("text-status", `${file.name}: ${count(at("text").value.split("\n").length, "line")}.`);
  return true;
}

/** The sites that may be meant: as it was written, the other scheme, with and without `www.`. */
function candidates(site) {
  const [, scheme, rest] = /^(?:(https?):\/\/)?(.*)$/is.exec(site);
  const host = rest.split(/[/?#]/)[0].toLowerCase();
  const other = host.startsWith("www.") ? host.slice(4) : `www.${host}`;
  const schemes = scheme?.toLowerCase() === "http" ? ["http", "https"] : ["https", "http"];
  return [host, other].flatMap((host) => schemes.map((scheme) => `${scheme}://${host}`));
}

/** Loads a site of the image, or says beside the field why not. */
export async function load(site) {
  at("site").removeAttribute("aria-invalid");
  const refuse = (sentence) => {
    say("text-status", sentence, true);
    at("site").setAttribute("aria-invalid", "true");
    return null;
  };
  if (!site) return refuse("Which site? Write its host, or a URL of it.");
  const [wanted, ...others] = candidates(site);
  for (const url of [wanted, ...others]) {
    try {
      const text = await (await ask(`/v1/text?url=${encodeURIComponent(url)}`)).text();
      fill(text);
      loaded = { site: url, text: at("text").value };
      const instead = url === wanted || !site.includes("://") && url.endsWith(`://${wanted.split("://")[1]}`) ? "" : `, not ${wanted}`;
      say("text-status", `Loaded ${url}${instead}: ${count(at("text").value.split("\n").length, "line")}.`);
      return url;
    } catch (error) {
      // A site that is held without a text is not looked for under other names.
      if (error.status !== 404 || /holds no text/.test(error.message)) return refuse(error.message);
    }
  }
  return refuse(`The image does not contain ${site}, with http or https, with or without www.`);
}

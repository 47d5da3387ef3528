// A link that asks the same question again. It stands in the URL's fragment, which browsers keep to themselves: what it
// holds reaches the service only as any question does, when the page asks it.
//
//   #url=/search&agent=GPTBot&profile=full&text=User-agent…     plain
//   #url=/search&agent=GPTBot&profile=full&packed=…             deflated, in base64url, where that is shorter
//   #url=/search&agent=GPTBot&profile=full&site=https://…       a text as the image holds it

/** Characters of a fragment. Browsers take more, but programs that links are sent with cut longer ones off. */
export const LIMIT = 30_000;

/** Bytes of a text that is unpacked: a short link can stand for a very long text. */
const LONGEST = 2 << 20;

const FIELDS = ["url", "agent", "usage", "purpose", "profile"];

const toBase64 = (bytes) => {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** All bytes of a stream, of at most [`LONGEST`]. */
async function all(stream) {
  const chunks = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LONGEST) {
      await reader.cancel();
      throw new Error("the text of the link is over 2 MiB");
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function pack(text) {
  if (!("CompressionStream" in window)) return null;
  return toBase64(await all(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))));
}

async function unpack(packed) {
  if (!("DecompressionStream" in window)) throw new Error("this browser cannot unpack it");
  const stream = new Blob([fromBase64(packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await all(stream));
}

/** The fragment of a question; `site` is that of the text, where the image holds it so. */
export async function write(question, site) {
  const fragment = new URLSearchParams();
  for (const field of FIELDS) if (question[field]) fragment.set(field, question[field]);
  if (site) {
    fragment.set("site", site);
    return fragment.toString();
  }
  const packed = await pack(question.text);
  const plain = new URLSearchParams(fragment);
  plain.set("text", question.text);
  if (packed === null || plain.toString().length < fragment.toString().length + packed.length + 8) return plain.toString();
  fragment.set("packed", packed);
  return fragment.toString();
}

/** The question of a fragment, with `text` or `site`; null where it asks none. */
export async function read(hash) {
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  if (!["url", "text", "packed", "site"].some((name) => fragment.has(name))) return null;
  const question = {};
  for (const name of [...FIELDS, "text", "site"]) if (fragment.has(name)) question[name] = fragment.get(name);
  if (fragment.has("packed")) {
    try {
      question.text = await unpack(fragment.get("packed"));
    } catch (error) {
      throw new Error(`The text of this link cannot be read: ${error.message}.`);
    }
  }
  return question;
}

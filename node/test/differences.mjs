// Where the answers differ from those of robots-parser, and why: data for tests and race.mjs.
//
// Each difference has a name, a sentence that README.md shows, and for robots-parser's own tests the
// questions of a test whose answers differ.

export const differences = {
  'crawl-delay in a list of user-agents': {
    reason:
      'A Crawl-delay between two User-agent records does not end the list of user-agents: both agents have the rules and ' +
      'the delay, the longest of several (RFC 9309, as Google reads it). In robots-parser any other record ends the list.',
    suite: {
      'should parse the crawl-delay directive': ['getCrawlDelay("b")'],
      'should fallback to * when a UA has no rules of its own': [
        'getCrawlDelay("should-fall-back")',
        'getCrawlDelay("d")',
        'getCrawlDelay("dd")',
      ],
      'should not fallback to * when a UA has rules': ['getCrawlDelay("b")'],
      'should ignore version numbers in the UA string': [
        'getCrawlDelay("should-fall-back/1.0.0")',
        'getCrawlDelay("d/12")',
        'getCrawlDelay("dd / 0-32-3")',
      ],
    },
  },
  'lone surrogates': {
    reason:
      'Half of a surrogate pair is no character: text and URL have U+FFFD in its place, so a rule with one matches a URL ' +
      'with one. In robots-parser such a rule matches nothing.',
    suite: {
      'should handle lone high / low surrogates': [
        'isAllowed("http://www.example.com/\\udc00")',
        'isAllowed("http://www.example.com/\\ud800")',
      ],
    },
  },
};

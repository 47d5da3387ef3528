// For programs that use the package robots-parser: the same function, as the only export.
'use strict';

module.exports = require('./index.cjs').robotsParser;

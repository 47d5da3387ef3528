// The package for `require`: loads the addon of this platform, which `build` puts here.
'use strict';

const addon = `./robomaton.${process.platform}-${process.arch}.node`;

let native;
try {
  native = require(addon);
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND') throw error;
  const cure = 'build it with `./build` in the folder `node` of the repository';
  throw new Error(`this copy of robomaton has no addon for ${process.platform}-${process.arch}: ${cure}`, { cause: error });
}

exports.Image = native.Image;
exports.Crawler = native.Crawler;
exports.Robots = native.Robots;
exports.robotsParser = native.robotsParser;
/** The verdicts, in the order of the codes of `decideMany`. */
exports.VERDICTS = Object.freeze(native.verdicts());
exports.version = native.version();

// `using image = Image.open(path)` closes it.
if (Symbol.dispose) native.Image.prototype[Symbol.dispose] = native.Image.prototype.close;

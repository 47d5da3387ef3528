// The package for `import`.
import native from './index.cjs';

export const { Image, Crawler, Robots, robotsParser, VERDICTS, version } = native;

import { robotsParser } from './index.cjs';
export = robotsParser;

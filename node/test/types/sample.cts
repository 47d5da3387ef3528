// The same package through `require`.
import robomaton = require('robomaton');
import robotsParser = require('robomaton/robots-parser');

const image: robomaton.Image = robomaton.Image.open('crawl.rimg');
const allowed: boolean = image.isAllowed('https://example.com/', image.crawler('a'));
const robots: robomaton.Robots = robotsParser('https://example.com/robots.txt', '');
console.log(allowed, robots.getPreferredHost());

// A program whose `lib` has `Symbol.dispose`: the block closes the image.
import { Image } from 'robomaton';

using image = Image.open('crawl.rimg');
const disposable: Disposable = image;
console.log(image.size, disposable);

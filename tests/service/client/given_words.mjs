/** Given words; `drawn` says how many were used. */
export class GivenWords {
  drawn = 0;

  constructor(words) {
    this.words = words;
  }

  next() {
    if (this.drawn >= this.words.length) throw new RangeError("more words were drawn than there are");
    this.drawn += 1;
    return this.words[this.drawn - 1];
  }
}

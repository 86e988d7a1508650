import { closestWord } from "../../api/spelling.ts";

/** Short words are close to too many others. */
const shortestWord = 4;

/** What a word was most likely meant to be; undefined when nothing is close, or the word is too short to tell. */
export function meantBy(word: string, candidates: Iterable<string>): string | undefined {
  return word.length < shortestWord ? undefined : closestWord(word, candidates);
}

/** What a person wrote themselves, sentence by sentence: without code, quotations, tables and traces. */
export function spokenSentences(content: string, maxChars: number): string[] {
  return content
    .slice(0, maxChars)
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .replaceAll('’', "'")
    .split('\n')
    .filter((line) => !/^\s*(?:>|\||at |\$ )/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, ''))
    .flatMap((line) => line.match(/[^.!?]+(?:[.!?]+(?!\s|$|["'])[^.!?]*)*[.!?]*/g) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

const courtesy =
  /^(?:(?:(?:hi|hello|hey)[,!.]?|please|kindly|(?:can|could|would|will) you|i (?:want|need|would like)(?: you)?(?: to)?|i'd like(?: you)?(?: to)?|let's|let us)\s+)+/i;
const imperative =
  /^(?:delegate(?: this)?:?\s+)?(?:and\s+|then\s+)*(?:write|create|make|build|draft|compose|prepare|produce|generate|design|document|research|summari[sz]e|compare|implement|translate|put|add|save|give|list(?! of))\b(?:\s+(?:me|us))?[:\s]+/i;
const fileLead =
  /^(?:(?:the|these|two|three|four|five|\d+)\s+)*files?(?:\s+(?:named|called))?:?\s+(?=\S+\.\w{1,5}\b)/i;
const bullet = /^\s*(?:[-*•]|\d+[.)])\s+(\S.*)$/;
const separator = /\s*(?:;|\n|,\s+(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)\s*/i;
const determiner = /^(?:an?|the|one|two|three|four|five|some|another|my|our|\d+)\b/i;
const head = /^(.*\b(?:about|on|of|for|describing|explaining)\s+)\S/i;
const fileName = /\.\w{1,5}\b/;

const maxItems = 12;
const maxItemLength = 300;

/** The separate things a goal asks for: its list lines, else what "and", commas and ";" join. */
export function splitGoal(goal: string): string[] {
  const listed = listItems(goal);
  const pieces = listed.length >= 2 ? listed : spreadHead(splitSentence(goal));
  const items = pieces.map((piece) => bare(piece).slice(0, maxItemLength)).filter(isNotEmpty);
  if (items.length <= maxItems) return items;
  const rest = items.slice(maxItems - 1).join('; ');
  return [...items.slice(0, maxItems - 1), rest.slice(0, maxItemLength)];
}

/** Whether a message asks for things to be made, rather than to talk. */
export function looksLikeWork(message: string): boolean {
  const text = message.trim();
  if (listItems(text).length >= 2) return true;
  if (imperative.test(text.replace(courtesy, ''))) return true;
  const pieces = splitSentence(text);
  return pieces.length >= 2 && pieces.every((piece) => determiner.test(piece)) && !/\?$/.test(text);
}

function listItems(text: string): string[] {
  return text.split('\n').flatMap((line) => bullet.exec(line)?.[1] ?? []);
}

function splitSentence(text: string): string[] {
  return bare(text).split(separator).map(bare).filter(isNotEmpty);
}

// "notes about cats and dogs" asks for notes about cats and for notes about dogs.
function spreadHead(pieces: string[]): string[] {
  let shared = '';
  return pieces.map((piece) => {
    const own = head.exec(piece)?.[1];
    if (own !== undefined) shared = own;
    const isWhole = own !== undefined || determiner.test(piece) || fileName.test(piece);
    return isWhole ? piece : shared + piece;
  });
}

function bare(text: string): string {
  const item = text.trim().replace(courtesy, '').replace(imperative, '').replace(fileLead, '');
  return (bullet.exec(item)?.[1] ?? item).replace(/[\s.!?:;,]+$/, '').trim();
}

function isNotEmpty(text: string): boolean {
  return text !== '';
}

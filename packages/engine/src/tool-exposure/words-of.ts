/** A long message says what it wants at its beginning or at its end. */
const maxLooked = 4_000;

/** Verbs and nouns that mean the same when a tool is looked for. */
const sameWords: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['create', 'make add new erstelle erstellen anlegen crée crea'],
    ['search', 'find lookup query suche suchen such cherche busca buscar'],
    ['remove', 'delete erase lösche löschen entferne entfernen supprime elimina'],
    ['show', 'display view get zeige zeig anzeigen montre muestra'],
    ['send', 'post sende senden schicke schicken envoie envía'],
    ['update', 'change modify edit ändere ändern aktualisiere modifie actualiza'],
    ['message', 'nachricht mensaje'],
    ['file', 'datei fichier archivo'],
  ].flatMap(([word = '', others = '']) => others.split(' ').map((other) => [stem(other), word])),
);

/** Words that stand in every request or in every name and tell nothing apart. */
const emptyWords = new Set(
  'the a an and or of to for with from in on at by is it this that my me you your all use tool show what der die das und mit für von ein eine'.split(
    ' ',
  ),
);

/** The words of a request or a name by which tools are told apart, each once, in one form. */
export function wordsOf(text: string): Set<string> {
  const looked =
    text.length <= maxLooked ? text : `${text.slice(0, maxLooked)} ${text.slice(-maxLooked)}`;
  // camelCase names are several words.
  const parted = looked.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  const marks = /\baf_[a-z0-9]/.test(parted) ? ['artifact'] : [];
  const words = (parted.match(/[\p{L}\p{N}]+/gu) ?? []).map(oneForm);
  return new Set([...marks, ...words].filter((word) => word.length > 1 && !emptyWords.has(word)));
}

function oneForm(word: string): string {
  const stemmed = stem(word);
  return Object.hasOwn(sameWords, stemmed) ? (sameWords[stemmed] ?? stemmed) : stemmed;
}

function stem(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

const negations =
  /(?<!\p{L})(?:don't|do not|never(?: ever)?|stop|quit|avoid|no more|no|not|without|h[öo]re?(?: damit)? auf|nicht(?: mehr)?|nie(?:mals| wieder)?|keine?[nrms]?)(?!\p{L})/giu;
const preferences = /(?<!\p{L})(?:instead of|rather than|anstelle von|anstatt|statt)(?!\p{L})/giu;

/** Words that tell nothing of what is wanted. */
const silent = new Set(
  `a always an are as at be ever for in is it just me my of on only please really should that the to too
  use using uses used you your we our
  auf bei bitte das dem den der des dich die du ein eine einen einem für ich im immer in ist mal mich mir
  mit nur sollst so uns von wir zu
  benutze benutz benutzen nehmen nimm nutze nutzen verwende verwenden`.split(/\s+/),
);

/** How a rule reads once wording, order of contrast and endings are set aside; empty when nothing is left. */
export function ruleForm(rule: string): string {
  const text = rule.toLowerCase().replaceAll('’', "'");
  const swapped = text
    .replace(/^(?:not|nicht) (.+?),? (?:but|sondern) (.+)$/u, '$2 instead of $1')
    .replace(/^(?:instead of|statt|anstatt) (.+?), (.+)$/u, '$2 instead of $1')
    .replace(/, (?:and )?(?:not|no|nicht|keine?[nrms]?) (?=[^,]+$)/u, ' instead of ');
  const [wanted = '', unwanted = ''] = swapped.replace(preferences, '|').split('|');
  const left = plainWords(wanted);
  const right = plainWords(unwanted);
  return right === '' ? left : `${left} over ${right}`;
}

/** Forms that say the opposite of a form, as far as words alone tell. */
export function opposedForms(form: string): string[] {
  const [left = '', right] = form.split(' over ');
  if (right !== undefined) return [`${right} over ${left}`, right, `not ${left}`];
  return [form.startsWith('not ') ? form.slice(4) : `not ${form}`];
}

function plainWords(text: string): string {
  const isNegated = text.search(negations) >= 0;
  const words = (text.replace(negations, ' ').match(/[\p{L}\p{N}][\p{L}\p{N}+#._/'-]*/gu) ?? [])
    .map((word) => word.replace(/[._/'-]+$/, ''))
    .filter((word) => word !== '' && !silent.has(word))
    .map(stem);
  return words.length === 0 ? '' : [...(isNegated ? ['not'] : []), ...words].join(' ');
}

function stem(word: string): string {
  if (word.length < 5) return word.replace(/(?<=\p{L}{3})s$/u, '');
  return word.replace(/(\p{L})\1ing$/u, '$1').replace(/(?:ings?|e[dsn]|[se])$/u, '');
}

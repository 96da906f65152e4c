import { factWords, type WordKind } from './fact-words.ts';

/** Picks at random, the same in every run. */
export interface Picker {
  below(limit: number): number;
  of<T>(list: readonly T[]): T;
}

/** A picker whose choices follow from the seed alone. */
export function createPicker(seed: number): Picker {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, of: <T>(list: readonly T[]) => list[below(list.length)] as T };
}

/** Something that was said, with the words that tell it from the rest. */
export interface Fact {
  kind: FactKind;
  role: 'user' | 'assistant' | 'tool';
  text: string;
  words: string[];
  /** A part of the text as somebody would quote it. */
  quote: string;
  /** Names as programmers write them. */
  identifiers: string[];
}

export type FactKind = (typeof factKinds)[number];
export const factKinds = [
  'decision',
  'owner',
  'money',
  'error',
  'edit',
  'upgrade',
  'german',
  'french',
  'spanish',
  'chinese',
  'japanese',
] as const;

/** A fact of a kind; others of its kind share some of its words, hardly ever all. */
export function makeFact(kind: FactKind, picker: Picker): Fact {
  const word = (of: WordKind) => picker.of<string>(factWords[of]);
  const number = (from: number, to: number) => String(from + picker.below(to - from));
  const [component, tech, reason, month] = [
    word('component'),
    word('tech'),
    word('reason'),
    word('month'),
  ];
  const path = `src/${word('folder')}/${word('file')}-${number(10, 99)}.ts`;
  const plain = (role: Fact['role'], quote: string, words: string[], rest: string): Fact => ({
    kind,
    role,
    text: `${quote}${rest}`,
    words,
    quote,
    identifiers: [],
  });
  switch (kind) {
    case 'decision':
      return plain(
        'user',
        `We decided to move ${component} to ${tech} because of ${reason}`,
        [component, tech, reason, month],
        `, and it starts in ${month}.`,
      );
    case 'owner': {
      const [name, team] = [word('name'), word('team')];
      const quote = `${name} from ${team} owns ${component}`;
      return plain('user', quote, [name, team, component, month], ` and needs it by ${month}.`);
    }
    case 'money': {
      const amount = number(1_000, 99_999);
      const quote = `The budget for ${component} is ${amount} euros`;
      return plain('assistant', quote, [component, amount, tech], `; ${tech} is most of it.`);
    }
    case 'error': {
      const [code, host] = [`E${number(1_000, 9_999)}`, word('host')];
      const constant = `ERR_${word('noun')}_${word('symptom')}`.toUpperCase();
      const quote = `The nightly job on ${host} failed with ${code}`;
      const fact = plain(
        'tool',
        quote,
        [host, code, tech],
        ` (${constant}) in ${path} under ${tech}`,
      );
      return { ...fact, identifiers: [code, constant, path] };
    }
    case 'edit': {
      const [verb, noun, count] = [word('verb'), word('noun'), number(2, 400)];
      const camel = `${verb}${noun}${word('noun')}`;
      const snake = `${word('verb')}_${word('file')}_${number(10, 99)}`;
      const quote = `edited ${path}: renamed ${camel} to ${snake}`;
      const fact = plain('tool', quote, [path, camel, snake], `, ${count} lines changed`);
      return { ...fact, identifiers: [camel, snake, path.split('/')[2] ?? path] };
    }
    case 'upgrade': {
      const version = `${number(1, 9)}.${number(0, 30)}.${number(0, 60)}`;
      const [library, symptom] = [word('library'), word('symptom')];
      const quote = `Upgrade ${library} to ${version}`;
      const fact = plain(
        'assistant',
        quote,
        [library, version, symptom],
        `, older ones show ${symptom} with ${tech}.`,
      );
      return { ...fact, identifiers: [version] };
    }
    case 'german': {
      const topic = word('german');
      const quote = `Die ${topic} läuft ab ${month} über ${tech}`;
      return plain('user', quote, [topic, tech, month], `, Ansprechpartner ist ${word('name')}.`);
    }
    case 'french': {
      const [topic, name] = [word('french'), word('name')];
      const quote = `La ${topic} de ${component} est confiée à ${name}`;
      return plain('user', quote, [topic, component, name], `, sans ${tech}.`);
    }
    case 'spanish': {
      const [topic, amount] = [word('spanish'), number(100, 9_999)];
      const quote = `El límite de ${topic} es ${amount} por hora`;
      return plain('user', quote, [topic, amount, tech], ` con ${tech}.`);
    }
    case 'chinese': {
      const [topic, other, amount] = [word('chinese'), word('chinese'), number(100, 9_999)];
      const quote = `我们决定把${topic}的${other}上限设为${amount}`;
      return plain('user', quote, [`${topic}的${other}`, amount], `，由${word('name')}负责。`);
    }
    case 'japanese': {
      const [topic, other, name] = [word('japanese'), word('japanese'), word('name')];
      const quote = `${topic}の${other}は${name}さんが担当します`;
      return plain(
        'user',
        quote,
        [`${topic}の${other}`, name],
        `。期限は${number(10, 99)}日です。`,
      );
    }
  }
}

const maxWords = 6;

const phrases = `
hi, hello, hey, hiya, howdy, yo, greetings, welcome back, good morning, good afternoon, good evening, good night, good day
thanks, thank you, thx, ty, tysm, cheers, much appreciated, many thanks, no thanks, no thank you
thanks for the help, thanks for your help, thank you for your help, thank you for the help
bye, goodbye, see you, see you later, see you tomorrow, take care, talk to you later, have a nice day, have a great day, have a good day, have a nice weekend, have a good one
how are you, how are you doing, how is it going, hows it going, how do you do, how are things, whats up, sup, nice to meet you
who are you, whats your name, what is your name, youre welcome, well done, good job, nice work, good bot, lol, haha
hallo, hi zusammen, moin, moin moin, servus, grüezi, grüß dich, guten morgen, guten tag, guten abend, gute nacht
danke, danke dir, danke schön, dankeschön, vielen dank, besten dank, nein danke, tschüss, auf wiedersehen, bis bald, bis morgen, bis später
wie gehts, wie geht es dir, wie gehts dir, wie geht es ihnen, wer bist du, wie heißt du, schönen tag, schönen feierabend, schönes wochenende
bonjour, bonsoir, salut, coucou, merci, merci beaucoup, non merci, au revoir, à bientôt, à demain, bonne nuit, bonne journée, comment ça va, comment vas tu, comment allez vous
hola, buenos días, buenas tardes, buenas noches, gracias, muchas gracias, no gracias, adiós, hasta luego, hasta mañana, cómo estás, qué tal
ciao, buongiorno, buonasera, grazie, grazie mille, no grazie, arrivederci, come stai, come va
olá, oi, bom dia, boa tarde, boa noite, obrigado, obrigada, muito obrigado, muito obrigada, tchau, como vai
hoi, goedemorgen, goedemiddag, goedenavond, dank je, dank je wel, bedankt, tot ziens, hoe gaat het
hej, god morgon, tack, tack så mycket, hej då, cześć, dzień dobry, dziękuję, dzięki, do widzenia, ahoj, dobrý den, děkuji
merhaba, günaydın, teşekkürler, teşekkür ederim, nasılsın, привет, здравствуйте, доброе утро, добрый день, спасибо, большое спасибо, пока, до свидания, как дела
你好, 您好, 早上好, 晚上好, 谢谢, 谢谢你, 多谢, 再见, 你好吗, こんにちは, こんばんは, おはよう, おはようございます, ありがとう, ありがとうございます, さようなら, お元気ですか
안녕, 안녕하세요, 감사합니다, 고마워, 고마워요, 안녕히 계세요, नमस्ते, धन्यवाद, مرحبا, السلام عليكم, شكرا, שלום, תודה
`;

/** Words that may stand beside a friendly one and ask for nothing. */
const fillers = `
loom there again all everyone everybody folks team guys friend buddy mate dear my so very much a lot today too and you oh ah ok okay
great perfect awesome cool nice wonderful super lovely then really
na liebe lieber leute zusammen auch und dir euch so sehr heute toll prima klasse nochmal
à tous et toi mon ami très bien y tú amigo muy mio tutti e tu 朋友
`;

/** The phrases by their first word, longest first. */
const byFirstWord = new Map<string, string[][]>();
for (const phrase of phrases.split(/[,\n]/).map(spokenWords)) {
  const [first] = phrase;
  if (first === undefined) continue;
  const known = [...(byFirstWord.get(first) ?? []), phrase];
  byFirstWord.set(
    first,
    known.sort((a, b) => b.length - a.length),
  );
}
const fillerWords = new Set(spokenWords(fillers));

/**
 * Whether a message is a greeting, thanks or a farewell and nothing else, in one of many languages.
 * "Yes" and "go on" are none: they ask for what was proposed before.
 */
export function isSmallTalk(text: string): boolean {
  if (text.length > 200) return false;
  const words = spokenWords(text);
  if (words.length === 0) return /\p{Extended_Pictographic}/u.test(text);
  if (words.length > maxWords) return false;
  let friendly = false;
  for (let at = 0; at < words.length; ) {
    const length = phraseLength(words, at);
    if (length === 0 && !fillerWords.has(words[at] ?? '')) return false;
    friendly ||= length > 0;
    at += Math.max(1, length);
  }
  return friendly;
}

function phraseLength(words: readonly string[], at: number): number {
  const starting = byFirstWord.get(words[at] ?? '') ?? [];
  const said = starting.find((phrase) =>
    phrase.every((word, offset) => words[at + offset] === word),
  );
  return said?.length ?? 0;
}

/** Words without case, accents and apostrophes: few people write them all. */
function spokenWords(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}|['’`´]/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}_/.@#]*[\p{L}\p{N}]/gu) ?? [];
}

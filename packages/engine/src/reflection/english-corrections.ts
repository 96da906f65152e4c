import type { CorrectionLanguage } from './correction-rules.ts';

/** What people say about the manner of work; of verbs that mostly start new work, only such uses. */
const styleVerb =
  "(?:use|(?:write|include|import)(?! (?:an?|me|another|one)\\b)|keep|put|name(?! one\\b)|format|(?:answer|reply|respond|speak)(?= (?:me )?(?:in|with|as|only|briefly|always|like|without)\\b)|avoid|prefer|stick to|follow|indent|spell|quote|wrap|place|store|round|ask(?= (?:me )?(?:before|first|if|when|whether)\\b)|omit|limit|make sure|don't|do not)";

/** One certain thing is meant for now; all of a kind, or a condition, for good. */
const general =
  '(?!.*\\b(?:the|my|our|your) (?!word|term|phrase|passive|first person|end\\b)(?!.*\\b(?:unless|without|ever|every|any|again|when)\\b))';

/** How corrections are told in English. */
export const englishCorrections: CorrectionLanguage = {
  objection:
    /^(?:no(?:pe)?(?=[\s]*(?:[,.:;!–—-]|$)|\s+please\b|\s+no\b)|nah(?=[,.])|wrong(?=[,.:!]|$)|incorrect(?=[,.:!]|$)|(?:that|this|it)(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|what i (?:asked for|asked|wanted|meant|said))))/i,
  opener:
    /^(?:[\s,.:;!–—-]+|(?:please|but|and|also|so|well|actually|hmm+|ok(?:ay)?|sorry|hey|again|thanks|thank you|great|good|nice|it(?:'s| is) (?:great|good|fine|nice|ok(?:ay)?)|looks (?:good|great))(?=[\s,.:;!–—-]))/i,
  standing: /^(?:from now on|in (?:the )?future|going forward|next time)(?=[\s,:])/i,
  repeated:
    /^(?:i (?:have |had )?(?:already |just |clearly |explicitly )*(?:said|told you|asked you|asked)(?: (?:before|already|earlier|you))?(?:[,:] | to | for | that | )|as i (?:already )?(?:said|told you|mentioned)(?: before| already| earlier)?[,:] )(.+)/i,
  normative: new RegExp(`^(?:${styleVerb}|no|not|never|always|only|without)\\b|, (?:not|no) `, 'i'),
  politeQuestion:
    /^(?:can|could|would|will) you (?:(?:please |just )*(?=(?:always|never|stop|avoid|quit)\b)|(?:just )?please (?=not\b|use .+ (?:instead of|rather than) ))/i,
  rules: [
    { place: 'anywhere', pattern: /^((?:always|never(?: ever)?) \w+ \S.*)/i },
    { place: 'anywhere', pattern: /^((?:stop|quit) \w+ing(?: .+)?)$/i },
    { place: 'anywhere', pattern: /^((?:use|prefer) .+ (?:instead of|rather than) .+)/i },
    {
      place: 'anywhere',
      pattern:
        /^i (?:already |just |clearly )*said (?!(?:hello|hi|yes|good|sorry|thanks|thank|so|it|i|we|he|she|they|you|an?|the|there|this|about|some\w*|nothing|if|why|how|what|when|whether)\b)(\S+(?: \S+){1,2})$/i,
    },
    {
      place: 'beginning',
      pattern: /^((?:take|choose|pick|write|put|say|call) .+ (?:instead of|rather than) .+)/i,
    },
    {
      place: 'anywhere',
      pattern: /^(instead of .+?, (?:use|write|put|take|say|make|call|prefer) .+)/i,
    },
    { place: 'anywhere', pattern: /^you (?:should|must|need to|have to) ((?:always|never) .+)/i },
    { place: 'beginning', pattern: new RegExp(`^((?:don't|do not) (?!you\\b)${general}.+)`, 'i') },
    { place: 'objecting', pattern: /^((?:don't|do not) (?!you\b).+)/i },
    {
      place: 'beginning',
      pattern:
        /^you (?:shouldn't|should not|must not|mustn't|are not (?:supposed|allowed) to|aren't (?:supposed|allowed) to) (.+)/i,
      toRule: (rest) => `Don't ${rest}`,
    },
    {
      place: 'beginning',
      pattern: /^i (?:don't|do not) want you to (.+)/i,
      toRule: (rest) => `Don't ${rest}`,
    },
    {
      place: 'beginning',
      pattern: /^i (?:don't|do not) want (?:any |to see )?(.+)/i,
      toRule: (rest) => `No ${rest}`,
    },
    { place: 'beginning', pattern: /^i (?:wanted|want|expected) (?!to\b)(.+, not .+)/i },
    { place: 'beginning', pattern: /^(avoid .+)/i },
    { place: 'beginning', pattern: /^(no more \w+.*)/i },
    {
      place: 'beginning',
      pattern: /^(not (?!.*\b(?:is|are|was|were|has|have|had|works?|fails?)\b).+? but .+)/i,
    },
    {
      place: 'beginning',
      pattern:
        /^((?!.*\bthe\b|(?:write|create|add|make|show|give|build|find|list|send|take|do|run|check|change|move|delete|remove|fix|ignore)\b)[^,]{2,40}, not (?!more|less|longer|shorter|later)[^,]{2,40})$/i,
    },
    {
      place: 'beginning',
      pattern:
        /^(keep (?:it|your answers?) (?:short|brief|simple|concise|plain|formal|informal|minimal|under|below)\b.*)/i,
    },
    { place: 'objecting', pattern: new RegExp(`^(${styleVerb} .+)`, 'i') },
    {
      place: 'objecting',
      pattern:
        /^((?:(?:the|your|all|every|each|our) .{2,60}?|[\w-]+s) (?:should|must|belongs?|goes?) .+)/i,
    },
    {
      place: 'objecting',
      pattern:
        /^(we (?:(?:always|never|only|don't|do not) )?(?:use|prefer|write|call|name|put|add|commit|import|mock|push|store) .+)/i,
    },
  ],
  phrases: new RegExp(
    `^(?:${[
      "(?:don't|do not) (?:worry|forget|know|mind|bother|panic|get|think|have|need|see|understand|like|want|recall|remember|believe|care|agree|feel|hesitate|stop|give up|miss|wait)\\b",
      'always (?:an?|the|some\\w*|this|that|my|your|in|at|on|up|down|so|too|very|more|less|with|for|happy|glad|good|nice|fun|welcome)\\b',
      'never (?:mind|had|seen|been|heard|got|was|were|did|came|again)\\b',
      '(?:always|never) (?:\\w+[^s\\W]s|\\w{2,}ed)\\b',
      'no (?:luck|idea|problem|worries|need|way|thanks|change|difference|errors?|results?|time|one|reason|rush)\\b',
      'not (?:now|sure|yet|really|bad|at all|a problem|today|only)\\b',
      'stop (?:running|processing|working|waiting|generating|executing|thinking|doing)\\b',
      'answer (?:the|my) question',
      'always remember\\b',
      '[^,]*, not (?:needed|tested|finished|done|necessary|important|\\w+ though)\\b',
      '(?:i|it|he|she|they|that|this|there|you|done|sure|yes|yeah|looks?)\\b.*, not\\b',
      '.* should (?:be \\w+ing|work|have|already|exist|still)\\b',
    ].join('|')})`,
    'i',
  ),
  bound:
    /^(?!keep it\b)(?:\S+ ){0,3}(?:it|them|him|her)\b|\b(?:this|these|those)\b|\bthat(?: one| file| function| thing| line| part| test| way)?$|^(?:\S+ ){1,2}that (?:one|file|function|thing|line|part|test|way|again|yet|now)\b|\b(?:until|then$|before \w+ has|yet|right now|for now|now|later|today|tonight|tomorrow|yesterday|once more|for the moment|(?:the|an?) ?other)\b|\bthe (?:same|previous|former|latter|rest)\b|, (?:i|we) (?:am|are|have|need|will)\b|, (?:i'm|we're|i'll|we'll)\b/i,
};

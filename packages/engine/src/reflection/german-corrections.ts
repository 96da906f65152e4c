import type { CorrectionLanguage } from './correction-rules.ts';

const styleVerb =
  '(?:verwende|benutze|benutz|nutze|nimm|schreibe?(?! (?:mir|ein))|antworte|duze|sieze|formatiere|nenne?|benenne|runde|halte?|formuliere)';
const verb =
  '(?:verwende|benutze|benutz|nutze|nimm|schreibe?|mache?|antworte|formatiere|nenne?|benenne|setze?|lege?|füge?|lösche?|ändere?|fasse?|gib|committe|übersetze?|wiederhole?|kürze|erfinde)';
const infinitive =
  '(?:verwenden|benutzen|nutzen|nehmen|schreiben|hinzufügen|einfügen|machen|ändern|löschen|erfinden|anlegen|umbenennen|wiederholen|erklären|committen|installieren)';
const end = '(?!\\p{L})';

/** One certain thing is meant for now; all of a kind, or a condition, for good. */
const general =
  '(?!(?:.* )?(?:der|die|das|den|dem|de[rn]) (?!.*(?:ohne|wenn|außer|jemals|mehr)(?!\\p{L})))';

/** How corrections are told in German. */
export const germanCorrections: CorrectionLanguage = {
  objection:
    /^(?:(?:nein|nee|nö|falsch)(?=\s*(?:[,.:;!–—-]|$)|\s+bitte|\s+nein)|das (?:ist|war) (?:falsch|nicht (?:richtig|das,? was ich (?:wollte|meinte|gesagt habe)))|(?:das )?stimmt (?:so )?nicht)/i,
  opener:
    /^(?:[\s,.:;!–—-]+|(?:bitte|aber|und|auch|also|doch|hm+|okay?|danke|gut|super|schön|eigentlich)(?=[\s,.:;!–—-]))/i,
  standing:
    /^(?:ab (?:jetzt|sofort)|in zukunft|künftig|zukünftig|von nun an|nächstes mal)(?=[\s,:])/i,
  repeated:
    /^(?:ich (?:habe?|hatte) (?:es |dir |dir's |doch |schon |bereits |ausdrücklich )*gesagt(?:, dass |[,:] )|ich sagte(?: doch| schon| bereits)*[,:]? |wie (?:schon |bereits )?gesagt[,:] )(.+)/i,
  normative: new RegExp(
    `^(?:${verb}|${styleVerb}|keine?[nrms]?|nicht|nie|niemals|immer|nur|ohne)${end}|, (?:nicht|keine?[nrms]?) `,
    'iu',
  ),
  politeQuestion:
    /^(?:kannst|könntest|würdest) du (?:bitte )*(?=(?:immer|nie|aufhören|nicht mehr)\b)/i,
  rules: [
    {
      place: 'anywhere',
      // In lower case, since a noun at the end is no infinitive.
      pattern: /^((?:[Ii]mmer|[Nn]ie(?:mals| wieder)?) \S.* \p{Ll}+(?:en|ern|eln))$/u,
    },
    { place: 'objecting', pattern: /^(nur noch \S+ \S.*)/i },
    { place: 'anywhere', pattern: /^(höre? (?:bitte )?(?:damit )?auf,? \S.*)/i },
    { place: 'anywhere', pattern: /^aufhören,? (\S.*)/i, toRule: (rest) => `Hör auf, ${rest}` },
    {
      place: 'anywhere',
      pattern: new RegExp(
        `^(${verb} (?:[^,]* )?(?:statt|anstatt|anstelle|immer|nie|niemals) .+)`,
        'iu',
      ),
    },
    {
      place: 'anywhere',
      pattern: new RegExp(`^((?:statt|anstatt|anstelle von) .+ ${infinitive})$`, 'i'),
    },
    {
      place: 'anywhere',
      pattern:
        /^(du (?:sollst|darfst|solltest|musst) (?:immer|niemals|nie|nicht|keine?[nrms]?) .+)/i,
    },
    {
      place: 'beginning',
      pattern: new RegExp(`^(${verb} ${general}(?:[^,]* )?(?:nicht|keine?[nrms]?)${end}.*)`, 'iu'),
    },
    { place: 'beginning', pattern: new RegExp(`^(keine?[nrms]? .+ ${infinitive})$`, 'i') },
    {
      place: 'beginning',
      pattern: /^(nicht (?!.* (?:ist|sind|war|waren|hat|haben)(?!\p{L})).+?,? sondern .+)/iu,
    },
    {
      place: 'beginning',
      pattern: /^ich (?:wollte|will|möchte) (.+, (?:nicht|keine?[nrms]?) .+)/i,
    },
    {
      place: 'beginning',
      pattern:
        /^((?!(?:schreib|mach|zeig|gib|erstell|bau|such|find|änder|lösch|prüf)e?(?!\p{L}))[^,]{2,40}, (?:nicht|keine?[nrms]?) (?!mehr|länger|kürzer|später)[^,]{2,40})$/iu,
    },
    { place: 'beginning', pattern: /^(lass .+ weg)$/i },
    { place: 'objecting', pattern: new RegExp(`^(${styleVerb} .+)`, 'iu') },
    {
      place: 'objecting',
      pattern:
        /^((?:der|die|das|alle|jede[rs]?) .{2,60}? (?:soll|sollen|muss|müssen|gehört|gehören) .+)/i,
    },
    { place: 'objecting', pattern: /^(wir (?:verwenden|benutzen|nutzen|schreiben|nehmen) .+)/i },
  ],
  phrases:
    /^(?:immer (?:noch|gerne?|wieder)(?!\p{L})|nie (?:gesehen|gehört)|kein (?:problem|stress|thema)(?!\p{L})|keine (?:ahnung|sorge|zeit|frage|eile)(?!\p{L})|nicht (?:jetzt|schlecht|sicher|wirklich|schlimm|nur)(?!\p{L})|(?:ich|es|er|sie|das|danke|fertig)(?!\p{L}).*, nicht(?!\p{L}))/iu,
  bound:
    /^(?:\S+ ){0,3}(?:es|ihn|ihm|ihr|dies(?:e[nmrs]?)?)(?!\p{L})|^(?:\S+ ){1,2}das(?:$| (?:nicht|bitte|noch|so|jetzt|da|hier|wieder|auch|mal)(?!\p{L}))|(?<!\p{L})(?:noch nicht|jetzt|gleich|später|heute|morgen|gestern|diesmal|dieses mal|weiter|d(?:as|ie|er|en) andere[nmrs]?)(?!\p{L})/iu,
};

/** What people do who say that they are about to do it; a promise or a courtesy has other verbs. */
const doing =
  'check|double-check|look(?! forward)|read|open|search|find|run|re-?run|list|create|write|update|edit|modify|fix|start|begin|examine|inspect|review|fetch|get(?! back)|gather|collect|see|(?:take|have) a (?:closer |quick )?look|take care of|understand|analy[sz]e|investigate|explore|try(?! to be)|test|verify|scan|go (?:through|ahead)|dig|load|retrieve|download|install|build|compile|execute|query|implement|add(?!:)|make(?! sure)|continue (?:with|by)|proceed|do (?:that|this|it)|work on|pull up|set up|refactor|rename|delete|remove|move|delegate|trace|locate|figure';
const doingNow =
  'checking|looking|reading|opening|searching|running|fetching|starting|analy[sz]ing|inspecting|creating|writing|updating';
const mache =
  'prüfe|überprüfe|schaue|schau|sehe|lese|öffne|suche|starte|beginne|erstelle|schreibe|ändere|teste|führe|untersuche|analysiere|hole|lade|liste|behebe|aktualisiere|bearbeite|baue|mache|fange|lege|durchsuche|kümmere mich';
const machen =
  'prüfen|überprüfen|schauen|nachsehen|nachschauen|ansehen|anschauen|lesen|öffnen|suchen|starten|beginnen|erstellen|schreiben|ändern|testen|ausführen|untersuchen|analysieren|holen|abrufen|laden|auflisten|beheben|aktualisieren|bearbeiten|finden|bauen|anlegen|durchsuchen|anfangen|umsetzen|vornehmen|durchführen|kümmern|korrigieren|einen blick';

// One class for what lies between two words: a choice here would be tried in all combinations.
const before = (words: string) => `^(?:(?:${words})[,:.!\\s–—-]+)*`;
const meanwhile = '(?: (?:now|first|next|then|quickly|just|also|start by|begin by|go ahead and))*';
const english = before(
  'ok|okay|sure|alright|all right|right|great|got it|certainly|of course|now|next|first|then|so|and|yes|understood|perfect|thanks|good|hmm|(?:to|before) [^,.]{1,40}(?=,)',
);
const german = before(
  'ok|okay|klar|gut|gerne|natürlich|alles klar|verstanden|jetzt|nun|zuerst|zunächst|als nächstes|dann|also|ja',
);
const french = before("d'accord|ok|bien sûr|très bien|maintenant|parfait");
const spanish = before('vale|claro|de acuerdo|ok|ahora|primero|perfecto|bien');
const italian = before('certo|ok|va bene|ora|adesso|prima|perfetto');
const portuguese = before('certo|claro|ok|agora|primeiro|perfeito');
const dutch = before('ok|oké|goed|prima|natuurlijk|nu');
const russian = before('хорошо|конечно|ок|да');

/** How a sentence begins whose writer is about to do something, in several languages. */
export const announcements = [
  `${english}(?:let me|let us|let's|allow me to)${meanwhile} (?:${doing})(?!\\p{L})`,
  `${english}i(?:'ll| will|'m going to| am going to|'m about to| am about to)${meanwhile} (?:${doing})(?!\\p{L})`,
  `${english}(?:i'm |i am )?(?:now )?(?:${doingNow})(?!\\p{L}).*(?:now|\\.{3}|…|:)[.!]?$`,
  `${english}(?:i'm on it|(?:i'm )?working on (?:it|that|this))(?: now| right away)?[.!…]*$`,
  `${german}(?:ich werde|werde ich|lass mich|lassen sie mich|lass uns)(?!\\p{L}).*(?:${machen})(?!\\p{L})`,
  `${german}(?:ich (?:${mache})|(?:${mache}) ich)(?!\\p{L})(?=.*(?:(?<!\\p{L})(?:jetzt|nun|zuerst|kurz|mal|gleich|mir|darum)(?!\\p{L})|[:…]$|\\.{3}$))`,
  `${french}(?:je vais|laissez-moi|laisse-moi|permettez-moi de)(?: (?:maintenant|d'abord|ensuite))? (?:vérifier|regarder|lire|ouvrir|chercher|rechercher|lancer|exécuter|créer|écrire|examiner|analyser|corriger|commencer|consulter|tester|modifier|voir|jeter)`,
  `${french}je (?:regarde|vérifie|lance|lis|cherche)(?!\\p{L}).*(?:tout de suite|maintenant)[.!…]*$`,
  `${spanish}(?:voy a|vamos a|déjame|déjeme|permíteme|permítame)(?: (?:ahora|primero))? (?:revisar|ver|leer|abrir|buscar|ejecutar|crear|escribir|examinar|analizar|corregir|empezar|comprobar|verificar|probar|echar|consultar)`,
  `${italian}(?:fammi|lasciami|mi lasci|vado a|sto per)(?: (?:ora|prima))? (?:vedere|controllare|leggere|aprire|cercare|eseguire|creare|scrivere|analizzare|verificare|dare)`,
  `${portuguese}(?:vou|deixe-me|deixa-me|deixa eu)(?: (?:agora|primeiro))? (?:verificar|ver|ler|abrir|procurar|buscar|executar|rodar|criar|escrever|examinar|analisar|corrigir|começar|conferir|testar|dar)`,
  `${dutch}(?:laat me|ik ga|ik zal)(?!\\p{L}).*(?:kijken|controleren|lezen|openen|zoeken|uitvoeren|maken|schrijven|bekijken|onderzoeken|nakijken|testen)`,
  `${russian}(?:сейчас|давайте|позвольте|я сейчас)(?: я)? (?:проверю|посмотрю|прочитаю|открою|найду|поищу|запущу|создам|изучу|проанализирую|проверить|посмотреть)`,
  '^(?:好的|好|当然)?[，,。！! ]*(?:现在)?(?:让我|我来|我将|我先|我会|我现在)(?:先|现在)?来?(?:看|检查|查|读|打开|搜索|运行|创建|分析|执行|修改|开始|测试)',
  '^.{0,60}(?:確認|調査|検索|実行|作成|分析|修正|開始|チェック)(?:します|してみます|いたします)[。.!！…]*$',
  '^.{0,60}(?:確かめ|調べ|見|読ん)(?:ます|てみます|でみます)[。.!！…]*$',
].map((source) => new RegExp(source, 'iu'));

/** What a page says. */
export interface ReadablePage {
  title: string;
  markdown: string;
}

/**
 * Reads a page in a thread of its own. It is sent there as its own source text, so it uses nothing
 * but what it is given. No script of the page runs, and nothing is fetched.
 */
export function htmlWorker(load: NodeJS.Require): void {
  // Beyond these the search for the main part of a page takes minutes,
  const maxElements = 8_000;
  const maxDepth = 150;
  // and beyond this everything does.
  const maxReadableDepth = 1_000;
  // Less than this is hardly what a page is about.
  const minChars = 200;

  const { parentPort, workerData } = load('node:worker_threads');
  const { html, url } = workerData as { html: string; url: string };
  const { parseHTML } = load('linkedom') as typeof import('linkedom');
  const TurndownService = load('turndown') as typeof import('turndown');

  const parse = (text: string): Document => {
    const isWhole = /<html[\s>]/i.test(text);
    const whole = isWhole ? text : `<html><head></head><body>${text}</body></html>`;
    return parseHTML(whole).document as unknown as Document;
  };

  const measure = (root: Element): { count: number; deepest: number } => {
    let [count, depth, deepest] = [0, 0, 0];
    let at: Element | null = root;
    while (at !== null) {
      count += 1;
      deepest = Math.max(deepest, depth);
      if (at.firstElementChild !== null) {
        at = at.firstElementChild;
        depth += 1;
        continue;
      }
      while (at !== null && at !== root && at.nextElementSibling === null) {
        at = at.parentElement;
        depth -= 1;
      }
      at = at === null || at === root ? null : at.nextElementSibling;
    }
    return { count, deepest };
  };

  const toMarkdown = (root: Element): string => {
    for (const link of root.querySelectorAll('a[href]')) {
      const href = link.getAttribute('href') ?? '';
      if (URL.canParse(href, url)) link.setAttribute('href', new URL(href, url).href);
    }
    const writer = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
    writer.remove(['title', 'script', 'style', 'noscript', 'iframe', 'object']);
    writer.addRule('row', {
      filter: 'tr',
      replacement: (content, node) => {
        const cells = (node as Element).children.length;
        const isFirst = [node, node.parentNode].every(
          (one) => (one as Element | null)?.previousElementSibling === null,
        );
        const line = `|${content}\n`;
        return isFirst ? `\n${line}|${' --- |'.repeat(cells)}\n` : line;
      },
    });
    writer.addRule('cell', {
      filter: ['td', 'th'],
      replacement: (content) => ` ${content.trim().replaceAll(/\s*\n\s*/g, ' ')} |`,
    });
    // As with sections: rows of head and body follow each other.
    writer.addRule('rows', { filter: ['thead', 'tbody'], replacement: (content) => content });
    return writer.turndown(root as unknown as HTMLElement).trim();
  };

  const document = parse(html);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const { count, deepest } = measure(document.documentElement);
  if (deepest > maxReadableDepth) throw new Error('nested too deeply');
  let page = { title, markdown: '' };
  if (count <= maxElements && deepest <= maxDepth) {
    const Defuddle = load('defuddle') as typeof import('defuddle').default;
    const main = new Defuddle(document, { url }).parse();
    page = { title: main.title || title, markdown: toMarkdown(parse(main.content).body) };
  }
  if (page.markdown.length < minChars) {
    const markdown = toMarkdown(parse(html).documentElement);
    if (markdown.length > page.markdown.length) page = { ...page, markdown };
  }
  parentPort?.postMessage(page);
}

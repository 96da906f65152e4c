import { AppError, errorMessage } from '@loom/shared/app-error';
import type { ArtifactKind } from '@loom/shared/tool';
import { archiveEntries } from './archive-entries.ts';
import { decodeBytes } from './decode-bytes.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

interface Content {
  content: Buffer;
  kind: ArtifactKind;
  /** With its charset, if a server gave one. */
  mime: string;
  name: string;
  url: string;
}

const shownBytes = 64;

/** What something says, as text by its kind: words where there are any, else a line on what it is. */
export async function contentText(
  what: Content,
  signal: AbortSignal,
): Promise<{ title: string; text: string }> {
  const { content, kind, mime, name, url } = what;
  switch (kind) {
    case 'text':
      return { title: '', text: decodeBytes(content, mime) };
    case 'html': {
      const page = await htmlToMarkdown(decodeBytes(content, mime), { url, signal });
      return { title: page.title, text: page.markdown };
    }
    case 'pdf':
    case 'office':
      return { title: '', text: await textOfDocument(content, name, signal) };
    case 'archive':
      return { title: '', text: await listArchive(what, signal) };
    default: {
      // Loaded when it is needed: most processes never see an image.
      const { describeBinary } = await import('../documents/describe-binary.ts');
      const said = await describeBinary(content, content.length, name);
      return { title: '', text: kind === 'image' ? said : `${said}\n${firstBytes(content)}` };
    }
  }
}

async function textOfDocument(content: Buffer, name: string, signal: AbortSignal): Promise<string> {
  const { documentText } = await import('../documents/document-text.ts');
  try {
    const document = await documentText(content, name, signal);
    return (
      document?.text ??
      `[${name} is of ${content.length} bytes, and of a format that cannot be read here]`
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return `[${error.message}]`;
    throw error;
  }
}

async function listArchive({ content, mime, name }: Content, signal: AbortSignal): Promise<string> {
  const type = mime.split(';')[0]?.trim() ?? '';
  const listed = await archiveEntries(content, type, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return `[${name} cannot be read as an archive: ${errorMessage(error)}]`;
  });
  if (typeof listed === 'string') return listed;
  const said = `[${name} is an archive (${type}) of ${content.length} bytes]`;
  if (listed === null) return `${said}\n${firstBytes(content)}`;
  const lines = listed.entries.map((entry) => `- ${entry.name} (${entry.size} bytes)`);
  return [said, ...lines, ...(listed.more ? ['- …'] : [])].join('\n');
}

function firstBytes(content: Buffer): string {
  return `First bytes: ${content.toString('hex', 0, shownBytes).replaceAll(/(..)(?!$)/g, '$1 ')}`;
}

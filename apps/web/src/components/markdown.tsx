import type { ComponentProps } from 'react';
import { type Components, Streamdown } from 'streamdown';
import { CodeBlock } from './code-block.tsx';

function Link({ href, children }: ComponentProps<'a'>) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

// Loading a picture that a model names would tell a stranger's server what is read here.
function PictureLink({ src, alt }: ComponentProps<'img'>) {
  return <Link href={typeof src === 'string' ? src : undefined}>{alt || 'picture'}</Link>;
}

function Table({ children }: ComponentProps<'table'>) {
  return (
    <div className="table-frame">
      <table>{children}</table>
    </div>
  );
}

// Plain elements, dressed by markdown.css, in place of the library's own dress.
const components = {
  a: Link,
  img: PictureLink,
  pre: CodeBlock,
  code: 'code',
  table: Table,
  ...Object.fromEntries(
    ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'hr', 'strong']
      .concat(['thead', 'tbody', 'tr', 'th', 'td', 'section', 'sub', 'sup'])
      .map((tag) => [tag, tag as 'p']),
  ),
} as Components;

/** Text of a model as rich text; unfinished markup is shown as if it were closed. */
export function Markdown({ text, isLive }: { text: string; isLive: boolean }) {
  return (
    <div className="markdown">
      <Streamdown
        mode={isLive ? 'streaming' : 'static'}
        parseIncompleteMarkdown={isLive}
        components={components}
        controls={false}
        linkSafety={{ enabled: false }}
      >
        {text}
      </Streamdown>
    </div>
  );
}

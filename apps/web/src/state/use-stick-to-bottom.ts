import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 80;

/**
 * Keeps a scrolling element at its end while the reader is there, and still when he has scrolled up
 * or, by `follows`, reads something that does not grow.
 */
export function useStickToBottom(follows: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const mayFollow = useRef(follows);
  mayFollow.current = follows;
  const [isAtEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    isStuck.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, []);

  /** Lets go of the end, so that something above can be shown. */
  const release = useCallback(() => {
    isStuck.current = false;
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      const gap = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Growth of the content also fires scroll events; only moving up means "let me read".
      if (gap < nearPx) isStuck.current = mayFollow.current;
      else if (element.scrollTop < lastTop) isStuck.current = false;
      lastTop = element.scrollTop;
      setAtEnd(gap < nearPx);
    };
    const observer = new ResizeObserver(() => {
      if (isStuck.current && mayFollow.current) toEnd();
      else onScroll();
    });
    observer.observe(content.current);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [toEnd]);

  const anchor = useRef<number | null>(null);
  /** Call before content is put in above: the text being read then stays where it is. */
  const holdPosition = useCallback(() => {
    const element = scroller.current;
    if (element) anchor.current = element.scrollHeight - element.scrollTop;
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || anchor.current === null) return;
    if (element.scrollHeight - element.scrollTop === anchor.current) return;
    element.scrollTop = element.scrollHeight - anchor.current;
    anchor.current = null;
  });

  return { scroller, content, isAtEnd, toEnd, release, holdPosition };
}

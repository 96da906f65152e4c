import { maxMessageBytes } from '@loom/shared/message-text';

/**
 * How large a request may be that says something: written in ASCII alone, JSON takes up to three
 * times the bytes of a text. The text itself is measured afterwards.
 */
export const turnBodyBytes = 3 * maxMessageBytes + 1_024 * 1_024;

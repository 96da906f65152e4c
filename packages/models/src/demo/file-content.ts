export const signature = 'Written by the built-in demo model of Loom, which is not an AI.';

const commentStarts: Record<string, string> = {
  py: '# ',
  sh: '# ',
  toml: '# ',
  js: '// ',
  ts: '// ',
  sql: '-- ',
};

/** Honest content for a file: the same for the same path and subject, valid for its extension. */
export function fileContent(path: string, subject: string): string {
  const extension = path.toLowerCase().split('.').at(-1) ?? '';
  if (extension === 'csv') return `item,note\n${csvCell(subject)},${csvCell(signature)}\n`;
  if (extension === 'json' || extension === 'yaml' || extension === 'yml') {
    return `${JSON.stringify({ item: subject, note: signature }, null, 2)}\n`;
  }
  if (extension === 'html') {
    const [title, note] = [escapeMarkup(subject), escapeMarkup(signature)];
    return `<!doctype html>\n<title>${title}</title>\n<h1>${title}</h1>\n<p>${note}</p>\n`;
  }
  const comment = commentStarts[extension];
  if (comment !== undefined) {
    return `${comment}${oneLine(subject)}\n${comment}${signature}\n`;
  }
  return `# ${oneLine(subject)}\n\n${prose(subject)}\n\n---\n${signature}\n`;
}

function prose(subject: string): string {
  const topic = topicOf(subject);
  if (/\bhaiku\b/i.test(subject)) {
    return `Quiet thoughts of ${topic},\na slow page fills with small words:\n${topic}, and then stillness.`;
  }
  if (/\blimerick\b/i.test(subject)) {
    return [
      `Of ${topic} a program once wrote,`,
      'In verses it knew all by rote;',
      'It counted each rhyme,',
      'Kept tolerable time,',
      'And filed the result as a note.',
    ].join('\n');
  }
  if (/\blists?\b/i.test(subject)) {
    return ['First', 'Second', 'Third'].map((rank) => `- ${rank} point on ${topic}`).join('\n');
  }
  return 'A real model would write this in full. The demo model only shows how the work flows.';
}

function topicOf(subject: string): string {
  const about = /\b(?:about|on|of|for)\s+(.+?)(?:\s+(?:to|in|into)\s+\S+\.\w+)?$/i.exec(
    subject,
  )?.[1];
  return oneLine(about ?? subject.replace(/^(?:an?|the)\s+/i, '').toLowerCase());
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function csvCell(text: string): string {
  return `"${oneLine(text).replaceAll('"', '""')}"`;
}

function escapeMarkup(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

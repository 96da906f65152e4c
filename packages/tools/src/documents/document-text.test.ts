import { describe, expect, it } from 'vitest';
import { documentLimits } from './document-limits.ts';
import { documentText } from './document-text.ts';
import { zipOf } from './test-archive.ts';
import { pdfOf } from './test-pdf.ts';

const { max_inflated_bytes, max_entries, max_chars, max_pages } = documentLimits;

const word = (body: string) =>
  zipOf({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="u"><w:body>${body}</w:body></w:document>`,
  });
const paragraph = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

async function textOf(content: Buffer, name = 'file'): Promise<string | undefined> {
  return (await documentText(content, name))?.text;
}

describe('a Word document', () => {
  it('is its paragraphs, with tabs, line breaks and entities', async () => {
    const body = `${paragraph('One &amp; <![CDATA[<two>]]>&#8364;&#x41;')}<w:p><w:r><w:t x="1>2" y='"'>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:delText>gone</w:delText></w:r></w:p>`;
    expect(await documentText(word(body), 'a.docx')).toEqual({
      kind: 'docx',
      text: 'One & <two>€A\na\tb\nc',
    });
  });

  it('shows table rows with tabs between the cells', async () => {
    const cell = (text: string) => `<w:tc>${text}</w:tc>`;
    const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
    const body = `${paragraph('before')}<w:tbl>${row(paragraph('a') + paragraph('b'), paragraph('c'))}${row(paragraph(''), paragraph('d'))}</w:tbl>${paragraph('after')}`;
    expect(await textOf(word(body))).toBe('before\na b\tc\n\td\nafter');
  });

  it('says once what is there in two forms', async () => {
    const body = `<mc:AlternateContent><mc:Choice>${paragraph('new')}</mc:Choice><mc:Fallback>${paragraph('old')}</mc:Fallback></mc:AlternateContent>${paragraph('end')}`;
    expect(await textOf(word(body))).toBe('new\nend');
  });

  it('is cut at the limit, and says so', async () => {
    const text = await textOf(word(paragraph('x'.repeat(1_000)).repeat(max_chars / 1_000 + 5)));
    expect(text?.length).toBeLessThan(max_chars + 100);
    expect(text).toMatch(/x\n\[the document goes on; this is its beginning\]$/);
  });

  it('is not stalled by deep nesting or by a document type of its own', async () => {
    const deep = '<w:x>'.repeat(300_000);
    const bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>';
    expect(await textOf(word(deep + paragraph('deep')))).toBe('deep');
    const typed = zipOf({ 'word/document.xml': `${bomb}<w:p><w:t>&c;</w:t></w:p>` });
    expect(await textOf(typed)).toBe('&c;');
  });
});

it('a presentation is its slides by number', async () => {
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p><a:p/></p:sld>`;
  const content = zipOf({
    'ppt/presentation.xml': '<p/>',
    'ppt/slides/slide10.xml': slide('last'),
    'ppt/slides/slide2.xml': slide('middle'),
    'ppt/slides/slide1.xml': slide('first'),
    'ppt/slides/_rels/slide1.xml.rels': '<r/>',
  });
  expect(await documentText(content, 'a.pptx')).toEqual({
    kind: 'pptx',
    text: '--- Slide 1 ---\nfirst\n--- Slide 2 ---\nmiddle\n--- Slide 10 ---\nlast',
  });
});

it('a workbook is its sheets in order, rows with tabs between', async () => {
  const content = zipOf({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Totals &amp; more" sheetId="7" r:id="rId2"/><sheet name="Raw" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Target="/xl/worksheets/sheet2.xml" Id="rId2"/></Relationships>',
    'xl/sharedStrings.xml':
      '<sst><si><t>name</t></si><si><r><t>two </t></r><r><t>runs</t></r><rPh><t>ruby</t></rPh></si></sst>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="3"/><row r="4"><c r="B4"><f>1+1</f><v>2</v></c><c t="b"><v>1</v></c></row></sheetData></worksheet>',
    'xl/worksheets/sheet2.xml':
      '<worksheet><row><c t="inlineStr"><is><t>in\nline</t></is></c><c t="e"><v>#N/A</v></c></row></worksheet>',
  });
  expect(await documentText(content, 'a.xlsx')).toEqual({
    kind: 'xlsx',
    text: '--- Sheet Totals & more ---\nin line\t#N/A\n--- Sheet Raw ---\nname\t\ttwo runs\n\t2\tTRUE',
  });
});

it.each([
  ['', ['2023-11-01', '2023-11-01 12:30:00', '45231', '06:00:00', '45231']],
  [' date1904="1"', ['2027-11-02', '2027-11-02 12:30:00', '45231', '06:00:00', '45231']],
])('a workbook%s shows dates as dates', async (flag, values) => {
  const content = zipOf({
    'xl/workbook.xml': `<workbook><workbookPr${flag}/><sheet name="A" r:id="r"/></workbook>`,
    'xl/_rels/workbook.xml.rels': '<Relationship Id="r" Target="a.xml"/>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/><numFmt numFmtId="165" formatCode="[Red]0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    'xl/a.xml':
      '<row><c s="1"><v>45231</v></c><c s="2"><v>45231.520833333336</v></c><c s="3"><v>45231</v></c><c s="1"><v>0.25</v></c><c><v>45231</v></c></row>',
  });
  expect(await textOf(content)).toBe(`--- Sheet A ---\n${values.join('\t')}`);
});

describe('a PDF', () => {
  it('is its pages', async () => {
    expect(await documentText(pdfOf(['Hello there', 'Second page']), 'a.pdf')).toEqual({
      kind: 'pdf',
      text: '--- Page 1 ---\nHello there\n--- Page 2 ---\nSecond page',
    });
  });

  it('is known by its name when something stands before it', async () => {
    const content = Buffer.concat([Buffer.from('junk\n'), pdfOf(['Hello'])]);
    expect(await textOf(content, 'A.PDF')).toContain('Hello');
    expect(await textOf(content, 'notes.txt')).toBeUndefined();
  });

  it('without text says so', async () => {
    expect(await textOf(pdfOf(['', '']))).toBe('[2 pages without text; it may be scanned images]');
  });

  it('is read up to a number of pages', async () => {
    const text = await textOf(pdfOf(Array.from({ length: max_pages + 2 }, () => 'x')));
    expect(text).toMatch(/--- Page 500 ---\nx\n\[pages 501 to 502 are left out\]$/);
  });

  it('that is broken is one sentence', async () => {
    await expect(documentText(Buffer.from('%PDF-1.7\nnothing'), 'a.pdf')).rejects.toThrow(
      /^a\.pdf cannot be read as a PDF \(.+\); it may be damaged, so use another copy of it$/,
    );
  });

  it('is given up when the caller goes', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(documentText(pdfOf(['x']), 'a.pdf', signal)).rejects.toThrow();
  });
});

describe('an archive', () => {
  it('that is no document is none', async () => {
    expect(await documentText(zipOf({ 'a.txt': 'a' }), 'a.zip')).toBeNull();
    expect(await documentText(Buffer.from('plain text'), 'a.docx')).toBeNull();
    expect(await documentText(Buffer.alloc(0), 'a.pdf')).toBeNull();
  });

  it.each([
    ['that says how much it unpacks to', undefined],
    ['that lies about how much it unpacks to', 100],
  ])('%s stops at the limit', async (_name, declared_bytes) => {
    const content = Buffer.alloc(max_inflated_bytes + 1, '<w:p/>');
    const bomb = zipOf({ 'word/document.xml': { content, declared_bytes } });
    expect(bomb.length).toBeLessThan(max_inflated_bytes / 100);
    await expect(documentText(bomb, 'bomb.docx')).rejects.toThrow(
      declared_bytes === undefined
        ? /^the document unpacks to more than 67108864 bytes, so it is not read; use a smaller one$/
        : /^bomb\.docx cannot be read as a Word document \(too many bytes/,
    );
  });

  it('that declares too much is not unpacked at all', async () => {
    const part = { content: '<w:p/>', declared_bytes: max_inflated_bytes + 1 };
    const bomb = zipOf({ 'word/document.xml': part });
    await expect(documentText(bomb, 'a.docx')).rejects.toThrow(/unpacks to more than/);
  });

  it('counts all parts together', async () => {
    const half = `<sld>${' '.repeat(max_inflated_bytes / 2)}</sld>`;
    const parts = { 'ppt/slides/slide1.xml': half, 'ppt/slides/slide2.xml': half };
    const bomb = zipOf({ 'ppt/presentation.xml': '', ...parts });
    await expect(documentText(bomb, 'a.pptx')).rejects.toThrow(/unpacks to more than/);
  });

  it('with too many entries is refused', async () => {
    const names = Array.from({ length: max_entries }, (_, index) => [`e${index}`, '']);
    const content = zipOf({ 'word/document.xml': '', ...Object.fromEntries(names) });
    await expect(documentText(content, 'a.docx')).rejects.toThrow(/more than 10000 entries/);
  });

  it('that is cut off or garbled is one sentence', async () => {
    const whole = word(paragraph('x'));
    const sentence = /^a\.docx cannot be read as a Word document \(.+\); it may be damaged/;
    await expect(documentText(whole.subarray(0, 200), 'a.docx')).rejects.toThrow(sentence);
    const garbled = Buffer.from(whole);
    garbled.fill(0xff, 100, 130);
    await expect(documentText(garbled, 'a.docx')).rejects.toThrow(sentence);
  });
});

import { expect, test } from 'vitest';
import { variantOf } from './variant-of.ts';

const deliverables = ['report.md', 'out/data.csv', 'site', 're.md', 'a.md'];

test.each([
  ['report-v2.md', 'report.md'],
  ['report_V2.md', 'report.md'],
  ['reportv2.md', 'report.md'],
  ['report.v1.2.md', 'report.md'],
  ['report2.md', 'report.md'],
  ['report-2024-01-05.md', 'report.md'],
  ['report_copy.md', 'report.md'],
  ['report copy 2.md', 'report.md'],
  ['Copy of report.md', 'report.md'],
  ['report (1).md', 'report.md'],
  ['report(1).md', 'report.md'],
  ['report.new.md', 'report.md'],
  ['report.md.new', 'report.md'],
  ['report.md.bak', 'report.md'],
  ['report.md.old.1', 'report.md'],
  ['report.md~', 'report.md'],
  ['report-final-FIXED.md', 'report.md'],
  ['reportFinal.md', 'report.md'],
  ['final_report_v3.md', 'report.md'],
  ['report-corrected.md', 'report.md'],
  ['Report.md', 'report.md'],
  ['report-v2.MD', 'report.md'],
  ['out/data_fixed.csv', 'out/data.csv'],
  ['site-v2', 'site'],
  ['site-v2/index.html', 'site'],
  ['site.bak/css/a.css', 'site'],
  ['final-a.md', 'a.md'],
])('%s is a second version of %s', (path, deliverable) => {
  expect(variantOf(path, deliverables)).toBe(deliverable);
});

test.each([
  ['report.md', 'the deliverable itself'],
  ['report.test.md', 'a test'],
  ['reporter.md', 'a longer word'],
  ['report-data.md', 'another part'],
  ['report-v2.json', 'another kind of file'],
  ['out/report-v2.md', 'another directory'],
  ['data_fixed.csv', 'another directory'],
  ['renew.md', 'a word that happens to end like a mark'],
  ['site/index-v2.html', 'a file in a directory that is the deliverable'],
  ['site/copy/index.html', 'the same, deeper'],
  ['sitemap.xml', 'a longer word'],
  ['report-v2.md/x.md', 'below what cannot be a directory'],
  ['data.md', 'a word with another in it'],
  ['README.md', 'something else'],
])('%s is not: %s', (path) => {
  expect(variantOf(path, deliverables)).toBeNull();
});

test('what is declared is never a variant', () => {
  expect(variantOf('a-2.md', ['a.md', 'a-2.md'])).toBeNull();
});

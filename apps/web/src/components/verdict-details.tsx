import type { CheckResult, EvidenceItem, Verdict } from '@loom/shared/verdict';
import { AlertIcon, CheckIcon, CrossIcon } from './icons.tsx';

/** Why a verdict is what it is: feedback, every check, the evidence looked at. */
export function VerdictDetails({ verdict }: { verdict: Verdict }) {
  return (
    <div className="space-y-2">
      {verdict.feedback !== '' && <p className="wrap-anywhere">{verdict.feedback}</p>}
      {verdict.missing_targets.length > 0 && (
        <p className="wrap-anywhere text-bad">Missing: {verdict.missing_targets.join(', ')}</p>
      )}
      {verdict.checks.length > 0 && (
        <ul className="space-y-0.5">
          {verdict.checks.map((check) => (
            <Check key={`${check.name} ${check.target}`} check={check} />
          ))}
        </ul>
      )}
      {verdict.evidence.length > 0 && (
        <ul className="space-y-1.5">
          {verdict.evidence.map((item) => (
            <Evidence key={`${item.claim} ${item.source} ${item.quote}`} item={item} />
          ))}
        </ul>
      )}
      <p className="text-faint text-xs">
        Tier {verdict.tier} · confidence {Math.round(verdict.confidence * 100)} %
        {verdict.reason_code !== '' && ` · ${verdict.reason_code}`}
        {!verdict.conclusive && ' · inconclusive'}
      </p>
    </div>
  );
}

function Check({ check }: { check: CheckResult }) {
  return (
    <li className="flex items-start gap-2">
      <span className="mt-1">
        {check.passed ? (
          <CheckIcon className="size-3.5 text-good" />
        ) : check.advisory ? (
          <AlertIcon className="size-3.5 text-warn" />
        ) : (
          <CrossIcon className="size-3.5 text-bad" />
        )}
      </span>
      <span className="wrap-anywhere min-w-0">
        <span className="sr-only">{check.passed ? 'passed: ' : 'failed: '}</span>
        {check.name.replaceAll('_', ' ')}
        {check.target !== '' && <code className="ml-1.5 font-mono text-xs">{check.target}</code>}
        {check.detail !== '' && <span className="text-faint"> — {check.detail}</span>}
      </span>
    </li>
  );
}

function Evidence({ item }: { item: EvidenceItem }) {
  return (
    <li className="wrap-anywhere border-line-strong border-l-2 pl-3">
      {item.claim}
      {item.source !== '' && (
        <code className="ml-1.5 font-mono text-faint text-xs">{item.source}</code>
      )}
      <Quote text={item.quote} />
    </li>
  );
}

// A checksum is proof for machines: its beginning is enough to compare by eye.
function Quote({ text }: { text: string }) {
  if (text === '') return null;
  if (!/^sha256 [0-9a-f]{64}$/.test(text)) return <q className="block text-faint italic">{text}</q>;
  return (
    <code className="block truncate font-mono text-faint text-xs" title={text}>
      {text.slice(0, 23)}…
    </code>
  );
}

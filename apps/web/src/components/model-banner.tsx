import type { Me } from '../http/gateway.ts';

/** Says plainly when the answers do not come from an AI. */
export function ModelBanner({ model }: { model: Me['model'] }) {
  if (model && !model.is_demo) return null;
  return (
    <aside
      data-testid="model-banner"
      className="shrink-0 bg-warn-soft px-4 py-1.5 text-center text-[13px] text-warn leading-snug"
    >
      <strong className="font-semibold">
        {model ? 'This is the built-in demo model, not an AI.' : 'No model is configured for chat.'}
      </strong>{' '}
      <span className="max-sm:hidden">
        For real answers set <code className="font-mono">ANTHROPIC_API_KEY</code> or{' '}
        <code className="font-mono">OPENAI_API_KEY</code>, or add a model to{' '}
        <code className="font-mono">loom.toml</code>.
      </span>
    </aside>
  );
}

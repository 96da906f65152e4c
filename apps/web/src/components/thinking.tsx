/** Something is being thought about and nothing can be read yet. */
export function Thinking() {
  return (
    <p className="flex h-6 items-center gap-1.5" data-testid="thinking">
      <span className="sr-only">Working</span>
      {[0, 150, 300].map((delay) => (
        <span
          key={delay}
          style={{ animationDelay: `${delay}ms` }}
          className="size-1.5 animate-pulse rounded-full bg-faint"
        />
      ))}
    </p>
  );
}

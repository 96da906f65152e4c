export function bundle(entry: string, outdir: string): Promise<void>;

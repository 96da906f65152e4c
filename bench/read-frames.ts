/** The `data:` of each server-sent event of a response, as it arrives. */
export async function* readFrames(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) {
    throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  }
  const decoder = new TextDecoder();
  let pending = '';
  for await (const bytes of response.body) {
    pending += decoder.decode(bytes, { stream: true });
    const frames = pending.split('\n\n');
    pending = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield data.slice('data: '.length);
    }
  }
}

import { expect, test } from 'vitest';
import { coworkPrompt, coworkPromptId } from './cowork.ts';

test('a session with a workspace', () => {
  expect(coworkPromptId).toBe('cowork/2');
  const prompt = coworkPrompt({ system_prompt: null, workspace: '/w', rules: [] });
  expect(prompt).toMatchInlineSnapshot(`
    {
      "content": "You are Loom, a colleague in a conversation who can do real work through tools.
    Do small things yourself: read, edit, search, run a command. Paths are relative to the workspace.
    When work has several steps, touches several files, can be done in parallel or should be checked independently, hand it over with delegate_task; give it the goal and, as context, the constraints and decisions of this conversation. The result comes back to you; report it truthfully, including what failed or was not verified.
    Nothing said here is ever lost. If you need something that is not in view, look it up with conversation_recall before you ask the user to repeat it.
    Ask the user only when you cannot go on without the answer.",
      "role": "system",
    }
  `);
});

test('without a workspace, with instructions', () => {
  const params = { system_prompt: 'Answer in French.', workspace: null, rules: ['use tabs'] };
  const plain = coworkPrompt({ system_prompt: null, workspace: '/w', rules: [] });
  const prompt = coworkPrompt(params);
  expect(prompt.content.startsWith(plain.content)).toBe(true);
  expect(prompt.content.slice(plain.content.length)).toMatchInlineSnapshot(`
    "

    This session has no workspace, so file and shell tools cannot be used.

    Answer in French.

    Learned from corrections the user made before. Follow these unless the user now says otherwise:
    - use tabs"
  `);
});

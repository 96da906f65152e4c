/** Which tests prove which behaviour: id → file, and the words by which its test is found there. */
export const requirements: Record<string, readonly (readonly [file: string, words: string])[]> = {
  E1: [
    ['packages/engine/src/decide-task.property.test.ts', 'keeps every rule at every step'],
    ['packages/engine/src/simulation/simulation.test.ts', 'LOOM_SIM_SEED'],
  ],
  E2: [
    ['packages/engine/src/validate-plan.property.test.ts', 'finds exactly what is wrong'],
    ['services/planner/src/judge-replies.test.ts', 'asked for again once, with what is wrong'],
    ['test/e2e/conversation.e2e.test.ts', 'a plan whose graph cannot run is sent back'],
  ],
  E4: [
    ['packages/engine/src/decisions/plan.test.ts', 'does the goal as one subtask'],
    ['test/e2e/conversation.e2e.test.ts', 'an unreadable planner degrades to one subtask'],
  ],
  E5: [
    ['packages/engine/src/settle-task.test.ts', 'the moment its last dependency completes'],
    ['packages/engine/src/settle-task.test.ts', 'holds at most max_parallel subtasks active'],
  ],
  E6: [
    ['packages/engine/src/ready-subtasks.test.ts', 'defers a second writer of a deliverable'],
    ['packages/engine/src/settle-task.test.ts', 'says once that a subtask starves'],
  ],
  E11: [
    ['packages/engine/src/summarise-task.test.ts', 'tells what was done'],
    ['packages/engine/src/settle-task.test.ts', 'everything a reader of the log needs'],
  ],
  E12: [
    ['packages/engine/src/decisions/control.test.ts', 'asked twice is harmless'],
    ['packages/runtime/src/runtime.integration.test.ts', 'an aborted task refuses the writes'],
    ['test/e2e/conversation.e2e.test.ts', 'cancelling stops a task at the next boundary'],
  ],
  E13: [
    ['packages/engine/src/fold-events.test.ts', 'gives the stored state'],
    ['packages/engine/src/decide-task.property.test.ts', 'keeps every rule at every step'],
  ],
  R2: [['packages/engine/src/retry-ladder.test.ts', 'counts from the last manual retry']],
  C1: [
    ['packages/db/src/session-archive.integration.test.ts', '20 racing senders'],
    ['test/e2e/embedded.e2e.test.ts', 'kill -9 in the middle of turns'],
  ],
  C4: [['test/e2e/conversation.e2e.test.ts', 'the model recalls what was said, word for word']],
  C6: [
    ['services/runner/src/handle-turn.integration.test.ts', 'waits for its tasks without a worker'],
  ],
  C10: [['test/e2e/conversation.e2e.test.ts', 'a question parks the turn without a worker']],
  X1: [
    ['test/e2e/conversation.e2e.test.ts', 'a turn delegates, the task is planned'],
    ['services/runner/src/run-tool-calls.test.ts', 'calls with effects run one after the other'],
  ],
  X3: [['test/e2e/conversation.e2e.test.ts', 'tool mistakes of a model are answered']],
  X4: [['test/e2e/conversation.e2e.test.ts', 'is reminded after tools']],
  X5: [['services/runner/src/run-tool-calls.test.ts', 'neighbouring reads run at once']],
  X9: [
    ['test/e2e/faults/crash-points.e2e.test.ts', 'the outcome is the same'],
    ['test/e2e/faults/killed-workers.e2e.test.ts', 'R01'],
  ],
  T1: [['packages/tools/src/registry.test.ts', 'createToolRegistry']],
  T7: [
    ['services/runner/src/run-tool-calls.test.ts', 'begun before a crash is in doubt'],
    ['services/runner/src/pending-calls.test.ts', 'the key of its place'],
  ],
  V1: [
    ['services/verifier/src/handle-verification.integration.test.ts', 'without asking a model'],
    [
      'services/verifier/src/handle-verification.integration.test.ts',
      'is asked for by a synthesis',
    ],
  ],
  V2: [
    [
      'services/verifier/src/checks/tool-success.test.ts',
      'forgives when the deliverables are there',
    ],
    ['services/verifier/src/checks/changed-files.test.ts', 'fails an empty file'],
    ['services/verifier/src/checks/commands.integration.test.ts', 'keeps exit code and output'],
  ],
  V3: [
    ['services/verifier/src/tier2-verdict.test.ts', 'may be fenced, with prose around it'],
    ['services/verifier/src/tier2-verdict.test.ts', 'for want of a verifier is never a pass'],
  ],
  V6: [['services/verifier/src/tier2-verdict.test.ts', 'leaves what tier 1 could not check']],
  V7: [['services/verifier/src/tier2-verdict.test.ts', 'with the evidence of both tiers']],
  V8: [
    ['services/verifier/src/tier1-verdict.test.ts', 'files with hashes, commands with exit codes'],
  ],
  F4: [['services/gateway/src/streams.integration.test.ts', 'gives a log in pages']],
  F9: [['test/e2e/cli.e2e.test.ts', 'doctor']],
  F10: [['test/e2e/console.browser.test.ts', 'verdict']],
  F13: [
    ['services/gateway/src/dashboard.integration.test.ts', 'opens for the operator alone'],
    ['packages/runtime/src/retry-unit.integration.test.ts', 'two operators who retry'],
  ],
  P1: [['test/e2e/faults/lost-rings.e2e.test.ts', 'R14']],
  P2: [
    ['packages/runtime/src/recovery.integration.test.ts', 'comes back by itself'],
    ['test/e2e/faults/lost-rings.e2e.test.ts', 'R07'],
  ],
  P3: [
    ['test/e2e/faults/killed-workers.e2e.test.ts', 'repeat no effect'],
    ['test/e2e/faults/lost-rings.e2e.test.ts', 'R15'],
  ],
  P4: [
    ['packages/runtime/src/racing-writers.integration.test.ts', 'R16'],
    ['services/gateway/src/streams.integration.test.ts', 'without a gap or a repeat'],
  ],
  P5: [['packages/runtime/src/turns.integration.test.ts', "another tenant's sessions"]],
};

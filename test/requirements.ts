const engine = 'packages/engine/src';
const runtime = 'packages/runtime/src';
const runner = 'services/runner/src';
const verifier = 'services/verifier/src';
const tools = 'packages/tools/src';

/** Which tests prove which behaviour: id → file, and the words by which its test is found there. */
export const requirements: Record<string, readonly (readonly [file: string, words: string])[]> = {
  E1: [
    [`${engine}/decide-task.property.test.ts`, 'keeps every rule at every step'],
    [`${engine}/simulation/simulation.test.ts`, 'LOOM_SIM_SEED'],
  ],
  E2: [
    [`${engine}/validate-plan.property.test.ts`, 'finds exactly what is wrong'],
    ['services/planner/src/judge-replies.test.ts', 'asked for again once, with what is wrong'],
    ['test/e2e/conversation.e2e.test.ts', 'a plan whose graph cannot run is sent back'],
  ],
  E4: [
    [`${engine}/decisions/plan.test.ts`, '"require_approval" asks a person'],
    ['test/e2e/engine.e2e.test.ts', 'asks a person, and the answer decides'],
    [`${engine}/decisions/plan.test.ts`, 'does the goal as one subtask'],
    ['test/e2e/conversation.e2e.test.ts', 'an unreadable planner degrades to one subtask'],
  ],
  E5: [
    [`${engine}/settle-task.test.ts`, 'the moment its last dependency completes'],
    [`${engine}/settle-task.test.ts`, 'holds at most max_parallel subtasks active'],
  ],
  E6: [
    [`${engine}/ready-subtasks.test.ts`, 'defers a second writer of a deliverable'],
    [`${engine}/settle-task.test.ts`, 'says once that a subtask starves'],
  ],
  E11: [
    [`${engine}/summarise-task.test.ts`, 'which tools were called how often'],
    ['test/e2e/engine.e2e.test.ts', 'evidence can be read as JSON and as CSV'],
    [`${engine}/summarise-task.test.ts`, 'tells what was done'],
    [`${engine}/settle-task.test.ts`, 'everything a reader of the log needs'],
  ],
  E12: [
    [`${engine}/decisions/pause.test.ts`, 'starts nothing new'],
    [`${engine}/decisions/control.test.ts`, 'takes the question of the subtask with it'],
    [
      `${runtime}/engine-restart.integration.test.ts`,
      'parks at the next boundary and resumes in another process',
    ],
    ['test/e2e/engine.e2e.test.ts', 'pause holds a task at its next boundary'],
    ['test/e2e/faults/stop-anytime.e2e.test.ts', 'R22'],
    [`${engine}/decisions/control.test.ts`, 'asked twice is harmless'],
    [`${runtime}/runtime.integration.test.ts`, 'an aborted task refuses the writes'],
    ['test/e2e/conversation.e2e.test.ts', 'cancelling stops a task at the next boundary'],
  ],
  E13: [
    [`${engine}/fold-events.test.ts`, 'gives the stored state'],
    [`${engine}/decide-task.property.test.ts`, 'keeps every rule at every step'],
  ],
  R2: [
    [`${engine}/decisions/failure.test.ts`, 'every state was written and read in between'],
    [`${engine}/decisions/failure.test.ts`, 'not tried a third time'],
    [`${runtime}/engine-restart.integration.test.ts`, 'the ladder of tiers goes on'],
    [`${engine}/retry-ladder.test.ts`, 'counts from the last manual retry'],
  ],
  E3: [
    [`${engine}/normalise-plan.test.ts`, 'a synthesis that others wait for'],
    ['services/planner/src/judge-replies.test.ts', 'strict'],
  ],
  E7: [
    [`${engine}/stall.test.ts`, 'recovers twice at most, then fails with the reasons'],
    ['test/e2e/engine.e2e.test.ts', 'what depended on it is looked at anew'],
  ],
  E8: [
    [`${engine}/decisions/replan.test.ts`, 'runs only what failed again'],
    [`${engine}/decisions/replan.test.ts`, 'keeps finished results as they are'],
    ['test/e2e/engine.e2e.test.ts', 'what failed is planned anew'],
    ['test/e2e/engine.e2e.test.ts', 'a rejected replan names the ids'],
  ],
  E9: [
    [`${engine}/critical-path.test.ts`, 'lets what is active finish, then fails'],
    [`${engine}/critical-path.test.ts`, 'to confirm or to prune'],
    [`${engine}/critical-path.test.ts`, 'whose confirmation alone is missing'],
  ],
  E10: [
    [`${engine}/decisions/budget.test.ts`, 'lets two units never both take the last call'],
    [`${runtime}/engine-budget.integration.test.ts`, 'never take the last call twice'],
    [`${runtime}/engine-budget.integration.test.ts`, "session's budget is shared by its tasks"],
    ['test/e2e/engine.e2e.test.ts', 'a budget stops an endless loop'],
  ],
  E14: [
    [
      `${engine}/decisions/retry.test.ts`,
      'lets a planner look at the plan before anything runs again',
    ],
  ],
  R1: [[`${engine}/classify-failure.test.ts`, 'believes the code before what the verdict names']],
  R3: [
    [`${engine}/decisions/verdict.test.ts`, 'stands with its warnings after the last round'],
    ['test/e2e/engine.e2e.test.ts', 'asked again, the executor is not'],
  ],
  R4: [[`${engine}/retry-context.test.ts`, 'how to go about it, and what to edit in place']],
  R5: [
    [`${engine}/remediation.test.ts`, 'delays the end of the task instead of failing it untried'],
    [`${engine}/remediation.test.ts`, 'each later than the one before'],
    [`${runtime}/engine-restart.integration.test.ts`, 'a remediation is due work'],
  ],
  R6: [[`${engine}/critical-path.test.ts`, 'waits two seconds before such an attempt']],
  A1: [
    [`${engine}/approval-gate.test.ts`, 'whatever was allowed'],
    [`${engine}/approval-gate.property.test.ts`, 'fc.'],
    ['test/e2e/engine.e2e.test.ts', 'a gated command asks before it runs'],
  ],
  A2: [[`${engine}/confidence.test.ts`, 'reaches a band that it reaches on paper']],
  A3: [
    [`${engine}/decisions/verdict.test.ts`, 'waits for an objection, and stands without one'],
    [`${engine}/decisions/approval.test.ts`, 'acted on as configured'],
  ],
  A4: [
    [
      `${runtime}/engine-restart.integration.test.ts`,
      'an approval outlives the process that asked',
    ],
    [`${engine}/decisions/approval.test.ts`, 'is answered once'],
    [`${runner}/handle-turn-approvals.integration.test.ts`, 'test('],
    ['test/e2e/faults/killed-turn.e2e.test.ts', 'a conversation goes on as if nothing had been'],
  ],
  X10: [
    ['test/e2e/engine.e2e.test.ts', 'parks the work, which resumes by itself'],
    ['test/e2e/faults/model-faults.e2e.test.ts', 'R24'],
  ],
  F6: [
    [`${runner}/handle-delivery.integration.test.ts`, 'attempts go on with doubled delays'],
    ['test/e2e/engine.e2e.test.ts', 'told to its callback, signed'],
  ],
  F12: [['test/e2e/faults/fair-share.e2e.test.ts', 'R26']],
  C1: [
    ['packages/db/src/session-archive.integration.test.ts', '20 racing senders'],
    ['test/e2e/embedded.e2e.test.ts', 'kill -9 in the middle of turns'],
    ['test/e2e/faults/killed-turn.e2e.test.ts', 'a conversation goes on as if nothing had been'],
  ],
  C2: [
    [`${engine}/pack-window.property.test.ts`, 'the budget holds, whatever the archive'],
    [
      `${runner}/handle-turn-window.integration.test.ts`,
      'stays in view when the message has long left it',
    ],
    [
      `${runner}/handle-turn-window.integration.test.ts`,
      'an open delegation is part of every window',
    ],
  ],
  C3: [
    [`${engine}/session-state/session-state.test.ts`, 'twenty files, ten decisions'],
    [`${runner}/handle-turn-window.integration.test.ts`, 'is what the archive alone gives'],
  ],
  C4: [
    ['test/e2e/conversation.e2e.test.ts', 'the model recalls what was said, word for word'],
    ['test/recall-quality/recall-quality.integration.test.ts', '95 of 100 questions at least'],
    [
      'test/recall-quality/recall-quality.integration.test.ts',
      'no message for any of 50 questions',
    ],
  ],
  C5: [
    [`${engine}/refers-back.test.ts`, 'notices what refers back, in whatever case'],
    [`${runner}/prompts/cowork-notes.test.ts`, 'only when something is left out'],
  ],
  C7: [
    [`${runner}/todos/turn-todos.integration.test.ts`, 'shown before every call'],
    [`${runner}/todos/turn-todos.integration.test.ts`, 'may make more model calls'],
    [`${runner}/todos/todo-tools.integration.test.ts`, 'makes nothing twice'],
    ['test/e2e/faults/killed-turn.e2e.test.ts', 'a conversation goes on as if nothing had been'],
  ],
  C8: [
    [`${engine}/tool-exposure/expose-tools.property.test.ts`, 'fc.'],
    [`${runner}/catalog/run-tool.test.ts`, 'run_tool'],
  ],
  C9: [
    [`${engine}/turn-breakers/judge-reply.test.ts`, 'judgeReply'],
    [`${engine}/turn-breakers/repeated-batch.test.ts`, 'repeatedBatch'],
  ],
  C12: [
    [`${runner}/handle-turn-steering.integration.test.ts`, 'whenever it comes'],
    [`${runtime}/turns.integration.test.ts`, 'interrupts what runs'],
    ['apps/cli/src/talk.test.ts', '/interrupt says it before'],
  ],
  C14: [
    [`${engine}/reflection/find-corrections.test.ts`, 'precision'],
    [`${runner}/reflect.integration.test.ts`, 'reflectOnTurn'],
  ],
  C6: [
    [`${runner}/handle-turn.integration.test.ts`, 'waits for its tasks without a worker'],
    [`${runner}/handle-turn-delegations.integration.test.ts`, '50 turns wait for their tasks'],
    [`${runner}/start-delegation.integration.test.ts`, 'is told of the conversation'],
    ['test/e2e/faults/killed-turn.e2e.test.ts', 'a conversation goes on as if nothing had been'],
  ],
  C10: [
    ['test/e2e/conversation.e2e.test.ts', 'a question parks the turn without a worker'],
    ['test/e2e/faults/killed-turn.e2e.test.ts', 'a conversation goes on as if nothing had been'],
  ],
  X1: [
    ['test/e2e/conversation.e2e.test.ts', 'a turn delegates, the task is planned'],
    [`${runner}/run-tool-calls.test.ts`, 'calls with effects run one after the other'],
  ],
  X2: [
    [`${runner}/prompts/executor-prefix.test.ts`, 'is the beginning of what is sent next'],
    [
      `${runner}/prompts/executor-prefix.test.ts`,
      'schemas are sent once, as tools and never as text',
    ],
    [`${runner}/handle-extraction.integration.test.ts`, 'the entries follow'],
  ],
  X3: [['test/e2e/conversation.e2e.test.ts', 'tool mistakes of a model are answered']],
  X4: [['test/e2e/conversation.e2e.test.ts', 'is reminded after tools']],
  X5: [[`${runner}/run-tool-calls.test.ts`, 'neighbouring reads run at once']],
  X6: [
    [`${runner}/completion/judge-completion.test.ts`, 'warn: a missing block is noted'],
    [
      `${runner}/handle-subtask-completion.integration.test.ts`,
      'a text without a block is asked for again',
    ],
  ],
  X7: [
    [
      `${runner}/write-policy/create-write-policy.test.ts`,
      'writes no second version of a deliverable',
    ],
    [
      `${runner}/handle-subtask-pressure.integration.test.ts`,
      'a retry edits its deliverables in place',
    ],
  ],
  X8: [
    [`${runner}/pressure/relieve-pressure.property.test.ts`, 'calls and results stay together'],
    [`${runner}/handle-subtask-pressure.integration.test.ts`, 'the journal stays whole'],
    [`${runner}/handle-subtask-pressure.integration.test.ts`, 'is sent once more, shortened'],
  ],
  X9: [
    ['test/e2e/faults/crash-points.e2e.test.ts', 'the outcome is the same'],
    ['test/e2e/faults/killed-workers.e2e.test.ts', 'R01'],
  ],
  X11: [
    [`${runner}/handle-extraction.integration.test.ts`, 'ends before its subtask is learnt from'],
    [
      `${runner}/handle-extraction.integration.test.ts`,
      'what a lost worker took up is done by another, once',
    ],
  ],
  X12: [
    [
      `${runner}/handle-subtask-discoveries.integration.test.ts`,
      'told to its sibling before its next step',
    ],
  ],
  T1: [
    [`${tools}/registry.test.ts`, 'createToolRegistry'],
    [`${tools}/registry.test.ts`, 'artifact'],
  ],
  T2: [
    [`${tools}/path-matrix.integration.test.ts`, 'leads no tool anywhere'],
    [`${tools}/swap-race.integration.test.ts`, 'swap'],
    [`${tools}/pre-images.integration.test.ts`, 'keeps what was there'],
    [`${tools}/read-file.integration.test.ts`, 'are read as text'],
    [`${tools}/edit/apply-edit.test.ts`, 'applyEdit'],
    ['services/gateway/src/files/revert.integration.test.ts', 'revert'],
    ['test/e2e/typescript-project.e2e.test.ts', 'can be undone'],
  ],
  T3: [
    [`${tools}/sandbox/sandbox-abuse.integration.test.ts`, 'finds no secret in files'],
    [`${tools}/shell-execute.integration.test.ts`, 'killed with its whole tree'],
    [`${tools}/git-command.integration.test.ts`, 'runs no hook'],
  ],
  T4: [
    [`${tools}/web-fetch.integration.test.ts`, 'a page is shown as markdown'],
    [`${tools}/net/ssrf.integration.test.ts`, 'no redirect leads where'],
    [`${tools}/net/bombs.integration.test.ts`, 'is not unpacked'],
  ],
  T5: [
    [`${tools}/read-artifact.integration.test.ts`, 'by a query or by a place'],
    ['packages/db/src/artifacts/artifacts.integration.test.ts', 'age, number and bytes bound'],
    ['services/gateway/src/artifacts.integration.test.ts', 'as a file that no browser runs'],
  ],
  T6: [
    [`${tools}/mcp/real-servers.integration.test.ts`, 'works in its directory'],
    [
      `${tools}/mcp/untrusted-tools.integration.test.ts`,
      'until an operator approves its new version',
    ],
    [`${tools}/mcp/hostile-server.integration.test.ts`, 'it is left alone, with the reason'],
    [`${tools}/mcp/http-server.integration.test.ts`, 'own credentials where it has some'],
  ],
  T7: [
    [`${runner}/run-tool-calls.test.ts`, 'begun before a crash is in doubt'],
    [`${runner}/pending-calls.test.ts`, 'the key of its place'],
    [`${runner}/handle-subtask-effects.integration.test.ts`, 'a deliberate repeat runs'],
    [`${runner}/handle-subtask-effects.integration.test.ts`, 'is not blindly repeated by the next'],
  ],
  V1: [
    [`${verifier}/handle-verification.integration.test.ts`, 'without asking a model'],
    [`${verifier}/handle-verification.integration.test.ts`, 'is asked for by a synthesis'],
  ],
  V2: [
    [`${verifier}/checks/tool-success.test.ts`, 'forgives when the deliverables are there'],
    [`${verifier}/checks/changed-files.test.ts`, 'fails an empty file'],
    [`${verifier}/checks/commands.integration.test.ts`, 'keeps exit code and output'],
  ],
  V3: [
    [`${verifier}/tier2-verdict.test.ts`, 'may be fenced, with prose around it'],
    [`${verifier}/tier2-verdict.test.ts`, 'for want of a verifier is never a pass'],
  ],
  V6: [[`${verifier}/tier2-verdict.test.ts`, 'leaves what tier 1 could not check']],
  V7: [[`${verifier}/tier2-verdict.test.ts`, 'with the evidence of both tiers']],
  V8: [[`${verifier}/tier1-verdict.test.ts`, 'files with hashes, commands with exit codes']],
  F4: [['services/gateway/src/streams.integration.test.ts', 'gives a log in pages']],
  F9: [['test/e2e/cli.e2e.test.ts', 'doctor']],
  F10: [['test/e2e/console.browser.test.ts', 'verdict']],
  F13: [
    ['services/gateway/src/dashboard.integration.test.ts', 'opens for the operator alone'],
    [`${runtime}/retry-unit.integration.test.ts`, 'two operators who retry'],
  ],
  P1: [['test/e2e/faults/lost-rings.e2e.test.ts', 'R14']],
  P2: [
    [`${runtime}/recovery.integration.test.ts`, 'comes back by itself'],
    ['test/e2e/faults/lost-rings.e2e.test.ts', 'R07'],
    ['test/e2e/faults/rolling-restart.e2e.test.ts', 'R23'],
  ],
  P3: [
    ['test/e2e/faults/killed-workers.e2e.test.ts', 'repeat no effect'],
    ['test/e2e/faults/lost-rings.e2e.test.ts', 'R15'],
  ],
  P4: [
    [`${runtime}/racing-writers.integration.test.ts`, 'R16'],
    ['services/gateway/src/streams.integration.test.ts', 'without a gap or a repeat'],
    ['test/e2e/faults/many-connections.e2e.test.ts', 'R18'],
    ['services/gateway/src/streams.integration.test.ts', 'one cut before any event loses nothing'],
    ['test/e2e/faults/killed-gateway.e2e.test.ts', 'R03'],
    ['test/e2e/faults/cut-streams.e2e.test.ts', 'R17: streams cut at any byte'],
  ],
  P5: [
    [`${runtime}/turns.integration.test.ts`, "another tenant's sessions"],
    ['test/e2e/faults/cut-streams.e2e.test.ts', 'R17: any cursor'],
  ],
  C11: [
    ['packages/db/src/read/messages.integration.test.ts', 'test('],
    ['test/e2e/chat-cli.e2e.test.ts', 'stop ends the turn at work'],
    ['test/e2e/cowork.e2e.test.ts', 'close, come back'],
  ],
  C13: [
    ['packages/db/src/ended-session-grants.integration.test.ts', 'test('],
    [`${runner}/session-end.integration.test.ts`, 'test('],
    [`${runner}/handle-subtask-grants.integration.test.ts`, 'test('],
  ],
};

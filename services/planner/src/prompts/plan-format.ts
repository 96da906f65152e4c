/** What a planner's answer looks like, for a first plan and for a later version of it. */
export const planFormat = `Answer with one JSON object and nothing else:
{"subtasks": [{"id": "short-slug", "description": "what to do, complete in itself", "depends_on": [], "model_tier": 1, "verification_tier": 1, "is_critical_path": false, "is_synthesis": false, "max_retries": 3, "acceptance_criteria": ["…"], "deliverables": ["path/in/workspace"], "checks": ["a command that must succeed"]}]}
Only id and description are required.
- Make subtasks independent wherever the work allows it; use depends_on only for real needs.
- Name every file a subtask makes in deliverables. No two subtasks write the same file unless one depends on the other.
- model_tier: 1 simple, 2 medium, 3 hard. verification_tier: 1 when files, syntax and commands tell enough; 2 when the content must be judged.
- A synthesis (is_synthesis) brings results together at the very end; nothing depends on it, and there is at most one.
- As few subtasks as the goal needs.`;

import { describe, expect, it } from 'vitest';
import { configSchema } from './config.ts';
import { taskPolicy } from './task-policy.ts';

const config = (text: object = {}) => configSchema.parse(text);

describe('taskPolicy', () => {
  it('is the rules of the product where nobody says otherwise', () => {
    expect(taskPolicy(config(), { in_session: false })).toEqual({
      max_plan_versions: 5,
      replan_interval: 0,
      replan_on_discovery: true,
      planner_degraded_mode: 'allow',
      phase_mode: null,
      phases: [],
      critical_path_behavior: 'block',
      max_stall_recoveries: 2,
      max_verification_rounds: 2,
      confirm_or_prune: { max_attempts: 2, backoff_seconds: 2 },
      remediation: {
        max_attempts: 3,
        backoff_seconds: 2,
        max_backoff_seconds: 30,
        ttl_seconds: 6 * 3_600,
      },
      approval: {
        mode: 'auto',
        threshold: 0.8,
        timeout_seconds: 3_600,
        objection_seconds: 10,
        on_timeout: 'deny',
      },
      on_budget: 'fail',
    });
  });

  it('follows the configuration, and a request before it', () => {
    const strict = config({
      execution: { critical_path_behavior: 'queue_follow_up' },
      approval: { mode: 'manual', on_timeout: 'approve' },
    });
    expect(taskPolicy(strict, { in_session: false })).toMatchObject({
      critical_path_behavior: 'queue_follow_up',
      approval: { mode: 'manual', on_timeout: 'approve' },
    });
    const wishes = { approval_mode: 'disabled', critical_path_behavior: 'block' } as const;
    expect(taskPolicy(strict, { ...wishes, in_session: false })).toMatchObject({
      critical_path_behavior: 'block',
      approval: { mode: 'disabled', on_timeout: 'approve' },
    });
  });

  it('pauses at a spent budget where a person can be asked, and fails elsewhere', () => {
    expect(taskPolicy(config(), { in_session: true }).on_budget).toBe('pause');
    expect(taskPolicy(config(), { in_session: false }).on_budget).toBe('fail');
  });
});

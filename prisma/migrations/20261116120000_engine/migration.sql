-- The rules that tasks are driven by. A row never changes and is shared by all tasks with the same rules.
CREATE TABLE policies (
  id text PRIMARY KEY,
  policy jsonb NOT NULL
);
INSERT INTO policies (id, policy) VALUES ('before-policies', '{
  "max_plan_versions": 5, "replan_interval": 0, "replan_on_discovery": true,
  "planner_degraded_mode": "allow", "phase_mode": null, "phases": [],
  "critical_path_behavior": "block", "max_stall_recoveries": 2, "max_verification_rounds": 2,
  "confirm_or_prune": {"max_attempts": 2, "backoff_seconds": 2},
  "remediation": {"max_attempts": 3, "backoff_seconds": 2, "max_backoff_seconds": 30, "ttl_seconds": 21600},
  "approval": {"mode": "auto", "threshold": 0.8, "timeout_seconds": 3600, "objection_seconds": 10,
    "on_timeout": "deny"},
  "on_budget": "fail"}');

ALTER TABLE tasks
  ADD COLUMN policy_id text NOT NULL DEFAULT 'before-policies' REFERENCES policies (id),
  -- What the engine remembers of the task's course; null while there is nothing to remember.
  ADD COLUMN course jsonb,
  ADD COLUMN wake_at timestamptz(3),
  ADD COLUMN cost_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN mutating_tool_calls int NOT NULL DEFAULT 0;
CREATE INDEX tasks_wake ON tasks (wake_at) WHERE wake_at IS NOT NULL;

ALTER TABLE plans
  ADD COLUMN reason text NOT NULL DEFAULT 'first plan',
  ADD COLUMN diff jsonb NOT NULL DEFAULT '{"added": [], "changed": [], "kept": []}';

-- What earlier attempts left behind for the next; null while there is nothing.
ALTER TABLE subtasks ADD COLUMN trail jsonb;

ALTER TABLE units
  -- A parked unit waits again from here on, whether someone wakes it or not.
  ADD COLUMN available_at timestamptz(3),
  ADD COLUMN parked_for text,
  ADD COLUMN parked_at timestamptz(3),
  ADD COLUMN parked_seconds double precision NOT NULL DEFAULT 0,
  -- Times in a row that it parked for a model.
  ADD COLUMN model_parks int NOT NULL DEFAULT 0;
CREATE INDEX units_parked ON units (available_at) WHERE status = 'parked' AND available_at IS NOT NULL;

CREATE TABLE approvals (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'denied', 'expired')),
  kind text NOT NULL,
  tool text,
  arguments jsonb NOT NULL DEFAULT '{}',
  reason text NOT NULL,
  session_id text,
  turn_id text,
  task_id text,
  subtask_id text,
  attempt int,
  -- The unit and the tool call that wait for it.
  unit_id text,
  call_key text,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3),
  decided_by text,
  decided_at timestamptz(3),
  decision_reason text,
  decided_arguments jsonb
);
CREATE INDEX approvals_list ON approvals (tenant_id, requested_at DESC, id DESC);
CREATE INDEX approvals_pending ON approvals (tenant_id, requested_at DESC, id DESC) WHERE status = 'pending';
CREATE INDEX approvals_task ON approvals (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX approvals_unit ON approvals (unit_id) WHERE unit_id IS NOT NULL;

-- Budgets above tasks. A row exists only where something is limited; its id is the session's or the tenant's.
CREATE TABLE budgets (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('session', 'tenant')),
  limits jsonb NOT NULL,
  tokens bigint NOT NULL DEFAULT 0,
  cost_micros bigint NOT NULL DEFAULT 0,
  model_calls bigint NOT NULL DEFAULT 0,
  tool_calls bigint NOT NULL DEFAULT 0,
  mutating_tool_calls bigint NOT NULL DEFAULT 0,
  -- Granted and not yet spent.
  model_calls_held int NOT NULL DEFAULT 0,
  tool_calls_held int NOT NULL DEFAULT 0,
  mutating_tool_calls_held int NOT NULL DEFAULT 0
);

ALTER TABLE turns
  -- What the turn was granted and has not yet spent, so that a new owner does not ask twice.
  ADD COLUMN held jsonb;

CREATE TABLE webhook_secrets (
  tenant_id text PRIMARY KEY,
  secret text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- One call of a client's callback_url, with all of its tries.
CREATE TABLE deliveries (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  task_id text NOT NULL,
  url text NOT NULL,
  event text NOT NULL,
  payload jsonb NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3)
);
CREATE INDEX deliveries_task ON deliveries (task_id);

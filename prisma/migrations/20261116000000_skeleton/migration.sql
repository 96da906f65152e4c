CREATE TABLE tenants (
  id text PRIMARY KEY,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenants (id),
  name text NOT NULL,
  -- SHA-256 of a 256-bit random key: nothing to guess, so a fast hash is enough.
  key_hash text NOT NULL UNIQUE,
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3)
);

CREATE TABLE web_logins (
  -- Hash of a one-time link token, or of the cookie that it was exchanged for.
  token_hash text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('link', 'cookie')),
  tenant_id text NOT NULL REFERENCES tenants (id),
  api_key_id text NOT NULL REFERENCES api_keys (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);

CREATE TABLE audit_log (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  actor text NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_at ON audit_log (at DESC, id DESC);

CREATE TABLE idempotency_keys (
  tenant_id text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status_code int NOT NULL,
  response jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, key)
);

CREATE TABLE sessions (
  id text PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenants (id),
  title text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'ended')),
  workspace text,
  model text,
  system_prompt text,
  approval_mode text NOT NULL DEFAULT 'auto',
  grants jsonb NOT NULL DEFAULT '{}',
  budget jsonb NOT NULL DEFAULT '{}',
  state jsonb NOT NULL DEFAULT '{}',
  last_seq bigint NOT NULL DEFAULT 0,
  last_message_number int NOT NULL DEFAULT 0,
  total_tokens bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3)
);
CREATE INDEX sessions_list ON sessions (tenant_id, created_at DESC, id DESC);
CREATE INDEX sessions_workspace ON sessions (tenant_id, workspace);

CREATE TABLE turns (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  session_id text NOT NULL REFERENCES sessions (id),
  status text NOT NULL,
  -- Set when someone asked the turn to stop; the running worker looks at it.
  cancel_requested boolean NOT NULL DEFAULT false,
  model_calls int NOT NULL DEFAULT 0,
  -- The ask_user call that the next message answers.
  awaiting_call_id text,
  error jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  ended_at timestamptz(3)
);
CREATE INDEX turns_session ON turns (session_id, created_at);
CREATE INDEX turns_open ON turns (session_id, created_at) WHERE status NOT IN ('completed', 'failed', 'cancelled');

CREATE TABLE messages (
  session_id text NOT NULL REFERENCES sessions (id),
  number int NOT NULL,
  tenant_id text NOT NULL,
  turn_id text,
  role text NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  content text NOT NULL,
  tool_calls jsonb,
  tool_call_id text,
  tool_name text,
  token_count int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Only the index is bounded (a tsvector holds 1 MB at most); the text itself is kept whole.
  search tsvector GENERATED ALWAYS AS (to_tsvector('english', left(content, 100000))) STORED,
  PRIMARY KEY (session_id, number)
);
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE INDEX messages_search ON messages USING gin (session_id, search) WITH (fastupdate = off);
CREATE INDEX messages_turn ON messages (turn_id, number);

CREATE FUNCTION refuse_message_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'messages are append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER messages_append_only BEFORE UPDATE OR DELETE ON messages
  FOR EACH ROW EXECUTE FUNCTION refuse_message_change();
CREATE TRIGGER messages_no_truncate BEFORE TRUNCATE ON messages
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_message_change();

CREATE TABLE session_events (
  session_id text NOT NULL REFERENCES sessions (id),
  seq bigint NOT NULL,
  tenant_id text NOT NULL,
  type text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  turn_id text,
  task_id text,
  subtask_id text,
  attempt int,
  data jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (session_id, seq)
);
CREATE INDEX session_events_turn ON session_events (turn_id, seq) WHERE turn_id IS NOT NULL;

CREATE TABLE tasks (
  id text PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenants (id),
  session_id text REFERENCES sessions (id),
  -- The turn and the tool call that wait for this task, if any do.
  turn_id text REFERENCES turns (id),
  tool_call_id text,
  turn_waits boolean NOT NULL DEFAULT false,
  depth int NOT NULL DEFAULT 0,
  goal text NOT NULL,
  context jsonb NOT NULL DEFAULT '{}',
  workspace text,
  process text,
  approval_mode text NOT NULL DEFAULT 'auto',
  callback_url text,
  budget jsonb NOT NULL DEFAULT '{}',
  metadata jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL,
  verification text NOT NULL DEFAULT 'unverified',
  plan_version int NOT NULL DEFAULT 0,
  plan_attempts int NOT NULL DEFAULT 0,
  max_parallel int NOT NULL,
  cancel_mode text CHECK (cancel_mode IN ('cancel', 'abort')),
  errors jsonb NOT NULL DEFAULT '[]',
  summary text,
  files_changed text[] NOT NULL DEFAULT '{}',
  tokens_used bigint NOT NULL DEFAULT 0,
  model_calls int NOT NULL DEFAULT 0,
  tool_calls int NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  ended_at timestamptz(3)
);
CREATE INDEX tasks_list ON tasks (tenant_id, created_at DESC, id DESC);
CREATE INDEX tasks_session ON tasks (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX tasks_of_call ON tasks (turn_id, tool_call_id) WHERE tool_call_id IS NOT NULL;

-- What follows a task is only ever written under the lock of its row, so it has no foreign keys:
-- checking them was a quarter of the time of a commit.
CREATE TABLE plans (
  task_id text NOT NULL,
  version int NOT NULL,
  tenant_id text NOT NULL,
  subtasks jsonb NOT NULL,
  degraded boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (task_id, version)
);

CREATE TABLE subtasks (
  task_id text NOT NULL,
  id text NOT NULL,
  tenant_id text NOT NULL,
  position int NOT NULL,
  -- The planner's words: description, dependencies, tiers, deliverables, checks.
  spec jsonb NOT NULL,
  status text NOT NULL,
  verification text NOT NULL DEFAULT 'unverified',
  attempts int NOT NULL DEFAULT 0,
  -- Attempts before the last manual retry; they do not count against max_retries.
  attempts_forgiven int NOT NULL DEFAULT 0,
  deferrals int NOT NULL DEFAULT 0,
  feedback text,
  summary text,
  error jsonb,
  PRIMARY KEY (task_id, id)
);

CREATE TABLE attempts (
  task_id text NOT NULL,
  subtask_id text NOT NULL,
  number int NOT NULL,
  tenant_id text NOT NULL,
  status text NOT NULL,
  model text,
  tier int NOT NULL,
  summary text,
  error jsonb,
  files_changed text[] NOT NULL DEFAULT '{}',
  started_at timestamptz(3),
  ended_at timestamptz(3),
  PRIMARY KEY (task_id, subtask_id, number)
);

CREATE TABLE verdicts (
  task_id text NOT NULL,
  subtask_id text NOT NULL,
  attempt int NOT NULL,
  tenant_id text NOT NULL,
  outcome text NOT NULL,
  tier int NOT NULL,
  conclusive boolean NOT NULL,
  confidence double precision NOT NULL,
  reason_code text NOT NULL,
  severity_class text NOT NULL,
  feedback text NOT NULL,
  evidence jsonb NOT NULL,
  checks jsonb NOT NULL,
  missing_targets jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (task_id, subtask_id, attempt)
);

-- The log of a task: seq is 1..n, taken under the task's row lock.
CREATE TABLE events (
  task_id text NOT NULL,
  seq bigint NOT NULL,
  tenant_id text NOT NULL,
  type text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  session_id text,
  subtask_id text,
  attempt int,
  data jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (task_id, seq)
);

-- Whatever a worker can do next: a turn, a plan, a subtask's attempt, a verification.
-- `epoch` grows with each claim and fences every later write.
CREATE TABLE units (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  queue text NOT NULL CHECK (queue IN ('turns', 'plans', 'subtasks', 'verifications', 'deliveries')),
  status text NOT NULL CHECK (status IN ('waiting', 'claimed', 'parked', 'done', 'withdrawn', 'dead')),
  epoch int NOT NULL DEFAULT 0,
  starts int NOT NULL DEFAULT 0,
  session_id text,
  turn_id text,
  task_id text,
  subtask_id text,
  attempt int,
  owner text,
  lease_until timestamptz(3),
  rung_at timestamptz(3) NOT NULL DEFAULT now(),
  last_error text,
  dead_reason text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX units_waiting ON units (rung_at) WHERE status = 'waiting';
CREATE INDEX units_claimed ON units (lease_until) WHERE status = 'claimed';
CREATE INDEX units_dead ON units (updated_at DESC) WHERE status = 'dead';
CREATE INDEX units_task ON units (task_id) WHERE task_id IS NOT NULL AND status IN ('waiting', 'claimed', 'parked');
CREATE INDEX units_turn ON units (turn_id) WHERE turn_id IS NOT NULL;

-- The journal of plans, attempts and verifications (a turn's journal is its messages).
CREATE TABLE attempt_messages (
  unit_id text NOT NULL,
  seq int NOT NULL,
  tenant_id text NOT NULL,
  role text NOT NULL,
  content text NOT NULL,
  tool_calls jsonb,
  tool_call_id text,
  tool_name text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (unit_id, seq)
);

-- The ledger: what was about to happen, and what did.
CREATE TABLE tool_calls (
  -- unit, place of the model's message, place of the call in it: a deliberate repeat is another call.
  key text PRIMARY KEY,
  tenant_id text NOT NULL,
  unit_id text NOT NULL,
  task_id text,
  subtask_id text,
  attempt int,
  session_id text,
  turn_id text,
  tool text NOT NULL,
  effect text NOT NULL,
  arguments jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('intent', 'done', 'failed', 'in_doubt')),
  result text,
  exit_code int,
  files_changed text[] NOT NULL DEFAULT '{}',
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3)
);
CREATE INDEX tool_calls_unit ON tool_calls (unit_id);
CREATE INDEX tool_calls_task ON tool_calls (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE workers (
  id text PRIMARY KEY,
  role text NOT NULL,
  host text NOT NULL,
  active int NOT NULL DEFAULT 0,
  concurrency int NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now()
);

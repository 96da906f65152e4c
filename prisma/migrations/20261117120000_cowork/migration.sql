-- Whether a tool's result tells of a failure: the state of a session is taken from messages alone.
ALTER TABLE messages ADD COLUMN failed boolean NOT NULL DEFAULT false;

-- What a turn has set out to do.
CREATE TABLE todos (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  session_id text NOT NULL,
  turn_id text NOT NULL,
  -- The call that made it, so that a call which runs again makes nothing twice.
  call_key text NOT NULL,
  position int NOT NULL,
  title text NOT NULL,
  context text NOT NULL DEFAULT '',
  completion_criteria text NOT NULL DEFAULT '',
  agent_type text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
  outcome text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  completed_at timestamptz(3)
);
CREATE INDEX todos_turn ON todos (turn_id, position);

-- What users corrected, as rules for the next answers.
CREATE TABLE learned_rules (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  -- Empty for sessions without a workspace.
  workspace text NOT NULL DEFAULT '',
  -- Equal wordings have one normal form.
  normal_form text NOT NULL,
  rule text NOT NULL,
  times int NOT NULL DEFAULT 1,
  -- Turns that have been counted, the newest last.
  turns text[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX learned_rules_form ON learned_rules (tenant_id, workspace, normal_form);

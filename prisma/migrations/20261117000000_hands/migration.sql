-- Bytes that were worth keeping: how files were, and artifacts. Equal content is kept once a tenant.
CREATE TABLE blobs (
  tenant_id text NOT NULL,
  hash text NOT NULL,
  size bigint NOT NULL,
  content bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, hash)
);

-- What each call did to each file. A row is opened before the file is touched.
CREATE TABLE file_changes (
  call_key text NOT NULL,
  path text NOT NULL,
  tenant_id text NOT NULL,
  place bigserial NOT NULL,
  unit_id text NOT NULL,
  task_id text,
  subtask_id text,
  attempt int,
  session_id text,
  turn_id text,
  workspace text NOT NULL,
  tool text NOT NULL,
  -- Null where there was no file.
  before_hash text,
  before_size bigint,
  before_mode int,
  -- False when the content was too large to keep.
  before_kept boolean NOT NULL DEFAULT true,
  -- Null where there is no file; only meaningful once the change is done.
  after_hash text,
  after_size bigint,
  after_mode int,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done')),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (call_key, path)
);
CREATE INDEX file_changes_task ON file_changes (task_id, place) WHERE task_id IS NOT NULL;
CREATE INDEX file_changes_turn ON file_changes (turn_id, place) WHERE turn_id IS NOT NULL;
CREATE INDEX file_changes_path ON file_changes (workspace, path, place);
CREATE INDEX file_changes_before ON file_changes (tenant_id, before_hash);

CREATE TABLE artifacts (
  ref text PRIMARY KEY,
  tenant_id text NOT NULL,
  -- Retention counts by scope: the session, else the task.
  scope text NOT NULL,
  session_id text,
  turn_id text,
  task_id text,
  subtask_id text,
  call_key text,
  name text NOT NULL,
  kind text NOT NULL,
  mime text NOT NULL,
  source text NOT NULL,
  hash text NOT NULL,
  size bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX artifacts_scope ON artifacts (tenant_id, scope, created_at);
CREATE INDEX artifacts_hash ON artifacts (tenant_id, hash);
CREATE INDEX artifacts_created ON artifacts (created_at);

-- Tools that MCP servers have shown, and the version of each that was approved.
CREATE TABLE mcp_tools (
  tenant_id text NOT NULL,
  server text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  input_schema jsonb NOT NULL,
  annotations jsonb NOT NULL DEFAULT '{}',
  hash text NOT NULL,
  approved_hash text,
  approved_by text,
  first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, server, name)
);

-- What was learnt on the way, in sentences.
CREATE TABLE memory_entries (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  session_id text,
  task_id text NOT NULL,
  subtask_id text NOT NULL,
  attempt int NOT NULL,
  type text NOT NULL CHECK (type IN ('decision', 'error', 'discovery', 'tool_result', 'user_instruction',
    'artifact', 'context')),
  summary text NOT NULL CHECK (length(summary) <= 150),
  detail text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX memory_entries_task ON memory_entries (task_id, id);
CREATE INDEX memory_entries_tenant ON memory_entries (tenant_id, id);

ALTER TABLE tasks ADD COLUMN read_roots text[] NOT NULL DEFAULT '{}';

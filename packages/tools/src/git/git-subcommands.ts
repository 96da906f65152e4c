/**
 * What a subcommand of git may be given. Options are written as they are given, without dashes:
 * `name` stands alone, `name:` takes a value, `name=` may have one after an equals sign.
 */
export interface GitSubcommand {
  options: string;
  /** How many operands there may be at most; many unless told. */
  max_operands?: number;
  /** All operands are paths, so they stand behind `--`. */
  only_paths?: boolean;
  /** Always given, before anything else. */
  fixed?: readonly string[];
  /** Reads no file of the work tree and may write the repository's configuration, which it sees as it is. */
  own_config?: boolean;
}

const plainDiff = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
const diffOptions =
  'p patch u no-patch U: unified: stat= numstat shortstat summary name-only name-status diff-filter: w ignore-all-space b ignore-space-change ignore-blank-lines M= find-renames= C word-diff= minimal patience histogram diff-algorithm: S: G: R full-index binary abbrev= no-renames color-words= z exit-code quiet relative=';
const logOptions = `oneline graph decorate= n: max-count: skip: since: after: until: before: author: committer: grep: i regexp-ignore-case E F all branches= tags= remotes= merges no-merges first-parent reverse follow format: pretty= date: abbrev-commit no-abbrev-commit no-decorate L: topo-order date-order author-date-order left-right cherry-pick all-match invert-grep no-walk ${diffOptions}`;
const pickOptions = 'n no-commit abort continue skip quit no-edit s signoff m: mainline:';

const subcommands: Record<string, GitSubcommand> = {
  add: {
    options: 'A all u update n dry-run f force v verbose N intent-to-add refresh ignore-errors',
    only_paths: true,
  },
  blame: {
    options: 'L: w M C e show-email l s t date: p porcelain line-porcelain root abbrev:',
    fixed: ['--no-textconv'],
  },
  branch: {
    options:
      'a all r remotes v vv verbose l list show-current d delete D m move M c copy f force contains= no-contains= merged= no-merged= sort: format: points-at: i ignore-case q quiet unset-upstream',
    own_config: true,
  },
  'cat-file': { options: 'p t s e', max_operands: 2 },
  checkout: {
    options: 'b: B: f force detach d orphan: ours theirs q quiet m merge',
    fixed: ['--no-guess', '--no-recurse-submodules'],
  },
  'cherry-pick': { options: `${pickOptions} x ff allow-empty keep-redundant-commits` },
  clean: { options: 'n dry-run f force d x X q quiet e: exclude:', only_paths: true },
  commit: {
    options:
      'm: message: a all amend no-edit allow-empty allow-empty-message author: date: q quiet s signoff n no-verify dry-run short porcelain o only i include fixup: reset-author u=',
    fixed: ['--no-gpg-sign', '--no-status'],
  },
  describe: { options: 'tags all always long abbrev= exact-match match: first-parent contains' },
  diff: {
    options: `cached staged merge-base ours theirs base check ${diffOptions}`,
    fixed: plainDiff,
  },
  grep: {
    options:
      'n line-number i ignore-case l files-with-matches L c count w word-regexp E F P v e: cached untracked h H o A: B: C: q and or not all-match max-depth: z',
  },
  init: { options: 'b: initial-branch: q quiet', max_operands: 0, fixed: ['--template='] },
  log: { options: logOptions, fixed: [...plainDiff, '--no-show-signature'] },
  'ls-files': {
    options:
      'c cached d deleted m modified o others i ignored s stage u unmerged k z t v exclude-standard directory full-name error-unmatch x: exclude:',
    only_paths: true,
  },
  'ls-tree': { options: 'r d t l long z name-only full-name full-tree abbrev=' },
  merge: {
    options:
      'ff no-ff ff-only squash commit no-commit abort continue quit no-edit m: message: X: strategy-option: q quiet allow-unrelated-histories stat no-stat',
    max_operands: 1,
  },
  'merge-base': { options: 'a all is-ancestor fork-point octopus' },
  mv: { options: 'f force n dry-run k v verbose', only_paths: true },
  reflog: { options: logOptions },
  remote: { options: 'v verbose', max_operands: 0, own_config: true },
  reset: { options: 'soft mixed hard keep merge q quiet N intent-to-add' },
  restore: {
    options: 's: source: S staged W worktree ours theirs m merge q quiet ignore-unmerged',
    fixed: ['--no-recurse-submodules'],
    only_paths: true,
  },
  'rev-list': { options: `${logOptions} count objects` },
  'rev-parse': {
    options:
      'abbrev-ref= short= verify q quiet show-toplevel show-prefix is-inside-work-tree symbolic-full-name symbolic all branches= tags=',
  },
  revert: { options: pickOptions },
  rm: { options: 'r f force cached n dry-run q quiet ignore-unmatch', only_paths: true },
  shortlog: { options: 's summary n numbered e email since: until: author: no-merges group:' },
  show: { options: logOptions, fixed: [...plainDiff, '--no-show-signature'] },
  stash: {
    options:
      'u include-untracked a all k keep-index no-keep-index m: message: q quiet index S staged p patch stat= name-only name-status oneline n:',
  },
  status: {
    options: 's short b branch long porcelain= z ignored= u= untracked-files= v verbose no-renames',
    fixed: ['--ignore-submodules=all'],
    only_paths: true,
  },
  switch: {
    options: 'c: create: C: force-create: detach d f force discard-changes orphan: q quiet m merge',
    max_operands: 2,
    fixed: ['--no-guess', '--no-recurse-submodules'],
  },
  tag: {
    options:
      'l list a annotate m: message: d delete n= f force sort: format: contains= no-contains= merged= no-merged= points-at: i ignore-case',
    fixed: ['--no-sign'],
  },
};

/** What can be asked of git, by name. */
export const gitSubcommands: ReadonlyMap<string, GitSubcommand> = new Map(
  Object.entries(subcommands),
);

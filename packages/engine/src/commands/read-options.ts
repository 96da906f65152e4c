import { withoutHoles } from './expand-words.ts';

/** Which options of a program take a value from the next argument. */
interface OptionShape {
  /** Letters. */
  values?: string;
  long_values?: readonly string[];
  /** The first operand ends the options, as in programs that run another. */
  in_order?: boolean;
}

/** A command line taken apart. */
export interface Options {
  /** As `-r`, `--recursive`; bundled letters are taken apart. */
  flags: string[];
  values: { flag: string; value: string }[];
  operands: string[];
}

/** Takes a command line apart as getopt does; holes in options count as empty. */
export function readOptions(args: readonly string[], shape: OptionShape = {}): Options {
  const options: Options = { flags: [], values: [], operands: [] };
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const option = withoutHoles(arg);
    if (option === '--') {
      options.operands.push(...args.slice(at + 1));
      break;
    }
    if (!option.startsWith('-') || option === '-') {
      options.operands.push(...(shape.in_order ? args.slice(at) : [arg]));
      if (shape.in_order) break;
    } else if (readOption(option, args[at + 1], options, shape)) {
      at += 1;
    }
  }
  return options;
}

/** Says whether the option took the next argument. */
function readOption(
  option: string,
  next: string | undefined,
  { flags, values }: Options,
  shape: OptionShape,
): boolean {
  if (option.startsWith('--')) {
    const equals = option.indexOf('=');
    const flag = equals === -1 ? option : option.slice(0, equals);
    flags.push(flag);
    if (equals !== -1) values.push({ flag, value: option.slice(equals + 1) });
    else if (shape.long_values?.includes(flag.slice(2)) && next !== undefined) {
      values.push({ flag, value: next });
      return true;
    }
    return false;
  }
  for (let at = 1; at < option.length; at += 1) {
    const flag = `-${option[at]}`;
    flags.push(flag);
    if (!shape.values?.includes(option[at] ?? '')) continue;
    const attached = option.slice(at + 1);
    if (attached === '' && next === undefined) return false;
    values.push({ flag, value: attached === '' ? (next ?? '') : attached });
    return attached === '';
  }
  return false;
}

/** Whether one of these flags was given; long ones may be cut short, as getopt allows. */
export function hasFlag(options: Options, ...wanted: string[]): boolean {
  return options.flags.some((flag) =>
    wanted.some(
      (name) =>
        name === flag || (name.startsWith('--') && flag.length > 2 && name.startsWith(flag)),
    ),
  );
}

/** The values given to one of these flags. */
export function valuesOf(options: Options, ...wanted: string[]): string[] {
  return options.values.filter(({ flag }) => wanted.includes(flag)).map(({ value }) => value);
}

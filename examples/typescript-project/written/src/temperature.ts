export type Unit = 'celsius' | 'fahrenheit' | 'kelvin';

const toKelvin: Record<Unit, (degrees: number) => number> = {
  celsius: (degrees) => degrees + 273.15,
  fahrenheit: (degrees) => ((degrees - 32) * 5) / 9 + 273.15,
  kelvin: (degrees) => degrees,
};

const fromKelvin: Record<Unit, (degrees: number) => number> = {
  celsius: (degrees) => degrees - 273.15,
  fahrenheit: (degrees) => ((degrees - 273.15) * 9) / 5,
  kelvin: (degrees) => degrees,
};

/** The same temperature in another unit. Throws below absolute zero. */
export function convert(degrees: number, from: Unit, to: Unit): number {
  const kelvin = toKelvin[from](degrees);
  if (!(kelvin >= 0)) throw new RangeError(`${degrees} ${from} is below absolute zero`);
  return Number(fromKelvin[to](kelvin).toFixed(10));
}

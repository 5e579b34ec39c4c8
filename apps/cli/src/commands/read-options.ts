import { InvalidArgumentError } from 'commander';

/** A whole number, for commander; the gateway brings it within its bounds. */
export function anyWholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value)) throw new InvalidArgumentError('A whole number.');
  return value;
}

/** A whole number within bounds, for commander. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`A number from ${least} to ${most}.`);
    return value;
  };
}

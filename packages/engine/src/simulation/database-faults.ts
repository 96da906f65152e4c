/** Ways in which the database can be made to break its word, to see that the simulation notices. */
export interface DatabaseFaults {
  /** Writes are taken whatever their epoch. */
  unfenced?: boolean;
  /** The end of a task leaves its workers in possession of their units. */
  leavesUnitsOfEnded?: boolean;
  /** What a task is granted is not held against the budgets above it. */
  forgetsHolds?: boolean;
  /** A grant is kept whole although part of it was spent. */
  keepsSpentHolds?: boolean;
  /** A unit that asks for a call and dies counts as having got somewhere. */
  takesAskingForProgress?: boolean;
  /** Parked units are not woken. */
  neverWakes?: boolean;
  /** Nobody looks for tasks whose instant has come. */
  forgetsInstants?: boolean;
}

/** Thrown by a handler that gives its unit back at a boundary; someone else goes on from the journal. */
export class UnitYield extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnitYield';
  }
}

/** Thrown when a write was refused: the unit belongs to someone else, so there is nothing left to do. */
export class LostUnit extends Error {
  constructor(unitId: string) {
    super(`the unit ${unitId} is not owned any more`);
    this.name = 'LostUnit';
  }
}

/** An agent that ended like this did what it was asked for. */
export const isDone = (reason: string): boolean => reason === 'submitted' || reason === 'imported'

package dev.decant.faults.work;

/** Which records the group has committed as done, and since when. */
@FunctionalInterface
interface Coverage {
  /** The time of the first commit that says a record is done, or {@link Span#NEVER}; by the monotonic clock. */
  long since(Place place);
}

package dev.decant.fix.segment;

/** When bytes are forced to the disk. */
public enum Force {
  /** When the system wants to. */
  NEVER,
  /** At intervals, on the thread of the {@link SegmentKeeper}. */
  AT_INTERVALS,
  /** At each commit. */
  EVERY_MESSAGE
}

package dev.decant.fix.segment;

import java.nio.file.Path;

/**
 * How the segments of a factory's stores are made and kept.
 *
 * @param folder has a folder for each session; created if it does not exist
 * @param bytes size of a segment, from {@link #MIN_BYTES} to {@link #MAX_BYTES}
 * @param retainBytes how many bytes of old segments are kept at least
 * @param force when bytes are forced to the disk
 * @param forceIntervalNanos the longest time that bytes wait for a force at intervals
 * @param archives true if segments that are no longer needed move to another folder; otherwise they are deleted
 * @param recoversPrefix true if a damaged store opens with the records before the damage
 * @param storage the disk
 */
public record SegmentSettings(Path folder, int bytes, long retainBytes, Force force, long forceIntervalNanos,
    boolean archives, boolean recoversPrefix, Storage storage) {
  /** The smallest segment. */
  public static final int MIN_BYTES = 4096;
  /** The largest segment. */
  public static final int MAX_BYTES = 1 << 30;
}

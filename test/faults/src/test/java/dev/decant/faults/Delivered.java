package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** What holds also where offsets may be wrong or topics gone: one outcome each, and what was acknowledged is stored. */
final class Delivered {
  private Delivered() {}

  /**
   * Fails if a send has no outcome or two, or if an acknowledged record is not stored; of those without an offset in
   * their acknowledgement nothing is asked.
   *
   * @param from sequence by sender from which on records have to be stored
   */
  static void assertIn(Stored stored, List<Outcomes> outcomes, int[] from, long seed) {
    BitSet[] found = new BitSet[outcomes.size()];
    Arrays.setAll(found, index -> new BitSet());
    for (List<Stored.Entry> partition : stored.partitions()) {
      for (Stored.Entry entry : partition) {
        Numbered numbered = entry.numbered();
        if (numbered == null) {
          throw new AssertionError("record at offset " + entry.offset() + " is none that was sent, seed " + seed);
        }
        found[numbered.sender()].set((int) numbered.sequence());
      }
    }
    for (Outcomes of : outcomes) {
      assertThat(of.toldAgain()).as("records of sender %d with two outcomes, seed %d", of.sender, seed).isZero();
      for (int sequence = 0; sequence < of.sent(); sequence++) {
        assertThat(of.isTold(sequence) ^ of.isRefused(sequence)).as("outcome of record %d", sequence).isTrue();
        if (sequence >= from[of.sender] && of.isAcknowledged(sequence) && of.offsetOf(sequence) >= 0) {
          assertThat(found[of.sender].get(sequence)).as("sender %d, record %d, acknowledged at %d-%d, seed %d",
              of.sender, sequence, of.partitionOf(sequence), of.offsetOf(sequence), seed).isTrue();
        }
      }
    }
  }
}

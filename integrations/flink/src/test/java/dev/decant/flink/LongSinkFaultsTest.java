package dev.decant.flink;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;

/** As many rounds as give each kind of mishap at each step. */
@Tag("long")
class LongSinkFaultsTest extends SinkFaults {
  @RepeatedTest(100)
  void everyNumberIsCommittedOnceThoughSubtasksAndBrokersAreKilled(RepetitionInfo repetition) throws Exception {
    round(repetition.getCurrentRepetition());
  }
}

package dev.decant.flink;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A few rounds. */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SinkFaultsTest extends SinkFaults {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void everyNumberIsCommittedOnceThoughSubtasksAndBrokersAreKilled(int round) throws Exception {
    round(round);
  }
}

package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.fetch.FetchedForTests;
import dev.decant.kafka.fetch.FetchedRecords;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests the copies that are kept of paused partitions. */
class KeptRecordsTest {
  private static final int BYTES = 100;

  private final AssignedPartition partition = new AssignedPartition("orders", 0);
  private boolean memoryIsUsedUp;
  private final KeptRecords kept = new KeptRecords(2 * BYTES, this::memory);

  private ByteBuffer memory(int bytes) {
    if (memoryIsUsedUp) {
      throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
    }
    return ByteBuffer.allocate(bytes);
  }

  private FetchedRecords fetched(long offset) {
    return FetchedForTests.records(partition.fetch, offset, BYTES);
  }

  private long next() {
    return Objects.requireNonNull(kept.next()).fetchOffset();
  }

  @Test
  void whatIsMoreThanTheBoundIsNotKept() {
    assertThat(kept.addLast(partition, fetched(0), 0)).isTrue();
    assertThat(kept.addLast(partition, fetched(1), 0)).isTrue();
    assertThat(kept.addFirst(partition, fetched(2), 0)).isFalse();
    assertThat(next()).isZero();
    assertThat(kept.addFirst(partition, fetched(2), 0)).isTrue();
    assertThat(next()).isEqualTo(2);
    assertThat(next()).isEqualTo(1);
    assertThat(kept.next()).isNull();
  }

  /** Without memory for a copy, poll threw the error and the records were skipped. */
  @Test
  void withoutDirectMemoryNothingIsKeptAndNoRoomTaken() {
    memoryIsUsedUp = true;
    assertThat(kept.addLast(partition, fetched(0), 0)).isFalse();
    assertThat(kept.addFirst(partition, fetched(0), 0)).isFalse();
    memoryIsUsedUp = false;
    assertThat(kept.addLast(partition, fetched(1), 0)).isTrue();
    assertThat(kept.addLast(partition, fetched(2), 0)).isTrue();
    assertThat(next()).isEqualTo(1);
  }
}

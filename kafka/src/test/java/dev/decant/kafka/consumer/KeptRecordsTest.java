package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is kept of partitions that are paused. */
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

  @SuppressWarnings("NullAway") // an answer that nobody gives back needs no fetcher
  private FetchedRecords fetched(long offset) {
    @Nullable
    Fetcher nobody = null;
    return new FetchedRecords("", new FetchedAnswer(nobody, ""), partition).asked(partition, 0, offset)
        .in(ByteBuffer.allocate(BYTES), 0, BYTES, null);
  }

  private long next() {
    return Objects.requireNonNull(kept.next()).fetchOffset();
  }

  @Test
  void whatIsMoreThanTheBoundIsNotKept() {
    assertThat(kept.addLast(fetched(0), 0)).isTrue();
    assertThat(kept.addLast(fetched(1), 0)).isTrue();
    assertThat(kept.addFirst(fetched(2), 0)).isFalse();
    assertThat(next()).isZero();
    assertThat(kept.addFirst(fetched(2), 0)).isTrue();
    assertThat(next()).isEqualTo(2);
    assertThat(next()).isEqualTo(1);
    assertThat(kept.next()).isNull();
  }

  /** The error used to come out of poll, and what could not be copied was passed over. */
  @Test
  void withoutDirectMemoryNothingIsKeptAndNoRoomTaken() {
    memoryIsUsedUp = true;
    assertThat(kept.addLast(fetched(0), 0)).isFalse();
    assertThat(kept.addFirst(fetched(0), 0)).isFalse();
    memoryIsUsedUp = false;
    assertThat(kept.addLast(fetched(1), 0)).isTrue();
    assertThat(kept.addLast(fetched(2), 0)).isTrue();
    assertThat(next()).isEqualTo(1);
  }
}

package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AcknowledgementsTest {
  private static final TopicPartition FIRST = new TopicPartition("orders", 0);

  private final Acknowledgements acknowledgements = new Acknowledgements();

  private void deliver(long... offsets) {
    for (long offset : offsets) {
      acknowledgements.delivered("orders", 0, offset);
    }
  }

  private long committable() {
    OffsetAndMetadata found = acknowledgements.committable().get(FIRST);
    return found == null ? -1 : found.offset();
  }

  @Test
  void nothingMayBeCommittedBehindARecordThatIsNotDone() {
    deliver(5, 6, 9);
    assertThat(acknowledgements.acknowledge("orders", 0, 6)).isTrue();
    assertThat(acknowledgements.acknowledge("orders", 0, 9)).isTrue();
    assertThat(acknowledgements.committable()).isEmpty();
    assertThat(acknowledgements.outstanding("orders", 0)).isEqualTo(3);
    assertThat(acknowledgements.acknowledge("orders", 0, 5)).isTrue();
    assertThat(acknowledgements.committable()).isEqualTo(Map.of(FIRST, new OffsetAndMetadata(10)));
    assertThat(acknowledgements.outstanding("orders", 0)).isZero();
  }

  @Test
  void recordIsDoneOnceAndUnknownOnesAreNot() {
    deliver(1, 3);
    assertThat(acknowledgements.acknowledge("orders", 0, 3)).isTrue();
    assertThat(acknowledgements.acknowledge("orders", 0, 3)).isFalse();
    assertThat(acknowledgements.acknowledge("orders", 0, 2)).isFalse();
    assertThat(acknowledgements.acknowledge("orders", 7, 1)).isFalse();
    assertThat(acknowledgements.acknowledge("other", 0, 1)).isFalse();
  }

  /**
   * A wrong partition number ended in an ArrayIndexOutOfBoundsException or NegativeArraySizeException that named
   * nothing.
   */
  @Test
  void partitionThatCannotBeIsNamed() {
    String negative = "partition -1 of orders is negative; give the number that the record has";
    assertThatIllegalArgumentException().isThrownBy(() -> acknowledgements.delivered("orders", -1, 5))
        .withMessage(negative);
    assertThatIllegalArgumentException().isThrownBy(() -> acknowledgements.delivered("orders", Integer.MAX_VALUE, 5))
        .withMessage("partition 2147483647 of orders is more than 1048575; give the number that the record has");
    deliver(5);
    assertThatIllegalArgumentException().isThrownBy(() -> acknowledgements.acknowledge("orders", -1, 5))
        .withMessage(negative);
    assertThatIllegalArgumentException().isThrownBy(() -> acknowledgements.outstanding("orders", -1))
        .withMessage(negative);
    assertThat(acknowledgements.acknowledge("orders", Integer.MAX_VALUE, 5)).isFalse();
    assertThat(acknowledgements.outstanding("orders", Integer.MAX_VALUE)).isZero();
    assertThat(acknowledgements.acknowledge("orders", 0, 5)).isTrue();
  }

  @Test
  void afterASeekBackAllBeforeIsForgotten() {
    deliver(1, 2, 3);
    acknowledgements.acknowledge("orders", 0, 1);
    deliver(2);
    assertThat(acknowledgements.committable()).isEmpty();
    assertThat(acknowledgements.acknowledge("orders", 0, 3)).isFalse();
    acknowledgements.acknowledge("orders", 0, 2);
    assertThat(committable()).isEqualTo(3);
  }

  @Test
  void revokedPartitionIsForgotten() {
    deliver(1);
    acknowledgements.delivered("orders", 4, 8);
    acknowledgements.forget(List.of(FIRST));
    assertThat(acknowledgements.acknowledge("orders", 0, 1)).isFalse();
    assertThat(acknowledgements.acknowledge("orders", 4, 8)).isTrue();
    assertThat(acknowledgements.committable()).containsOnlyKeys(new TopicPartition("orders", 4));
  }

  @Test
  void whateverTheOrderThePrefixIsThatOfAModel() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Long> open = new ArrayList<>();
    TreeSet<Long> notDone = new TreeSet<>();
    long next = 0;
    for (int i = 0; i < 20_000; i++) {
      if (open.isEmpty() || (random.nextInt(100) < 52 && open.size() < 1_000)) {
        next += 1 + random.nextInt(3);
        deliver(next);
        open.add(next);
        notDone.add(next);
      } else {
        Collections.swap(open, random.nextInt(open.size()), open.size() - 1);
        long offset = open.removeLast();
        assertThat(acknowledgements.acknowledge("orders", 0, offset)).as("seed %d", seed).isTrue();
        notDone.remove(offset);
      }
      long expected = notDone.isEmpty() ? next + 1 : notDone.first();
      long actual = committable();
      assertThat(actual).as("seed %d", seed).isLessThanOrEqualTo(expected);
      if (notDone.isEmpty()) {
        assertThat(actual).as("seed %d", seed).isEqualTo(expected);
      }
    }
  }
}
